"""The code that an app asks for, where the profile has one: ZX40071523 for "Tracking number?".

A profile names its codes in few words ("parcel ZX40071523, M14 6QT") or none ("it is about
ZX40071523"), and seldom in those of the app.
"""

import re
from collections.abc import Iterator, Sequence

from sparring_plugins.language.text import folded, sentences
from sparring_plugins.users.agenda.profile.asked_kinds import asked_kinds
from sparring_plugins.users.agenda.profile.facts import names_in
from sparring_plugins.users.agenda.profile.formats import shape_fit
from sparring_plugins.users.agenda.state.dialogue_state import DialogueState
from sparring_plugins.users.agenda.state.open_form import OpenForm

_CODE = re.compile(
    r"(?<![\w@./:+-])([A-Z]{1,5}-?\d{3,12}(?:-?[A-Z0-9]{1,4})?|\d{6,12})(?![\w@:]|[./-]\w)"
)
"""A code by its looks: ZX40071523, KX-4471, 40018832; no postcode, price, date or address."""
_BARE_NUMBER = re.compile(
    r"\b\w+ (?:number|no|nummer|nr|id|reference|ref)\b|\bnumber (?:on|of) (?:the|your)\b"
    r"|\b(?:numero|num) (?:de|del|di|do|da|d)\b|\w+nummer\b"
)
"""What asks for the number of a thing, folded: "tracking number", "the number on the label"."""

_BEARER = re.compile(r"\bnumber on (?:the|your) (\w+)")
"""What bears the number that is asked for: "the number on the label"."""


def code_asked(state: DialogueState, form: OpenForm) -> str | None:
    """Return the only code of the profile that a question can mean, or None."""
    kinds = asked_kinds(form.question.words)
    if kinds - {"code", "id"} or not (kinds or _BARE_NUMBER.search(form.question.words)):
        return None
    shown = f"{form.question.text} {form.hint} {form.reply.text}"
    fits = {code: shape_fit(code, shown) for code, _ in _codes_of(state)}
    fitting = [code for code, fit in fits.items() if fit > 0]
    if not fitting:
        fitting = [code for code in _codes_of_thing(state, form, shown) if fits[code] == 0]
    return fitting[0] if len(fitting) == 1 else None


def _codes_of_thing(state: DialogueState, form: OpenForm, shown: str) -> Sequence[str]:
    """The codes that may be those of the thing that is asked for, each once."""
    asked = _things_asked(form, shown)
    services = names_in("\n".join(goal.words for goal in state.goals if not goal.asks))
    of_service = asked <= services
    codes = (code for code, label in _codes_of(state) if of_service or not label or asked & label)
    return list(dict.fromkeys(codes))


def _things_asked(form: OpenForm, shown: str) -> frozenset[str]:
    """The names of the thing whose code is asked for: the parcel of "Your parcel number"."""
    bearer = _BEARER.search(form.question.words)
    besides = f"code number {bearer[1] if bearer is not None else ''} {_shape_words(shown)}"
    return names_in(form.question.text) - names_in(besides)


def _codes_of(state: DialogueState) -> Iterator[tuple[str, frozenset[str]]]:
    """The codes of the context and the goals, each with the names of what stands around it."""
    texts = (*state.task.context, *(goal.words for goal in state.goals))
    for text in texts:
        for sentence in sentences(text):
            for part in re.split(r"[,;]\s", sentence):
                for match in _CODE.finditer(part):
                    if not asked_kinds(folded(part)) & {"phone", "money", "date"}:
                        yield match[1], names_in(part.replace(match[1], " ")) - names_in("code")


def _shape_words(text: str) -> str:
    """The words of a question that only say how the code looks: "ZX followed by eight digits"."""
    return " ".join(re.findall(r"[:(].*", text))
