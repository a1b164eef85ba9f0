"""TodoMVC in two frameworks, tested by one suite in plain language without a model.

SPARRING_TODOMVC names a checkout of ``tastejs/todomvc`` (at ff43b02 when this was written); without it
these tests are skipped.
"""

from pathlib import Path

import pytest
from tests.evaluation.web.conftest import named
from tests.evaluation.web.miniwob import serve
from tests.evaluation.web.playing import play

SUITE = Path(__file__).parent / "todomvc" / "suite.yaml"

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("framework", ["react", "vue"])
def test_all_verdicts_on_a_list_of_todos_are_as_expected_and_come_again(
    framework: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = serve(named("SPARRING_TODOMVC"))
    address = f"http://127.0.0.1:{server.server_port}/examples/{framework}/dist/"
    monkeypatch.setenv("TODO_URL", address)
    try:
        played = play(SUITE, tmp_path, repeats=2)
    finally:
        server.shutdown()
        server.server_close()
    assert played.wrong == []
    assert len(played.records) == 2 * 15
    assert all(record.strict for record in played.records)
    assert played.expected_fails == 2 * 4
    assert played.differing == []
    assert played.observed == [1.0] * 15
