"""The table of subcommands, each imported when it is called; errors become exit codes.

Nothing heavy is imported here: ``sparring --help`` costs click and no more.
"""

import os
import sys
from contextlib import suppress
from importlib import import_module
from typing import Any, cast

import click

from sparring.cli.streams import readers_may_leave
from sparring.engine.exit_codes import INTERNAL, INTERRUPTED, MEANINGS, PASSED, USAGE

_COMMANDS = {
    "run": ("sparring.cli.run:run", "Play a suite's cases, judge them, write reports."),
    "check": ("sparring.cli.check:check", "Judge stored conversations again, without the app."),
    "validate": ("sparring.cli.validate:validate", "Check a suite and all it names; run nothing."),
    "show": ("sparring.cli.show:show", "Show a stored run, or one conversation of it."),
    "report": ("sparring.cli.report:report", "Make a report of a stored run."),
    "plugins": ("sparring.cli.plugins:plugins", "List what is installed, and what is broken."),
}

TRACEBACK = "SPARRING_TRACEBACK"
"""The environment variable that shows whole tracebacks of internal errors."""


class LazyGroup(click.Group):
    """A group whose commands are imported when they are needed, not for its help."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in the order of the table."""
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one command, ours or a plugin's; None for an unknown name."""
        if cmd_name not in _COMMANDS:
            return _of_plugin(cmd_name)
        module, _, attribute = _COMMANDS[cmd_name][0].partition(":")
        command: click.Command = getattr(import_module(module), attribute)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """One table: the core's commands in the order above, then those of plugins by name."""
        from sparring.cli.plugin_commands import help_lines

        own = [(name, line) for name, (_, line) in _COMMANDS.items()]
        with formatter.section("Commands"):
            formatter.write_dl([*own, *help_lines()])

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The exit codes, from the one table of them."""
        with formatter.section("Exit codes"):
            formatter.write_dl([(str(code), text) for code, text in MEANINGS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; an unknown name is answered with the nearest one."""
        if args and args[0] not in _COMMANDS and not args[0].startswith("-"):
            from difflib import get_close_matches

            added = _added()
            if args[0] in added:
                return super().resolve_command(ctx, args)
            close = get_close_matches(args[0], [*_COMMANDS, *added], n=1)
            hint = f" Did you mean {close[0]!r}?" if close else ""
            listed = ", ".join([*_COMMANDS, *added])
            ctx.fail(f"there is no command {args[0]!r}.{hint} Commands: {listed}.")
        return super().resolve_command(ctx, args)


def _added() -> list[str]:
    """The names of the commands that plugins add."""
    from sparring.discovery import catalog
    from sparring.discovery.groups import COMMANDS

    return catalog.names(COMMANDS)


def _of_plugin(name: str) -> click.Command | None:
    """The command that a plugin adds under a name; None where none does."""
    if name not in _added():
        return None
    from sparring.discovery import drivers
    from sparring.discovery.groups import COMMANDS

    command: click.Command = drivers.load_value(COMMANDS, name)
    return command


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
    event_loop = sys.modules.get("sparring.event_loop")
    if event_loop is not None and event_loop.left_behind:
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
            return _failed(_only_one(err))
        return result if isinstance(result, int) else PASSED


def _failed(err: BaseException) -> int:
    """Show what ended a command, and return the exit code for it."""
    from sparring.errors import PartError, SparringError

    if isinstance(err, SparringError) and not isinstance(err, PartError):
        _complain(_text_of(err))
        return USAGE
    if isinstance(err, OSError) and _is_about_files(err):
        about = f"{err.filename}: " if err.filename is not None else ""
        _complain(f"{about}{err.strerror or err}")
        return USAGE
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
    from sparring.blame import message_of

    try:
        return str(err)
    except Exception:  # noqa: BLE001 - see above
        return message_of(err)


def _complain_of_bug(err: BaseException) -> None:
    """Show an error that nobody raised on purpose: its last frame, or all of them if wanted."""
    from traceback import format_exception

    from sparring.blame import described
    from sparring.errors import PartError

    _complain(f"internal error: {_text_of(err) if isinstance(err, PartError) else described(err)}")
    if os.environ.get(TRACEBACK, "") in ("", "0"):
        _complain(f"{TRACEBACK}=1 in the environment shows where it comes from")
    else:
        _complain("".join(format_exception(err)))


def _complain(message: str) -> None:
    """Show an error, line by line, without escape codes and without secrets."""
    from sparring.cli.terminal import plain_lines
    from sparring.suite.environment import Redactor

    for line in plain_lines(Redactor().message(message)):
        click.echo(f"sparring: {line}", err=True)


def _printable() -> None:
    """Let a console of a narrow encoding show a mark instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")
