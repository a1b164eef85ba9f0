"""The base of every stored value."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

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


class _Storable:
    """Makes values storable as they come in; strings of JSON cannot be otherwise."""

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        plain = handler(source)
        checked = core_schema.no_info_before_validator_function(storable, plain)
        return core_schema.json_or_python_schema(plain, checked)


AppText = Annotated[str, _Storable()]
"""Text from an app: hostile, of any size, always storable."""


class Value(BaseModel):
    """An immutable value; unknown fields are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="strings")
