"""Suites as items of pytest, through the front door of pytest."""

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
import yaml

from sparring.store import StoredRun

REPOSITORY = Path(__file__).parents[3]

SUITE = """
name: drinks
app: {use: echo}
agent: {use: user-simulator, profiles: profiles/*.yaml}
oracles:
  - generic-failures
  - {use: rules, files: rules/*.yaml}
reporters: [console, html]
"""
PROFILE = """
test_name: {name}
user:
  role: You order a drink.
  goals:
    - "a {{{{drink}}}}, please"
    - drink: {{function: forward(), type: string, data: [{drink}]}}
chatbot: {{output: []}}
conversation: {{number: 1}}
"""
RULE = """
name: no_tea
then: "'tea' not in conv[0].drink"
on-error: f"the drink is {conv[0].drink}"
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A suite with a scenario that passes and one that fails."""
    folder = tmp_path_factory.mktemp("drinks")
    (folder / "drinks.sparring.yaml").write_text(SUITE)
    for name, drink in (("likes coffee", "coffee"), ("likes tea", "tea")):
        path = folder / "profiles" / f"{drink}.yaml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(PROFILE.format(name=name, drink=drink))
    (folder / "rules").mkdir()
    (folder / "rules" / "no_tea.yaml").write_text(RULE)
    return folder


def run(folder: Path, *arguments: str) -> tuple[int, str]:
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:langsmith_plugin",
    ]
    done = subprocess.run(
        [*command, "-q", *arguments], cwd=folder, capture_output=True, text=True, check=False,
        timeout=120, env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr


def test_each_case_is_an_item_and_a_failure_can_be_read(folder: Path) -> None:
    code, said = run(folder)
    assert code == 1, said
    assert "1 failed, 1 passed" in said
    assert "FAIL  rules / no_tea" in said
    assert "the drink is ['tea']" in said
    assert "report.html" in said
    assert "sparring show runs/" in said
    assert str(folder) not in said.partition("rootdir")[0]
    assert "Traceback" not in said


@pytest.mark.thorough
@pytest.mark.parametrize(
    "workers",
    [
        pytest.param([], id="one process"),
        pytest.param(
            ["-p", "xdist", "-n", "2", "--dist", "load"], id="xdist", marks=pytest.mark.thorough
        ),
    ],
)
def test_all_items_of_a_suite_are_played_in_one_run(folder: Path, workers: list[str]) -> None:
    before = set((folder / "runs").glob("*"))
    _, told = run(folder, *workers)
    assert "1 failed, 1 passed" in told
    assert len(set((folder / "runs").glob("*")) - before) == 1


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        pytest.param(
            ["--collect-only"],
            0,
            "drinks.sparring.yaml::likes-tea-",
            id="listed",
            marks=pytest.mark.thorough,
        ),
        pytest.param(["-k", "coffee"], 0, "1 passed, 1 deselected", id="selected by scenario"),
        pytest.param(
            ["-k", "water"], 5, "2 deselected", id="nothing selected", marks=pytest.mark.thorough
        ),
        pytest.param(
            ["-o", "sparring_suites=*.none"],
            5,
            "no tests ran",
            id="other patterns",
            marks=pytest.mark.thorough,
        ),
    ],
)
def test_pytest_selects_and_lists(folder: Path, arguments: list[str], code: int, said: str) -> None:
    ended, told = run(folder, *arguments)
    assert ended == code, told
    assert said in told


def test_a_faulty_suite_is_an_error_of_collection(tmp_path: Path) -> None:
    (tmp_path / "bad.sparring.yaml").write_text("name: bad\napp: {use: ecco}\nagent: x\n")
    code, told = run(tmp_path)
    assert code == 2, told
    assert "ecco" in told
    assert "echo" in told
    assert "Traceback" not in told


@pytest.mark.thorough
def test_a_suite_with_another_name_is_collected_where_it_is_named(folder: Path) -> None:
    (folder / "suite.yaml").write_text(SUITE)
    code, told = run(folder, "suite.yaml", "-k", "coffee")
    assert code == 0, told
    assert "1 passed" in told


FAKES = "sparring.testing.fakes:"
ODD = "tests.cli.odd_parts:"


def playing(*scenarios: str) -> dict[str, Any]:
    """An agent that plays scenarios without variables."""
    space = {"scenarios": [{"name": name} for name in scenarios]}
    return {"use": f"{FAKES}FakePlayer", "space": space}


def fakes(**changes: Any) -> dict[str, Any]:
    """A suite of two scenarios, of which each has one case that passes; with changes."""
    data = {
        "app": {"use": f"{FAKES}FakeConnector"},
        "agent": playing("first", "second"),
        "strategy": {"use": f"{FAKES}FakeStrategy"},
        "oracles": [{"use": f"{FAKES}FakeOracle"}],
        "reporters": [],
        "concurrency": 1,
        **changes,
    }
    return {key: value for key, value in data.items() if value is not None}


def saying(*outcomes: str, **changes: Any) -> dict[str, Any]:
    """A suite whose oracles say this of every case."""
    oracles = [{"use": f"{FAKES}FakeOracle", "name": one, "judges": one} for one in outcomes]
    return fakes(oracles=oracles, **changes)


TOLD = "the fake oracle was told to say so"
BOTH = ("first", "second")
OUTCOMES: dict[str, tuple[dict[str, Any], dict[str, tuple[str, str]]]] = {
    "passes": (fakes(), dict.fromkeys(BOTH, ("passed", ""))),
    "fails": (saying("pass", "fail"), dict.fromkeys(BOTH, ("failed", TOLD))),
    "errs": (saying("pass", "error"), dict.fromkeys(BOTH, ("failed", TOLD))),
    "undecided": (saying("pass", "inconclusive"), dict.fromkeys(BOTH, ("failed", TOLD))),
    "undecided-fails": (
        saying("pass", "inconclusive", gate={"inconclusive": "fail"}),
        dict.fromkeys(BOTH, ("failed", TOLD)),
    ),
    "undecided-allowed": (
        saying("pass", "inconclusive", gate={"inconclusive": "allow"}),
        dict.fromkeys(BOTH, ("skipped", f"inconclusive: {TOLD}")),
    ),
    "all-skipped": (saying("skipped"), dict.fromkeys(BOTH, ("skipped", "nothing applied"))),
    "some-skipped": (saying("skipped", "pass"), dict.fromkeys(BOTH, ("passed", ""))),
    "no-oracles": (fakes(oracles=[]), dict.fromkeys(BOTH, ("skipped", "nothing was judged"))),
    "nothing-gates": (
        fakes(oracles=[{"use": f"{FAKES}FakeOracle", "gating": False}]),
        dict.fromkeys(BOTH, ("skipped", "nothing was judged")),
    ),
    "incomplete": (
        fakes(budget={"cases": 1}),
        {"first": ("passed", ""), "second": ("failed", "incomplete: the budget was spent")},
    ),
    "stopped-by-a-failure": (  # a second case is begun while the first is judged, a third is not
        saying("fail", budget={"failures": 1}, agent=playing("first", "second", "third")),
        {"first": ("failed", TOLD), "third": ("skipped", "not played")},
    ),
    "asks-nothing": (
        fakes(strategy={"use": f"{ODD}SilentStrategy"}),
        dict.fromkeys(BOTH, ("failed", "not played")),
    ),
    "strategy-breaks": (
        fakes(strategy={"use": f"{ODD}RaisingStrategy"}),
        dict.fromkeys(BOTH, ("failed", "no more ideas")),
    ),
    "reporter-breaks": (
        fakes(reporters=[{"use": f"{ODD}RaisingReporter"}]),
        dict.fromkeys(BOTH, ("failed", "internal error")),
    ),
    "connector-cancelled": (
        fakes(app={"use": f"{ODD}CancellingConnector"}, oracles=None),
        dict.fromkeys(BOTH, ("failed", "CancelledError")),
    ),
    "connector-exits": (
        fakes(app={"use": f"{ODD}ExitingConnector"}, oracles=None),
        dict.fromkeys(BOTH, ("failed", "SystemExit")),
    ),
}

NUMBER = re.compile(r"-[0-9a-f]{16}$")
"""What makes the id of a case unique, in names of items."""

Outcomes = dict[tuple[str, str], tuple[str, str]]


def outcomes_of(folder: Path, *arguments: str) -> tuple[int, Outcomes]:
    """What became of the items of the suites in a folder, and with which words."""
    report = folder / "items.xml"
    code, said = run(folder, f"--junitxml={report}", *arguments)
    assert report.is_file(), said
    found: Outcomes = {}
    for case in ET.parse(report).getroot().iter("testcase"):
        suite = case.attrib["classname"].removesuffix(".sparring.yaml")
        marks = {"failure": "failed", "skipped": "skipped", "error": "error"}
        mark = next((child for child in case if child.tag in marks), None)
        words = "" if mark is None else f"{mark.attrib.get('message')}\n{mark.text}"
        outcome = "passed" if mark is None else marks[mark.tag]
        found[suite, NUMBER.sub("", case.attrib["name"])] = (outcome, words)
    return code, found


def laid_out(folder: Path, suites: Mapping[str, Mapping[str, Any]]) -> None:
    """Write suites; each is called as its file."""
    for name, data in suites.items():
        text = yaml.safe_dump({"name": name, **data, "runs": f"runs/{name}"})
        (folder / f"{name}.sparring.yaml").write_text(text)


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Outcomes:
    """All suites of the table, played by one call of pytest."""
    folder = tmp_path_factory.mktemp("table")
    laid_out(folder, {name: data for name, (data, _) in OUTCOMES.items()})
    code, found = outcomes_of(folder)
    assert code == 1
    return found


@pytest.mark.parametrize("name", OUTCOMES)
def test_an_item_ends_as_the_command_line_does(name: str, table: Outcomes) -> None:
    for scenario, (outcome, words) in OUTCOMES[name][1].items():
        became, said = table[name, scenario]
        assert became == outcome, said
        assert words in said


@pytest.mark.thorough
@pytest.mark.parametrize(("setting", "outcome"), [("skip", "skipped"), ("error", "failed")])
def test_pytests_own_setting_goes_before_the_suites_gate(
    tmp_path: Path, setting: str, outcome: str
) -> None:
    gate = {"inconclusive": "allow" if outcome == "failed" else "error"}
    laid_out(tmp_path, {"doubt": saying("pass", "inconclusive", gate=gate)})
    _, found = outcomes_of(tmp_path, "-o", f"sparring_inconclusive={setting}")
    assert {became for became, _ in found.values()} == {outcome}


@pytest.mark.thorough
def test_an_unknown_setting_is_named(tmp_path: Path) -> None:
    laid_out(tmp_path, {"doubt": saying("inconclusive")})
    _, found = outcomes_of(tmp_path, "-o", "sparring_inconclusive=skipp")
    assert all("expected one of error, fail, allow, skip" in said for _, said in found.values())


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"app": {"use": f"{ODD}ExitingAtBirth"}}, "SystemExit"),
        ({"agent": playing()}, "no scenario"),
    ],
)
@pytest.mark.thorough
def test_a_suite_that_cannot_be_collected_is_an_error(
    tmp_path: Path, changes: dict[str, Any], words: str
) -> None:
    laid_out(tmp_path, {"odd": fakes(**changes), "good": fakes()})
    code, said = run(tmp_path)
    assert code == 2, said
    assert words in said


PARAMS = [{"size": size} for size in ("small", "large", "huge")]


@pytest.fixture(scope="module")
def sizes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three cases of one scenario, and a condition over pairs that two of them break."""
    folder = tmp_path_factory.mktemp("sizes")
    rule = """name: same_size
conversations: 2
if: conv[0].size == 'small' and conv[1].size == 'huge'
then: "False"
"""
    (folder / "rule.yaml").write_text(rule)
    laid_out(
        folder,
        {
            "sizes": fakes(
                agent={"use": f"{FAKES}FakePlayer", "lines": ["hi"]},
                app="echo",
                strategy={"use": f"{FAKES}FakeStrategy", "params": PARAMS},
                oracles=[{"use": f"{FAKES}FakeOracle"}, {"use": "rules", "files": "rule.yaml"}],
            )
        },
    )
    return folder


def runs_of(folder: Path) -> list[StoredRun]:
    return [StoredRun(path.parent) for path in folder.glob("runs/*/*/run.json")]


@pytest.mark.thorough
def test_a_condition_over_several_conversations_has_an_item_of_its_own(sizes: Path) -> None:
    _, told = run(sizes, "-vv")
    assert "3 passed" in told
    assert "1 failed" in told
    assert "sizes.sparring.yaml::rules / same_size FAILED" in told
    assert told.count("more:   sparring show") == 2


@pytest.mark.thorough
def test_a_single_case_is_selected_by_its_id_or_a_value(sizes: Path) -> None:
    _, listed = run(sizes, "--collect-only", "-k", "large")
    (name,) = [line for line in listed.splitlines() if "::" in line]
    before = {stored.folder for stored in runs_of(sizes)}
    code, told = run(sizes, name)
    assert code == 0, told
    assert "1 passed" in told
    (played,) = [each for each in runs_of(sizes) if each.folder not in before]
    assert played.case_ids == (name.partition("::")[2],)


@pytest.mark.thorough
def test_a_condition_alone_is_judged_over_all_cases(sizes: Path) -> None:
    before = {stored.folder for stored in runs_of(sizes)}
    code, told = run(sizes, "sizes.sparring.yaml::rules / same_size")
    assert code == 1, told
    assert "1 failed" in told
    (played,) = [each for each in runs_of(sizes) if each.folder not in before]
    assert len(played.case_ids) == 3


@pytest.mark.thorough
def test_a_search_has_one_item_that_counts_all_its_cases(tmp_path: Path) -> None:
    strategy = {"use": f"{FAKES}FakeBatchStrategy", "params": PARAMS}
    search = saying("fail", strategy=strategy, agent=playing("first"))
    laid_out(tmp_path, {"search": search})
    _, found = outcomes_of(tmp_path)
    assert list(found) == [("search", "first")]
    outcome, words = found["search", "first"]
    assert outcome == "failed"
    assert words.count("FAIL  fail / told") == 2 * len(PARAMS)  # in the message and the body


@pytest.mark.thorough
@pytest.mark.parametrize(("flaky", "outcome"), [("warn", "passed"), ("fail", "failed")])
def test_the_gate_decides_on_a_case_that_is_flaky(tmp_path: Path, flaky: str, outcome: str) -> None:
    (tmp_path / "parts.py").write_text(SECOND_FAILS)
    gate = {"flaky": flaky, "min_rate": 0.5}
    suite = fakes(
        oracles=["parts:SecondFails"], repeats=3, gate=gate, agent=playing("only"), reporters=[]
    )
    laid_out(tmp_path, {"often": suite})
    _, found = outcomes_of(tmp_path)
    assert {name: became for (_, name), (became, _) in found.items()} == {"only": outcome}


SECOND_FAILS = """
from sparring.testing.fakes import FakeOracle
from sparring import Outcome, Owner


class SecondFails(FakeOracle):
    async def judge(self, trace):
        (verdict,) = await super().judge(trace)
        fails = trace.case.repeat == 2
        change = {"outcome": Outcome.FAIL, "reason": "the second", "owner": Owner.APP}
        return [verdict.model_copy(update=change if fails else {})]
"""
