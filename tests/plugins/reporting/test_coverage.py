"""``sparring coverage``: what a run never exercised, from its log alone."""

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from sparring.model.talk import Trace
from sparring.model.verdict import Outcome, Owner, Verdict
from sparring.store import StoredRun
from sparring.testing.conversations import run_events, store, trace_of, verdict_of
from sparring.testing.fakes import FakeContext
from sparring_plugins.reporting.coverage_command import coverage
from sparring_plugins.reporting.exercised import exercised_by
from sparring_plugins.reporting.html.reporter import HtmlReporter

GOALS = ["a {{size}} pizza", "my phone number is 123"]


def talk(size: str, met: Sequence[int] = (0,), phone: str | None = None) -> Trace:
    return trace_of(
        [("a pizza", "ok")],
        scenario="order",
        size=size,
        outputs={"price": "$10", "phone": phone},
        meta={"goals": list(GOALS), "goals_met": list(met)},
    )


def skipped(
    trace: Trace, check: str, reason: str = "does not apply: its filter is false"
) -> Verdict:
    return verdict_of(trace, Outcome.SKIPPED, check=check, reason=reason)


def judge(trace: Trace) -> list[Verdict]:
    undecided = verdict_of(trace, Outcome.INCONCLUSIVE, check="kind", reason="no model")
    return [verdict_of(trace, "fail", check="price"), skipped(trace, "drinks"), undecided]


@pytest.fixture
def run(tmp_path: Path) -> StoredRun:
    traces = [talk("big"), talk("small")]
    concluded = [
        Verdict(oracle="rules", check="unique", outcome=Outcome.SKIPPED, count=2, reason="nothing")
    ]
    events = run_events(traces, judge, concluded=concluded)
    return store(tmp_path / "run", events)


def invoke(run: StoredRun, *arguments: str) -> tuple[int, str]:
    ended = CliRunner().invoke(coverage, [str(run.folder), *arguments], standalone_mode=False)
    if ended.exception is not None:
        raise ended.exception
    return ended.return_value, ended.output


def test_what_was_never_exercised_is_listed_with_the_reason(run: StoredRun) -> None:
    code, output = invoke(run)

    assert code == 0
    assert "checks     1 of 4 decided something (25 %)" in output
    assert "goals      1 of 2 were met (50 %)" in output
    assert "outputs    1 of 2 had a value (50 %)" in output
    assert "rules/drinks  (never applied, judged 2 times: its filter is false)" in output
    assert "rules/kind  (could not be decided, judged 2 times: no model)" in output
    assert "rules/unique  (never applied, judged 2 times: nothing)" in output
    assert "order: my phone number is 123  (never met in 2 conversations)" in output
    assert "order: phone  (never found in 2 conversations)" in output
    assert "rules/price" not in output
    assert "rules/price  (2 of 2)" in invoke(run, "--all")[1]


def test_one_conversation_is_enough_to_exercise_something(tmp_path: Path) -> None:
    traces = [talk("big"), talk("small", met=(0, 1), phone="123")]
    verdicts = [[skipped(traces[0], "drinks")], [verdict_of(traces[1], check="drinks")]]
    stored = store(tmp_path / "run", run_events(traces, verdicts))

    exercised = exercised_by(stored)

    assert exercised.unexercised() == []
    assert exercised.brief == ""
    assert "nothing was left out" in invoke(stored)[1]


def test_scenarios_that_were_asked_and_not_played_are_named(tmp_path: Path) -> None:
    events = run_events([talk("big"), trace_of([("hi", "ho")], scenario="late")], judge)
    events = [
        e for e in events if not (e.kind == "case_judged" and e.trace.case.scenario == "late")
    ]
    stored = store(tmp_path / "run", events)

    (item,) = [item for item in exercised_by(stored).unexercised() if item.kind == "scenario"]

    assert (item.name, item.words) == ("late", "asked for, but no case of it was judged")


def test_the_exit_code_is_1_only_if_less_is_exercised_than_wanted(run: StoredRun) -> None:
    assert invoke(run, "--fail-under", "25")[0] == 0
    code, output = invoke(run, "--fail-under", "26")
    assert code == 1
    assert "too few checks: 25 %, 26 % are wanted" in output
    assert "too few goals" not in output


def test_everything_is_written_as_json_and_csv(run: StoredRun, tmp_path: Path) -> None:
    invoke(run, "-o", str(tmp_path / "c.json"))
    invoke(run, "-o", str(tmp_path / "c.csv"))

    data = json.loads((tmp_path / "c.json").read_text())
    assert data["counts"]["checks"] == {"exercised": 1, "all": 4}
    rows = list(csv.DictReader(io.StringIO((tmp_path / "c.csv").read_text())))
    assert [row["name"] for row in rows] == [item["name"] for item in data["items"]]
    assert {row["state"] for row in rows if row["exercised"] != "0"} == {"exercised"}


def test_another_kind_of_file_is_refused(run: StoredRun) -> None:
    with pytest.raises(Exception, match=r"expected a file that ends in \.json or \.csv"):
        invoke(run, "-o", "coverage.xml")


def test_a_run_without_conversations_ends_with_5(tmp_path: Path) -> None:
    stored = store(tmp_path / "run", run_events([]))
    assert invoke(stored, "--fail-under", "50")[0] == 5


def test_the_page_has_the_counts_and_what_is_missing(run: StoredRun, tmp_path: Path) -> None:
    reporter = FakeContext(base_dir=tmp_path).build(HtmlReporter, path="report.html")
    for event in run.events():
        reporter.handle(event)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")

    section = page[page.index('<section id="coverage"') :].partition("</section>")[0]
    assert "1 of 4 decided something" in section
    assert "rules/drinks" in section
    assert "rules/price" not in section


_OUTCOMES = st.sampled_from(sorted(Outcome))


@given(st.lists(st.tuples(_OUTCOMES, st.integers(1, 5)), min_size=1, max_size=8))
def test_a_check_is_exercised_exactly_if_it_decided(plays: list[tuple[Outcome, int]]) -> None:
    from sparring_plugins.reporting.exercised import Exercised

    exercised = Exercised()
    for outcome, count in plays:
        owned = outcome not in (Outcome.PASS, Outcome.SKIPPED)
        exercised.add_verdicts(
            [
                Verdict(
                    oracle="rules",
                    check="any",
                    outcome=outcome,
                    owner=Owner.APP if owned else None,
                    count=count,
                )
            ]
        )

    (item,) = exercised.items()
    assert item.tried == sum(count for _, count in plays)
    decided = sum(count for outcome, count in plays if outcome in (Outcome.PASS, Outcome.FAIL))
    assert item.exercised == decided
    assert bool(exercised.unexercised()) == (decided == 0)


@pytest.mark.parametrize(
    "meta",
    [{"goals": "no list"}, {"goals": [1, {"a": 2}], "goals_met": "no list"}, {"goals_met": [0]}],
    ids=str,
)
def test_meta_of_any_shape_is_borne(meta: dict[str, Any], tmp_path: Path) -> None:
    traces = [trace_of([("hi", "ho")], meta=meta)]
    stored = store(tmp_path / "run", run_events(traces, judge))
    goals = [item.name for item in exercised_by(stored).items("goal")]
    assert goals == (["1", '{"a": 2}'] if isinstance(meta.get("goals"), list) else [])
