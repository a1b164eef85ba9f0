"""Times of day that stand before a question, or without one, as what can be chosen."""

from collections.abc import Sequence

from sparring_plugins.language.candidates import ValueCandidate, find_times
from sparring_plugins.language.text import folded
from sparring_plugins.users.agenda.replies.asked_clauses import asking_words
from sparring_plugins.users.agenda.replies.question_kinds import QuestionKind
from sparring_plugins.users.agenda.words.knowledge import says


def times_before(parts: Sequence[str], *, of_which: bool = False) -> tuple[str, ...]:
    """Return the times that stand before "Which suits you?", if they are alternatives."""
    rows = (_row_of_times(part) for part in reversed(parts))
    times, either = next((row for row in rows if row[0]), ((), False))
    return times if either or of_which else ()


def offered_times(parts: Sequence[str]) -> tuple[str, QuestionKind, tuple[str, ...]] | None:
    """Return the times that a reply without a question leaves to choose from, as a question.

    "Ada has 9:30 or 16:30." offers them, and so does "Free are 9:30 and 16:30."; "the film runs at
    9:30 and 16:30" only says what there is.
    """
    times, either = _row_of_times(parts[-1]) if parts else ((), False)
    offers = bool(times) and (either or says(folded(parts[-1]), "free_words"))
    return (parts[-1], "open", times) if offers else None


def _row_of_times(sentence: str) -> tuple[tuple[str, ...], bool]:
    """Return the first times of day that only commas, "and" or "or" part, and whether "or" does."""
    lists = asking_words()
    row: list[ValueCandidate] = []
    either = False
    for time in find_times(sentence):
        gap = sentence[row[-1].end : time.start].strip() if row else ","
        if gap != "," and folded(gap) not in (*lists.joints, *lists.either):
            if len(row) > 1:
                break
            row = []  # "from 9:00 to 18:00" is a span
        either = either or folded(gap) in lists.either
        row.append(time)
    return (tuple(time.text for time in row), either) if len(row) > 1 else ((), False)
