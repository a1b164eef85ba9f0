"""A whole calibration, from its file to the stored result."""

import json
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO

from sparring import event_loop
from sparring.discovery import hooks
from sparring.engine.budget import Spending
from sparring.engine.bus import EventBus, now
from sparring.engine.exit_codes import ERRORS, FAILED, INCOMPLETE, INTERRUPTED, NOTHING, PASSED
from sparring.engine.interruption import interruptible
from sparring.engine.metering import Meter
from sparring.engine.session import manifest, new_place, open_bus
from sparring.errors import ConfigurationError, StoredRunError
from sparring.model.calibration import CALIBRATION, Calibration, JudgeResult
from sparring.model.events import RunFinished, RunStarted
from sparring.model.run import Run, Stop, Summary
from sparring.store import RunLog
from sparring.suite.environment import Redactor
from sparring_plugins.judging.calibration.agreement import agreements
from sparring_plugins.judging.calibration.asked import Asked, by_item
from sparring_plugins.judging.calibration.file_loading import LoadedCalibration
from sparring_plugins.judging.calibration.judge_calls import Answer, Asking
from sparring_plugins.judging.calibration.judge_measures import measured
from sparring_plugins.judging.calibration.judges import Item, Judge
from sparring_plugins.judging.calibration.page import page
from sparring_plugins.judging.calibration.preparation import Workshop, plain_settings

ANSWERS = "answers.jsonl"
PAGE = "page.html"


@dataclass(frozen=True, slots=True)
class CalibrateOptions:
    """What the command line adds to a calibration file.

    `judges` are the labels of those to measure (empty: all). `heard` is told of every answer, how
    many there are by now, and how many are planned so far.
    """

    runs: Path | None = None
    judges: tuple[str, ...] = ()
    min_accuracy: float | None = None
    min_kappa: float | None = None
    disabled: tuple[str, ...] = ()
    heard: Callable[[Answer, int, int], None] = lambda answer, done, of: None


@dataclass(slots=True)
class Calibrated:
    """How a calibration went: its result, where it is stored, what was noted."""

    result: Calibration
    folder: Path
    written: list[Path] = field(default_factory=list[Path])
    problems: list[str] = field(default_factory=list[str])
    warnings: list[str] = field(default_factory=list[str])


def calibrate(loaded: LoadedCalibration, options: CalibrateOptions) -> Calibrated:
    """Measure judges; raises SparringError where nothing could be measured."""
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
            return await self._logged(judges, items, self._manifest())
        finally:
            for context in self.workshop.contexts:
                await context.close()
            self.meter.close()

    def _judges(self) -> list[Judge]:
        known = [judge.label for judge in self.file.judges]
        for name in self.options.judges:
            if name not in known:
                raise ConfigurationError(f"no judge is called {name!r}: {', '.join(known)}")
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

    async def _logged(self, judges: Sequence[Judge], items: Sequence[Item], run: Run) -> Calibrated:
        log = RunLog.create(self.folder, run)
        try:
            bus = self.meter.bus = open_bus(log, self.options.disabled, ())
            bus.emit(RunStarted(at=now(), run=run, folder=str(self.folder)))
            asking = await self._ask(judges, items)
            result = self._result(run, asking)
            written = self._store(result)
            self._finish(bus, result)
            await bus.sync()
        except OSError as err:
            why = err.strerror or err
            raise StoredRunError(f"{self.folder} cannot be written: {why}") from err
        finally:
            log.close()
        warnings = [w for context in self.workshop.contexts for w in context.warnings]
        problems = [*self.meter.notes, *bus.problems]
        return Calibrated(result, self.folder, written, problems, list(dict.fromkeys(warnings)))

    async def _ask(self, judges: Sequence[Judge], items: Sequence[Item]) -> Asking:
        with ExitStack() as stack:
            file = stack.enter_context((self.folder / ANSWERS).open("w", encoding="utf-8"))
            kept = _Kept(file, judges, items)

            def heard(answer: Answer, done: int, of: int) -> None:
                kept.add(answer)
                self.options.heard(answer, done, of)

            asking = Asking(
                judges,
                items,
                self.file.repeats,
                self.file.concurrency,
                self.file.timeout,
                self.spending,
                heard,
            )
            stack.enter_context(interruptible(asking.interrupt))
            await asking.run()
        return asking

    def _result(self, run: Run, asking: Asking) -> Calibration:
        answers = list(asking.answers.values())
        asked = [
            by_item(judge, asking.items, [a for a in answers if a.question.judge == index])
            for index, judge in enumerate(asking.judges)
        ]
        judges = tuple(
            self._measured(judge, asked[index], asking.repeats_of(index))
            for index, judge in enumerate(asking.judges)
        )
        people = sorted({who for item in asking.items for who in item.people})
        labels = [label for one in asked[0] if (label := one.expected) is not None]
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
                    judge.label: [one.word for one in asked[i]]
                    for i, judge in enumerate(asking.judges)
                },
                {who: [item.people.get(who) for item in asking.items] for who in people},
                self.file.seed,
            ),
            usage=self.spending.usage(),
            inputs=run.inputs,
            versions=run.versions,
        )
        cleaned: Calibration = Redactor().cleaned(_ended(result, asking, self.options))
        return cleaned

    def _measured(self, judge: Judge, asked: Sequence[Asked], repeats: int) -> JudgeResult:
        found = measured(
            judge, asked, repeats=repeats, positive=self.file.positive, seed=self.file.seed
        )
        llm = self.workshop.llm_of(judge.use)
        said = [a.model for one in asked for a in one.given if a.model]
        asks = found.per_answer.model_calls > 0
        return found.model_copy(
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


def _ended(result: Calibration, asking: Asking, options: CalibrateOptions) -> Calibration:
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
    found: list[str] = []
    demanded = {"accuracy": options.min_accuracy, "kappa": options.min_kappa}
    for name, least in demanded.items():
        if least is None:
            continue
        for judge in result.judges:
            value: float | None = getattr(judge, name).value
            if value is None or value < least:
                shown = "undefined" if value is None else f"{value:.3f}"
                found.append(f"the {name} of {judge.name} is {shown}, not {least:g} or more")
    return found
