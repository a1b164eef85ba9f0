"""Finding a browser on this machine, and installing one: Playwright's own, or a package."""

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from sparring.errors import EnvironmentFailure

# Finding a browser on this machine.

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
class BrowserProgram:
    """A browser's program; `path` is None for the one that Playwright brings itself."""

    path: str | None
    source: str


def find_browser(engine: str, own: str, configured: str | None = None) -> BrowserProgram:
    """Return the browser to start; `own` is the path at which Playwright puts its own.

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
            return BrowserProgram(path, source)
    if own and Path(own).exists():
        return BrowserProgram(None, "Playwright's own")
    if engine != "chromium":
        raise NoBrowser(
            f"Playwright's {engine} is not installed: run 'sparring browser install {engine}'"
        )
    path = next(_system_programs(), None)
    if path is not None:
        return BrowserProgram(path, "the system's")
    raise NoBrowser(f"no Chromium is installed: {WHAT_TO_DO}")


def _system_programs() -> Iterator[str]:
    yield from filter(None, map(shutil.which, _NAMES))
    yield from (str(path) for path in _usual_paths() if path.exists())


def _usual_paths() -> Iterator[Path]:
    if platform.system() == "Darwin":
        roots = (Path("/Applications"), Path.home() / "Applications")
        yield from (root / f"{app}.app/Contents/MacOS/{app}" for app in _MAC for root in roots)
    if platform.system() == "Windows":
        for variable in _PROGRAMS:
            if folder := os.environ.get(variable):
                yield from (Path(folder) / tail for tail in _WINDOWS)


Say = Callable[[str], None]
"""Tells the user what is done."""

_PACKAGES = ("chromium", "fonts-dejavu-core")


@dataclass(frozen=True, slots=True)
class InstallMethod:
    """A way to a browser: its name, and the commands that go it."""

    name: str
    commands: tuple[tuple[str, ...], ...]


def installed_browser(engine: str) -> BrowserProgram | None:
    """Return the browser that is installed, `None` if there is none."""
    try:
        return find_browser(engine, playwright_path(engine))
    except NoBrowser:
        return None


def playwright_path(engine: str) -> str:
    """Return the path at which Playwright has, or would have, its own browser."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        return str(getattr(playwright, engine).executable_path)


def install_methods(engine: str, *, system_only: bool) -> Iterator[InstallMethod]:
    """How a browser can be had here, the best way first."""
    if not system_only:
        yield InstallMethod(
            "Playwright's own browser", ((sys.executable, "-m", "playwright", "install", engine),)
        )
    if engine == "chromium" and shutil.which("apt-get"):
        yield InstallMethod(
            "the system's package",
            (
                (*_root_prefix(), "apt-get", "update"),
                (
                    *_root_prefix(),
                    "apt-get",
                    "install",
                    "-y",
                    "--no-install-recommends",
                    *_PACKAGES,
                ),
            ),
        )


def install(engine: str, say: Say, *, system_only: bool = False) -> bool:
    """Go the ways to a browser until one leads there; returns whether one did."""
    for way in install_methods(engine, system_only=system_only):
        say(f"installing {way.name}:")
        if (
            all(_run_command(command, say) for command in way.commands)
            and installed_browser(engine) is not None
        ):
            return True
        say(f"{way.name} could not be installed")
    return False


def _root_prefix() -> tuple[str, ...]:
    """What has to stand before a command that only root may run."""
    is_root = not hasattr(os, "geteuid") or os.geteuid() == 0
    return () if is_root else ("sudo", "-n")


def _run_command(command: tuple[str, ...], say: Say) -> bool:
    say("  " + " ".join(command))
    try:
        done = subprocess.run(command, check=False, stdin=subprocess.DEVNULL)
    except OSError as err:
        say(f"  {command[0]}: {err.strerror or err}")
        return False
    return done.returncode == 0
