"""The reports of the gallery: examples are run, and their reports are kept for the site.

An example that cannot be run on this machine is left out visibly: with a message, and with the
reason in the place of the link on the page.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[1]
GALLERY = ROOT / "build/gallery"
MISSING = ROOT / "build/gallery-missing.json"
"""Why reports are missing, by name; beside the folder, all of which goes into the site."""

NAMES = ("pizzeria", "star-porch", "assistant", "shop")
NOT_BUILT = "this site was built without its gallery"
NO_BROWSER = "no browser was found; `sparring browser install` brings one"

FAULTS_FOUND = 1
"""The exit code of the examples' suites: each app has faults, and each run finds some."""

_LINK = re.compile(r'<a href="\.\./([\w-]+)/report\.html">(.*?)</a>')
_SPARRING = (sys.executable, "-m", "sparring")


def make_gallery() -> None:
    """Run the examples, and keep their reports."""
    missing: dict[str, str] = {}
    with TemporaryDirectory() as folder:
        for name in NAMES:
            shutil.rmtree(GALLERY / name, ignore_errors=True)
            if name == "shop" and not has_browser():
                missing[name] = NO_BROWSER
                print(f"gallery: the report of the {name} is missing: {NO_BROWSER}")  # noqa: T201
                continue
            runs = Path(folder) / name
            _play(name, runs)
            (run,) = runs.glob("*/report.html")
            keep_report(run.parent, GALLERY / name)
    MISSING.write_text(json.dumps(missing), encoding="utf-8")


def has_browser() -> bool:
    """Whether Sparring finds a Chromium, as the shop's suite will."""
    command = [*_SPARRING, "browser", "find"]
    return subprocess.run(command, check=False, capture_output=True).returncode == 0


def _play(name: str, runs: Path) -> None:
    examples = ROOT / "examples"
    suite = [*_SPARRING, "run", "--set", f"runs={runs}"]
    match name:
        case "pizzeria":
            demo = [sys.executable, str(examples / "pizzeria/demo.py"), "--no-open"]
            call([*demo, "--runs", str(runs)], 0)
        case "shop":
            with serve(examples / "shop/server.py") as address:
                call([*suite, str(examples / "shop")], FAULTS_FOUND, SHOP_URL=address)
        case "assistant":
            with serve(examples / "assistant/server.py") as address:
                call([*suite, str(examples / "assistant")], FAULTS_FOUND, WAYSIDE_URL=address)
        case _:
            call([*suite, str(examples / "skills" / name)], FAULTS_FOUND)


def call(command: list[str], code: int, **variables: str) -> None:
    """Run a command; raises RuntimeError if it ends with another code.

    A run that never reached its app has a report, too, a page full of errors: so had the assistant
    while nobody started its server.
    """
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, **variables}
    done = subprocess.run(command, check=False, env=environment, stdout=subprocess.PIPE, text=True)
    if done.returncode != code:
        raise RuntimeError(f"{command} ended with {done.returncode}, not {code}:\n{done.stdout}")


@contextmanager
def serve(program: Path) -> Iterator[str]:
    """Run an example's server at a free port; its address, which it prints once it listens."""
    command = [sys.executable, str(program), "--port", "0"]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        assert process.stdout is not None
        words = process.stdout.readline().split()
        if not words:
            raise RuntimeError(f"{program} did not start: run it by hand to see why")
        yield words[-1]
    finally:
        process.terminate()
        process.wait()


def keep_report(run: Path, target: Path) -> None:
    """Copy a run's report, and the files of the run that it shows, such as pictures of pages."""
    target.mkdir(parents=True)
    shutil.copy(run / "report.html", target)
    if (run / "artifacts").is_dir():
        shutil.copytree(run / "artifacts", target / "artifacts")


def read_missing(path: Path = MISSING) -> dict[str, str]:
    """Return why reports are missing, by name."""
    if not path.is_file():
        return {}
    missing: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))
    return missing


def note_missing(text: str, missing: Mapping[str, str], gallery: Path = GALLERY) -> str:
    """Return the gallery's page with a reason in the place of each link to a missing report."""

    def link_or_note(match: re.Match[str]) -> str:
        name, title = match.groups()
        if (gallery / name / "report.html").is_file():
            return match[0]
        return f"{title} (*not here: {missing.get(name, NOT_BUILT)}*)"

    return _LINK.sub(link_or_note, text)
