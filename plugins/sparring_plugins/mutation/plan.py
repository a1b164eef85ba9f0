"""The mutation file: what is changed, how the app is started, which operators, how many."""

import shlex
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, cast

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from sparring.documents import reading
from sparring.documents.checking import checked
from sparring.errors import ConfigurationError, Problem

NAMES = ("mutation.yaml", "mutation.yml")
WEB_NAMES = ("web-mutation.yaml", "web-mutation.yml")


class AppStart(BaseModel):
    """How the app is started from a folder with its definition.

    In every text ``{folder}`` stands for the folder of the mutant, ``{port}`` for a free port,
    ``{here}`` for the folder of the mutation file, ``{python}`` for this Python; no shell is
    asked. The app is ready when `ready` answers with a status below 500, or without `ready`, when
    the port takes connections.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    command: tuple[str, ...] = Field(min_length=1, description="as a list, or as one text")
    prepare: tuple[str, ...] = Field(
        default=(), description="a command that must end well before the app is started"
    )
    ready: str | None = Field(default=None, description="an address that answers when it is up")
    within: float = Field(default=30.0, gt=0, description="seconds until it has to be ready")
    prepare_within: float = Field(default=600.0, gt=0, description="seconds for `prepare`")
    stop_within: float = Field(default=5.0, gt=0, description="seconds to stop before it is killed")
    env: dict[str, str] = Field(
        default={}, description="environment variables, of the app and of the suite"
    )

    @field_validator("command", "prepare", mode="before")
    @classmethod
    def _split(cls, value: Any) -> Any:
        return shlex.split(value) if isinstance(value, str) else value


class MutatorUse(BaseModel):
    """A mutator and which of its operators are used: all, `only` some, or all but some."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    use: str
    only: tuple[str, ...] = ()
    but: tuple[str, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _short_form(cls, value: Any) -> Any:
        return {"use": value} if isinstance(value, str) else value


class Marked(BaseModel):
    """A mutant that is marked as equivalent: its id, and why it is no fault."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    mutant: str
    why: str = Field(min_length=1)


class PlanBase(BaseModel):
    """What mutation files of all kinds have in common."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    suite: str = Field(default="suite.yaml", description="the suite, if the command names none")
    beside: tuple[str, ...] = Field(
        default=(), description="other files that the app needs in its folder"
    )
    set: dict[str, Any] = Field(
        default={}, description="keys of the suite to replace, such as app.url; with {port}"
    )
    limit: int | None = Field(default=None, gt=0, description="mutants at most, of all operators")
    per_operator: int | None = Field(default=None, gt=0, description="mutants at most, of each")
    seed: int = Field(default=0, ge=0, description="the same seed chooses the same mutants")
    timeout: float | None = Field(
        default=None, gt=0, description="seconds a mutant may take; else five times the original"
    )
    jobs: int = Field(default=2, ge=1, le=64, description="mutants side by side")
    first_kill: bool = Field(
        default=False,
        description="stop a mutant's conversations at the first that fails; other checks that "
        "would find it, too, are then not known",
    )
    known: tuple[str, ...] = Field(
        default=(), description="checks that fail on the original, as its known weak spots"
    )
    ignore: tuple[str, ...] = Field(
        default=(),
        description="checks that kill nothing, such as of response times, which also fail on a "
        "busy machine",
    )
    equivalent: str | tuple[Marked, ...] | None = Field(
        default=None,
        description="mutants that are no faults, each with `mutant` and `why`; or a file of them",
    )

    @field_validator("beside", mode="before")
    @classmethod
    def _as_list(cls, value: Any) -> Any:
        return (value,) if isinstance(value, str) else value


class MutationPlan(PlanBase):
    """A mutation file. Paths start from its folder."""

    definition: tuple[str, ...] = Field(
        min_length=1, description="the YAML files that operators change: paths or patterns"
    )
    app: AppStart
    operators: tuple[MutatorUse, ...] = Field(min_length=1)

    @field_validator("definition", mode="before")
    @classmethod
    def _all_listed(cls, value: Any) -> Any:
        return (value,) if isinstance(value, str) else value


class WebPlan(PlanBase):
    """The mutation file of a web app: everything in it may be left out, and so may the file.

    Without `app` the suite is played against the app that it names, which has to be running; one
    mutant at a time then, since all share its data.
    """

    app: AppStart | None = None
    operators: tuple[MutatorUse, ...] = Field(
        default=(), description="all that are installed, if left out"
    )


AnyPlan = MutationPlan | WebPlan
Plan = TypeVar("Plan", MutationPlan, WebPlan)


def find_plan(suite: Path) -> Path:
    """The mutation file beside a suite; raises ConfigurationError."""
    folder = suite if suite.is_dir() else suite.parent
    for name in NAMES:
        if (folder / name).is_file():
            return folder / name
    raise ConfigurationError(
        f"no {NAMES[0]} lies beside the suite in {folder}; write one, or name it with --plan"
    )


def load_plan(path: Path, changes: Mapping[str, Any]) -> MutationPlan:
    """Read a mutation file, with some keys replaced; raises ConfigurationError."""
    return _load(MutationPlan, path, changes)


def load_web_plan(path: Path | None, changes: Mapping[str, Any]) -> WebPlan:
    """Read the mutation file of a web app, if there is one; raises ConfigurationError."""
    return WebPlan(**changes) if path is None else _load(WebPlan, path, changes)


def find_web_plan(suite: Path) -> Path | None:
    """The mutation file for `--web` beside a suite, or None if there is none."""
    folder = suite if suite.is_dir() else suite.parent
    return next((folder / name for name in WEB_NAMES if (folder / name).is_file()), None)


def _load(model: type[Plan], path: Path, changes: Mapping[str, Any]) -> Plan:
    document = reading.read_document(path)
    data: Any = document.data if document.data is not None else {}
    if isinstance(data, dict):
        data = {**cast("dict[str, Any]", data), **changes}
    plan = checked(model, document, data=data)
    try:
        _try_placeholders(path, plan)
    except (KeyError, ValueError, IndexError) as err:
        message = f"unknown placeholder {err}; known: {{folder}}, {{port}}, {{here}}, {{python}}"
        raise ConfigurationError(document.problem(message, ("app",))) from err
    return plan


def _try_placeholders(path: Path, plan: AnyPlan) -> None:
    app, places = plan.app, Places(path, 1, path)
    if app is not None:
        places.texts((*app.command, *app.prepare, app.ready or ""))
        places.data([app.env, plan.set])


@dataclass(frozen=True, slots=True)
class Places:
    """What the placeholders of a plan stand for; doubled braces stand for braces.

    Its methods raise KeyError, IndexError or ValueError for other placeholders.
    """

    folder: Path
    port: int
    here: Path

    def text(self, text: str) -> str:
        """A text with its placeholders replaced."""
        values = {"folder": self.folder, "port": self.port, "here": self.here}
        return text.format_map({**values, "python": sys.executable})

    def texts(self, texts: Iterable[str]) -> list[str]:
        """Texts with their placeholders replaced."""
        return [self.text(text) for text in texts]

    def data(self, value: Any) -> Any:
        """Plain data with the placeholders in all its texts replaced."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self.data(item) for item in cast("list[Any]", value)]
        if isinstance(value, dict):
            items = cast("dict[Any, Any]", value)
            return {key: self.data(item) for key, item in items.items()}
        return value


def load_marked(plan: PlanBase, here: Path) -> dict[str, str]:
    """The mutants marked as equivalent, each with the reason; raises ConfigurationError."""
    if isinstance(plan.equivalent, str):
        return _by_name(_marked_in(here / plan.equivalent))
    return _by_name((marked, None) for marked in plan.equivalent or ())


def _marked_in(path: Path) -> Iterator[tuple[Marked, Problem | None]]:
    """The marks of a file, each with where it stands."""
    document = reading.read_document(path)
    data: Any = document.data if document.data is not None else []
    if not isinstance(data, list):
        raise ConfigurationError(document.problem("expected a list of mutants"))
    for index in range(len(cast("list[Any]", data))):
        where = Problem("", document.file, document.line((index,)))
        yield checked(Marked, document, (index,)), where


def _by_name(marks: Iterable[tuple[Marked, Problem | None]]) -> dict[str, str]:
    names: dict[str, str] = {}
    for marked, where in marks:
        if marked.mutant in names:
            problem = f"the mutant {marked.mutant!r} is marked twice"
            at = where or Problem("", key="equivalent")
            raise ConfigurationError(Problem(problem, at.file, at.line, at.key))
        names[marked.mutant] = marked.why
    return names
