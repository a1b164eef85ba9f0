"""Data files that come with the plugins."""

from importlib.resources import files
from typing import Any

import yaml

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""LibYAML where it is there: with Python alone the vocabulary takes a third of a short run."""


def bundled_yaml(package: str, *path: str) -> Any:
    """The content of a YAML file in a package's folder."""
    return yaml.load(files(package).joinpath(*path).read_text("utf-8"), Loader=_Loader)
