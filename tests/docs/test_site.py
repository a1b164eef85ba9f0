"""The site of the documentation: its gallery, its links, and that continuous integration builds it."""

import importlib.util
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
import yaml

from sparring_plugins.project.docs_command import FOLDERS
from sparring_plugins.project.new_command import plugin_kinds

ROOT = Path(__file__).parents[2]
LONGEST = 150
"""Lines of a page of `docs/plugins`: whoever reads more than that has no time left to write."""


@pytest.fixture
def site_module(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The program `site/build.py`, with its neighbour `gallery`; there is a package `build`, too."""
    monkeypatch.syspath_prepend(str(ROOT / "site"))
    spec = importlib.util.spec_from_file_location("sparring_site_build", ROOT / "site/build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    del sys.modules["gallery"]


@pytest.fixture
def gallery(site_module: ModuleType) -> ModuleType:
    return sys.modules["gallery"]


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_links_that_lead_nowhere_are_found(site_module: ModuleType, tmp_path: Path) -> None:
    site, reports = tmp_path / "site", tmp_path / "gallery"
    write(site / "docs/index.html", '<p id="top"><a href="a.html#there">1</a><a href="a.html#not">2</a>'
          '<a href="gone.html">3</a><img src="gone.png"><a href="https://x.example/">4</a>'
          '<a href="#top">5</a><a href="../shop/report.html">6</a>')  # fmt: skip
    write(site / "docs/a.html", '<h1 id="there">A</h1>')
    for folder in (site, reports):
        write(folder / "shop/report.html", '<a href="no-file-of-the-run.json">7</a>')
    assert sorted(site_module.broken_links(site, reports)) == [
        "docs/index.html: a.html#not",
        "docs/index.html: gone.html",
        "docs/index.html: gone.png",
    ]


def test_the_page_says_which_reports_are_missing_and_why(
    gallery: ModuleType, tmp_path: Path
) -> None:
    page = (ROOT / "site/gallery.md").read_text(encoding="utf-8")
    linked = re.findall(r'<a href="\.\./([\w-]+)/report\.html">', page)
    assert sorted(linked) == sorted(gallery.NAMES)
    write(tmp_path / "pizzeria/report.html", "")
    noted = gallery.note_missing(page, {"shop": gallery.NO_BROWSER}, tmp_path)
    assert re.findall(r'<a href="\.\./([\w-]+)/report\.html">', noted) == ["pizzeria"]
    assert f"Web shop (*not here: {gallery.NO_BROWSER}*)" in noted
    assert f"Assistant (*not here: {gallery.NOT_BUILT}*)" in noted


def test_a_report_is_kept_with_the_pictures_that_it_shows(
    gallery: ModuleType, tmp_path: Path
) -> None:
    write(tmp_path / "run/report.html", "report")
    write(tmp_path / "run/artifacts/case/1.png", "picture")
    write(tmp_path / "run/log.jsonl", "log")
    gallery.keep_report(tmp_path / "run", tmp_path / "shop")
    kept = {
        path.relative_to(tmp_path / "shop").as_posix() for path in (tmp_path / "shop").rglob("*.*")
    }
    assert kept == {"report.html", "artifacts/case/1.png"}


def test_without_a_browser_the_shop_is_left_out_with_a_message(
    gallery: ModuleType,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def play(name: str, runs: Path) -> None:
        write(runs / "run-1/report.html", name)

    monkeypatch.setattr(gallery, "GALLERY", tmp_path / "gallery")
    monkeypatch.setattr(gallery, "MISSING", tmp_path / "missing.json")
    monkeypatch.setattr(gallery, "has_browser", lambda: False)
    monkeypatch.setattr(gallery, "_play", play)
    write(tmp_path / "gallery/shop/report.html", "of an earlier build")
    gallery.make_gallery()
    assert gallery.NO_BROWSER in capsys.readouterr().out
    assert gallery.read_missing(tmp_path / "missing.json") == {"shop": gallery.NO_BROWSER}
    made = {path.parent.name for path in (tmp_path / "gallery").glob("*/report.html")}
    assert made == set(gallery.NAMES) - {"shop"}


def test_a_run_that_ends_otherwise_makes_no_report(gallery: ModuleType) -> None:
    with pytest.raises(RuntimeError, match=r"(?s)ended with 3, not 1:.*nobody was there"):
        gallery.call([sys.executable, "-c", "print('nobody was there'); exit(3)"], 1)
    gallery.call([sys.executable, "-c", "import os; exit(int(os.environ['CODE']))"], 1, CODE="1")


def test_the_list_for_programs_has_every_page(site_module: ModuleType) -> None:
    text = site_module.llms_text()
    pages = [path for folder in FOLDERS for path in (ROOT / "docs" / folder).glob("*.md")]
    missing = [page.name for page in pages if f"/{page.stem}.html)" not in text]
    assert pages
    assert not missing


def test_each_kind_of_plugin_has_a_short_page_with_the_same_parts() -> None:
    assert {path.stem for path in (ROOT / "docs/plugins").glob("*.md")} == set(plugin_kinds())
    for kind in plugin_kinds():
        text = (ROOT / f"docs/plugins/{kind}.md").read_text(encoding="utf-8")
        assert len(text.splitlines()) <= LONGEST, kind
        headings = re.findall(r"^## ([^:\n]+)", text, re.MULTILINE)
        assert headings == [
            "The contract",
            "Ten minutes",
            "In a suite",
            "Read a failure of the kit",
        ], kind
        assert f"$ sparring new plugin {kind} " in text
        assert re.search(r"\$ pytest -q  # exit 1\n> ", text), (
            f"{kind}: a failure of the kit is shown"
        )


def test_continuous_integration_builds_the_site() -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8"))
    commands = [step.get("run") for step in workflow["jobs"]["docs"]["steps"]]
    assert "make docs" in commands
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    recipe = makefile.partition("\ntest:")[2].partition("\n\n")[0]
    assert " site " in recipe
