"""Conversations stored by SENSEI: found in a folder, read one by one, written again.

The files beside conversations are distinguished by their content: reports, profiles, rules,
personas and run settings are passed over; results in CSV or JSON are not looked at.
"""

import os
import re
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from stat import S_ISREG
from typing import Any, cast

import yaml

from sparring.documents.reading import MAX_BYTES, dotted, parse_all
from sparring.errors import ConfigurationError, Problem
from sparring.model.talk import IncidentKind, Listen, Observation, Trace, act_text
from sparring_plugins.rules.values.record import output_value
from sparring_plugins.sensei.documents import (
    CODES,
    COST,
    SERIAL_FORMAT,
    FileName,
    UnexpectedForm,
    decode,
    dump_documents,
    is_map,
    load_documents,
    response_report,
)
from sparring_plugins.sensei.trace_reader import Origin, trace_of

# SENSEI writes its keys at the beginning; a log of another kind may have gigabytes.
_HEAD = 65_536
_LONGEST = 5_000
# A conversation of SENSEI's has one of these keys at the beginning of a line; any other YAML has
# not.
_SIGN = re.compile(rb"^[ \t{\"']*(?:serial|interaction|conversation time)[\"']?[ \t]*:", re.M)
_REPORT_FOLDERS = frozenset({"__report__", "__stats_reports__", "__cost_reports__"})
_REPORT_KEYS = ("Global report", "Test name")
_OTHER_KEYS = frozenset(
    {
        *("test_name", "user", "chatbot", "llm"),  # profiles
        *("oracle", "then"),  # rules
        *("project_folder", "user_profile", "api_url"),  # settings of a run
    }
)
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


def conversation_files(path: Path) -> Iterator[Path | Problem]:
    """The YAML files at a path in the order of their paths, and folders that cannot be read.

    Links to folders are not followed, hidden files and folders are left out.
    """
    for file, _ in _files(path):
        yield file if isinstance(file, Problem) else Path(file)


def _files(path: Path) -> Iterator[tuple[str | Problem, str]]:
    """The same as texts, each with what it is called below the path."""
    if path.is_file() and _is_yaml(path.name):
        yield str(path), path.name
    if not path.is_dir():
        return
    top = str(path).rstrip(os.sep) + os.sep
    waiting = [top]
    while waiting:
        entry = waiting.pop()
        if not entry.endswith(os.sep):
            yield entry, entry[len(top) :].replace(os.sep, "/")
            continue
        try:
            waiting += reversed(_entries(entry))
        except OSError as err:
            yield _problem(f"cannot be read: {err.strerror or err}", Path(entry)), ""


def _entries(folder: str) -> list[str]:
    """The folders (ending with a separator) and YAML files in a folder, by name."""
    with os.scandir(folder) as found:
        entries = sorted(found, key=lambda each: each.name)
    return [
        entry.path + os.sep if entry.is_dir(follow_symlinks=False) else entry.path
        for entry in entries
        if not entry.name.startswith(".")
        and (entry.is_dir(follow_symlinks=False) or _is_yaml(entry.name))
    ]


def holds_conversations(path: Path) -> bool:
    """Whether a file, or one of the files below a folder, looks like a conversation."""
    files = conversation_files(path)
    return any(isinstance(file, Path) and _looks_like_one(file) for file in files)


def read_conversations(path: Path) -> Iterator[Trace | Problem]:
    """Every conversation at a path, or what is wrong with its file, in the files' order."""
    for file, source in _files(path):
        if isinstance(file, Problem):
            yield file
        elif (conversation := read_conversation(Path(file), source=source)) is not None:
            yield conversation


def read_conversation(file: Path, *, source: str | None = None) -> Trace | Problem | None:
    """One conversation, a problem, or None for another of SENSEI's files.

    `source` is how the trace calls the file; the case's id is made of it and of the file's
    content, so that a copy elsewhere is a case of its own.
    """
    name = _storable(source or file.name)
    try:
        status = file.stat()
        if not S_ISREG(status.st_mode):
            return _problem("is not a regular file", file)
        if status.st_size > MAX_BYTES:
            return _problem(f"larger than {MAX_BYTES:,} bytes", file)
        raw = file.read_bytes()
    except OSError as err:
        return _problem(f"cannot be read: {err.strerror or err}", file)
    try:
        documents = load_documents(raw)
        if _is_other(documents):
            return None
        return trace_of(documents, _origin(name, raw))
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError) as err:
        in_reports = not _REPORT_FOLDERS.isdisjoint(name.split("/"))
        return None if in_reports else _unreadable(file, raw, err)
    except UnexpectedForm as err:
        return _unexpected(file, raw, err)


def _is_yaml(name: str) -> bool:
    return name.lower().endswith((".yml", ".yaml")) and not name.startswith(".")


def _looks_like_one(file: Path) -> bool:
    try:
        if not file.is_file():
            return False
        with file.open("rb") as opened:
            return _SIGN.search(opened.read(_HEAD)) is not None
    except OSError:
        return False


def _storable(text: str) -> str:
    """A file's name that can be stored: bytes that are no UTF-8 replaced."""
    return text.encode("utf-8", "replace").decode()


def _origin(name: str, raw: bytes) -> Origin:
    stem = name.rpartition("/")[2].rpartition(".")[0]
    slug = _UNSAFE.sub("-", stem).strip("-.")[:80] or "conversation"
    digest = sha256(name.encode() + b"\0" + raw).hexdigest()[:8]
    return Origin(f"{slug}-{digest}", FileName.of(name), name)


def _is_other(documents: list[Any]) -> bool:
    """Whether this is another of SENSEI's files; raises UnexpectedForm if it is nobody's."""
    if any(is_map(document) and _is_conversation(document) for document in documents):
        return False
    first = documents[0] if documents else None
    if first is None:
        raise UnexpectedForm("is empty: expected the three documents of a conversation")
    if not is_map(first):
        return False
    keys = cast("set[Any]", first.keys())
    if any(key in keys for key in _REPORT_KEYS) or keys == {"context"}:
        return True
    if not _OTHER_KEYS.isdisjoint(keys):
        return True
    listed = ", ".join(sorted(str(key) for key in keys)[:6])
    raise UnexpectedForm(f"is no conversation of SENSEI's: it has the keys {listed[:80]}")


def _is_conversation(document: dict[Any, Any]) -> bool:
    return (
        "serial" in document
        or "interaction" in document
        or "conversation time" in document
        or ("ask_about" in document and "data_output" in document)
    )


def _unexpected(file: Path, raw: bytes, err: UnexpectedForm) -> Problem:
    """The problem with its line, which only the slower reader knows."""
    try:
        documents = parse_all(raw.decode("utf-8-sig"), str(file), "yaml11")
    except (ConfigurationError, UnicodeDecodeError):
        return _problem(str(err), file)
    document = documents[min(max(err.index, 0), len(documents) - 1)]
    return _problem(str(err), file, document.line(err.at), dotted(err.at))


def _unreadable(file: Path, raw: bytes, err: Exception) -> Problem:
    mark = getattr(err, "problem_mark", None) or getattr(err, "context_mark", None)
    parts = [getattr(err, "context", None), getattr(err, "problem", None)]
    text = ", ".join(str(part) for part in parts if part) or str(err).split("\n", 1)[0]
    line = mark.line + 1 if mark else None
    position = getattr(err, "position", None)  # of what is no text at all
    if line is None and isinstance(position, int):
        line = raw[:position].count(b"\n") + 1
    return _problem(f"is not valid YAML: {text}", file, line)


def _problem(message: str, file: Path, line: int | None = None, key: str = "") -> Problem:
    """A problem that can be stored and shown, whatever the file and its keys are called."""
    return Problem(_show_text(message), _show_text(str(file)), line, _show_text(key) or None)


def _show_text(text: str) -> str:
    """The text with what is not printable as escapes, and of bounded length."""
    cut = text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in cut)


# A trace to the three documents of SENSEI's conversation file.
#
# A trace that was read from such a file gives the same objects again; any other gives what SENSEI
# would have stored of the conversation.

# A cost of 1e300 dollars would make every sum of a table infinite.
_MOST_COST = 1e9
_EXPORTED = {**CODES, IncidentKind.PROTOCOL: 500, IncidentKind.UNREACHABLE: 500}


def conversation_text(trace: Trace, *, serial: str | None = None) -> str:
    """The conversation as the text of a file; `serial` if the trace has none of its own."""
    return dump_documents(documents_of(trace, serial=serial))


def documents_of(trace: Trace, *, serial: str | None = None) -> list[Any]:
    """The conversation as SENSEI's documents: meta-data, times, interaction."""
    documents: dict[str, dict[str, Any]] = {
        "metadata": _metadata(trace, serial),
        "times": _times(trace),
        "talk": {"interaction": _interaction(trace)},
    }
    stored = _kept(trace)
    for pair in _list(stored.get("absent")):
        name, key, *_ = *_list(pair), None, None
        documents.get(str(name), {}).pop(str(key), None)
    for name, document in documents.items():
        own = stored.get(name)
        document.update(own if is_map(own) else {})
    return [*documents.values(), *_list(stored.get("more"))]


def error_codes(trace: Trace) -> list[Any]:
    """SENSEI's codes of what went wrong, one per error: all that its checker looks at."""
    stored = _kept(trace).get("metadata")
    if not is_map(stored) or "errors" not in stored:
        return [_EXPORTED.get(incident.kind) for incident in trace.incidents]
    return [next(iter(error), None) for error in _list(stored["errors"]) if is_map(error)]


def _kept(trace: Trace) -> dict[Any, Any]:
    """What was kept of the file that the trace was read from; nothing if that is damaged."""
    stored = decode(trace.meta.get("sensei"))
    return stored if is_map(stored) else {}


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
        "data_output": [{output.name: output_value(output)} for output in trace.outputs],
        "errors": [
            {_EXPORTED.get(incident.kind, incident.kind.value): incident.message}
            for incident in trace.incidents
        ],
        **_cost(meta.get("cost_usd")),
    }


def _cost(value: Any) -> dict[str, float]:
    """What the conversation cost, if that is known and anything."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return {COST: round(float(value), 6)} if is_number and 0 < value < _MOST_COST else {}


def _list(value: Any) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []


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
            entries.append({"Assistant": _join_app_words(turn.observation)})
    return entries


def _join_app_words(observation: Observation) -> str:
    """What the app said; media and choices, for which SENSEI has no place, as lines below."""
    shown = [
        f"({attachment.description or attachment.media_type})"
        for attachment in observation.attachments
    ]
    offered = [f"- {choice.label}" for choice in observation.choices]
    return "\n".join([*([observation.text] if observation.text else []), *shown, *offered])
