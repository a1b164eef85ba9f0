"""The reporters `github` and `sarif`: places in the user's files, and hostile texts."""

import json
from pathlib import Path

import pytest

from sparring.cli.app import invoke
from sparring.model.run import Summary
from sparring.model.verdict import Finding, Outcome, Owner, Verdict
from sparring.testing.conversations import run_events, store, trace_of, verdict_of
from sparring.testing.fakes import FakeContext
from sparring.testing.hostile import TEXTS
from sparring_plugins.gating.gate_result import GateResult, Rate, Rules
from sparring_plugins.reporting.fault_places import PlacedFault
from sparring_plugins.reporting.findings import Fault
from sparring_plugins.reporting.github import GitHubReporter, annotations, code
from sparring_plugins.reporting.sarif import SarifReporter


def report(
    folder: Path, reporter: type, verdicts: list[Verdict], meta: dict[str, str] | None = None
) -> None:
    trace = trace_of([("hi", "hello")], meta=meta)
    events = run_events([trace], [verdicts], folder=folder / "run")
    store(folder / "run", events)
    part = FakeContext(base_dir=folder).build(reporter, path="out")
    for event in events:
        part.handle(event)


def fail(**details: object) -> Verdict:
    return Verdict(
        oracle="rules",
        check="total",
        outcome="fail",
        owner=Owner.APP,
        reason="wrong total, 100% sure:\nsee",
        details=details,
    )


def test_a_finding_is_annotated_at_its_rule(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    (tmp_path / "rules.yaml").write_text("name: total\n", encoding="utf-8")
    report(tmp_path, GitHubReporter, [fail(file="rules.yaml", line=3)])
    out = capsys.readouterr().out
    expected = "::error title=rules / total,file=rules.yaml,line=3::wrong total, 100%25 sure: see\n"
    assert expected in out


def test_files_of_a_suite_in_a_folder_are_named_from_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A job runs at the top of a repository; verdicts name files as the suite does."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    suite = tmp_path / "tests"
    bot = "def answer(message):\n    return '{name}'\n"
    (tmp_path / "bot.py").write_text(bot, encoding="utf-8")
    arguments = ["--for", "python", "--answer", "target=bot.py:answer", "--force"]
    assert invoke(["init", "tests", *arguments]) == 0
    assert invoke(["run", "tests", "-o", "github=summary.md"]) == 1
    rules = (suite / "rules" / "basics.yaml").read_text("utf-8").splitlines()
    line = next(n for n, text in enumerate(rules, 1) if text.startswith("then: len(error_traces"))
    assert (
        f"file=tests/rules/basics.yaml,line={line}::No answer shows a stack"
        in capsys.readouterr().out
    )
    assert f"`tests/rules/basics.yaml:{line}`" in Path("summary.md").read_text("utf-8")


def test_else_at_the_profile_that_was_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    (tmp_path / "buyer.yml").touch()
    report(tmp_path, GitHubReporter, [fail()], {"source": str(tmp_path / "buyer.yml")})
    assert "file=buyer.yml,line=1::" in capsys.readouterr().out


def test_files_outside_the_working_folder_are_not_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    (tmp_path / "secret.yaml").touch()
    report(tmp_path, GitHubReporter, [fail(file=str(tmp_path / "secret.yaml"), line=1)])
    assert "secret.yaml" not in capsys.readouterr().out + (tmp_path / "out").read_text("utf-8")


def test_outside_of_github_nothing_is_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report(tmp_path, GitHubReporter, [fail()])
    assert capsys.readouterr().out == ""
    assert "`rules / total`" in (tmp_path / "out").read_text("utf-8")


@pytest.mark.parametrize("text", [*TEXTS, "a|b`c`", "<img src=x>", "@everyone ![x](http://e.vil)"])
def test_what_an_app_says_is_code_in_markdown(text: str) -> None:
    shown = code(text)
    assert "\n" not in shown
    assert shown == "" or (shown.startswith("`") and shown.endswith("`") and shown.count("`") == 2)
    assert "|" not in shown.replace("\\|", "")


def test_a_finding_of_sarif_has_a_place_and_a_lasting_fingerprint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my rules.yaml").write_text("name: total\n", encoding="utf-8")
    prints = []
    for number in (1, 2):
        folder = tmp_path / str(number)
        verdict = fail(file="my rules.yaml", line=3).model_copy(
            update={"reason": f"total of order {number} is wrong"}
        )
        report(folder, SarifReporter, [verdict, verdict_of(trace_of([]), "pass")])
        document = json.loads((folder / "out").read_text("utf-8"))
        assert document["version"] == "2.1.0"
        (run,) = document["runs"]
        (result,) = run["results"]
        place = result["locations"][0]["physicalLocation"]
        assert place["artifactLocation"]["uri"] == "my%20rules.yaml"
        assert place["region"]["startLine"] == 3
        assert (result["level"], result["ruleId"]) == ("error", "rules/total")
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == "rules/total"
        prints.append(result["partialFingerprints"]["sparring/v1"])
    assert prints[0] == prints[1]


def test_a_finding_that_the_baseline_accepts_blocks_no_merge(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The exit code is 0, so that code scanning must show no error either."""
    monkeypatch.chdir(tmp_path)
    bot = "def answer(message):\n    return 'hello {name}'\n"
    (tmp_path / "bot.py").write_text(bot, encoding="utf-8")
    arguments = ["--for", "python", "--answer", "target=bot.py:answer", "--force"]
    assert invoke(["init", "tests", *arguments]) == 0
    assert invoke(["run", "tests", "-o", "sarif=first.sarif"]) == 1
    assert invoke(["bless", "--runs", "tests/runs", "-o", "baseline.yaml"]) == 0
    again = ["run", "tests", "-o", "sarif=again.sarif", "--baseline", "baseline.yaml"]
    assert invoke(again) == 0
    first, second = (
        json.loads(Path(name).read_text("utf-8"))["runs"][0]["results"]
        for name in ("first.sarif", "again.sarif")
    )
    assert "error" in {result["level"] for result in first}
    assert {result["level"] for result in second} == {"note"}
    assert all(result["suppressions"][0]["kind"] == "external" for result in second)


def test_a_flaky_finding_is_a_warning_beside_one_that_fails_the_run() -> None:
    def placed(check: str) -> PlacedFault:
        finding = Finding(
            oracle="rules",
            check=check,
            outcome=Outcome.FAIL,
            owner=Owner.APP,
            reason="wrong",
            count=1,
            case_ids=("order.2",),
        )
        return PlacedFault(Fault(1, finding, 1, ("order.2",)), None)

    rates = [
        Rate(
            case_id="order",
            check=f"rules/{check}",
            decision=decision,
            passed=1,
            decided=2,
            low=0.1,
            high=0.9,
            plays=".x",
        )
        for check, decision in (("price", "flaky"), ("total", "fail"))
    ]
    gate = GateResult(rules=Rules(), repeated=True, rates=rates).model_dump(mode="json")
    lines = list(annotations([placed("price"), placed("total")], Summary(exit_code=1, gate=gate)))
    assert [line.partition(" ")[0] for line in lines] == ["::warning", "::error"]
