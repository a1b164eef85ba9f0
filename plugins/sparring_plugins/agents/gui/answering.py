"""Answers to the browser's dialogs: given before the dialog comes, for then it is too late.

A test case says "Click on 'Delete'" and then "Dismiss the alert"; the browser wants the answer
while it clicks. So the answers that follow a step are prepared before it is carried out.
"""

from collections.abc import Sequence

from sparring.interfaces.gui_roles import Judged
from sparring.model.page import PageEventKind, PageView
from sparring.model.step import Step
from sparring.model.talk import GuiAction


def answers(step: Step) -> bool:
    """Whether a step answers a dialog."""
    return step.reading is not None and step.reading.action == "answer_dialog"


def prepared(steps: Sequence[Step]) -> tuple[GuiAction, ...]:
    """The answers that `steps` begin with, as acts."""
    found: list[GuiAction] = []
    for step in steps:
        if step.reading is None or not answers(step):
            break
        found.append(GuiAction(action="answer_dialog", value=step.reading.value))
    return tuple(found)


def answered(view: PageView, number: int, *, goes_on: bool) -> Judged:
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
