"""The base of every stored value."""

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict

SCHEMA_VERSION = 1
"""Version of everything that is stored; readers refuse a newer one."""


def storable(value: Any) -> Any:
    """Plain data with lone surrogates, which no file can hold, replaced."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode()
    if isinstance(value, (list, tuple)):
        return [storable(item) for item in value]  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, dict):
        items = value.items()  # pyright: ignore[reportUnknownVariableType]
        return {storable(key): storable(item) for key, item in items}  # pyright: ignore[reportUnknownVariableType]
    return value


AppText = Annotated[str, BeforeValidator(storable)]
"""Text from an app: hostile, of any size, always storable."""


class Value(BaseModel):
    """An immutable value; unknown fields are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="strings")
