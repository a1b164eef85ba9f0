"""The suite of ``sparring init --template web`` on pages that hang and crash: never green."""

from importlib.resources import files
from pathlib import Path
from shutil import copytree

import pytest

from sparring.engine.conduct import RunOptions, conduct
from sparring.model.verdict import Outcome, Owner, Verdict
from sparring.store import StoredRun
from sparring.suite.reading import load_suite

from .conftest import Site, play

pytestmark = pytest.mark.thorough

TEMPLATE = Path(str(files("sparring_plugins.project").joinpath("templates", "web")))
GREETINGS = (TEMPLATE / "site" / "index.html").read_text(encoding="utf-8")
FOREVER = "while (true) {}"
SUBMIT = "event.preventDefault();"
NAME = "document.querySelector('input')"


def at_the_end(script: str) -> str:
    return GREETINGS.replace("</body>", f"<script>{script}</script></body>")


def on_submit(script: str) -> str:
    assert SUBMIT in GREETINGS
    return GREETINGS.replace(SUBMIT, SUBMIT + script)


#: Pages on which neither test case of the template can come to its end.
HOSTILE = {
    "hangs as it loads": at_the_end(FOREVER),
    "hangs once it is there": at_the_end(f"addEventListener('load', () => {{ {FOREVER} }})"),
    "hangs after a click": on_submit(FOREVER),
    "hangs a moment after a click": on_submit(f"setTimeout(() => {{ {FOREVER} }}, 60);"),
    "shows dialogs for ever": on_submit("while (true) alert('again');"),
    "waits for a server that never answers": on_submit("location.href = '/never';"),
}


@pytest.fixture(autouse=True)
def _any_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """The machine that runs the tests may be as slow as it likes to show a blank page."""
    monkeypatch.setattr("sparring_connectors.browser.failures._LEAST_S", 120.0)
    monkeypatch.setattr("sparring.time_limits.SHARE", 2.0)


def run(folder: Path, url: str) -> tuple[int, dict[str, list[Verdict]]]:
    """Run the template's suite; its exit code, and the verdicts by test case."""
    copytree(TEMPLATE, folder / "web")
    changes = {
        "app.url": url,
        "app.timeout": {"navigation_s": 3, "action_s": 15},
        "app.settle": {"cap_s": 1},
        "reporters": [],
    }
    done = conduct(load_suite(folder / "web", changes), RunOptions(runs=folder / "runs"))
    assert done.folder is not None
    cases = {one.trace.case.scenario: list(one.verdicts) for one in StoredRun(done.folder).judged()}
    return done.summary.exit_code, cases


def test_the_page_of_the_template_passes(site: Site, tmp_path: Path) -> None:
    site.pages["greetings"] = GREETINGS
    code, cases = run(tmp_path, f"{site.url}/greetings")
    assert code == 0, cases
    assert len(cases) == 2


@pytest.mark.parametrize("name", HOSTILE)
def test_a_page_that_hangs_is_an_error_of_the_app(name: str, site: Site, tmp_path: Path) -> None:
    site.pages["hostile"] = HOSTILE[name]
    code, cases = run(tmp_path, f"{site.url}/hostile")
    assert code == 3
    assert len(cases) == 2
    for verdicts in cases.values():
        steps = next(one for one in verdicts if one.check == "steps")
        assert (steps.outcome, steps.owner) == (Outcome.ERROR, Owner.APP), steps.reason
        assert {one.outcome for one in verdicts if one is not steps} == {Outcome.SKIPPED}


def test_a_page_that_hangs_while_somebody_types_ends_its_case(site: Site, tmp_path: Path) -> None:
    typed = f"{NAME}.addEventListener('input', () => {{ {FOREVER} }});"
    site.pages["typed"] = at_the_end(typed)
    code, cases = run(tmp_path, f"{site.url}/typed")
    assert code == 3
    outcomes = {name: verdicts[0].outcome for name, verdicts in cases.items()}
    assert outcomes == {
        "Greet somebody": Outcome.ERROR, "Nobody is greeted without a name": Outcome.PASS,
    }  # fmt: skip


def test_a_crash_after_the_first_words_is_an_error_of_the_app(site: Site, tmp_path: Path) -> None:
    site.pages["greetings"] = GREETINGS
    steps = ["Click on 'Greet'", "Open 'chrome://crash'", "Assert that 'Hello' is displayed"]
    done = play(tmp_path, [{"name": "crash", "steps": steps}], f"{site.url}/greetings")
    assert done.conducted.summary.exit_code == 3
    first, last = done.cases["crash"][0].verdicts
    assert (first.outcome, first.owner) == (Outcome.ERROR, Owner.APP)
    assert "step 2" in first.reason
    assert "crashed" in first.reason
    assert last.outcome is Outcome.SKIPPED
