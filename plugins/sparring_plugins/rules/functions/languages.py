"""Which language is spoken: `language` and `responds_in_same_language`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sparring.interfaces.rule_function import Explained, rule_function
from sparring.model.talk import Trace
from sparring_plugins.rules.functions.explanations import ExplainedByTexts, counted, short
from sparring_plugins.rules.functions.lengths import texts_of
from sparring_plugins.rules.functions.model_questions import (
    Ask,
    Message,
    answer,
    as_data,
    clipped,
    each,
    messages,
    one_of,
    parts,
    reasoned,
)

LANGUAGES = {
    "en": "ENG",
    "es": "ESP",
    "fr": "FR",
    "de": "GER",
    "it": "IT",
    "pt": "POR",
    "zh": "CHI",
    "ja": "JAP",
}
"""SENSEI's codes by those of ISO 639-1."""

OTHER = "OTHER"
SERVER_ERROR = "Error: The server"
"""How connectors of SENSEI's begin an answer that the chatbot never gave, always in English."""

_MOST_SHOWN = 3


@rule_function(model=True)
def language(ask: Ask, text: str | Sequence[str]) -> ExplainedByTexts:
    """The language of a text or of several: ENG ESP FR GER IT POR CHI JAP or OTHER."""
    texts = texts_of(text)
    schema = reasoned("language", language=one_of(*LANGUAGES.values(), OTHER))
    given = answer(ask, "language", schema, text=clipped("\n".join(texts)))
    return ExplainedByTexts(given["language"], given["reason"], texts=tuple(texts))


@rule_function(conversation=True, model=True)
def responds_in_same_language(trace: Trace, ask: Ask) -> Explained:
    """Whether the chatbot always answers in the user's language.

    The language of every message is asked in one question. Answers that only report an error of
    the server are left out; where one message is left, nothing is asked and the answer is yes.
    """
    said = spoken(trace)
    if len(said) <= 1:
        return Explained(True, "there is nothing to compare")
    item = {"type": "string", "pattern": "^(none|[a-z]{2,3}(-[A-Za-z0-9]{2,8})?)$"}
    codes: dict[int, str | None] = {}
    for part in parts(said):
        schema = each("languages", [one.number for one in part], item)
        given = answer(ask, "languages", schema, messages=as_data(part))["answers"]
        codes |= {int(number): _code(str(code)) for number, code in given.items()}
    compared = compare(said, codes)
    return Explained(not compared.others, compared.reason(), compared.turns)


def spoken(trace: Trace) -> list[Message]:
    """What was said, without answers that only report an error of the server."""
    return [
        one
        for one in messages(trace)
        if one.speaker == "User" or not one.text.startswith(SERVER_ERROR)
    ]


@dataclass(frozen=True, slots=True)
class Comparison:
    """The languages of answers beside those of the user's last words before them.

    `same` are answers in the user's language, `others` those in another one: the answer, its
    language, and the user's.
    """

    same: tuple[Message, ...]
    others: tuple[tuple[Message, str, str], ...]

    @property
    def turns(self) -> tuple[int, ...]:
        """The turns of the answers in another language."""
        return tuple(dict.fromkeys(one.turn for one, _, _ in self.others))

    def reason(self) -> str:
        """What was found, in words."""
        if not self.others:
            return f"{counted(len(self.same), 'answer')} in the user's language, none in another"
        shown = [
            f"{short(one.text, 60)} is in {code!r} and the user speaks {spoken!r}"
            for one, code, spoken in self.others[:_MOST_SHOWN]
        ]
        return "; ".join(shown)


def compare(
    said: Sequence[Message], codes: Mapping[int, str | None], *, unknown_hides: bool = False
) -> Comparison:
    """Compare answers with the user's last message before them that has a language.

    Messages without a language, and answers before the user has spoken, are passed over. With
    `unknown_hides` the language of a message may be unknown rather than none, so that nothing
    is known of what the user speaks after it.
    """
    same: list[Message] = []
    others: list[tuple[Message, str, str]] = []
    user: str | None = None
    for one in said:
        code = codes.get(one.number)
        if one.speaker == "User":
            user = code if unknown_hides else code or user
        elif code is not None and user is not None:
            if code == user:
                same.append(one)
            else:
                others.append((one, code, user))
    return Comparison(tuple(same), tuple(others))


def _code(given: str) -> str | None:
    """A language without its region; Norwegian's two written forms are one."""
    code = given.lower().partition("-")[0]
    return None if code == "none" else {"nb": "no", "nn": "no"}.get(code, code)
