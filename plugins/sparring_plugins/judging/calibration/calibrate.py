"""A whole calibration, from its file to the stored result."""

import json
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Any, TypeVar, cast, overload

from pydantic import JsonValue

from sparring import event_loop
from sparring.discovery import hooks
from sparring.documents.checking import located
from sparring.engine.budget import Spending
from sparring.engine.bus import EventBus, now
from sparring.engine.exit_codes import ERRORS, FAILED, INCOMPLETE, INTERRUPTED, NOTHING, PASSED
from sparring.engine.metering import Meter
from sparring.engine.session import manifest, new_place, open_bus, release_place
from sparring.errors import ConfigurationError
from sparring.event_loop import interruptible
from sparring.interfaces.agent import Agent
from sparring.interfaces.oracle import Oracle
from sparring.interfaces.plugin import LLMBackend, Use
from sparring.model.events import RunFinished, RunStarted
from sparring.model.run import Run, Stop, Summary
from sparring.store import RunLog
from sparring.suite.building import SuiteContext, Wrap
from sparring.suite.environment import Redactor
from sparring.suite.model import LLMUse
from sparring_plugins.judging.calibration.agreement import agreements
from sparring_plugins.judging.calibration.examples import Conversations, Examples, unused_names
from sparring_plugins.judging.calibration.file_loading import LoadedCalibration, function_name
from sparring_plugins.judging.calibration.functions import prepared
from sparring_plugins.judging.calibration.judge_call import Witness
from sparring_plugins.judging.calibration.judge_calls import Answer, Asked, Asking, by_item
from sparring_plugins.judging.calibration.judge_measures import measured
from sparring_plugins.judging.calibration.judges import (
    AgentJudge,
    FunctionJudge,
    Item,
    Judge,
    OracleJudge,
)
from sparring_plugins.judging.calibration.model import JudgeUse
from sparring_plugins.judging.calibration.reports import page
from sparring_plugins.judging.calibration.results import CALIBRATION, Calibration, JudgeResult
from sparring_plugins.judging.calibration.roles import ROLES

# From a calibration file to judges and examples that are ready to be asked and judged.

PartT = TypeVar("PartT")

_ASKER = "judge"


class Copies(Sequence[PartT]):
    """A part for each asking, built when it is needed."""

    def __init__(self, make: Callable[[], PartT]) -> None:
        self._make = make
        self._made = [make()]

    @overload
    def __getitem__(self, index: int) -> PartT: ...
    @overload
    def __getitem__(self, index: slice) -> list[PartT]: ...
    def __getitem__(self, index: int | slice) -> PartT | list[PartT]:
        if isinstance(index, slice):
            return self._made[index]
        while len(self._made) <= index:
            self._made.append(self._make())
        return self._made[index]

    def __len__(self) -> int:
        return len(self._made)


class Workshop:
    """Builds the judges of a calibration; judges that ask one model share its connection."""

    def __init__(self, loaded: LoadedCalibration, folder: Path, wrap: Wrap) -> None:
        self.loaded = loaded
        self._folder = folder
        self._wrap = wrap
        self._contexts: dict[str, SuiteContext] = {}
        self.context = self._context(loaded.file.llm)

    @property
    def contexts(self) -> list[SuiteContext]:
        """All contexts that parts were built in; the first is `context`."""
        return list(self._contexts.values())

    def llm_of(self, use: JudgeUse) -> LLMUse | None:
        """The language model that a judge may ask."""
        return use.llm or self.loaded.file.llm

    def judges(self, wanted: Sequence[str] = ()) -> list[Judge]:
        """The judges, or those that are wanted; raises ConfigurationError or PluginError."""
        judges: list[Judge] = []
        for index, use in enumerate(self.loaded.file.judges):
            if not wanted or use.label in wanted:
                with located(self.loaded.document, ("judges", index)):
                    judges.append(self._judge(use))
        return judges

    def items(self, judges: Sequence[Judge], listeners: hooks.Listeners) -> list[Item]:
        """The examples; raises ConfigurationError with all problems found in them."""
        file = self.loaded.file
        if isinstance(file.examples, str):
            self.context.files(file.examples)
        runs = self.loaded.base_dir / file.runs
        conversations = Conversations(self.context, runs, listeners)
        items = Examples(judges, file.task, conversations).prepared(self.loaded.examples)
        wrong = unused_names(judges, items, file.positive) if items else []
        if wrong:
            document = self.loaded.document
            raise ConfigurationError(*(document.problem(said, at) for at, said in wrong))
        return items

    def model_of(self, use: JudgeUse) -> str | None:
        """The name of the model that a judge asks, if its settings have one."""
        llm = self.llm_of(use)
        name = None if llm is None else llm.for_role(use.role or _ASKER).settings.get("model")
        return name if isinstance(name, str) else None

    def _context(self, llm: LLMUse | None) -> SuiteContext:
        key = json.dumps(llm.model_dump() if llm else None, sort_keys=True, default=str)
        if key not in self._contexts:
            self._contexts[key] = SuiteContext(
                self.loaded.base_dir,
                seed=self.loaded.file.seed,
                run_dir=self._folder,
                llm=llm,
                wrap=lambda backend, use, asker: Witness(self._wrap(backend, use, asker)),
            )
        return self._contexts[key]

    def _judge(self, use: JudgeUse) -> Judge:
        context = self._context(self.llm_of(use))
        if use.function is not None:
            function = prepared(context.functions()[function_name(use)], use.settings)
            backend: LLMBackend[Any] | None = context.llm(_ASKER) if function.model else None
            return FunctionJudge(use, function, backend)
        named = Use(use=use.use or use.oracle or "", **use.settings)
        if use.role is not None:
            role = use.role
            agents = Copies(lambda: context.part(Agent[Any, Any, Any], named, role=role))
            return AgentJudge(use, role, ROLES[role], agents)
        return OracleJudge(use, Copies(lambda: context.part(Oracle[Any], named)))


def plain_settings(use: JudgeUse) -> dict[str, JsonValue]:
    """The settings of a judge as plain data."""
    return cast("dict[str, JsonValue]", json.loads(json.dumps(use.settings, default=str)))


ANSWERS = "answers.jsonl"
PAGE = "page.html"


@dataclass(frozen=True, slots=True)
class CalibrateOptions:
    """What the command line adds to a calibration file.

    `judges` are the labels of those to measure (empty: all). `heard` gets every answer, how
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
