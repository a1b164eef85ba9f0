"""The oracle `looks` and ``sparring bless-pictures``, from the first run to a changed page."""

from pathlib import Path

import pytest
import yaml

from .conftest import Program

PAGE = "<!doctype html><title>Notes</title><h1>Notes</h1><p>{words}</p>"
CASES = "tests:\n  - name: open\n    steps:\n      - Assert that 'Notes' is displayed\n"


@pytest.mark.thorough
@pytest.mark.browser
def test_a_page_is_compared_with_the_picture_that_was_blessed(
    program: Program, tmp_path: Path
) -> None:
    pytest.importorskip("playwright.async_api", reason="Playwright is not installed")
    pytest.importorskip("pixelmatch", reason="the extra `pictures` is not installed")
    from sparring_connectors.browser.installation import NoBrowser, find_browser

    try:
        find_browser("chromium", "")
    except NoBrowser as err:
        pytest.skip(str(err))
    site = tmp_path / "index.html"
    site.write_text(PAGE.format(words="Three memos"))
    (tmp_path / "tests.yaml").write_text(CASES)
    suite = {
        "name": "notes",
        "app": {"use": "browser", "url": site.as_uri(), "screenshots": "every"},
        "agent": {"use": "step-runner", "tests": "tests.yaml"},
        "oracles": ["assertions", "looks"],
        "reporters": ["console", "html"],
    }
    (tmp_path / "suite.yaml").write_text(yaml.safe_dump(suite))
    runs = ("--runs", tmp_path / "runs")

    first = program("run", tmp_path / "suite.yaml", *runs)
    assert "no picture is blessed" in first.out
    blessed = program("bless-pictures", "last", *runs)
    assert (blessed.code, blessed.out.splitlines()[-1]) == (0, "1 new")
    assert program("run", tmp_path / "suite.yaml", *runs).code == 0

    site.write_text(PAGE.format(words="Four memos"))
    changed = program("run", tmp_path / "suite.yaml", *runs)
    assert changed.code == 1
    assert "FAIL  looks / end" in changed.out
    report = max((tmp_path / "runs").glob("*/report.html"), key=lambda p: p.stat().st_mtime_ns)
    assert "<figcaption>difference</figcaption>" in report.read_text(encoding="utf-8")
