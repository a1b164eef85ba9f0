"""Texts on the pages of a suite: those that assertions are about, and the others."""

import re
from collections.abc import Iterator, Sequence

from sparring.model.talk import Trace
from sparring_plugins.web.mutants.touched import Shown, asserted, page_of, texts_of, views

OTHER_TEXT = "Something else"
_NUMBER = re.compile(r"\d+(?:[.,]\d+)?")
_MOST_PER_PAGE = 8


def number_changed(text: str) -> str | None:
    """A text whose first number is one more, written as it was; None where it has none."""
    found = _NUMBER.search(text)
    if found is None:
        return None
    return f"{text[: found.start()]}{_one_more(found[0])}{text[found.end() :]}"


def _one_more(number: str) -> str:
    whole = re.match(r"\d+", number)
    assert whole is not None
    digits = whole[0]
    return f"{int(digits) + 1:0{len(digits)}d}{number[len(digits) :]}"


def asserted_texts(traces: Sequence[Trace]) -> Iterator[Shown]:
    """The texts that showed that assertions hold, each once."""
    seen: set[Shown] = set()
    for _, snapshot, elements in asserted(traces):
        for one in texts_of(snapshot, elements):
            if one not in seen:
                seen.add(one)
                yield one


def unasserted(traces: Sequence[Trace]) -> Iterator[Shown]:
    """Headings and numbers that no assertion is about: some of each page."""
    known = {one.text for one in asserted_texts(traces)}
    texts = " ".join(record.step.text for record, _, _ in asserted(traces))
    per_page: dict[str, int] = {}
    for one in _prominent(traces):
        if one.text in known or one.text in texts:
            continue
        known.add(one.text)
        per_page[one.page] = per_page.get(one.page, 0) + 1
        if per_page[one.page] <= _MOST_PER_PAGE:
            yield one


def _prominent(traces: Sequence[Trace]) -> Iterator[Shown]:
    for trace in traces:
        for view in views(trace):
            headings = {e.id for e in view.snapshot.elements if e.role == "heading"}
            for one in view.snapshot.elements:
                if one.role != "text" or not one.visible or len(one.text) < 2:
                    continue
                if one.parent in headings or _NUMBER.search(one.text):
                    for shown in texts_of(view.snapshot, [one]):
                        yield Shown(shown.text, page_of(view.snapshot, one))
