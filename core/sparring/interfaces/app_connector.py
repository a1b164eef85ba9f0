"""The interface `AppConnector`: how an app is reached."""

from abc import abstractmethod
from contextlib import AbstractAsyncContextManager
from enum import StrEnum
from typing import ClassVar

from sparring.interfaces.plugin import ConfigT, Plugin
from sparring.model.case import Case
from sparring.model.talk import Act, AppFacts, Observation


class Capability(StrEnum):
    """What a connector offers and a player may need."""

    TEXT = "text"
    CHOICES = "choices"
    PAGE = "page"
    SESSIONS = "sessions"


class AppSession:
    """One conversation with the app; never shared by two cases.

    `latency_s` is how long the app took for the last act, in seconds, if the session measures it
    itself: from when the act was on the wire to when the last of the answer came. Waiting of its
    own (for a connection, before it asks again, for silence after an answer) is not the app's. If
    it is `None`, the engine takes the time of the whole call of `send`.
    """

    latency_s: float | None = None

    async def send(self, act: Act) -> Observation:
        """Do `act` and return what the app answers.

        `Listen` returns what the app says unasked, an empty observation if it says nothing.
        Raises AppCrash, AppTimeout, AppProtocolError or AppUnreachable.
        """
        raise NotImplementedError

    def upcoming(self) -> tuple[Act, ...] | None:
        """Return the next act of a recorded conversation, if any; None if the app itself answers.

        A player that waits by the clock goes by it in a replay: the log fixes how often it waited.
        """
        return None

    def facts(self) -> AppFacts | None:
        """What the connector knows of the app, and which of its parts this conversation reached.

        Asked once the session is closed, whatever happened in it; None if nothing is known.
        """
        return None


class PageSession(AppSession):
    """A session on a page that somebody else has opened, and keeps."""

    async def narrow(self, scope: object = None, ignored: tuple[object, ...] = ()) -> None:
        """Show only what lies in `scope` and not in what is `ignored`, from now on.

        Both are what the page's library takes: selectors, or its locators. None is the whole page.
        """
        raise NotImplementedError


class AppConnector(Plugin[ConfigT]):
    """Reaches one kind of app. One instance serves the whole run, several cases at once.

    `offers` says what its sessions can do: take texts (`TEXT`), offer choices to press
    (`CHOICES`), show a page (`PAGE`), be opened several at a time for one case (`SESSIONS`).
    A suite whose player needs more is refused before anything runs. What only some connectors can
    do, such as probing the app, is in `sparring.interfaces.abilities`.
    """

    offers: ClassVar[frozenset[Capability]] = frozenset({Capability.TEXT})

    @abstractmethod
    def open(self, case: Case) -> AbstractAsyncContextManager[AppSession]:
        """Open a session of its own for `case`; leaving the context closes it.

        Entering may raise the same AppError types as `AppSession.send`.
        """
