"""Django's own admin, tested by a suite in plain language without a model.

SPARRING_DJANGO_PYTHON names an interpreter that has Django 5; without it these tests are skipped.
"""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.evaluation.web.conftest import named
from tests.evaluation.web.playing import play

HERE = Path(__file__).parent / "django_admin"

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def admin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The admin's address."""
    python = named("SPARRING_DJANGO_PYTHON")
    command = [str(python), str(HERE / "server.py"), str(tmp_path_factory.mktemp("admin"))]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.terminate()


def test_all_verdicts_on_the_admin_are_as_expected_and_come_again(
    admin: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ADMIN_URL", admin)
    monkeypatch.setenv("ADMIN_PASSWORD", "countess")
    played = play(HERE / "suite.yaml", tmp_path, repeats=2)
    assert played.wrong == []
    assert len(played.records) == 2 * 26
    assert all(record.strict for record in played.records)
    assert played.expected_fails == 2 * 5
    assert played.differing == []
    assert played.observed == [1.0] * 26
