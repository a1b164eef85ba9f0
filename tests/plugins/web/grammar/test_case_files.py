"""Files of test cases: our YAML."""

from pathlib import Path

import pytest

from sparring.errors import ConfigurationError
from sparring_plugins.web.suites.case import TestCase
from sparring_plugins.web.suites.lint import lint_cases
from sparring_plugins.web.suites.loading import load_test_cases

WHOLE = """\
name: Shop
start: http://127.0.0.1:8000/shop/
tags: smoke
variables: {user: ada}
secrets: password
setup: |
  Click on 'Accept all'
teardown: [Click on 'Log out']
repeat: 2
tests:
  - name: Log in
    tags: [login, smoke]
    description: With a right password
    start: login
    steps:
      - Type in '%user%' in the field 'User name' and press Enter
      - Type in '%password%' in the field 'Password'
      - "Assert that 'Hello: %greeting%' is displayed"
      - {step: Assert that 'Error' is displayed, expected: fail}
    data:
      - {user: bob, greeting: Hello Bob}
      - {user: O'Brien, greeting: it's}
  - name: Look around
    repeat: 3
    steps: |
      # nothing is clicked before this
      Click on 'x'

      Assert that 'y' is displayed
      Assert that 'z' is displayed
    expected: [pass, fail]
"""


def loaded(tmp_path: Path, text: str, name: str = "cases.yaml") -> tuple[TestCase, ...]:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return load_test_cases(path)


def test_a_table_gives_a_case_per_row_with_its_values_filled_in(tmp_path: Path) -> None:
    bob, brien, _ = loaded(tmp_path, WHOLE)
    assert (bob.name, brien.name) == ("Log in [bob, Hello Bob]", "Log in [O'Brien, it's]")
    assert [step.reading.explanation for step in bob.steps if step.reading] == [
        "Type 'bob' into the 'User name' field",
        "Press the key 'Enter'",
        "Type '%password%' into the 'Password' field",
        "Assert that 'Hello: Hello Bob' is displayed",
        "Assert that 'Error' is displayed",
    ]
    assert brien.steps[0].reading is not None
    assert brien.steps[0].reading.value == "O'Brien"


def test_a_case_has_what_the_file_says_of_all_cases(tmp_path: Path) -> None:
    bob, _, around = loaded(tmp_path, WHOLE)
    assert bob.start == "http://127.0.0.1:8000/shop/login"
    assert around.start == "http://127.0.0.1:8000/shop/"
    assert (bob.tags, around.tags) == (("smoke", "login"), ("smoke",))
    assert (bob.repeat, around.repeat) == (2, 3)
    assert [step.text for step in (*bob.setup, *bob.teardown)] == [
        "Click on 'Accept all'",
        "Click on 'Log out'",
    ]
    assert bob.secrets == ("password",)
    assert bob.variables == {"user": "bob", "greeting": "Hello Bob"}


def test_steps_know_their_lines_also_in_a_text_of_several_lines(tmp_path: Path) -> None:
    bob, _, around = loaded(tmp_path, WHOLE)
    assert [step.line for step in bob.steps] == [16, 16, 17, 18, 19]
    assert [step.line for step in around.steps] == [27, 29, 30]
    assert [step.number for step in bob.steps] == [1, 2, 3, 4, 5]


def test_what_is_expected_stands_with_each_step(tmp_path: Path) -> None:
    bob, _, around = loaded(tmp_path, WHOLE)
    assert bob.expected == (None, None, None, True, False)
    assert (around.expected, around.indexing) == ((None, True, False), "assertion")


def test_what_is_expected_may_be_given_for_every_step(tmp_path: Path) -> None:
    text = (
        "tests: [{name: a, steps: [Click on 'x', Assert that 'y' is displayed], expected: [1, 0]}]"
    )
    (case,) = loaded(tmp_path, text)
    assert (case.expected, case.indexing) == ((True, False), "step")


def test_an_assertion_that_is_not_understood_still_counts_as_one(tmp_path: Path) -> None:
    text = "tests: [{name: a, steps: [Click on 'x', Assert that the sky is blue], expected: [0]}]"
    (case,) = loaded(tmp_path, text)
    assert (case.expected, case.indexing) == ((None, False), "assertion")
    assert case.assertions == (case.steps[1],)


def test_a_table_may_be_a_csv_file(tmp_path: Path) -> None:
    (tmp_path / "users.csv").write_text("name,age\nAda,36\n\nBob,5\n", encoding="utf-8-sig")
    text = "tests: [{name: Age, data: users.csv, steps: ['Assert that ''%age%'' is displayed']}]"
    cases = loaded(tmp_path, text)
    assert [(case.name, case.variables["age"]) for case in cases] == [
        ("Age [Ada]", "36"),
        ("Age [Bob]", "5"),
    ]


def test_a_value_can_stand_where_the_grammar_needs_a_number(tmp_path: Path) -> None:
    text = "variables: {n: 3}\ntests: [{name: a, steps: [Assert that there are exactly %n% links]}]"
    (case,) = loaded(tmp_path, text)
    assert case.steps[0].reading is not None


def test_a_value_with_quotes_cannot_change_what_a_step_does(tmp_path: Path) -> None:
    text = "tests: [{name: a, steps: [Click on '%x%'], data: [{x: \"a' and click on 'b\"}]}]"
    (case,) = loaded(tmp_path, text)
    (step,) = case.steps
    assert step.reading is not None
    assert step.reading.target is not None
    assert step.reading.target.text == "a' and click on 'b"


def test_environment_variables_stand_in_addresses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHOP", "http://127.0.0.1:1")
    text = "start: ${SHOP}/a\ntests: [{name: a, steps: [Click on 'x']}]"
    assert loaded(tmp_path, text)[0].start == "http://127.0.0.1:1/a"


def test_names_are_unique_over_all_files(tmp_path: Path) -> None:
    for name in ("a.yaml", "b.yaml"):
        (tmp_path / name).write_text("tests: [{name: Log in, steps: [Click on 'x']}]")
    cases = load_test_cases([tmp_path / "a.yaml", tmp_path / "b.yaml"])
    assert [case.name for case in cases] == ["Log in", "Log in (2)"]
    assert "given twice" in cases[1].notes[0]


def test_cases_are_chosen_by_their_tags(tmp_path: Path) -> None:
    path = tmp_path / "cases.yaml"
    path.write_text(WHOLE, encoding="utf-8")
    assert [case.title for case in load_test_cases(path, tags=["login"])] == ["Log in", "Log in"]


VARIED = """\
variables: {shop: tea}
tests:
  - name: Buy
    start: http://127.0.0.1:1/%shop%?%article%
    steps: |
      Click on '%article%'
      Fill the field 'Pieces' with '%pieces%' and click on 'Add'
      Assert that the 'Total' is %total%
    vary: {article: [pot, "O'Brien's"], pieces: [1, 2], total: [3.50, 7]}
    where: (pieces == '1') == (total == '3.5')
"""


def test_what_varies_is_left_open_until_a_strategy_chooses(tmp_path: Path) -> None:
    (case,) = loaded(tmp_path, VARIED)
    assert case.vary == {"article": ("pot", "O'Brien's"), "pieces": ("1", "2"),
                         "total": ("3.5", "7")}  # fmt: skip
    assert case.where == ("(pieces == '1') == (total == '3.5')",)
    assert [one.kind for one in lint_cases([case])] == []
    found = case.with_values({"article": "O'Brien's", "pieces": "2", "total": "7"})
    assert found.start == "http://127.0.0.1:1/tea?O'Brien's"
    assert [step.reading.explanation for step in found.steps if step.reading] == [
        "Click on 'O'Brien's'",
        "Fill the 'Pieces' field with '2'",
        "Click on 'Add'",
        "Assert that 'Total' is equal to 7",
    ]
    assert found.variables == {"shop": "tea", "article": "O'Brien's", "pieces": "2", "total": "7"}


STEP = "steps: [Click on 'x']"
WRONG = {
    "empty": ("", "is empty"),
    "no tests": ("name: x", "cases.yaml:1: tests: missing"),
    "no steps": ("tests:\n  - name: a", "cases.yaml:2: tests[0].steps: missing"),
    "misspelt key": (
        f"tests:\n  - name: a\n    {STEP}\n    stpes: []",
        "cases.yaml:4: tests[0].stpes: unknown key. Did you mean 'steps'?",
    ),
    "a mapping of tests": (
        f"tests:\n  a: {{{STEP}}}",
        "tests: expected a list: write '- name: ...'",
    ),
    "a colon in a sentence": (
        "tests:\n  - name: a\n    steps:\n      - Assert that 'a: b' is displayed",
        (
            "cases.yaml:4: tests[0].steps[0]: expected a sentence; one with a colon must stand in "
            "quotes as a whole, or below `steps: |`"
        ),
    ),
    "wrong number of expected": (
        f"tests:\n  - name: a\n    {STEP}\n    expected: [pass, pass]",
        (
            "cases.yaml:4: tests[0].expected: has 2 values, which fits neither the 1 steps nor the 0 "
            "assertions"
        ),
    ),
    "expected twice": (
        (
            "tests:\n  - name: a\n    steps: [{step: Assert that 'x' is displayed, expected: pass}]\n"
            "    expected: [pass]"
        ),
        "cases.yaml:4: tests[0].expected: is given for the case and for a step",
    ),
    "expected of a strange value": (
        f"tests:\n  - name: a\n    {STEP}\n    expected: [maybe]",
        "cases.yaml:4: tests[0].expected[0]: input should be a valid boolean",
    ),
    "rows that differ": (
        f"tests:\n  - name: a\n    {STEP}\n    data: [{{a: 1}}, {{b: 1}}]",
        "cases.yaml:4: tests[0].data: row 2 differs from row 1 in 'a'",
    ),
    "no rows": (f"tests:\n  - name: a\n    {STEP}\n    data: []", "tests[0].data: has no rows"),
    "no such table": (
        f"tests:\n  - name: a\n    {STEP}\n    data: no.csv",
        "no.csv: cannot be read: No such file or directory",
    ),
    "a variable not set": (
        f"start: ${{NO_SUCH_THING}}\ntests: [{{name: a, {STEP}}}]",
        "cases.yaml:1: start: the environment variable 'NO_SUCH_THING' is not set",
    ),
    "repeat of nothing": (
        f"repeat: 0\ntests: [{{name: a, {STEP}}}]",
        "cases.yaml:1: repeat: input should be greater than or equal to 1",
    ),
    "a value twice": (
        f"tests:\n  - name: a\n    {STEP}\n    vary: {{n: [1, '1']}}",
        "cases.yaml:4: tests[0].vary.n: has a value twice",
    ),
    "nothing to choose": (
        f"tests: [{{name: a, {STEP}, vary: {{n: []}}}}]",
        "tests[0].vary.n: has no values",
    ),
    "what varies in a table, too": (
        f"tests: [{{name: a, {STEP}, vary: {{n: [1]}}, data: [{{n: 2}}]}}]",
        "tests[0].vary.n: is given elsewhere, too",
    ),
    "a condition on nothing": (
        f"tests: [{{name: a, {STEP}, where: n == '1'}}]",
        "tests[0].where: is about what varies, and nothing does: add `vary`",
    ),
    "a name of a variable": (
        f"variables: {{'a b': 1}}\ntests: [{{name: a, {STEP}}}]",
        "string should match pattern",
    ),
}


@pytest.mark.parametrize(("text", "message"), WRONG.values(), ids=list(WRONG))
def test_a_wrong_file_names_file_line_and_key(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        loaded(tmp_path, text)
    assert message in str(caught.value)


def test_all_faults_of_all_files_are_named_at_once(tmp_path: Path) -> None:
    for name in ("a.yaml", "b.yaml"):
        (tmp_path / name).write_text("tests: []")
    with pytest.raises(ConfigurationError) as caught:
        load_test_cases([tmp_path / "a.yaml", tmp_path / "b.yaml", tmp_path / "c.txt"])
    assert [problem.file and Path(problem.file).name for problem in caught.value.problems] == [
        "a.yaml",
        "b.yaml",
        "c.txt",
    ]
