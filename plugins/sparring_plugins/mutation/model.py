"""Mutants of an app: how they are made, and the fate of each."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from pydantic import Field, JsonValue

from sparring.model.base import SCHEMA_VERSION, AppText, Value
from sparring.model.talk import Trace

Place = tuple[str | int, ...]
"""Where something stands in plain data: keys, and indexes from 0."""


@dataclass(frozen=True, slots=True)
class Replace:
    """Put another value at a place; a key that is not there is added to its mapping."""

    at: Place
    value: JsonValue


@dataclass(frozen=True, slots=True)
class Delete:
    """Take a key or an item away."""

    at: Place


@dataclass(frozen=True, slots=True)
class Swap:
    """Exchange two values; with `keys`, instead the order of two keys of one mapping."""

    at: Place
    other: Place
    keys: bool = False


Edit = Replace | Delete | Swap


@dataclass(frozen=True, slots=True)
class Change:
    """One fault for a definition: the file, what is done to it, and that in a few words.

    `target` says where and what, such as ``forms.booking.fields: day and hour swapped``; it
    identifies the mutant together with operator and file, so it should not name what may change
    elsewhere in the definition. Edits are applied one after the other.
    """

    file: str
    target: str
    edits: tuple[Edit, ...]


Definition = Mapping[str, JsonValue]
"""The plain data of each file of a chatbot's definition, by its name relative to the folder."""


@dataclass(frozen=True, slots=True)
class Operator:
    """A kind of fault: `name`, what it does in a line, and where it can be made."""

    name: str
    about: str
    find: Callable[[Definition], Iterable[Change]]


@dataclass(frozen=True, slots=True)
class Mutator:
    """The operators for one kind of definition: entry points of the group ``sparring.mutators``.

    Operators get plain data as YAML files hold it, of any shape: what does not look like the
    definitions they know they pass over. They keep nothing, and find the same changes in the
    same order each time.
    """

    about: str
    operators: tuple[Operator, ...]


@dataclass(frozen=True, slots=True)
class SuiteChange:
    """One fault that is put in by settings of the suite, so that no source of the app is needed.

    `where` is the place in a few words, such as a page's path, and `target` the fault, also in
    words; both together identify the mutant. `settings` are keys of the suite to replace, as
    ``sparring run --set`` takes them.
    """

    where: str
    target: str
    settings: Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True)
class RunOperator:
    """A kind of fault: `name`, what it does in a line, and where it can be made.

    `find` gets what happened when the suite was played against the original.
    """

    name: str
    about: str
    find: Callable[[Sequence[Trace]], Iterable[SuiteChange]]


@dataclass(frozen=True, slots=True)
class Effect:
    """Where a fault showed: the pictures of the original and of the mutant, if there are any.

    Both are paths in the folder of the run that they belong to.
    """

    before: str | None = None
    after: str | None = None


@dataclass(frozen=True, slots=True)
class RunMutator:
    """Operators for running apps: entry points of the group ``sparring.run_mutators``.

    `recording` are the keys of the suite to set while it is played, so that everything is told
    that the operators and the report need. `effect` compares a conversation of the original with
    that of a mutant: None if the fault did not take effect in it. `explain` says of two such
    conversations why the mutant's was passed. Operators find the same changes in the same order
    each time.
    """

    about: str
    recording: Mapping[str, JsonValue]
    operators: tuple[RunOperator, ...]
    effect: Callable[[Trace, Trace], Effect | None]
    explain: Callable[[Trace, Trace], "Survival | None"] | None = None


class Fate(StrEnum):
    """What became of a mutant.

    `KILLED`: a gating check failed that does not fail on the original. `LIVE`: none did.
    `NOTICED`: none did, but one could not be decided that can on the original: the suite does not
    pass, and does not say that the app is wrong either (of mutants of running apps only).
    `EQUIVALENT`: marked as no fault at all, and not killed. `INVALID`: the app did not start.
    `TIMEOUT`: app or suite did not come to an end. `ERROR`: the suite could not judge it.
    """

    KILLED = "killed"
    LIVE = "live"
    NOTICED = "noticed"
    EQUIVALENT = "equivalent"
    INVALID = "invalid"
    TIMEOUT = "timeout"
    ERROR = "error"


class Mutant(Value):
    """A changed definition; `diff` is unified.

    A fault in a running app has `settings` of the suite that put it in, and no `diff`; `file` is
    the page, or the request.
    """

    id: str
    operator: str
    file: str
    target: str
    diff: str
    marked: str | None = Field(default=None, description="why it is marked as equivalent")
    settings: dict[str, JsonValue] = {}


class Killer(Value):
    """A check that failed on a mutant and not on the original."""

    oracle: str
    check: str
    count: int = 1
    case_ids: tuple[str, ...] = ()
    reason: AppText = ""


class SurvivalKind(StrEnum):
    """Why a mutant is live.

    `VACUOUS`: the assertions behind the fault were true before the last act, too. `NOT_COVERED`:
    none of them looks at what the fault changed. `NO_EFFECT`: the fault changed nothing that a
    person can see.
    """

    VACUOUS = "vacuous"
    NOT_COVERED = "not covered"
    NO_EFFECT = "no effect"


class Survival(Value):
    """Why the suite passed a fault that took effect: the kind, and the assertions in question."""

    kind: SurvivalKind
    reason: AppText


class MutantResult(Value):
    """What became of one mutant, by which checks, in how many seconds.

    `noticed` are the checks that could not be decided, and could on the original. `before` and
    `after` are pictures of original and mutant where the fault first showed: paths in the folder.
    `survival` is why a mutant of a running app is live.
    """

    id: str
    fate: Fate
    killers: tuple[Killer, ...] = ()
    noticed: tuple[Killer, ...] = ()
    reason: AppText = ""
    seconds: float = 0.0
    before: str | None = None
    after: str | None = None
    survival: Survival | None = None


class Vacuous(Value):
    """An assertion that says little: it was true before the last action, or everywhere."""

    check: str
    case_ids: tuple[str, ...]
    why: AppText


class OriginalResult(Value):
    """The original app: `failing` are the gating checks that fail on it, all of them known.

    `vacuous` are the checks that passed on it and that their oracle marked as proving little.
    """

    failing: tuple[Killer, ...] = ()
    cases: int = 0
    failed_cases: int = 0
    seconds: float = 0.0
    vacuous: tuple[Vacuous, ...] = ()


class MutationRun(Value):
    """A mutation run as it is stored, and reported as JSON.

    `found` is how many mutants the operators offer, of which `mutants` were chosen. `score` is the
    share of killed ones among killed, noticed and live ones, None if there are none;
    `complete` is false
    if mutants are left to run. With `first_kill` a mutant was stopped at the first conversation
    that failed, so its other killers are not known.
    """

    schema_version: int = SCHEMA_VERSION
    kind: str = "mutation"
    id: str
    name: str
    created: datetime
    seed: int
    suite_path: str
    plan_path: str
    inputs: dict[str, str] = {}
    versions: dict[str, str] = {}
    found: int = 0
    mutants: tuple[Mutant, ...] = ()
    original: OriginalResult | None = None
    results: tuple[MutantResult, ...] = ()
    checks: tuple[str, ...] = ()
    score: float | None = None
    complete: bool = False
    first_kill: bool = False
    warnings: tuple[str, ...] = ()
