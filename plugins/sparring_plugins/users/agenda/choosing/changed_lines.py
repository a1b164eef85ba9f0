"""Changing a line of what is read back: by the letter or number that an app shows before it.

"C) Duration: 3 hours ... Type SEND, or a letter to change a line." is answered by "C" if the user
wants four hours.
"""

import re
from collections.abc import Iterator, Sequence

from sparring_plugins.language.text import folded
from sparring_plugins.users.agenda.profile.facts import names_in
from sparring_plugins.users.agenda.profile.value_kinds import kinds_of
from sparring_plugins.users.agenda.replies.app_reply import AppReply
from sparring_plugins.users.agenda.replies.named_options import shared_roots
from sparring_plugins.users.agenda.state.user_goals import UserGoal, plans_change
from sparring_plugins.users.agenda.words.goal_verbs import changes_something
from sparring_plugins.users.agenda.words.knowledge import knowledge, says

_LINE = re.compile(
    r"^\W{0,3}(?P<mark>[A-Z]|\d{1,2})[).:]\s+(?P<label>[^:\n]{1,40}):\s*(?P<value>\S[^\n]*)$",
    re.MULTILINE,
)
_MARK = re.compile(r"^\W{0,3}(?:[A-Z]|\d{1,2})[).:]\s+(?=[^\d\W])", re.MULTILINE)
_FEWEST = 2
"""Lines of a summary at least."""
_LOOKS = frozenset({"date", "time", "money", "number", "phone", "email", "postcode", "address"})


def without_marks(text: str) -> str:
    """Return a text without the marks of its lines: "4. People: 5" counts no four people."""
    return _MARK.sub("", text)


def changed_by_mark(text: str) -> bool:
    """Return whether a text shows marked lines of a summary, and wants a mark to change one."""
    return len(list(_LINE.finditer(text))) >= _FEWEST and says(folded(text), "line_marks")


def mark_of_line(reply: AppReply, wanted: str, values: Sequence[str]) -> str | None:
    """Return the mark of the line that a change is about; None if none is or if several are.

    Args:
        reply: The summary.
        wanted: What is to be changed, in words: "change the first day to 18 March".
        values: The new values; a line that already has them all is right.
    """
    if not changed_by_mark(reply.text):
        return None
    scored = list(_scores(reply.text, wanted, values))
    best = max((score for score, _ in scored), default=0)
    fitting = [mark for score, mark in scored if score == best]
    return fitting[0] if best and len(fitting) == 1 else None


def _scores(text: str, wanted: str, values: Sequence[str]) -> Iterator[tuple[int, str]]:
    """How much a change is about each line: by its label first, then by the look of its value."""
    names = names_in(wanted)
    looks = frozenset[str]().union(*map(kinds_of, values)) & _LOOKS
    for line in _LINE.finditer(text):
        label, value = line["label"], line["value"].strip()
        score = 2 * shared_roots(names_in(label), names) + bool(kinds_of(value) & looks)
        # "2 Date of birth" is no line for a change of the day
        score -= bool(("birth" in names_in(label)) != ("birth" in names))
        yield score + shared_roots(names_in(value), names), line["mark"]


def thing_to_change(goal: UserGoal, question: str, options: Sequence[str]) -> int | None:
    """Return the one option that a change is about; None if none or several are.

    "What would you like to change, the message or the day?" is answered by "message" for "have the
    writing on your cake changed".
    """
    asks_what = changes_something(question) and changes_something(goal.words)
    if not (plans_change(goal) or asks_what):
        return None
    own = names_in(goal.words)
    if not set(knowledge().spans).isdisjoint(folded(goal.words).split()):
        own |= _DURATION  # "change the hours to 4" is about the duration
    if _WRITING & own:
        own |= _WRITING
    # "the first day" shares "day" with "Day" and nothing with "Message"
    scores = [shared_roots(names_in(option), own) for option in options]
    best = max(scores, default=0)
    return scores.index(best) if best and scores.count(best) == 1 else None


_DURATION = names_in("duration")
_WRITING = names_in("write") | names_in("message")
