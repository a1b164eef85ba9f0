"""What is exported runs with Playwright alone, and judges as Sparring does."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sparring_plugins.web.export.playwright_code import PythonWriter
from sparring_plugins.web.export.playwright_export import export_case
from sparring_plugins.web.suites.loading import load_test_cases

pytestmark = [pytest.mark.browser, pytest.mark.thorough]

PAGE = """<!doctype html><title>Notes</title><h1>Notes</h1>
<label>New note <input id=new></label>
<button onclick="add()">Add</button><p id=count>0 notes</p><ul id=list></ul>
<script>
const add = () => setTimeout(() => {
  const item = document.createElement('li');
  item.append(document.getElementById('new').value + ' ');
  const button = document.createElement('button');
  button.textContent = 'Delete';
  button.onclick = () => { if (confirm('Delete it?')) { item.remove(); show(); } };
  item.append(button);
  document.getElementById('list').append(item);
  show();
}, 50);
const show = () => document.getElementById('count').textContent = `${list.children.length} notes`;
</script>"""
STEPS = [
    "Fill the field 'New note' with 'Buy milk'",
    "Click on 'Add'",
    "Fill the field 'New note' with 'Call Ada'",
    "Click on 'Add'",
    "Assert that '2 notes' is displayed",
    "Click on the 'Delete' button in the row of 'Buy milk'",
    "Assert that 'Buy milk' is not displayed",
    "Assert that the title is 'Notes'",
]


@pytest.fixture
def page() -> Iterator[Any]:
    api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    from sparring_connectors.browser.installation import NoBrowser, find_browser

    try:
        program = find_browser("chromium", "")
    except NoBrowser as err:
        pytest.skip(str(err))
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=program.path, chromium_sandbox=False, args=["--no-sandbox"]
        )
        yield browser.new_page()
        browser.close()


@pytest.mark.parametrize(("last", "holds"), [("'1 notes'", True), ("'2 notes'", False)])
def test_an_exported_test_passes_and_fails_where_it_should(
    tmp_path: Path, page: Any, last: str, holds: bool
) -> None:
    (tmp_path / "notes.html").write_text(PAGE, encoding="utf-8")
    steps = "".join(f"      - {step!r}\n" for step in [*STEPS, f"Assert that {last} is displayed"])
    path = tmp_path / "cases.yaml"
    path.write_text(f"tests:\n  - name: notes\n    steps:\n{steps}", encoding="utf-8")
    (test,) = export_case(load_test_cases(path)[0], {}, base_url=(tmp_path / "notes.html").as_uri())
    code = PythonWriter().file("x", [PythonWriter().test(test.title, test.statements)])
    names: dict[str, Any] = {}
    exec(compile(code, "test_notes.py", "exec"), names)
    names["expect"].set_options(timeout=2000)
    if holds:
        names["test_notes"](page)
    else:
        with pytest.raises(AssertionError, match="2 notes"):
            names["test_notes"](page)
