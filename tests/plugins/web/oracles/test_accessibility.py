"""The oracle `accessibility`: a verdict for each violated rule, and one on the whole."""

import asyncio
from datetime import UTC, datetime
from typing import Any

import pytest
from tests.plugins.web.runner.pages import page, text

from sparring.model.case import Case
from sparring.model.page import PageEvent, PageEventKind
from sparring.model.talk import Ended, GuiAction, Observation, Trace, Turn
from sparring.model.verdict import Outcome, Owner, Verdict
from sparring.testing.fakes import FakeContext
from sparring_plugins.reproduction.failure_identity import faults_of
from sparring_plugins.web.accessibility import Accessibility, AccessibilityConfig


def violation(rule: str, impact: str, *targets: str, count: int | None = None) -> dict[str, Any]:
    return {
        "id": rule,
        "impact": impact,
        "help": f"help of {rule}",
        "url": f"https://rules.test/{rule}",
        "count": len(targets) if count is None else count,
        "nodes": [{"target": target, "html": f"<{target}>", "why": ""} for target in targets],
    }


def state(*violations: Any, **details: Any) -> PageEvent:
    what = {"violations": list(violations), "unclear": 0, **details}
    return PageEvent(kind=PageEventKind.EXAMINED, details=what)


def verdicts(*states: PageEvent, rehearsed: bool = False, **config: Any) -> list[Verdict]:
    turns = []
    if rehearsed:
        turns.append(Turn(act=GuiAction(action="rehearse", value="begin"), started_s=0.0))
    for number, event in enumerate(states):
        view = page(text("Depot"), url=f"http://shop.test/{number}")
        shown = Observation(page=view.model_copy(update={"events": (event,)}))
        act = GuiAction(action="click", target="1", described=f"button '{number}'")
        turns.append(Turn(act=act, observation=shown, started_s=0.0, latency_s=0.1))
    case = Case.of("a case", {}, run_seed=1)
    began = datetime(2026, 11, 26, tzinfo=UTC)
    trace = Trace(case=case, turns=tuple(turns), ended=Ended.SCRIPT_DONE, started=began)
    oracle = Accessibility(AccessibilityConfig.model_validate(config), FakeContext())
    return list(asyncio.run(oracle.judge(trace)))


def test_a_rule_violated_on_several_states_is_one_failure() -> None:
    found = verdicts(
        state(violation("label", "critical", "#a", "#b", "#c", "#d")),
        state(),
        state(violation("label", "critical", "#a")),
    )
    label, whole = found
    assert (label.check, label.outcome, label.owner) == ("label", Outcome.FAIL, Owner.APP)
    assert label.reason == (
        "help of label (critical): 4 elements, '#a', '#b', '#c' and 1 more, on '/0' after click "
        "button '0' and in 1 other state of the pages; see https://rules.test/label"
    )
    assert [ref.turn for ref in label.turns] == [0, 2]
    assert whole.reason == "3 states of the pages examined: 1 rule violated"
    assert whole.outcome is Outcome.PASS


def test_a_rule_is_one_fault_whatever_elements_violate_it() -> None:
    first = verdicts(state(violation("label", "critical", "#a")))
    other = verdicts(state(violation("label", "serious", "#b", "#c")))
    assert faults_of(first)[0].key == faults_of(other)[0].key == "label"


def test_what_is_less_than_serious_is_noted() -> None:
    (whole,) = verdicts(state(violation("region", "moderate", "p")))
    assert whole.outcome is Outcome.PASS
    assert whole.details["notes"] == [
        "accessibility: help of region (moderate), on '/0' after click button '0'"
    ]
    failing, _ = verdicts(state(violation("region", "moderate", "p")), fail_on=["moderate"])
    assert failing.outcome is Outcome.FAIL


@pytest.mark.parametrize(
    ("ignore", "count"),
    [
        (["label"], None),
        (["label #a", "label #b"], None),
        (["label #a"], 1),
        (["lab", "label #x"], 2),
        (["label "], None),
    ],
)
def test_what_is_ignored_does_not_count(ignore: list[str], count: int | None) -> None:
    found = verdicts(state(violation("label", "critical", "#a", "#b")), ignore=ignore)
    states: Any = found[0].details["states"] if len(found) == 2 else [{"count": None}]
    assert states[0]["count"] == count


def test_elements_that_are_not_named_are_not_ignored() -> None:
    found = verdicts(state(violation("label", "critical", "#a", count=7)), ignore=["label #a"])
    assert found[0].reason.startswith("help of label (critical): 6 elements on '/0'")


def test_without_an_examination_nothing_is_claimed() -> None:
    other = PageEvent(kind=PageEventKind.DOCUMENT, text="http://shop.test/")
    (none,) = verdicts(other)
    assert (none.outcome, none.owner) == (Outcome.INCONCLUSIVE, Owner.TEST)
    assert "write `accessibility: true` in the suite's `app`" in none.reason
    (broken,) = verdicts(state(error="it took longer than 20 s"))
    assert (broken.outcome, broken.owner) == (Outcome.INCONCLUSIVE, Owner.TOOL)
    (partly,) = verdicts(state(), state(error="it took longer than 20 s"))
    assert partly.reason == (
        "1 state of the pages examined: sound; 1 could not be: it took longer than 20 s"
    )
    (nothing,) = verdicts()
    assert nothing.outcome is Outcome.SKIPPED


def test_trials_are_not_judged() -> None:
    found = verdicts(state(violation("label", "critical", "#a")), rehearsed=True)
    assert [verdict.check for verdict in found] == ["examination"]


def test_what_another_release_tells_is_left_out() -> None:
    (whole,) = verdicts(state({"id": "label", "impact": "apocalyptic"}, "text", 7))
    assert whole.outcome is Outcome.PASS
