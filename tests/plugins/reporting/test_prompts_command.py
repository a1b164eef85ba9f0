"""`sparring prompts render ROLE`: what a role would be asked now, with nobody asked."""

import re
from pathlib import Path

import pytest
import yaml
from tests.core.engine.conftest import FAKES, fake_suite

from sparring.cli.app import invoke
from sparring.engine.conduct import RunOptions, conduct
from sparring.store import StoredRun
from sparring.suite.reading import load_suite

ANSWERS = {"*": '{"answer": "yes", "evidence": ["hello"], "reason": "it greets", "sure": 1.0}'}

SYSTEM = """{% extends "judge.jinja" %}
{% block task %}
{{ super() }}
Judge as strictly as a lighthouse keeper.
{% endblock %}
"""


def write_suite(folder: Path, *, model: bool) -> Path:
    judge = {
        "use": "judge",
        "question": "Is it polite?",
        "judges": [{"use": "model", "prompts": "prompts"}],
    }
    suite = fake_suite(2, oracles=[judge if model else {"use": f"{FAKES}FakeOracle"}])
    if model:
        suite["llm"] = {"use": f"{FAKES}FakeLLM", "answers": ANSWERS, "temperature": 0.5}
    (folder / "prompts").mkdir(exist_ok=True)
    (folder / "prompts" / "judge.jinja").write_text('{% extends "judge.jinja" %}', encoding="utf-8")
    path = folder / "suite.yaml"
    path.write_text(yaml.safe_dump(suite), encoding="utf-8")
    return path


def play(path: Path) -> tuple[str, str]:
    """Run a suite; returns the folder of its run and the id of its first case."""
    done = conduct(load_suite(path), RunOptions())
    assert done.folder is not None
    return str(done.folder), StoredRun(done.folder).case_ids[0]


def test_a_changed_prompt_is_shown_before_anybody_is_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run, case_id = play(write_suite(tmp_path, model=True))
    before = sorted(path.name for path in tmp_path.rglob("*"))
    assert invoke(["prompts", "render", "judge", run, "--case", case_id[:-2]]) == 0
    unchanged = capsys.readouterr().out
    assert "Is it polite?" in unchanged
    assert re.fullmatch(r"\$ \d prompts?, about [\d,]+ tokens in all", unchanged.splitlines()[-1])
    assert "  answer" not in unchanged.replace("  answer schema", "")

    (tmp_path / "prompts" / "judge.jinja").write_text(SYSTEM, encoding="utf-8")
    assert invoke(["prompts", "render", "judge", run, "--case", case_id]) == 0
    changed = capsys.readouterr().out
    assert "as strictly as a lighthouse keeper" in changed
    assert "lighthouse" not in unchanged
    assert before == sorted(path.name for path in tmp_path.rglob("*")), "nothing is stored"


def test_a_role_that_was_never_asked_can_be_rendered(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A judge that is new in the suite has no answers in the stored run."""
    run, case_id = play(write_suite(tmp_path, model=False))
    assert invoke(["prompts", "render", "judge", run, "--case", case_id]) == 2
    assert "no part of the suite uses one" in capsys.readouterr().err
    oracles = 'oracles=[{use: judge, question: "Is it polite?"}]'
    command = ["prompts", "render", "judge", run, "--case", case_id, "--set", oracles]
    assert invoke(command) == 0
    assert "Is it polite?" in capsys.readouterr().out


def test_a_misspelt_role_and_a_missing_case_name_the_nearest(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run, case_id = play(write_suite(tmp_path, model=True))
    assert invoke(["prompts", "render", "jugde", run, "--case", case_id]) == 2
    assert "asked are: judge. Did you mean 'judge'?" in capsys.readouterr().err
    assert invoke(["prompts", "render", "judge", run, "--case", "nothing"]) == 2
    assert "has no case 'nothing'" in capsys.readouterr().err
