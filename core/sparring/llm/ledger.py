"""What the gateway needs of a run: its ledger, cache, prices and recorded answers."""

import json
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Protocol

from pydantic import JsonValue

from sparring.errors import ModelError
from sparring.model.chat import ChatReply, ChatRequest, Quota
from sparring.model.events import ModelCalled
from sparring.model.talk import ModelFallback

CASE: ContextVar[str | None] = ContextVar("sparring_case", default=None)
"""The id of the case that is being played or judged in this task."""


@dataclass(slots=True)
class Price:
    """What answers are worth, in US dollars; `unknown` counts those whose price is not known.

    An answer from a cache or a recording is worth what it was paid for, so that what depends on
    it is the same when a run is repeated.
    """

    usd: float = 0.0
    unknown: int = 0

    def add(self, usd: float | None) -> None:
        """Count one answer."""
        self.usd += usd or 0.0
        self.unknown += usd is None


PRICE: ContextVar[Price | None] = ContextVar("sparring_price", default=None)
"""Where a player counts what the answers in its task are worth; None if nobody counts."""


NOTE_FALLBACK: ContextVar[Callable[[ModelFallback], None] | None] = ContextVar(
    "sparring_note_fallback", default=None
)
"""Where an agent says that another one answered for its model; None outside of cases."""


class Ledger(Protocol):
    """Allows calls, and takes note of them."""

    def require(self, case_id: str | None) -> None:
        """Allow one more call; raises BudgetSpent."""

    def called(self, event: ModelCalled) -> None:
        """Count and log a call."""


class ResponseCache(Protocol):
    """Answers kept for later runs; the service ``cache`` makes one of a path and a warning."""

    def get(self, key: str) -> ChatReply | None:
        """Return the answer that is kept under a key, `None` if there is none."""

    def put(self, key: str, request: ChatRequest, reply: ChatReply) -> None:
        """Keep an answer."""

    def close(self) -> None:
        """Give back what it holds."""


class Turn(Protocol):
    """One call's place among those to its service, an async context: entering waits for it.

    The exception that leaves it tells what came of the call: ModelBusy is a refusal. Set `overran`
    before if the call took longer than it may, and `quota` if the service announced how many calls
    are left.
    """

    overran: bool
    quota: Quota | None

    def refuse(self, retry_after_s: float | None) -> None:
        """Count the call as refused, whatever its error: the service asks for patience."""

    async def __aenter__(self) -> "Turn": ...

    async def __aexit__(
        self, kind: type[BaseException] | None, err: BaseException | None, trace: Any, /
    ) -> None: ...


class Pacing(Protocol):
    """How many calls a service takes at once; the service ``pacing`` makes one of the most."""

    def turn(self, order: int, until: float, patience_s: float = ...) -> Turn:
        """Return a place among the calls; lower `order` goes first.

        `until` is when the caller gives up, in the event loop's time: entering raises ModelError
        at once if the service will not be asked before that, or wants to be left alone for longer
        than `patience_s` seconds.
        """
        ...


class Prices(Protocol):
    """Prices of models; the service ``prices`` makes one of those that the suite gives."""

    def cost(self, reply: ChatReply, asked: str | None, *, free: bool = False) -> float | None:
        """Return the price of an answer in US dollars, `None` if it is unknown.

        `asked` is the model's name as asked for. A service that is `free` costs nothing unless it
        says otherwise.
        """

    def known(self, model: str | None) -> bool:
        """Return whether the price of a model is known, so that a budget of money can hold."""
        ...

    def require(self, model: str | None) -> None:
        """Raise ConfigurationError if the price of a model that is asked is not known."""


class ReadsAnswers(Protocol):
    """Reads what models write; the service ``answers``."""

    def __call__(self, reply: ChatReply, schema: Mapping[str, JsonValue] | None) -> ChatReply:
        """Return the answer without its reasoning, with `parsed` set if it fits the schema.

        Raises ModelError if the schema itself is wrong.
        """
        ...


class RecordedAnswers(Protocol):
    """The answers of an earlier run."""

    def find(
        self, request: ChatRequest, service: str | None = None
    ) -> ChatReply | ModelError | None:
        """Return the answer to a question, or the error it ended in; `None` if there is none."""


def portable_seed(seed: int) -> int:
    """Return a seed that every service takes: some refuse more than 31 bits, or a sign."""
    return seed & 0x7FFF_FFFF


def key_of(request: ChatRequest, service: str) -> str:
    """What an answer depends on, as one hash.

    That is the service with the settings that shape its answers (`LLMBackend.identity`), the
    messages, the schema in the order of its keys, temperature, seed, length and sample; not who
    asks, for which case, in which round, or how long it waits.
    """
    matters = [
        service,
        [[message.role, message.content] for message in request.messages],
        request.answer_schema,
        request.temperature,
        request.seed,
        request.max_tokens,
        request.sample,
    ]
    return sha256(json.dumps(matters, separators=(",", ":")).encode()).hexdigest()
