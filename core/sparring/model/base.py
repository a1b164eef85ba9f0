"""The base of every stored value."""

from pydantic import BaseModel, ConfigDict

SCHEMA_VERSION = 1
"""Version of everything that is stored; readers refuse a newer one."""


class Value(BaseModel):
    """An immutable value; unknown fields are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="strings")
