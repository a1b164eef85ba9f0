"""``sparring view``."""

import socket
import webbrowser
from pathlib import Path
from secrets import token_urlsafe
from threading import Timer

import click

from sparring.cli.output import plain, shown
from sparring.documents.checking import nearest
from sparring.errors import ConfigurationError
from sparring.suite.reading import find_suite, load_suite
from sparring_plugins.output.arguments import RunsFolder
from sparring_plugins.output.remote_runs import remote_runs
from sparring_plugins.viewer.run_list import RunList

HELP_SECTION = "look"

_HOST = "127.0.0.1"


@click.command()
@click.argument("runs", required=False, type=RunsFolder(path_type=Path))
@click.option("--port", type=click.IntRange(0, 65_535), default=0, help="Default: any free one.")
@click.option("--no-open", is_flag=True, help="Print the address, and open no browser.")
@click.option(
    "--labels", type=click.Path(path_type=Path, file_okay=False), metavar="FOLDER",
    help="Where labels are written; default: beside the suite.",
)  # fmt: skip
def view(runs: Path | None, port: int, no_open: bool, labels: Path | None) -> int:
    """Look at stored runs in the browser: findings, conversations, progress, labels.

    RUNS is a folder of runs, an address of runs, or one run; without it, the runs of the suite that
    lies here. Runs at an address are fetched once, at the start. The page is served to this machine
    alone, at an address with a token; Ctrl-C ends it.
    """
    folder = _runs_folder(runs)
    try:
        import uvicorn

        from sparring_plugins.viewer.application import viewer_application
    except ImportError as err:
        raise ConfigurationError(
            f"the viewer needs the package {err.name!r}: pip install 'sparring[view]'"
        ) from err
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((_HOST, port))
            listener.listen()
        except OSError as err:
            raise ConfigurationError(f"--port {port}: {err.strerror}; try another one") from err
        bound = listener.getsockname()[1]
        token = token_urlsafe(24)
        application = viewer_application(folder, token=token, port=bound, labels=labels)
        address = f"http://{_HOST}:{bound}/?token={token}"
        click.echo(f"runs in {plain(str(shown(folder)))}: {address}")
        click.echo("Ctrl-C ends it")
        if not no_open:
            Timer(0.3, webbrowser.open, (address,)).start()
        config = uvicorn.Config(
            application,
            log_level="warning",
            access_log=False,
            ws="none",
            lifespan="off",
            timeout_graceful_shutdown=1,
        )
        uvicorn.Server(config).run(sockets=[listener])
    return 0


def _runs_folder(given: Path | None) -> Path:
    """The folder that is meant; raises ConfigurationError if it holds no run."""
    folder = given or _suite_runs()
    if (remote := remote_runs(folder)) is not None:
        remote.fetch_all()
    if not folder.is_dir():
        near = [path.name for path in folder.parent.glob("*") if path.is_dir()]
        hint = nearest(folder.name, near) if near else ""
        raise ConfigurationError(f"there is no folder {plain(str(folder))}.{hint}")
    if given is not None and not RunList(folder).folders() and (folder / "runs").is_dir():
        return folder / "runs"  # the suite's folder
    return folder


def _suite_runs() -> Path:
    """The folder of runs of the suite that lies here, else ``runs``."""
    try:
        loaded = load_suite(find_suite(Path.cwd()))
    except ConfigurationError:
        return Path("runs")
    return loaded.base_dir / loaded.suite.runs
