"""What the chatbot said: `chatbot_returns` and `empty_responses`."""

from collections.abc import Iterator

from sparring.interfaces.rule_function import rule_function
from sparring.model.talk import Listen, Trace


def answers(trace: Trace) -> Iterator[tuple[int, int, str]]:
    """Each answer: its index among all messages of both sides, its turn, and its text."""
    index = 0
    for number, turn in enumerate(trace.turns):
        index += not isinstance(turn.act, Listen)
        if turn.observation is not None:
            yield index, number, turn.observation.text
            index += 1


def text_cost(trace: Trace, *_: object, **__: object) -> int:
    """The work of reading all answers once."""
    return 2 + sum(2 + (len(text) >> 6) for _, _, text in answers(trace))


@rule_function(conversation=True, cost=text_cost)
def chatbot_returns(trace: Trace, what: str, and_not: str | None = None) -> list[int]:
    """Where the chatbot says `what`: the indexes in `interaction`, which start at 0.

    `what` is plain text, upper and lower case distinguished. With `and_not`, only answers in
    which that text does not come after the first `what`.
    """
    found: list[int] = []
    for index, _, text in answers(trace):
        at = text.find(what)
        if at >= 0 and (and_not is None or text.find(and_not, at + len(what)) < 0):
            found.append(index)
    return found


@rule_function(conversation=True, cost=text_cost)
def empty_responses(trace: Trace) -> list[int]:
    """Where the chatbot's answer is empty or blank: the indexes in `interaction`."""
    return [index for index, _, text in answers(trace) if not text.strip()]
