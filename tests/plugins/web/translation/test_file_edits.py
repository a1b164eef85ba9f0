"""Translations are written into files of test cases, and all else stays as it is written."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from sparring_plugins.web.translation.file_edits import (
    CannotWrite,
    SentenceEdit,
    edited,
    write_translations,
)

MEANS = ("Click on the 'Brew' button", "Assert that 'Ready: now' is displayed")


def edit(*at: str | int, **more: str) -> SentenceEdit:
    return SentenceEdit(("tests", *at), MEANS, "gpt", "0123abcd", **more)


BEFORE = """\
# The tea room
tests:
  - name: brew   # first
    steps:
    - Get the kettle going   # loud
    # between
    - 'Look: it says "ready"'
    - {step: Have a look, expected: fail}  # honest
    - step: >-
        in two
        lines
      expected: pass
      # inner

    - a plain text
      over two lines
  - name: pour
    steps: |     # per line
      Fill it: to the brim
      # comment

      Taste 'it'
    tags: [tea]
  - {name: flow, steps: [Warm the pot, {step: Stir}]}
"""
TRANSLATED = """
means:
  - Click on the 'Brew' button
  - 'Assert that ''Ready: now'' is displayed'
translated: {by: "gpt", of: "0123abcd"}"""


def block(indent: int) -> str:
    return TRANSLATED.replace("\n", "\n" + " " * indent)


WRITTEN = {
    "a sentence with a comment": (
        (0, "steps", 0), "    - step: Get the kettle going   # loud" + block(6) + "\n    # between"),
    "a sentence in quotes": (
        (0, "steps", 1), "    - step: 'Look: it says \"ready\"'" + block(6) + "\n    - {step: Have"),
    "a map in braces": (
        (0, "steps", 2),
        "    - step: Have a look  # honest\n      expected: fail" + block(6) + "\n    - step: >-"),
    "a map with a folded text": (
        (0, "steps", 3),
        "        in two\n        lines" + block(6) + "\n      expected: pass\n      # inner\n\n    - a"),
    "a text over two lines": (
        (0, "steps", 4), "    - step: a plain text over two lines" + block(6) + "\n  - name: pour"),
    "a step per line": (
        (1, "steps", 1),
        "    steps:     # per line\n      - 'Fill it: to the brim'\n      # comment\n\n"
        "      - step: Taste 'it'" + block(8) + "\n    tags: [tea]"),
    "a list in brackets": (
        (2, "steps", 0),
        ' is displayed"], translated: {by: "gpt", of: "0123abcd"}}, {step: Stir}]'),
}  # fmt: skip


@pytest.mark.parametrize(("at", "wanted"), WRITTEN.values(), ids=list(WRITTEN))
def test_a_translation_is_written_beside_its_sentence(
    at: tuple[str | int, ...], wanted: str
) -> None:
    after = edited(BEFORE, edit(*at))
    assert wanted in after
    kept = [line.strip() for line in BEFORE.splitlines() if "#" in line]
    assert all(comment.partition("#")[2] in after for comment in kept)


@pytest.mark.parametrize("at", [at for at, _ in WRITTEN.values()], ids=list(WRITTEN))
def test_a_translation_is_replaced_and_taken_away_again(at: tuple[Any, ...]) -> None:
    once = edited(BEFORE, edit(*at, review="look at it"))
    again = edited(once, SentenceEdit(("tests", *at), ("Go back",), "gpt", "0123abcd"))
    assert "look at it" not in again
    assert "Go back" in again
    assert edited(once, edit(*at, review="look at it")) == once
    away = yaml.safe_load(edited(again, SentenceEdit(("tests", *at))))
    step = away["tests"][at[0]]["steps"][at[2]]
    before = yaml.safe_load(BEFORE)["tests"][at[0]]["steps"]
    own = before[at[2]] if isinstance(before, list) else "Taste 'it'"
    assert step == (own if isinstance(own, dict) else {"step": own})


def test_what_an_alias_stands_for_is_not_written() -> None:
    text = (
        "tests:\n  - name: a\n    steps: &login\n      - Log in\n  - name: b\n    steps: *login\n"
    )
    with pytest.raises(CannotWrite, match="is an alias"):
        edited(text, edit(1, "steps", 0))
    with pytest.raises(CannotWrite, match="cannot be changed alone"):
        edited(text, edit(0, "steps", 0))


def test_a_file_is_written_once_with_its_line_ends_and_reports_what_has_no_place(
    tmp_path: Path,
) -> None:
    file = tmp_path / "cases.yaml"
    file.write_bytes(BEFORE.replace("\n", "\r\n").encode())
    file.chmod(0o640)
    problems = write_translations(file, [edit(0, "steps", 0), edit(7, "steps", 0)])
    assert problems == ["tests[7].steps[0] is not in the file"]
    assert b"\r\n      means:\r\n" in file.read_bytes()
    assert b"\n" not in file.read_bytes().replace(b"\r\n", b"")
    assert file.stat().st_mode & 0o777 == 0o640
    assert [path.name for path in tmp_path.iterdir()] == ["cases.yaml"]
