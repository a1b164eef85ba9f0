"""Why a suite passes a fault: vacuous assertions, assertions on other things, or no effect."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Literal, cast

import pytest

from sparring.model.case import Case
from sparring.model.page import Element, PageEvent, PageEventKind, PageSnapshot, PageView
from sparring.model.talk import Ended, GuiAction, Listen, Observation, Trace, Turn
from sparring_plugins.mutation.model import SurvivalKind
from sparring_plugins.web.runner.records import META, GuiRecord, Outcome, StepRecord
from sparring_plugins.web.step import Displayed, Reading, Step, Target
from sparring_plugins.web.survivors import explain

FAULT = PageEvent(kind=PageEventKind.FAULT, text="dead")


def page(digest: str, *texts: str) -> PageSnapshot:
    elements = tuple(Element(id=f"1.{n}", role="text", text=text) for n, text in enumerate(texts))
    return PageSnapshot(url="http://127.0.0.1:9/", digest=digest, elements=elements)


LIST = page("list", "Roses", "2 plants")
ADDED = page("added", "Roses", "Tulips", "3 plants")


def click(number: int, turn: int) -> StepRecord:
    reading = Reading(action="click", target=Target(text="Add"))
    step = Step(number=number, text="Click on 'Add'", readings=(reading,))
    return StepRecord(step=step, outcome="done", turns=(turn,), digest="list")


def check(
    number: int,
    words: str,
    digest: str,
    outcome: Outcome = "true",
    vacuous: Literal["before"] | None = None,
) -> StepRecord:
    condition = Displayed(target=Target(text=words))
    step = Step(
        number=number,
        text=f"Assert that '{words}' is displayed",
        readings=(Reading(action="assert", condition=condition),),
    )
    return StepRecord(step=step, outcome=outcome, digest=digest, vacuous=vacuous)


def trace(pages: Sequence[PageSnapshot], steps: Sequence[StepRecord], *events: PageEvent) -> Trace:
    turns = [
        Turn(
            act=GuiAction(action="click", target="1.0") if number else Listen(),
            observation=Observation(
                page=PageView(snapshot=snapshot, events=events if number == 1 else ())
            ),
        )
        for number, snapshot in enumerate(pages)
    ]
    record = GuiRecord(test="plants", steps=tuple(steps), verdict="pass")
    meta: Any = {META: record.model_dump(mode="json")}
    return Trace(
        case=Case.of("plants", {}, run_seed=0), turns=tuple(turns), ended=Ended.SCRIPT_DONE,
        started=datetime(2026, 1, 1, tzinfo=UTC), meta=cast("Any", meta),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("steps", "kind", "words"),
    [
        ([check(2, "Roses", "added", vacuous="before")], "vacuous", "'Roses' is displayed'"),
        ([check(2, "plants", "added")], "not covered", "look at something else: 'Assert that"),
        ([], "not covered", "no assertion comes after step 1"),
        (
            [check(2, "Roses", "added", vacuous="before"), check(3, "plants", "added")],
            "not covered",
            "else: 'Assert that 'plants' is displayed'",
        ),
        ([check(2, "Roses", "added", "not_reached")], "not covered", "no assertion comes after"),
    ],
)
def test_a_survivor_is_vacuous_or_not_covered(
    steps: list[StepRecord], kind: str, words: str
) -> None:
    """The assertions behind the fault decide, not those before it."""
    before = check(0, "Roses", "list")
    original = trace([LIST, ADDED], [before, click(1, 1), *steps])
    faulty = [one.model_copy(update={"digest": "list", "vacuous": None}) for one in steps]
    survival = explain(original, trace([LIST, LIST], [before, click(1, 1), *faulty], FAULT))
    assert survival is not None
    assert survival.kind == kind
    assert words in survival.reason


def test_a_fault_without_an_effect_on_what_assertions_saw_is_said_to_have_none() -> None:
    """A choice that was made already: pressing it again changes nothing, with or without fault."""
    steps = [click(1, 1), check(2, "Roses", "list")]
    survival = explain(trace([LIST, LIST], steps), trace([LIST, LIST], steps, FAULT))
    assert survival is not None
    assert survival.kind is SurvivalKind.NO_EFFECT


def test_a_case_that_the_fault_does_not_reach_explains_nothing() -> None:
    played = trace([LIST, ADDED], [click(1, 1)])
    assert explain(played, played) is None
