"""Writing a run: a folder with a manifest and one append-only log of JSON lines.

Each line is one event (`sparring.model.events`), handed to the operating system at once, so
that the log can be read while it grows. A judged case is synced to the disk before it counts.
"""

import asyncio
import json
import os
import re
from contextlib import suppress
from pathlib import Path
from typing import cast

from pydantic import JsonValue

from sparring.errors import StoredRunError
from sparring.model.events import CasesAsked, Event
from sparring.model.run import Run

MANIFEST = "run.json"
LOG = "log.jsonl"

# As UTF-8: C1 control characters, line separators, what reorders text.
_STEERING = re.compile(rb"\xc2[\x80-\x9f]|\xe2\x80[\x8e\x8f\xa8-\xae]|\xe2\x81[\xa6-\xa9]|\xd8\x9c")


class RunLog:
    """The one writer of a run's folder; use `create` or `reopen`."""

    def __init__(self, folder: Path, descriptor: int) -> None:
        self.folder = folder
        self._descriptor = descriptor
        self._size = os.fstat(descriptor).st_size
        self._syncing: asyncio.Task[None] | None = None
        self._waiting: asyncio.Task[None] | None = None

    @classmethod
    def create(cls, folder: Path, run: Run) -> "RunLog":
        """Make the folder with its manifest and an empty log; raises StoredRunError."""
        try:
            folder.mkdir(parents=True)
            temporary = folder / f"{MANIFEST}.new"
            temporary.write_text(run.model_dump_json(indent=2) + "\n", encoding="utf-8")
            temporary.replace(folder / MANIFEST)
            descriptor = os.open(folder / LOG, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
            _sync_folder(folder)
        except OSError as err:
            raise StoredRunError(f"the run cannot be stored in {folder}: {err.strerror}") from err
        return cls(folder, descriptor)

    @classmethod
    def reopen(cls, folder: Path) -> "RunLog":
        """Go on with a log, after cutting off a torn last line; raises StoredRunError."""
        path = folder / LOG
        if path.is_symlink():  # else somebody else's run could make us write anywhere
            raise StoredRunError(f"{path} is a link: it is not gone on with")
        try:
            with path.open("r+b") as file:
                file.truncate(_whole_lines(file.seek(0, os.SEEK_END), path))
            descriptor = os.open(path, os.O_WRONLY | os.O_APPEND)
        except OSError as err:
            raise StoredRunError(f"{path} cannot be written: {err.strerror}") from err
        return cls(folder, descriptor)

    def append(self, line: bytes) -> None:
        """Append one event's JSON, without its line end: all of it, or nothing and OSError."""
        if not line.isascii():  # so that a log can be looked at on a terminal
            line = _STEERING.sub(_escaped, line)
        left = memoryview(line + b"\n")
        try:
            while left:
                left = left[os.write(self._descriptor, left) :]
        except OSError:
            with suppress(OSError):
                os.ftruncate(self._descriptor, self._size)
            raise
        self._size += len(line) + 1

    def append_event(self, event: Event) -> None:
        """Append an event as it is."""
        self.append(event.model_dump_json().encode())

    async def sync(self) -> None:
        """Wait until everything appended so far is on the disk; calls share one sync."""
        if self._syncing is None or self._syncing.done():
            self._syncing = asyncio.create_task(self._sync())
            await asyncio.shield(self._syncing)
            return
        if self._waiting is None or self._waiting.done():
            self._waiting = asyncio.create_task(self._sync_after(self._syncing))
        await asyncio.shield(self._waiting)

    async def _sync_after(self, first: "asyncio.Task[None]") -> None:
        await asyncio.wait([first])
        self._syncing = asyncio.current_task()
        await self._sync()

    async def _sync(self) -> None:
        await asyncio.to_thread(os.fsync, self._descriptor)

    def close(self) -> None:
        """Sync and close the log."""
        if self._descriptor >= 0:
            os.fsync(self._descriptor)
            os.close(self._descriptor)
            self._descriptor = -1


def _escaped(found: re.Match[bytes]) -> bytes:
    return b"\\u%04x" % ord(found[0].decode())


def _whole_lines(size: int, path: Path) -> int:
    """The length of the log up to its last line end."""
    step = 65_536
    with path.open("rb") as file:
        while size > 0:
            start = max(0, size - step)
            file.seek(start)
            end = file.read(size - start).rfind(b"\n")
            if end >= 0:
                return start + end + 1
            size = start
    return 0


def _sync_folder(folder: Path) -> None:
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


# How the states of a strategy are stored: whole now and then, and else what changed.
#
# A state may list every case so far. Stored whole with each proposal, a log would grow with the
# square of its cases.

_SMALL = 1_000
"""Characters of a state that is always stored whole."""

_SHARE = 4
"""A state is stored whole again once the changes are this many times as long."""

Map = dict[str, JsonValue]

_LENGTH = "length"
_APPENDED = "+"


class StateWriter:
    """Turns the states of one session, in their order, into what is stored of each."""

    def __init__(self) -> None:
        self._last: JsonValue = None
        self._whole = self._since = 0

    def stored(self, state: JsonValue) -> tuple[JsonValue, JsonValue]:
        """The `state` and the `change` of `CasesAsked` for a state: one of the two is None."""
        before, self._last = self._last, _copied(state)
        if self._whole > _SMALL:
            change = change_of(before, self._last)
            self._since += len(json.dumps(change))
            if self._since <= _SHARE * self._whole:
                return None, change
        self._whole, self._since = len(json.dumps(self._last)), 0
        return state, None


class StateReader:
    """Puts the states together again; events are read in the order of the log.

    Raises StoredRunError for a change that does not fit what was before it.
    """

    def __init__(self) -> None:
        self.state: JsonValue = None

    def read(self, asked: CasesAsked) -> None:
        """Take in a proposal: `state` is then the strategy's right after it."""
        if asked.change is None:
            self.state = _copied(asked.state)
            return
        try:
            self.state = changed(self.state, asked.change)
        except (ValueError, KeyError, IndexError, TypeError) as err:
            raise StoredRunError(
                f"the log is damaged: what changed at {asked.at:%H:%M:%S} does not fit the state "
                f"before it ({type(err).__name__}: {err})"
            ) from err


def change_of(before: JsonValue, after: JsonValue) -> JsonValue:
    """What makes one plain value of another; see `CasesAsked` for the notation."""
    if isinstance(before, dict) and isinstance(after, dict):
        return _change_of_maps(before, after)
    if isinstance(before, list) and isinstance(after, list):
        return _change_of_lists(before, after)
    if type(before) is type(after) and before == after:
        return {}
    if isinstance(before, str) and isinstance(after, str) and after.startswith(before):
        return {_APPENDED: after[len(before) :]}
    return [after]


def _change_of_maps(before: Map, after: Map) -> JsonValue:
    change_by_key: Map = {key: [] for key in before if key not in after}
    for key, value in after.items():
        change = change_of(before[key], value) if key in before else [value]
        if change != {}:
            change_by_key[key] = change
    return change_by_key


def _change_of_lists(before: list[JsonValue], after: list[JsonValue]) -> JsonValue:
    change_by_index: Map = {}
    if len(after) < len(before):
        change_by_index[_LENGTH] = [len(after)]
    for at, value in enumerate(after):
        change = change_of(before[at], value) if at < len(before) else [value]
        if change != {}:
            change_by_index[str(at)] = change
    return change_by_index


def changed(before: JsonValue, change: JsonValue) -> JsonValue:
    """The value that a change makes of another one, which may be changed in place.

    Raises ValueError, KeyError, IndexError, TypeError if it does not fit.
    """
    if isinstance(change, list):
        (value,) = change
        return value
    if not isinstance(change, dict):
        raise TypeError("it is no change")
    if not change:
        return before
    if isinstance(before, str):
        appended = change[_APPENDED]
        return f"{before}{appended}"
    if isinstance(before, list):
        _change_list(before, change)
    elif isinstance(before, dict):
        _change_map(before, change)
    else:
        raise TypeError("there is nothing to change")
    return before


def _change_map(before: Map, change: Map) -> None:
    for key, own in change.items():
        if own == []:
            del before[key]
        else:
            before[key] = changed(before.get(key), own)


def _change_list(before: list[JsonValue], change: Map) -> None:
    for key, own in change.items():
        if key == _LENGTH:
            del before[cast("int", changed(None, own)) :]
        elif int(key) == len(before):
            before.append(changed(None, own))
        else:
            before[int(key)] = changed(before[int(key)], own)


def _copied(value: JsonValue) -> JsonValue:
    """A copy that shares no list and no map."""
    if isinstance(value, dict):
        return {key: _copied(own) for key, own in value.items()}
    if isinstance(value, list):
        return [_copied(own) for own in value]
    return value
