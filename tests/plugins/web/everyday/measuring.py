"""Plays everyday sentences on a page of our own, and rates what came of each."""

from pathlib import Path
from typing import Any
from urllib.parse import quote

import yaml
from tests.plugins.web.runner.player.conftest import Done, play, serving

HERE = Path(__file__).parent
PROBED = "Assert that the page title is 'all done'"


def read_cases(name: str) -> list[dict[str, Any]]:
    """Return the cases of a file: classes, sentences and what must come of them."""
    return list(yaml.safe_load((HERE / name).read_text(encoding="utf-8")))


def play_cases(folder: Path, cases: list[dict[str, Any]], **suite: Any) -> Done:
    """Play each case on a fresh page; one with `after` ends with a check of that expression."""
    (folder / "plan.txt").write_text("beds and paths", encoding="utf-8")
    tests: list[dict[str, Any]] = []
    for number, case in enumerate(cases):
        probe = case.get("after")
        steps = [*case["steps"], PROBED] if probe else list(case["steps"])
        start = "/page.html" + (f"?probe={quote(probe)}" if probe else "")
        tests.append({"name": f"case {number}", "start": start, "steps": steps})
    with serving() as site:
        site.pages["page.html"] = (HERE / "page.html").read_text(encoding="utf-8")
        site.pages.update({"help": "<title>Help</title><h1>Help desk</h1>", "": "<p>Home"})
        agent = {"patience_s": 1.0}
        return play(folder, tests, site.url, concurrency=2, agent=agent, **suite)


def rate(done: Done, number: int, case: dict[str, Any]) -> tuple[str, str]:
    """Return ``right``, ``wrong``, ``refused`` or ``undecided``, and the reason."""
    records = [r for r in done.record(f"case {number}").steps if r.phase == "test"]
    unread = [r for r in records if not r.step.readings]
    stuck = next((r for r in records if r.outcome in ("inconclusive", "not_reached")), None)
    last = records[-1]
    if stuck is None:
        wanted = {"true", "done"} if case.get("after") or case["holds"] else {"false"}
        said = "; ".join(r.step.text + ": " + r.outcome + " " + r.reason for r in records)
        return ("right" if last.outcome in wanted else "wrong"), said
    if unread:
        return "refused", f"{unread[0].step.text}: {unread[0].reason}"
    return "undecided", f"{stuck.step.text}: {stuck.reason}"
