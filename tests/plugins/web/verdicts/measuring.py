"""Plays small pages with known truth and counts what is decided wrongly, rightly or not at all."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

PAGES: Mapping[str, Any] = yaml.safe_load(
    (Path(__file__).parent / "pages.yaml").read_text(encoding="utf-8")
)

_NAMES = {True: "true", False: "false"}


def cases(names: list[str] | None = None) -> list[dict[str, Any]]:
    """Return a test case for each page: its acts, then its checks."""
    return [
        {"name": name, "start": f"/{slug(name)}", "steps": [*page.get("acts", ()), *page["checks"]]}
        for name, page in PAGES.items()
        if names is None or name in names
    ]


def slug(name: str) -> str:
    """Return the file name under which a page is served."""
    return "".join(c if c.isalnum() else "-" for c in name) + ".html"


def document(name: str) -> str:
    """Return the whole HTML of a page."""
    head = '<meta charset="utf-8"><link rel="icon" href="data:,">'
    body = PAGES[name]["html"]
    return (
        f"<!doctype html><html><head>{head}<title>A page</title></head><body>{body}</body></html>"
    )


def allowed(truth: Any) -> set[str]:
    """Return the answers that a truth allows."""
    return {_NAMES.get(one, one) for one in (truth if isinstance(truth, list) else [truth])}


def answer(outcome: str, *, understood: bool) -> str:
    """Return a step's outcome in the words of `pages.yaml`."""
    if outcome == "inconclusive":
        return "unknown" if understood else "unread"
    return {"not_reached": "stopped"}.get(outcome, outcome)


def rate(given: str, wanted: set[str]) -> str:
    """Return how an answer compares with the truth."""
    # A sentence that is not understood and one that nobody can decide end in the same verdict.
    open_answers = {"unread", "unknown"}
    if given in wanted or (given in open_answers and open_answers & wanted):
        return "right"
    if given == "true":
        return "wrong true"
    if given == "false":
        return "wrong false"
    return "undecided"


def figures(ratings: Mapping[tuple[str, str], str]) -> Counter[str]:
    """Return how many checks got which rating."""
    return Counter(ratings.values())
