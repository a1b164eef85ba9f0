"""Sentences with translations: what is played of them, and when they are stale."""

from pathlib import Path

import pytest

from sparring.errors import ConfigurationError
from sparring_plugins.web.suites.case import TestCase
from sparring_plugins.web.suites.lint import lint_cases, stale_translations
from sparring_plugins.web.suites.loading import load_test_cases
from sparring_plugins.web.suites.translations import digest

FILE = """\
start: http://tea.test/room
variables: {{guest: Ada}}
tests:
  - name: brew
    start: {start}
    steps:
      - Open the door
      - step: {sentence}
        means: {means}
        translated: {{by: gpt, of: "{of}"}}
      - {{step: The pot must be hot, expected: fail, means: ["'Hot' is displayed"]}}
"""
SENTENCE = "Serve %guest% some tea"
MEANS = (
    "[\"Click on the button 'Tea for %guest%'\", \"Assert that 'Served' is displayed\","
    " \"Assert that '%guest%' is displayed\"]"
)
OF = digest(SENTENCE, ["http://tea.test/room", "/bar"])


def load(folder: Path, **parts: str) -> TestCase:
    values = {"start": "/bar", "sentence": SENTENCE, "means": MEANS, "of": OF, **parts}
    (folder / "cases.yaml").write_text(FILE.format(**values))
    return load_test_cases([folder / "cases.yaml"])[0]


def test_a_translation_is_played_instead_of_its_sentence(tmp_path: Path) -> None:
    case = load(tmp_path)
    assert [(s.number, s.text, s.by) for s in case.steps] == [
        (1, "Open the door", ""),
        (2, "Click on the button 'Tea for Ada'", "gpt"),
        (3, "Assert that 'Served' is displayed and 'Ada' is displayed", "gpt"),
        (4, "'Hot' is displayed", "a person"),
    ]
    assert case.steps[1].sentence == "Serve Ada some tea"
    assert case.steps[1].written == "Click on the button 'Tea for %guest%'"
    assert case.expected == (None, None, True, False)
    assert list(stale_translations(case)) == []


CHANGES = {"the sentence": {"sentence": "Serve tea"}, "the start page": {"start": "/kitchen"}}


@pytest.mark.parametrize("change", CHANGES.values(), ids=list(CHANGES))
def test_a_stale_translation_is_not_played_and_is_reported(
    tmp_path: Path, change: dict[str, str]
) -> None:
    case = load(tmp_path, **change)
    assert case.steps[1].by == ""
    assert case.steps[1].text.startswith("Serve")
    assert "was changed since it was translated" in next(stale_translations(case))
    assert "stale-translation" in [finding.kind for finding in lint_cases([case])]


def test_the_host_of_the_start_page_may_differ() -> None:
    here, there = ("http://127.0.0.1:8000/room?a=1", "https://staging.test/room?a=1")
    assert digest("Brew", [here]) == digest("Brew", [there])
    assert digest("Brew", [here]) != digest("Brew", ["http://127.0.0.1:8000/room"])


FAULTS = {
    "no sentence of the grammar": ("[Fiddle with the pot]", "is not understood"),
    "two readings": ("[\"Press 'enter'\"]", "can be read as"),
    "a bare name": ("[Click on the pot]", "names 'pot' without quotes"),
    "two steps": ("[\"Click on 'a' and click on 'b'\"]", "holds 2 steps"),
    "nothing in it": ('[""]', "is empty"),
}


@pytest.mark.parametrize(("means", "message"), FAULTS.values(), ids=list(FAULTS))
def test_what_is_wrong_with_a_translation_names_file_line_and_key(
    tmp_path: Path, means: str, message: str
) -> None:
    with pytest.raises(ConfigurationError, match=message) as caught:
        load(tmp_path, means=means)
    problem = caught.value.problems[0]
    assert (problem.line, problem.key) == (9, "tests[0].steps[1].means[0]")
    assert str(problem.file).endswith("cases.yaml")


def test_values_of_a_list_are_those_of_the_sentences_and_not_of_their_steps(
    tmp_path: Path,
) -> None:
    text = FILE.format(start="/bar", sentence=SENTENCE, means=MEANS, of=OF)
    text = text.replace(", expected: fail", "") + "    expected: [pass, fail, fail]\n"
    (tmp_path / "cases.yaml").write_text(text)
    case = load_test_cases([tmp_path / "cases.yaml"])[0]
    assert case.indexing == "step"
    assert case.expected == (True, None, False, False)
