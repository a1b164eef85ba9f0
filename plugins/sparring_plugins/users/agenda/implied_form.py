"""Statements in the middle of a form that want an answer, though they ask nothing.

"For your safety, the 2nd and 5th digits of your key." may or may not be read as a question.
What comes after an answer, reports nothing and ends nothing wants to be answered by a fact.
"""

from sparring_plugins.users.agenda.app_reply import AppQuestion, AppReply
from sparring_plugins.users.agenda.memory import Memory
from sparring_plugins.users.agenda.open_form import OpenForm, open_form


def implied_form(memory: Memory) -> OpenForm | None:
    """Return the last reply as an open question of a form; None if it is none, or ends one."""
    last = memory.last
    if last is None or len(memory.replies) < 2 or last.questions or last.menu or not last.text:
        return None
    if last.done or last.farewell or last.fallback or last.turns_down:
        return None
    first = len(memory.replies) - 1
    while first > 0 and _asks_nothing(memory.replies[first - 1]):
        first -= 1
    services = any(not goal.asks for goal in memory.open_goals())
    if not services or open_form(memory.replies[:first]) is None:
        return None
    question = AppQuestion(last.text, "open")
    return OpenForm(question, last, last.text, len(memory.replies) - 1 - first, first)


def _asks_nothing(reply: AppReply) -> bool:
    ends = reply.done or reply.farewell or bool(reply.menu)
    return bool(reply.text) and not reply.questions and not ends
