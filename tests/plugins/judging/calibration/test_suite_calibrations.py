"""A calibration named in a suite: read, compared with the judge at work, carried into reports."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from sparring.engine.conduct import RunOptions, conduct
from sparring.errors import ConfigurationError
from sparring.model.run import MeasuredJudge
from sparring.store import StoredRun
from sparring.suite.building import SuiteContext, build
from sparring.suite.reading import load_suite
from sparring.testing.conversations import EPOCH
from sparring_plugins.judging.calibration.calibrate import CalibrateOptions, calibrate
from sparring_plugins.judging.calibration.file_loading import load_calibration
from sparring_plugins.output.judge_words import judge_words

RULE = "name: short\nconversations: 1\noracle: len(chatbot_phrases[0]) < 20\n"
ORACLE: dict[str, Any] = {"oracle": "rules", "files": "rule.yaml"}


@pytest.fixture
def result(tmp_path: Path) -> Path:
    """The calibration of a rule, right in three of four cases."""
    (tmp_path / "rule.yaml").write_text(RULE, encoding="utf-8")
    return calibrated(tmp_path, [ORACLE])


def calibrated(folder: Path, judges: list[dict[str, Any]], **keys: Any) -> Path:
    examples = [
        {"conversation": [{"user": "hi"}, {"app": said}], "expected": right}
        for said, right in (("hi", "pass"), ("hello", "pass"), ("x" * 30, "fail"), ("bye", "fail"))
    ]
    data = {"name": "c", "judges": judges, "examples": examples, **keys}
    (folder / "c.yaml").write_text(yaml.safe_dump(data), encoding="utf-8")
    return calibrate(load_calibration(folder / "c.yaml"), CalibrateOptions()).folder


def suite(folder: Path, calibration: str, **oracle: Any) -> Path:
    use = {"use": "rules", "files": "rule.yaml", "name": "brief", "calibration": calibration}
    data = {
        "name": "s",
        "app": {"use": "echo"},
        "agent": {
            "use": "sparring.testing.fakes:FakePlayer",
            "lines": ["a sentence of some length"],
        },
        "strategy": {"use": "sparring.testing.fakes:FakeStrategy", "params": [{"n": 1}]},
        "oracles": [{**use, **oracle}],
        "reporters": ["console", "html", "junit"],
    }
    path = folder / "suite.yaml"
    path.write_text(yaml.safe_dump(data), encoding="utf-8")
    return path


def built(path: Path) -> SuiteContext:
    loaded = load_suite(path)
    context = SuiteContext(loaded.base_dir, llm=loaded.suite.llm)
    build(loaded.suite, context, loaded.document)
    return context


def test_every_report_shows_what_was_measured_beside_the_verdicts(
    tmp_path: Path, result: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    done = conduct(load_suite(suite(tmp_path, str(result))), RunOptions())
    assert done.warnings == []
    assert done.folder is not None
    found = StoredRun(done.folder).manifest.judges["brief"]
    assert (found.judge, found.accuracy, found.examples) == ("rules", 0.75, 4)
    words = "0.75 accurate [0.30–0.95] on 4 examples, 2.2σ"
    assert judge_words(found) == words
    out = capfd.readouterr().out
    plain = "0.75 accurate [0.30-0.95] on 4 examples, 2.2 sigma"
    assert f"      judge: {plain}" in out
    assert f"judges   brief: {plain}" in out
    page = (done.folder / "report.html").read_text(encoding="utf-8")
    assert f"judge: {words}" in page
    assert "Judge of <b>brief</b>" in page
    junit = (done.folder / "junit.xml").read_text(encoding="utf-8")
    assert f'<property name="judge.brief" value="{words}" />' in junit
    assert f"judge of brief: {words}" in junit


def test_a_calibration_is_named_by_its_file_or_its_folder(tmp_path: Path, result: Path) -> None:
    file = result / "calibration.json"
    for named in (str(result), str(file), f"{file}#rules", str(file.relative_to(tmp_path))):
        context = built(suite(tmp_path, named))
        assert context.measured["brief"].calibration == named
        assert context.warnings == []
        assert any(name.endswith("calibration.json") for name in context.inputs)


def test_another_judge_than_the_measured_one_is_told(tmp_path: Path, result: Path) -> None:
    def warned(**oracle: Any) -> str:
        (warning,) = built(suite(tmp_path, str(result), **oracle)).warnings
        return warning

    assert "measured another judge (rules): its settings differ: work" in warned(work=1000)
    data = yaml.safe_load(suite(tmp_path, str(result)).read_text(encoding="utf-8"))
    data["oracles"] = [{"use": "generic-failures", "calibration": str(result)}]
    (tmp_path / "suite.yaml").write_text(yaml.safe_dump(data), encoding="utf-8")
    (warning,) = built(tmp_path / "suite.yaml").warnings
    assert "the oracle 'rules', not 'generic-failures'" in warning
    (tmp_path / "rule.yaml").write_text(RULE.replace("20", "25"), encoding="utf-8")
    assert "changed since: rule.yaml" in warned()


def test_another_model_than_the_measured_one_is_told(tmp_path: Path, result: Path) -> None:
    file = result / "calibration.json"
    data = json.loads(file.read_text(encoding="utf-8"))
    data["judges"][0]["llm"] = {"use": "scripted", "script": "s.yaml", "model": "small"}
    file.write_text(json.dumps(data), encoding="utf-8")
    (warning,) = built(suite(tmp_path, str(file))).warnings
    assert "it asked scripted small, while the suite names no llm" in warning


def test_an_agent_that_the_oracle_does_not_use_is_told(tmp_path: Path, result: Path) -> None:
    file = result / "calibration.json"
    data = json.loads(file.read_text(encoding="utf-8"))
    data["judges"][0] |= {"kind": "agent", "role": "judge", "use": "model", "target": "x:Y"}
    file.write_text(json.dumps(data), encoding="utf-8")
    (warning,) = built(suite(tmp_path, str(file))).warnings
    assert "the agent 'model', which this oracle does not use" in warning


def test_of_several_judges_the_one_that_is_meant_is_taken(tmp_path: Path, result: Path) -> None:
    judges = [ORACLE, {**ORACLE, "name": "brief"}, {**ORACLE, "name": "third"}]
    several = calibrated(tmp_path, judges)
    assert built(suite(tmp_path, str(several))).measured["brief"].judge == "brief"
    named = f"{several}#third"
    assert built(suite(tmp_path, named)).measured["brief"].judge == "third"
    with pytest.raises(ConfigurationError, match=r"measured several judges; say which: .*#NAME"):
        built(suite(tmp_path, str(several), name="other"))
    with pytest.raises(ConfigurationError, match=r"measured no 'thrid'. Did you mean 'third'\?"):
        built(suite(tmp_path, f"{several}#thrid"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "suite.yaml:9: oracles[0].calibration: 'other.json' is no file"),
        ("", "is no result of 'sparring calibrate'"),
        ("{}", "is no result of 'sparring calibrate': id: Field required"),
        ('{"id": "\\ud800"}', "is no result of 'sparring calibrate'"),
        ("[" * 100_000, "is no result of 'sparring calibrate'"),
    ],
)
def test_what_is_no_calibration_is_refused(
    tmp_path: Path, result: Path, text: str | None, message: str
) -> None:
    if text is not None:
        (tmp_path / "other.json").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationError) as caught:
        built(suite(tmp_path, "other.json"))
    assert message in str(caught.value)
    assert "other.json" in str(caught.value)


def test_a_calibration_of_a_newer_sparring_is_refused(tmp_path: Path, result: Path) -> None:
    file = result / "calibration.json"
    data = json.loads(file.read_text(encoding="utf-8")) | {"schema_version": 99}
    file.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(ConfigurationError, match="was written by a newer sparring"):
        built(suite(tmp_path, str(file)))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, "accuracy unknown on 120 examples"),
        ({"accuracy": 0.9332, "low": 0.88, "high": 0.96, "level": 3.0},
         "0.93 accurate [0.88–0.96] on 120 examples, 3.0σ"),
        ({"accuracy": 1.0, "low": 0.97, "high": 1.0, "level_low": 3.4},
         "1.00 accurate [0.97–1.00] on 120 examples, at least 3.4σ"),
        ({"accuracy": 0.5, "answers": 100, "unusable": 7},
         "0.50 accurate on 120 examples, 7% of its answers unusable"),
    ],
)  # fmt: skip
def test_what_is_known_of_a_judge_fits_in_a_line(changes: dict[str, Any], words: str) -> None:
    judge = MeasuredJudge(judge="j", calibration="c", created=EPOCH, examples=120, **changes)
    assert judge_words(judge) == words
    assert judge_words(judge, ascii_only=True).isascii()
