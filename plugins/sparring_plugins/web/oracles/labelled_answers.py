"""The agents' answers in a test case beside what is right: the paper's EvalAgent on a stored run.

A navigation step is expected to be possible and an assertion to hold where the test case does not
say otherwise (Section 6, RQ1). Readiness is right where it says of a step what is expected; the
navigator where the step then was carried out, by what observe saw and not by its own word; the
assertion agent where it says what is expected. Opening the first page counts for none. Who says
that it does not know has not answered.
"""

from collections.abc import Iterator

from sparring.model.calibration import LabelledAnswer
from sparring_plugins.web.roles.page_agents import Judged
from sparring_plugins.web.runner.records import GuiRecord, StepRecord


def labelled_answers(record: GuiRecord) -> Iterator[LabelledAnswer]:
    """The answers of the agents in the test case's own steps, as far as they were reached."""
    steps = [one for one in record.steps if one.phase == "test" and one.outcome != "not_reached"]
    for number, one in enumerate(steps):
        if number == 0 and _opens(one):
            continue
        yield from _of_step(record, one)


def _of_step(record: GuiRecord, step: StepRecord) -> Iterator[LabelledAnswer]:
    if step.assertion is not None:
        yield _answer(record, step, "assertion", step.assertion, step.assertion.truth)
        return
    if step.readiness is not None:
        yield _answer(record, step, "readiness", step.readiness, step.readiness.truth)
    if step.navigation is not None:
        yield _answer(record, step, "navigator", step.navigation, _navigated(step))


def _navigated(step: StepRecord) -> bool | None:
    """Whether the step was carried out; None where the navigator did not know how."""
    if step.navigation is None or step.navigation.truth is not True:
        return None
    return step.outcome == "done"


def _answer(
    record: GuiRecord, step: StepRecord, role: str, judged: Judged, truth: bool | None
) -> LabelledAnswer:
    expected = step.expected is not False
    return LabelledAnswer(
        role=role,
        item=f"{record.test}/{step.step.number}",
        shown=step.step.text,
        expected="true" if expected else "false",
        answer=None if truth is None else "true" if truth else "false",
        reason=step.reason if role == "navigator" else judged.reason,
        strict=judged.strict,
    )


def _opens(record: StepRecord) -> bool:
    reading = record.step.reading
    return reading is not None and reading.action == "open"
