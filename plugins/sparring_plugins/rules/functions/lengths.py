"""How long texts and conversations are: `length` and `conversation_length`."""

from collections.abc import Sequence
from typing import Any, cast

from sparring.interfaces.rule_function import rule_function
from sparring.model.talk import Listen, Trace

KINDS = ("min", "max", "average")
SPEAKERS = ("both", "user", "assistant", "chatbot")


def texts_of(item: Any) -> list[str]:
    """A text or a list of texts as a list; raises TypeError for anything else."""
    found: Any = [item] if isinstance(item, str) else item
    texts = list(cast("list[Any]", found)) if isinstance(found, (list, tuple)) else [None]
    if not all(isinstance(one, str) for one in texts):
        raise TypeError(f"expected a text or a list of texts, not {type(item).__name__!r}")
    return [str(one) for one in texts]


def texts_cost(item: object, *_: object, **__: object) -> int:
    """The work of searching a text or several for patterns."""
    listed = cast("list[object]", item) if isinstance(item, (list, tuple)) else [item]
    return 4 + sum(4 + (len(one) >> 1) for one in listed if isinstance(one, str))


@rule_function
def length(item: str | Sequence[str], kind: str = "min") -> float | None:
    """The shortest, longest or average length in characters of a text or of several.

    `kind` is ``min``, ``max`` or ``average``. None where there are no texts.
    """
    sizes = [len(text) for text in texts_of(item)]
    if kind.lower() not in KINDS:
        raise ValueError(f"length() knows {', '.join(KINDS)}, not {kind!r}")
    if not sizes:
        return None
    match kind.lower():
        case "min":
            return min(sizes)
        case "max":
            return max(sizes)
        case _:
            return sum(sizes) / len(sizes)


def turns_cost(trace: Trace, *_: object) -> int:
    """The work of counting a conversation's messages."""
    return 2 + len(trace.turns) // 4


@rule_function(conversation=True, cost=turns_cost)
def conversation_length(trace: Trace, who: str = "both") -> int:
    """How many messages both sides, the user or the assistant said.

    `who` is ``both``, ``user`` or ``assistant`` (also spelled ``chatbot``).
    """
    speaker = who.lower()
    if speaker not in SPEAKERS:
        raise ValueError(f"conversation_length() knows {', '.join(SPEAKERS)}, not {who!r}")
    said = sum(not isinstance(turn.act, Listen) for turn in trace.turns)
    heard = sum(turn.observation is not None for turn in trace.turns)
    return {"both": said + heard, "user": said}.get(speaker, heard)
