"""A third party's package beside Sparring's wheel: its own tests, and the command."""

import json
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

# installs wheels in an environment of its own: half a minute; `make wheel` builds them each time
pytestmark = [pytest.mark.slow, pytest.mark.thorough]

TEMPLATE = "sparring-template"
PARTS = {
    ("sparring.connectors", "command"),
    ("sparring.oracles", "plain-speech"),
    ("sparring.functions", "words_per_answer"),
}

BOT = """
import sys
for line in sys.stdin:
    print("You said", line.strip(), flush=True)
"""

SUITE = """
name: by lines
app:
  use: command
  command: [{python}, -I, bot.py]
agent:
  use: sparring.testing.fakes:FakePlayer
  lines: [hello, how are you]
strategy:
  use: sparring.testing.fakes:FakeStrategy
oracles:
  - use: plain-speech
    never_says: [{never}]
reporters: [console]
"""


def listed(fresh: Any, cwd: Path, *options: str) -> list[dict[str, Any]]:
    done = fresh.run("sparring", "plugins", "--json", *options, cwd=cwd, code=None)
    rows: list[dict[str, Any]] = json.loads(done.stdout)
    return rows


def test_sparring_comes_from_its_wheel(fresh: Any, tmp_path: Path, repository: Path) -> None:
    code = "import sparring, sparring_plugins, sparring_connectors as c; "
    code += "print(sparring.__file__, sparring_plugins.__file__, c.__file__)"
    found = fresh.run("python", "-c", code, cwd=tmp_path).stdout
    assert str(repository) not in found
    assert found.count("site-packages") == 3


def test_bundled_and_foreign_plugins_are_listed_alike(fresh: Any, tmp_path: Path) -> None:
    rows = listed(fresh, tmp_path)
    mine = {(row["group"], row["name"]) for row in rows if row["package"] == TEMPLATE}
    assert mine == PARTS
    assert ("sparring.connectors", "echo") in {(row["group"], row["name"]) for row in rows}
    assert not [row for row in rows if row["problem"]]


def test_foreign_packages_propose_profiles(fresh: Any, tmp_path: Path) -> None:
    listed = fresh.run("sparring", "profiles", "sources", cwd=tmp_path).stdout
    assert [line.split()[0] for line in listed.splitlines()] == ["rasa", "taskyto"]


def test_all_plugins_import_from_the_wheels(fresh: Any, tmp_path: Path) -> None:
    problems = {row["name"]: row["problem"] for row in listed(fresh, tmp_path, "--check")}
    assert not {name: problem for name, problem in problems.items() if problem}


@pytest.mark.thorough
def test_the_packages_own_tests_pass(
    fresh: Any, contributions: Sequence[Path], tmp_path: Path
) -> None:
    for project in contributions:
        copy = tmp_path / project.name
        shutil.copytree(project / "tests", copy / "tests")
        shutil.copy(project / "pyproject.toml", copy)
        done = fresh.run("python", "-m", "pytest", "-q", "-p", "no:cacheprovider", cwd=copy)
        assert " passed" in done.stdout


@pytest.mark.parametrize(("never", "code"), [("sorry", 0), ("said", 1)])
def test_a_suite_names_foreign_parts_like_any_others(
    fresh: Any, tmp_path: Path, never: str, code: int
) -> None:
    (tmp_path / "bot.py").write_text(BOT)
    python = json.dumps(sys.executable)
    (tmp_path / "suite.yaml").write_text(SUITE.format(python=python, never=never))
    done = fresh.run("sparring", "run", "suite.yaml", cwd=tmp_path, code=code)
    assert ("never_says" in done.stdout) == bool(code)


def test_settings_of_foreign_parts_are_checked_with_file_and_line(
    fresh: Any, tmp_path: Path
) -> None:
    suite = SUITE.format(python="python", never="sorry").replace("never_says", "never_say")
    (tmp_path / "suite.yaml").write_text(suite)
    done = fresh.run("sparring", "validate", "suite.yaml", cwd=tmp_path, code=2)
    shown = " ".join((done.stdout + done.stderr).split())
    assert "suite.yaml:13" in shown
    assert "Did you mean 'never_says'?" in shown
    assert "Traceback" not in shown


def test_foreign_parts_are_in_the_schema(fresh: Any, tmp_path: Path) -> None:
    schema = fresh.run("sparring", "schema", cwd=tmp_path).stdout
    assert "never_says" in schema
    assert "end_mark" in schema


def test_foreign_plugins_can_be_switched_off(
    fresh: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPARRING_PLUGINS", "")
    assert {row["package"] for row in listed(fresh, tmp_path)} == {"sparring"}


@pytest.mark.thorough
def test_types_reach_those_who_use_the_wheel(
    fresh: Any, contributions: Sequence[Path], tmp_path: Path
) -> None:
    pytest.importorskip("mypy")
    mypy = [sys.executable, "-m", "mypy", "--strict", "--python-executable", str(fresh.python)]
    (tmp_path / "consumer.py").write_text(
        "from sparring import Case, Oracle, Trace, Verdict\n"
        "from sparring_template.oracle import PlainSpeech\n"
        "reveal_type(Case.of)\n"
        "reveal_type(PlainSpeech.judge)\n"
        "class Wrong(Oracle):  # type: ignore[type-arg]\n"
        "    async def judge(self, trace: str) -> list[Verdict]: ...\n"
    )
    done = fresh.run(*mypy, "consumer.py", cwd=tmp_path, code=1)
    assert 'Argument 1 of "judge" is incompatible with supertype' in done.stdout
    assert "sparring.model.case.Case" in done.stdout
    assert "trace: sparring.model.talk.Trace" in done.stdout
    for project in contributions:
        fresh.run(*mypy, "--package", project.name.replace("-", "_"), cwd=tmp_path)
