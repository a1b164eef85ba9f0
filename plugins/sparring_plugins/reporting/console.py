"""The reporter `console`: progress while a run goes on, and what matters at its end."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from sparring.interfaces.plugin import BuildContext, PluginConfig
from sparring.interfaces.reporter import Reporter
from sparring.model.events import (
    CaseJudged,
    Event,
    ProblemNoted,
    RunFinished,
    RunStarted,
    TurnTaken,
)
from sparring.model.talk import act_text
from sparring.model.verdict import Outcome, Verdict
from sparring.store import StoredRun
from sparring_plugins.execution import status
from sparring_plugins.language import quantities
from sparring_plugins.language.text import one_line
from sparring_plugins.reporting.apps_seen import apps_seen
from sparring_plugins.reporting.console_medium import Output, survey
from sparring_plugins.reporting.console_progress import STYLES, Progress
from sparring_plugins.reporting.console_summary import summary_lines
from sparring_plugins.reporting.exercised import Exercised, add_run
from sparring_plugins.reporting.file_reporter import RunRecord, expected_cases
from sparring_plugins.reporting.findings import (
    RANK,
    Findings,
    brief_reason,
    length,
    readable_reason,
    worst,
)

if TYPE_CHECKING:
    from sparring_plugins.reporting.console_live import LiveDisplay

# A terminal keeps some thousand lines; the findings stand at the end and have to be found there.
_MOST_LINES = 200
# A log of continuous integration has no line that is written over: one each five seconds shows
# life.
_LINE_EVERY_S = 5.0
# A model's service that is down makes a problem a call.
_MOST_PROBLEMS = 20
_REASON = 160
_NARROWEST, _SHORTEST = 40, 20
"""Columns for what there is to say of a case, and for its reason, however narrow the terminal."""


class ConsoleConfig(PluginConfig):
    """Settings of the reporter `console`.

    `verbosity`: ``quiet`` prints the end only, ``verbose`` every turn as well. `live`: a
    display that redraws itself; ``auto`` means on a terminal, unless ``NO_COLOR``, ``CI`` or
    ``TERM=dumb`` ask for plain lines. `max_failures`: how many findings the end lists.
    """

    verbosity: Literal["quiet", "normal", "verbose"] = "normal"
    live: Literal["auto", "never", "always"] = "auto"
    max_failures: int = Field(default=20, ge=0)


class ConsoleReporter(Reporter[ConsoleConfig]):
    """Prints to standard output: a live display on a terminal, plain lines everywhere else.

    Plain output is one line per finished case; after two hundred of them, a line every five
    seconds. Nothing that the app said reaches the terminal unescaped.
    """

    Config: ClassVar[type[PluginConfig]] = ConsoleConfig

    def __init__(self, config: ConsoleConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        self._record = RunRecord()
        self._started: RunStarted | None = None
        self._output: Output | None = None
        self._progress: Progress | None = None
        self._display: LiveDisplay | None = None
        self._lines = 0
        self._problems = 0
        self._last_line_at = 0.0

    def handle(self, event: Event) -> None:
        self._record.hear(event)
        if isinstance(event, RunStarted):
            self._start(event)
        if self._progress is None or self._output is None:
            return
        self._progress.hear(event)
        match event:
            case CaseJudged():
                self._case_line(event, self._output, self._progress)
            case TurnTaken() if self.config.verbosity == "verbose":
                self._turn_lines(event, self._output)
            case ProblemNoted():
                self._problem_line(event, self._output)
            case RunFinished():
                self._finish(event, self._output)
            case _:
                pass
        self._show_display(event)

    async def close(self) -> None:
        self._stop_display()
        self._record.close()

    def _start(self, event: RunStarted) -> None:
        self._started = event
        self._output = Output(survey(self.config.live))
        before = 0
        if event.session > 1 and event.folder is not None:
            before = len(StoredRun(Path(event.folder)).cases)
        self._progress = Progress(event.expected, before)
        self._lines = self._problems = 0
        self._last_line_at = monotonic()
        playing = status.current()
        if playing is not None and playing.dashboard and self.config.verbosity != "quiet":
            self._output.line(("dashboard: ", "dim"), (one_line(playing.dashboard, 200), "dim"))

    def _show_display(self, event: Event) -> None:
        """Begin the live display when something is played: not for a mere report."""
        if self._display or isinstance(event, RunStarted | RunFinished | ProblemNoted):
            return
        output, progress = self._output, self._progress
        is_shown = self.config.verbosity != "quiet" and output and output.medium.is_live
        if is_shown and output and progress:
            from sparring_plugins.reporting.console_live import LiveDisplay

            self._display = LiveDisplay(output, progress)

    def _stop_display(self) -> None:
        if self._display is not None:
            self._display.stop()
            self._display = None

    def _case_line(self, event: CaseJudged, output: Output, progress: Progress) -> None:
        outcome = worst(event.verdicts)
        verbose = self.config.verbosity == "verbose"
        if self.config.verbosity == "quiet":
            return
        if output.medium.is_live and outcome is Outcome.PASS and not verbose:
            return
        if self._lines >= _MOST_LINES and not verbose:
            self._periodic_line(output, progress)
            return
        self._lines += 1
        place = f"[{progress.place()}] "
        label = f"{'FAIL' if outcome is Outcome.FAIL else outcome.value:<5} "
        case_id = one_line(event.trace.case.id, 100)
        room = 2 * _REASON
        if output.medium.is_terminal:  # a line each
            width = len(place) + len(label) + len(case_id) + 3
            room = max(_NARROWEST, output.medium.width - width)
        remark = f"  {_remark(event, outcome, room)}"
        output.line(
            (place, "dim"),
            (label, STYLES[outcome]),
            (case_id, ""),
            (remark, "dim" if outcome is Outcome.PASS else ""),
        )

    def _periodic_line(self, output: Output, progress: Progress) -> None:
        now = monotonic()
        if not output.medium.is_live and now - self._last_line_at >= _LINE_EVERY_S:
            self._last_line_at = now
            output.line((progress.summary_line(), ""))

    def _turn_lines(self, event: TurnTaken, output: Output) -> None:
        case_id, observation = one_line(event.case_id, 60), event.turn.observation
        user_text = one_line(act_text(event.turn.act), _REASON)
        reply = one_line(observation.text, _REASON) if observation else "(no answer)"
        output.line((f"  {case_id} {event.index + 1:>3} user ", "dim"), (user_text, "cyan"))
        output.line((f"  {case_id} {event.index + 1:>3} app  ", "dim"), (reply, ""))

    def _problem_line(self, event: ProblemNoted, output: Output) -> None:
        self._problems += 1
        if self._problems <= _MOST_PROBLEMS:
            text = f"{one_line(event.source, 60)}: {one_line(event.message, 300)}"
            output.line(("warning ", "yellow"), (text, ""))

    def _finish(self, event: RunFinished, output: Output) -> None:
        self._stop_display()
        stored = self._record.stored()
        if stored is None or self._started is None:
            return
        findings, exercised = Findings.of_run(stored), Exercised()
        judged = _add_to(stored.judged(), findings, exercised)
        apps = apps_seen(judged, sentences=False)
        findings.add_concluded(stored.concluded)
        add_run(exercised, stored)
        lines = summary_lines(
            self._started.run,
            event.summary,
            findings.faults(),
            stored.folder if self._record.is_stored else None,
            expected=expected_cases(stored, event.summary),
            medium=output.medium,
            max_failures=self.config.max_failures,
            confirmations=stored.confirmations(),
            apps=apps,
            kinds=findings.kinds,
            notes=findings.notes,
            unexercised=exercised.brief,
            noun=findings.noun,
        )
        for line in lines:
            output.line(*line)


def _remark(event: CaseJudged, outcome: Outcome, room: int) -> str:
    """The first reason if there is one to tell, else how long the conversation was."""
    verdicts = [v for v in event.verdicts if v.gating and v.outcome is outcome]
    if verdicts and RANK[outcome] < RANK[Outcome.PASS]:
        return _reason(verdicts[0], room)
    return f"{length(event.trace)}, {quantities.duration(event.trace.duration_s)}"


def _reason(verdict: Verdict, room: int) -> str:
    label = one_line(f"{verdict.oracle} / {verdict.check}", 80)
    limit = min(_REASON, max(_SHORTEST, room - len(label) - 2))
    reason = brief_reason(readable_reason(verdict), limit)
    return f"{label}: {reason}" if reason else label


def _add_to(
    judged: Iterable[CaseJudged], findings: Findings, exercised: Exercised
) -> Iterator[CaseJudged]:
    """The cases, each of which is added to the findings and to what was exercised as it passes."""
    for case_judged in judged:
        findings.add_case(case_judged)
        exercised.add_case(case_judged)
        yield case_judged
