"""What is talked about, and when: `only_talks_about` and `utterance_index`."""

import re
from collections.abc import Sequence
from typing import Literal

from sparring.interfaces.rule_function import rule_function
from sparring.model.talk import Trace
from sparring_plugins.functions.asking import (
    Ask,
    as_data,
    messages,
    question,
    quoted,
    unclear,
    words,
)
from sparring_plugins.functions.lengths import texts_of

SPEAKERS = {"user": "User", "assistant": "Assistant", "chatbot": "Assistant"}


@rule_function(conversation=True, model=True)
def only_talks_about(
    trace: Trace, ask: Ask, topics: str | Sequence[str], fallback: str | None = None
) -> Literal[True] | str:
    """True where the chatbot keeps to the topics; else a text that names its stray answers.

    `fallback` is a phrase that it may always use when it does not understand.
    """
    said = messages(trace)
    allowed = f" It may always use phrases like {quoted(fallback)}." if fallback else ""
    listed = ", ".join(quoted(topic) for topic in texts_of(topics))
    reply = ask(question("only_talks_about", as_data(said), topics=listed, fallback=allowed))
    if words(reply)[:1] == ["true"]:
        return True
    strays = [n for n in _numbers(reply.text) if 1 <= n <= len(said)]
    answers = [said[n - 1][1] for n in strays if said[n - 1][0] == "Assistant"]
    if not answers:
        raise unclear(reply, "TRUE or the numbers of answers")
    return "answers outside the topics: " + "; ".join(_short(text) for text in answers[:5])


@rule_function(conversation=True, model=True)
def utterance_index(trace: Trace, ask: Ask, who: str, what: str) -> int:
    """The number, from 1, of the message in which `who` first talks about `what`; -1 for none.

    `who` is ``user`` or ``assistant`` (also spelled ``chatbot``); messages of both count.
    """
    speaker = SPEAKERS.get(who.lower())
    if speaker is None:
        raise ValueError(f"utterance_index() knows user and assistant, not {who!r}")
    said = messages(trace)
    reply = ask(question("utterance_index", as_data(said), who=speaker, what=quoted(what)))
    numbers = _numbers(reply.text)
    if numbers in ([], [-1], [0]) and (numbers or {"none", "never"} & set(words(reply))):
        return -1
    if len(numbers) != 1 or not 1 <= numbers[0] <= len(said):
        raise unclear(reply, f"a number from 1 to {len(said)}, or NONE")
    return numbers[0]


def _numbers(text: str) -> list[int]:
    return [int(found) for found in re.findall(r"(?<!\w)-?\d{1,6}(?!\w)", text)]


def _short(text: str) -> str:
    line = " ".join(text.split())
    return repr(line if len(line) <= 80 else line[:77] + "...")
