"""Feature vectors over a whole conversation: the features define a simulated user."""

from collections.abc import Iterable, Mapping
from datetime import date
from typing import Annotated, Any, ClassVar

from pydantic import Field, JsonValue

from sparring.documents.checking import nearest
from sparring.errors import ConfigurationError, Problem
from sparring.interfaces.abilities import Preview
from sparring.interfaces.agent import Agent, PlayTask
from sparring.interfaces.plugin import BuildContext, PluginConfig, Use, UseOf
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
from sparring_plugins.language.similarity import Fallbacks
from sparring_plugins.prompting.model_agent import ModelAgent
from sparring_plugins.search.features.model import (
    Conversation,
    FeatureSpace,
    FeatureValue,
    fill_holes,
    holes_in,
)
from sparring_plugins.search.prompter.utterances import Applied, CaseCache, CaseWriter, Wording
from sparring_plugins.users.conversation_end import TurnLimit
from sparring_plugins.users.dialogue import Dialogue, LoopWatch, extract, without_values
from sparring_plugins.users.personas.traits import trait_problems


class ConversationConfig(PluginConfig):
    """Settings of conversations with a simulated user whose features are the case's."""

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
    """A user of another kind whose utterances are perturbed; the original is kept as `Say.meant`.

    `first` is the user's first move, if it is already known.
    """

    role: ClassVar[str] = "user"

    def __init__(
        self,
        user: Agent[UserTask, UserMove, Any],
        worder: CaseWriter,
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
        utterance = move.act
        turn = sum(not isinstance(turn.act, Listen) for turn in task.turns)
        protected = [
            text for text in content_words(self._worder.space, self._case).values() if text
        ]
        text, applied = await self._worder.perturbations.applied(
            utterance.text, self._case.params, protected, turn_seed(self._case.seed, turn)
        )
        self.applied.append(applied)
        if text == utterance.text or not text.strip():
            return move
        meant = utterance.text if utterance.meant is None else utterance.meant
        return move.model_copy(update={"act": Say(text=text, meant=meant)})


def turn_seed(seed: int, turn: int) -> int:
    """Return a seed per turn."""
    return seed * 1_000 + turn


def content_words(space: FeatureSpace, case: Case) -> dict[str, str | None]:
    """Return the words for each content feature of a case; None for those that are left out."""
    chosen = space.chosen(case.params)
    words: dict[str, str | None] = {}
    for feature in space.features:
        value = chosen[feature.name]
        none = feature.none is not None and feature.values[feature.none] is value
        words[feature.name] = None if none else _word(value)
    return {name: words[name] for name in words if space.feature(name).group == "content"}


def _word(value: FeatureValue) -> str:
    return value.words[0] if value.words else value.shown


class FeatureConversations:
    """Holds conversations with users whose features are those of the cases."""

    def __init__(
        self,
        config: ConversationConfig,
        spaces: Iterable[FeatureSpace],
        worders: Mapping[str, CaseWriter],
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
        self._firsts: CaseCache[UserMove] = CaseCache()
        for space in spaces:
            _require_conversation(space)

    def recall(self, case: Case, wording: Wording | None) -> None:
        """Begin a case in known words, or forget them."""
        self._firsts.forget(case)
        if wording is not None:
            self._firsts.keep(case, UserMove(act=Say(text=wording.utterance.text)))

    def _speaker(self, case: Case) -> PerturbedUser:
        """Return the user of a case."""
        worder = self.worders[case.scenario]
        return PerturbedUser(self.user, worder, case, self.context, self._firsts.get(case))

    async def preview(self, case: Case) -> Preview:
        """Return what the user would say first."""
        worder = self.worders[case.scenario]
        user = self._speaker(case)
        brief = user_task_of(worder.space, case, self.config.fallbacks)
        move = await user.act(brief.model_copy(update={"situation": "start"}))
        asks_model = worder.asks or isinstance(self.user, ModelAgent)
        if asks_model and user.first is not None:
            self._firsts.keep(case, user.first)
        if not isinstance(move.act, Say):
            return Preview(text="")
        text, written = move.act.text, move.act.meant or move.act.text
        wording: dict[str, JsonValue] = {"utterance": text, "written": written}
        return Preview(text=text, written=written, wording=wording if asks_model else {})

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
            meta={**meta, **_record_conversation(dialogue, user)},
        )
        return trace.model_copy(update={"turns": dialogue.turns})

    def _dialogue(self, space: FeatureSpace, user: PerturbedUser, task: PlayTask) -> Dialogue:
        config = self.config
        price = Price()
        PRICE.set(price)
        brief = user_task_of(space, task.case, config.fallbacks)
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
        extract_task = ExtractTask(
            turns=dialogue.turns,
            outputs=brief.outputs,
            inputs=brief.inputs,
            domains=brief.domains,
            language=brief.language,
            today=self.config.today or task.started.date(),
            seed=task.case.seed,
        )
        return await extract(self.extractor, extract_task, self.config.extractor.use, dialogue)


def user_task_of(space: FeatureSpace, case: Case, fallbacks: tuple[str, ...] = ()) -> UserTask:
    """Return the user's task: content as goals, style as traits and sentences about the user."""
    conversation = space.conversation or Conversation()
    words = content_words(space, case)
    chosen = space.chosen(case.params)
    styles = [chosen[feature.name] for feature in space.features if feature.group == "style"]
    about = [text for line in conversation.context if (text := fill_holes(line, words)) is not None]
    return UserTask(
        goals=tuple(_goals(conversation, words)),
        inputs={name: text for name, text in words.items() if text is not None},
        domains=_domains(space),
        outputs=conversation.outputs,
        language=space.language,
        role=conversation.role or space.speaker,
        context=(*about, *(text for value in styles for text in value.context)),
        style=tuple(style for value in styles for style in value.styles) or ("default",),
        fallbacks=(*conversation.fallbacks, *fallbacks),
        traits=merge_traits([value.traits for value in styles]),
        seed=case.seed,
    )


def _domains(space: FeatureSpace) -> dict[str, tuple[JsonValue, ...]]:
    """Return the words for all values of each content feature."""
    return {
        feature.name: tuple(
            _word(value) for at, value in enumerate(feature.values) if at != feature.none
        )
        for feature in space.features
        if feature.group == "content"
    }


def _goals(conversation: Conversation, words: Mapping[str, str | None]) -> Iterable[Goal]:
    for template in conversation.goals:
        phrase = fill_holes(template, words)
        if phrase is not None:
            inputs = tuple(dict.fromkeys(holes_in(template)))
            yield Goal(phrase=phrase, template=template, inputs=inputs)


def merge_traits(all_traits: Iterable[Mapping[str, JsonValue]]) -> dict[str, JsonValue]:
    """Merge traits of several features into one persona; of two values the later one wins."""
    merged_traits: dict[str, JsonValue] = {}
    for traits in all_traits:
        for name, value in traits.items():
            earlier = merged_traits.get(name)
            both = isinstance(earlier, dict) and isinstance(value, dict)
            merged_traits[name] = {**earlier, **value} if both else value  # type: ignore[dict-item]
    return merged_traits


def _record_conversation(dialogue: Dialogue, user: PerturbedUser) -> dict[str, JsonValue]:
    """Return what the trace records of the conversation."""
    acts = [turn.act for turn in dialogue.turns]
    utterances = [
        act for act in acts if isinstance(act, Say) and act.meant != ""
    ]  # `before` means none
    goals: list[JsonValue] = [goal.phrase for goal in dialogue.brief.goals]
    return {
        "goals": goals,
        "goals_met": list(dialogue.goals_met),
        "goals_unmet": list(dialogue.goals_unmet),
        "utterance": utterances[0].text if utterances else "",
        "written": (utterances[0].meant or utterances[0].text) if utterances else "",
        "perturbations": [
            perturbation.data() for applied in user.applied for perturbation in applied
        ],
        **({"revised": dialogue.revised} if dialogue.revised else {}),
    }


def require_features(texts: Iterable[str], space: FeatureSpace, key: str) -> None:
    """Raise ConfigurationError for texts with holes that are no content feature."""
    content = [feature.name for feature in space.features if feature.group == "content"]
    for text in texts:
        for name in holes_in(text):
            if name not in content:
                message = f"{text!r}: the space {space.name!r} has no content feature {name!r}"
                raise ConfigurationError(Problem(f"{message}.{nearest(name, content)}", key=key))


def _require_conversation(space: FeatureSpace) -> None:
    conversation = space.conversation
    if conversation is None:
        message = "has no `conversation`: say what the user wants (goals), or play single turns"
        raise ConfigurationError(Problem(message, space.source, key=space.name))
    for feature in space.features:
        for value in feature.values:
            for key, problem in trait_problems(value.traits):
                place = ".".join(map(str, key))
                raise ConfigurationError(
                    Problem(f"traits.{place}: {problem}", space.source, key=feature.name)
                )
