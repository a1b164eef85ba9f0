"""The player `step-translator`: plays test cases and writes beside sentences what they mean."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Literal

import click
from pydantic import Field, JsonValue

from sparring.cli.output import plain
from sparring.errors import ConfigurationError, Problem
from sparring.interfaces.agent import Agent, PlayTask
from sparring.interfaces.plugin import BuildContext, PluginConfig, Use
from sparring.model.case import Case
from sparring.model.space import Scenario, Space
from sparring.model.talk import Trace
from sparring_plugins.language.text import one_line
from sparring_plugins.web.grammar.assertions import is_assertion
from sparring_plugins.web.runner.algorithm import Run
from sparring_plugins.web.runner.frozen_steps import FrozenStep
from sparring_plugins.web.runner.player import STRICT, StepRunner, StepRunnerConfig
from sparring_plugins.web.runner.strict_agents import Agents
from sparring_plugins.web.step import Step
from sparring_plugins.web.suites.case import SentencePlace, TestCase
from sparring_plugins.web.suites.translations import Translation, how_read, read_sentence
from sparring_plugins.web.translation.file_edits import SentenceEdit, write_translations
from sparring_plugins.web.translation.results import (
    SentenceResult,
    is_lost,
    place_name,
    report_lines,
    translated,
)
from sparring_plugins.web.translation.run import TranslatingRun
from sparring_plugins.web.translation.translators import ByModel, ByPerson, ByRules

#: The key of `Trace.meta` under which lies what became of a case's sentences.
TRANSLATED = "translation"
_MODEL = Use(use="model")
_REVIEW = 300


class StepTranslatorConfig(StepRunnerConfig):
    """Settings of the step translator."""

    by: Literal["model", "person", "rules"] = Field("model", description="Who translates.")
    called: str = Field("", description="What reports call who translates.")
    scope: Literal["new", "changed", "all"] = Field(
        "new",
        description="Sentences without a translation of today (`new`), also those whose"
        " translation cannot be carried out (`changed`), or all (`all`).",
    )
    again: tuple[str, ...] = Field(
        (),
        description="Sentences to translate again, by file and path: cases.yaml:tests[0].steps[2].",
    )


def needs_translation(place: SentencePlace) -> bool:
    """Return whether a sentence has to be translated before it means one thing."""
    if place.is_translated:
        return False
    return place.is_stale or any(how_read(step) != "exact" for step in place.own)


def is_wanted(
    case: TestCase, place: SentencePlace, scope: str = "new", again: Sequence[str] = ()
) -> bool:
    """Return whether a sentence is to be translated."""
    if scope == "all" and place.by:
        return True
    return place_name(case, place) in again or needs_translation(place)


def chosen_cases(
    cases: Mapping[str, TestCase], scope: str, again: Sequence[str] = ()
) -> Iterator[tuple[str, TestCase]]:
    """Yield the cases to play: those with something to translate; of a table the first row.

    Raises ConfigurationError for cases that are not written in YAML.
    """
    entries: set[tuple[str | None, object]] = set()
    for name, case in cases.items():
        if not case.places:
            if any(how_read(step) != "exact" for step in case.steps):
                message = "translations stand in YAML files: write these test cases in YAML"
                raise ConfigurationError(Problem(message, case.file, case.line))
            continue
        entry = (case.file, next((p.at[:2] for p in case.places if p.at[0] == "tests"), ()))
        if entry in entries:
            continue
        entries.add(entry)
        is_changed = scope == "changed" and any(place.by for place in case.places)
        if is_changed or any(is_wanted(case, place, scope, again) for place in case.places):
            yield name, case


@dataclass(frozen=True)
class PlayedPlace:
    """A sentence of a case, with the steps of it that are played, as the run numbers them."""

    place: SentencePlace
    steps: tuple[Step, ...]
    is_wanted: bool


class StepTranslator(StepRunner):
    """Plays each test case once, and writes what its sentences became after each case.

    Sentences that are read exactly stay as they are. What is certain is kept when a case fails,
    and what is not is marked for review.
    """

    Config: ClassVar[type[PluginConfig]] = StepTranslatorConfig
    config: StepTranslatorConfig

    def __init__(self, config: StepTranslatorConfig, context: BuildContext) -> None:
        if config.by == "model":
            update = {
                role: _MODEL
                for role in ("navigator", "readiness")
                if getattr(config, role) == STRICT
            }
            config = config.model_copy(update=update)
        else:
            strict = {"navigator": STRICT, "readiness": STRICT, "assertion": STRICT}
            config = config.model_copy(update=strict)
        super().__init__(config, context)
        self.config = config
        self._agents = Agents(
            self._agents.navigators, self._agents.readiness, self._agents.assertions[:1]
        )
        self._cases = dict(chosen_cases(self._cases, config.scope, config.again))
        self._translator = self._build_translator()
        self._means: dict[tuple[str, tuple[str | int, ...]], Translation] = {}
        self._running: dict[str, TranslatingRun] = {}
        self._plans: dict[str, tuple[TestCase, tuple[PlayedPlace, ...]]] = {}

    def _build_translator(self) -> ByModel | ByPerson | ByRules:
        config = self.config
        if config.by == "person":
            return ByPerson(config.called or "a person")
        if config.by == "rules":
            return ByRules(config.called or "rules")
        agent: Any = self.context.part(Agent[Any, Any, Any], _MODEL, role="translator")
        return ByModel(config.called or "a model", agent)

    def _is_wanted(self, case: TestCase, place: SentencePlace) -> bool:
        return is_wanted(case, place, self.config.scope, self.config.again)

    def space(self) -> Space:
        return Space(
            scenarios=tuple(
                Scenario(name=case.name, number=1, description=case.title, tags=case.tags)
                for case in self._cases.values()
            )
        )

    def _case(self, case: Case) -> TestCase:
        return self._plan(case.scenario)[0]

    def _plan(self, name: str) -> tuple[TestCase, tuple[PlayedPlace, ...]]:
        """Return a case with the steps to play, and which sentence each of them is of."""
        if name not in self._plans:
            self._plans[name] = self._make_plan(self._cases[name])
        return self._plans[name]

    def _make_plan(self, case: TestCase) -> tuple[TestCase, tuple[PlayedPlace, ...]]:
        expected = dict(zip((step.number for step in case.steps), case.expected, strict=False))
        values = {name: options[0] for name, options in case.vary.items()}
        parts: dict[str, list[Step]] = {"setup": [], "steps": [], "teardown": []}
        played: list[PlayedPlace] = []
        wanted_values: list[bool | None] = []
        for place in case.places:
            phase = _phase(place)
            known = self._means.get((str(case.file), place.at))
            is_wanted = known is None and self._is_wanted(case, place)
            chosen = place.own if is_wanted else place.played
            if known is not None:
                chosen = read_sentence(
                    place.text, known, case.variables, number=1, line=None
                ).played
            first = len(parts[phase]) + 1
            steps = tuple(s.model_copy(update={"number": first + n}) for n, s in enumerate(chosen))
            parts[phase] += steps
            played.append(PlayedPlace(place, steps, is_wanted))
            if phase == "steps":
                own = [expected.get(step.number) for step in place.played]
                wanted_values += _values(steps, place.played, own)
        update = {key: tuple(steps) for key, steps in parts.items()}
        changed = case.model_copy(
            update={**update, "expected": tuple(wanted_values), "vary": {}, "repeat": 1}
        )
        return changed.with_values(values), tuple(played)

    def _make_run(self, **parts: Any) -> Run:
        # who translates is asked once per sentence, and not again for trials
        parts["look_ahead"] = None
        return TranslatingRun(**parts, translator=self._translator)

    def _run(self, case: TestCase, task: PlayTask) -> Run:
        run = super()._run(case, task)
        if isinstance(run, TranslatingRun):
            self._running[task.case.id] = run
            numbers = _numbers(run, self._plan(case.name)[1])
            run.wanted = frozenset(
                number for place, own in numbers if place.is_wanted for number in own
            )
        return run

    async def act(self, task: PlayTask) -> Trace:
        """Play the case, and write what is known of its sentences, also if it is cut short."""
        try:
            trace = await super().act(task)
        finally:
            run = self._running.pop(task.case.id, None)
            results = self._write(task.case.scenario, run) if run is not None else {}
        for incident in trace.incidents:
            # Else "not reached" would not show that the model gave no answer, or the app broke.
            click.echo(f"  broken off: {plain(one_line(incident.message, _REVIEW))}")
        return trace.model_copy(update={"meta": {**trace.meta, TRANSLATED: results}})

    def _write(self, name: str, run: TranslatingRun) -> dict[str, JsonValue]:
        """Write the translations of a case and its frozen steps; returns what became of them."""
        case, plan = self._plan(name)
        path = self.context.base_dir / str(case.file)
        results = [
            _result(self._cases[name], played, numbers, run)
            for played, numbers in _numbers(run, plan)
        ]
        edits: list[SentenceEdit] = []
        for (played, _), result in zip(_numbers(run, plan), results, strict=True):
            place = played.place
            if not played.is_wanted or not result.is_over:
                continue
            review = "; ".join(result.doubts) or result.reason
            review = one_line(review, _REVIEW) if review else ""
            means = result.means
            by = self._translator.by
            edits.append(SentenceEdit(place.at, means, by, place.of, review))
            if means:
                known = Translation(result.filled, by, place.of, review, means)
                self._means[(str(case.file), place.at)] = known
        problems = write_translations(path, edits)
        self._keep_frozen(case, path, run, results)
        for line in report_lines(name, results, problems):
            click.echo(line)
        return {
            "file": str(case.file),
            "sentences": [result.as_json() for result in results if result.is_wanted],
            "lost": [r.place for r in results if r.is_lost],
            "problems": list[JsonValue](problems),
        }

    def _keep_frozen(
        self, case: TestCase, path: Path, run: TranslatingRun, results: Sequence[SentenceResult]
    ) -> None:
        """Keep what each step acted upon, under the numbers that the steps have from now on."""
        before = self._frozen.of(path, case.title)
        earlier = {step.text: step for step in before.values()}
        numbered: dict[str, list[FrozenStep | None]] = {"setup": [], "steps": [], "teardown": []}
        plan = _numbers(run, self._plan(case.name)[1])
        for (played, numbers), result in zip(plan, results, strict=True):
            steps, pool = played.steps, [run.kept[n] for n in numbers if n in run.kept]
            if result.means and played.is_wanted:
                known = Translation(result.filled, self._translator.by, written=result.means)
                steps = read_sentence(played.place.text, known, {}, number=1, line=None).played
                pool = [step for step in result.frozen if step is not None]
            numbered[_phase(played.place)] += _frozen_of(steps, pool, earlier)
        first = {
            "setup": 1 - len(numbered["setup"]), "steps": 1,
            "teardown": 1 + len(numbered["steps"]),
        }  # fmt: skip
        kept = {
            first[phase] + index: step
            for phase, frozen in numbered.items()
            for index, step in enumerate(frozen)
            if step is not None
        }
        if kept or before:
            self._frozen.keep(path, case.title, kept)
            self._frozen.write()

    async def close(self) -> None:
        self._frozen.write()


def _values(
    steps: Sequence[Step], played: Sequence[Step], own: Sequence[bool | None]
) -> list[bool | None]:
    """Return what each step is expected to say, from what those of the file are."""
    if len(steps) == len(played) and all(
        a.text == b.text for a, b in zip(steps, played, strict=True)
    ):
        return list(own)
    last = next((value for value in reversed(own) if value is not None), None)
    return [(True if last is None else last) if is_assertion(step) else None for step in steps]


def _phase(place: SentencePlace) -> str:
    return "steps" if place.at[0] == "tests" else str(place.at[0])


def _numbers(
    run: TranslatingRun, plan: Sequence[PlayedPlace]
) -> list[tuple[PlayedPlace, tuple[int, ...]]]:
    """Return the numbers that the steps of each sentence have in a run."""
    count = sum(len(p.steps) for p in plan if _phase(p.place) == "setup")
    # the runner puts a step of its own before those of the set-up: opening the start page
    parts = {
        "setup": [s.number for s in run.setup[len(run.setup) - count :]],
        "steps": [s.number for s in run.steps],
        "teardown": [s.number for s in run.teardown],
    }
    numbers: list[tuple[PlayedPlace, tuple[int, ...]]] = []
    for played in plan:
        part = parts[_phase(played.place)]
        own, parts[_phase(played.place)] = part[: len(played.steps)], part[len(played.steps) :]
        is_wanted = played.is_wanted or any(number in run.asked for number in own)
        numbers.append((replace(played, is_wanted=is_wanted), tuple(own)))
    return numbers


def _frozen_of(
    steps: Sequence[Step], pool: Sequence[FrozenStep], earlier: Mapping[str, FrozenStep]
) -> list[FrozenStep | None]:
    """Return the frozen step of each step, of which `pool` are those of this run, in order."""
    left = list(pool)
    frozen: list[FrozenStep | None] = []
    for step in steps:
        text = step.written or step.text
        own = next((kept for kept in left if kept.text == text), None)
        if own is not None:
            left.remove(own)
        frozen.append(None if is_assertion(step) else own or earlier.get(text))
    return frozen


def _result(
    case: TestCase, played: PlayedPlace, numbers: Sequence[int], run: TranslatingRun
) -> SentenceResult:
    base = SentenceResult(played.place.text, place_name(case, played.place), played.is_wanted)
    if played.is_wanted:
        return translated(base, case, played.place, [run.translations.get(n) for n in numbers])
    records = [record for record in run.records if record.step.number in numbers]
    return replace(base, is_lost=is_lost(played.place, records))
