"""What is installed and what is missing: ``doctor`` and ``plugins``."""

import asyncio
import json
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import click

import sparring
from sparring.cli.output import plain
from sparring.discovery import catalog, drivers, hooks
from sparring.discovery.catalog import Listing
from sparring.discovery.groups import FUNCTIONS, GROUPS, HOOKS, HOOKSPECS, SERVICES, VALUES
from sparring.discovery.hookspecs import hookspec
from sparring.errors import ConfigurationError, ModelError, SparringError
from sparring.format_error import describe_error
from sparring.interfaces.abilities import Probing
from sparring.interfaces.app_connector import AppConnector
from sparring.interfaces.plugin import LLMBackend
from sparring.llm.ledger import Prices
from sparring.llm.service import Service
from sparring.model.chat import ChatMessage, ChatRequest
from sparring.suite.building import SuiteContext
from sparring.suite.model import LLMUse
from sparring.suite.reading import LoadedSuite, load_suite
from sparring_plugins.output import arguments

HELP_SECTION = "develop"


def mismatch(listing: Listing) -> str | None:
    """Why a plugin's package does not fit this Sparring, from its requirements; None if it does."""
    from packaging.requirements import InvalidRequirement, Requirement

    for text in listing.requires:
        try:
            requirement = Requirement(text)
        except InvalidRequirement:
            continue
        ours = catalog.normal_name(requirement.name) == catalog.OWN
        if ours and not requirement.specifier.contains(sparring.__version__, prereleases=True):
            return f"it requires sparring{requirement.specifier}, this is {sparring.__version__}"
    return None


Finding = tuple[str, str, str]
"""State (ok, note, bad), subject, what is so."""


@hookspec
def sparring_examine() -> Iterable[tuple[str, str, str]] | None:
    """What this machine has of what the listener's package needs, for ``sparring doctor``.

    Each finding is a state (``ok``, ``note`` or ``bad``), its subject, and what is so, with what to
    do if something is missing. What only some suites need is a note.
    """


@click.command()
@click.argument("suite", required=False)
@click.option("--offline", is_flag=True, help="Do not ask whether the suite's app is there.")
@click.option("--ask", is_flag=True, help="Ask the suite's models one short question each.")
def doctor(suite: str | None, offline: bool, ask: bool) -> int:
    """Look for what is missing: Python, plugins, the suite, its app, its models.

    Plugins of other packages are imported, in other processes. Exits with 2 if something is bad.
    """
    findings = [*_machine(), *_plugins(), *_suite(suite, offline, ask)]
    for state, subject, what in findings:
        click.echo(f"{state:5} {subject}: {plain(what)}")
    return 2 if any(state == "bad" for state, _, _ in findings) else 0


def _machine() -> Iterator[Finding]:
    yield "ok", "sparring", sparring.__version__
    version = platform.python_version()
    yield ("ok" if sys.version_info >= (3, 11) else "bad"), "python", version
    encoding = (sys.stdout.encoding or "").lower()
    if "utf" not in encoding:
        yield "note", "terminal", f"prints {encoding or 'no known encoding'}; marks become '?'"
    free = shutil.disk_usage(Path.cwd()).free / 1e9
    yield ("ok" if free > 1 else "note"), "disk", f"{free:.0f} GB free here"


def _plugins() -> Iterator[Finding]:
    for group in (*GROUPS, FUNCTIONS):
        listed = catalog.listings(group)
        names = [item.name for item in listed]
        yield "ok", group, f"{len(set(names))} installed"
        for item in listed:
            trouble = mismatch(item)
            if names.count(item.name) > 1:
                trouble = "the name is claimed twice"
            if trouble:
                yield "bad", f"{group} {item.name}", f"{trouble} ({item.package})"
    yield from _broken_imports()
    listeners = hooks.load(specs=declared_specs())
    findings: list[Finding] = []
    for name, answers in listeners.answers("sparring_examine"):
        try:
            findings += list(answers)
        except Exception as err:  # noqa: BLE001 - a listener must not stop the others
            findings.append(("bad", f"listener {name}", describe_error(err)))
    for problem in listeners.problems:
        yield "bad", "listener", problem
    if not listeners.problems:
        yield "ok", "listeners", "all load"
    yield from findings


def _broken_imports() -> Iterator[Finding]:
    """Findings of what other packages' plugins raise when they are imported.

    Our own are left to ``plugins --check``: importing all 200 of them takes 5 s.
    """
    rows = [
        row
        for row in _rows()
        if row.package != catalog.OWN and row.group != HOOKS and row.problem is None
    ]
    _check_all(rows)
    for row in rows:
        if row.problem:
            yield "bad", f"{row.group} {row.name}", f"{row.problem} ({row.package}, {row.target})"


def _suite(given: str | None, offline: bool, ask: bool) -> Iterator[Finding]:
    try:
        path = arguments.suite_path(given)
    except ConfigurationError:
        yield "note", "suite", "none here; make one with 'sparring init'"
        return
    try:
        loaded = load_suite(path)
        context = SuiteContext(loaded.base_dir, seed=loaded.suite.seed)
        connector = context.part(AppConnector[Any], loaded.suite.app)
        yield "ok", "suite", str(path)
    except SparringError as err:
        yield "bad", "suite", str(err)
        return
    if not offline:
        yield asyncio.run(_app(loaded.suite.app.use, connector))
    if loaded.suite.llm is not None:
        yield from asyncio.run(_models(loaded, ask=ask and not offline))


async def _models(loaded: LoadedSuite, *, ask: bool) -> list[Finding]:
    """Whether the suite's models can be built, and have a price."""
    llm = loaded.suite.llm
    context = SuiteContext(loaded.base_dir, seed=loaded.suite.seed, llm=llm)
    make: Callable[..., Prices] = drivers.load_value(SERVICES, "prices")
    findings: list[Finding] = []
    try:
        for role in ("", *(llm.roles if llm else ())):
            name = f"llm ({role})" if role else "llm"
            try:
                backend = context.llm(role)
            except SparringError as err:
                findings.append(("bad", name, str(err)))
                continue
            if backend is not None and llm is not None:
                findings.append(
                    _check_price(name, backend, make(llm.prices, listed=backend.listed))
                )
                findings += [await _ask_model(name, backend, llm)] if ask else []
    finally:
        await context.close()
    return findings


def _check_price(name: str, backend: LLMBackend[Any], prices: Prices) -> Finding:
    model = backend.model() or "its own choice of model"
    if backend.free:
        return "ok", name, f"{model}, costs nothing"
    if prices.known(backend.model()):
        return "ok", name, f"{model}, its price is known"
    return "note", name, f"{model}, its price is unknown: budget.cost needs llm.prices"


async def _ask_model(name: str, backend: LLMBackend[Any], llm: LLMUse) -> Finding:
    message = ChatMessage(role="user", content="Answer with the one word: ready")
    request = ChatRequest(messages=(message,), asker="doctor", timeout_s=llm.timeout)
    try:
        reply, _ = await Service(backend, llm).ask(request)
    except ModelError as err:
        return "bad", name, str(err)
    return "ok", name, f"{reply.model or backend.model()} answers in {reply.latency_s:.1f} s"


async def _app(name: str, connector: AppConnector[Any]) -> Finding:
    try:
        if isinstance(connector, Probing):
            await asyncio.wait_for(connector.probe(), 15)
    except SparringError as err:
        return "bad", f"app ({name})", str(err)
    except TimeoutError:
        return "bad", f"app ({name})", "no answer within 15 seconds"
    except Exception as err:  # noqa: BLE001 - a connector's bug is a finding of the doctor's
        return "bad", f"app ({name})", f"the connector failed: {describe_error(err)}"
    finally:
        await connector.close()
    return "ok", f"app ({name})", "is there"


# A plugin that loads a language model takes ten seconds; one that waits for a network never ends.
_PATIENCE_S = 30.0


@dataclass(slots=True)
class Row:
    """One plugin, and what is wrong with it if that was looked for."""

    group: str
    name: str
    target: str
    package: str
    version: str
    problem: str | None = None


@click.command()
@click.option("--check", is_flag=True, help="Import each plugin, in other processes.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def plugins(check: bool, as_json: bool) -> int:
    """List what is installed: from metadata alone, nothing is imported.

    With --check every plugin is imported; the exit code is 2 if one is broken.
    """
    rows = _rows()
    if check:
        _check_all(rows)
    if as_json:
        click.echo(json.dumps([asdict(row) for row in rows], indent=2))
    else:
        _print(rows)
    return 2 if any(row.problem for row in rows) else 0


def _rows() -> list[Row]:
    rows: list[Row] = []
    for group in (*GROUPS, FUNCTIONS, HOOKS, *VALUES):
        listed = catalog.listings(group)
        for item in listed:
            owners = [other.package for other in listed if other.name == item.name]
            rows.append(Row(group, item.name, item.target, item.package, item.version,
                            _trouble(item, owners)))  # fmt: skip
    return rows


def _trouble(item: Listing, owners: list[str]) -> str | None:
    if len(owners) > 1:
        return f"the name is claimed by {' and '.join(owners)}"
    return mismatch(item)


def _print(rows: list[Row]) -> None:
    group = None
    for row in rows:
        if row.group != group:
            group = row.group
            click.echo(f"{group}")
        state = f"  BROKEN: {plain(row.problem)}" if row.problem else ""
        click.echo(f"  {row.name:22} {row.package} {row.version}  {row.target}{state}")


_PROBE = """
import os, sys
from sparring.discovery import drivers, hooks
from sparring.discovery.groups import FUNCTIONS, GROUPS, HOOKS, VALUES
from sparring_plugins.project.installation_commands import declared_specs
said = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)  # what a plugin prints is no answer
broken = None
for plugin in sys.argv[1:]:
    group, name = plugin.split("=", 1)
    try:
        if group == FUNCTIONS:
            drivers.load_function(name)
        elif group in VALUES:
            drivers.load_value(group, name)
        elif group == HOOKS:
            listeners = hooks.load(specs=declared_specs())
            problems = [p for p in listeners.problems if p.startswith(name + " ")]
            if problems:
                raise ImportError(problems[0])
        else:
            drivers.load(GROUPS[group], name)
    except Exception as err:
        broken = str(err).replace(chr(10), " ")
    else:
        print(plugin, file=said, flush=True)
sys.exit(broken)
"""


def _by_package(rows: list[Row]) -> list[list[Row]]:
    packages: dict[str, list[Row]] = {}
    for row in rows:
        packages.setdefault(row.package, []).append(row)
    return list(packages.values())


def _check_all(rows: list[Row]) -> None:
    with ThreadPoolExecutor(max_workers=4) as pool:
        list(pool.map(_check, _by_package(rows)))


def _check(rows: list[Row]) -> None:
    """Import the plugins of a package: all in one process, and alone those that fail there.

    Starting a process takes longer than importing most plugins; what a process of all did not
    come to, because one hung, ended it or is broken, is tried by itself.
    """
    imported, _ = _import_in_child(rows)
    for row in rows:
        if f"{row.group}={row.name}" not in imported:
            row.problem = row.problem or _import_in_child([row])[1]


def _import_in_child(rows: list[Row]) -> tuple[set[str], str | None]:
    """What a child could import, and the last problem that it had; it may hang or crash."""
    plugins = [f"{row.group}={row.name}" for row in rows]
    try:
        done = subprocess.run(
            [sys.executable, "-c", _PROBE, *plugins], capture_output=True, text=True,
            timeout=_PATIENCE_S + len(rows), errors="replace", stdin=subprocess.DEVNULL,
            check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired as err:
        # What was imported before one hung need not be tried again, each in a process of its own.
        before = err.stdout.decode("utf-8", "replace") if isinstance(err.stdout, bytes) else ""
        problem = f"its import takes longer than {_PATIENCE_S:g} seconds"
        return set(before.splitlines()), problem
    imported = set(done.stdout.splitlines())
    if done.returncode == 0 and imported >= {*plugins}:
        return imported, None
    lines = done.stderr.strip().splitlines()
    return imported, (
        lines[-1] if lines else f"its import ends the process with code {done.returncode}"
    )


def declared_specs() -> list[Callable[..., Any]]:
    """Import and return the hooks that plugins call, without those of broken modules."""
    specs: list[Callable[..., Any]] = []
    for point in catalog.advertised(HOOKSPECS):
        with suppress(Exception):  # a command that does not import is reported as a command
            specs.append(point.load())
    return specs
