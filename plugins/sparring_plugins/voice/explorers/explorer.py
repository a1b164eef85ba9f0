"""The player `explorer`: finds out what an unknown app can do, session by session."""

from typing import Any, ClassVar

from sparring.errors import ConfigurationError, Problem
from sparring.interfaces.agent import Agent
from sparring.interfaces.plugin import BuildContext, PluginConfig, Use
from sparring_plugins.voice.behaviour.model import BehaviourModel
from sparring_plugins.voice.explorers.ablation import ExactObserver, PlainGenerator, RandomPlanner
from sparring_plugins.voice.explorers.base_explorer import Talk, Tester
from sparring_plugins.voice.explorers.exploration import Agents, Exploration
from sparring_plugins.voice.explorers.settings import ExplorerConfig


class Explorer(Tester[ExplorerConfig]):
    """Talks to an unknown app to see as much of it as it can (Elevate, section 3).

    After each answer the observer says in which state the app is, the generator what could be said
    there, and the planner what is said next; the behaviour model keeps states, inputs, and where
    they led. The strategy `sessions` plays session after session, each with the model of the one
    before, until the turns or minutes are spent.
    """

    Config: ClassVar[type[PluginConfig]] = ExplorerConfig

    def __init__(self, config: ExplorerConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        off = config.without
        self.agents = Agents(
            ExactObserver() if "observer" in off else self._part(config.observer, "observer"),
            PlainGenerator() if "generator" in off else self._part(config.generator, "generator"),
            RandomPlanner() if "planner" in off else self._part(config.planner, "planner"),
        )
        self._document = _document(config.document, context)
        self._first = _stored(config.start_from, context)

    def _part(self, use: Use, role: str) -> Any:
        return self.context.part(Agent[Any, Any, Any], use, role=role)

    async def converse(self, talk: Talk) -> None:
        await Exploration(self.agents, self.config, talk, self._document).run()

    def fresh_model(self) -> BehaviourModel:
        return self._first.copied() if self._first is not None else BehaviourModel()

    def kept_model(self, model: BehaviourModel) -> BehaviourModel:
        if "model" not in self.config.without:
            return model
        return BehaviourModel(  # the counters of the budget are not part of what is switched off
            app=model.app,
            sessions=model.sessions,
            turns=model.turns,
            seconds=model.seconds,
            idle_sessions=model.idle_sessions,
        )


def _document(written: str | None, context: BuildContext) -> str:
    """The app's description: the text itself, or that of the file which it names."""
    if written is None:
        return ""
    if "\n" in written or len(written.split()) > 3:
        return written
    return "\n".join(_text(context, written))


def _stored(path: str | None, context: BuildContext) -> BehaviourModel | None:
    if path is None:
        return None
    model = BehaviourModel.loaded(_text(context, path)[0], path)
    model.sessions = model.turns = model.idle_sessions = 0
    model.seconds = 0.0
    return model


def _text(context: BuildContext, pattern: str) -> list[str]:
    found: list[str] = []
    for path in context.files(pattern):
        try:
            found.append(path.read_text(encoding="utf-8", errors="replace"))
        except OSError as err:
            problem = Problem(f"cannot be read: {err.strerror or err}", str(path))
            raise ConfigurationError(problem) from err
    return found
