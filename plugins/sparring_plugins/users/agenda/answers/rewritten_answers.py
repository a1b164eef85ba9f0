"""The last answer once more, in the form in which an app wants it: "07700900412" for "no spaces".

An app that turns an answer down for its form wants the same answer again, and no other one: after
"07700 900412" and "Please write it without spaces" no other number of the profile is tried.
"""

import re
from functools import lru_cache

from pydantic import BaseModel, ConfigDict

from sparring.model.talk import meant_by
from sparring_plugins.language.text import contains, folded
from sparring_plugins.language.yaml_files import bundled_yaml
from sparring_plugins.users.agenda.profile.asked_kinds import asked_kinds
from sparring_plugins.users.agenda.profile.formats import any_day_of, shape_of
from sparring_plugins.users.agenda.replies.app_reply import AppReply
from sparring_plugins.users.agenda.state.dialogue_state import Answer, DialogueState

_MOST_WORDS = 7
"""Words of an answer that is a datum; "We need three chairs on the 3rd of May" is none."""


class AnswerForms(BaseModel):
    """The word lists of forms that apps ask for: see the comments of `rewritten_answers.yaml`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    rejections: tuple[str, ...]
    no_blanks: tuple[str, ...]
    digits_alone: tuple[str, ...]
    international: tuple[str, ...]
    capitals: tuple[str, ...]


@lru_cache(maxsize=1)
def _forms() -> AnswerForms:
    data = bundled_yaml("sparring_plugins.users.agenda.answers", "rewritten_answers.yaml")
    return AnswerForms.model_validate(data)


def rewritten_answer(state: DialogueState) -> Answer | None:
    """Return the last answer in the form that the last reply asks for; None if it asks for none."""
    reply = state.memory.last
    last = meant_by(state.task.turns[-1].act).strip() if state.task.turns else ""
    if reply is None or not _is_datum(last) or reply.choices or not _turns_down(state, reply):
        return None
    text = as_demanded(last, reply.text, state.task.language)
    if text == last or not text or folded(text) in state.memory.acts:
        return None
    return Answer(text, "writes it as it is asked for", exact=True)


def _is_datum(text: str) -> bool:
    return any(map(str.isdigit, text)) and len(text.split()) <= _MOST_WORDS


def _turns_down(state: DialogueState, reply: AppReply) -> bool:
    """Whether a reply says that the answer was not accepted, and asks for nothing else."""
    # "Thanks. Your order number? Digits only, no letters." turns nothing down
    stated = folded("\n".join(reply.statements))
    rejected = reply.fallback or any(contains(stated, word) for word in _forms().rejections)
    asked = _kinds_asked(reply) - _OF_FORMS
    before = state.memory.replies[-2:-1]
    other = asked - frozenset[str]().union(*map(_kinds_asked, before))
    return rejected and not other and not reply.done


def _kinds_asked(reply: AppReply) -> frozenset[str]:
    return frozenset(kind for q in reply.questions for kind in asked_kinds(q.words))


_OF_FORMS = frozenset({"number", "digits", "code", "id", "date", "time", "money"})
"""Kinds that the form of an answer names as well."""


def as_demanded(text: str, demand: str, language: str) -> str:
    """Return an answer in the form that an app demands; as it is if the form is unknown.

    Args:
        text: The answer: "0442 118220", "1 October".
        demand: What the app says of its form: "without blanks", "e.g. 24/12".
        language: The language of the conversation, in which days are written.
    """
    words, forms = folded(demand), _forms()
    short_day = _as_short_day(text, demand, language)
    if short_day is not None:
        return short_day
    if any(contains(words, form) for form in forms.international):
        return _with_country(text, demand)
    by_example = _in_groups(text, demand)
    if by_example is not None:
        return by_example
    if any(contains(words, form) for form in forms.digits_alone):
        text = _digits_of(text)
    elif any(contains(words, form) for form in forms.no_blanks):
        text = re.sub(r"\s+", "", text)
    if any(contains(words, form) for form in forms.capitals):
        text = text.upper()
    return text


_COUNTRY = re.compile(r"\+[1-9]\d{0,2}(?!\d)|\b00[1-9]\d(?!\d)")
"""The code of a country that an app names: "with +33 before it"."""


def _with_country(text: str, demand: str) -> str:
    """A phone number with the code of its country, if the app names that."""
    country = _COUNTRY.search(demand)
    if country is None or text.startswith(("+", "00")):
        return re.sub(r"^00", "+", text)
    return f"{country[0]} {text.lstrip('0 ')}"


def _digits_of(text: str) -> str:
    """The digits of an amount or a number: 1350 of "£1,350", 12.50 of "12.50 EUR"."""
    amount = re.search(r"\d[\d.,' /-]*", text)
    if amount is None:
        return text
    bare = re.sub(r"[,'. ](?=\d{3}(?!\d))", "", amount[0].strip(" .,"))
    return bare if re.fullmatch(r"\d+[.,]\d{1,2}", bare) else re.sub(r"\D", "", text)


_SHORT_DAY = re.compile(r"(?<![\d./-])(\d{1,2})([./-])(\d{1,2})(\.?)(?![\d/-]|\.\d)")
"""A day without its year as an example: "e.g. 24/12"."""
_LAST_MONTH = 12


def _as_short_day(text: str, demand: str, language: str) -> str | None:
    """A day in digits, in the order of the app's example; None without such an example."""
    example = _SHORT_DAY.search(demand)
    day = any_day_of(text, language) if example is not None else None
    if example is None or day is None:
        return None
    month_first = int(example[3]) > _LAST_MONTH
    first, second = (day.month, day.day) if month_first else (day.day, day.month)
    end = example[4] if example[2] == "." else ""
    return f"{first:02}{example[2]}{second:02}{end}"


_EXAMPLE = re.compile(r"(?<![\w-])(?=[\w-]*\d)[A-Z0-9]{1,8}(?:[ -][A-Z0-9]{1,8}){0,5}(?![\w-])")


def _in_groups(text: str, demand: str) -> str | None:
    """A code in groups as the app's example has them: "KX-44718" for "like AB-12345"; or None."""
    bare = re.sub(r"[\s./-]", "", text)
    for example in _EXAMPLE.finditer(demand):
        if shape_of(re.sub(r"[\s./-]", "", example[0])) != shape_of(bare) or example[0] == text:
            continue
        signs = iter(bare)
        return "".join(next(signs) if char.isalnum() else char for char in example[0])
    return None
