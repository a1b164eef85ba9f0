"""What an app still offers after it has turned down what was typed beside its buttons."""

from sparring_plugins.language.text import folded
from sparring_plugins.users.agenda.app_reply import AppReply
from sparring_plugins.users.agenda.memory import Memory


def offers_still(memory: Memory) -> AppReply | None:
    """Return the reply whose buttons are still to be pressed; None if there is none.

    "We are not there on that day." after a day that was typed beside two buttons leaves these.
    """
    if len(memory.replies) < 2 or memory.last is None:
        return None
    last, before = memory.last, memory.replies[-2]
    typed = bool(memory.acts[-1]) and memory.acts[-1] not in map(folded, before.menu)
    refused = last.turns_down and not last.questions and not last.choices and not last.done
    return before if before.choices and typed and refused else None
