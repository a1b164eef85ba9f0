"""The typed tasks and answers of the roles that test or drive a page.

Navigator, readiness and assertion follow Algorithm 1 of Salva and Taguelmimt, with three values
instead of two: an agent that does not know returns None and gives the reason. The driver is behind
`sparring.web`: one instruction at a time, on a page that the script has opened. The page reader
finds values on a page for it.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import ClassVar, Generic, Literal, TypeVar

from pydantic import BaseModel, Field, JsonValue

from sparring.errors import ActionError
from sparring.interfaces.agent import Agent
from sparring.interfaces.app_connector import PageSession
from sparring.interfaces.plugin import ConfigT
from sparring.model.base import AppText, Value
from sparring.model.page import PageView
from sparring.model.talk import GuiAction
from sparring.model.verdict import Owner
from sparring_plugins.web.step import Reading, Step


def _is_none(value: object) -> bool:
    return value is None


def _is_empty(value: object) -> bool:
    return value == ""


class Candidate(Value):
    """An element that a step may mean, by its id, with how well it fits (1 is best) and why."""

    element: str
    score: float
    reason: str = ""


class PageTask(Value):
    """The task of navigator, readiness and assertion.

    `reading` is the reading of `step` to go by. `before` are the views of the steps before, the
    latest last, `view` what is on the page now; `done` are the steps carried out so far and `acts`
    what was done for them. `variables` are the names whose values are never
    shown; a text holds them as ``%name%``.

    `sentence` is the whole sentence that `step` is a part of, as it is written. `tried` is what was
    already done for the step, with what came of it, and `following` are the next steps: a dialog
    must be answered before it comes. `today` is the day that "tomorrow" counts from, if it is not
    the machine's.
    """

    step: Step
    reading: Reading | None
    view: PageView
    before: tuple[PageView, ...] = ()
    done: tuple[Step, ...] = ()
    acts: tuple[GuiAction, ...] = ()
    variables: tuple[str, ...] = ()
    seed: int = 0
    sentence: str = ""
    tried: tuple[AppText, ...] = ()
    following: tuple[str, ...] = ()
    today: date | None = None


class Judged(Value):
    """Roles ``readiness`` and ``assertion``: true, false, or None for *don't know*.

    `elements` are the ids of the elements that show it, `facts` are for people to read. `strict`
    means that plain rules decided and no language model. `weak` says what is weaker than an exact
    match in an answer that rests on one: other capitals, another kind of control. `owner` is who
    has to act on an answer that is not true, if it is not the author of the test case: a model may
    have returned nothing usable, or a server an error instead of a page.
    """

    truth: bool | None = None
    reason: AppText = ""
    elements: tuple[str, ...] = ()
    facts: tuple[AppText, ...] = ()
    strict: bool = True
    weak: AppText = Field(default="", exclude_if=_is_empty)
    owner: Owner | None = Field(default=None, exclude_if=_is_none)


class Navigation(Value):
    """Role ``navigator``: the acts that carry the step out on this page; none if it does not know.

    `candidates` are the elements that fit, best first; if several fit equally well they have
    the same score, and `acts` is empty. `accomplished` is the agent's own opinion of its
    success: true also if nothing is left to be done, None for *unknown*. `rest` is what is left of
    the step after the acts, on the page that then comes; empty if nothing is. `quote` is the text
    that shows that nothing has to be done. `weak` and `owner` are as in `Judged`, the latter for a
    navigation without acts.
    """

    acts: tuple[GuiAction, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    reason: AppText = ""
    facts: tuple[AppText, ...] = ()
    accomplished: bool | None = None
    rest: AppText = ""
    quote: AppText = Field(default="", exclude_if=_is_empty)
    strict: bool = True
    weak: AppText = Field(default="", exclude_if=_is_empty)
    owner: Owner | None = Field(default=None, exclude_if=_is_none)


SchemaT = TypeVar("SchemaT", bound=BaseModel)


class Suggestion(Value):
    """An act that `observe` proposes: what it would do, how well it fits (1 is best), and why.

    It can be passed to `act`, also after it was stored as JSON: `identity` is the fingerprint of
    what it acts upon, without which nothing is done. `strict` means that plain rules proposed it.
    """

    description: AppText
    act: GuiAction
    score: float
    reason: AppText = ""
    strict: bool = True
    identity: dict[str, JsonValue] = {}

    def with_value(self, value: str) -> "Suggestion":
        """Return the same act with another value: the text for a field, the option of a list."""
        return self.model_copy(update={"act": self.act.model_copy(update={"value": value})})


class ActResult(Value):
    """The result of an act: true if it was done and its effect was seen.

    `outcome` is ``done``; ``inconclusive`` if it was not clear what to do, or nothing shows that
    it was done; ``error`` if the page or the language model broke. `reason` says why. `changes`
    is what is different on the page since, `problems` what broke (errors of scripts, failed
    requests, answers with an error). `acts` are the acts in order, `targets` what they acted
    upon in words; `candidates` what else was possible. `cache` is how a resolved act was found
    again: ``found`` (as it was), ``healed`` (changed, but the same), ``missed`` (resolved anew,
    `missed` says why), None if none was kept. `strict` means that no language model was asked.
    """

    instruction: str
    outcome: Literal["done", "inconclusive", "error"]
    reason: AppText = ""
    changes: tuple[AppText, ...] = ()
    messages: tuple[AppText, ...] = ()
    problems: tuple[AppText, ...] = ()
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

    def required(self) -> "ActResult":
        """Return the result itself; raises `ActionError` with the reason if it was not done."""
        if self.outcome != "done":
            raise ActionError(f"{self.instruction!r} is {self.outcome}: {self.reason}")
        return self


class AssertionResult(Value):
    """Whether an assertion holds: true, false, or None for *don't know*, which counts as false."""

    assertion: str
    truth: bool | None
    reason: AppText = ""
    elements: tuple[AppText, ...] = ()
    facts: tuple[AppText, ...] = ()
    strict: bool = True
    error: bool = False

    def __bool__(self) -> bool:
        return self.truth is True

    def required(self) -> "AssertionResult":
        """Return the result itself.

        Raises `AssertionError` if the assertion is false, `ActionError` if nobody knows.
        """
        if self.truth is None:
            raise ActionError(f"{self.assertion!r} cannot be told: {self.reason}")
        if self.truth is False:
            raise AssertionError(f"{self.assertion}: {self.reason}")
        return self


class Source(Value):
    """The place on the page from which a value was read: its text there, the element in words."""

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
    """The task of role ``page_reader``: what to read from `view`, and what for."""

    instruction: str
    wanted: tuple[WantedValue, ...]
    view: PageView
    seed: int = 0


class ReadValue(Value):
    """A value that was read: `text` as it stands on the page, in the element with that id.

    `value` is the value in the field's form if that is not the text itself, `item` its index in a
    list, `by` how it was found.
    """

    path: str
    text: AppText
    element: str
    value: JsonValue = None
    item: int = 0
    by: AppText = ""


class PageReading(Value):
    """Role ``page_reader``: the values that are on the page; the others are left out."""

    found: tuple[ReadValue, ...] = ()
    reason: AppText = ""
    strict: bool = True


@dataclass(frozen=True)
class Extracted(Generic[SchemaT]):
    """What was read from a page: `value` is None if something required is missing.

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
        """Whether all values were read without a language model."""
        return all(source.strict for source in self.sources.values())


@dataclass(frozen=True)
class DriveTask:
    """An instruction for the page of `session`.

    `suggestion` is an act that was observed before. `variables` are the names that stand as
    ``%name%`` in it, with their values unless they are secrets. `cache` is the folder of
    resolved acts; with `heal`, one that is not found again is resolved anew. `timeout_s` is for
    the whole task, `patience_s` how long the page may take before the answer is no, in seconds.
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


class PageDriver(Agent[DriveTask, ActResult, ConfigT]):
    """The role ``driver``. It never raises for what a page or a model does."""

    role: ClassVar[str] = "driver"

    @abstractmethod
    async def act(self, task: DriveTask) -> ActResult:
        """Carry out an instruction or a suggestion."""

    @abstractmethod
    async def observe(self, task: DriveTask) -> Sequence[Suggestion]:
        """Return the acts that fit an instruction, best first; all possible ones if it is empty."""

    @abstractmethod
    async def holds(self, task: DriveTask) -> AssertionResult:
        """Return whether an assertion holds on the page."""

    @abstractmethod
    async def extract(self, task: DriveTask, schema: type[SchemaT]) -> Extracted[SchemaT]:
        """Read what `schema` asks for from the page."""
