"""What the declared outputs show of the goals: an author says with them what is to be learned.

Once a service is done and every output has a value, what the user wanted to know is answered, in
whatever words the app said it. An app that refuses a service and names there what the outputs ask
for ("members must be 16; the Junior Club takes younger ones") has done what its author foresaw.
"""

from collections.abc import Callable, Sequence

from sparring_plugins.language.similarity import overlap
from sparring_plugins.users.agenda.memory import Memory
from sparring_plugins.users.agenda.phrase_book import word_lists
from sparring_plugins.users.agenda.user_goals import UserGoal

MissingAfter = Callable[[int], Sequence[str]]
"""The names of the outputs that have no value after so many turns."""


def settle_by_outputs(
    memory: Memory, outputs: int, missing: Sequence[str], missing_after: MissingAfter
) -> None:
    """Note the goals that are met by what the declared outputs show.

    Args:
        memory: The conversation so far.
        outputs: How many outputs the profile declares.
        missing: The names of those without a value.
        missing_after: The same for the first turns of the conversation.
    """
    if not outputs or missing:
        return
    own = [goal for goal in memory.goals if not goal.is_output]
    services = [goal for goal in own if not goal.asks]
    open_services = [goal for goal in services if goal.key not in memory.met]
    if open_services and _refuses_with_outputs(memory, missing_after):
        _settle_refused(memory, own)
    elif services and not open_services:
        _settle_questions(memory, [goal for goal in own if goal.asks])


def _settle_refused(memory: Memory, own: Sequence[UserGoal]) -> None:
    memory.met |= {goal.key for goal in own if goal.key in memory.tries or goal.condition}


def _settle_questions(memory: Memory, questions: Sequence[UserGoal]) -> None:
    memory.met |= {
        q.key for q in questions if memory.tries[q.key] >= _ASKED or _is_shown(memory, q)
    }


def _is_shown(memory: Memory, goal: UserGoal) -> bool:
    """Whether one of the outputs is about what a goal asks, which then needs no asking."""
    own = goal.subject - word_lists().generic_concepts
    outputs = [output.concepts for output in memory.goals if output.is_output]
    return bool(own) and any(overlap(own, named) >= _ABOUT for named in outputs)


_ABOUT = 0.6
_ASKED = 2
"""How often a question was asked that the outputs answer: once may not have been understood."""


def _refuses_with_outputs(memory: Memory, missing_after: MissingAfter) -> bool:
    """Whether the last outputs were learned from the reply that refused what was wanted."""
    refusals = [
        index
        for index, reply in enumerate(memory.replies)
        if reply.turns_down and not reply.asks("open", "select", "confirm", "offer")
    ]
    return any(missing_after(index) and not missing_after(index + 1) for index in refusals)
