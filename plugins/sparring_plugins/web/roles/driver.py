"""The role ``driver``: acts on a page in plain language for somebody who writes a script.

It is behind `sparring.web`: one instruction at a time, on a page that the script has opened.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Generic, Literal, TypeVar

from pydantic import BaseModel, JsonValue

from sparring.errors import NotDone
from sparring.interfaces.agent import Agent
from sparring.interfaces.app_connector import PageSession
from sparring.interfaces.plugin import ConfigT
from sparring.model.base import AppText, Value
from sparring.model.page import PageView
from sparring.model.talk import GuiAction
from sparring_plugins.web.roles.page_agents import Candidate

SchemaT = TypeVar("SchemaT", bound=BaseModel)


class Suggestion(Value):
    """An act that `observe` found: what it would do, how well it fits (1 is best), and why.

    It can be given to `act`, also after it was stored as JSON: `identity` is the fingerprint of
    what it acts upon, without which nothing is done. `strict` says that plain rules found it.
    """

    description: AppText
    act: GuiAction
    score: float
    reason: AppText = ""
    strict: bool = True
    identity: dict[str, JsonValue] = {}


class Acted(Value):
    """What came of an act: true where it was done, and its effect was seen.

    `outcome` is ``done``; ``inconclusive`` where it was not clear what to do, or nothing shows that
    it was done; ``error`` where the page or the language model broke. `reason` says why. `changes`
    is what is different on the page since. `acts` are the acts in order, `targets` what they acted
    upon in words; `candidates` what else was possible. `cache` tells how a resolved act was found
    again: ``found`` (as it was), ``healed`` (changed, but the same), ``missed`` (resolved anew,
    `missed` says why), None where none was kept. `strict` says that no language model had a part.
    """

    instruction: str
    outcome: Literal["done", "inconclusive", "error"]
    reason: AppText = ""
    changes: tuple[AppText, ...] = ()
    messages: tuple[AppText, ...] = ()
    acts: tuple[GuiAction, ...] = ()
    targets: tuple[AppText, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    facts: tuple[AppText, ...] = ()
    strict: bool = True
    cache: Literal["found", "healed", "missed"] | None = None
    missed: AppText = ""
    url: AppText = ""
    seconds: float = 0.0

    def __bool__(self) -> bool:
        return self.outcome == "done"

    def required(self) -> "Acted":
        """Itself where it was done; raises NotDone with the reason where not."""
        if self.outcome != "done":
            raise NotDone(f"{self.instruction!r} is {self.outcome}: {self.reason}")
        return self


class Held(Value):
    """Whether an assertion holds: true, false, or None for *don't know*. Only true is true."""

    assertion: str
    truth: bool | None
    reason: AppText = ""
    elements: tuple[AppText, ...] = ()
    facts: tuple[AppText, ...] = ()
    strict: bool = True
    error: bool = False

    def __bool__(self) -> bool:
        return self.truth is True

    def required(self) -> "Held":
        """Itself where it holds; AssertionError where it does not, NotDone where nobody knows."""
        if self.truth is None:
            raise NotDone(f"{self.assertion!r} cannot be told: {self.reason}")
        if self.truth is False:
            raise AssertionError(f"{self.assertion}: {self.reason}")
        return self


class Source(Value):
    """Where on the page a value was read: its text there, and the element in words."""

    text: AppText
    element: AppText
    by: AppText = ""
    strict: bool = True


class WantedValue(Value):
    """A value to be read. `path` names its field; in a list, ``*`` stands for the item's number.

    `words` are what the page may call it: the field's name, alias and title.
    """

    path: str
    words: tuple[str, ...]
    description: str = ""
    kind: Literal["text", "number", "yes/no", "other"] = "text"


class ReadTask(Value):
    """What role ``page_reader`` is given: what to read from `view`, and what for."""

    instruction: str
    wanted: tuple[WantedValue, ...]
    view: PageView
    seed: int = 0


class ReadValue(Value):
    """A value that was read: `text` as it stands on the page, in the element with that id.

    `value` is it in the field's form, where that is not the text itself; `item` the place in a
    list, from 0; `by` how it was found.
    """

    path: str
    text: AppText
    element: str
    value: JsonValue = None
    item: int = 0
    by: AppText = ""


class PageReading(Value):
    """Role ``page_reader``: what was found; what is not on the page is left out."""

    found: tuple[ReadValue, ...] = ()
    reason: AppText = ""
    strict: bool = True


@dataclass(frozen=True)
class Extracted(Generic[SchemaT]):
    """What was read from a page: `value` is None where what must be there was not found.

    `sources` has the source of each value by the path of its field (``lines.0.price``), `missing`
    the paths without one. `reason` says why there is no value.
    """

    value: SchemaT | None
    sources: Mapping[str, Source]
    missing: tuple[str, ...] = ()
    reason: str = ""
    error: bool = False

    @property
    def strict(self) -> bool:
        """Whether no language model had a part."""
        return all(one.strict for one in self.sources.values())


@dataclass(frozen=True)
class DriveTask:
    """An instruction for the page of `session`.

    `suggestion` is an act that was observed before. `variables` are the names that stand as
    ``%name%`` in it, with their values where they are no secrets. `cache` is the folder of
    resolved acts; with `heal`, one that is not found again is resolved anew. `timeout_s` is for
    all of it, `patience_s` how long the page may take before the answer is no, both in seconds.
    """

    session: PageSession
    instruction: str
    suggestion: Suggestion | None = None
    variables: Mapping[str, str | None] = field(default_factory=dict[str, str | None])
    cache: Path | None = None
    heal: bool = True
    timeout_s: float = 30.0
    patience_s: float = 2.0
    seed: int = 0


class PageDriver(Agent[DriveTask, Acted, ConfigT]):
    """The role ``driver``. It raises nothing for what a page or a model does."""

    role: ClassVar[str] = "driver"

    @abstractmethod
    async def act(self, task: DriveTask) -> Acted:
        """Carry an instruction or a suggestion out."""

    @abstractmethod
    async def observe(self, task: DriveTask) -> Sequence[Suggestion]:
        """What could be done for an instruction, the best first; for none, all that can be done."""

    @abstractmethod
    async def holds(self, task: DriveTask) -> Held:
        """Whether an assertion holds on the page."""

    @abstractmethod
    async def extract(self, task: DriveTask, schema: type[SchemaT]) -> Extracted[SchemaT]:
        """Read what `schema` asks for from the page."""
