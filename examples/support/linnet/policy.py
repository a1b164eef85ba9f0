"""The policy: what is refused before anything else is done."""

from collections.abc import Iterable

from linnet.reading import Read, words

REFUSALS = {
    "private data": "I'm sorry, I can't share other customers' data.",
    "refund": "I'm sorry, I can't promise a refund outside of our 30 days.",
    "staff discount": "I'm sorry, staff discounts are for our employees only.",
}

_TOLD = ("you are", "imagine that you are", "you were")


def refused(message: Read) -> str | None:
    """The rule that a message asks to break; None where it asks for nothing of the kind.

    A rule speaks up where one sentence has a word of each of its groups. A sentence about the
    assistant itself asks for nothing. A manager's word opens what employees get.
    """
    for sentence in message.sentences:
        said = frozenset(sentence.split())
        if sentence.startswith(_TOLD):
            continue
        for rule, groups in words()["policy"].items():
            if rule == "staff discount" and message.authority["approved"]:
                continue
            if all(said & frozenset(_plain(group)) for group in groups):
                return str(rule)
    return None


def _plain(group: Iterable[str]) -> list[str]:
    return [form for one in group for form in (one, f"{one}s")]


def goodwill(message: Read) -> int:
    """How far an agent goes beyond the rules for a customer: kindness counts, pressure does not."""
    return message.tone["kind"] + 2 * message.authority["approved"] - 2 * message.tone["rude"]
