"""The player that puts feature vectors into words and says them to an app."""

from collections.abc import Mapping, Sequence
from typing import Annotated, ClassVar

from pydantic import Field, JsonValue

from sparring.errors import ConfigurationError
from sparring.interfaces.abilities import Preview
from sparring.interfaces.agent import Agent, Player, PlayTask
from sparring.interfaces.plugin import BuildContext, PluginConfig, Use, UseOf
from sparring.model.case import Case
from sparring.model.space import Space
from sparring.model.talk import Act, Ended, Incident, IncidentKind, Listen, Observation, Say, Trace
from sparring.model.verdict import Owner
from sparring_plugins.search.features.lookup import find_spaces
from sparring_plugins.search.features.model import FeatureSpace, fill_holes, holes_in
from sparring_plugins.search.prompter.conversations import (
    ConversationConfig,
    FeatureConversations,
    content_words,
    require_features,
)
from sparring_plugins.search.prompter.retrieval import Retrieval, RetrievalConfig
from sparring_plugins.search.prompter.utterances import (
    CaseCache,
    CaseWriter,
    Perturbations,
    Wording,
    Writer,
    checks_of,
)
from sparring_plugins.search.roles import WriteTask
from sparring_plugins.search.space import CaseSpace


class PrompterConfig(PluginConfig):
    """Settings of the prompter."""

    spaces: str | tuple[str, ...] = Field(
        description="Feature spaces: files, folders, patterns, names of bundled ones, or"
        " import paths."
    )
    writer: Annotated[
        Use,
        UseOf("sparring.agents", role="writer"),
        Field(description="Who puts features into words: template needs no model."),
    ] = Use(use="template")
    examples: str | tuple[str, ...] = Field(
        default=(), description="Files or folders of real utterances, besides those of the spaces."
    )
    retrieval: RetrievalConfig = Field(
        default=RetrievalConfig(), description="Which examples a writer is shown."
    )
    listen: bool = Field(
        default=False, description="Whether the app speaks first, and is listened to."
    )
    before: tuple[str, ...] = Field(
        default=(),
        description="What is said to the app first, word for word (to open a skill). {{feature}}"
        " stands for the words of a content feature; what names one that is left out is not said.",
    )
    conversation: ConversationConfig | None = Field(
        default=None,
        description="Hold a whole conversation: a simulated user with the case's features.",
    )


class Prompter(Player[PrompterConfig]):
    """Role ``player``: puts the features of a case into an utterance and says it to the app.

    Each feature space is a scenario whose variables are its features. The writer puts content and
    style into words; perturbations of the case distort them; the result is said to the app, and the
    conversation ends with its answer. With `conversation`, the features control a simulated user
    instead: content becomes its goals, style its traits and the sentences about it, and each of its
    utterances is perturbed. `listen`, `before` and the `turns` of values come first in either.

    `Trace.meta` has ``space``, ``features`` (the values by name), ``labels``, ``vector`` (ordinal
    i/n, categorical i), ``wanted`` (the words that show each content feature), ``utterance``,
    ``written`` (before perturbations), ``spoken`` (the words that express each content feature),
    ``perturbations`` and ``examples``.
    """

    Config: ClassVar[type[PluginConfig]] = PrompterConfig

    def __init__(self, config: PrompterConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        self.writer: Writer = context.part(Agent, config.writer, role="writer")
        written, examples = _as_tuple(config.spaces), _as_tuple(config.examples)
        self.spaces = {space.name: space for space in find_spaces(written, context)}
        if not self.spaces:
            raise ConfigurationError("names no feature space")
        self.cases = {
            name: CaseSpace(space.scenario(), context) for name, space in self.spaces.items()
        }
        for space in self.spaces.values():
            require_features(config.before, space, "before")
            for feature in space.features:
                for value in feature.values:
                    require_features(value.turns, space, feature.name)
        self._worders = {name: self._worder(space) for name, space in self.spaces.items()}
        self._retrieval = {
            name: Retrieval.of(config.retrieval, (*space.examples, *examples), context)
            for name, space in self.spaces.items()
        }
        self._wordings: CaseCache[Wording] = CaseCache()
        self._conversing = (
            FeatureConversations(config.conversation, self.spaces.values(), self._worders, context)
            if config.conversation
            else None
        )

    def _worder(self, space: FeatureSpace) -> CaseWriter:
        worder = CaseWriter(
            space,
            self.writer,
            Perturbations.of(space, self.context),
            checks_of(space, self.context),
        )
        check = getattr(self.writer, "check", None)
        if check is not None and self.config.conversation is None:
            first = {feature.name: feature.values[0].value for feature in space.features}
            task: WriteTask = space.task(first)
            check(task)
        return worder

    def space(self) -> Space:
        return Space(scenarios=tuple(case.scenario for case in self.cases.values()))

    async def preview(self, case: Case) -> Preview:
        """Return the utterance of a case, without the app (`sparring_plugins.search.roles`)."""
        if self._conversing is not None:
            preview = await self._conversing.preview(case)
        else:
            wording = await self._word(case)
            preview = Preview(
                text=wording.text,
                written=wording.utterance.text,
                wording=wording.meta() if self._worders[case.scenario].asks else {},
            )
        before = " ".join(self._openings(case)) if self._varies_before else ""
        return preview.model_copy(update={"before": before})

    def previews_beginnings(self) -> bool:
        """Return whether conversations are held: a preview is only their first utterance."""
        return self._conversing is not None

    def meta(self, case: Case) -> dict[str, JsonValue]:
        space, cases = self.spaces[case.scenario], self.cases[case.scenario]
        chosen = space.chosen(case.params)
        vector: list[JsonValue] = list(cases.encode(case.params))
        return {
            "space": space.name,
            "features": dict(case.params),
            "labels": {name: value.shown for name, value in chosen.items()},
            "wanted": space.wanted(case.params),
            "vector": vector,
            "language": space.language,
            "role": space.speaker,
            "source": space.source,
        }

    async def act(self, task: PlayTask) -> Trace:
        if self._conversing is not None:
            return await self._converse(task, self._conversing)
        wording = await self._word(task.case)
        meta = {**self.meta(task.case), **wording.meta()}
        if not wording.text.strip():
            return task.trace(Ended.INCIDENT, incidents=[_silence()], meta=meta)
        ended = await self._before(task)
        if ended:
            return task.trace(Ended.APP_ENDED, meta=meta)
        answer = await task.session.send(self._utterance_of(wording))
        return task.trace(Ended.APP_ENDED if answer.ended else Ended.SCRIPT_DONE, meta=meta)

    async def _converse(self, task: PlayTask, conversing: FeatureConversations) -> Trace:
        meta = self.meta(task.case)
        if await self._before(task):
            return task.trace(Ended.APP_ENDED, meta=meta)
        return await conversing.act(task, meta)

    def recall(self, case: Case, wording: Mapping[str, JsonValue] | None) -> None:
        """Say a case in known words (`Recalling`)."""
        recalled = None if wording is None else Wording.of(wording)
        if self._conversing is not None:
            self._conversing.recall(case, recalled)
        elif recalled is None:
            self._wordings.forget(case)
        else:
            self._wordings.keep(case, recalled)

    async def _word(self, case: Case) -> Wording:
        """Return the words for a case, those that a model found before if they are cached."""
        cached = self._wordings.get(case)
        if cached is not None:
            return cached
        worder = self._worders[case.scenario]
        retrieval = self._retrieval[case.scenario]
        examples = retrieval.like(worder.task(case)) if retrieval else ()
        wording = await worder.word(case, examples)
        return self._wordings.keep(case, wording) if worder.asks else wording

    async def _before(self, task: PlayTask) -> bool:
        """Listen to the app and say the opening texts; whether the app ended the conversation."""
        acts: list[Act] = [
            *([Listen()] if self.config.listen else []),
            *(Say(text=text, meant="") for text in self._openings(task.case)),
        ]
        for act in acts:
            answer: Observation = await task.session.send(act)
            if answer.ended:
                return True
        return False

    @property
    def _varies_before(self) -> bool:
        spaces = self.spaces.values()
        values = (value for space in spaces for f in space.features for value in f.values)
        return any(holes_in(text) for text in self.config.before) or any(v.turns for v in values)

    def _openings(self, case: Case) -> list[str]:
        """Return the opening texts of a case, those of its values last."""
        space = self.spaces[case.scenario]
        words = content_words(space, case)
        turns = (text for value in space.chosen(case.params).values() for text in value.turns)
        texts = (fill_holes(text, words) for text in (*self.config.before, *turns))
        return [text for text in texts if text]

    def _utterance_of(self, wording: Wording) -> Say:
        """Return the utterance, with the one before perturbations as what is meant."""
        meant = wording.utterance.text
        return Say(text=wording.text, meant=None if meant == wording.text else meant)


def _as_tuple(written: str | Sequence[str]) -> tuple[str, ...]:
    return (written,) if isinstance(written, str) else tuple(written)


def _silence() -> Incident:
    message = "the writer put nothing into words, so that nothing was said"
    return Incident(kind=IncidentKind.UNRESOLVED, message=message, owner=Owner.TEST)
