"""Builds the site of the documentation in ``build/docs``: ``python site/build.py [--no-gallery]``.

Everything is made on this machine: the reports of the gallery by running the examples, the pages by
Sphinx, with each warning (a link that leads nowhere, say) as an error, and ``llms.txt``, a list of
all pages for programs that read.
"""

import os
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).resolve().parents[1]
SITE = ROOT / "build/docs"
GALLERY = ROOT / "build/gallery"
_TITLE = re.compile(r"^# +(.+)$", re.MULTILINE)
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")


def main() -> int:
    """Build the site; 1 if a link leads nowhere."""
    GALLERY.mkdir(parents=True, exist_ok=True)
    if "--no-gallery" not in sys.argv:
        make_gallery()
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html"]
    built = subprocess.run([*command, "-c", ROOT / "site", ROOT, SITE], check=False)
    if built.returncode:
        return built.returncode
    (SITE / "llms.txt").write_text(llms_text(), encoding="utf-8")
    redirect = '<!doctype html><meta http-equiv="refresh" content="0; url=docs/index.html">'
    (SITE / "index.html").write_text(redirect + '<a href="docs/index.html">Sparring</a>\n')
    broken = broken_links(SITE) if GALLERY.joinpath("pizzeria").exists() else []
    for line in broken:
        print(line, file=sys.stderr)  # noqa: T201 - a command's output
    return 1 if broken else 0


def make_gallery() -> None:
    """Run the examples, and keep their reports."""
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    sparring = [sys.executable, "-m", "sparring", "run"]
    with TemporaryDirectory() as folder:
        runs = Path(folder)
        demo = [sys.executable, ROOT / "examples/pizzeria/demo.py", "--no-open"]
        for name, command in {
            "pizzeria": [*demo, "--runs", runs / "pizzeria"],
            "star-porch": [*sparring, ROOT / "examples/skills/star-porch", "--exit-zero"],
            "assistant": [*sparring, ROOT / "examples/assistant", "--exit-zero"],
        }.items():
            if name != "pizzeria":
                command += ["--set", f"runs={runs / name}"]
            subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)
            (report,) = (runs / name).glob("*/report.html")
            (GALLERY / name).mkdir(exist_ok=True)
            shutil.copy(report, GALLERY / name / "report.html")


def llms_text() -> str:
    """Return the list of all pages: title, address, first sentence."""
    lines = ["# Sparring", "", "> Tests anything a person can talk to.", ""]
    for folder in ("tutorials", "how-to", "reference", "explanation", "contributing"):
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


def broken_links(site: Path) -> list[str]:
    """Return the links within a built site that lead nowhere, with their pages."""
    pages: dict[Path, _Page] = {}
    for path in site.rglob("*.html"):
        page = pages[path] = _Page()
        page.feed(path.read_text(encoding="utf-8"))
    broken: list[str] = []
    for path, page in pages.items():
        if (GALLERY / path.relative_to(site)).exists():
            continue  # a report: its files lie in its run
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
