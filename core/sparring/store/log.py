"""Writing a run: a folder with a manifest and one append-only log of JSON lines.

Each line is one event (`sparring.model.events`) and its seal, handed to the operating system at
once, so that the log can be read while it grows. The seal is a line's number and a checksum, the
last two keys of its JSON (``{"kind":"case_started", …,"line":12,"crc":"0a1b2c3d"}``): a line that
was changed, overwritten, lost, doubled or moved is found and named. Lines that were written before
0.3 have none. A judged case is synced to the disk before it
counts. One process at a time writes a run: it holds a lock on the log, which ends with the process.
"""

import asyncio
import os
import re
import sys
from contextlib import suppress
from errno import EEXIST
from pathlib import Path
from zlib import crc32

from sparring.errors import StorageError, StoredRunError, is_storage_failure
from sparring.model.events import Event
from sparring.model.run import Run

_SEAL = re.compile(rb',"line":(\d{1,18}),"crc":"([0-9a-f]{8})"\}\n')
_LONGEST = 60
"""Bytes from the end of a line within which its seal begins: lines may have megabytes."""

_EVENT = b'{"kind":"'


def seal(event: bytes, number: int) -> bytes:
    """Return an event's JSON as line `number` (1-based) of a log, with its line end."""
    text = b'%s,"line":%d' % (event[:-1], number)
    return b'%s,"crc":"%08x"}\n' % (text, crc32(text))


def unseal(line: bytes, *, required: bool = False, checked: bool = True) -> tuple[int, bytes]:
    """Return the number of a line, and its event without a line end.

    The number of a line without a seal is 0. Raises ValueError, in words, for a line that is
    damaged, and if a seal is `required` and there is none. If it is not to be `checked`, whatever
    stands there is returned.
    """
    seal = _SEAL.search(line, max(0, len(line) - _LONGEST))
    if seal is None:
        if checked and required:
            raise ValueError("it has no number and checksum: it was overwritten or cut")
        if checked and not (line.startswith(_EVENT) and line.endswith(b"}\n")):
            raise ValueError("it is no event: it was overwritten or cut")
        return 0, line.rstrip(b"\n")
    if checked and crc32(line[: seal.end(1)]) != int(seal[2], 16):
        raise ValueError("its checksum does not match: it was changed")
    return int(seal[1]), line[: seal.start()] + b"}"


MANIFEST = "run.json"
LOG = "log.jsonl"

# As UTF-8: C1 control characters, line separators, what reorders text.
_STEERING = re.compile(rb"\xc2[\x80-\x9f]|\xe2\x80[\x8e\x8f\xa8-\xae]|\xe2\x81[\xa6-\xa9]|\xd8\x9c")


class RunLog:
    """The one writer of a run's folder; use `create` or `reopen`."""

    def __init__(self, folder: Path, descriptor: int) -> None:
        self.folder = folder
        #: Why nothing keeps another process from writing this run; empty if a lock does.
        self.unlocked = _lock(descriptor, folder)
        self.is_resumable = True
        #: Why the log could not be written: nothing more is, as it would stand in the wrong place.
        self.failure: OSError | None = None
        self._descriptor = descriptor
        self._size, self._lines = _whole_lines(descriptor)
        if self._size < os.fstat(descriptor).st_size:
            os.ftruncate(descriptor, self._size)  # the last line was torn by a kill
        self._syncing: asyncio.Task[None] | None = None
        self._waiting: asyncio.Task[None] | None = None

    @classmethod
    def create(cls, folder: Path, run: Run) -> "RunLog":
        """Make the folder with its manifest and an empty log; raises StoredRunError."""
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if any(folder.iterdir()):  # a claimed folder is empty
                raise not_stored(
                    f"the run cannot be stored in {folder}", FileExistsError(EEXIST, "File exists")
                )
            temporary = folder / f"{MANIFEST}.new"
            temporary.write_text(run.model_dump_json(indent=2) + "\n", encoding="utf-8")
            temporary.replace(folder / MANIFEST)
            log = cls._open(folder, os.O_CREAT)
            log.is_resumable = run.kind == "run"
            _sync_folder(folder)
        except OSError as err:
            for path in (folder / LOG, folder / MANIFEST, folder / f"{MANIFEST}.new"):
                with suppress(OSError):
                    path.unlink()
            with suppress(OSError):
                folder.rmdir()
            raise not_stored(f"the run cannot be stored in {folder}", err) from err
        return log

    @classmethod
    def reopen(cls, folder: Path) -> "RunLog":
        """Go on with a log, after cutting off a torn last line.

        Raises StoredRunError if it cannot be written, or another process is writing it.
        """
        path = folder / LOG
        if path.is_symlink():  # else somebody else's run could make us write anywhere
            raise StoredRunError(f"{path} is a link: it is not resumed")
        try:
            return cls._open(folder)
        except OSError as err:
            raise not_stored(f"{path} cannot be written", err) from err

    @classmethod
    def _open(cls, folder: Path, flags: int = 0) -> "RunLog":
        descriptor = os.open(folder / LOG, os.O_RDWR | os.O_APPEND | flags, 0o644)
        try:
            return cls(folder, descriptor)
        except BaseException:
            os.close(descriptor)
            raise

    def append(self, line: bytes) -> None:
        """Append one event's JSON, without its line end: all of it, or nothing and OSError."""
        if self.failure is not None:
            raise self.failure
        if not line.isascii():  # so that a log can be looked at on a terminal
            line = _STEERING.sub(_escape, line)
        line = seal(line, self._lines + 1)
        left = memoryview(line)
        try:
            while left:
                left = left[os.write(self._descriptor, left) :]
        except OSError as err:
            self.failure = err
            with suppress(OSError):
                os.ftruncate(self._descriptor, self._size)
            raise
        self._size += len(line)
        self._lines += 1

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
        try:
            await asyncio.to_thread(os.fsync, self._descriptor)
        except OSError as err:
            self.failure = err
            raise

    def close(self) -> None:
        """Sync and close the log; raises StoredRunError if that cannot be done."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor < 0:
            return
        try:
            if self.failure is None:
                os.fsync(descriptor)
        except OSError as err:
            self.failure = err
            raise self._not_stored(err) from err
        finally:
            os.close(descriptor)

    def __enter__(self) -> "RunLog":
        return self

    def __exit__(self, kind: object, err: BaseException | None, trace: object) -> None:
        """Close the log; raises StoredRunError in place of what it failed with inside."""
        self.close()
        if self.failure is not None:
            raise self._not_stored(self.failure) from self.failure

    def _not_stored(self, err: OSError) -> StoredRunError:
        advice = f"; what was judged is kept; resume with: sparring run --resume {self.folder}"
        what = f"the log in {self.folder} cannot be written"
        return not_stored(what, err, advice * self.is_resumable)


def not_stored(what: str, err: OSError, advice: str = "") -> StoredRunError:
    """The error for a run that cannot be written: a StorageError if the disk is at fault."""
    kind = StorageError if is_storage_failure(err, writing=True) else StoredRunError
    return kind(f"{what}: {err.strerror or err}{advice}")


def _escape(found: re.Match[bytes]) -> bytes:
    return b"\\u%04x" % ord(found[0].decode())


def _whole_lines(descriptor: int) -> tuple[int, int]:
    """The length of the log up to its last line end, and how many lines that are."""
    size = at = lines = 0
    while block := os.pread(descriptor, 1_048_576, at):
        if count := block.count(b"\n"):
            size, lines = at + block.rfind(b"\n") + 1, lines + count
        at += len(block)
    return size, lines


def _lock(descriptor: int, folder: Path) -> str:
    """Hold a log until it is closed or the process ends; says why if there are no locks here.

    A lock of the whole file (``flock``) belongs to the open file: none is left by a kill, reading
    the log meanwhile does not end it, and the same process cannot hold it twice. Raises
    StoredRunError if the log is held already.
    """
    if sys.platform == "win32":
        return f"this system has no file locks: take care that nothing else writes {folder}"
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as err:
        raise StoredRunError(
            f"{folder} is being written by {_holder(os.fstat(descriptor).st_ino)}; wait for it to "
            "end, or end it, and resume the run then"
        ) from err
    except OSError as err:  # some network file systems
        return (
            f"the file system of {folder} has no locks ({err.strerror}): take care that nothing "
            "else writes this run"
        )
    return ""


def _holder(inode: int) -> str:
    """The process that holds the lock of a file, as Linux lists it."""
    with suppress(OSError, ValueError):
        for line in Path("/proc/locks").read_text(encoding="ascii").splitlines():
            # 1: FLOCK  ADVISORY  WRITE 4242 fe:00:2252804 0 EOF
            _, kind, _, access, process, place, *_ = line.split()
            if (kind, access, place.rpartition(":")[2]) == ("FLOCK", "WRITE", str(inode)):
                name = Path(f"/proc/{process}/comm").read_text(encoding="utf-8").strip()
                return f"process {process} ({name})"
    return "another process"


def _sync_folder(folder: Path) -> None:
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
