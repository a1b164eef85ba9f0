"""Test cases written as Playwright tests, in both languages."""

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from sparring_plugins.web.export.command import playwright
from sparring_plugins.web.export.playwright_code import PythonWriter, TypeScriptWriter
from sparring_plugins.web.export.playwright_export import ExportedTest, export_case
from sparring_plugins.web.runner.frozen_steps import Fingerprint, FrozenAct, FrozenStep
from sparring_plugins.web.suites.case import TestCase
from sparring_plugins.web.suites.loading import load_test_cases

SITE = "http://app.test/"


def load(folder: Path, *steps: str, more: str = "") -> TestCase:
    path = folder / "cases.yaml"
    lines = "".join(f"      - {step!r}\n" for step in steps)
    path.write_text(f"{more}tests:\n  - name: a case\n    steps:\n{lines}", encoding="utf-8")
    return load_test_cases(path)[0]


def exported(folder: Path, *steps: str, frozen: Any = None) -> ExportedTest:
    return export_case(load(folder, *steps), frozen or {}, base_url=SITE)[0]


def python(folder: Path, *steps: str, frozen: Any = None) -> list[str]:
    """The lines of the test after the first address, without comments and waiting."""
    test = exported(folder, *steps, frozen=frozen)
    code = PythonWriter().file("x", [PythonWriter().test(test.title, test.statements)])
    compile(code, "test.py", "exec")
    lines = [line.strip() for line in code.partition(f'goto("{SITE}")')[2].splitlines()[1:]]
    return [line for line in lines if line and line != "stable(page)" and line[0] != "#"]


WRITTEN = {
    "field": ("Fill the field 'City' with 'Rome'",
              'page.get_by_label("City", exact=True).fill("Rome")'),
    "button": ("Click on the button 'Save'",
               'page.get_by_role("button", name="Save", exact=True).click()'),
    "ordinal": ("Click on the second 'Save' button",
                'page.get_by_role("button", name="Save", exact=True).nth(1).click()'),
    "choice": ("Select 'Red' in the list 'Colour'",
               'page.get_by_label("Colour").select_option("Red")'),
    "box": ("Check the box 'Terms'",
            'page.get_by_role("checkbox", name="Terms", exact=True).check()'),
    "key": ("Press the key Enter", 'page.keyboard.press("Enter")'),
    "seconds": ("Wait 1.5 seconds", "page.wait_for_timeout(1500)"),
    "back": ("Go back", "page.go_back()"),
    "shown": ("Assert that 'Hello' is displayed",
              'expect(page.get_by_text("Hello").filter(visible=True).first).to_be_visible()'),
    "absent": ("Assert that 'Hello' is not displayed",
               'expect(page.get_by_text("Hello").filter(visible=True)).to_have_count(0)'),
    "state": ("Assert that the button 'Save' is disabled",
              'expect(page.get_by_role("button", name="Save", exact=True)).to_be_disabled()'),
    "title": ("Assert that the title is 'Cups (2)'",
              r'expect(page).to_have_title(re.compile("^Cups \\(2\\)$"))'),
    "address": ("Assert that the address contains 'q=tea'",
                'expect(page).to_have_url(re.compile("q=tea"))'),
}  # fmt: skip


@pytest.mark.parametrize(("step", "line"), WRITTEN.values(), ids=list(WRITTEN))
def test_a_sentence_becomes_a_call(tmp_path: Path, step: str, line: str) -> None:
    assert python(tmp_path, step) == [line]


def test_a_frozen_act_is_written_with_its_element_and_the_rows_of_the_sentence(
    tmp_path: Path,
) -> None:
    step = "Click on 'Edit' in the row of 'Ada'"
    element = Fingerprint(role="button", name="Edit user", tag="button", row="Ada Edit")
    frozen = {1: FrozenStep(text=step, acts=(FrozenAct(action="click", target=element),))}
    (line,) = python(tmp_path, step, frozen=frozen)
    assert line.startswith('page.locator("tr, li,')
    assert line.endswith(
        '.filter(has_text="Ada").get_by_role("button", name="Edit user", exact=True).click()'
    )
    stale = {1: frozen[1].model_copy(update={"text": "Click on 'Delete'"})}
    assert "Edit user" not in python(tmp_path, step, frozen=stale)[0]


def test_a_test_id_comes_first(tmp_path: Path) -> None:
    step = "Click on 'Save'"
    element = Fingerprint(role="button", name="Save", attributes={"data-test": 'a"b'})
    frozen = {1: FrozenStep(text=step, acts=(FrozenAct(action="click", target=element),))}
    assert python(tmp_path, step, frozen=frozen) == [
        r'page.locator("[data-test=\"a\\22 b\"]").click()'
    ]


def test_the_answer_to_a_dialog_comes_before_the_act_that_opens_it(tmp_path: Path) -> None:
    lines = python(tmp_path, "Click on the button 'Delete'", "Dismiss the alert")
    assert lines[0] == 'page.once("dialog", lambda dialog: dialog.dismiss())'
    assert lines[1].endswith(".click()")


def test_what_playwright_has_no_words_for_fails_and_is_reported(tmp_path: Path) -> None:
    step = "Assert that 'Total' is greater than 'Subtotal'"
    test = exported(tmp_path, "Click on the button 'Pay'", step, "Frobnicate the flux")
    assert [number for number, _ in test.missing] == [2, 3]
    code = PythonWriter().test(test.title, test.statements)
    assert code.count("raise NotImplementedError(") == 2
    assert step in code


def test_a_secret_is_the_environments_and_never_in_the_file(tmp_path: Path) -> None:
    case = load(tmp_path, "Fill the field 'Password' with '%code%'")
    test = export_case(case, {}, base_url=SITE, secrets={"code": "SHOP_CODE"})[0]
    code = PythonWriter().file("x", [PythonWriter().test(test.title, test.statements)])
    assert '.fill(os.environ["SHOP_CODE"])' in code
    assert "import os" in code
    script = TypeScriptWriter().test(test.title, test.statements)
    assert '.fill(process.env["SHOP_CODE"]!);' in script


def test_typescript_awaits_and_writes_camel_case(tmp_path: Path) -> None:
    test = exported(
        tmp_path,
        "Fill the field 'City' with 'Rome'",
        "Switch to the new tab",
        "Assert that the address contains 'q'",
        "Assert that 'x' is not displayed",
    )
    code = TypeScriptWriter().file("x", [TypeScriptWriter().test(test.title, test.statements)])
    assert 'await page.getByLabel("City", { exact: true }).fill("Rome");' in code
    assert "let page = firstPage;" in code
    assert "page = page.context().pages().at(-1)!;" in code
    assert 'await expect(page).toHaveURL(new RegExp("q"));' in code
    assert ".filter({ visible: true })).toHaveCount(0);" in code


@given(title=st.text(max_size=40), words=st.text(max_size=40))
def test_hostile_words_stay_words(title: str, words: str) -> None:
    step_text = f"Assert that {words} is displayed"
    steps = {
        1: FrozenStep(
            text=step_text,
            acts=(
                FrozenAct(
                    action="fill",
                    value=words,
                    target=Fingerprint(role="textbox", name=words or "x"),
                ),
            ),
        )
    }
    case = TestCase.model_validate(
        {"name": title, "title": title, "steps": [{"number": 1, "text": step_text}]}
    )
    (test,) = export_case(case, steps, base_url=SITE)
    code = PythonWriter().file(title, [PythonWriter().test(test.title, test.statements)])
    compile(code, "test.py", "exec")
    script = TypeScriptWriter().test(test.title, test.statements)
    comment = next(line for line in script.splitlines() if line.strip().startswith("//"))
    assert comment.isprintable()


def test_the_command_writes_a_file_and_says_what_is_missing(tmp_path: Path) -> None:
    load(tmp_path, "Click on the button 'Pay'", "Frobnicate the flux")
    target = tmp_path / "out" / "test_shop.py"
    run = CliRunner().invoke(
        playwright, [str(tmp_path / "cases.yaml"), "--url", SITE, "-o", str(target)],
        standalone_mode=False,
    )  # fmt: skip
    assert run.return_value == 1, run.output
    assert "a case, step 2: the sentence is not understood" in run.output
    compile(target.read_text(encoding="utf-8"), "test.py", "exec")


def test_a_case_that_is_not_there_is_named_with_the_nearest(tmp_path: Path) -> None:
    load(tmp_path, "Click on the button 'Pay'")
    run = CliRunner().invoke(playwright, [str(tmp_path / "cases.yaml"), "--case", "a cas"])
    assert "there is no test case 'a cas'" in str(run.exception)
    assert "'a case'" in str(run.exception)
