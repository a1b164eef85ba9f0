"""Standard output and error whose reader may leave before the program ends."""

import errno
import io
import os
import stat
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, TextIO, cast

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

# Windows reports a pipe without a reader as an invalid argument.
_READER_GONE = (errno.EPIPE, errno.ESHUTDOWN, *((errno.EINVAL,) if sys.platform == "win32" else ()))


class _Pipe(io.FileIO):
    """A pipe into which writing always succeeds: what nobody reads any more is dropped."""

    _gone = False

    def write(self, data: "ReadableBuffer", /) -> int:
        """Write, or drop, and return how many bytes are dealt with."""
        if not self._gone:
            try:
                return super().write(data)
            except OSError as err:
                if err.errno not in _READER_GONE:
                    raise
                self._gone = True
        return memoryview(data).nbytes


@contextmanager
def readers_may_leave() -> Generator[None]:
    """Let what is run inside go on if the reader of its output goes away.

    ``sparring run | head -1`` ends with the exit code of the run: a closed pipe is no failure of
    the run, and no success either. A stream that is closed from the start (``>&-``) drops all.
    """
    before = sys.stdout, sys.stderr
    tolerant = tuple(_tolerant(stream) for stream in before)
    sys.stdout, sys.stderr = tolerant
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before
        for stream, given in zip(tolerant, before, strict=True):
            if given is None:
                stream.close()
            elif stream is not given:
                stream.flush()


def _tolerant(stream: TextIO | None) -> TextIO:
    """Return a stream that writes to the same place; the stream itself if that is no pipe."""
    if stream is None:
        return Path(os.devnull).open("w", encoding="utf-8")
    if not isinstance(stream, io.TextIOWrapper) or not _is_pipe(cast("TextIO", stream)):
        return cast("TextIO", stream)
    with suppress(OSError):
        stream.flush()  # what was written before comes first
    return io.TextIOWrapper(
        io.BufferedWriter(_Pipe(stream.fileno(), "w", closefd=False)),
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )


def _is_pipe(stream: TextIO) -> bool:
    """Whether somebody reads at another end; no if the stream is closed or has no file."""
    try:
        mode = os.fstat(stream.fileno()).st_mode
    except (OSError, ValueError):
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)
