"""The oracles `assertions` and `consistency`, and the reporter `iolts`, on records made by hand."""

import json
from pathlib import Path
from typing import Any

import pytest

from sparring.model.case import Case
from sparring.model.talk import Ended, Incident, IncidentKind, Trace
from sparring.model.verdict import Outcome, Owner, Verdict
from sparring.testing.conversations import stored_run, trace_of
from sparring.testing.fakes import FakeContext
from sparring_plugins.reporting.iolts import IoltsReporter
from sparring_plugins.web.assertion_oracle import Assertions
from sparring_plugins.web.consistency_oracle import Consistency
from sparring_plugins.web.roles import Judged
from sparring_plugins.web.runner.records import BROKEN_OFF, GuiRecord, StepRecord
from sparring_plugins.web.step import Displayed, Reading, Step, Target

pytestmark = pytest.mark.anyio
ASSERTS = (Reading(action="assert", condition=Displayed(target=Target(text="x"))),)


def does(number: int, outcome: str = "done", **more: Any) -> StepRecord:
    step = Step(number=number, text=f"Click on '{number}'", readings=(Reading(action="click"),))
    return StepRecord.model_validate({"step": step, "outcome": outcome, "turns": (0,), **more})


def asserts(number: int, outcome: str, **more: Any) -> StepRecord:
    step = Step(number=number, text=f"Assert that '{number}' is displayed", readings=ASSERTS)
    return StepRecord.model_validate({"step": step, "outcome": outcome, **more})


def played(*steps: StepRecord, verdict: str = "pass", repeat: int = 1, **more: Any) -> Trace:
    record = GuiRecord.model_validate({"test": "t", "steps": steps, "verdict": verdict, **more})
    case = Case.of("t", {}, run_seed=0, repeat=repeat)
    return trace_of([("go", "page")], case=case, meta={"gui": record.model_dump(mode="json")})


async def judged(trace: Trace, **settings: Any) -> list[Verdict]:
    return list(await FakeContext().build(Assertions, **settings).judge(trace))


async def test_an_assertion_that_holds_passes_and_one_that_does_not_is_the_apps() -> None:
    steps, one, two = await judged(played(does(1), asserts(2, "true"), asserts(3, "false")))
    assert steps.outcome is Outcome.PASS
    assert one.outcome is Outcome.PASS
    assert (two.outcome, two.owner) == (Outcome.FAIL, Owner.APP)


async def test_a_step_that_cannot_be_carried_out_is_inconclusive_and_nothing_passes() -> None:
    undone = does(1, "inconclusive", reason="2 fit equally well", screenshot="a/1.png")
    steps, after = await judged(played(undone, asserts(2, "not_reached")))
    assert (steps.outcome, steps.owner) == (Outcome.INCONCLUSIVE, Owner.TEST)
    assert "step 1 'Click on '1'': 2 fit equally well" in steps.reason
    assert steps.details["screenshot"] == "a/1.png"
    assert after.outcome is Outcome.SKIPPED


@pytest.mark.parametrize(
    ("outcome", "settings", "wanted"),
    [
        ("false", {}, Outcome.PASS),
        ("true", {}, Outcome.FAIL),
        ("inconclusive", {}, Outcome.INCONCLUSIVE),
        ("false", {"expected": "ignore"}, Outcome.FAIL),
        ("true", {"expected": "ignore"}, Outcome.PASS),
    ],
)
async def test_what_is_expected_to_be_false(
    outcome: str, settings: dict[str, str], wanted: Outcome
) -> None:
    trace = played(asserts(1, outcome, expected=False))
    assert (await judged(trace, **settings))[1].outcome is wanted


@pytest.mark.parametrize(
    ("setting", "wanted", "told"),
    [("tell", Outcome.PASS, True), ("inconclusive", Outcome.INCONCLUSIVE, True),
     ("ignore", Outcome.PASS, False)],
)  # fmt: skip
async def test_a_vacuous_assertion_is_told_counted_or_ignored(
    setting: str, wanted: Outcome, told: bool
) -> None:
    verdict = (await judged(played(asserts(1, "true", vacuous="before")), vacuous=setting))[1]
    assert verdict.outcome is wanted
    assert ("before the last action" in verdict.reason) is told


async def test_a_fail_says_what_a_person_needs() -> None:
    failed = asserts(2, "false", reason="not there", screenshot="a/2.png", url="http://x/")
    details = (await judged(played(does(1), failed)))[1].details
    assert details["step"] == 2
    assert details["page"] == "http://x/"
    assert [line.split()[:2] for line in details["steps"]] == [["1", "done"], ["2", "false"]]  # type: ignore[union-attr]


async def test_other_conversations_are_skipped_and_a_broken_record_is_an_error() -> None:
    other = await judged(trace_of([("hi", "hello")]))
    assert [one.outcome for one in other] == [Outcome.SKIPPED]
    broken = trace_of([("hi", "hello")], meta={"gui": {"steps": 7}})
    assert [one.outcome for one in await judged(broken)] == [Outcome.ERROR]


BROKEN = [
    (IncidentKind.TIMEOUT, Owner.APP, Outcome.ERROR),
    (IncidentKind.CRASH, Owner.APP, Outcome.ERROR),
    (IncidentKind.ENVIRONMENT, Owner.ENVIRONMENT, Outcome.ERROR),
    (IncidentKind.CONNECTOR_ERROR, Owner.TOOL, Outcome.ERROR),
    (IncidentKind.PLAYER_ERROR, Owner.TEST, Outcome.ERROR),
    (IncidentKind.MODEL_ERROR, Owner.SIMULATED_USER, Outcome.ERROR),
    (IncidentKind.MACHINE_BUSY, Owner.ENVIRONMENT, Outcome.INCONCLUSIVE),
]


def broken_off(kind: IncidentKind, owner: Owner, *steps: StepRecord) -> Trace:
    trace = played(*steps, verdict="inconclusive")
    incident = Incident(kind=kind, message="it went wrong", owner=owner, turn=0)
    return trace.model_copy(update={"incidents": (incident,), "ended": Ended.INCIDENT})


@pytest.mark.parametrize(("kind", "owner", "outcome"), BROKEN)
async def test_a_test_case_that_broke_off_is_never_skipped_and_belongs_to_who_broke_it(
    kind: IncidentKind, owner: Owner, outcome: Outcome
) -> None:
    rest = asserts(3, "not_reached", reason=BROKEN_OFF)
    trace = broken_off(kind, owner, does(1), does(2, "not_reached", reason=BROKEN_OFF), rest)
    steps, after = await judged(trace)
    assert (steps.outcome, steps.owner) == (outcome, owner)
    assert steps.reason == (f"step 2 'Click on '2'' was broken off: {kind.value}: it went wrong")
    assert after.outcome is Outcome.SKIPPED


@pytest.mark.parametrize("owner", [Owner.ENVIRONMENT, Owner.SIMULATED_USER, Owner.APP])
async def test_what_could_not_be_decided_belongs_to_whoever_the_record_names(owner: Owner) -> None:
    undone = does(1, "inconclusive", reason="no answer", owner=owner)
    unknown = asserts(2, "inconclusive", owner=owner)
    found = await judged(played(undone, unknown, verdict="inconclusive"))
    assert {(one.outcome, one.owner) for one in found} == {(Outcome.INCONCLUSIVE, owner)}


async def test_a_record_that_cannot_be_read_is_the_tools() -> None:
    (verdict,) = await judged(trace_of([("hi", "hello")], meta={"gui": {"steps": 7}}))
    assert (verdict.outcome, verdict.owner) == (Outcome.ERROR, Owner.TOOL)


async def concluded(*traces: Trace, **settings: Any) -> list[Verdict]:
    return list(await FakeContext().build(Consistency, **settings).conclude(traces))


async def test_equal_runs_by_plain_rules_are_consistent_and_may_be_trusted() -> None:
    runs = [played(does(1), asserts(2, "false"), repeat=n) for n in (1, 2)]
    verdict = (await concluded(*runs))[0]
    assert (verdict.outcome, verdict.score) == (Outcome.PASS, 1.0)
    assert verdict.details["proposition"] == "3"


@pytest.mark.parametrize(("digest", "owner"), [("other", Owner.APP), ("same", Owner.JUDGE)])
async def test_runs_that_part_are_the_apps_or_the_agents(digest: str, owner: Owner) -> None:
    one = played(asserts(1, "true", digest="same"), repeat=1)
    two = played(asserts(1, "false", digest=digest), repeat=2)
    verdict = (await concluded(one, two))[0]
    assert (verdict.outcome, verdict.owner, verdict.score) == (Outcome.FAIL, owner, 0.5)
    assert (await concluded(one, two, least=0.5))[0].outcome is Outcome.PASS


OTHERS = [
    ({"owner": Owner.ENVIRONMENT}, Owner.ENVIRONMENT),
    ({"owner": Owner.TOOL}, Owner.TOOL),
    ({"owner": Owner.SIMULATED_USER}, Owner.SIMULATED_USER),
    ({"duration_s": 4.0, "starved_s": 3.0}, Owner.ENVIRONMENT),
]


@pytest.mark.parametrize(("more", "owner"), OTHERS)
async def test_runs_that_part_because_of_something_else_are_not_the_apps(
    more: dict[str, Any], owner: Owner
) -> None:
    one = played(asserts(1, "true", digest="same"), repeat=1)
    two = played(asserts(1, "inconclusive", digest="other", **more), repeat=2)
    verdict = (await concluded(one, two))[0]
    assert (verdict.outcome, verdict.owner) == (Outcome.INCONCLUSIVE, owner)


async def test_another_page_after_another_act_is_the_agents_and_not_the_apps() -> None:
    one = played(does(1, target="button 'A'"), asserts(2, "true", digest="a"), repeat=1)
    two = played(does(1, target="button 'B'"), asserts(2, "false", digest="b"), repeat=2)
    verdict = (await concluded(one, two))[0]
    assert (verdict.outcome, verdict.owner) == (Outcome.FAIL, Owner.JUDGE)
    assert "differed at step 1" in verdict.reason


async def test_another_page_that_made_no_difference_is_not_to_blame() -> None:
    one = played(does(1, digest="banner"), asserts(2, "true", digest="same"), repeat=1)
    two = played(does(1, digest="none"), asserts(2, "false", digest="same"), repeat=2)
    assert (await concluded(one, two))[0].owner is Owner.JUDGE


async def test_runs_that_broke_off_do_not_count_and_undecided_ones_pass_nothing() -> None:
    broken = broken_off(IncidentKind.ENVIRONMENT, Owner.ENVIRONMENT, does(1, "not_reached"))
    fine = played(asserts(1, "true"), repeat=2)
    assert (await concluded(broken, fine))[0].details["runs"] == 1
    undecided = [played(does(1, "inconclusive"), verdict="inconclusive", repeat=n) for n in (1, 2)]
    assert [one.outcome for one in await concluded(*undecided)] == [Outcome.SKIPPED]


async def test_an_agent_that_asks_a_model_needs_its_sigma() -> None:
    asked = played(asserts(1, "true", assertion=Judged(truth=True, strict=False)), strict=False)
    unknown = (await concluded(asked))[0]
    assert unknown.details["computed"] is None
    assert unknown.details["proposition"] == "none"
    known = (await concluded(asked, sigma={"assertion": 0.06870104}))[0]
    assert known.details["computed"] == pytest.approx(0.8626)


async def test_each_run_is_written_as_a_transition_system(tmp_path: Path) -> None:
    hostile = asserts(2, "false", reason='say "x" \\ \x1b\n then')
    trace = played(does(1, observed=Judged(truth=True, facts=("a new title",))), hostile)
    run = stored_run(tmp_path / "run", [trace], [[]])
    reporter = FakeContext(base_dir=tmp_path, run_dir=run.folder).build(IoltsReporter)
    for event in run.events():
        reporter.handle(event)
    folder = reporter.written()[0]
    data = json.loads((folder / f"{trace.case.id}.json").read_text())
    labels = [one["label"] for one in data["transitions"]]
    assert labels[0] == "?Click on '1'"
    assert any(label.startswith("!a new title") for label in labels)
    assert labels[-1].startswith("!pass")
    aut = (folder / f"{trace.case.id}.aut").read_text()
    assert aut.startswith(f"des (0, {len(labels)}, {len(labels) + 1})\n")
    assert "\x1b" not in aut
    dot = (folder / f"{trace.case.id}.dot").read_text()
    assert dot.startswith("digraph iolts {")
    assert '\\"x\\"' in dot
