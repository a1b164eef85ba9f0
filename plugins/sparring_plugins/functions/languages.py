"""Which language is spoken: `language` and `responds_in_same_language`."""

from collections.abc import Sequence

from sparring.interfaces.rule_function import rule_function
from sparring.model.talk import Trace
from sparring_plugins.functions.asking import (
    Ask,
    as_data,
    clipped,
    messages,
    question,
    unclear,
    words,
    yes_or_no,
)
from sparring_plugins.functions.lengths import texts_of

LANGUAGES = {
    "ENG": "english",
    "ESP": "spanish",
    "FR": "french",
    "GER": "german",
    "IT": "italian",
    "POR": "portuguese",
    "CHI": "chinese",
    "JAP": "japanese",
    "OTHER": "other",
}
SERVER_ERROR = "Error: The server"
"""How connectors of SENSEI's begin an answer that the chatbot never gave, always in English."""


@rule_function(model=True)
def language(ask: Ask, text: str | Sequence[str]) -> str:
    """The language of a text or of several: ENG ESP FR GER IT POR CHI JAP or OTHER."""
    data = {"text": clipped("\n".join(texts_of(text)))}
    reply = ask(question("language", data))
    said = set(words(reply))
    found = [code for code, name in LANGUAGES.items() if code.lower() in said or name in said]
    if len(found) != 1:
        raise unclear(reply, ", ".join(LANGUAGES))
    return found[0]


@rule_function(conversation=True, model=True)
def responds_in_same_language(trace: Trace, ask: Ask) -> bool:
    """Whether the chatbot always answers in the user's language.

    Answers that only report an error of the server are left out; where one message is left,
    nothing is asked and the answer is yes.
    """
    said = [one for one in messages(trace) if not _is_error(*one)]
    if len(said) <= 1:
        return True
    return yes_or_no(ask(question("responds_in_same_language", as_data(said))))


def _is_error(speaker: str, text: str) -> bool:
    return speaker == "Assistant" and text.startswith(SERVER_ERROR)
