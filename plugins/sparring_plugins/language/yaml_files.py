"""YAML files: the data that comes with the plugins, and data written for people to read."""

import re
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

import yaml

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""LibYAML if it is there: with Python alone the vocabulary takes a third of a short run."""


def bundled_yaml(package: str, *path: str) -> Any:
    """The content of a YAML file in a package's folder."""
    return yaml.load(files(package).joinpath(*path).read_text("utf-8"), Loader=_Loader)


# Data as the text of a YAML file that people read: lists of plain values on one line.

_WIDTH = 100
_EXPONENT = re.compile(r"[-+]?\d+[eE][-+]?\d+")
"""A number in YAML 1.2 and a text in YAML 1.1: ``1e5``."""
_SHORT = 80


def yaml_text(documents: Sequence[Any]) -> str:
    """The documents as one file; readable by YAML 1.1 and 1.2 with the same result."""
    return "---\n".join(
        yaml.dump(
            document,
            Dumper=_Dumper,
            allow_unicode=True,
            sort_keys=False,
            default_flow_style=False,
            width=_WIDTH,
        )
        for document in documents
    )


class _Dumper(yaml.SafeDumper):
    """Writes values that are met twice twice, and short lists of plain values on one line."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _plain_list(dumper: Any, data: Sequence[Any]) -> Any:
    flat = not any(isinstance(item, (list, dict)) for item in data)
    short = sum(len(str(item)) for item in data) < _SHORT
    return dumper.represent_sequence("tag:yaml.org,2002:seq", data, flow_style=flat and short)


def _text(dumper: Any, data: str) -> Any:
    style = "|" if "\n" in data else None  # PyYAML quotes what no block can hold
    if _EXPONENT.fullmatch(data):
        style = "'"
    return dumper.represent_scalar("tag:yaml.org,2002:str", data, style=style)


_Dumper.add_representer(list, _plain_list)
_Dumper.add_representer(tuple, _plain_list)
_Dumper.add_representer(str, _text)
