"""One kit for all HTML pages: pages in one file that run nothing but their own style and script.

Everything that is put into a template is text and is escaped; the page's content security
policy allows exactly the style and the script that it was made with, by their digests.
"""

from base64 import b64encode
from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from sparring_plugins.language.text import visible

if TYPE_CHECKING:
    from jinja2 import Environment

STYLE = Path(__file__).with_name("page.css")
"""Colours, fonts and tables of all pages."""

Filters = Mapping[str, Callable[..., object]]


def page_environment(folder: Path, filters: Filters | None = None) -> "Environment":
    """Return the templates of a folder; jinja2 is imported only here.

    Every environment has the filter ``seen``, which makes control characters visible.
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    from sparring_plugins.output.template_cache import TemplateCache

    environment = Environment(
        loader=FileSystemLoader(folder),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        optimized=False,  # a page is rendered once: folding constants costs more than it saves
        bytecode_cache=TemplateCache(folder),
    )
    environment.filters.update({"seen": _seen, **(filters or {})})  # pyright: ignore[reportUnknownMemberType]
    return environment


def render_page(
    folder: Path,
    template: str,
    values: Mapping[str, object],
    filters: Filters | None = None,
) -> str:
    """Return a page without scripts: `template` of a folder with its style and policy.

    The style is that of all pages, then ``page.css`` of the folder, which may override it.
    """
    css = "".join(path.read_text(encoding="utf-8") for path in (STYLE, folder / "page.css"))
    environment = page_environment(folder, filters)
    return environment.get_template(template).render(css=css, policy=content_policy(css), **values)


def content_policy(style: str, script: str | None = None) -> str:
    """Return a content security policy: this style, this script, embedded pictures, no more."""
    scripts = (f"script-src {_digest(script)}",) if script is not None else ()
    return "; ".join(
        (
            "default-src 'none'",
            f"style-src {_digest(style)}",
            *scripts,
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )


def _digest(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _seen(text: object) -> str:
    return visible(str(text))
