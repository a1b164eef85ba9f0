"""The program ``sparring``: imports the command that is called, and turns errors into exit codes.

Nothing heavy is imported here: ``sparring --help`` costs click and no more.
"""

import errno
import io
import os
import stat
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, cast

import click

from sparring.engine.exit_codes import INTERNAL, INTERRUPTED, MEANINGS, NOT_STORED, PASSED, USAGE

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
        for stream, original in zip(tolerant, before, strict=True):
            if original is None:
                stream.close()
            elif stream is not original:
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


_SECTIONS = ("run", "look", "write", "measure", "develop")
"""The sections of the help; a command whose module names no other one stands under ``other``."""

TRACEBACK = "SPARRING_TRACEBACK"
"""The environment variable that shows whole tracebacks of internal errors."""


class LazyGroup(click.Group):
    """A group whose commands are imported when they are needed, not for its help."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all installed commands."""
        from sparring.discovery import catalog
        from sparring.discovery.catalog import GROUP

        return catalog.names(GROUP)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one command; None for an unknown name."""
        if cmd_name not in self.list_commands(ctx):
            return None
        from sparring.discovery import drivers
        from sparring.discovery.groups import COMMANDS

        command: click.Command = drivers.load_value(COMMANDS, cmd_name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """A table for each section, sorted by name."""
        from sparring.discovery.catalog import help_lines

        lines: dict[str, list[tuple[str, str]]] = {}
        for name, section, line in help_lines():
            heading = section if section in _SECTIONS else "other"
            lines.setdefault(heading, []).append((name, line))
        for section in (*_SECTIONS, "other"):
            if section in lines:
                with formatter.section(section.capitalize()):
                    rows = lines[section]  # a command that is called as its section comes first
                    formatter.write_dl(sorted(rows, key=lambda row: row[0] != section))

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The exit codes, from the one table of them."""
        with formatter.section("Exit codes"):
            formatter.write_dl([(str(code), text) for code, text in MEANINGS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; an unknown name is answered with the nearest one."""
        names = self.list_commands(ctx)
        if args and args[0] not in names and not args[0].startswith("-"):
            from sparring.errors import nearest_hint

            hint = nearest_hint(args[0], names)
            ctx.fail(f"there is no command {args[0]!r}.{hint} Commands: {', '.join(names)}.")
        return super().resolve_command(ctx, args)


def _version(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        from sparring import __version__

        click.echo(f"sparring {__version__}")
        ctx.exit()


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option(
    "--version", is_flag=True, callback=_version, expose_value=False, is_eager=True,
    help="Show the version and exit.",
)  # fmt: skip
def sparring() -> None:
    """Test anything a person can talk to."""


def main(args: list[str] | None = None) -> None:
    """The program ``sparring``: never returns.

    Numpy's OpenBLAS gets one thread unless the environment says how many: for products as small
    as those of plugins more of them wait for each other, and round as their number has it.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    code = invoke(args)
    time_limits = sys.modules.get("sparring.time_limits")
    if time_limits is not None and time_limits.left_behind:
        # A part's thread that never returns would keep the interpreter from ending.
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):
                stream.flush()
        os._exit(code)
    sys.exit(code)


def invoke(args: list[str] | None = None) -> int:
    """Run a command line and return its exit code.

    Deliberate errors are shown in one paragraph (exit code 2), and so is whatever else a part, a
    plugin's command or Sparring itself raises (6): never as the code of a failed or passed run.
    """
    with readers_may_leave():
        _printable()
        try:
            result: Any = sparring.main(args=args, prog_name="sparring", standalone_mode=False)
        except (click.exceptions.Abort, KeyboardInterrupt):
            click.echo("interrupted", err=True)
            return INTERRUPTED
        except click.ClickException as err:
            err.show()
            return USAGE
        except BaseException as err:  # noqa: BLE001 - SystemExit(0) of a plugin would be green
            is_completed = isinstance(err, SystemExit) and "_SPARRING_COMPLETE" in os.environ
            return PASSED if is_completed else _failed(_only_one(err))
        return result if isinstance(result, int) else PASSED


def _failed(err: BaseException) -> int:
    """Show what ended a command, and return the exit code for it."""
    from sparring.errors import PartError, SparringError, is_storage_failure

    code = NOT_STORED if is_storage_failure(err) else USAGE
    if isinstance(err, SparringError) and (code == NOT_STORED or not isinstance(err, PartError)):
        _complain(_text_of(err))
        return code
    if isinstance(err, OSError) and _is_about_files(err):
        about = f"{err.filename}: " if err.filename is not None else ""
        _complain(f"{about}{err.strerror or err}")
        return code
    _complain_of_bug(err)
    return INTERNAL


def _only_one(err: BaseException) -> BaseException:
    """The error in a group that holds no other; parts that work side by side raise groups."""
    if not isinstance(err, BaseExceptionGroup):
        return err
    group = cast("BaseExceptionGroup[BaseException]", err)
    return _only_one(group.exceptions[0]) if len(group.exceptions) == 1 else group


def _is_about_files(err: OSError) -> bool:
    """Whether a file or folder that the user named, or the disk, is at fault.

    Others are our bug or a part's: a TimeoutError, or a refused connection that nobody expected.
    """
    others = (ConnectionError, TimeoutError, BlockingIOError, ChildProcessError, ProcessLookupError)
    return err.errno is not None and not isinstance(err, others)


def _text_of(err: Exception) -> str:
    """What an error says; a plugin's own error may fail to."""
    from sparring.format_error import error_text

    try:
        return str(err)
    except Exception:  # noqa: BLE001 - see above
        return error_text(err)


def _complain_of_bug(err: BaseException) -> None:
    """Show an error that nobody raised on purpose: its last frame, or all of them if wanted."""
    from traceback import format_exception

    from sparring.errors import PartError
    from sparring.format_error import describe_error

    text = _text_of(err) if isinstance(err, PartError) else describe_error(err)
    _complain(f"internal error: {text}")
    if os.environ.get(TRACEBACK, "") in ("", "0"):
        _complain(f"{TRACEBACK}=1 in the environment shows where it comes from")
    else:
        _complain("".join(format_exception(err)))


def _complain(message: str) -> None:
    """Show an error, line by line, without escape codes and without secrets."""
    from sparring.cli.output import plain_lines
    from sparring.suite.environment import Redactor

    for line in plain_lines(Redactor().message(message)):
        click.echo(f"sparring: {line}", err=True)


def _printable() -> None:
    """Let a console of a narrow encoding show a mark instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")
