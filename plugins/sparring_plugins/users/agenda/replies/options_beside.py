"""Options that stand beside a question in sentences of their own: "Which one? A, B or C."."""

import re
from collections.abc import Sequence

from sparring_plugins.language.text import folded
from sparring_plugins.users.agenda.replies.false_alternatives import true_options
from sparring_plugins.users.agenda.replies.named_options import (
    inline_options,
    priced_things,
    things_listed,
)
from sparring_plugins.users.agenda.words.knowledge import says


def things_before(parts: Sequence[str], question: str) -> tuple[str, ...]:
    """Return the things that stand before "Which one would you like?": those set off, else listed.

    Args:
        parts: The sentences of the reply.
        question: The one that asks.
    """
    if not says(folded(question), "which_one") or question not in parts:
        return ()
    before = [part for part in parts[: parts.index(question)] if "?" not in part]
    if not before:
        return ()
    set_off = tuple(dict.fromkeys(_SET_OFF.findall(before[-1])))
    priced = priced_things(before[-1])
    if len(priced) > 1:
        return priced
    return set_off if len(set_off) > 1 else things_listed(before[-1])


# "You can say *order* or *track*": in Markdown what can be said stands between stars.
_SET_OFF = re.compile(r"(?<![\w*])\*([^*\n]{2,40})\*(?![\w*])")


def things_after(parts: Sequence[str], question: str) -> tuple[str, ...]:
    """Return the things that a sentence after a question names with an "or"; none for others.

    "Which shall it be? The steam bath, a massage, or the salt room." offers three things.

    Args:
        parts: The sentences of the reply.
        question: The one that asks which.
    """
    if not says(folded(question), "which_one") or question not in parts:
        return ()
    after = parts[parts.index(question) + 1 :][:1]
    return true_options(after[0], inline_options(after[0], asking=True)) if after else ()
