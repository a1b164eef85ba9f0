"""What the user said in a conversation as one text."""

from sparring.model.talk import Say, Trace

_LONGEST = 4_000


def said_in(trace: Trace) -> str:
    """What the user said in a conversation: the utterance of a case, or all of them in order."""
    told = trace.meta.get("utterance")
    said = [turn.act.text for turn in trace.turns if isinstance(turn.act, Say)]
    if isinstance(told, str) and len(said) <= 1:
        return told[:_LONGEST]
    return "\n".join(said)[:_LONGEST]
