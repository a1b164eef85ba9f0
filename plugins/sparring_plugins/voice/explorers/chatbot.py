"""The baseline `chatbot`: a language model alone, which answers what the app says."""

from pathlib import Path
from typing import Any, ClassVar

from pydantic import Field

from sparring.errors import ConfigurationError
from sparring.interfaces.llm_backend import LLMBackend
from sparring.interfaces.plugin import BuildContext, PluginConfig
from sparring.model.chat import ChatRequest
from sparring.model.talk import Observation
from sparring_plugins.prompting.exchange import settled
from sparring_plugins.prompting.prompts import Prompts
from sparring_plugins.users.model_user.user import seed_of
from sparring_plugins.voice.behaviour.model import END, Input, State
from sparring_plugins.voice.explorers.base_explorer import Talk, Tester
from sparring_plugins.voice.explorers.settings import TesterConfig
from sparring_plugins.voice.roles.explorer import InputOrigin

PROMPTS = Path(__file__).with_name("prompts")
UNKNOWN = "I don't know"
"""What is said where the model says nothing."""

_LONGEST = 2_000


class ChatbotConfig(TesterConfig):
    """Settings of the baseline `chatbot`."""

    prompts: str | None = None
    temperature: float = Field(default=0.0, ge=0, le=2)
    max_tokens: int = Field(default=450, gt=0)
    llm_role: str = Field(default="chatbot", min_length=1)


class ChatbotTester(Tester[ChatbotConfig]):
    """A language model is given the app's latest output alone, and what it says is sent as it is.

    It is told that it is a chatbot and nothing else, as the authors of Elevate did in their
    comparison. The behaviour model only keeps count: every different output is a state.
    """

    Config: ClassVar[type[PluginConfig]] = ChatbotConfig

    def __init__(self, config: ChatbotConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        backend = context.llm(config.llm_role)
        if backend is None:
            raise ConfigurationError(
                "the player 'chatbot' asks a language model, and the suite names none: add for "
                "example `llm: {use: openai, model: gpt-4o-mini}`"
            )
        self._backend: LLMBackend[Any] = backend
        self._prompts = Prompts.of(context, PROMPTS, config.prompts)

    async def converse(self, talk: Talk) -> None:
        heard = await talk.listen()
        state = talk.model.start
        if talk.failed is not None:
            talk.fail(state, Input(text=""))
            return
        if heard is not None:
            state = _arrived(talk, state, Input(text=""), heard)
        while talk.goes_on:
            said = await self._said(heard.text if heard else "", talk)
            by = state.offer(Input(text=said))
            heard = await talk.say(by)
            if heard is None:
                talk.fail(state, by)
                return
            state = _arrived(talk, state, by, heard)
        if self.config.farewell and not talk.ended and not talk.spent():
            by = state.offer(Input(text=self.config.farewell, origin=InputOrigin.SYSTEM))
            heard = await talk.say(by)
            if heard is not None:
                _arrived(talk, state, by, heard)

    async def _said(self, output: str, talk: Talk) -> str:
        request = ChatRequest(
            messages=self._prompts.messages("chatbot", {"output": output[:6_000]}),
            asker=self.config.llm_role,
            prompt="chatbot",
            temperature=self.config.temperature,
            max_tokens=self.config.max_tokens,
            seed=seed_of(talk.seed, talk.taken),
        )
        reply = await settled(self._backend, request)
        return " ".join(reply.text.split())[:_LONGEST] or UNKNOWN


def _arrived(talk: Talk, source: State, by: Input, heard: Observation) -> State:
    target = next((one for one in talk.model.states.values() if one.outputs == [heard.text]), None)
    if not heard.text.strip() and heard.ended:
        target = talk.model.named(END)
    if target is None:
        target = talk.model.add_state()
        target.said(heard.text)
    target.final = target.final or heard.ended
    return talk.arrived(source, by, target, "")
