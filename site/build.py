"""Builds the site of the documentation in ``build/docs``: ``python site/build.py [--no-gallery]``.

Everything is made on this machine: the reports of the gallery by running the examples, the pages by
Sphinx, with each warning (a link that leads nowhere, say) as an error, and ``llms.txt``, a list of
all pages for programs that read. Then all links of all pages are followed. Without the gallery its
page says so in the place of the links.
"""

import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from gallery import GALLERY, NAMES, ROOT, make_gallery

from sparring_plugins.project.docs_command import FOLDERS

SITE = ROOT / "build/docs"
_TITLE = re.compile(r"^# +(.+)$", re.MULTILINE)
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")


def main() -> int:
    """Build the site; 1 if a link leads nowhere."""
    GALLERY.mkdir(parents=True, exist_ok=True)
    if "--no-gallery" not in sys.argv:
        make_gallery()
    for name in NAMES:  # what an earlier build left there is no page of this one
        if not (GALLERY / name).exists():
            shutil.rmtree(SITE / name, ignore_errors=True)
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", "-j", "2"]
    built = subprocess.run([*command, "-c", ROOT / "site", ROOT, SITE], check=False)
    if built.returncode:
        return built.returncode
    (SITE / "llms.txt").write_text(llms_text(), encoding="utf-8")
    redirect = '<!doctype html><meta http-equiv="refresh" content="0; url=docs/index.html">'
    (SITE / "index.html").write_text(redirect + '<a href="docs/index.html">Sparring</a>\n')
    broken = broken_links(SITE, GALLERY)
    for line in broken:
        print(line, file=sys.stderr)  # noqa: T201 - a command's output
    return 1 if broken else 0


def llms_text() -> str:
    """Return the list of all pages: title, address, first sentence."""
    lines = ["# Sparring", "", "> Tests anything a person can talk to.", ""]
    for folder in FOLDERS:
        lines += [f"## {folder}", ""]
        for page in sorted((ROOT / "docs" / folder).glob("*.md")):
            lines.append(describe_page(page))
        lines.append("")
    return "\n".join(lines)


def describe_page(page: Path) -> str:
    """Return the line of ``llms.txt`` for a page."""
    text = page.read_text(encoding="utf-8")
    title = _TITLE.search(text)
    after = text[title.end() :] if title else text
    paragraphs = (part.strip() for part in after.split("\n\n"))
    first = next((part for part in paragraphs if part and part[0] not in "|#<`-"), "")
    sentence = _LINK.sub(r"\1", " ".join(first.split())).split(". ")[0].rstrip(".:")
    address = page.relative_to(ROOT).with_suffix(".html").as_posix()
    return f"- [{title[1] if title else page.stem}]({address}): {sentence[:200]}"


class _Page(HTMLParser):
    """The links and the anchors of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = {""}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a link or an anchor."""
        for name, value in attrs:
            if value and name == "id":
                self.anchors.add(value)
            if value and (tag, name) in (("a", "href"), ("img", "src"), ("link", "href")):
                self.links.append(value)


def broken_links(site: Path, gallery: Path) -> list[str]:
    """Return the links within a built site that lead nowhere, with their pages.

    The reports of the gallery are linked to, and their own links are not looked at: what they lead
    to lies in a run's folder.
    """
    pages: dict[Path, _Page] = {}
    for path in site.rglob("*.html"):
        page = pages[path] = _Page()
        page.feed(path.read_text(encoding="utf-8"))
    broken: list[str] = []
    for path, page in pages.items():
        if (gallery / path.relative_to(site)).exists():
            continue
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            fragment = unquote(parts.fragment)
            known = pages.get(target)
            if not target.exists() or (known and fragment not in known.anchors):
                broken.append(f"{path.relative_to(site)}: {link}")
    return broken


if __name__ == "__main__":
    sys.exit(main())
