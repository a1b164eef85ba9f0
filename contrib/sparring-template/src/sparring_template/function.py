"""A function for rules."""

from sparring import Trace, rule_function


def _cost(trace: Trace) -> int:
    texts = (turn.observation.text for turn in trace.turns if turn.observation)
    return sum(1 + len(text) // 20 for text in texts)


@rule_function(conversation=True, cost=_cost)
def words_per_answer(trace: Trace) -> list[int]:
    """How many words each answer of the app has: ``max(words_per_answer()) < 100``."""
    return [len(turn.observation.text.split()) for turn in trace.turns if turn.observation]
