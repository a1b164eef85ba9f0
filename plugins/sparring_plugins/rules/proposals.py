"""Rules proposed from profiles: one file for each profile, and one for all of them."""

import json
import keyword
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, JsonValue

from sparring.errors import ConfigurationError
from sparring.interfaces.roles import OutputSpec
from sparring.model.space import Variable
from sparring_plugins.language.yaml_files import bundled_yaml
from sparring_plugins.rules.parse.rule_files import RESERVED
from sparring_plugins.rules.values.record import OWN_NAMES
from sparring_plugins.users.drafts import RuleDraft
from sparring_plugins.users.profiles.profile import Profile
from sparring_plugins.users.profiles.profile_files import read_profiles

# --- A proposed rule, how expressions name inputs and outputs, and what those are about


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
    # One value has no order, and of [small, 2] nobody knows which one is more.
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
    # `order_id` is one by its name; a `number` only if it is described as what identifies
    # something.
    return has_word(output.name, listed.surely_id) or has_word(
        output.description, listed.identified
    )


def echoes(output: OutputSpec, variables: Sequence[Variable]) -> Variable | None:
    """The input that an output confirms, as `confirmed_service` does `service`, if there is one."""
    words = words_of(output.name)
    named = words - proposal_words().confirming
    # `service` confirms nothing by its name, and `confirmed` alone does not say what.
    if named in (words, frozenset()) or output.type != "str":
        return None
    variable = next((variable for variable in variables if words_of(variable.name) == named), None)
    if variable is None or is_list(variable) or not _is_short(variable.domain):
        return None
    return variable


def _is_short(values: Sequence[JsonValue]) -> bool:
    # "thin crust" is repeated as it is; a sentence of the user's is put in other words.
    return all(isinstance(value, str) and len(value.split()) <= 3 for value in values)


# --- Proposals


# What each output must be like by itself, by its type and name.

_BY_TYPE: dict[str, tuple[str, str, str, bool]] = {
    "int": ("is_not_negative", "extract_float({0}) >= 0", "A count is not below zero.", True),
    "float": ("is_not_negative", "extract_float({0}) >= 0", "Few quantities are negative.", False),
    "date": (
        "is_not_past",
        "{0} >= started_on",
        "What is arranged lies ahead: not before the day of the conversation.",
        True,
    ),
    "email": ("is_an_address", "'@' in {0}", "An e-mail address has an @.", True),
    "url": ("is_an_address", "'.' in {0} and not ' ' in {0}", "An address has no blanks.", True),
    "phone": (
        "has_digits",
        "sum(1 for one in {0} if one.isdigit()) >= 5",
        "A phone number has at least five digits.",
        True,
    ),
}


def ranges(names: ProfileNames) -> Iterator[Proposal]:
    """Propose what the outputs of one profile must be like."""
    outputs = names.profile.outputs
    if outputs:
        yield nothing_missing(names)
    for output in outputs:
        if is_price(output):
            yield _check_proposal(
                names, output, "is_positive", "extract_float({0}) > 0", _FREE, True
            )
        # The number of an order may be any number.
        elif output.type in _BY_TYPE and not is_id(output):
            yield _check_proposal(names, output, *_BY_TYPE[output.type])
        if variable := echoes(output, names.profile.variables):
            asked_for = f"str(single({names.input(variable)})).lower()"
            why = f"What is confirmed is what was asked for: `{variable.name}`."
            yield _check_proposal(
                names, output, "is_what_was_asked", f"{asked_for} in {{0}}.lower()", why, True
            )
    yield from _opening_hours(names, outputs)


_FREE = "Nothing is free, and nobody is paid for buying."


def nothing_missing(names: ProfileNames) -> Proposal:
    """All outputs have values once the goals are reached."""
    return Proposal(
        f"{names.label}_nothing_missing",
        "Where nothing goes wrong, everything is learnt that there is to learn",
        "Missing outputs: no goal is left and nothing went wrong, but the chatbot has not said it, "
        "or not so that it was understood. Leave out what need not be said: "
        "all(name in ['...'] for name in missing_slots()).",
        {
            "when": f"{names.of()} and errors == []",
            "oracle": "missing_slots() == []",
            "yields": "f'not told are {missing_slots()}'",
        },
    )


def _check_proposal(
    names: ProfileNames, output: OutputSpec, what: str, oracle: str, why: str, active: bool
) -> Proposal:
    name = output_name(output)
    filters = f"{names.of()} and {name} is not None"
    if output.type == "date":
        # A date that could not be read is left as text, which cannot be compared with a day.
        filters += f" and not isinstance({name}, str)"
    return Proposal(
        f"{names.label}_{plain_name(output.name)}_{what}",
        f"The {output.name} {what.replace('_', ' ')}",
        why,
        {
            "when": filters,
            "oracle": oracle.format(name),
            "yields": f"f'{plain_name(output.name)} is {{{name}}}'",
        },
        active,
    )


def _opening_hours(names: ProfileNames, outputs: Sequence[OutputSpec]) -> Iterator[Proposal]:
    times = [output for output in outputs if output.type == "time"]
    words = proposal_words()
    opening = [time for time in times if has_word(time.name, words.opening)]
    closing = [time for time in times if has_word(time.name, words.closing)]
    for first, last in zip(opening, closing, strict=False):
        early, late = output_name(first), output_name(last)
        yield Proposal(
            f"{names.label}_{plain_name(first.name)}_before_{plain_name(last.name)}",
            "What opens closes later",
            "Opening comes before closing. Bars and pharmacies may close after midnight: then "
            "leave it out.",
            {
                "when": f"{names.of()} and {early} is not None and {late} is not None",
                "oracle": f"minutes_of({early}) < minutes_of({late})",
                "yields": f"f'it opens at {{{early}}} and closes at {{{late}}}'",
            },
        )


# Metamorphic relations between inputs and outputs: what changes in one must do to the other.

A, B = "conv[0].", "conv[1]."


def relations(names: ProfileNames) -> Iterator[Proposal]:
    """The relations that one profile suggests."""
    profile = names.profile
    if not profile.variables:
        return
    for output in profile.outputs:
        if is_id(output):
            continue
        yield same_again(names, output)
        for variable in profile.variables:
            if is_list(variable):
                yield any_order(names, variable, output)
            # The name of the customer changes nothing that is told; the day may change the hours,
            # but not the price.
            elif is_personal(variable) or (is_when(variable) and is_price(output)):
                yield independent(names, variable, output)
            if output.type in NUMBERS:
                yield from growing(names, variable, output)


def same_again(names: ProfileNames, output: OutputSpec) -> Proposal:
    """Equal inputs, equal outputs."""
    sure = is_price(output)
    doubt = "" if sure else " It is off, since such an output may well differ from day to day."
    return Proposal(
        f"{names.label}_same_inputs_same_{plain_name(output.name)}",
        f"Whoever asks for the same is told the same {output.name}",
        "Equal inputs, equal outputs: a conversation that is repeated, with other words perhaps, "
        f"must not change what comes of it.{doubt}",
        {
            "conversations": "all",
            "when": names.of(),
            "group_by": "inputs",
            "oracle": f"same({output_name(output)!r})",
        },
        sure,
    )


def any_order(names: ProfileNames, variable: Variable, output: OutputSpec) -> Proposal:
    """The items of a list in another order."""
    return Proposal(
        f"{names.label}_{plain_name(output.name)}_whatever_order_of_{plain_name(variable.name)}",
        f"The order in which {variable.name} are named does not change the {output.name}",
        f"Permutation: `{variable.name}` takes several values, which mean the same in any order.",
        {
            "conversations": "all",
            "when": names.of(),
            "group_by": [f"without(inputs, {variable.name!r})", f"sorted({names.input(variable)})"],
            "oracle": f"same({output_name(output)!r})",
        },
        is_price(output),
    )


def independent(names: ProfileNames, variable: Variable, output: OutputSpec) -> Proposal:
    """An input that must not matter."""
    # A price that depends on the customer's name is a fault; on the day, it may be none.
    sure = is_personal(variable) and is_price(output)
    doubt = "" if sure else " It is off: switch it on if that is so in your case."
    return Proposal(
        f"{names.label}_{plain_name(output.name)}_independent_of_{plain_name(variable.name)}",
        f"The {output.name} does not depend on {variable.name}",
        f"Independence: who differs in `{variable.name}` only gets the same.{doubt}",
        {
            "conversations": "all",
            "when": names.of(),
            "group_by": f"without(inputs, {variable.name!r})",
            "oracle": f"same({output_name(output)!r})",
        },
        sure,
    )


def growing(names: ProfileNames, variable: Variable, output: OutputSpec) -> Iterator[Proposal]:
    """More of something never makes a number smaller."""
    larger, smaller = names.input(variable, A), names.input(variable, B)
    parameters: dict[str, object] = {}
    if is_list(variable):
        more = f"set({smaller}).issubset({larger}) and len({larger}) > len({smaller})"
    elif is_number(variable):
        more = f"single({larger}) > single({smaller})"
    elif order := order_of(variable):
        more = f"order.index(single({larger})) > order.index(single({smaller}))"
        parameters = {"parameters": {"order": order}}
    else:
        return
    # More items cost no less, but it need not grow with just any number, such as a floor.
    sure = is_price(output) and (not is_number(variable) or is_quantity(variable))
    first, second = output_name(output, A), output_name(output, B)
    doubt = "" if sure else " It is off, since it may well be otherwise."
    yield Proposal(
        f"{names.label}_{plain_name(output.name)}_grows_with_{plain_name(variable.name)}",
        f"More {variable.name}, all else equal, is no smaller {output.name}",
        f"Monotony: of two that differ in `{variable.name}` only, more of it makes `{output.name}` "
        f"no smaller. Write > for >= where it must grow.{doubt}",
        {
            "conversations": 2,
            **parameters,
            "when": (
                f"{names.of(A)} and {names.of(B)} and without({_inputs(A)}, {variable.name!r}) "
                f"== without({_inputs(B)}, {variable.name!r})"
            ),
            "if": f"{more} and {first} is not None and {second} is not None",
            "then": f"extract_float({first}) >= extract_float({second})",
            "yields": f"f'{{{larger}}} gives {{{first}}}, {{{smaller}}} gives {{{second}}}'",
        },
        sure,
    )


def _inputs(place: str) -> str:
    return named("inputs", place, "")


def propose(paths: Sequence[Path]) -> list[RuleDraft]:
    """The rules that some profiles suggest; raises ConfigurationError for bad profiles."""
    profiles = read_profiles(paths, base_dir=Path.cwd(), seed=0, keep_unresolved=True)
    drafts = [draft for profile in profiles if (draft := _draft_of(profile)) is not None]
    common = list(_common(profiles))
    if common:
        drafts.append(_draft("all_profiles", "all profiles", common))
    if not drafts:
        raise ConfigurationError("these profiles have no outputs that rules could be about")
    return drafts


def _draft_of(profile: Profile) -> RuleDraft | None:
    names = ProfileNames(profile)
    proposals = [*ranges(names), *relations(names)]
    return _draft(profile.name, f"the profile {profile.name}", proposals) if proposals else None


def _draft(name: str, about: str, proposals: Sequence[Proposal]) -> RuleDraft:
    return RuleDraft(
        name=name,
        about=about,
        rules=tuple(proposal.text() for proposal in proposals),
        doubtful=sum(not proposal.active for proposal in proposals),
    )


def _common(profiles: Sequence[Profile]) -> Iterator[Proposal]:
    """Rules over the conversations of all profiles."""
    outputs = {output.name: output for profile in profiles for output in profile.outputs}
    for output in outputs.values():
        if is_id(output):
            yield Proposal(
                f"unique_{plain_name(output.name)}",
                f"No two conversations are given the same {output.name}",
                "Uniqueness: it tells one order or booking from all others.",
                {"conversations": "all", "oracle": f"is_unique({output.name!r})"},
            )
        # A number without a currency, such as 12.5, has none to compare.
        if is_price(output) and output.type == "money":
            name = output_name(output)
            yield Proposal(
                f"one_currency_of_{plain_name(output.name)}",
                f"Every {output.name} is in the same currency",
                "Prices of one shop can be compared, in whatever words they were asked for.",
                {"conversations": "all", "oracle": f"same({f'currency({name})'!r})"},
            )
    yield Proposal(
        "answers_in_the_users_language",
        "Every answer is in the language of the message before it",
        "Translation: the same wish in another language gets its answer in that language. It is "
        "off, since it asks a model, or lingua where the suite says so in `functions`. The "
        "library `general` has it, too.",
        {"oracle": "responds_in_same_language()"},
        active=False,
    )
