"""The conversations of examples: written down beside them, in a file, or in a stored run."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from sparring.discovery import hooks
from sparring.documents import reading
from sparring.documents.checking import checked, nearest, shown
from sparring.documents.reading import Document, Key
from sparring.errors import ConfigurationError, Problem, StoredRunError
from sparring.model.case import Case
from sparring.model.talk import Ended, Listen, Observation, Output, Say, Trace, Turn
from sparring.store import StoredRun, find_run
from sparring.suite.building import SuiteContext

_USER = frozenset({"user", "User"})
_APP = frozenset({"app", "assistant", "Assistant", "chatbot"})
_EPOCH = datetime.fromtimestamp(0, UTC)


class WrittenConversation(BaseModel):
    """A conversation written down: its turns, and what rules may want to know besides.

    A turn is a map of one key, ``user: TEXT`` or ``app: TEXT``, or a whole turn as the run log has
    it. `inputs` are the case's values, `outputs` what was learnt, both by name.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    turns: list[dict[str, JsonValue]]
    inputs: dict[str, JsonValue] = {}
    outputs: dict[str, JsonValue] = {}
    meta: dict[str, JsonValue] = {}
    ended: Ended = Ended.SCRIPT_DONE
    seconds: float = Field(default=0.0, ge=0)


class StoredConversation(BaseModel):
    """A conversation of a stored run: the run's folder or id, and the case."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    run: str
    case: str


class Conversations:
    """Finds conversations; relative paths start from the calibration's folder."""

    def __init__(self, context: SuiteContext, runs: Path, listeners: hooks.Listeners) -> None:
        self._context = context
        self._runs = runs
        self._listeners = listeners
        self._stored: dict[str, StoredRun] = {}

    def find(self, value: Any, document: Document, at: tuple[Key, ...], name: str) -> Trace:
        """The conversation that `value`, at a place of a document, says.

        Raises ConfigurationError.
        """
        try:
            if isinstance(value, str):
                return self._in_file(value)
            if isinstance(value, list):
                return self._written({"turns": value}, document, at, name)
            if isinstance(value, dict):
                data = cast("dict[str, Any]", value)
                if "run" in data:
                    return self._in_run(checked(StoredConversation, document, at, data=data))
                return self._written(data, document, at, name)
        except ConfigurationError as err:
            placed = (p if p.file else document.problem(p.message, at) for p in err.problems)
            raise ConfigurationError(*placed) from err
        message = f"expected a file, a list of turns or a map, found {shown(value)}"
        raise ConfigurationError(document.problem(message, at))

    def _written(
        self, data: Mapping[str, Any], document: Document, at: tuple[Key, ...], name: str
    ) -> Trace:
        found = checked(WrittenConversation, document, at, data=dict(data))
        case = Case.of(name, found.inputs, run_seed=0)
        inside = at if isinstance(_at(document, at), list) else (*at, "turns")
        return Trace(
            case=case.model_copy(update={"id": name}),
            turns=tuple(turns_of(found.turns, document, inside)),
            outputs=tuple(Output(name=key, value=item) for key, item in found.outputs.items()),
            ended=found.ended,
            started=_EPOCH,
            duration_s=found.seconds,
            meta=found.meta,
        )

    def _in_file(self, text: str) -> Trace:
        (path, *more) = self._context.files(text)
        if more:
            raise ConfigurationError(f"{text!r} names {1 + len(more)} files; name one")
        listened: Iterable[Trace | Problem] | None = self._listeners.first(
            "sparring_read_traces", path=path
        )
        if listened is not None:
            return _only(list(listened), text)
        document = reading.read(path, shown=text)
        data: Any = document.data
        if isinstance(data, dict) and "case" in data:
            return checked(Trace, document)
        return self.find(data if data is not None else [], document, (), path.stem)

    def _in_run(self, place: StoredConversation) -> Trace:
        if place.run not in self._stored:
            near = self._context.base_dir / place.run
            try:
                self._stored[place.run] = find_run(
                    str(near) if near.is_dir() else place.run, self._runs
                )
            except (StoredRunError, OSError, ValueError) as err:
                raise ConfigurationError(str(err)) from err
        stored = self._stored[place.run]
        try:
            return stored.case(place.case).trace
        except KeyError:
            hint = nearest(place.case, stored.case_ids[:50])
            message = f"the run {place.run!r} has no case {place.case!r}.{hint}"
            raise ConfigurationError(message) from None
        except StoredRunError as err:
            raise ConfigurationError(str(err)) from err


def _at(document: Document, at: tuple[Key, ...]) -> Any:
    data: Any = document.data
    for key in at:
        data = data[key]
    return data


def _only(found: list[Trace | Problem], text: str) -> Trace:
    problems = [item for item in found if isinstance(item, Problem)]
    traces = [item for item in found if isinstance(item, Trace)]
    if problems:
        raise ConfigurationError(*problems)
    if len(traces) != 1:
        raise ConfigurationError(f"{text!r} holds {len(traces)} conversations; name one")
    return traces[0]


def turns_of(written: list[Any], document: Document, at: tuple[Key, ...]) -> Iterable[Turn]:
    """Turns as people write them; raises ConfigurationError."""
    waiting: str | None = None
    for index, item in enumerate(written):
        place = (*at, index)
        data = cast("dict[str, Any]", item) if isinstance(item, dict) else {}
        speakers = [key for key in data if key in _USER | _APP]
        if len(speakers) == 1 and len(data) == 1:
            text = data[speakers[0]]
            if not isinstance(text, str):
                message = f"expected a text, found {shown(text)}"
                raise ConfigurationError(document.problem(message, (*place, speakers[0])))
            if speakers[0] in _USER:
                if waiting is not None:
                    yield Turn(act=Say(text=waiting))
                waiting = text
                continue
            act = Listen() if waiting is None else Say(text=waiting)
            yield Turn(act=act, observation=Observation(text=text))
            waiting = None
            continue
        if waiting is not None:
            yield Turn(act=Say(text=waiting))
            waiting = None
        if "act" not in data:
            message = (
                f"expected `user: TEXT`, `app: TEXT` or a turn with `act`, found {shown(item)}"
            )
            raise ConfigurationError(document.problem(message, place))
        yield checked(Turn, document, place, data=data)
    if waiting is not None:
        yield Turn(act=Say(text=waiting))
