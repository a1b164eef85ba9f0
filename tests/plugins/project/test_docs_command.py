"""``sparring docs``: the pages that messages name can be read where Sparring is installed."""

import re
from pathlib import Path

import pytest

from sparring.cli.app import invoke
from sparring_plugins.project.docs_command import find_page, page_names

ROOT = Path(__file__).parents[3]
SOURCES = [
    path
    for folder in ("core", "plugins", "connectors")
    for path in sorted((ROOT / folder).rglob("*"))
    if path.suffix in (".py", ".yaml", ".txt", ".html", ".js")
]


def test_all_pages_are_listed_with_their_titles(capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(["docs"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(page_names()) > 80
    assert any(line.startswith("reference/rest ") for line in lines)


@pytest.mark.parametrize(
    "name", ["rest", "reference/rest", "docs/reference/rest.md", "rest.md", "rest#paths"]
)
def test_a_page_is_found_by_name_and_by_path(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(["docs", name]) == 0
    assert capsys.readouterr().out.strip() == (ROOT / "docs/reference/rest.md").read_text().strip()


def test_pages_are_searched(capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(["docs", "--search", "ALLOW-code"]) == 0
    assert "allow-code" in capsys.readouterr().out
    assert invoke(["docs", "--search", "no page would ever say this"[::-1]]) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["ruls"], "Did you mean 'rules'?"),
        (
            ["websocket"],
            "several pages are called 'websocket': how-to/websocket, reference/websocket",
        ),
        (["rules", "--search", "x"], "name a page, or --search all of them"),
    ],
)
def test_bad_arguments(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert invoke(["docs", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_the_pages_that_sources_name_exist() -> None:
    named = {
        page: path
        for path in SOURCES
        for page in re.findall(r"sparring docs ([a-z][\w/-]+)", path.read_text(encoding="utf-8"))
    }
    assert len(named) >= 8
    for page in named:
        assert find_page(page).is_file()
    paths = {
        page: path
        for path in SOURCES
        for page in re.findall(r"docs/[a-z-]+/[\w-]+\.md", path.read_text(encoding="utf-8"))
    }
    missing = {page: str(path) for page, path in paths.items() if not (ROOT / page).is_file()}
    assert missing == {}
