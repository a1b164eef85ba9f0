"""Data files that lie beside the modules of the connectors, checked against a schema."""

from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import TypeAdapter

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # LibYAML is several times as fast

Data = TypeVar("Data")


def load_data(module_file: str, name: str, schema: type[Data]) -> Data:
    """Return the content of the YAML file `name` beside a module; raises ValidationError."""
    content = yaml.load(Path(module_file).with_name(name).read_text("utf-8"), Loader=_LOADER)
    return TypeAdapter(schema).validate_python(content)
