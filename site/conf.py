"""The documentation as a site: ``make docs`` builds it from the Markdown pages, without a network.

The source folder is the root of the repository, so that links between the pages, the examples and
the README work here as they do in the repository.
"""

import re
import sys
import tomllib
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from gallery import note_missing, read_missing

# Sphinx imports modules with `typing.TYPE_CHECKING` on, which pydantic's models do not survive.
import sparring.engine.conduct
import sparring.testing.fakes  # noqa: F401

ROOT = Path(__file__).resolve().parents[1]
_PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

project = "Sparring"
author = "The Sparring team"
version = release = _PROJECT["version"]
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
root_doc = "docs/index"
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
include_patterns = [
    *("README.md", "SECURITY.md", "docs/**", "site/api.rst", "site/gallery.md", "tests/README.md"),
    *("examples/**/README.md", "contrib/**/README.md"),
]
exclude_patterns = ["docs/changelog.d/[0-9a-z]*", "**/.venv/**", "**/runs/**"]

myst_heading_anchors = 4
myst_enable_extensions = ["fieldlist"]
suppress_warnings = ["toc.not_included", "misc.highlighting_failure"]

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True, "show-inheritance": True}
napoleon_google_docstring = True
napoleon_use_ivar = True

html_theme = "furo"
html_title = f"Sparring {version}"
html_permalinks_icon = "#"
html_extra_path = ["../build/gallery"]
html_copy_source = False
html_show_copyright = False
html_static_path = ["static"]
html_css_files = ["site.css"]
html_show_sphinx = False

default_role = "code"  # docstrings have names in single backticks, as Markdown has

_SIDEBAR = {
    "Tutorials": ["tutorials/*", "/site/gallery"],
    "Plugins": ["plugins/*"],
    "How-to": ["how-to/*"],
    "Reference": ["reference/*", "/site/api"],
    "Explanation": ["explanation/*"],
    "Contributing": ["contributing/*", "changelog"],
}
_FIRST = ["tutorials/first-test", "tutorials/simulated-users", "contributing/README"]
"""Pages that are read before the others of their folder; the rest follows by name."""

_ANNOTATED = re.compile(r"~?(?:typing\.)?Annotated\[(.*?), FieldInfo\(.*?\)\]")


def add_sidebar(app: Any, docname: str, source: list[str]) -> None:
    """Put all pages into the sidebar; in the repository the start page stays plain Markdown."""
    if docname != root_doc:
        return
    for caption, patterns in _SIDEBAR.items():
        first = [page for page in _FIRST if f"{page.partition('/')[0]}/*" in patterns]
        pages = "\n".join([*first, *patterns])
        source[0] += f"\n\n```{{toctree}}\n:hidden:\n:glob:\n:caption: {caption}\n\n{pages}\n```\n"


_GALLERY_PAGE = "site/gallery"


def note_missing_reports(app: Any, docname: str, source: list[str]) -> None:
    """Say on the gallery's page which reports this site does not have, and why."""
    if docname == _GALLERY_PAGE:
        source[0] = note_missing(source[0], read_missing())


def read_gallery_again(app: Any, env: Any, added: Any, changed: Any, removed: Any) -> list[str]:
    """Read the gallery's page in every build: its reports come and go, and its file stays."""
    return [_GALLERY_PAGE] if _GALLERY_PAGE in env.found_docs else []


def shorten_signature(
    app: Any, what: str, name: str, obj: object, options: object, arguments: str, returns: str
) -> tuple[str, str]:
    """Show the types of annotated unions without what pydantic keeps about them."""
    return tuple(text and _ANNOTATED.sub(r"\1", text) for text in (arguments, returns))  # type: ignore[return-value]


def setup(app: Any) -> dict[str, bool]:
    """Register with Sphinx; the functions here keep nothing between pages."""
    app.connect("source-read", add_sidebar)
    app.connect("source-read", note_missing_reports)
    app.connect("env-get-outdated", read_gallery_again)
    app.connect("autodoc-process-signature", shorten_signature)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
