"""Pages that go on by a clock, hang and answer late: a replay gives the same verdicts, to the byte."""

from pathlib import Path

import pytest

from sparring.cli.app import invoke
from sparring.store import StoredRun

from .conftest import Done, Site, play

TICKING = """<!doctype html><title>Clock</title><h1>Clock</h1><p id="shown">0</p>
<button onclick="location.href = '/never'">Leave</button>
<button onmousemove="this.style.left = Math.random() * 300 + 'px'" disabled>Frozen</button>
<script>setInterval(() => { shown.textContent = Math.round(performance.now() / 50) }, 50)</script>
"""
STILL = "<!doctype html><title>Still</title><h1>Still</h1><a href='/ticking'>Clock</a>"

#: Two checks that wait one after the other; acts on what is not ready; what never comes.
TESTS = [
    {
        "name": "checks",
        "steps": [
            "Assert that the text 'No such tick' is displayed",
            "Assert that the text 'Another tick' is displayed",
            "Assert that the heading 'Clock' is displayed",
        ],
    },
    {"name": "not ready", "steps": ["Click on the button 'Frozen'"]},
    {"name": "not there", "steps": ["Click on the button 'Nowhere'"]},
    {
        "name": "leaving",
        "steps": ["Click on the button 'Leave'", "Assert that 'Left' is displayed"],
    },
    {
        "name": "tomorrow",
        "start": "/still",
        "steps": ["Assert that 'Still' is displayed", "Click on 'Clock'"],
    },
]


def verdicts(folder: Path) -> dict[str, list[str]]:
    run = StoredRun(folder)
    lines = {
        judged.trace.case.id: [verdict.model_dump_json() for verdict in judged.verdicts]
        for judged in run.judged()
    }
    return lines | {"": [verdict.model_dump_json() for verdict in run.concluded]}


def replayed(done: Done) -> Path:
    before = set(done.folder.parent.iterdir())
    invoke(["replay", str(done.folder)])
    (folder,) = set(done.folder.parent.iterdir()) - before
    return folder


@pytest.mark.thorough
def test_a_replay_gives_the_same_verdicts_as_the_run(site: Site, tmp_path: Path) -> None:
    site.pages |= {"ticking": TICKING, "still": STILL}
    # Long enough for a busy machine to open and read a page that goes on 20 times a second.
    app = {"timeout": {"action_s": 5, "navigation_s": 15}, "settle": {"cap_s": 0.5}}
    done = play(
        tmp_path, TESTS, f"{site.url}/ticking", app=app,
        oracles=["assertions", "page-health", "consistency"],
    )  # fmt: skip
    digests = [step.digest for step in done.record("checks").steps if step.asserts]
    assert len(set(digests)) > 1, "the clock stood still: both checks saw the same page"
    assert verdicts(replayed(done)) == verdicts(done.folder)


@pytest.mark.thorough
def test_a_case_that_was_over_time_is_over_time_again(site: Site, tmp_path: Path) -> None:
    site.pages["still"] = STILL
    # Long enough for any machine to open the page: the case is cut off in the wait.
    tests = [{"name": "long", "steps": ["Wait 300 seconds", "Assert that 'Still' is displayed"]}]
    done = play(tmp_path, tests, f"{site.url}/still", case_timeout=25)
    assert "not over after 25 seconds" in done.cases["long"][0].verdicts[0].reason
    assert verdicts(replayed(done)) == verdicts(done.folder)
