"""The interface `LLMBackend`: asks a language model."""

from abc import abstractmethod
from typing import Literal

from sparring.interfaces.plugin import ConfigT, Plugin
from sparring.model.chat import ChatReply, ChatRequest


class LLMBackend(Plugin[ConfigT]):
    """Speaks to one service or library that answers prompts. One call is one attempt.

    Retries, deadlines, the number of calls at once, prices, the cache and the log are the
    engine's; a backend switches off those of its SDK. What is missing for good (a key, a
    library) is a ConfigurationError or MissingExtra when it is built.

    It sends `ChatRequest.answer_schema` the way the service supports (response format, tool
    call, or as words in the prompt) and may leave `ChatReply.parsed` alone: where it is None, the
    engine reads the JSON in `text`; what does not satisfy the schema never gets to the asker.
    """

    @abstractmethod
    async def complete(self, request: ChatRequest) -> ChatReply:
        """Ask once and wait for the answer.

        Raises ModelBusy where the service asks for patience, ModelUnavailable for what may pass
        (no answer within `request.timeout_s`, too), and ModelError for all else.
        """

    def identity(self) -> str:
        """The settings that shape its answers, in one line without secrets, for cache and log."""
        return f"{type(self).__module__}.{type(self).__qualname__}"

    def model(self) -> str | None:
        """The model that is asked, to look its price up before anything runs; None if unknown."""
        name = getattr(self.config, "model", None)
        return name if isinstance(name, str) else None

    #: Whether answers cost nothing by nature (a script, a recording, a person).
    free: bool = False
    #: Whether its replies say themselves what they cost.
    tells_cost: bool = False
    #: Where its answers are from; only a service's count as spent.
    source: Literal["service", "recording"] = "service"
    #: Whether it speaks to a service whose prices are public, as price lists have them: a server
    #: of one's own may call its model by a name in the list.
    listed: bool = True
