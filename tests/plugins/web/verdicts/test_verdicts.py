"""No verdict on a page may be wrong: pages with known truth, in a real browser."""

from pathlib import Path

import pytest
from tests.plugins.web.runner.player.conftest import Done, play, serving

from .measuring import PAGES, allowed, answer, cases, document, rate, slug

#: Checks that plain rules need not decide, because the sentence itself has two readings.
AMBIGUOUS = frozenset(
    {
        "Assert that 'out' is displayed 4 times",
        "Assert that 'out' is displayed 3 times",
        "Assert that there are 2 list items",
    }
)
SAMPLE = ["dead submit", "case and phrase", "links by other roles"]
REST = [name for name in PAGES if name not in SAMPLE]


def ratings(done: Done, names: list[str]) -> dict[str, list[str]]:
    """Return the checks of pages that were not rated right, by their rating."""
    rated: dict[str, list[str]] = {}
    for name in names:
        checks = PAGES[name]["checks"]
        for record in done.record(name).steps:
            if record.step.text not in checks or record.step.number < 1:
                continue
            given = answer(record.outcome, understood=bool(record.step.readings))
            rating = rate(given, allowed(checks[record.step.text]))
            if rating != "right" and record.step.text not in AMBIGUOUS:
                said = f"{name}: {record.step.text} is {given}: {record.reason}"
                rated.setdefault(rating, []).append(said)
    return rated


def play_pages(folder: Path, names: list[str]) -> Done:
    """Play pages by name in one run."""
    with serving() as site:
        site.pages.update({slug(name): document(name) for name in names})
        return play(folder, cases(names), site.url, concurrency=2)


def test_a_sample_of_pages_is_judged_right(tmp_path: Path) -> None:
    done = play_pages(tmp_path, SAMPLE)
    assert ratings(done, SAMPLE) == {}


@pytest.mark.thorough
def test_all_other_pages_are_judged_right(tmp_path: Path) -> None:
    done = play_pages(tmp_path, REST)
    assert ratings(done, REST) == {}
    weak = {
        record.step.text
        for name in REST
        for record in done.record(name).steps
        if record.assertion and record.assertion.weak
    }
    assert {text for name in REST for text in PAGES[name].get("weak", ())} <= weak


def test_an_assertion_that_was_true_before_is_vacuous_unless_the_case_made_it_true(
    tmp_path: Path,
) -> None:
    """A wait is no act, and what the app kept of what was entered is shown by the new page."""
    names = [name for name in PAGES if "vacuous" in PAGES[name]]
    done = play_pages(tmp_path, names)
    assert ratings(done, names) == {}
    vacuous = {
        name: [record.step.text for record in done.record(name).steps if record.vacuous]
        for name in names
    }
    assert vacuous == {name: PAGES[name]["vacuous"] for name in names}
