"""Files of SENSEI's: its stored conversations can be judged, its rule files find their oracle.

Its profiles, personas and rules can be converted.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sparring.discovery.hookspecs import hookimpl

if TYPE_CHECKING:
    from sparring.errors import Problem
    from sparring.model.talk import Trace
    from sparring_plugins.sensei.conversion import Converter


@hookimpl
def sparring_read_traces(path: Path) -> "Iterable[Trace | Problem] | None":
    """Read a conversation file, or all below a folder; None if there is none."""
    from sparring_plugins.sensei import conversations as sensei_conversations

    if not sensei_conversations.holds_conversations(path):
        return None
    return sensei_conversations.read_conversations(path)


@hookimpl
def sparring_oracles_for_rules(
    paths: list[Path], compat: str | None
) -> list[dict[str, Any]] | None:
    """Judge rule files in YAML with `rules`, and every conversation with `generic-failures`."""
    if not paths or not all(path.is_dir() or _is_yaml(path) for path in paths):
        return None
    rules: dict[str, Any] = {"use": "rules", "files": [str(path) for path in paths]}
    if compat is not None:
        rules["compat"] = compat
    return [rules, {"use": "generic-failures"}]


@hookimpl
def sparring_converters() -> "Iterable[Converter]":
    """Profiles, personas and rules of every form, written in the current one."""
    from sparring_plugins.sensei.conversion import CONVERTERS

    return CONVERTERS


def _is_yaml(path: Path) -> bool:
    return path.suffix.lower() in (".yml", ".yaml")
