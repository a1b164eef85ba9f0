"""Feature vectors over a whole conversation: they make the simulated user."""

from collections.abc import Iterable, Mapping
from datetime import date
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from sparring.documents.checking import nearest
from sparring.errors import ConfigurationError, Problem
from sparring.interfaces.agent import Agent, PlayTask
from sparring.interfaces.plugin import BuildContext, PluginConfig, Use, UseOf
from sparring.interfaces.previewing import Preview
from sparring.interfaces.roles import (
    Extraction,
    ExtractTask,
    Goal,
    GoalCheck,
    GoalTask,
    UserMove,
    UserTask,
)
from sparring.llm.ledger import PRICE, Price
from sparring.model.case import Case
from sparring.model.talk import Ended, Listen, Output, Say, Trace
from sparring_plugins.language.fallbacks import Fallbacks
from sparring_plugins.prompting.model_agent import ModelAgent
from sparring_plugins.search.features.holes import filled, holes_in
from sparring_plugins.search.features.model import Conversation, FeatureSpace, FeatureValue
from sparring_plugins.search.prompter.memory import Memory
from sparring_plugins.search.prompter.utterances import Applied, Worder, Wording
from sparring_plugins.users.dialogue import Dialogue
from sparring_plugins.users.extracted_outputs import extract, without_values
from sparring_plugins.users.loop_watch import LoopWatch
from sparring_plugins.users.personas.traits import trait_problems
from sparring_plugins.users.turn_limit import TurnLimit


class ConversingConfig(BaseModel):
    """Settings of conversations with a simulated user, whose features are the case's."""

    model_config = ConfigDict(frozen=True, extra="forbid")

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
    app_starts: bool = Field(default=False, description="Whether the app speaks first.")
    fallbacks: tuple[str, ...] = Field(
        default=(), description="Fallback phrases of the app, besides those of the spaces."
    )
    fallback_threshold: float = Field(default=0.75, gt=0, le=1)
    loop_limit: int = Field(default=9, gt=0)
    today: date | None = Field(
        default=None, description="The day that relative dates count from; else that of the run."
    )


class PerturbedUser(Agent[UserTask, UserMove, PluginConfig]):
    """A user of another kind whose utterances are perturbed; what it means stays beside them.

    `first` is what it does before anything was said, where that is known.
    """

    role: ClassVar[str] = "user"

    def __init__(
        self,
        user: Agent[UserTask, UserMove, Any],
        worder: Worder,
        case: Case,
        context: BuildContext,
        first: UserMove | None = None,
    ) -> None:
        super().__init__(PluginConfig(), context)
        self.first = first
        self._user = user
        self._worder = worder
        self._case = case
        self.applied: list[list[Applied]] = []

    async def act(self, task: UserTask) -> UserMove:
        if task.turns or self.first is None:
            move = await self._user.act(task)
        else:
            move = self.first
        if not task.turns:
            self.first = move
        if not isinstance(move.act, Say) or not move.act.text.strip():
            return move
        said = move.act
        turn = sum(not isinstance(one.act, Listen) for one in task.turns)
        protected = [text for text in words_of(self._worder.space, self._case).values() if text]
        text, applied = await self._worder.perturbations.applied(
            said.text, self._case.params, protected, hash_of(self._case.seed, turn)
        )
        self.applied.append(applied)
        if text == said.text or not text.strip():
            return move
        meant = said.text if said.meant is None else said.meant
        return move.model_copy(update={"act": Say(text=text, meant=meant)})


def hash_of(seed: int, turn: int) -> int:
    """A seed per turn."""
    return seed * 1_000 + turn


def words_of(space: FeatureSpace, case: Case) -> dict[str, str | None]:
    """The words for each content feature of a case; None for those that are left out."""
    chosen = space.chosen(case.params)
    found: dict[str, str | None] = {}
    for feature in space.features:
        value = chosen[feature.name]
        none = feature.none is not None and feature.values[feature.none] is value
        found[feature.name] = None if none else _word(value)
    return {name: found[name] for name in found if space.feature(name).group == "content"}


def _word(value: FeatureValue) -> str:
    return value.words[0] if value.words else value.shown


class Conversing:
    """Holds conversations with users whose features are those of the cases."""

    def __init__(
        self,
        config: ConversingConfig,
        spaces: Iterable[FeatureSpace],
        worders: Mapping[str, Worder],
        context: BuildContext,
    ) -> None:
        self.config = config
        self.worders = worders
        self.context = context
        self.user: Agent[UserTask, UserMove, Any] = context.part(Agent, config.user, role="user")
        self.extractor: Agent[ExtractTask, Extraction, Any] = context.part(
            Agent, config.extractor, role="extractor"
        )
        self.goal_checker: Agent[GoalTask, GoalCheck, Any] | None = (
            context.part(Agent, config.goal_checker, role="goal_checker")
            if config.goal_checker
            else None
        )
        self._firsts: Memory[UserMove] = Memory()
        for space in spaces:
            _require_conversation(space)

    def recall(self, case: Case, known: Wording | None) -> None:
        """Begin a case in known words, or forget them."""
        self._firsts.forget(case)
        if known is not None:
            self._firsts.keep(case, UserMove(act=Say(text=known.utterance.text)))

    def _speaker(self, case: Case) -> PerturbedUser:
        """The user of a case."""
        worder = self.worders[case.scenario]
        return PerturbedUser(self.user, worder, case, self.context, self._firsts.get(case))

    async def preview(self, case: Case) -> Preview:
        """What the user would say first."""
        worder = self.worders[case.scenario]
        user = self._speaker(case)
        brief = brief_of(worder.space, case, self.config.fallbacks)
        move = await user.act(brief.model_copy(update={"situation": "start"}))
        asks = worder.asks or isinstance(self.user, ModelAgent)
        if asks and user.first is not None:
            self._firsts.keep(case, user.first)
        if not isinstance(move.act, Say):
            return Preview(text="")
        text, written = move.act.text, move.act.meant or move.act.text
        wording: dict[str, JsonValue] = {"utterance": text, "written": written}
        return Preview(text=text, written=written, wording=wording if asks else {})

    async def act(self, task: PlayTask, meta: Mapping[str, JsonValue]) -> Trace:
        """Hold the conversation of a case."""
        worder = self.worders[task.case.scenario]
        user = self._speaker(task.case)
        dialogue = self._dialogue(worder.space, user, task)
        await dialogue.hold()
        outputs = await self._outputs(dialogue, task)
        trace = task.trace(
            dialogue.ended,
            outputs=outputs,
            incidents=dialogue.incidents,
            meta={**meta, **_told(dialogue, user)},
        )
        return trace.model_copy(update={"turns": dialogue.turns})

    def _dialogue(self, space: FeatureSpace, user: PerturbedUser, task: PlayTask) -> Dialogue:
        config = self.config
        price = Price()
        PRICE.set(price)
        brief = brief_of(space, task.case, config.fallbacks)
        assert space.conversation is not None
        return Dialogue(
            task=task,
            user=user,
            brief=brief,
            watch=LoopWatch(Fallbacks(brief.fallbacks, config.fallback_threshold)),
            limit=TurnLimit(space.conversation.limit, by_goals=True),
            loop_limit=config.loop_limit,
            price=price,
            app_starts=config.app_starts,
            checker=self.goal_checker,
        )

    async def _outputs(self, dialogue: Dialogue, task: PlayTask) -> tuple[Output, ...]:
        brief = dialogue.brief
        if not brief.outputs or dialogue.ended is Ended.INCIDENT:
            return without_values(brief.outputs)
        asked = ExtractTask(
            turns=dialogue.turns,
            outputs=brief.outputs,
            inputs=brief.inputs,
            domains=brief.domains,
            language=brief.language,
            today=self.config.today or task.started.date(),
            seed=task.case.seed,
        )
        return await extract(self.extractor, asked, self.config.extractor.use, dialogue)


def brief_of(space: FeatureSpace, case: Case, fallbacks: tuple[str, ...] = ()) -> UserTask:
    """The user's task for a case: content as goals, style as traits and sentences about it."""
    told = space.conversation or Conversation()
    words = words_of(space, case)
    chosen = space.chosen(case.params)
    style = [chosen[one.name] for one in space.features if one.group == "style"]
    about = [one for one in (filled(text, words) for text in told.context) if one is not None]
    return UserTask(
        goals=tuple(_goals(told, words)),
        inputs={name: text for name, text in words.items() if text is not None},
        domains={
            one.name: tuple(_word(value) for at, value in enumerate(one.values) if at != one.none)
            for one in space.features
            if one.group == "content"
        },
        outputs=told.outputs,
        language=space.language,
        role=told.role or space.speaker,
        context=(*about, *(text for value in style for text in value.context)),
        style=tuple(one for value in style for one in value.styles) or ("default",),
        fallbacks=(*told.fallbacks, *fallbacks),
        traits=merged([value.traits for value in style]),
        seed=case.seed,
    )


def _goals(told: Conversation, words: Mapping[str, str | None]) -> Iterable[Goal]:
    for template in told.goals:
        phrase = filled(template, words)
        if phrase is not None:
            inputs = tuple(dict.fromkeys(holes_in(template)))
            yield Goal(phrase=phrase, template=template, inputs=inputs)


def merged(several: Iterable[Mapping[str, JsonValue]]) -> dict[str, JsonValue]:
    """Traits of several features as those of one person; of two values the later one counts."""
    found: dict[str, JsonValue] = {}
    for traits in several:
        for name, value in traits.items():
            known = found.get(name)
            both = isinstance(known, dict) and isinstance(value, dict)
            found[name] = {**known, **value} if both else value  # type: ignore[dict-item]
    return found


def _told(dialogue: Dialogue, user: PerturbedUser) -> dict[str, JsonValue]:
    """What the trace says of the conversation."""
    acts = [one.act for one in dialogue.turns]
    said = [act for act in acts if isinstance(act, Say) and act.meant != ""]  # `before` means none
    goals: list[JsonValue] = [goal.phrase for goal in dialogue.brief.goals]
    return {
        "goals": goals,
        "goals_met": list(dialogue.goals_met),
        "goals_unmet": list(dialogue.goals_unmet),
        "utterance": said[0].text if said else "",
        "written": (said[0].meant or said[0].text) if said else "",
        "perturbations": [one.data() for applied in user.applied for one in applied],
        **({"revised": dialogue.revised} if dialogue.revised else {}),
    }


def require_features(texts: Iterable[str], space: FeatureSpace, key: str) -> None:
    """Refuse texts with holes for what is no content feature; raises ConfigurationError."""
    known = [one.name for one in space.features if one.group == "content"]
    for text in texts:
        for name in holes_in(text):
            if name not in known:
                told = f"{text!r}: the space {space.name!r} has no content feature {name!r}"
                raise ConfigurationError(Problem(f"{told}.{nearest(name, known)}", key=key))


def _require_conversation(space: FeatureSpace) -> None:
    told = space.conversation
    if told is None:
        message = "has no `conversation`: say what the user wants (goals), or play single turns"
        raise ConfigurationError(Problem(message, space.source, key=space.name))
    for feature in space.features:
        for value in feature.values:
            for key, wrong in trait_problems(value.traits):
                where = ".".join(map(str, key))
                raise ConfigurationError(
                    Problem(f"traits.{where}: {wrong}", space.source, key=feature.name)
                )
