"""The player `step-runner`: test cases in plain language, played by Algorithm 1."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, JsonValue

from sparring.engine.play import incident_of
from sparring.errors import BudgetSpent, ConfigurationError, Problem, SparringError
from sparring.interfaces.agent import Agent, Player, PlayTask
from sparring.interfaces.app_connector import Capability
from sparring.interfaces.plugin import BuildContext, PluginConfig, Use, UseOf
from sparring.model.case import Case
from sparring.model.space import Constraint, Scenario, Space, Variable
from sparring.model.talk import Ended, Incident, Trace
from sparring_plugins.output.lint_findings import LintFinding
from sparring_plugins.reproduction.survived_errors import NotingSession
from sparring_plugins.web.runner.algorithm import Run
from sparring_plugins.web.runner.everyday import CaseMemory
from sparring_plugins.web.runner.frozen_steps import FrozenFiles, filled_in
from sparring_plugins.web.runner.look_ahead import LookAhead, LookAheadMode
from sparring_plugins.web.runner.records import META, GuiRecord
from sparring_plugins.web.runner.strict_agents import Agents
from sparring_plugins.web.step import Reading, Step
from sparring_plugins.web.suites.case import TestCase
from sparring_plugins.web.suites.lint import lint_cases, stale_translations
from sparring_plugins.web.suites.loading import load_test_cases

STRICT = Use(use="strict")


class StepRunnerConfig(PluginConfig):
    """Settings of the step runner."""

    tests: Annotated[
        str | tuple[str, ...],
        Field(description="Files of test cases, YAML or JSON: paths, folders or glob patterns."),
    ]
    tags: tuple[str, ...] = Field((), description="Only test cases with one of these tags.")
    navigator: Annotated[
        Use,
        UseOf("sparring.agents", role="navigator"),
        Field(description="Who says how a step is carried out where plain rules don't know."),
    ] = STRICT
    readiness: Annotated[
        Use,
        UseOf("sparring.agents", role="readiness"),
        Field(description="Who says whether a step can be carried out where rules don't know."),
    ] = STRICT
    assertion: Annotated[
        Use,
        UseOf("sparring.agents", role="assertion"),
        Field(description="Who says whether an assertion holds where plain rules don't know."),
    ] = STRICT
    strict_first: bool = Field(
        True, description="Ask the plain rules first; false measures the other agents alone."
    )
    patience_s: float = Field(
        2.0, ge=0, le=120, description="How long a page may take before the answer is no."
    )
    look_ahead: LookAheadMode = Field(
        "harmless",
        description="Whether up to four equal candidates are each tried in a copy of the page, and"
        " the one is taken with which the case goes on: harmless tries what changes nothing in the"
        " app, any also what does (the app needs a `reset`, the suite `concurrency: 1`).",
    )
    frozen: Literal["use", "write", "off"] = Field(
        "use",
        description="Steps frozen beside the test cases: use them, write them anew from test cases"
        " that pass, or neither.",
    )
    today: date | None = Field(
        None, description="The day that 'tomorrow' counts from; the machine's if left out."
    )
    pictures: Literal["failures", "never"] = Field(
        "failures",
        description="Whether a picture of the page is kept where a step fails or can't be decided;"
        " the connector's own setting says so of every step.",
    )


class StepRunner(Player[StepRunnerConfig]):
    """Carries test cases out step by step: readiness, navigation, observe; then the assertions.

    It gives no verdict itself: its record of each step is in `Trace.meta` under ``gui``, and the
    oracle `assertions` reads it.
    """

    Config: ClassVar[type[PluginConfig]] = StepRunnerConfig
    needs: ClassVar[frozenset[Capability]] = frozenset({Capability.PAGE})
    oracles: ClassVar[tuple[str, ...]] = ("page-health",)

    def __init__(self, config: StepRunnerConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        paths = [p for p in context.files(config.tests) if not p.name.endswith(".frozen.json")]
        cases = load_test_cases(paths, tags=config.tags)
        for case in cases:
            for note in (*case.notes, *stale_translations(case)):
                context.warn(f"{case.file}: {case.name}: {note}")
        self._cases = {case.name: case for case in cases if not case.skip}
        if not self._cases:
            searched = ", ".join(str(path) for path in paths[:3])
            raise ConfigurationError(Problem(f"there is no test case to play in {searched}"))
        self._agents = Agents(
            navigators=self._build_agents("navigator", config.navigator),
            readiness=self._build_agents("readiness", config.readiness),
            assertions=self._build_agents("assertion", config.assertion),
        )
        self._frozen = FrozenFiles()
        self._runs: dict[str, Run] = {}

    def _build_agents(self, role: str, use: Use) -> list[Any]:
        """Return the agents of a role: the strict one, then the other if the suite names one."""
        only_one = use == STRICT or not self.config.strict_first
        uses = [use] if only_one else [STRICT, use]
        return [self.context.part(Agent[Any, Any, Any], u, role=role) for u in uses]

    @property
    def test_cases(self) -> tuple[TestCase, ...]:
        """The test cases that are played."""
        return tuple(self._cases.values())

    def space(self) -> Space:
        return Space(
            scenarios=tuple(
                Scenario(
                    name=case.name,
                    variables=tuple(
                        Variable(name=name, domain=values) for name, values in case.vary.items()
                    ),
                    constraints=tuple(
                        Constraint(expression=text, source=_source(case)) for text in case.where
                    ),
                    number=None if case.vary else case.repeat,
                    description=case.description or case.title,
                    source=_source(case),
                    tags=case.tags,
                )
                for case in self._cases.values()
            )
        )

    def lint(self) -> Sequence[LintFinding]:
        return lint_cases(self.test_cases)

    def meta(self, case: Case) -> dict[str, JsonValue]:
        run = self._runs.pop(case.id, None)
        if run is None:
            return {}
        session = run.session
        noted = session.meta(len(run.recorded) - 1) if isinstance(session, NotingSession) else {}
        return {**self._meta(self._case(case), run), **noted}

    def _case(self, case: Case) -> TestCase:
        """Return the test case of a case, with its values."""
        test_case = self._cases[case.scenario]
        values = {name: str(case.params[name]) for name in test_case.vary}
        return test_case.with_values(values) if values else test_case

    async def act(self, task: PlayTask) -> Trace:
        case = self._case(task.case)
        session = NotingSession(task.session, task.turns)
        task = replace(task, session=session)
        run = self._runs[task.case.id] = self._run(case, task)
        incidents: list[Incident] = []
        verdict, reason = "inconclusive", ""
        try:
            verdict, reason = await run.play()
        except BudgetSpent:
            raise
        except SparringError as err:
            incidents.append(incident_of(err, len(task.turns) - 1 if task.turns else None))
            reason = incidents[0].message
        self._runs.pop(task.case.id, None)
        if verdict == "pass" and self.config.frozen == "write" and case.file and not case.vary:
            self._frozen.keep(self.context.base_dir / case.file, case.title, run.kept)
        return task.trace(
            Ended.INCIDENT if incidents else Ended.SCRIPT_DONE,
            incidents=incidents,
            meta={
                **self._meta(case, run, verdict, reason),
                **session.meta(incidents[0].turn if incidents else None),
            },
        )

    def _run(self, case: TestCase, task: PlayTask) -> Run:
        expected = {
            step.number: value
            for step, value in zip(case.steps, case.expected, strict=False)
            if value is not None
        }
        setup = _setup(case)
        teardown = _renumber(case.teardown, len(case.steps) + 1)
        frozen = {}
        if self.config.frozen == "use" and case.file and not case.vary:
            kept = self._frozen.of(self.context.base_dir / case.file, case.title)
            frozen = filled_in(kept, (*setup, *case.steps, *teardown))
        return self._make_run(
            session=task.session,
            agents=self._agents,
            steps=case.steps,
            setup=setup,
            teardown=teardown,
            patience_s=self.config.patience_s,
            expected=expected,
            frozen=frozen,
            variables=case.secrets,
            seed=task.case.seed,
            pictures=self.config.pictures == "failures",
            clock=task.clock,
            recorded=task.turns,
            look_ahead=LookAhead(self.config.look_ahead),
            # A replay has the time at which the repeated conversation began.
            memory=CaseMemory(today=self.config.today or task.started.astimezone().date()),
        )

    def _make_run(self, **parts: Any) -> Run:
        """Return the run of a test case; another player may run it in another way."""
        return Run(**parts)

    def _meta(
        self, case: TestCase, run: Run, verdict: str = "inconclusive", reason: str = ""
    ) -> dict[str, JsonValue]:
        steps = (*run.records, *run.missing())
        expected = [step.expected is not False for step in steps if step.asserts]
        record = GuiRecord.model_validate(
            {
                "test": case.name,
                "source": _source(case),
                "sentences": self._sentences(case),
                "steps": steps,
                "verdict": verdict,
                "reason": reason,
                "expected": expected if case.expected else None,
                "numbering": case.indexing or "",
                "strict": all(step.strict for step in run.records),
            }
        )
        return {META: record.model_dump(mode="json", exclude_none=True)}

    def _sentences(self, case: TestCase) -> dict[int, str]:
        """Return the texts of the steps that hold values of this case, as they are written."""
        written_steps = self._cases[case.name].steps if case.vary else ()
        pairs = zip(written_steps, case.steps, strict=False)
        return {
            written.number: written.text for written, step in pairs if written.text != step.text
        }

    async def close(self) -> None:
        if self.config.frozen == "write":
            self._frozen.write()


def _source(case: TestCase) -> str | None:
    return f"{case.file}:{case.line}" if case.line else case.file


def _setup(case: TestCase) -> tuple[Step, ...]:
    """Return the steps before the test case's own: opening its start, then the file's set-up."""
    steps = list(case.setup)
    first = case.steps[0].reading if case.steps else None
    if case.start and not (first is not None and first.action == "open" and not steps):
        reading = Reading(action="open", value=case.start, explanation=f"Open '{case.start}'")
        steps.insert(0, Step(number=1, text=reading.explanation, readings=(reading,)))
    return _renumber(steps, 1 - len(steps))


def _renumber(steps: "tuple[Step, ...] | list[Step]", first: int) -> tuple[Step, ...]:
    return tuple(s.model_copy(update={"number": first + n}) for n, s in enumerate(steps))
