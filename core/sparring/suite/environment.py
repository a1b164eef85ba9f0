"""Environment references in a suite, and what must never be shown."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, cast

from sparring.discovery import drivers
from sparring.discovery.groups import SERVICES
from sparring.documents.reading import Document, Key
from sparring.errors import Problem, nearest_hint

_REFERENCE = re.compile(r"\$(\$)?\{([^}]*)\}")
_NAME = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(:-(.*))?", re.DOTALL)
Reference = tuple[tuple[Key, ...], str, str]
"""An expanded reference: the path of the text that it stands in, its name, its value."""


@dataclass(slots=True)
class Expansion:
    """A suite's data with references replaced, and the problems met."""

    data: Any = None
    problems: list[Problem] = field(default_factory=list[Problem])
    warnings: list[str] = field(default_factory=list[str])


def expand(document: Document, environment: Mapping[str, str] | None = None) -> Expansion:
    """Replace ``${NAME}`` and ``${NAME:-otherwise}`` in every text of a document."""
    known = os.environ if environment is None else environment
    expansion = Expansion()
    references: list[Reference] = []

    def walk(value: Any, at: tuple[Key, ...]) -> Any:
        if isinstance(value, dict):
            items = cast("dict[Any, Any]", value).items()
            return {key: walk(item, (*at, key)) for key, item in items}
        if isinstance(value, list):
            listed = cast("list[Any]", value)
            return [walk(item, (*at, index)) for index, item in enumerate(listed)]
        if isinstance(value, str) and "${" in value:
            # Only up to the last brace: without one, each "${" would be read on to the end.
            head, brace, tail = value.rpartition("}")
            return _REFERENCE.sub(lambda match: _value(match, at), head + brace) + tail
        return value

    def _value(match: re.Match[str], at: tuple[Key, ...]) -> str:
        if match[1]:
            return "${" + match[2] + "}"
        name = _NAME.fullmatch(match[2])
        if not name:
            message = f"{match[0]!r} is not a reference; write ${{NAME}}, or $${{ for a plain ${{"
        elif name[1] in known:
            references.append((at, name[1], known[name[1]]))
            return known[name[1]]
        elif name[2]:
            return name[3]
        else:
            hint = nearest_hint(name[1], known)
            message = f"the environment variable {name[1]!r} is not set.{hint}"
        expansion.problems.append(document.problem(message, at))
        return ""

    expansion.data = walk(document.data, ())
    if environment is None:
        learn = drivers.load_value(SERVICES, "secrets")
        expansion.warnings = learn(expansion.data, references, known)
    return expansion


class Redaction(Protocol):
    """The service ``redaction``: replaces secrets by their names, however they are encoded.

    Called without an environment it knows that of the process, and what suites hold. `warnings`
    are of secrets that are too short to be found.
    """

    def text(self, text: str) -> str:
        """Return a text without secrets."""
        ...

    def message(self, text: str) -> str:
        """Return a message without secrets, and without the pieces left of those that were cut."""
        ...

    def is_needed(self, line: bytes) -> bool:
        """Return whether a line of JSON may hold a secret."""
        ...

    def cleaned(self, value: Any) -> Any:
        """Return plain data or a model without secrets; what is no free text stays as it is."""
        ...

    def for_judges(self, value: Any) -> Any:
        """Return what judges see of a conversation, whether it comes from the app or a log."""
        ...

    def restored(self, value: Any) -> Any:
        """Return stored data with the values of secrets that are known here."""
        ...

    def suite(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """Return a suite's data, or overrides of it, as it may be stored."""
        ...


def Redactor(environment: Mapping[str, str] | None = None) -> Redaction:
    """Make what takes secrets out of all that is stored or shown."""
    made: Redaction = drivers.load_value(SERVICES, "redaction")(environment)
    return made
