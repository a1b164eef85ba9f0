"""What the declared outputs show of the goals: an author says with them what is to be learned.

Once a service is done and every output has a value, what the user wanted to know is answered, in
whatever words the app said it. A service that is refused stays open, whatever the outputs hold by
then: a refusal meets no goal.
"""

from collections.abc import Sequence

from sparring_plugins.language.similarity import overlap
from sparring_plugins.users.agenda.memory import Memory
from sparring_plugins.users.agenda.phrase_book import word_lists
from sparring_plugins.users.agenda.user_goals import UserGoal


def settle_by_outputs(memory: Memory, outputs: int, missing: Sequence[str]) -> None:
    """Note the questions that are answered by what the declared outputs show.

    Args:
        memory: The conversation so far.
        outputs: How many outputs the profile declares.
        missing: The names of those without a value.
    """
    if not outputs or missing:
        return
    own = [goal for goal in memory.goals if not goal.is_output]
    services = [goal for goal in own if not goal.asks]
    if services and all(goal.key in memory.met for goal in services):
        _settle_questions(memory, [goal for goal in own if goal.asks])


def _settle_questions(memory: Memory, questions: Sequence[UserGoal]) -> None:
    memory.met |= {question.key for question in questions if _is_shown(memory, question)}


def _is_shown(memory: Memory, goal: UserGoal) -> bool:
    """Whether one of the outputs is about what a goal asks, which then needs no asking."""
    own = goal.subject - word_lists().generic_concepts
    outputs = [output.concepts for output in memory.goals if output.is_output]
    return bool(own) and any(overlap(own, named) >= _ABOUT for named in outputs)


_ABOUT = 0.6
