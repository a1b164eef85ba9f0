"""A whole calibration, from its file to the stored result."""

import json
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

from pydantic import JsonValue

from sparring import event_loop
from sparring.discovery import hooks
from sparring.engine.budget import Spending
from sparring.engine.bus import EventBus, now
from sparring.engine.exit_codes import ERRORS, FAILED, INCOMPLETE, INTERRUPTED, NOTHING, PASSED
from sparring.engine.metering import Meter
from sparring.engine.session import manifest, new_place, open_bus, release_place
from sparring.errors import ConfigurationError
from sparring.event_loop import interruptible
from sparring.model.events import RunFinished, RunStarted
from sparring.model.run import Run, Stop, Summary
from sparring.store import RunLog
from sparring.suite.environment import Redactor
from sparring.suite.model import ExecutionUse
from sparring_plugins.execution.options import is_in_process
from sparring_plugins.judging.calibration.agreement import agreements
from sparring_plugins.judging.calibration.file_loading import LoadedCalibration
from sparring_plugins.judging.calibration.judge_calls import Answer, Asked, Asking, by_item
from sparring_plugins.judging.calibration.judge_measures import measured
from sparring_plugins.judging.calibration.judges import (
    Item,
    Judge,
)
from sparring_plugins.judging.calibration.model import JudgeUse
from sparring_plugins.judging.calibration.reports import page
from sparring_plugins.judging.calibration.results import CALIBRATION, Calibration, JudgeResult
from sparring_plugins.judging.calibration.workshop import Workshop

if TYPE_CHECKING:
    from sparring_plugins.execution.workers import Workers


def plain_settings(use: JudgeUse) -> dict[str, JsonValue]:
    """The settings of a judge as plain data."""
    return cast("dict[str, JsonValue]", json.loads(json.dumps(use.settings, default=str)))


ANSWERS = "answers.jsonl"
PAGE = "page.html"


@dataclass(frozen=True, slots=True)
class CalibrateOptions:
    """What the command line adds to a calibration file.

    `judges` are the labels of those to measure (empty: all). `on_answer` gets every answer, how
    many there are by now, and how many are planned so far. `execution` says who asks.
    """

    runs: Path | None = None
    judges: tuple[str, ...] = ()
    min_accuracy: float | None = None
    min_kappa: float | None = None
    disabled: tuple[str, ...] = ()
    on_answer: Callable[[Answer, int, int], None] = lambda answer, done, of: None
    execution: ExecutionUse | None = None


@dataclass(slots=True)
class Calibrated:
    """How a calibration went: its result, where it is stored, what was noted."""

    result: Calibration
    folder: Path
    written: list[Path] = field(default_factory=list[Path])
    problems: list[str] = field(default_factory=list[str])
    warnings: list[str] = field(default_factory=list[str])


def calibrate(loaded: LoadedCalibration, options: CalibrateOptions) -> Calibrated:
    """Measure judges; raises SparringError if nothing could be measured."""
    return event_loop.run(_Session(loaded, options).conduct())


class _Session:
    """One calibration; the steps of `conduct`, and what they share."""

    def __init__(self, loaded: LoadedCalibration, options: CalibrateOptions) -> None:
        self.loaded = loaded
        self.file = loaded.file
        self.options = options
        runs = options.runs or loaded.base_dir / self.file.runs
        self.run_id, self.folder = new_place(runs, f"calibrate-{self.file.name}")
        self.spending = Spending(self.file.budget)
        self.meter = Meter(self.spending)
        self.workshop = Workshop(loaded, self.folder, self.meter.wrap)
        self.listeners = hooks.load(frozenset(options.disabled))

    async def conduct(self) -> Calibrated:
        """Build, ask, measure, store, close."""
        try:
            judges = self._judges()
            items = self.workshop.items(judges, self.listeners)
            if not items:
                raise ConfigurationError(self.loaded.document.problem("no examples", ["examples"]))
            return await self._calibrate_logged(judges, items, self._manifest())
        finally:
            for context in self.workshop.contexts:
                await context.close()
            self.meter.close()
            release_place(self.folder)

    def _judges(self) -> list[Judge]:
        labels = [judge.label for judge in self.file.judges]
        for name in self.options.judges:
            if name not in labels:
                raise ConfigurationError(f"no judge is called {name!r}: {', '.join(labels)}")
        return self.workshop.judges(self.options.judges)

    def _manifest(self) -> Run:
        context = self.workshop.context
        context.files(str(self.loaded.path.absolute()))
        for other in self.workshop.contexts:
            context.inputs |= other.inputs
        return manifest(
            self.run_id,
            self.file.name,
            context,
            suite=self.loaded.written,
            suite_path=self.loaded.path,
            kind="calibration",
        )

    async def _calibrate_logged(
        self, judges: Sequence[Judge], items: Sequence[Item], run: Run
    ) -> Calibrated:
        with RunLog.create(self.folder, run) as log:
            bus = self.meter.bus = open_bus(log, self.options.disabled, ())
            bus.emit(RunStarted(at=now(), run=run, folder=str(self.folder)))
            asking = await self._ask(judges, items)
            result = self._result(run, asking)
            written = self._store(result)
            self._finish(bus, result)
            await bus.sync()
        warnings = [w for context in self.workshop.contexts for w in context.warnings]
        problems = [*self.meter.notes, *bus.problems]
        return Calibrated(result, self.folder, written, problems, list(dict.fromkeys(warnings)))

    async def _ask(self, judges: Sequence[Judge], items: Sequence[Item]) -> Asking:
        async with AsyncExitStack() as stack:
            workers = await self._open_workers(stack)
            file = stack.enter_context((self.folder / ANSWERS).open("w", encoding="utf-8"))
            kept = _Kept(file, judges, items)

            def on_answer(answer: Answer, done: int, of: int) -> None:
                kept.add(answer)
                self.options.on_answer(answer, done, of)

            concurrency, elsewhere = self.file.concurrency, None
            if workers is not None:
                from sparring_plugins.judging.calibration.remote_calls import ask_on

                concurrency = max(concurrency, 2 * workers.slots)
                elsewhere = ask_on(workers)
            asking = Asking(
                judges,
                items,
                self.file.repeats,
                concurrency,
                self.file.timeout,
                self.spending,
                on_answer,
                elsewhere,
            )
            stack.enter_context(interruptible(asking.interrupt))
            await asking.run()
        return asking

    async def _open_workers(self, stack: AsyncExitStack) -> "Workers | None":
        """The workers that ask the judges until `stack` ends; `None` if this process does."""
        execution = self.options.execution
        if execution is None or is_in_process(execution):
            return None
        from sparring_plugins.execution.remote_work import open_workers
        from sparring_plugins.judging.calibration import remote_calls

        workshop = self.workshop
        opening = open_workers(
            workshop.context,
            execution,
            self.file.concurrency,
            lambda: remote_calls.plan_calibration(workshop, self.options.judges),
            remote_calls.find_model(workshop),
        )
        return await stack.enter_async_context(opening)

    def _result(self, run: Run, asking: Asking) -> Calibration:
        answers = list(asking.answers.values())
        answered_by_judge = [
            by_item(judge, asking.items, [a for a in answers if a.question.judge == index])
            for index, judge in enumerate(asking.judges)
        ]
        judges = tuple(
            self._measure_judge(judge, answered_by_judge[index], asking.repeats_of(index))
            for index, judge in enumerate(asking.judges)
        )
        people = sorted({who for item in asking.items for who in item.people})
        labels = [
            label
            for asked_example in answered_by_judge[0]
            if (label := asked_example.expected) is not None
        ]
        result = Calibration(
            id=run.id,
            name=run.name,
            created=run.created,
            file=run.suite_path,
            seed=self.file.seed,
            repeats=self.file.repeats,
            examples=len(asking.items),
            labels={label: labels.count(label) for label in sorted(set(labels))},
            people=tuple(people),
            judges=judges,
            agreements=agreements(
                {
                    judge.label: [asked_example.word for asked_example in answered_by_judge[i]]
                    for i, judge in enumerate(asking.judges)
                },
                {who: [item.people.get(who) for item in asking.items] for who in people},
                self.file.seed,
            ),
            usage=self.spending.usage(),
            inputs=run.inputs,
            versions=run.versions,
        )
        cleaned: Calibration = Redactor().cleaned(_end_calibration(result, asking, self.options))
        return cleaned

    def _measure_judge(
        self, judge: Judge, asked_examples: Sequence[Asked], repeats: int
    ) -> JudgeResult:
        result = measured(
            judge, asked_examples, repeats=repeats, positive=self.file.positive, seed=self.file.seed
        )
        llm = self.workshop.llm_of(judge.use)
        said = [a.model for example in asked_examples for a in example.given if a.model]
        asks = result.per_answer.model_calls > 0
        return result.model_copy(
            update={
                "settings": plain_settings(judge.use),
                "llm": json.loads(llm.model_dump_json(exclude_unset=True))
                if llm and asks
                else None,
                "model": (said[0] if said else self.workshop.model_of(judge.use)) if asks else None,
            }
        )

    def _store(self, result: Calibration) -> list[Path]:
        paths = [self.folder / PAGE, self.folder / CALIBRATION]
        texts = [page(result), result.model_dump_json(indent=2) + "\n"]
        for path, text in zip(paths, texts, strict=True):
            new = path.with_name(f".{path.name}.new")
            new.write_text(text, encoding="utf-8", newline="\n")
            new.replace(path)
        return paths

    @staticmethod
    def _finish(bus: EventBus, result: Calibration) -> None:
        summary = Summary(
            stopped=result.stopped,
            exit_code=result.exit_code,
            reason=result.reason,
            usage=result.usage,
        )
        bus.emit(RunFinished(at=now(), summary=summary))


class _Kept:
    """Writes every answer down as it comes, so that it survives a kill."""

    def __init__(self, file: IO[str], judges: Sequence[Judge], items: Sequence[Item]) -> None:
        self._file = file
        self._judges = judges
        self._items = items
        self._redactor = Redactor()

    def add(self, answer: Answer) -> None:
        """Append an answer."""
        question = answer.question
        data = {
            "judge": self._judges[question.judge].label,
            "example": self._items[question.item].id,
            "sample": question.sample,
            "reverse": question.reverse,
            **{key: item for key, item in asdict(answer).items() if key != "question"},
        }
        self._file.write(json.dumps(self._redactor.cleaned(data), ensure_ascii=True) + "\n")
        self._file.flush()


def _end_calibration(result: Calibration, asking: Asking, options: CalibrateOptions) -> Calibration:
    """The result with how it ended, and the exit code that follows."""
    short = shortfalls(result, options)
    errors = sum(judge.errors for judge in result.judges)
    stopped, code, reason = Stop.COMPLETE, PASSED, ""
    if not any(judge.decided for judge in result.judges):
        code, reason = NOTHING, "nothing was measured: no judge decided anything"
    if errors:
        code, reason = ERRORS, f"{errors} answers ended in errors"
    if asking.spent is not None:
        stopped, code, reason = Stop.BUDGET, INCOMPLETE, asking.spent
    if short:
        code, reason = FAILED, "; ".join(short)
    if asking.interrupted:
        stopped, code, reason = Stop.INTERRUPTED, INTERRUPTED, "interrupted"
    return result.model_copy(update={"stopped": stopped, "exit_code": code, "reason": reason})


def shortfalls(result: Calibration, options: CalibrateOptions) -> list[str]:
    """What judges lack of what was demanded; an undefined measure never suffices."""
    messages: list[str] = []
    demanded = {"accuracy": options.min_accuracy, "kappa": options.min_kappa}
    for name, least in demanded.items():
        if least is None:
            continue
        for judge in result.judges:
            value: float | None = getattr(judge, name).value
            if value is None or value < least:
                shown = "undefined" if value is None else f"{value:.3f}"
                messages.append(f"the {name} of {judge.name} is {shown}, not {least:g} or more")
    return messages
