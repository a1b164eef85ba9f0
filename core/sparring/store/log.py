"""Writing a run: a folder with a manifest and one append-only log of JSON lines.

Each line is one event (`sparring.model.events`), handed to the operating system at once, so
that the log can be read while it grows. A judged case is synced to the disk before it counts.
"""

import asyncio
import os
import re
from contextlib import suppress
from pathlib import Path

from sparring.errors import StoredRunError
from sparring.model.events import Event
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
