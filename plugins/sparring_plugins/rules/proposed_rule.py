"""A proposed rule, how expressions name inputs and outputs, and what those are about."""

import json
import keyword
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, JsonValue

from sparring.interfaces.roles import OutputSpec
from sparring.model.space import Variable
from sparring_plugins.language.yaml_files import bundled_yaml
from sparring_plugins.rules.parse.rule_files import RESERVED
from sparring_plugins.rules.values.record import OWN_NAMES
from sparring_plugins.users.profiles.profile import Profile

# Lines are not broken: an expression is easier to change on one line.
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
        data |= {key: value for key, value in self.body.items() if key != "yields" or _fits(value)}
        written = yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=_WIDE)
        return f"{_comment(self.why)}{written}"


@dataclass(frozen=True, slots=True)
class ProfileNames:
    """A profile, and how expressions name what is in it."""

    profile: Profile

    @property
    def label(self) -> str:
        """The profile's name as a part of rules' names."""
        return plain_name(self.profile.name)

    def of(self, place: str = "") -> str:
        """The condition that a conversation is one of this profile's."""
        return f"{place}profile == {self.profile.test_name!r}"

    def input(self, variable: Variable, place: str = "") -> str:
        """The name of an input in an expression."""
        hidden = any(variable.name == output.name for output in self.profile.outputs)
        return named(variable.name, place, "inputs", hidden=hidden)


def output_name(output: OutputSpec, place: str = "") -> str:
    """The name of an output in an expression."""
    return named(output.name, place, "outputs")


def named(name: str, place: str, table: str, *, hidden: bool = False) -> str:
    """A variable by its own name if Python takes it for one, else as an item of its table."""
    plain = name.isidentifier() and not keyword.iskeyword(name) and not name.startswith("__")
    if not plain or hidden or name in RESERVED or (table == "inputs" and name in OWN_NAMES):
        return f"{place}{table}[{json.dumps(name, ensure_ascii=False)}]"
    return f"{place}{name}"


def plain_name(text: str) -> str:
    """A text as a part of a rule's name."""
    name = "".join(char if char.isalnum() else "_" for char in text).strip("_")
    return name[:60] or "unnamed"


def words_of(text: str) -> frozenset[str]:
    """The words of a name or description, in lower case."""
    spaced = "".join(char.lower() if char.isalnum() else " " for char in text)
    return frozenset(spaced.split())


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
    return "".join(f"# {_printable(text)}\n" for text in [*lines, line])


def _printable(text: str) -> str:
    return "".join(char if char.isprintable() else "\ufffd" for char in text)


# What an input or an output is about, guessed from its name, type and values.

# "random(3)" picks several values; "random()" and "random(1)" pick one.
_MANY = re.compile(r"random\(\s*(?:rand|[2-9]|\d{2,})\s*\)")


class ProposalWords(BaseModel):
    """The data file: words in names of inputs and outputs, and scales of values."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: frozenset[str]
    money: frozenset[str]
    quantity: frozenset[str]
    personal: frozenset[str]
    time: frozenset[str]
    opening: frozenset[str]
    closing: frozenset[str]
    confirming: frozenset[str]
    surely_id: frozenset[str]
    identified: frozenset[str]
    scales: tuple[tuple[str, ...], ...]


@cache
def proposal_words() -> ProposalWords:
    """The content of the data file, read once."""
    return ProposalWords.model_validate(bundled_yaml("sparring_plugins.rules", "proposals.yaml"))


NUMBERS = ("money", "int", "float")


def is_list(variable: Variable) -> bool:
    """Whether a case picks several values of a variable."""
    return bool(_MANY.fullmatch((variable.selector or "").strip()))


def is_number(variable: Variable) -> bool:
    """Whether all values are numbers, and at least two differ."""
    values = variable.domain
    return len(set(map(str, values))) > 1 and all(
        isinstance(value, (int, float)) and not isinstance(value, bool) for value in values
    )


def order_of(variable: Variable) -> list[str]:
    """The values from least to most if they are steps of a known scale, else an empty list."""
    steps = [value.casefold().strip() for value in variable.domain if isinstance(value, str)]
    if len(steps) != len(variable.domain) or len(steps) < 2:
        return []
    for scale in proposal_words().scales:
        if all(step in scale for step in steps):
            texts = dict.fromkeys(map(str, variable.domain))
            return sorted(texts, key=lambda text: scale.index(text.casefold().strip()))
    return []


def is_quantity(variable: Variable) -> bool:
    """Whether an input says how many of something are wanted."""
    return is_number(variable) and has_word(variable.name, proposal_words().quantity)


def is_personal(variable: Variable) -> bool:
    """Whether an input says who the user is."""
    return has_word(variable.name, proposal_words().personal)


def is_when(variable: Variable) -> bool:
    """Whether an input says when something is to happen."""
    return has_word(variable.name, proposal_words().time)


def has_word(text: str, words: frozenset[str]) -> bool:
    """Whether a name or description has one of some words."""
    return not words.isdisjoint(words_of(text))


def is_price(output: OutputSpec) -> bool:
    """Whether an output is what something costs."""
    # An int called "total_price" is one; a float called "rating" is none.
    return output.type == "money" or (
        output.type in NUMBERS and has_word(output.name, proposal_words().money)
    )


def is_id(output: OutputSpec) -> bool:
    """Whether an output tells one order or booking from all others."""
    listed = proposal_words()
    if output.type not in ("str", "int") or not has_word(output.name, listed.id):
        return False
    return has_word(output.name, listed.surely_id) or has_word(
        output.description, listed.identified
    )


def echoes(output: OutputSpec, variables: Sequence[Variable]) -> Variable | None:
    """The input that an output confirms, as `confirmed_service` does `service`, if there is one."""
    words = words_of(output.name)
    named = words - proposal_words().confirming
    if named in (words, frozenset()) or output.type != "str":
        return None
    variable = next((variable for variable in variables if words_of(variable.name) == named), None)
    if variable is None or is_list(variable) or not _is_short(variable.domain):
        return None
    return variable


def _is_short(values: Sequence[JsonValue]) -> bool:
    return all(isinstance(value, str) and len(value.split()) <= 3 for value in values)
