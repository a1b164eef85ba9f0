"""The reporter `junit`: structure, counts, hostile content, and other people's readers."""

import io
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import junitparser
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sparring.engine.exit_codes import meaning
from sparring.errors import SparringError
from sparring.model.case import Case
from sparring.model.events import Event, RunFinished
from sparring.model.run import Inconclusive, Stop, Summary
from sparring.model.talk import (
    Artifact,
    Choice,
    Incident,
    IncidentKind,
    Observation,
    Trace,
)
from sparring.model.verdict import Outcome, Owner, TurnRef, Verdict
from sparring.testing import hostile
from sparring.testing.conversations import (
    EPOCH,
    Exchange,
    run_events,
    stored_run,
    trace_of,
    verdict_of,
)
from sparring.testing.fakes import FakeContext
from sparring_plugins.reporting.junit import JUnitReporter

COUNTS = ("tests", "failures", "errors", "skipped")

#: What the schema of Jenkins' plugin allows, and `file`, which GitLab and pytest's own first
#: format know: element → (attributes that must be there, others allowed, children allowed).
SCHEMA: dict[str, tuple[set[str], set[str], set[str]]] = {
    "testsuites": ({"tests", "failures", "errors"}, {"name", "time", "skipped"}, {"testsuite"}),
    "testsuite": (
        {"name", "tests", "failures", "errors", "skipped", "time", "timestamp"},
        {"hostname", "id", "package"},
        {"properties", "testcase", "system-out", "system-err"},
    ),
    "properties": (set(), set(), {"property"}),
    "property": ({"name", "value"}, set(), set()),
    "testcase": (
        {"name", "classname", "time"},
        {"file", "line", "assertions", "status"},
        {"properties", "skipped", "error", "failure", "system-out", "system-err"},
    ),
    "failure": ({"message", "type"}, set(), set()),
    "error": ({"message", "type"}, set(), set()),
    "skipped": ({"message"}, {"type"}, set()),
    "system-out": (set(), set(), set()),
}


def check_schema(element: ET.Element) -> None:
    """Hold an element and all below it against the rules above."""
    required, allowed, children = SCHEMA[element.tag]
    found = set(element.attrib)
    assert required <= found <= required | allowed, f"<{element.tag}> has {sorted(found)}"
    for name in COUNTS:
        assert name not in found or element.attrib[name].isdigit()
    if "time" in found:
        assert re.fullmatch(r"\d+\.\d{3}", element.attrib["time"])
    if "timestamp" in found:
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", element.attrib["timestamp"])
    tags = [child.tag for child in element]
    assert set(tags) <= children, f"<{element.tag}> holds {sorted(set(tags))}"
    if element.tag == "testcase":
        assert max(Counter(tags).values(), default=0) <= 1
        assert len({"failure", "error", "skipped"} & set(tags)) <= 1
    for child in element:
        check_schema(child)


def check_counts(root: ET.Element) -> None:
    """The counts of every suite are those of its cases, and the root's are their sums."""
    for suite in root:
        cases = suite.findall("testcase")
        real = [len(cases), *(len(suite.findall(f"testcase/{tag}")) for tag in TAGS)]
        assert [int(suite.attrib[name]) for name in COUNTS] == real
        assert len({case.attrib["name"] for case in cases}) == len(cases)
    for name in COUNTS:
        assert int(root.attrib[name]) == sum(int(suite.attrib[name]) for suite in root)


TAGS = ("failure", "error", "skipped")


def written(events: Iterable[Event], folder: Path, **config: Any) -> ET.Element:
    """Tell a reporter of events; the document that it wrote, checked."""
    context = FakeContext(base_dir=folder, run_dir=folder)
    reporter = context.build(JUnitReporter, **config)
    for event in events:
        reporter.handle(event)
    (path,) = reporter.written()
    root = ET.fromstring(path.read_bytes())
    check_schema(root)
    check_counts(root)
    junitparser.JUnitXml.fromfile(str(path))
    return root


def reported(folder: Path, traces: Sequence[Trace], verdicts: Any, **config: Any) -> ET.Element:
    """The document for a stored run of these traces."""
    concluded = config.pop("concluded", ())
    stored = stored_run(folder / "run", traces, verdicts, concluded=concluded, name="pizzeria")
    return written(stored.events(), folder, **config)


def only_case(root: ET.Element) -> ET.Element:
    (case,) = root.iter("testcase")
    return case


def test_a_suite_per_scenario_and_a_case_per_conversation(tmp_path: Path) -> None:
    scenarios = ("order", "hours", "order", "v1.2 menu")
    traces = [
        trace_of([("hi", "hello")], scenario=name, latencies=[1.5], nr=n)
        for n, name in enumerate(scenarios)
    ]
    root = reported(tmp_path, traces, lambda trace: [verdict_of(trace)])
    assert root.attrib["name"] == "pizzeria"
    assert [suite.attrib["name"] for suite in root] == ["order", "hours", "v1.2 menu"]
    assert [case.attrib["name"] for case in root[0].iter("testcase")] == [
        traces[0].case.id,
        traces[2].case.id,
    ]
    assert root[0].attrib["time"] == "3.000"
    assert [case.attrib["classname"] for case in root.iter("testcase")] == [
        "pizzeria.order",
        "pizzeria.order",
        "pizzeria.hours",
        "pizzeria.v1_2 menu",
    ]


@pytest.mark.parametrize("owner", list(Owner))
@pytest.mark.parametrize(("outcome", "tag"), [("fail", "failure"), ("error", "error")])
def test_a_fail_is_a_failure_and_an_error_an_error_whoever_owns_it(
    tmp_path: Path, outcome: str, tag: str, owner: Owner
) -> None:
    trace = trace_of([("hi", "hello")])
    verdict = verdict_of(trace, outcome, reason="the price is wrong")
    root = reported(tmp_path, [trace], [[verdict.model_copy(update={"owner": owner})]])
    found = only_case(root).find(tag)
    assert found is not None
    assert found.attrib == {
        "message": "rules / polite: the price is wrong",
        "type": f"{outcome}.{owner.value}",
    }


def test_a_failure_carries_the_verdicts_the_command_and_the_end_of_the_talk(
    tmp_path: Path,
) -> None:
    exchanges: list[Exchange] = [(f"question {n}", f"answer {n}") for n in range(20)]
    exchanges += [("pay", Observation(text="how?", choices=(Choice(label="cash"),)))]
    exchanges += [("bye", None)]
    incident = Incident(kind=IncidentKind.TIMEOUT, message="10 s", owner=Owner.APP, turn=21)
    trace = trace_of(exchanges, incidents=[incident])
    shown = (TurnRef(case_id=trace.case.id, turn=20),)
    first = verdict_of(trace, "fail", check="price", reason="wrong").model_copy(
        update={"turns": shown, "count": 3}
    )
    verdicts = [first, verdict_of(trace, "error", oracle="judge"), verdict_of(trace)]
    body = only_case(reported(tmp_path, [trace], [verdicts])).findtext("failure") or ""
    lines = body.splitlines()
    assert lines[0] == "[fail x3, owner: app] rules / price: wrong (turn 21)"
    assert lines[1] == "[error, owner: app] judge / polite: because of the test"
    assert lines[3].startswith("sparring show ")
    assert lines[3].endswith(trace.case.id)
    assert "... 10 earlier turns" in lines
    assert "question 9" not in body
    assert lines[-5:] == [
        "21 app: how? [cash]",
        "22 user: bye",
        "22 app: (no answer)",
        "timeout: 10 s",
        "ended: incident",
    ]


@pytest.mark.parametrize(
    ("outcomes", "tag", "message"),
    [
        (["pass", "inconclusive"], "error", "inconclusive: rules / polite: because of the test"),
        (["skipped"], "skipped", "skipped: no check applied"),
        ([], "skipped", "skipped: no check applied"),
        (["inconclusive", "error"], "error", "rules / polite: because of the test"),
        (["fail", "fail"], "failure", "rules / polite: because of the test (and 1 more)"),
    ],
)
def test_the_worst_verdict_decides(
    tmp_path: Path, outcomes: list[str], tag: str, message: str
) -> None:
    trace = trace_of([("hi", "hello")])
    root = reported(tmp_path, [trace], [[verdict_of(trace, outcome) for outcome in outcomes]])
    found = next(root.iter("testcase")).find(tag)
    assert found is not None
    assert found.attrib["message"] == message


def test_a_verdict_that_does_not_gate_fails_nothing(tmp_path: Path) -> None:
    trace = trace_of([("hi", "hello")])
    verdicts = [verdict_of(trace), verdict_of(trace, "fail", gating=False)]
    root = reported(tmp_path, [trace], [verdicts])
    assert root.attrib["failures"] == "0"


@pytest.mark.parametrize(
    ("gate", "tag"), [("error", "error"), ("fail", "failure"), ("allow", "skipped")]
)
def test_what_is_undecided_is_what_the_suites_gate_says(
    tmp_path: Path, gate: Inconclusive, tag: str
) -> None:
    traces = [trace_of([("hi", "hello")], nr=n) for n in range(2)]
    verdicts = [[verdict_of(traces[0])], [verdict_of(traces[1], "inconclusive")]]
    events = run_events(traces, verdicts, inconclusive=gate)
    cases = list(written(events, tmp_path).iter("testcase"))
    assert [[child.tag for child in case if child.tag in TAGS] for case in cases] == [[], [tag]]


RED = [
    pytest.param(Stop.COMPLETE, 3, "2 files could not be read", id="unread"),
    pytest.param(Stop.BUDGET, 4, "5 cases are played (budget.cases)", id="incomplete"),
    pytest.param(Stop.COMPLETE, 5, "", id="nothing judged"),
    pytest.param(Stop.BROKEN, 6, "strategy 'x': ask: it is broken", id="broken"),
    pytest.param(Stop.INTERRUPTED, 130, "interrupted", id="interrupted"),
]


@pytest.mark.parametrize(("stopped", "code", "reason"), RED)
def test_a_run_that_is_not_green_has_a_test_case_that_says_so(
    tmp_path: Path, stopped: Stop, code: int, reason: str
) -> None:
    trace = trace_of([("hi", "hello")])
    events = run_events([trace], [[verdict_of(trace)]])[:-1]
    summary = Summary(stopped=stopped, exit_code=code, reason=reason)
    root = written([*events, RunFinished(at=EPOCH, summary=summary)], tmp_path)
    assert (root.attrib["tests"], root.attrib["errors"]) == ("2", "1")
    case = list(root.iter("testcase"))[-1]
    assert case.attrib["name"] == "sparring / run"
    error = case.find("error")
    assert error is not None
    assert error.attrib["message"] == f"exit code {code}: {meaning(summary)}"
    assert reason in (error.text or "")


def test_a_run_whose_cases_show_why_it_is_not_green_needs_no_other(tmp_path: Path) -> None:
    trace = trace_of([("hi", "hello")])
    for outcome in ("fail", "error"):
        events = run_events([trace], [[verdict_of(trace, outcome)]])[:-1]
        summary = Summary(stopped=Stop.INTERRUPTED, exit_code=130)
        root = written([*events, RunFinished(at=EPOCH, summary=summary)], tmp_path)
        assert only_case(root).attrib["name"] == trace.case.id


def test_strict_turns_inconclusive_into_failure(tmp_path: Path) -> None:
    trace = trace_of([("hi", "hello")])
    root = reported(tmp_path, [trace], [[verdict_of(trace, "inconclusive")]], strict=True)
    assert root.attrib["failures"] == "1"


def test_a_run_that_failed_for_being_strict_has_a_failure(tmp_path: Path) -> None:
    trace = trace_of([("hi", "hello")])
    events = run_events([trace], [[verdict_of(trace, "inconclusive")]])[:-1]
    strict = Summary(exit_code=1, strict=True, gating={Outcome.INCONCLUSIVE: 1})
    root = written([*events, RunFinished(at=EPOCH, summary=strict)], tmp_path)
    assert root.attrib["failures"] == "1"


def test_an_interrupted_strict_run_has_a_failure_and_a_lenient_one_has_none(
    tmp_path: Path,
) -> None:
    trace = trace_of([("hi", "hello")])
    events = run_events([trace], [[verdict_of(trace, "inconclusive")]])[:-1]
    for strict, failures in ((True, "1"), (False, "0")):
        summary = Summary(stopped=Stop.INTERRUPTED, exit_code=130, strict=strict)
        root = written([*events, RunFinished(at=EPOCH, summary=summary)], tmp_path)
        assert root.attrib["failures"] == failures


def test_the_message_is_the_authors_and_the_text_has_the_whole_reason(tmp_path: Path) -> None:
    trace = trace_of([("hi", "hello")])
    reason = "too dear (`" + "price == 1 and " * 60 + "True` is false: price is 2)"
    case = only_case(reported(tmp_path, [trace], [[verdict_of(trace, "fail", reason=reason)]]))
    failure = case.find("failure")
    assert failure is not None
    assert failure.attrib["message"] == "rules / polite: too dear"
    assert reason in (failure.text or "")


def test_conditions_over_several_conversations_are_a_suite_of_their_own(tmp_path: Path) -> None:
    traces = [trace_of([("hi", "hello")], nr=n) for n in range(3)]
    ids = [trace.case.id for trace in traces]
    base = verdict_of(traces[0], "fail", check="unique", reason="twice 417")
    concluded = [
        base.model_copy(update={"case_ids": tuple(ids[:2])}),
        verdict_of(traces[0], "pass", check="unique").model_copy(update={"count": 40}),
        verdict_of(traces[0], "pass", check="monotone").model_copy(update={"case_ids": ()}),
    ]
    root = reported(tmp_path, traces, lambda trace: [verdict_of(trace)], concluded=concluded)
    suite = root[-1]
    assert suite.attrib["name"] == "conditions over several conversations"
    names = [case.attrib["name"] for case in suite.iter("testcase")]
    assert names == ["rules / unique", "rules / monotone"]
    failure = suite.findtext("testcase/failure") or ""
    assert failure.startswith("[fail, owner: app] rules / unique: twice 417")
    assert all(f"{case_id}" in failure for case_id in ids[:2])
    counts = {p.attrib["name"]: p.attrib["value"] for p in suite[1].iter("property")}
    assert counts == {"checks.fail": "1", "checks.pass": "40"}


def test_repeats_of_a_case_are_one_test_case_with_counts(tmp_path: Path) -> None:
    traces = [
        trace_of(
            [("hi", "hello")],
            case=Case.of("talk", {"nr": nr}, run_seed=0, repeat=repeat),
            latencies=[0.5],
        )
        for repeat in (1, 2, 3)
        for nr in (1, 2)
    ]

    def judge(trace: Trace) -> list[Verdict]:
        bad = trace.case.params["nr"] == 1 and trace.case.repeat == 2
        return [verdict_of(trace, "fail" if bad else "pass")]

    root = reported(tmp_path, traces, judge)
    cases = {case.attrib["name"]: case for case in root.iter("testcase")}
    assert set(cases) == {traces[0].case.id, traces[1].case.id}
    flaky = cases[traces[0].case.id]
    failure = flaky.find("failure")
    assert failure is not None
    assert failure.attrib["message"].startswith("1 of 3 repeats: rules / polite")
    named = {p.attrib["name"]: p.attrib["value"] for p in flaky.iter("property")}
    assert named["repeats"] == "3"
    assert (named["repeats.pass"], named["repeats.fail"]) == ("2", "1")
    assert named["repeats.shown"] == f"{traces[0].case.id}.2"
    assert flaky.attrib["time"] == "1.500"


def test_ids_that_only_look_like_repeats_are_not_lost(tmp_path: Path) -> None:
    cases = [Case(id=name, scenario="talk") for name in ("a", "a.2", "b.7", ".3")]
    traces = [trace_of([("hi", "hello")], case=case) for case in cases]
    root = reported(tmp_path, traces, lambda trace: [verdict_of(trace)])
    names = sorted(case.attrib["name"] for case in root.iter("testcase"))
    assert names == [".3", "a", "a.2", "b.7"]


def test_properties_tell_seed_parameters_and_counts(tmp_path: Path) -> None:
    trace = trace_of([("hi", "hello")], size="big", toppings=["ham", "olives"], note="a\nb")
    root = reported(tmp_path, [trace], [[verdict_of(trace), verdict_of(trace, "skipped")]])
    named = {p.attrib["name"]: p.attrib["value"] for p in only_case(root).iter("property")}
    assert named == {
        "seed": str(trace.case.seed),
        "turns": "1",
        "ended": "script_done",
        "param.size": "big",
        "param.toppings": '["ham", "olives"]',
        "param.note": "a b",
        "checks.pass": "1",
        "checks.skipped": "1",
    }
    of_run = {p.attrib["name"] for p in root.findall("testsuite/properties/property")}
    assert {"run", "seed", "stopped"} <= of_run


def test_the_file_is_the_profile_and_relative_to_where_it_was_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    source = str(tmp_path / "profiles" / "order.yml")
    trace = trace_of([("hi", "hello")], meta={"source": source})
    root = reported(tmp_path, [trace], [[verdict_of(trace)]])
    assert only_case(root).attrib["file"] == "profiles/order.yml"


def test_artifacts_are_attachments_and_none_lies_outside_of_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    paths = ["shots/1.png", "../../etc/passwd", "/etc/passwd", "a]].png", "a\nb.png", "x\0y"]
    artifacts = [Artifact(name="shot", media_type="image/png", path=path) for path in paths]
    trace = trace_of([("hi", "hello")]).model_copy(update={"artifacts": tuple(artifacts)})
    root = reported(tmp_path, [trace], [[verdict_of(trace)]])
    assert only_case(root).findtext("system-out") == "[[ATTACHMENT|run/shots/1.png]]"


def test_ids_are_stable_when_a_case_is_added_before(tmp_path: Path) -> None:
    traces = [trace_of([("hi", "hello")], nr=n) for n in range(3)]
    names: list[set[str]] = []
    for number, played in enumerate((traces[1:], traces)):
        root = reported(tmp_path / str(number), played, lambda trace: [verdict_of(trace)])
        names.append({case.attrib["name"] for case in root.iter("testcase")})
    assert names[0] < names[1]


def test_live_and_afterwards_give_the_same_bytes(tmp_path: Path) -> None:
    traces = hostile.traces()
    events = list(stored_run(tmp_path / "run", traces, lambda t: [verdict_of(t, "fail")]).events())
    live = ET.tostring(written(events, tmp_path))
    assert ET.tostring(written([events[0], events[-1]], tmp_path)) == live


def test_hostile_conversations_are_legal_xml(tmp_path: Path) -> None:
    traces = hostile.traces()
    texts = [hostile.storable(text) for text in hostile.TEXTS]

    def judge(trace: Trace) -> list[Verdict]:
        return [verdict_of(trace, "fail", oracle=t[:80], check=t[:80], reason=t) for t in texts]

    root = reported(tmp_path, traces, judge, concluded=judge(traces[0]))
    assert int(root.attrib["failures"]) > len(traces)
    assert "\\x1b[31mred" in (tmp_path / "run" / "junit.xml").read_text("utf-8")


@given(text=st.text(st.characters(exclude_categories=("Cs",))), other=st.text(max_size=40))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_gives_legal_xml(
    tmp_path_factory: pytest.TempPathFactory, text: str, other: str
) -> None:
    folder = tmp_path_factory.mktemp("run")
    name = hostile.storable(other)
    case = Case(id=f"id-{text}", scenario=text, params={name: text})
    trace = trace_of([(text, text)], case=case, meta={"source": text})
    verdict = verdict_of(trace, "fail", oracle=name, check=text, reason=text)
    reported(folder, [trace], [[verdict]], concluded=[verdict])


def test_a_huge_answer_is_cut(tmp_path: Path) -> None:
    trace = trace_of([("hi", "x" * 3_000_000)] * 3)
    reported(tmp_path, [trace], [[verdict_of(trace, "fail", reason="y" * 100_000)]])
    assert (tmp_path / "run" / "junit.xml").stat().st_size < 20_000


def test_an_empty_run_is_an_error(tmp_path: Path) -> None:
    root = reported(tmp_path, [], ())
    assert (root.attrib["tests"], root.attrib["errors"]) == ("1", "1")
    assert only_case(root).attrib["name"] == "sparring / run"


def test_junitparser_sees_what_we_mean(tmp_path: Path) -> None:
    traces = [trace_of([("hi", "hello")], nr=n) for n in range(4)]
    outcomes = ["pass", "fail", "error", "inconclusive"]
    verdicts = [[verdict_of(t, o)] for t, o in zip(traces, outcomes, strict=True)]
    reported(tmp_path, traces, verdicts)
    (suite,) = junitparser.JUnitXml.fromfile(str(tmp_path / "run" / "junit.xml"))
    kinds = [[type(result).__name__ for result in case.result] for case in suite]
    assert kinds == [[], ["Failure"], ["Error"], ["Error"]]
    assert [case.is_passed for case in suite] == [True, False, False, False]


# --- where it is written --------------------------------------------------------------------


def test_a_path_starts_from_the_folder_of_the_suite(tmp_path: Path) -> None:
    context = FakeContext(base_dir=tmp_path / "suite", run_dir=tmp_path / "run")
    reporter = context.build(JUnitReporter, path="reports/out.xml")
    for event in run_events([]):
        reporter.handle(event)
    assert reporter.written() == (tmp_path / "suite" / "reports" / "out.xml",)
    assert [p.name for p in (tmp_path / "suite" / "reports").iterdir()] == ["out.xml"]


def test_a_dash_is_standard_output(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    reporter = FakeContext(base_dir=tmp_path).build(JUnitReporter, path="-")
    trace = trace_of([("hi", "héllo 日本")])
    for event in run_events([trace], [[verdict_of(trace, "fail")]]):
        reporter.handle(event)
    assert reporter.written() == ()
    root = ET.parse(io.StringIO(capsys.readouterr().out)).getroot()
    assert "héllo 日本" in (only_case(root).findtext("failure") or "")


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    reporter = FakeContext(base_dir=tmp_path).build(JUnitReporter, path="file/out.xml")
    *events, last = run_events([])
    for event in events:
        reporter.handle(event)
    with pytest.raises(SparringError, match=r"the report .*out\.xml cannot be written"):
        reporter.handle(last)


def test_a_report_that_fails_midway_leaves_the_old_one(tmp_path: Path) -> None:
    trace = trace_of([("hi", "hello")])
    stored = stored_run(tmp_path / "run", [trace], [[verdict_of(trace)]])
    events = list(stored.events())
    written(events, tmp_path)
    before = (tmp_path / "run" / "junit.xml").read_bytes()
    log = tmp_path / "run" / "log.jsonl"
    log.write_bytes(log.read_bytes().replace(b'"turns":[', b'"turns":{['))
    reporter = FakeContext(base_dir=tmp_path).build(JUnitReporter)
    reporter.handle(events[0])
    with pytest.raises(SparringError, match="is damaged"):
        reporter.handle(events[-1])
    assert (tmp_path / "run" / "junit.xml").read_bytes() == before
    assert {p.name for p in (tmp_path / "run").iterdir()} == {"run.json", "log.jsonl", "junit.xml"}


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"path": ""}, "path: string should have at least 1 character"),
        ({"strict": "perhaps"}, "strict: input should be a valid boolean"),
        ({"pth": "x"}, "Did you mean 'path'?"),
    ],
)
def test_wrong_settings_are_named(tmp_path: Path, config: dict[str, Any], message: str) -> None:
    with pytest.raises(SparringError) as caught:
        FakeContext(base_dir=tmp_path).build(JUnitReporter, **config)
    assert message in str(caught.value)
