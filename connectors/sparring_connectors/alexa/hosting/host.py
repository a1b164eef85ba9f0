"""What every way of hosting a handler offers."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sparring.errors import SparringError
from sparring_connectors.alexa.hosting.line_record import LineRecord


@dataclass(frozen=True, slots=True)
class Answer:
    """What a handler returned for one request.

    `raw` is its JSON as Python values, `log` what it printed meanwhile, `calls` the addresses
    that it asked for outside, `notes` what else went on (an error after its answer).
    """

    raw: Any
    log: str = ""
    calls: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class Failure(Exception):
    """A handler that did not answer properly.

    `error` says who is to blame: an AppError the skill, an EnvironmentFailure this machine.
    """

    error: SparringError
    kind: str
    log: str = ""
    calls: tuple[str, ...] = ()

    def __str__(self) -> str:
        return str(self.error)


@dataclass(slots=True)
class Store:
    """What a skill keeps between sessions: attributes by key, as its adapters saved them."""

    kept: dict[str, Any] = field(default_factory=dict[str, Any])


class Host(ABC):
    """Runs one skill for one user; `lines` are those that ran, where they are kept count of."""

    lines: LineRecord | None = None

    @abstractmethod
    async def ask(self, request: Mapping[str, Any], timeout_s: float) -> Answer:
        """Send a request; raises Failure where the handler does not answer properly."""

    @abstractmethod
    async def aclose(self) -> None:
        """End what runs."""
