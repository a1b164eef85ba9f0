"""Links between pages lead somewhere, and the index leads to every page."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md")), *sorted((ROOT / "contrib").glob("*/README.md"))]  # fmt: skip
_FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ +(.+?)\s*$", re.MULTILINE)


def prose(page: Path) -> str:
    return _FENCED.sub("", page.read_text(encoding="utf-8"))


def anchors(page: Path) -> set[str]:
    """The headings of a page as GitHub makes anchors of them."""
    headings = (heading.lower() for heading in _HEADING.findall(prose(page)))
    return {re.sub(r"[^\w\- ]", "", heading).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_the_links_of_a_page_lead_somewhere(page: Path) -> None:
    for link in _LINK.findall(prose(page)):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{page.relative_to(ROOT)}: {link}"
        if anchor and target.suffix == ".md":
            assert anchor in anchors(target), f"{page.relative_to(ROOT)}: {link}"


def test_the_index_leads_to_every_page() -> None:
    index = DOCS / "index.md"
    linked = {(DOCS / link.partition("#")[0]).resolve() for link in _LINK.findall(prose(index))}
    missing = {
        page.relative_to(DOCS).as_posix()
        for page in DOCS.rglob("*.md")
        if page != index and page not in linked and "changelog.d" not in page.parts
    }
    assert not missing
