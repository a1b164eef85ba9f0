"""A study as one page that needs nothing but a browser."""

from base64 import b64encode
from collections.abc import Sequence, Set
from datetime import UTC
from functools import partial
from hashlib import sha256
from pathlib import Path

from sparring_plugins.language.visible import visible
from sparring_plugins.study import numbers
from sparring_plugins.study.charts import HEIGHT, WIDTH, dot_plots, growths
from sparring_plugins.study.result import (
    BY_NAME,
    COMPARED,
    FEW_SEEDS,
    MEASURES,
    Measure,
    StudyResult,
)

FILES = Path(__file__).with_name("page")


def page(result: StudyResult) -> str:
    """The page; everything in it that is not ours is text, never markup."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(FILES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["seen"] = _seen  # pyright: ignore[reportUnknownMemberType, reportArgumentType]
    css = (FILES / "page.css").read_text(encoding="utf-8")
    digest = b64encode(sha256(css.encode()).digest()).decode()
    return environment.get_template("page.html.jinja").render(
        css=css,
        policy=f"default-src 'none'; img-src data:; style-src 'sha256-{digest}'; base-uri 'none'; "
        "form-action 'none'",
        result=result,
        created=result.created.astimezone(UTC).strftime("%d %B %Y, %H:%M UTC"),
        numbers=numbers,
        compared=COMPARED,
        by_name=BY_NAME,
        few_seeds=FEW_SEEDS,
        width=WIDTH,
        height=HEIGHT,
        shown=partial(_shown, result),
        best=partial(_best, result),
        versus=partial(_versus, result),
        growths=partial(growths, result),
        dot_plots=partial(dot_plots, result),
    )


def _seen(text: object) -> str:
    return visible(str(text))


def _shown(result: StudyResult, app: str) -> Sequence[Measure]:
    """The measures of which some strategy has a value on an app."""
    rows = [row for row in result.rows if row.app == app]
    return [one for one in MEASURES if any(one.name in row.values for row in rows)]


def _best(result: StudyResult, app: str, measure: Measure) -> Set[str]:
    """The strategies that are best by a measure on an app; none where it has no better end."""
    known = {
        row.strategy: row.values[measure.name].mean
        for row in result.rows
        if row.app == app and measure.name in row.values
    }
    if measure.better == "neither" or len(set(known.values())) < 2:
        return frozenset()
    most = (max if measure.better == "more" else min)(known.values())
    return {name for name, value in known.items() if value == most}


def _versus(result: StudyResult, app: str, baseline: str) -> list[str]:
    """The strategies that are compared with a baseline on an app."""
    found = (one.strategy for one in result.comparisons
             if (one.app, one.baseline) == (app, baseline))  # fmt: skip
    return list(dict.fromkeys(found))
