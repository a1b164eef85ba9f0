"""A trace to the three documents of SENSEI's conversation file.

A trace that was read from such a file gives the same objects again; any other gives what SENSEI
would have stored of the conversation.
"""

from datetime import date
from typing import Any, cast

from sparring.model.talk import (
    IncidentKind,
    Listen,
    Observation,
    Output,
    Trace,
    act_text,
)
from sparring_plugins.sensei.formats.forms import is_map
from sparring_plugins.sensei.formats.layout import CODES, COST, SERIAL_FORMAT, response_report
from sparring_plugins.sensei.formats.unmapped_data import decode
from sparring_plugins.sensei.formats.yaml import dump_documents

_MOST_COST = 1e9
_EXPORTED = {**CODES, IncidentKind.PROTOCOL: 500, IncidentKind.UNREACHABLE: 500}


def conversation_text(trace: Trace, *, serial: str | None = None) -> str:
    """The conversation as the text of a file; `serial` where the trace has none of its own."""
    return dump_documents(documents_of(trace, serial=serial))


def documents_of(trace: Trace, *, serial: str | None = None) -> list[Any]:
    """The conversation as SENSEI's documents: meta-data, times, interaction."""
    documents: dict[str, dict[str, Any]] = {
        "metadata": _metadata(trace, serial),
        "times": _times(trace),
        "talk": {"interaction": _interaction(trace)},
    }
    kept = _kept(trace)
    for pair in _list(kept.get("absent")):
        name, key, *_ = *_list(pair), None, None
        documents.get(str(name), {}).pop(str(key), None)
    for name, document in documents.items():
        own = kept.get(name)
        document.update(own if is_map(own) else {})
    return [*documents.values(), *_list(kept.get("more"))]


def error_codes(trace: Trace) -> list[Any]:
    """SENSEI's codes of what went wrong, one per error: all that its checker looks at."""
    kept = _kept(trace).get("metadata")
    if not is_map(kept) or "errors" not in kept:
        return [_EXPORTED.get(incident.kind) for incident in trace.incidents]
    return [next(iter(error), None) for error in _list(kept["errors"]) if is_map(error)]


def _kept(trace: Trace) -> dict[Any, Any]:
    """What was kept of the file that the trace was read from; nothing where that is damaged."""
    kept = decode(trace.meta.get("sensei"))
    return kept if is_map(kept) else {}


def _metadata(trace: Trace, serial: str | None) -> dict[str, Any]:
    meta = trace.meta
    own = meta.get("serial")
    started = serial or trace.started.strftime(SERIAL_FORMAT)
    picked = [{name: value} for name, value in trace.inputs.items()]
    return {
        "serial": own if isinstance(own, str) else started,
        "language": meta.get("language"),
        "context": _list(meta.get("context")),
        "ask_about": [*_list(meta.get("goals")), *picked],
        "conversation": _list(meta.get("conversation")),
        "data_output": [{output.name: _value(output)} for output in trace.outputs],
        "errors": [
            {_EXPORTED.get(incident.kind, incident.kind.value): incident.message}
            for incident in trace.incidents
        ],
        **_cost(meta.get("cost_usd")),
    }


def _cost(value: Any) -> dict[str, float]:
    """What the conversation cost, where that is known and anything."""
    known = isinstance(value, (int, float)) and not isinstance(value, bool)
    return {COST: round(float(value), 6)} if known and 0 < value < _MOST_COST else {}


def _list(value: Any) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []


def _value(output: Output) -> Any:
    """An output's value; a date is a date again, also when it comes from a run log."""
    value = output.value
    if output.type == "date" and isinstance(value, str):
        try:
            return date.fromisoformat(value)
        except ValueError:
            return value
    return value


def _times(trace: Trace) -> dict[str, Any]:
    """The times in seconds; those that we measured have six decimals, as SENSEI's have."""
    exact = isinstance(trace.meta.get("serial"), str)
    seconds = [
        turn.latency_s if exact else round(turn.latency_s, 6)
        for turn in trace.turns
        if not isinstance(turn.act, Listen)
    ]
    return {
        "conversation time": trace.duration_s if exact else round(trace.duration_s, 6),
        "assistant response time": seconds,
        "response time report": response_report(seconds),
    }


def _interaction(trace: Trace) -> list[dict[str, str]]:
    entries: list[dict[str, str]] = []
    for turn in trace.turns:
        if not isinstance(turn.act, Listen):
            entries.append({"User": act_text(turn.act)})
        if turn.observation is not None:
            entries.append({"Assistant": _said(turn.observation)})
    return entries


def _said(observation: Observation) -> str:
    """What the app said; media and choices, for which SENSEI has no place, as lines below."""
    shown = [f"({one.description or one.media_type})" for one in observation.attachments]
    offered = [f"- {choice.label}" for choice in observation.choices]
    return "\n".join([*([observation.text] if observation.text else []), *shown, *offered])
