"""A proposed rule, and how expressions name the inputs and outputs of a profile."""

import json
import keyword
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from sparring.interfaces.roles import OutputSpec
from sparring.model.space import Variable
from sparring_plugins.rules.parse.own_keys import RESERVED
from sparring_plugins.rules.values.record import OWN_NAMES
from sparring_plugins.users.profiles.profile import Profile

_WIDE = 10_000


@dataclass(frozen=True, slots=True)
class Proposal:
    """A rule to be looked at by a person: `why` says what it rests on, and what to check.

    `body` are the keys that say when it applies and what must hold. One that is not `active` is
    doubtful.
    """

    name: str
    description: str
    why: str
    body: Mapping[str, Any]
    active: bool = True

    def text(self) -> str:
        """The rule as a YAML document, with its reason as a comment."""
        data: dict[str, Any] = {"name": self.name, "description": self.description}
        data |= {} if self.active else {"active": False}
        data |= {key: one for key, one in self.body.items() if key != "yields" or _fits(one)}
        written = yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=_WIDE)
        return f"{_comment(self.why)}{written}"


@dataclass(frozen=True, slots=True)
class Talk:
    """One profile as proposals see it."""

    profile: Profile
    names: frozenset[str] = field(default=frozenset())

    @property
    def label(self) -> str:
        """The profile's name as a part of rules' names."""
        return plain_name(self.profile.name)

    def of(self, place: str = "") -> str:
        """The condition that a conversation is one of this profile's."""
        return f"{place}profile == {self.profile.test_name!r}"

    def input(self, variable: Variable, place: str = "") -> str:
        """How an expression names an input."""
        hidden = any(variable.name == output.name for output in self.profile.outputs)
        return named(variable.name, place, "inputs", hidden=hidden)


def output_name(output: OutputSpec, place: str = "") -> str:
    """How an expression names an output."""
    return named(output.name, place, "outputs")


def named(name: str, place: str, table: str, *, hidden: bool = False) -> str:
    """A variable by its own name where that is one in Python, else by way of its table."""
    plain = name.isidentifier() and not keyword.iskeyword(name) and not name.startswith("__")
    if not plain or hidden or name in RESERVED or (table == "inputs" and name in OWN_NAMES):
        return f"{place}{table}[{json.dumps(name, ensure_ascii=False)}]"
    return f"{place}{name}"


def plain_name(text: str) -> str:
    """A text as a part of a rule's name."""
    kept = "".join(one if one.isalnum() else "_" for one in text).strip("_")
    return kept[:60] or "unnamed"


def words_of(text: str) -> frozenset[str]:
    """The words of a name or description, in lower case."""
    split = "".join(one.lower() if one.isalnum() else " " for one in text)
    return frozenset(split.split())


def _fits(message: str) -> bool:
    """Whether names inside of an f-string in single quotes do not end it."""
    return "\\" not in message and message.count("'") == 2


def _comment(text: str) -> str:
    """A text as comment lines of some 96 characters."""
    lines, line = list[str](), ""
    for word in " ".join(text.split()).split(" "):
        if line and len(line) + len(word) > 95:
            lines.append(line)
            line = ""
        line = f"{line} {word}".strip()
    return "".join(f"# {_printable(one)}\n" for one in [*lines, line])


def _printable(text: str) -> str:
    return "".join(one if one.isprintable() else "\ufffd" for one in text)
