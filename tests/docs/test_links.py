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
    reached: set[Path] = set()
    waiting = [DOCS / "index.md"]
    while waiting:  # a folder's README lists its pages, and the interfaces have an index
        page = waiting.pop()
        if page in reached or page.suffix != ".md" or not page.is_file():
            continue
        reached.add(page)
        if page.name in ("index.md", "README.md", "interfaces.md"):
            links = _LINK.findall(prose(page))
            waiting += [(page.parent / link.partition("#")[0]).resolve() for link in links]
    missing = {
        page.relative_to(DOCS).as_posix()
        for page in DOCS.rglob("*.md")
        if page not in reached and "changelog.d" not in page.parts
    }
    assert not missing
