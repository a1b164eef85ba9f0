"""The base of all agents that ask a language model."""

from pathlib import Path
from typing import ClassVar, TypeVar

from pydantic import Field

from sparring.errors import ConfigurationError
from sparring.interfaces.agent import Agent
from sparring.interfaces.plugin import BuildContext, PluginConfig
from sparring_plugins.prompting.asker import Asker
from sparring_plugins.prompting.exchange import ROUNDS
from sparring_plugins.prompting.prompts import Prompts

TaskT = TypeVar("TaskT", contravariant=True)
AnswerT = TypeVar("AnswerT", covariant=True)


class ModelAgentConfig(PluginConfig):
    """Settings of every agent that asks a language model.

    `prompts` is a folder of the suite whose templates replace the bundled ones of the same name.
    `llm_role` is the role whose model and settings in `llm` are used, else the agent's own.
    """

    prompts: str | None = None
    temperature: float | None = Field(default=None, ge=0, le=2)
    max_tokens: int | None = Field(default=None, gt=0)
    rounds: int = Field(
        default=ROUNDS, ge=0, le=10, description="how often checkers may send an answer back"
    )
    llm_role: str | None = Field(default=None, min_length=1)


ConfigT = TypeVar("ConfigT", bound=ModelAgentConfig)


class ModelAgent(Agent[TaskT, AnswerT, ConfigT]):
    """An agent that asks a language model, by `self.asker`.

    A class says where its templates are (`folder`), and what temperature and length of an answer it
    asks for where neither its settings nor the suite say so.
    """

    Config: ClassVar[type[PluginConfig]] = ModelAgentConfig
    #: Where its templates are.
    folder: ClassVar[Path]
    temperature: ClassVar[float | None] = None
    max_tokens: ClassVar[int | None] = None

    def __init__(self, config: ConfigT, context: BuildContext) -> None:
        super().__init__(config, context)
        role = config.llm_role or self.role
        backend = context.llm(role)
        if backend is None:
            raise ConfigurationError(
                f"the {self.role} {type(self).__name__} asks a language model, and the suite names "
                "none: add for example `llm: {use: openai, model: gpt-4o-mini}`, or choose one "
                "that needs no model (see `sparring plugins`)"
            )
        given = config.temperature
        self.asker = Asker(
            backend,
            Prompts.of(context, self.folder, config.prompts),
            role=role,
            rounds=config.rounds,
            temperature=self.temperature if given is None else given,
            max_tokens=config.max_tokens or self.max_tokens,
        )
