"""Frozen steps: written, used, healed, and lost rather than clicked blindly."""

import json
from pathlib import Path

import pytest

from .conftest import Done, Site, play

FORM = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Orders</title>
<link rel="icon" href="data:,"></head><body><h1>Orders</h1><p>Ten orders are waiting.</p>
<form method="post" action="/{action}"><p>{before}</p><button id="{id}">{label}</button></form>
{more}</body></html>"""
STEPS = ["Click on 'Approve'", "Assert that 'Sent to /approve' is displayed"]


def page(label: str, action: str = "approve", id: str = "b1", more: str = "") -> str:
    return FORM.format(label=label, action=action, id=id, before="Please decide.", more=more)


def run(folder: Path, site: Site, shown: str, frozen: str) -> Done:
    site.pages["orders"] = shown
    site.posts.clear()
    tests = [{"name": "approve", "steps": STEPS}]
    return play(folder, tests, f"{site.url}/orders", agent={"frozen": frozen})


@pytest.mark.thorough
def test_frozen_steps_are_found_healed_or_lost(site: Site, tmp_path: Path) -> None:
    """One story: frozen on the first page, then the page changes little by little."""
    frozen = tmp_path / "cases.frozen.json"
    run(tmp_path, site, page("Approve"), "off")
    assert not frozen.exists()

    written = run(tmp_path, site, page("Approve"), "write")
    assert written.verdict("approve") == "pass"
    step = json.loads(frozen.read_text())["tests"]["approve"]["1"]
    assert step["text"] == STEPS[0]
    assert step["acts"][0]["target"]["name"] == "Approve"
    assert "127.0.0.1" not in frozen.read_text()

    used = run(tmp_path, site, page("Approve"), "use")
    assert (used.verdict("approve"), used.record("approve").steps[0].frozen) == ("pass", "found")

    renamed = page("Approve order", id="other")
    healed = run(tmp_path, site, renamed, "use").record("approve").steps[0]
    assert (healed.outcome, healed.frozen) == ("done", "healed")
    assert site.posts == ["/approve"]

    swapped = page("Delete everything", action="delete")
    lost = run(tmp_path, site, swapped, "use")
    assert lost.verdict("approve") == "inconclusive"
    assert lost.record("approve").steps[0].frozen == "lost"
    assert "is not on the page any more" in lost.record("approve").steps[0].reason
    assert site.posts == [], "another control stands where the frozen one was, and was not clicked"

    both = page("Approve", more=page("Approve", action="delete"))
    twice = run(tmp_path, site, both, "use").record("approve").steps[0]
    assert (twice.frozen, site.posts) == ("lost", [])


@pytest.mark.thorough
def test_a_step_whose_text_changed_is_not_taken_from_the_frozen_ones(
    site: Site, tmp_path: Path
) -> None:
    run(tmp_path, site, page("Approve"), "write")
    site.pages["orders"] = page("Approve", more="<a href='/orders?x'>Reload</a>")
    tests = [
        {"name": "approve", "steps": ["Click on 'Reload'", "Assert that 'Orders' is displayed"]}
    ]
    done = play(tmp_path, tests, f"{site.url}/orders")
    assert done.record("approve").steps[0].frozen is None
    assert done.record("approve").steps[0].target == "link 'Reload'"


def test_a_failed_test_case_freezes_nothing(site: Site, tmp_path: Path) -> None:
    site.pages["orders"] = page("Approve", action="refuse")
    tests = [{"name": "approve", "steps": STEPS}]
    done = play(tmp_path, tests, f"{site.url}/orders", agent={"frozen": "write"})
    assert done.verdict("approve") == "fail"
    assert not (tmp_path / "cases.frozen.json").exists()
