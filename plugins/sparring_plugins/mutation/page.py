"""A mutation run as one page that needs nothing but a browser."""

import unicodedata
from base64 import b64encode
from datetime import UTC
from functools import partial
from hashlib import sha256
from pathlib import Path

from sparring_plugins.mutation import figures
from sparring_plugins.mutation.model import Fate, MutationRun

FILES = Path(__file__).with_name("page")
_INVISIBLE = ("Cc", "Cf", "Cs", "Co", "Cn")


def page(run: MutationRun, folder: Path | None = None) -> str:
    """The page; everything in it that is not ours is text, never markup.

    Pictures are put into it from the run's folder.
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(FILES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["seen"] = visible  # pyright: ignore[reportUnknownMemberType, reportArgumentType]
    css = (FILES / "page.css").read_text(encoding="utf-8")
    digest = b64encode(sha256(css.encode()).digest()).decode()
    return environment.get_template("page.html.jinja").render(
        css=css,
        policy=f"default-src 'none'; img-src data:; style-src 'sha256-{digest}'; base-uri 'none'; "
        "form-action 'none'",
        run=run,
        created=run.created.astimezone(UTC).strftime("%d %B %Y, %H:%M UTC"),
        figures=figures,
        fates=figures.fates(run.results),
        Fate=Fate,
        operators=figures.operator_rows(run),
        checks=figures.check_rows(run),
        live=figures.of_fate(run, Fate.LIVE),
        others=figures.of_fate(run, Fate.INVALID, Fate.TIMEOUT, Fate.ERROR, Fate.EQUIVALENT),
        killed=figures.of_fate(run, Fate.KILLED),
        line_class=line_class,
        running=figures.of_running(run),
        shown_fates=figures.shown_fates(run),
        noticed=figures.of_fate(run, Fate.NOTICED),
        vacuous=run.original.vacuous if run.original is not None else (),
        picture=partial(picture, folder),
    )


def picture(folder: Path | None, name: str | None) -> str | None:
    """A picture of the run's folder as an address that holds it; None where there is none."""
    if folder is None or name is None:
        return None
    path = (folder / name).resolve()
    if not path.is_relative_to(folder.resolve()) or not path.is_file():
        return None
    return f"data:image/png;base64,{b64encode(path.read_bytes()).decode()}"


def line_class(line: str) -> str:
    """How a line of a diff is shown."""
    if line.startswith(("+++", "---", "@@")):
        return "place"
    return "added" if line.startswith("+") else "gone" if line.startswith("-") else ""


def visible(text: object) -> str:
    """A text whose invisible characters, and those that reorder it, are written as escapes."""
    shown = str(text)
    if shown.isascii() and shown.isprintable():
        return shown
    return "".join(
        one
        if one in "\n\t" or unicodedata.category(one) not in _INVISIBLE
        else f"\\u{ord(one):04x}"
        for one in shown
    )
