"""The reporter `html`: the run as one page that needs nothing but a browser."""

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar
from urllib.parse import quote

from pydantic import Field

from sparring.interfaces.plugin import PluginConfig
from sparring_plugins.language.quantities import plural
from sparring_plugins.language.text import one_line
from sparring_plugins.output.files import report_file
from sparring_plugins.output.html_page import content_policy, page_environment
from sparring_plugins.output.judge_words import judge_words
from sparring_plugins.reporting.causes import shrunk
from sparring_plugins.reporting.file_reporter import FileReporter, FinishedRun, expected_cases
from sparring_plugins.reporting.finding_words import TONES, Labels, extent
from sparring_plugins.reporting.findings import brief_reason, reason_parts

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

PAGE = Path(__file__).with_name("page")


class HtmlConfig(PluginConfig):
    """Settings of the reporter `html`.

    `path`: the file to write, from the suite's folder, or ``-`` for standard output;
    ``report.html`` in the run's folder if it is left out. `max_conversations`: how many
    conversations the page shows whole; of a larger run it shows what did not pass first, then
    a sample of the passes. `max_message`: how many characters of one message it shows.
    """

    path: str | None = Field(default=None, min_length=1)
    max_conversations: int = Field(default=1000, ge=1)
    max_message: int = Field(default=20_000, ge=100)


class HtmlReporter(FileReporter[HtmlConfig]):
    """Writes one self-contained page: findings first, then every conversation as a chat.

    The page loads nothing and its content security policy forbids it to; everything that the
    app said is text, never markup. It is read from the stored run and written as it goes, so
    memory does not grow with the texts of a run.
    """

    Config: ClassVar[type[PluginConfig]] = HtmlConfig
    suffixes: ClassVar[tuple[str, ...]] = (".html", ".htm")

    def write(self, finished: FinishedRun) -> Sequence[Path]:
        place = (self.config.path, "report.html", self.context.base_dir, finished.run_dir)
        page = self._page(finished)
        with report_file(*place) as (file, written):
            file.writelines(page)
        return written

    def _page(self, finished: FinishedRun) -> Iterator[str]:
        """The page in pieces. Jinja and the page's parts are imported only here."""
        from sparring_plugins.reporting.apps_seen import apps_seen
        from sparring_plugins.reporting.html.app_sections import apps_view, coverage_view, pictures
        from sparring_plugins.reporting.html.charts import charts
        from sparring_plugins.reporting.html.overview import Overview
        from sparring_plugins.reporting.html.summary import summarised
        from sparring_plugins.reporting.html.views import Limits, Viewer, again_views

        stored, summary, folder = finished.stored, finished.summary, finished.folder
        overview = Overview(stored)
        selection = overview.selection(self.config.max_conversations)
        limits = Limits(self.config.max_message, 10 * self.config.max_message)
        viewer = Viewer(overview.findings, overview.concluded_by_case(), folder, limits)
        css, script = _file("report.css"), _file("report.js")
        confirmations = stored.confirmations()
        template = _environment().get_template("report.html.jinja")
        return template.generate(
            css=css,
            script=script,
            policy=content_policy(css, script),
            charts=charts(overview.timings, overview.findings.noun),
            labels=Labels(summary),
            tones=TONES,
            overview=overview,
            selection=selection,
            shown=frozenset(selection.whole),
            conversations=(viewer.view(stored.case(i)) for i in selection.whole),
            briefly=(viewer.view(stored.case(i)) for i in selection.brief),
            problems=stored.problems,
            models=pictures(folder),
            shrunk=shrunk(folder),
            again=tuple(again_views(confirmations, viewer)),
            apps=apps_view(apps_seen(stored.judged()), confirmations),
            coverage=coverage_view(overview.exercised),
            **summarised(finished.run, summary, overview, folder, expected_cases(stored, summary)),
        )


def compile_page() -> None:
    """Compile all templates of the page, for installations in which runs write no bytecode."""
    environment = _environment()
    for name in environment.list_templates(extensions=["jinja"]):
        environment.get_template(name)


def _file(name: str) -> str:
    return (PAGE / name).read_text(encoding="utf-8")


@cache
def _environment() -> "Environment":
    """The page's templates, compiled once per process."""
    return page_environment(
        PAGE,
        {
            "anchor": _anchor,
            "brief": brief_reason,
            "coded": _mark_code,
            "coordinate": _coordinate,
            "counted": _format_count,
            "extent": extent,
            "judge_words": judge_words,
            "parted": reason_parts,
            "line": one_line,
            "plural": plural,
            "quoted": _quote_name,
        },
    )


def _mark_code(text: str) -> "Markup":
    """A text, escaped, with what stands between backticks as code."""
    from markupsafe import Markup, escape

    *parts, last = text.split("`")
    if len(parts) % 2:  # one backtick has no partner
        last = f"{parts.pop()}`{last}"
    numbers = [
        Markup("<code>{}</code>").format(p) if n % 2 else escape(p) for n, p in enumerate(parts)
    ]
    return Markup("").join([*numbers, escape(last)])


def _quote_name(name: str) -> str:
    """A name as one word, for lists in attributes."""
    return quote(name, safe="")


def _anchor(case_id: str) -> str:
    return "#case-" + _quote_name(case_id)


def _format_count(number: int) -> str:
    return f"{number:,}"


def _coordinate(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0")
