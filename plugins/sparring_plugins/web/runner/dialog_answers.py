"""Answers to the browser's dialogs: given before the dialog comes, for then it is too late.

A test case says "Click on 'Delete'" and then "Dismiss the alert"; the browser wants the answer
while it clicks. So the answers that follow a step are prepared before it is carried out.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sparring.model.page import PageEventKind, PageView
from sparring.model.talk import GuiAction
from sparring_plugins.web.grammar.assertions import is_assertion
from sparring_plugins.web.roles.page_agents import Judged
from sparring_plugins.web.roles.step import Step
from sparring_plugins.web.runner.records import StepRecord


@dataclass
class Answers:
    """The answers that are prepared, and how many of their steps have been reached."""

    prepared: int = 0
    told: int = 0

    def prepare(self, following: Sequence[Step]) -> tuple[GuiAction, ...]:
        """The answers that the steps behind the one to be carried out begin with, as acts."""
        found: list[GuiAction] = []
        for step in following:
            if step.reading is None or not _is_answer(step):
                break
            found.append(GuiAction(action="answer_dialog", value=step.reading.value))
        self.prepared, self.told = len(found), 0
        return tuple(found)

    def given_for(self, step: Step) -> bool:
        """Whether the answer of a step is given already."""
        return _is_answer(step) and self.told < self.prepared

    def record(self, step: Step, view: PageView, following: Sequence[Step]) -> StepRecord:
        """What came of the answer of a step, by what happened at the last act."""
        goes_on = bool(following) and not is_assertion(following[0])
        seen = _answered(view, self.told, goes_on=goes_on)
        self.told += 1
        told = StepRecord(step=step, outcome="done", target="dialog", observed=seen)
        wrong = {"outcome": "inconclusive", "reason": seen.reason}
        return told if seen.truth else told.model_copy(update=wrong)


def _is_answer(step: Step) -> bool:
    return step.reading is not None and step.reading.action == "answer_dialog"


def _answered(view: PageView, number: int, *, goes_on: bool) -> Judged:
    """Whether the dialog with this number, from 0, came up at the last act.

    Where none did, and the test case goes on with another act (`goes_on`), the answer is for that.
    """
    dialogs = [one for one in view.events if one.kind is PageEventKind.DIALOG]
    if number < len(dialogs):
        said = " ".join(dialogs[number].text.split())[:80]
        return Judged(truth=True, reason=f"the dialog '{said}' was answered", facts=(said,))
    if goes_on:
        return Judged(truth=True, reason="no dialog is there: it is the answer to the next one")
    return Judged(truth=False, reason="no dialog came up that could be answered")
