"""The answers of one judge, gathered by example."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from sparring_plugins.judging.calibration import measures
from sparring_plugins.judging.calibration.judge_calls import Answer
from sparring_plugins.judging.calibration.judges import Item, Judge


@dataclass(slots=True)
class Asked:
    """All answers of one judge to one item: in the given order of options, and in reverse.

    `expected` is the label of what is right, where that is known.
    """

    item: Item
    expected: str | None = None
    given: list[Answer] = field(default_factory=list[Answer])
    reverse: list[Answer] = field(default_factory=list[Answer])

    @property
    def decided(self) -> list[Answer]:
        """The answers that decided."""
        return [answer for answer in self.given if answer.outcome == "answered"]

    @property
    def judged(self) -> list[Answer]:
        """The answers that decided, where it is known what is right."""
        return self.decided if self.item.labelled else []

    @property
    def word(self) -> str | None:
        """What the judge says most often; None where nothing, or two things as often."""
        return measures.majority([answer.label or "" for answer in self.decided])


def by_item(judge: Judge, items: Sequence[Item], answers: Sequence[Answer]) -> list[Asked]:
    """The answers of a judge by item, in the order of the items, then of the repeats."""
    found = [Asked(item, judge.wanted(item)) for item in items]
    for answer in sorted(answers, key=lambda a: (a.question.item, a.question.sample)):
        question = answer.question
        kept = found[question.item]
        (kept.reverse if question.reverse else kept.given).append(answer)
    return found
