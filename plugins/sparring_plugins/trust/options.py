"""The options ``--untrusted`` and ``--allow-code`` of commands that read suites."""

import os
from collections.abc import Callable, Iterator
from functools import wraps
from pathlib import Path
from typing import Any, cast

import click

from sparring.errors import ConfigurationError
from sparring.suite.policy import policed
from sparring.suite.reading import find_suite
from sparring_plugins.trust.confinement import confined
from sparring_plugins.trust.suite_policy import Consent, Untrusted

Command = Callable[..., int]

_FILES = ("suite", "file", "study", "plan")
"""Arguments and options of commands that name a file, whose folder is the stranger's."""

_NAMED = (
    *(*_FILES, "run", "output", "runs", "rules", "conversations", "resume"),
    *("results", "folder", "to"),
)
"""Arguments and options of commands that name files and folders."""


def may_be_untrusted(command: Command) -> Command:
    """Add ``--untrusted`` and what it allows to a command; stands next to the function."""

    @wraps(command)
    def wrapper(
        *args: Any,
        untrusted: bool,
        allow_env: tuple[str, ...],
        allow_address: tuple[str, ...],
        **settings: Any,
    ) -> int:
        if not untrusted:
            return command(*args, **settings)
        addresses = frozenset(address.lower() for address in allow_address)
        policy = Untrusted(allow_env, addresses, frozenset(os.environ))
        folders = [*_folders(settings)]
        with policed(policy), confined(folders, allow_env, addresses):
            return command(*args, **settings)

    wrapper = click.option(
        "--allow-address", multiple=True, metavar="HOST:PORT",
        help="With --untrusted: an address of this machine or its network that may be reached.",
    )(wrapper)  # fmt: skip
    wrapper = click.option(
        "--allow-env", multiple=True, metavar="NAME",
        help="With --untrusted: an environment variable that the suite may have.",
    )(wrapper)  # fmt: skip
    return click.option(
        "--untrusted", is_flag=True,
        help="The suite is a stranger's: no code, no programs, nothing outside its folder.",
    )(wrapper)  # fmt: skip


def needs_consent(command: Command) -> Command:
    """Add ``--allow-code``, without which code that a suite names by its path is not imported."""

    @wraps(command)
    def wrapper(*args: Any, allow_code: bool, **settings: Any) -> int:
        if allow_code:
            return command(*args, **settings)
        with policed(Consent()):
            return command(*args, **settings)

    return click.option(
        "--allow-code", is_flag=True, help="Import code that the suite names by its path."
    )(wrapper)


def _folders(settings: dict[str, Any]) -> Iterator[Path]:
    """The suite's folder, and what else the user named on the command line."""
    for name in _NAMED:
        value: Any = settings.get(name)
        items = cast("tuple[Any, ...]", value if isinstance(value, tuple) else (value,))
        for item in items:
            if isinstance(item, (str, Path)) and str(item) not in ("", "-"):
                path = Path(str(item).rpartition("=")[2]).absolute()
                yield path.parent if name in _FILES and not path.is_dir() else path
                yield path.with_name(f".{path.name}.new")  # until a report is whole
    if settings.get("suite") is None:
        try:
            yield find_suite(Path.cwd()).absolute().parent
        except ConfigurationError:
            yield Path.cwd()
