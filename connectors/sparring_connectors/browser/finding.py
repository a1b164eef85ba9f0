"""Finding a browser on this machine."""

import os
import platform
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sparring.errors import EnvironmentFailure

VARIABLE = "SPARRING_CHROMIUM"
_NAMES = (
    "chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome",
    "microsoft-edge",
)  # fmt: skip
_MAC = ("Google Chrome", "Chromium", "Microsoft Edge")
_WINDOWS = (r"Google\Chrome\Application\chrome.exe", r"Microsoft\Edge\Application\msedge.exe")
_PROGRAMS = ("PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA")

WHAT_TO_DO = (
    "run 'sparring browser install', or install your system's chromium or google-chrome package, "
    f"or name the program in {VARIABLE}"
)


class NoBrowser(EnvironmentFailure):
    """No browser is installed, or the one that was asked for is not there."""


@dataclass(frozen=True, slots=True)
class Found:
    """A browser's program; `path` is None for the one that Playwright brings itself."""

    path: str | None
    source: str


def find(engine: str, own: str, configured: str | None = None) -> Found:
    """The browser to start; `own` is where Playwright would have put its own.

    What the suite or the environment asks for is obeyed or refused with NoBrowser. Then come
    Playwright's own browser, the programs on PATH, and the usual places of macOS and Windows.
    """
    asked = [("executable", configured)]
    if engine == "chromium":
        asked.append((VARIABLE, os.environ.get(VARIABLE)))
    for source, value in asked:
        if value:
            path = shutil.which(value)
            if path is None:
                raise NoBrowser(
                    f"{source} names {value!r}, which is no program here: name one that is, or "
                    "leave it out ('sparring browser find' tells what is found then)"
                )
            return Found(path, source)
    if own and Path(own).exists():
        return Found(None, "Playwright's own")
    if engine != "chromium":
        raise NoBrowser(
            f"Playwright's {engine} is not installed: run 'sparring browser install {engine}'"
        )
    path = next(_of_the_system(), None)
    if path is not None:
        return Found(path, "the system's")
    raise NoBrowser(f"no Chromium is installed: {WHAT_TO_DO}")


def _of_the_system() -> Iterator[str]:
    yield from filter(None, map(shutil.which, _NAMES))
    yield from (str(path) for path in _usual_places() if path.exists())


def _usual_places() -> Iterator[Path]:
    if platform.system() == "Darwin":
        roots = (Path("/Applications"), Path.home() / "Applications")
        yield from (root / f"{app}.app/Contents/MacOS/{app}" for app in _MAC for root in roots)
    if platform.system() == "Windows":
        for variable in _PROGRAMS:
            if folder := os.environ.get(variable):
                yield from (Path(folder) / tail for tail in _WINDOWS)
