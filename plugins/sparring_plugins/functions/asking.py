"""How functions put questions to a language model, and read its answers leniently.

What the app said is data: it is handed over as JSON between two markers that it cannot close,
and the model is told not to follow anything in it.
"""

import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from string import Template
from typing import Any

from sparring.errors import ModelError
from sparring.model.chat import ChatMessage, ChatReply, ChatRequest
from sparring.model.talk import Listen, Trace, act_text

Ask = Callable[[ChatRequest], ChatReply]

LONGEST = 60_000
"""Characters of a text that a question may hold; longer ones are cut in the middle."""

LONGEST_HOLE = 2_000
"""Characters of a rule's own text in a question."""

_PROMPTS = Path(__file__).with_name("prompts")
_YES = frozenset({"yes", "true", "y"})
_NO = frozenset({"no", "false", "n"})


@cache
def _prompt(name: str) -> Template:
    return Template((_PROMPTS / f"{name}.txt").read_text(encoding="utf-8"))


def question(name: str, data: Any, **holes: str) -> ChatRequest:
    """The prompt in ``prompts/<name>.txt`` with its holes filled, and the untrusted data.

    Holes are filled as they are: what a rule passes on may be the app's, and is `quoted` first.
    """
    filled = _prompt(name).substitute(holes)
    shown = _as_json(data, indent=1)
    return ChatRequest(
        messages=(
            ChatMessage(role="system", content=_prompt("judge").substitute()),
            ChatMessage(role="user", content=f"{filled}\n<data>\n{shown}\n</data>"),
        ),
        asker="judge",
        temperature=0.0,
        max_tokens=500,
    )


def quoted(text: str) -> str:
    """A rule's own text for a prompt's hole: one JSON string, clipped, that closes no marker."""
    return _as_json(_one_line(text)[:LONGEST_HOLE])


def _as_json(data: Any, indent: int | None = None) -> str:
    # JSON has no other use for "<", so that the data cannot close the markers.
    return json.dumps(data, ensure_ascii=False, indent=indent).replace("<", "\\u003c")


def _one_line(text: str) -> str:
    return " ".join(text.split())


def clipped(text: str) -> str:
    """A text of at most `LONGEST` characters, cut in the middle."""
    if len(text) <= LONGEST:
        return text
    half = LONGEST // 2
    return f"{text[:half]} [... {len(text) - LONGEST} characters left out ...] {text[-half:]}"


def messages(trace: Trace) -> list[tuple[str, str]]:
    """What was said, in order: the speaker, ``User`` or ``Assistant``, and the text."""
    found: list[tuple[str, str]] = []
    for turn in trace.turns:
        if not isinstance(turn.act, Listen):
            found.append(("User", act_text(turn.act)))
        if turn.observation is not None:
            found.append(("Assistant", turn.observation.text))
    return found


def as_data(said: list[tuple[str, str]]) -> list[dict[str, object]]:
    """Messages as data for a question, numbered from 1, long ones clipped."""
    share = max(200, LONGEST // max(1, len(said)))
    return [
        {"number": number, "speaker": who, "text": text if len(text) <= share else text[:share]}
        for number, (who, text) in enumerate(said, 1)
    ]


def words(reply: ChatReply) -> list[str]:
    """The words of an answer, in lower case, without punctuation and markup."""
    return re.findall(r"[^\W_]+", reply.text.lower())


def yes_or_no(reply: ChatReply) -> bool:
    """Whether the answer is a yes; raises ModelError where it is neither yes nor no."""
    said = words(reply)
    if said and (said[0] in _YES or said[0] in _NO):
        return said[0] in _YES
    found = {word in _YES for word in said if word in _YES or word in _NO}
    if len(found) == 1:
        return found.pop()
    raise unclear(reply, "yes or no")


def unclear(reply: ChatReply, wanted: str) -> ModelError:
    """The error for an answer that cannot be understood."""
    text = _one_line(reply.text)
    shown = text if len(text) <= 80 else text[:77] + "..."
    return ModelError(f"the model was to answer {wanted}, but answered {shown!r}")
