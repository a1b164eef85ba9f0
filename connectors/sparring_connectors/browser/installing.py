"""Installing a browser: Playwright's own, or the system's package."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from sparring_connectors.browser.finding import Found, NoBrowser, find

Say = Callable[[str], None]
"""Tells the user what is done."""

_PACKAGES = ("chromium", "fonts-dejavu-core")


@dataclass(frozen=True, slots=True)
class Way:
    """A way to a browser: its name, and the commands that go it."""

    name: str
    commands: tuple[tuple[str, ...], ...]


def found(engine: str) -> Found | None:
    """The browser that is installed; None where there is none."""
    try:
        return find(engine, own_path(engine))
    except NoBrowser:
        return None


def own_path(engine: str) -> str:
    """Where Playwright's own browser is or would be."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        return str(getattr(playwright, engine).executable_path)


def ways(engine: str, *, system_only: bool) -> Iterator[Way]:
    """How a browser can be had here, the best way first."""
    if not system_only:
        yield Way(
            "Playwright's own browser", ((sys.executable, "-m", "playwright", "install", engine),)
        )
    if engine == "chromium" and shutil.which("apt-get"):
        yield Way(
            "the system's package",
            (
                (*_as_root(), "apt-get", "update"),
                (*_as_root(), "apt-get", "install", "-y", "--no-install-recommends", *_PACKAGES),
            ),
        )


def install(engine: str, say: Say, *, system_only: bool = False) -> bool:
    """Go the ways to a browser until one leads there; returns whether one did."""
    for way in ways(engine, system_only=system_only):
        say(f"installing {way.name}:")
        if all(_run(command, say) for command in way.commands) and found(engine) is not None:
            return True
        say(f"{way.name} could not be installed")
    return False


def _as_root() -> tuple[str, ...]:
    """What has to stand before a command that only root may run."""
    is_root = not hasattr(os, "geteuid") or os.geteuid() == 0
    return () if is_root else ("sudo", "-n")


def _run(command: tuple[str, ...], say: Say) -> bool:
    say("  " + " ".join(command))
    try:
        done = subprocess.run(command, check=False, stdin=subprocess.DEVNULL)
    except OSError as err:
        say(f"  {command[0]}: {err.strerror or err}")
        return False
    return done.returncode == 0
