"""What a read-back has otherwise than the profile, though the user was never asked for it.

An app may take a town, a tariff or a discount from somewhere else: "18 Mill Street, Derby" for the
user's home in Leeds, or "Saver 50" for its "Saver 25". Only two values that stand in the same place
count: the number behind the same word, the town behind the same street.
"""

import re
from collections.abc import Iterator

from sparring_plugins.language.candidates import date_spans
from sparring_plugins.language.text import contains, folded
from sparring_plugins.users.agenda.answers.corrections import Correction
from sparring_plugins.users.agenda.profile.facts import facts_of
from sparring_plugins.users.agenda.state.dialogue_state import DialogueState

_NUMBERED = re.compile(
    r"(?<![\w.])(?P<word>[A-ZÀ-ÖØ-Þ][\w-]{3,}) (?P<number>\d{1,4})(?![\w.,:/-]*\d)"
)
"""A name with its number: "Saver 25"."""
_TOWN = re.compile(
    r"^(?:,? (?:in|at|bei|à|a|en|em)|,)? "
    r"(?P<town>[A-ZÀ-ÖØ-Þ][^\W\d_]+(?:[ -][A-ZÀ-ÖØ-Þ][^\W\d_]+){0,2})"
)
"""The town that stands behind a street."""


def unsaid_particulars(state: DialogueState, stated: str) -> list[Correction]:
    """Return what a read-back has otherwise than the profile, in the same place.

    Args:
        state: The conversation.
        stated: What the last reply states.
    """
    profile = (*(goal.words for goal in state.goals), *state.task.context)
    wrong = [*_other_numbers(stated, "\n".join(profile)), *_other_towns(stated, state)]
    return list({correction.wrong: correction for correction in wrong}.values())


def _other_numbers(stated: str, profile: str) -> Iterator[Correction]:
    """Names that have another number: "Saver 50" for "Saver 25"; several of one name are left."""
    profile, stated = _without_days(profile), _without_days(stated)
    own = {(folded(m["word"]), m["number"]) for m in _NUMBERED.finditer(profile)}
    said = {(folded(m["word"]), m["number"]) for m in _NUMBERED.finditer(stated)}
    for match in _NUMBERED.finditer(profile):
        word = folded(match["word"])
        others = {number for name, number in said if name == word}
        alone = sum(name == word for name, _ in own) == 1
        if alone and others and match["number"] not in others:
            yield Correction(match[0], match[0])


def _without_days(text: str) -> str:
    for span in sorted(date_spans(text), key=lambda span: -span.start):
        text = f"{text[: span.start]} . {text[span.start + len(span.text) :]}"
    return text


def _other_towns(stated: str, state: DialogueState) -> Iterator[Correction]:
    """The town of an address that a read-back puts elsewhere."""
    known = folded("\n".join((*state.task.context, *(goal.words for goal in state.goals))))
    facts = facts_of(state.task.context)
    for address in (fact for fact in facts if "address" in fact.kinds):
        town = next((f for f in facts if "city" in f.kinds and f.clause == address.clause), None)
        street = address.text.partition(",")[0]
        if town is not None:
            street = re.sub(rf"\W+(?:\w{{1,3}}\W+)?{re.escape(town.text)}$", "", street)
        # "flat 31, Thursday" puts no flat 31 of "Linden Court, flat 31" into another town
        at = stated.find(street) if len(street.split()) > 1 else -1
        behind = _TOWN.match(stated[at + len(street) :]) if at >= 0 and town is not None else None
        if town is not None and behind is not None and not contains(known, folded(behind["town"])):
            yield Correction(town.text, f"{street}, {town.text}")
