"""Options that several commands share, and what they mean."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from sparring.discovery import catalog, drivers
from sparring.discovery.groups import GROUPS
from sparring.documents.checking import nearest
from sparring.documents.reading import parse
from sparring.errors import ConfigurationError, SparringError
from sparring.interfaces.plugin import Use
from sparring.store import SALVAGE, find_run
from sparring.store.log import MANIFEST

_REPORTERS = "sparring.reporters"

CommandT = TypeVar("CommandT", bound=Callable[..., Any])


def overrides(pairs: Sequence[str]) -> dict[str, Any]:
    """``--set key=value`` pairs as data; the values are YAML. Raises ConfigurationError."""
    data: dict[str, Any] = {}
    for pair in pairs:
        key, sign, value = pair.partition("=")
        if not sign or not key:
            raise ConfigurationError(f"--set {pair!r}: expected key=value, as in app.url=http://…")
        data[key] = parse(value, f"--set {key}").data
    return data


def outputs(paths: Sequence[str], *, compat: str | None = None) -> tuple[Use, ...]:
    """The reporters that write the files of ``-o``, chosen by the files' endings.

    Each file may also be written ``NAME=FILE`` to name the reporter. Raises ConfigurationError.
    """
    return tuple(_output(path, compat) for path in paths)


def _output(text: str, compat: str | None) -> Use:
    name, sign, path = text.partition("=")
    reporters = catalog.names(_REPORTERS)
    if sign and name in reporters:
        chosen = name
    else:
        path = text
        chosen = _by_suffix(path, reporters)
    part = drivers.load(GROUPS[_REPORTERS], chosen)
    settings: dict[str, Any] = {"path": str(Path(path).absolute()) if path != "-" else "-"}
    if compat and "compat" in part.Config.model_fields:
        settings["compat"] = compat
    if "path" not in part.Config.model_fields:
        raise ConfigurationError(f"-o {text}: the reporter {chosen!r} writes no file")
    return Use(use=chosen, **settings)


def _by_suffix(path: str, known: Sequence[str]) -> str:
    endings: dict[str, str] = {}
    for name in known:
        for ending in drivers.load(GROUPS[_REPORTERS], name).suffixes:
            endings.setdefault(ending, name)
    for ending, name in sorted(endings.items(), key=lambda item: -len(item[0])):
        if path.lower().endswith(ending):
            return name
    raise ConfigurationError(
        f"-o {path}: no reporter writes this kind of file."
        + nearest(Path(path).suffix, sorted(endings))
        + " Or name the reporter: -o html=FILE."
    )


def suite_path(given: str | None) -> Path:
    """The suite named on the command line, else the nearest one upwards."""
    from sparring.suite.reading import find_suite

    return Path(given) if given else find_suite(Path.cwd())


def run_names(ctx: click.Context, _param: click.Parameter, begun: str) -> list[str]:
    """The stored runs whose names begin so, newest first, for the shell to complete."""
    folder = Path(ctx.params.get("runs") or "runs")
    folders = [path.parent for path in folder.glob(f"*/{MANIFEST}")]
    if not folders:  # from the folder above a suite: a folder of a run can be named, too
        folders = [path.parent for path in Path().glob(f"*/{folder}/*/{MANIFEST}")]
    newest = sorted(folders, key=lambda path: path.name, reverse=True)
    names = [path.name if path.parent == folder else path.as_posix() for path in newest]
    return [name for name in ["last", *names] if name.startswith(begun)]


def case_names(ctx: click.Context, _param: click.Parameter, begun: str) -> list[str]:
    """The cases of the run before it, for the shell to complete."""
    try:
        stored = find_run(ctx.params.get("run") or "last", Path(ctx.params.get("runs") or "runs"))
        return [case_id for case_id in stored.case_ids if case_id.startswith(begun)][:500]
    except (OSError, SparringError):
        return []


def _salvage(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    """Let this command read damaged runs."""
    if value:
        token = SALVAGE.set(True)
        ctx.call_on_close(lambda: SALVAGE.reset(token))


run_argument = click.argument("run", default="last", shell_complete=run_names)
salvage_option = click.option(
    "--salvage", is_flag=True, expose_value=False, callback=_salvage,
    help="Leave damaged lines of the run's log out, instead of refusing it; they are counted.",
)  # fmt: skip
set_option = click.option(
    "--set", "settings", multiple=True, metavar="KEY=VALUE",
    help="Replace a key of the suite, as in --set app.url=http://127.0.0.1:8000.",
)  # fmt: skip
output_option = click.option(
    "-o", "--output", "output", multiple=True, metavar="FILE",
    help="Also write a report; its kind follows from the file's ending.",
)  # fmt: skip


class RunsFolder(click.Path):
    """The folder of runs, or the copy of those at an address such as ``s3://bucket/runs``."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """See `click.ParamType.convert`."""
        if isinstance(value, str) and "://" in value:
            from sparring_plugins.output.remote_runs import local_copy

            value = local_copy(value)
        return super().convert(value, param, ctx)


runs_option = click.option(
    "--runs", "runs", type=RunsFolder(path_type=Path), metavar="FOLDER",
    help="Where runs are stored: a folder, or an address (else the suite's key 'runs').",
)  # fmt: skip
no_plugin_option = click.option(
    "--no-plugin", "disabled", multiple=True, metavar="NAME", help="Switch a listener off."
)
strict_option = click.option("--strict", is_flag=True, help="Count inconclusive as failed.")
exit_zero_option = click.option(
    "--exit-zero", is_flag=True, help="Exit with 0 whatever the verdicts are."
)


def result_options(command: CommandT) -> CommandT:
    """Give a command that stores a run the options on its reports, its folder and its exit code."""
    for option in (
        exit_zero_option,
        strict_option,
        no_plugin_option,
        runs_option,
        output_option,
    ):
        command = option(command)
    return command
