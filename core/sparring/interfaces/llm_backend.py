"""The interface `LLMBackend`: asks a language model."""

from abc import abstractmethod

from sparring.interfaces.plugin import ConfigT, Plugin
from sparring.model.chat import ChatReply, ChatRequest


class LLMBackend(Plugin[ConfigT]):
    """Speaks to one service or library that answers prompts."""

    @abstractmethod
    async def complete(self, request: ChatRequest) -> ChatReply:
        """Ask and wait for the answer; raises ModelError.

        Where `request.answer_schema` is set, `ChatReply.parsed` holds an answer that satisfies
        it, or is None where the model gave none. A price that is unknown is None, never zero.
        """
