"""``sparring docs``: the pages of the documentation in the terminal, without a network."""

import re
from pathlib import Path

import click

from sparring.documents.checking import nearest
from sparring.errors import ConfigurationError

HELP_SECTION = "look"

FOLDERS = ("tutorials", "how-to", "plugins", "reference", "explanation", "contributing")
_TITLE = re.compile(r"^# +(.+)$", re.MULTILINE)
_MOST_LINES = 3
"""Lines shown of each page that has what was searched for."""


def pages_folder() -> Path:
    """The folder of the pages: within the package, or that of the clone which is installed."""
    installed = Path(__file__).parent / "pages"
    return installed if installed.is_dir() else Path(__file__).parents[3] / "docs"


def page_names() -> dict[str, Path]:
    """Return the paths of all pages by their names, such as ``reference/rest``."""
    root = pages_folder()
    return {
        f"{folder}/{path.stem}": path
        for folder in FOLDERS
        for path in sorted((root / folder).glob("*.md"))
    }


def find_page(name: str) -> Path:
    """Return the page called `name`: its name, its last part, or its path in the repository."""
    pages = page_names()
    wanted = name.replace("\\", "/").removeprefix("docs/").partition("#")[0].removesuffix(".md")
    matching = [page for page in pages if page == wanted or page.endswith(f"/{wanted}")]
    if wanted in pages:
        return pages[wanted]
    if len(matching) == 1:
        return pages[matching[0]]
    if matching:
        raise ConfigurationError(f"several pages are called {name!r}: {', '.join(matching)}")
    short = nearest(wanted, [page.rpartition("/")[2] for page in pages]).partition(" Known:")[0]
    raise ConfigurationError(
        f"no page is called {name!r}.{short} `sparring docs` lists them, "
        "`sparring docs --search TEXT` searches in them."
    )


@click.command()
@click.argument("page", required=False)
@click.option("--search", metavar="TEXT", help="List the pages in which a text stands.")
def docs(page: str | None, search: str | None) -> int:
    """Read a page of the documentation, or list all pages; no network is needed.

    PAGE is the name of a page, as in `sparring docs rules` or `sparring docs reference/rules`.
    """
    if page and search:
        raise ConfigurationError("name a page, or --search all of them")
    if search:
        return _search(search)
    if page:
        click.echo_via_pager(find_page(page).read_text(encoding="utf-8"))
        return 0
    pages = page_names()
    width = max(map(len, pages), default=0)
    for name, path in pages.items():
        title = _TITLE.search(path.read_text(encoding="utf-8"))
        click.echo(f"{name:<{width}}  {title[1] if title else ''}".rstrip())
    return 0


def _search(text: str) -> int:
    """List the pages in which a text stands, each with its first lines of it."""
    matching = 0
    for name, path in page_names().items():
        lines = path.read_text(encoding="utf-8").splitlines()
        hits = [line.strip() for line in lines if text.casefold() in line.casefold()]
        matching += bool(hits)
        for line in hits[:_MOST_LINES]:
            click.echo(f"{name}: {line[:160]}")
    if not matching:
        click.echo(f"no page has {text!r}", err=True)
    return 0 if matching else 1
