"""The pizzeria's suites and its demo, through the front door."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from demo import at_a_desktop

from sparring.cli.app import invoke
from sparring.model.verdict import Outcome, Verdict
from sparring.store import StoredRun, find_run

from .conftest import Serve

FOUND_BY = {
    "late-toppings": ("same_toppings_same_price", "custom_*"),
    "number-words": ("numbers_in_words", "party"),
    "drink-lost": ("drinks_survive_changes", "change_of_mind"),
    "short-numbers": ("order_numbers_are_unique", "*"),
    "reused-number": ("new_order_new_number", "cancels"),
    "closed-table": ("no_table_when_closed", "table"),
    "zero-cans": ("no_response", "odd_quantities"),
    "same-question": ("does_not_just_ask_again", "off_menu"),
    "no-in-words": ("questions_are_no_refusals", "curious"),
    "one-answer": ("every_question_is_answered", "questions"),
}
"""Weak spots of the bot: the check of the suite that shows each, and the customers who do."""


def demo(pizzeria: Path, runs: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(pizzeria / "demo.py"), "--no-open", "--runs", str(runs), *options],
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
        env={**os.environ, "NO_COLOR": "1"},
    )


def timeless(verdicts: Iterable[Verdict]) -> Iterator[Verdict]:
    """Verdicts without that on how fast the bot answers, which is the busy machine's business."""
    return (verdict for verdict in verdicts if verdict.check != "answers_quickly")


def all_verdicts(run: StoredRun) -> Iterator[Verdict]:
    for judged in run.judged():
        yield from timeless(judged.verdicts)
    yield from timeless(run.concluded)


def failed_checks(run: StoredRun) -> set[str]:
    return {verdict.check for verdict in all_verdicts(run) if verdict.outcome is Outcome.FAIL}


def told(run: StoredRun) -> dict[str, Any]:
    """Everything said, learnt and judged, without times."""
    cases = {
        judged.trace.case.id: {
            "said": [(turn.act, turn.observation) for turn in judged.trace.turns],
            "outputs": judged.trace.outputs,
            "ended": judged.trace.ended,
            "verdicts": [_portless(verdict) for verdict in timeless(judged.verdicts)],
        }
        for judged in run.judged()
    }
    return {**cases, "": [_portless(verdict) for verdict in run.concluded]}


def _portless(verdict: Verdict) -> str:
    return re.sub(r"127\.0\.0\.1:\d+", "", verdict.model_dump_json())


@pytest.fixture(scope="module")
def as_it_is(
    pizzeria: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[subprocess.CompletedProcess[str], StoredRun]:
    """The demo, played once."""
    runs = tmp_path_factory.mktemp("runs")
    done = demo(pizzeria, runs)
    assert done.returncode == 0, done.stdout + done.stderr
    return done, find_run("last", runs)


@pytest.mark.parametrize("name", ["suite.yaml", "suite-sensei.yaml"])
def test_the_suite_names_its_schema_first(pizzeria: Path, name: str) -> None:
    first = (pizzeria / name).read_text().splitlines()[0]
    assert first.startswith("# yaml-language-server: $schema=")


def test_the_suite_is_valid(pizzeria: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(["validate", str(pizzeria / "suite.yaml")]) == 0, capsys.readouterr().err


def test_both_suites_reach_the_app_in_the_same_way(pizzeria: Path) -> None:
    def app(name: str) -> str:
        text = (pizzeria / name).read_text()
        return text[text.index("\napp:") : text.index("\nagent:")]

    assert app("suite.yaml") == app("suite-sensei.yaml")


def test_senseis_files_must_be_named(
    pizzeria: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("SENSEI_DATA", raising=False)
    assert invoke(["validate", str(pizzeria / "suite-sensei.yaml")]) == 2
    assert "SENSEI_DATA" in capsys.readouterr().err


def test_the_demo_says_what_was_found_and_where_the_report_is(
    as_it_is: tuple[subprocess.CompletedProcess[str], StoredRun],
) -> None:
    done, run = as_it_is
    played = re.search(r"(\d+) conversations", done.stdout)
    assert played
    assert int(played[1]) == len(run.case_ids) >= 50
    report = Path(done.stdout.strip().splitlines()[-1].removeprefix("The report: "))
    assert report.suffix == ".html"
    assert "Pizzeria Lucia" in report.read_text()
    assert "\x1b" not in done.stdout


def test_the_demo_finds_the_bots_weak_spots(
    as_it_is: tuple[subprocess.CompletedProcess[str], StoredRun],
) -> None:
    done, run = as_it_is
    checks = {check for check, _ in FOUND_BY.values()}
    assert checks <= failed_checks(run)
    assert all(check in done.stdout for check in checks)


def test_the_demo_stops_the_server(
    as_it_is: tuple[subprocess.CompletedProcess[str], StoredRun],
) -> None:
    address = re.search(r"http://[\d.]+:\d+", as_it_is[0].stdout)
    assert address
    parts = urlsplit(address[0])
    with pytest.raises(OSError, match="refused"):
        socket.create_connection((parts.hostname or "", parts.port or 0), timeout=5)


@pytest.mark.thorough
def test_nothing_is_found_where_everything_is_repaired(pizzeria: Path, tmp_path: Path) -> None:
    done = demo(pizzeria, tmp_path, "--repaired=all")
    assert done.returncode == 0, done.stdout + done.stderr
    run = find_run("last", tmp_path)
    failed = [v for v in all_verdicts(run) if v.outcome in (Outcome.FAIL, Outcome.ERROR)]
    assert not failed, [(verdict.check, verdict.case_ids, verdict.reason) for verdict in failed]


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("weak_spot", "check", "who"),
    [  # those that a single kind of customer shows are soon played
        pytest.param(spot, check, who, marks=pytest.mark.thorough if number % 5 else ())
        for number, (spot, (check, who)) in enumerate(FOUND_BY.items())
    ],
)
def test_repairing_a_weak_spot_silences_its_rule(
    pizzeria: Path,
    serve: Serve,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    weak_spot: str,
    check: str,
    who: str,
) -> None:
    monkeypatch.setenv("PIZZERIA_URL", serve("--repaired", weak_spot))
    options = ["-k", who, "--set", 'reporters=["junit"]', "--runs", str(tmp_path)]
    assert invoke(["run", str(pizzeria / "suite.yaml"), *options]) in (0, 1, 3)
    run = find_run("last", tmp_path)
    assert check not in failed_checks(run)
    assert check in {verdict.check for verdict in all_verdicts(run)}


@pytest.mark.thorough  # the combinations of all parts are played one by one and side by side, too
def test_concurrency_changes_nothing(
    pizzeria: Path, as_it_is: tuple[subprocess.CompletedProcess[str], StoredRun], tmp_path: Path
) -> None:
    done = demo(pizzeria, tmp_path, "--", "--concurrency=1")
    assert done.returncode == 0, done.stdout + done.stderr
    assert told(find_run("last", tmp_path)) == told(as_it_is[1])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--suite", "nowhere.yaml"), "ended with exit code 2"),
        (("--", "-k", "questions"), "only 2 conversations were played"),
    ],
)
@pytest.mark.thorough
def test_a_demo_that_does_not_work_says_so(
    pizzeria: Path, tmp_path: Path, options: tuple[str, ...], message: str
) -> None:
    done = demo(pizzeria, tmp_path, *options)
    assert done.returncode == 1
    assert message in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "kill",
    [
        signal.SIGTERM,
        *(
            pytest.param(kill, marks=pytest.mark.thorough)
            for kill in (signal.SIGINT, signal.SIGKILL)
        ),
    ],
)
def test_the_server_stops_when_the_demo_is_stopped(
    pizzeria: Path, tmp_path: Path, kill: signal.Signals
) -> None:
    process = subprocess.Popen(
        [sys.executable, str(pizzeria / "demo.py"), "--no-open", "--runs", str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    address = process.stdout.readline().split(" at ")[1].split()[0].rstrip(".")
    process.send_signal(kill)
    process.communicate(timeout=60)
    assert process.returncode == (130 if kill != signal.SIGKILL else -signal.SIGKILL)
    assert _closes(address)


def _closes(address: str, within_s: float = 120) -> bool:
    parts = urlsplit(address)
    until = time.monotonic() + within_s
    while time.monotonic() < until:
        try:
            socket.create_connection((parts.hostname or "", parts.port or 0), timeout=1).close()
        except OSError:
            return True
    return False


@pytest.mark.parametrize(
    ("environment", "platform", "terminal", "opened"),
    [
        ({"DISPLAY": ":0"}, "linux", True, True),
        ({"WAYLAND_DISPLAY": "wayland-0"}, "linux", True, True),
        ({}, "linux", True, False),
        ({"DISPLAY": ":0"}, "linux", False, False),
        ({"DISPLAY": ":0", "CI": "true"}, "linux", True, False),
        ({"SSH_CONNECTION": "10.0.0.1"}, "darwin", True, False),
        ({}, "darwin", True, True),
    ],
)
def test_the_report_is_opened_only_at_a_desktop(
    environment: dict[str, str], platform: str, terminal: bool, opened: bool
) -> None:
    assert at_a_desktop(environment, platform, terminal=terminal) is opened


def test_senseis_own_profiles_and_rules_run_unchanged(
    pizzeria: Path,
    serve: Serve,
    shared_data: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("PIZZERIA_URL", serve())
    monkeypatch.setenv("SENSEI_DATA", str(shared_data))
    code = invoke(["run", str(pizzeria / "suite-sensei.yaml"), "--runs", str(tmp_path)])
    assert code in (0, 1), capsys.readouterr().err
    run = find_run("last", tmp_path)
    played = {judged.trace.meta["profile"] for judged in run.judged()}
    assert played >= {"custom_eval", "qa_eval", "predefined_eval", "pizza_order_test_custom"}
    outcomes: dict[str, set[Outcome]] = {}
    for verdict in all_verdicts(run):
        outcomes.setdefault(verdict.check, set()).add(verdict.outcome)
    assert Outcome.PASS in outcomes["unique_ids"] | outcomes["more_toppings_cost_more"]
    prices = [output for judged in run.judged() for output in judged.trace.outputs]
    assert any(output.name == "price" and output.value for output in prices)
    assert json.dumps([str(output.value) for output in prices])
