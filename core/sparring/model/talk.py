"""A conversation with an app: acts, observations, turns, and the trace of all of them."""

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from enum import StrEnum
from typing import Annotated, Any, Literal, cast

from pydantic import (
    BeforeValidator,
    Field,
    JsonValue,
    SerializationInfo,
    SerializerFunctionWrapHandler,
    WrapSerializer,
    model_serializer,
    model_validator,
)

from sparring.model.base import SCHEMA_VERSION, AppText, Value, storable
from sparring.model.case import Case
from sparring.model.page import Element, PageView
from sparring.model.verdict import Owner

LINES = "lines"
"""The kind of parts that are lines of source files: ``file:1-4,9``."""


class Parts(Value):
    """The parts of an app of one kind, such as its intents.

    `whole` are all, `reached` those that a conversation came to. Lines of source files (kind
    ``lines``) stand as ranges: ``main.py:1-4,9``.
    """

    kind: str
    reached: tuple[AppText, ...] = ()
    whole: tuple[AppText, ...] = ()


class AppFacts(Value):
    """What a connector told of the app under test once a conversation was over.

    `permissions` are those that the app declares, `notes` what keeps something from being told.
    `utterances` are examples (part, words) of what it understands, `openings` requests that open it
    without a launch; neither is stored.
    """

    name: AppText = ""
    category: AppText = ""
    permissions: tuple[AppText, ...] = ()
    parts: tuple[Parts, ...] = ()
    notes: tuple[AppText, ...] = ()
    utterances: tuple[tuple[str, AppText], ...] = Field(default=(), exclude=True)
    openings: tuple[AppText, ...] = Field(default=(), exclude=True)


def line_ranges(file: str, lines: Iterable[int]) -> str:
    """Lines of a file, counted from 1, as one text: ``main.py:1-4,9``."""
    ranges: list[list[int]] = []
    for line in sorted(set(lines)):
        if ranges and line == ranges[-1][1] + 1:
            ranges[-1][1] = line
        else:
            ranges.append([line, line])
    shown = (f"{first}" if first == last else f"{first}-{last}" for first, last in ranges)
    return f"{file}:{','.join(shown)}"


def _is_none(value: object) -> bool:
    return value is None


def _is_zero(value: object) -> bool:
    return value == 0


class Say(Value):
    """Say or type a text.

    `meant` is what the user means by it in plain words, if it says it in another way: with
    spelling mistakes, say, or wordily. It is empty if the text serves no goal of the user's.
    The app is sent the text alone.
    """

    kind: Literal["say"] = "say"
    text: AppText
    meant: AppText | None = Field(default=None, exclude_if=_is_none)


class Press(Value):
    """Press a choice that the app offered; `value` is what the app is sent for it."""

    kind: Literal["press"] = "press"
    label: AppText
    value: AppText | None = None


class Listen(Value):
    """Say nothing and take what the app says of its own accord, such as its greeting."""

    kind: Literal["listen"] = "listen"


class GuiAction(Value):
    """Do something on a page: `action` is for example ``click`` or ``fill``.

    `target` and `destination` (of a drag) are ids of elements of the latest snapshot; `described`
    says in words what the target is. A `value` holds variables as ``%name%``, which only the
    connector replaces.
    """

    kind: Literal["gui"] = "gui"
    action: str
    target: str | None = None
    value: JsonValue = None
    destination: str | None = Field(default=None, exclude_if=_is_none)
    described: AppText | None = Field(default=None, exclude_if=_is_none)


Act = Annotated[Say | Press | Listen | GuiAction, Field(discriminator="kind")]


def act_text(act: Act) -> str:
    """What a person sees the user do in this act; empty for listening."""
    match act:
        case Say():
            return act.text
        case Press():
            return act.label
        case GuiAction():
            shown = "" if act.value is None else f" {act.value!r}"
            return f"{act.action} {act.described or act.target or ''}{shown}".strip()
        case Listen():
            return ""


def meant_by(act: Act) -> str:
    """What the user means by an act, in plain words: what it says, unless the act tells more."""
    if isinstance(act, Say) and act.meant is not None:
        return act.meant
    return act_text(act)


class Choice(Value):
    """Something the app offers to press: a button, or a link when `url` is set."""

    label: AppText
    value: AppText | None = None
    url: AppText | None = None


class Attachment(Value):
    """A picture, file, card or sound in an answer, described rather than stored."""

    media_type: AppText
    url: AppText | None = None
    description: AppText = ""


class Observation(Value):
    """What the app answered to one act.

    `text` joins the app's messages with line feeds; `payload` is the structured answer
    if there is one; `ended` says that the app closed the conversation. `page` is what a
    page shows, if the app is one.
    """

    text: AppText = ""
    choices: tuple[Choice, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    payload: Annotated[JsonValue, BeforeValidator(storable)] = None
    ended: bool = False
    page: PageView | None = Field(default=None, exclude_if=_is_none)


class Turn(Value):
    """An act and what came of it.

    `observation` is None if the app gave none (time-out, crash). `started_s` is in
    seconds since the trace began, `latency_s` how long the app took, in seconds. `starved_s` is
    for how many of these seconds the machine gave Sparring no processor time: a latency with a
    large share of it says nothing of the app.
    """

    act: Act
    observation: Observation | None = None
    started_s: float = 0.0
    latency_s: float = 0.0
    starved_s: float = Field(default=0.0, exclude_if=_is_zero)


class IncidentKind(StrEnum):
    """What kind of thing went wrong while a case was played.

    ``PLAYER_ERROR`` and ``CONNECTOR_ERROR`` are exceptions or wrong return values of these parts,
    ``MODEL_ERROR`` is a failure of a language model behind the player, ``ENVIRONMENT`` a failure
    of the machine (a port in use, a missing program), and ``MACHINE_BUSY`` a time-out while the
    machine gave Sparring no processor time: none of them is the app's. A case is ``UNRESOLVED``,
    and was not played, if nobody knows a value that it needs, and has ``NO_ANSWER`` if a model
    gave no usable one and the suite leaves such cases open.
    """

    CRASH = "crash"
    TIMEOUT = "timeout"
    PROTOCOL = "protocol"
    UNREACHABLE = "unreachable"
    LOOP = "loop"
    GOAL_NOT_REACHED = "goal_not_reached"
    PLAYER_ERROR = "player_error"
    CONNECTOR_ERROR = "connector_error"
    ENVIRONMENT = "environment"
    MACHINE_BUSY = "machine_busy"
    MODEL_ERROR = "model_error"
    NO_ANSWER = "no_answer"
    CASE_TIMEOUT = "case_timeout"
    UNRESOLVED = "unresolved"


class Incident(Value):
    """Something that went wrong during play; `turn` is the 0-based turn where it did."""

    kind: IncidentKind
    message: AppText
    owner: Owner
    turn: int | None = None


class ModelFallback(Value):
    """A model's answer stayed unusable for `reason`, and the agent `instead` answered for it.

    `role` is the one that was to answer, `turn` the 0-based turn that came next.
    """

    role: str
    instead: str
    reason: AppText
    turn: int | None = None


class Output(Value):
    """A value learnt from the conversation, as declared by the author.

    `value` is None if it was not found; a date is its ISO text once it was stored (a text
    never becomes a date: ``"0"`` stays what the app said). `type` is the declared type (money,
    date, time, int, float, str, email, phone ...); `turn` the 0-based turn it was read from.
    `unread` says why nobody could look for the value: a rule that needs it is inconclusive.
    """

    name: str
    value: Annotated[JsonValue | date, Field(union_mode="left_to_right")] = None
    type: str = "str"
    description: str = ""
    turn: int | None = None
    unread: AppText | None = Field(default=None, exclude_if=_is_none)


class Artifact(Value):
    """A file that a part left in the run's folder; `path` is relative to that folder."""

    name: str
    media_type: str
    path: str


class Ended(StrEnum):
    """Why a conversation ended."""

    GOALS_REACHED = "goals_reached"
    USER_LEFT = "user_left"
    APP_ENDED = "app_ended"
    TURN_LIMIT = "turn_limit"
    COST_LIMIT = "cost_limit"
    LOOP = "loop"
    INCIDENT = "incident"
    SCRIPT_DONE = "script_done"


class Trace(Value):
    """Everything that happened while one case was played.

    `meta` holds what the player wants oracles and reports to know: for simulated users the
    keys ``profile``, ``language``, ``role``, ``context``, ``goals``, ``conversation``,
    ``goals_met``, ``goals_unmet`` and, if they were checked, ``goal_checks``; ``singles`` names
    the inputs with a single value that are lists in `inputs`; ``revised``
    has the values that the user put in the place of the case's own, by variable, and ``cost_usd``
    what the answers of models behind user, checker and extractor were worth, if it is known.
    `app` is what the connector told of the app, if it tells anything. `fallbacks` says for which
    unusable answers of models an agent that asks none answered.
    """

    schema_version: int = SCHEMA_VERSION
    case: Case
    turns: tuple[Turn, ...] = ()
    outputs: tuple[Output, ...] = ()
    incidents: tuple[Incident, ...] = ()
    artifacts: tuple[Artifact, ...] = ()
    ended: Ended
    started: datetime
    duration_s: float = 0.0
    meta: dict[str, JsonValue] = {}
    app: AppFacts | None = Field(default=None, exclude_if=_is_none)
    fallbacks: tuple[ModelFallback, ...] = Field(default=(), exclude_if=lambda items: not items)

    @model_serializer(mode="wrap")
    def _store_pages_once(
        self, handler: SerializerFunctionWrapHandler, info: SerializationInfo
    ) -> dict[str, Any]:
        data: dict[str, Any] = handler(self)
        if info.mode == "json":
            compact(data.get("turns") or ())
        return data

    @model_validator(mode="before")
    @classmethod
    def _read_pages(cls, data: Any) -> Any:
        if isinstance(data, dict):
            turns: Any = cast("dict[str, Any]", data).get("turns")
            if isinstance(turns, list):
                expand(cast("list[Any]", turns))
        return cast("Any", data)

    @property
    def inputs(self) -> dict[str, JsonValue]:
        """The values that the user wanted in the end: the case's, but for those it revised.

        What `meta` names under ``singles`` is a list of one here: an input that other strategies
        give several values.
        """
        revised = self.meta.get("revised")
        values = {**self.case.params, **(revised if isinstance(revised, dict) else {})}
        singles = self.meta.get("singles")
        for name in singles if isinstance(singles, list) else ():
            if isinstance(name, str) and name in values and not isinstance(values[name], list):
                values[name] = [values[name]]
        return values


def _omit_elements(turn: Turn, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
    data: dict[str, Any] = handler(turn)
    if turn.observation is not None and turn.observation.page is not None:
        data["observation"]["page"]["snapshot"]["elements"] = []
    return data


TurnWithoutElements = Annotated[Turn, WrapSerializer(_omit_elements, when_used="json")]
"""A turn that is stored without the elements of its page, which the trace has."""


# What breaks a conversation off: what it came to after that is unknown.

_OF_TALK = frozenset({IncidentKind.LOOP, IncidentKind.GOAL_NOT_REACHED})
"""What a conversation that went on to its own end may have: oracles judge these."""


def breaking_incidents(trace: Trace) -> list[Incident]:
    """Return the incidents that keep a conversation from having been played to its end."""
    return [incident for incident in trace.incidents if incident.kind not in _OF_TALK]


def cutting_incident(trace: Trace) -> Incident | None:
    """Return what cut a conversation off that is not the app's doing, or `None`.

    Of several incidents the last one counts. If the app crashed and the player broke because of
    that, the first incident is the app's, but what is missing after it says nothing of the app.
    """
    if trace.ended is not Ended.INCIDENT:
        return None
    last = next(reversed(breaking_incidents(trace)), None)
    return None if last is None or last.owner is Owner.APP else last


def broken_off(trace: Trace) -> Incident | None:
    """Return what broke a conversation off that was not the app's doing, or None.

    The rest of the talk is unknown then: a price that was not said yet may have been said later. A
    loop or a goal that was not reached is what a conversation came to, and breaks none off.
    """
    foreign = (
        incident for incident in breaking_incidents(trace) if incident.owner is not Owner.APP
    )
    return next(foreign, None)


def first_breaking(trace: Trace) -> Incident | None:
    """Return the first incident that broke a conversation off, also if none was noted for it."""
    breaking = breaking_incidents(trace)
    if breaking or trace.ended is not Ended.INCIDENT:
        return next(iter(breaking), None)
    if trace.incidents:
        return trace.incidents[0]
    message = "the conversation was broken off, and no incident says by what"
    return Incident(kind=IncidentKind.PLAYER_ERROR, message=message, owner=Owner.TOOL)


# How the pages of a conversation are stored: each element once, whatever shows it again.
#
# A page is stored as a list of its elements. An entry is an element with what is not the default,
# or a run of the elements of the page before: ``[first, count]``, ``[first, count, dy]`` if they
# moved down by `dy` pixels, ``[first, count, dy, document]`` if a new document shows the same.
# Waits for a page that stays the same so take a few bytes, and a new page what is new on it.

_DEFAULTS: Mapping[str, Any] = {
    name: json.loads(json.dumps(field.get_default(call_default_factory=True)))
    for name, field in Element.model_fields.items()
    if not field.is_required()
}


def compact(turns: Iterable[Any]) -> None:
    """Replace the elements of all pages of turns, which are data as in JSON, by those entries."""
    before: Sequence[dict[str, Any]] = ()
    for snapshot in _snapshots(turns):
        elements: list[dict[str, Any]] = snapshot.get("elements") or []
        snapshot["elements"] = _entries(before, elements)
        before = elements


def expand(turns: Iterable[Any]) -> None:
    """Replace those entries by the elements; raises ValueError for entries that refer to nothing.

    Elements that are written in full, as by versions before, stay as they are.
    """
    before: Sequence[Any] = ()
    for snapshot in _snapshots(turns):
        entries: list[Any] = snapshot.get("elements") or []
        elements: list[Any] = []
        for entry in entries:
            if isinstance(entry, list):
                elements += _encode_repeats(before, cast("list[Any]", entry))
            else:
                elements.append(entry)
        snapshot["elements"] = before = elements


def _snapshots(turns: Iterable[Any]) -> Iterable[dict[str, Any]]:
    for turn in turns:
        part: Any = turn
        for key in ("observation", "page", "snapshot"):
            part = cast("dict[str, Any]", part).get(key) if isinstance(part, dict) else None
        if isinstance(part, dict):
            yield cast("dict[str, Any]", part)


def _entries(before: Sequence[dict[str, Any]], elements: Sequence[dict[str, Any]]) -> list[Any]:
    indices: dict[str, int] = {}
    for place, element in enumerate(before):
        indices.setdefault(_identity(element), place)
    entries: list[Any] = []
    run: list[Any] | None = None
    for element in elements:
        index = indices.get(_identity(element))
        repeat = None if index is None else _repeat(before[index], element)
        if index is None or repeat is None:
            run = None
            entries.append({k: v for k, v in element.items() if v != _DEFAULTS.get(k, _REQUIRED)})
        elif run is not None and run[0] + run[1] == index and run[2:] == repeat:
            run[1] += 1
        else:
            run = [index, 1, *repeat]
            entries.append(run)
    return entries


_REQUIRED = object()


def _identity(element: Mapping[str, Any]) -> str:
    """Return an element without its document and its height on the page, as text."""
    box = element.get("box")
    parent = element.get("parent")
    compared = {
        **element,
        "id": _node(element["id"]),
        "parent": _node(parent) if parent else parent,
        "box": {**box, "y": 0} if box else box,
    }
    return json.dumps(compared, sort_keys=True)


def _node(identifier: str) -> str:
    return identifier.rpartition(".")[2]


def _document(identifier: str) -> str:
    return identifier.rpartition(".")[0]


def _repeat(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[Any] | None:
    """Return how far an element moved, and its document; None if that does not say it exactly."""
    document = _document(new["id"])
    distance = new["box"]["y"] - old["box"]["y"] if new.get("box") else 0
    if _move_element(old, document, distance) != new:  # the sum may be another by the last bit
        return None
    if document != _document(old["id"]):
        return [distance, document]
    return [distance] if distance else []


def _move_element(old: Mapping[str, Any], document: str, distance: float) -> dict[str, Any]:
    """Return an element as another document shows it, further down."""
    separator = "." if document else ""
    element = {**old, "id": f"{document}{separator}{_node(old['id'])}"}
    if old.get("parent") and _document(old["parent"]) == _document(old["id"]):
        element["parent"] = f"{document}{separator}{_node(old['parent'])}"
    if old.get("box") and distance:
        element["box"] = {**old["box"], "y": old["box"]["y"] + distance}
    return element


def _encode_repeats(before: Sequence[Any], entry: Sequence[Any]) -> list[Any]:
    first, count, *more = entry
    distance, document = more[0] if more else 0, more[1] if len(more) > 1 else None
    if first < 0 or count < 1 or first + count > len(before):
        raise ValueError("a page refers to elements that the page before does not have")
    return [
        _move_element(element, _document(element["id"]) if document is None else document, distance)
        for element in before[first : first + count]
    ]
