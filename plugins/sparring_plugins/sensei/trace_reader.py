"""One conversation of SENSEI's, from the three documents of its file to a trace.

What the trace cannot hold exactly is kept beside it (`sensei_kept`), so that every file can be
written back as it was. Where the meaning of an unusual form is clear it is taken; where it is
not, `UnexpectedForm` says what was expected and where.
"""

import math
import re
from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import Any, NamedTuple, cast

from pydantic import JsonValue

from sparring.documents.checking import shown
from sparring.documents.reading import Key
from sparring.model.case import Case
from sparring.model.talk import Ended, IncidentKind, Output, Trace
from sparring.model.verdict import Owner
from sparring_plugins.sensei.documents import (
    CODES,
    METADATA,
    MISSING,
    TALK,
    TIMES,
    FileName,
    Kept,
    UnexpectedForm,
    encode,
    is_map,
    is_plain,
    listed,
    plain,
    response_report,
    text_of,
)

# The second and third document of a conversation: times, and who said what.

# "1 day, 0:00:05.3": durations as Python prints them, which is how SENSEI stores times.
_CLOCK = re.compile(r"(?:(\d{1,6}) days?, )?(\d{1,6}):(\d\d):(\d\d(?:\.\d+)?)")
_USER = frozenset({"user"})
_APP = frozenset({"assistant", "chatbot"})


def turns_of(talk: dict[Any, Any], kept: Kept) -> list[dict[str, Any]]:
    """The interaction as turns: a user's entry and the app's answer right after it."""
    raw = talk.get("interaction", MISSING)
    if raw is MISSING:
        raise UnexpectedForm("'interaction' is missing: who said what", 2)
    if raw is not None and not isinstance(raw, list):
        what = f"expected a list of what was said, found {shown(raw)}"
        raise UnexpectedForm(what, 2, ("interaction",))
    entries = cast("list[Any]", raw or [])
    turns: list[dict[str, Any]] = []
    is_answered = False
    for index, item in enumerate(entries):
        if not is_map(item) or not item:
            what = f"expected 'User' or 'Assistant' and what was said, found {shown(item)}"
            raise UnexpectedForm(what, 2, ("interaction", index))
        for speaker, said in item.items():
            if _is_user(speaker, index):
                turns.append({"act": {"kind": "say", "text": text_of(said)}, "observation": None})
                is_answered = True
                continue
            # The app speaks first, or twice in a row: each answer needs a turn, in which the user
            # only listened.
            if not is_answered:
                turns.append({"act": {"kind": "listen"}})
            is_answered = False
            turns[-1]["observation"] = _observation(said)
    if raw is None or not all(map(_regular_entry, entries)):
        kept.replace("talk", "interaction", raw)
    return turns


def _regular_entry(entry: dict[Any, Any]) -> bool:
    if len(entry) != 1:
        return False
    ((speaker, said),) = entry.items()
    return type(said) is str and (speaker == "User" or speaker == "Assistant")


def _is_user(speaker: Any, index: int) -> bool:
    if speaker == "User":
        return True
    if speaker == "Assistant":
        return False
    name = speaker.strip().casefold() if isinstance(speaker, str) else speaker
    if name in _USER:
        return True
    if name not in _APP:
        what = f"expected 'User' or 'Assistant', found {shown(speaker)}"
        raise UnexpectedForm(what, 2, ("interaction", index))
    return False


def _observation(said: Any) -> dict[str, Any]:
    if isinstance(said, (list, dict)):
        return {"text": text_of(said), "payload": plain(said)}
    return {"text": said if type(said) is str else text_of(said)}


def set_times(times: dict[Any, Any], turns: list[dict[str, Any]], kept: Kept) -> float:
    """Set the turns' latencies; returns the conversation's duration, both in seconds."""
    key = "conversation time"
    duration, raw = 0.0, times.get(key, MISSING)
    if raw is MISSING:
        kept.absent("times", key)
    elif raw is not None:
        duration = _seconds(raw, (key,))
    if type(raw) is not float and raw is not MISSING:
        kept.replace("times", key, raw)
    _keep_report(times, _set_latencies(times, turns, kept), kept)
    return duration


def _set_latencies(times: dict[Any, Any], turns: list[dict[str, Any]], kept: Kept) -> list[float]:
    """Set the turns' latencies; returns them in seconds if there is one for each of the user's."""
    key = "assistant response time"
    raw = times.get(key, MISSING)
    if raw is not MISSING and raw is not None and not isinstance(raw, list):
        raise UnexpectedForm(f"expected a list of seconds, found {shown(raw)}", 1, (key,))
    latencies = cast("list[Any]", raw) if isinstance(raw, list) else []
    seconds = [_seconds(value, (key, index)) for index, value in enumerate(latencies)]
    said = [turn for turn in turns if turn["act"]["kind"] == "say"]
    # One time for each message of the user is how SENSEI writes them; with a greeting there is one
    # more.
    regular = len(seconds) == len(said) and all(type(value) is float for value in latencies)
    for turn, latency in zip(_timed_turns(turns, said, len(seconds)), seconds, strict=False):
        turn["latency_s"] = latency
    if raw is MISSING:
        kept.absent("times", key)
    elif not regular or raw is None:
        kept.replace("times", key, raw)
    return seconds if regular else []


def _timed_turns(
    turns: list[dict[str, Any]], said: list[dict[str, Any]], count: int
) -> list[dict[str, Any]]:
    """Return the turns that so many latencies belong to: those of the user, else those answered."""
    if len(said) == count:
        return said
    answered = [turn for turn in turns if turn["observation"] is not None]
    return answered if len(answered) == count else turns


def _keep_report(times: dict[Any, Any], seconds: list[float], kept: Kept) -> None:
    key = "response time report"
    report = times.get(key, MISSING)
    if report is MISSING:
        kept.absent("times", key)
    elif report != response_report(seconds) or not all(
        type(value) is float for value in report.values()
    ):
        kept.replace("times", key, report)


def _seconds(value: Any, at: tuple[Key, ...]) -> float:
    """Seconds from a number, its text, or a clock as ``0:01:07.141398``."""
    if type(value) is float and math.isfinite(value):
        return value
    seconds = math.nan
    # Thirty thousand years of seconds and more are no time.
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**12:
        seconds = float(value)
    elif isinstance(value, str):
        clock = _CLOCK.fullmatch(value.strip())
        if clock:
            days, hours, minutes = (int(part or 0) for part in clock.groups()[:3])
            seconds = ((days * 24 + hours) * 60 + minutes) * 60 + float(clock[4])
        else:
            seconds = _number(value)
    if not math.isfinite(seconds):
        raise UnexpectedForm(f"expected a time in seconds, found {shown(value)}", 1, at)
    return seconds


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_OUTPUT_TYPES: dict[type, str] = {
    str: "str",
    int: "int",
    float: "float",
    bool: "bool",
    date: "date",
    type(None): "str",
}
_KINDS = {code: kind for kind, code in CODES.items()}
_OWNERS = {
    IncidentKind.PLAYER_ERROR: Owner.TOOL,
    IncidentKind.CONNECTOR_ERROR: Owner.TOOL,
    IncidentKind.MODEL_ERROR: Owner.ENVIRONMENT,
    IncidentKind.ENVIRONMENT: Owner.ENVIRONMENT,
    IncidentKind.MACHINE_BUSY: Owner.ENVIRONMENT,
    IncidentKind.UNREACHABLE: Owner.ENVIRONMENT,
    IncidentKind.CASE_TIMEOUT: Owner.TEST,
    IncidentKind.UNRESOLVED: Owner.TEST,
}
"""Whose doing what SENSEI has no code for most likely is: its files do not say it."""

_LAST_TURN = frozenset({IncidentKind.CRASH, IncidentKind.TIMEOUT})


class Origin(NamedTuple):
    """Where a conversation was read: the case's id, the file's name and its shown path."""

    case_id: str
    name: FileName
    source: str


def trace_of(documents: Sequence[Any], origin: Origin) -> Trace:
    """The trace of a conversation's documents; raises UnexpectedForm.

    The meta-data, plain by now, is not validated again: that would take a third of the time.
    """
    metadata, times, talk = _split_documents(documents)
    kept = Kept()
    goals, params = _goals(metadata, kept)
    turns = turns_of(talk, kept)
    duration = set_times(times, turns, kept)
    incidents = _incidents(metadata, len(turns), kept)
    outputs = _outputs(metadata, kept)
    meta = _meta(metadata, goals, origin, kept)
    _keep_unknown(documents, kept)
    if kept:
        meta["sensei"] = encode(kept)
    trace = Trace.model_validate(
        {
            "case": Case(id=origin.case_id, scenario=origin.name.test_name, params=params),
            "turns": turns,
            "outputs": outputs,
            "incidents": incidents,
            "ended": _find_ending(incidents, meta["conversation"]),
            "started": started(meta["serial"]),
            "duration_s": duration,
        }
    )
    return trace.model_copy(update={"meta": meta})


def started(serial: Any) -> datetime:
    """The time in a serial, read as UTC (it has no time zone); 1970 if it is no time."""
    try:
        day, clock = serial[:10], serial[11:].replace("-", ":")
        return datetime.fromisoformat(f"{day}T{clock}").replace(tzinfo=UTC)
    except (TypeError, ValueError):
        return _EPOCH


def _split_documents(
    documents: Sequence[Any],
) -> tuple[dict[Any, Any], dict[Any, Any], dict[Any, Any]]:
    for index, name in enumerate(("meta-data", "times", "interaction")):
        if index >= len(documents):
            problem = f"found {len(documents)} of the three documents of a conversation"
            raise UnexpectedForm(f"expected a document with the {name}: {problem}", index - 1)
        if not isinstance(documents[index], dict):
            what = f"expected keys and values ({name}), found {shown(documents[index])}"
            raise UnexpectedForm(what, index)
    return documents[0], documents[1], documents[2]


def _goals(metadata: dict[Any, Any], kept: Kept) -> tuple[list[JsonValue], dict[str, JsonValue]]:
    """The goals as written and the picked values, which SENSEI stores in one list."""
    raw = metadata.get("ask_about", MISSING)
    if raw is MISSING:
        raise UnexpectedForm("'ask_about' is missing: the goals and picked values")
    if not isinstance(raw, list):
        what = f"expected a list of goals and picked values, found {shown(raw)}"
        raise UnexpectedForm(what, 0, ("ask_about",))
    goals: list[JsonValue] = []
    params: dict[str, JsonValue] = {}
    regular = True
    for item in cast("list[Any]", raw):
        if type(item) is str:
            # Goals stand before values in SENSEI's files; a goal behind one would change places
            # when written again.
            regular = regular and not params
            goals.append(item)
        elif is_map(item):
            regular = regular and len(item) == 1
            for key, value in item.items():
                regular = regular and type(key) is str and key not in params and is_plain(value)
                params[str(key)] = value if regular else plain(value)
        else:
            regular = False
            goals.append(text_of(item))
    if not regular:
        kept.replace("metadata", "ask_about", raw)
    return goals, params


def _incidents(metadata: dict[Any, Any], turns: int, kept: Kept) -> list[dict[str, Any]]:
    raw = listed(metadata, "errors", "a list of errors, each a code and a text", kept)
    incidents: list[dict[str, Any]] = []
    regular = True
    for item in raw:
        pairs: dict[Any, Any] = item if is_map(item) else {None: item}
        regular = regular and len(pairs) == 1
        for code, text in pairs.items():
            kind, is_known = _incident_kind(code)
            regular = regular and is_known and type(text) is str
            unknown = kind is IncidentKind.PROTOCOL and code is not None
            incidents.append(
                {
                    "kind": kind.value,
                    "message": f"error {code}: {text_of(text)}" if unknown else text_of(text),
                    "owner": _owner_of(kind, text_of(text)).value,
                    # A crash ends the conversation, so that it happened in its last turn; a loop or
                    # an unmet goal has none.
                    "turn": turns - 1 if turns and kind in _LAST_TURN else None,
                }
            )
    if not regular:
        kept.replace("metadata", "errors", metadata["errors"])
    return incidents


def _owner_of(kind: IncidentKind, text: str) -> Owner:
    """Whose doing an error is; SENSEI's files do not say it.

    Our own reporter writes the reason of an unmet goal into the text, so that a conversation which
    was the test's ("not met: a cup of tea (the user may take 3 turns, which were too few)") is not
    blamed on the app when it is read again.
    """
    if kind is IncidentKind.GOAL_NOT_REACHED and text.startswith("not met: "):
        reason = text.rpartition("(")[2]
        if reason.startswith(("the user may take", "the profile")):
            return Owner.TEST
        return Owner.APP if reason.startswith("the app broke off") else Owner.SIMULATED_USER
    return _OWNERS.get(kind, Owner.APP)


def _incident_kind(code: Any) -> tuple[IncidentKind, bool]:
    """The kind of an error code, and whether the code is written as we would write it."""
    if type(code) is int:
        return _KINDS.get(code, IncidentKind.PROTOCOL), code in _KINDS
    # Kinds for which SENSEI has no number are written by their names, by our own reporter.
    if code in _OWNERS:
        return IncidentKind(code), code != IncidentKind.UNREACHABLE  # which is written as 500
    if isinstance(code, str) and code.isascii() and code.isdigit() and len(code) < 10:
        return _KINDS.get(int(code), IncidentKind.PROTOCOL), False
    return IncidentKind.PROTOCOL, False


def _outputs(metadata: dict[Any, Any], kept: Kept) -> list[Output]:
    raw = metadata.get("data_output")
    regular = not is_map(raw)
    expected = "a list of outputs, each a name and a value"
    # Some files have one mapping of all outputs in place of a list of single ones.
    items: list[Any] = [raw] if is_map(raw) else listed(metadata, "data_output", expected, kept)
    outputs: list[Output] = []
    for index, item in enumerate(items):
        if not is_map(item):
            what = f"expected an output's name and value, found {shown(item)}"
            raise UnexpectedForm(what, 0, ("data_output", index))
        regular = regular and len(item) == 1
        for name, value in item.items():
            kind = _OUTPUT_TYPES.get(cast("type[Any]", type(value)))
            exact = type(name) is str and (kind == "date" or is_plain(value))
            regular = regular and exact
            value = value if exact else plain(value)
            outputs.append(Output(name=str(name), value=value, type=kind or "str"))
    if not regular:
        kept.replace("metadata", "data_output", raw)
    return outputs


def _meta(
    metadata: dict[Any, Any], goals: list[JsonValue], origin: Origin, kept: Kept
) -> dict[str, Any]:
    if "serial" not in metadata:
        raise UnexpectedForm("'serial' is missing: when the run began")
    serial, language = metadata["serial"], metadata.get("language", MISSING)
    if type(serial) is not str:
        kept.replace("metadata", "serial", serial)
    if language is MISSING:
        kept.absent("metadata", "language")
        language = None
    elif language is not None and type(language) is not str:
        kept.replace("metadata", "language", language)
        language = text_of(language)
    return {
        "profile": origin.name.test_name,
        "language": language,
        "role": "",
        "context": _context(metadata, kept),
        "goals": goals,
        "conversation": _conversation(metadata, kept),
        "serial": text_of(serial),
        "source": origin.source,
    }


def _context(metadata: dict[Any, Any], kept: Kept) -> Any:
    raw = metadata.get("context")
    if isinstance(raw, (str, dict)):
        kept.replace("metadata", "context", raw)
        return [plain(raw)]
    texts = listed(metadata, "context", "a list of texts", kept)
    if is_plain(texts):
        return texts
    kept.replace("metadata", "context", raw)
    return plain(texts)


def _conversation(metadata: dict[Any, Any], kept: Kept) -> Any:
    """The block as written, which rules see flattened."""
    raw = metadata.get("conversation", MISSING)
    if raw is MISSING:
        raise UnexpectedForm("'conversation' is missing: number, goal and interaction style")
    if isinstance(raw, dict):
        kept.replace("metadata", "conversation", raw)
        return [plain({key: value}) for key, value in cast("dict[Any, Any]", raw).items()]
    if not isinstance(raw, list):
        what = f"expected a list of number, goal style and interaction style, found {shown(raw)}"
        raise UnexpectedForm(what, 0, ("conversation",))
    if is_plain(raw):
        return cast("list[Any]", raw)
    kept.replace("metadata", "conversation", raw)
    return plain(raw)


def _keep_unknown(documents: Sequence[Any], kept: Kept) -> None:
    names = (("metadata", METADATA), ("times", TIMES), ("talk", TALK))
    for document, (name, keys) in zip(documents, names, strict=False):
        for key in document:
            if key not in keys:
                kept.replace(name, key, document[key])
    if len(documents) > 3:
        kept["more"] = list(documents[3:])


def _find_ending(incidents: list[dict[str, Any]], conversation: Any) -> str:
    """Why the conversation ended, as far as its file tells."""
    kinds = {incident["kind"] for incident in incidents}
    if IncidentKind.LOOP.value in kinds:
        return Ended.LOOP.value
    # An unmet goal alone broke nothing off: the turns were used up.
    if kinds - {IncidentKind.GOAL_NOT_REACHED.value}:
        return Ended.INCIDENT.value
    if kinds or _stepwise(conversation):
        return Ended.TURN_LIMIT.value
    return Ended.GOALS_REACHED.value


def _stepwise(block: Any) -> bool:
    """Whether a conversation block (or a part of it) asks for a number of steps."""
    if isinstance(block, dict):
        return "steps" in block or any(map(_stepwise, cast("dict[str, Any]", block).values()))
    return isinstance(block, list) and any(map(_stepwise, cast("list[Any]", block)))
