"""The player that lets a simulated user talk to an app."""

from collections.abc import Collection, Sequence
from datetime import date
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, JsonValue

from sparring.interfaces.agent import Agent, Player, PlayTask
from sparring.interfaces.plugin import BuildContext, PluginConfig, Use, UseOf
from sparring.interfaces.roles import (
    Extraction,
    ExtractTask,
    GoalCheck,
    GoalTask,
    UserMove,
    UserTask,
)
from sparring.llm.ledger import PRICE, Price
from sparring.model.case import Case
from sparring.model.space import Space
from sparring.model.talk import Ended, Incident, IncidentKind, Output, Trace
from sparring.model.verdict import Owner
from sparring_plugins.language.similarity import Fallbacks
from sparring_plugins.output.lint_findings import LintFinding
from sparring_plugins.prompting.model_agent import ModelAgent
from sparring_plugins.users.agenda.state.goal_sentences import GoalSentences, goal_sentences
from sparring_plugins.users.conversation_end import turn_limit, unreached_owner
from sparring_plugins.users.dialogue import Dialogue, LoopWatch, extract
from sparring_plugins.users.end_state import (
    EvidenceCheck,
    UnreadableState,
    check_evidence,
    check_place,
    met_goals,
    read_state,
)
from sparring_plugins.users.profiles.any_values import ValueFinder
from sparring_plugins.users.profiles.character import suite_persona
from sparring_plugins.users.profiles.goals import filled_text, goals_of
from sparring_plugins.users.profiles.interaction_styles import languages_in, played, speakable
from sparring_plugins.users.profiles.profile import (
    Profile,
    Unresolved,
    scenarios,
    temperature_of,
    unresolved_in,
)
from sparring_plugins.users.profiles.profile_files import read_profiles
from sparring_plugins.users.selectors.notation import parse_selector
from sparring_plugins.users.unmet_goals import unmet_incidents


class UserSimulatorConfig(PluginConfig):
    """Settings of the simulated user."""

    profiles: Annotated[
        str | tuple[str, ...], Field(description="Profile files: paths, folders or glob patterns.")
    ]
    user: Annotated[
        Use,
        UseOf("sparring.agents", role="user"),
        Field(description="Who speaks: agenda needs no model."),
    ] = Use(use="agenda")
    extractor: Annotated[
        Use,
        UseOf("sparring.agents", role="extractor"),
        Field(description="Who finds the declared outputs: patterns needs no model."),
    ] = Use(use="patterns")
    goal_checker: Annotated[
        Use | None,
        UseOf("sparring.agents", role="goal_checker"),
        Field(description="Who says which goals are met; the user itself if left out."),
    ] = None
    starts: Literal["profile", "app", "user"] = Field(
        "profile", description="Who speaks first: as each profile says, or one of them always."
    )
    fallbacks: tuple[str, ...] = Field(
        (), description="Fallback phrases of the app, besides those of the profiles."
    )
    fallback_threshold: float = Field(
        0.75, gt=0, le=1, description="How similar to a fallback phrase an answer must be, 0 to 1."
    )
    state: str | None = Field(
        None,
        description="Where the app's end state is for done_when: an address that answers with"
        " JSON, or a function as package.module:name.",
    )
    loop_limit: int = Field(
        9, gt=0, description="Answers in a row that lead nowhere before the case ends as a loop."
    )
    max_turns: int = Field(
        60, gt=0, description="Turns of the user at most, whatever the profile says."
    )
    persona: str | None = Field(
        None,
        description="A persona, by name or as a file, for profiles whose context names none.",
    )
    compat: Literal["sensei"] | None = Field(
        None, description="sensei reads profiles exactly as SENSEI does."
    )
    any_values: Literal["auto", "model", "lists"] = Field(
        "auto",
        description="Where values for any(...) come from: the suite's model, else word lists; or"
        " one of them only.",
    )
    prompts: str | None = Field(
        None, description="A folder whose template values.jinja replaces the bundled one."
    )
    allow_python: bool = Field(
        False, description="Run the Python functions that profiles name as data."
    )
    today: date | None = Field(
        None, description="The day that relative dates count from; the day of the run if not given."
    )


class UserSimulator(Player[UserSimulatorConfig]):
    """Role ``player``: a user with goals, played by an agent of role ``user`` (SENSEI).

    Each profile is a scenario. The user speaks until its goals are met and it leaves, until the
    profile's turn limit, or until the app ends the conversation, goes round in circles or breaks.
    Then the extractor reads the declared outputs from what was said. Incidents are those of the
    app (crash, time-out, protocol, unreachable), a loop, a model error where a language model
    behind one of the agents failed, and, as SENSEI has it, a goal not reached where a declared
    output has no value.
    """

    Config: ClassVar[type[PluginConfig]] = UserSimulatorConfig

    def __init__(self, config: UserSimulatorConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        self.user: Agent[UserTask, UserMove, Any] = context.part(Agent, config.user, role="user")
        self.extractor: Agent[ExtractTask, Extraction, Any] = context.part(
            Agent, config.extractor, role="extractor"
        )
        self.goal_checker: Agent[GoalTask, GoalCheck, Any] | None = (
            context.part(Agent, config.goal_checker, role="goal_checker")
            if config.goal_checker
            else None
        )
        if config.state is not None:
            check_place(config.state)
        self.values = ValueFinder(context, config.any_values, config.prompts)
        self.profiles = self._read()
        self._warn(self.profiles.values())

    async def prepare(self) -> None:
        if not self.values.waits:
            return
        self.values.recall()
        self.profiles = self._read()
        while await self.values.ask():
            self.profiles = self._read()
        self.values.keep()
        for profile in self.profiles.values():
            for item in profile.unresolved:
                if item.need == "model":
                    self.context.warn(f"{profile.source}: {item.message}")

    def lint(self) -> Sequence[LintFinding]:
        """Return the sentences that each goal becomes, and the goals that no good one says.

        Nothing if a language model plays the user, for it finds its own words.
        """
        if isinstance(self.user, ModelAgent):
            return ()
        return [
            _goal_finding(profile, goal)
            for profile in self.profiles.values()
            for goal in goal_sentences(profile)
        ]

    def space(self) -> Space:
        return scenarios(self.profiles.values())

    def meta(self, case: Case) -> dict[str, JsonValue]:
        profile = self.profiles[case.scenario]
        return {
            "profile": profile.test_name,
            "language": profile.language,
            "role": self._fill_text(profile, profile.role, case),
            "context": [self._fill_text(profile, text, case) for text in profile.context],
            **({"persona": profile.persona} if profile.persona else {}),
            "goals": list(profile.goals),
            "conversation": list(profile.conversation),
            "source": profile.source,
            **_singles(profile, case),
        }

    def _fill_text(self, profile: Profile, text: str, case: Case) -> str:
        """A text of the profile with the case's values in its holes; as it is for SENSEI."""
        return text if profile.compat == "sensei" else filled_text(text, case.params)

    async def act(self, task: PlayTask) -> Trace:
        profile = self.profiles[task.case.scenario]
        missing = unresolved_in(profile, task.case.params)
        if missing:
            return task.trace(
                Ended.INCIDENT,
                incidents=[_unresolved(item) for item in missing],
                meta=self.meta(task.case),
            )
        price = Price()
        PRICE.set(price)
        dialogue = self._dialogue(profile, task, price)
        await dialogue.hold()
        outputs = await self._extract(dialogue, profile, task)
        checks = await self._evidence(dialogue, profile, outputs)
        met = met_goals(dialogue.goals_met, checks)
        unmet = self._unmet(dialogue, met)
        trace = task.trace(
            _find_ending(dialogue, outputs),
            outputs=outputs,
            incidents=[
                *dialogue.incidents,
                *(
                    self._not_reached(outputs, profile, dialogue)
                    or self._goals_unmet(dialogue, unmet, checks)
                ),
            ],
            meta={
                **self.meta(task.case),
                "conversation": self._conversation(profile, dialogue),
                "goals_met": [index for index in range(len(profile.goals)) if index in met],
                "goals_unmet": list(unmet),
                **_goal_checks(dialogue),
                **({"revised": dialogue.revised} if dialogue.revised else {}),
                **({} if price.unknown or not price.usd else {"cost_usd": price.usd}),
            },
        )
        return trace.model_copy(update={"turns": dialogue.turns})

    def _unmet(self, dialogue: Dialogue, met: Collection[int]) -> tuple[str, ...]:
        """The phrases of the goals that are not met by user, checker and evidence."""
        goals = enumerate(dialogue.current_goals())
        return tuple(goal.phrase for index, goal in goals if index not in met)

    async def _evidence(
        self, dialogue: Dialogue, profile: Profile, outputs: Sequence[Output]
    ) -> list[EvidenceCheck]:
        """What the evidence that the profile names says of the goals.

        A state that cannot be read is an incident of the test, and leaves its goals open.
        """
        state: JsonValue = None
        entries = list(profile.done_when)
        if any(entry.state is not None for entry in entries):
            try:
                if self.config.state is None:
                    raise UnreadableState("done_when names a state, and the suite's agent none")
                state = await read_state(self.config.state)
            except UnreadableState as err:
                dialogue.incidents.append(
                    Incident(kind=IncidentKind.PLAYER_ERROR, message=str(err), owner=Owner.TEST)
                )
        values = {**dialogue.brief.inputs, **dialogue.revised}
        return [
            check_evidence(
                entry,
                goals=len(profile.goals),
                values=values,
                turns=dialogue.turns,
                outputs=outputs,
                state=state,
            )
            for entry in entries
        ]

    def _goals_unmet(
        self, dialogue: Dialogue, unmet: Sequence[str], checks: Sequence[EvidenceCheck]
    ) -> list[Incident]:
        """What comes of unmet goals; nothing where SENSEI's own measure is wanted."""
        if self.config.compat == "sensei":
            return []
        return unmet_incidents(dialogue.outcome(), unmet, checks)

    def _conversation(self, profile: Profile, dialogue: Dialogue) -> list[JsonValue]:
        """The profile's block on conversations, with the styles in which this one was held."""
        if getattr(self.user, "plays_styles", None) is not True:
            return list(profile.conversation)
        brief = dialogue.brief
        return played(
            profile.conversation,
            brief.style,
            language=brief.language,
            seed=brief.seed,
            spoken=dialogue.spoken,
        )

    def _read(self) -> dict[str, Profile]:
        config = self.config
        profiles = read_profiles(
            self.context.files(config.profiles),
            base_dir=self.context.base_dir,
            seed=self.context.seed,
            allow_python=config.allow_python,
            compat=config.compat,
            today=config.today,
            persona=self._persona_file(),
            words=self.values.find,
            keep_unresolved=True,
        )
        return {profile.name: profile for profile in profiles}

    def _warn(self, profiles: Collection[Profile]) -> None:
        config = self.config
        for profile in profiles:
            for warning in profile.warnings:
                self.context.warn(warning)
            if not getattr(self.user, "plays_styles", True) and profile.styles != ("default",):
                self.context.warn(
                    f"{profile.source}: the user {config.user.use!r} ignores interaction styles"
                    " and speaks in the default style"
                )
            unspoken = [
                language for language in languages_in(profile.styles) if not self._speaks(language)
            ]
            if unspoken:
                self.context.warn(
                    f"{profile.source}: the user {config.user.use!r} does not speak"
                    f" {', '.join(unspoken)}, and changes to the other languages only"
                )
        self._warn_of_models(profiles)

    def _speaks(self, language: str) -> bool:
        """Whether the user knows a language to change to; one that does not say knows all."""
        languages: Sequence[str] | None = getattr(self.user, "languages", None)
        return languages is None or language.strip().title() in languages

    def _persona_file(self) -> Path | None:
        """The file of the suite's persona: a bundled one by its name, else a path."""
        written = self.config.persona
        if not written:
            return None
        return suite_persona(written, self.context)

    def _warn_of_models(self, profiles: Collection[Profile]) -> None:
        """Say that the suite's model plays the user, if profiles name another one."""
        if not isinstance(self.user, ModelAgent):
            return
        asked = self.user.asker.backend.model()
        others = {
            str(profile.llm["model"]): profile.source
            for profile in profiles
            if "model" in profile.llm
        }
        for name, source in others.items():
            if name != asked:
                self.context.warn(
                    f"{source}: names the model {name!r}; the user asks {asked or 'another one'},"
                    " as the suite's llm.roles.user or llm says"
                )

    def _dialogue(self, profile: Profile, task: PlayTask, price: Price) -> Dialogue:
        config = self.config
        phrases = (*profile.fallbacks, *config.fallbacks)
        starts = profile.starts if config.starts == "profile" else config.starts
        return Dialogue(
            task=task,
            user=self.user,
            brief=UserTask(
                goals=goals_of(profile, task.case.params),
                inputs=task.case.params,
                domains=_domains(profile),
                outputs=profile.outputs,
                language=profile.language,
                role=self._fill_text(profile, profile.role, task.case),
                context=tuple(
                    self._fill_text(profile, text, task.case) for text in profile.context
                ),
                style=speakable(profile.styles, self._speaks),
                fallbacks=phrases,
                seed=task.case.seed,
                temperature=temperature_of(profile),
                traits=profile.traits,
            ),
            watch=LoopWatch(Fallbacks(phrases, config.fallback_threshold)),
            limit=turn_limit(profile, task.case.seed, config.max_turns),
            loop_limit=config.loop_limit,
            price=price,
            cost=profile.cost,
            app_starts=starts == "app",
            checker=self.goal_checker,
            checker_name=config.goal_checker.use if config.goal_checker else "",
            compat=config.compat,
        )

    def _not_reached(
        self, outputs: Sequence[Output], profile: Profile, dialogue: Dialogue
    ) -> list[Incident]:
        """SENSEI's measure of unreached goals, declared outputs without a value, with its owner.

        Nothing is known of them if a language model failed before the end. With `compat: sensei`
        only what broke the conversation off is not counted against the app.
        """
        missing = {output.name for output in outputs if output.value is None and not output.unread}
        if not missing or any(
            incident.kind is IncidentKind.MODEL_ERROR for incident in dialogue.incidents
        ):
            return []
        specs = [spec for spec in profile.outputs if spec.name in missing]
        outcome = dialogue.outcome()
        if self.config.compat == "sensei":
            broken = [
                incident.owner for incident in outcome.incidents if incident.owner is not Owner.APP
            ]
            owner, why = (broken[0] if broken else Owner.APP), ""
        else:
            owner, why = unreached_owner(outcome, specs)
        return [
            Incident(
                kind=IncidentKind.GOAL_NOT_REACHED,
                message=_goals_left(len(missing), why, self.config.compat),
                owner=owner,
                turn=len(dialogue.turns) - 1 if dialogue.turns else None,
            )
        ]

    async def _extract(
        self, dialogue: Dialogue, profile: Profile, task: PlayTask
    ) -> tuple[Output, ...]:
        """The outputs, one per specification, also from a conversation that broke off.

        If the extractor fails they have no value, and an incident says so.
        """
        if not profile.outputs:
            return ()
        extract_task = ExtractTask(
            turns=dialogue.turns,
            outputs=profile.outputs,
            inputs={**task.case.params, **dialogue.revised},
            domains=_domains(profile),
            language=profile.language,
            today=self.config.today or task.started.date(),
            seed=task.case.seed,
        )
        return await extract(self.extractor, extract_task, self.config.extractor.use, dialogue)


def _goals_left(count: int, why: str, compat: str | None) -> str:
    """Say how many goals are left and why, if there is a reason; SENSEI's files have "1 goals"."""
    noun = "goals" if count > 1 or compat == "sensei" else "goal"
    return f"{count} {noun} left to complete{f': {why}' if why else ''}."


def _goal_finding(profile: Profile, goal: GoalSentences) -> LintFinding:
    return LintFinding(
        kind="unspeakable-goal" if goal.problem else "goal",
        severity="error" if goal.problem else "note",
        message=goal.problem or "the user says one of these sentences",
        case=f"{profile.name}, goal {goal.number}",
        text=goal.goal,
        readings=goal.sentences,
        file=profile.source,
    )


def _domains(profile: Profile) -> dict[str, tuple[JsonValue, ...]]:
    return {variable.name: variable.domain for variable in profile.variables}


def _find_ending(dialogue: Dialogue, outputs: Sequence[Output]) -> Ended:
    """How the conversation ended: no goals are reached while a declared output is missing."""
    if dialogue.ended is not Ended.GOALS_REACHED or all(
        output.value is not None or output.unread for output in outputs
    ):
        return dialogue.ended
    return Ended.TURN_LIMIT if dialogue.exhausted else Ended.USER_LEFT


def _singles(profile: Profile, case: Case) -> dict[str, JsonValue]:
    """The variables that have one value in a case, and lists if selectors choose them.

    Those that go forward one inside of the other have single values there, too.
    """
    after = {variable.name: parse_selector(variable.selector or "forward()").after
             for variable in profile.variables}  # fmt: skip
    names: list[JsonValue] = [
        name
        for name, other in after.items()
        if other is None
        and name not in after.values()
        and name in case.params
        and not isinstance(case.params[name], list)
    ]
    return {"singles": names} if names else {}


def _goal_checks(dialogue: Dialogue) -> dict[str, JsonValue]:
    """For each goal whether it was found met, and what shows it, if there is a checker."""
    if dialogue.checker is None:
        return {}
    checks: list[JsonValue] = []
    for index, goal in enumerate(dialogue.brief.goals):
        shown = dialogue.shown.get(index)
        checks.append(
            {
                "goal": goal.phrase,
                "met": index in dialogue.goals_met,
                "quotation": shown.quotation if shown and shown.quotation else None,
                "turn": shown.turn if shown else None,
            }
        )
    return {"goal_checks": checks}


def _unresolved(item: Unresolved) -> Incident:
    """A wish that nobody knows values for leaves it open; Python that may not run is an error."""
    kind = IncidentKind.UNRESOLVED if item.need == "model" else IncidentKind.PLAYER_ERROR
    return Incident(kind=kind, message=item.message, owner=Owner.TEST)
