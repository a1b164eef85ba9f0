"""What each output must be like by itself, by its type and name."""

from collections.abc import Iterator, Sequence

from sparring.interfaces.roles import OutputSpec
from sparring_plugins.rules.proposals.draft import (
    Proposal,
    Talk,
    output_name,
    plain_name,
    words_of,
)
from sparring_plugins.rules.proposals.value_kinds import echoes, is_id, is_price

_OPENING = frozenset({"open", "opens", "opening", "start", "starts", "from", "apertura"})
_CLOSING = frozenset({"close", "closes", "closing", "end", "ends", "until", "cierre"})

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


def ranges(talk: Talk) -> Iterator[Proposal]:
    """What the outputs of one profile must be like."""
    outputs = talk.profile.outputs
    if outputs:
        yield nothing_missing(talk)
    for output in outputs:
        if is_price(output):
            yield _checked(talk, output, "is_positive", "extract_float({0}) > 0", _FREE, True)
        elif output.type in _BY_TYPE and not is_id(output):
            yield _checked(talk, output, *_BY_TYPE[output.type])
        if variable := echoes(output, talk.profile.variables):
            wanted = f"str(single({talk.input(variable)})).lower()"
            why = f"What is confirmed is what was asked for: `{variable.name}`."
            yield _checked(
                talk, output, "is_what_was_asked", f"{wanted} in {{0}}.lower()", why, True
            )
    yield from _opening_hours(talk, outputs)


_FREE = "Nothing is free, and nobody is paid for buying."


def nothing_missing(talk: Talk) -> Proposal:
    """All outputs have values once the goals are reached."""
    return Proposal(
        f"{talk.label}_nothing_missing",
        "Where nothing goes wrong, everything is learnt that there is to learn",
        "Missing outputs: no goal is left and nothing went wrong, but the chatbot has not said it, "
        "or not so that it was understood. Leave out what need not be said: "
        "all(name in ['...'] for name in missing_slots()).",
        {
            "when": f"{talk.of()} and errors == []",
            "oracle": "missing_slots() == []",
            "yields": "f'not told are {missing_slots()}'",
        },
    )


def _checked(
    talk: Talk, output: OutputSpec, what: str, oracle: str, why: str, active: bool
) -> Proposal:
    name = output_name(output)
    filters = f"{talk.of()} and {name} is not None"
    if output.type == "date":
        filters += f" and not isinstance({name}, str)"
    return Proposal(
        f"{talk.label}_{plain_name(output.name)}_{what}",
        f"The {output.name} {what.replace('_', ' ')}",
        why,
        {
            "when": filters,
            "oracle": oracle.format(name),
            "yields": f"f'{_braced(output.name)} is {{{name}}}'",
        },
        active,
    )


def _opening_hours(talk: Talk, outputs: Sequence[OutputSpec]) -> Iterator[Proposal]:
    times = [output for output in outputs if output.type == "time"]
    opening = [one for one in times if words_of(one.name) & _OPENING]
    closing = [one for one in times if words_of(one.name) & _CLOSING]
    for first, last in zip(opening, closing, strict=False):
        early, late = output_name(first), output_name(last)
        yield Proposal(
            f"{talk.label}_{plain_name(first.name)}_before_{plain_name(last.name)}",
            "What opens closes later",
            "Opening comes before closing. Bars and pharmacies may close after midnight: then "
            "leave it out.",
            {
                "when": f"{talk.of()} and {early} is not None and {late} is not None",
                "oracle": f"minutes_of({early}) < minutes_of({late})",
                "yields": f"f'it opens at {{{early}}} and closes at {{{late}}}'",
            },
        )


def _braced(text: str) -> str:
    """A name inside of an f-string in single quotes."""
    return plain_name(text)
