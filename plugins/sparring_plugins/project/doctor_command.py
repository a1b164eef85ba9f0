"""``sparring doctor``."""

import asyncio
import platform
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

import sparring
from sparring.blame import described
from sparring.cli import arguments
from sparring.cli.terminal import plain
from sparring.discovery import catalog, hooks
from sparring.discovery.groups import FUNCTIONS, GROUPS
from sparring.errors import ConfigurationError, ModelError, SparringError
from sparring.interfaces.app_connector import AppConnector
from sparring.interfaces.llm_backend import LLMBackend
from sparring.llm.prices import Prices
from sparring.llm.service import Service
from sparring.model.chat import ChatMessage, ChatRequest
from sparring.suite.building import SuiteContext
from sparring.suite.model import LLMUse
from sparring.suite.reading import LoadedSuite, load_suite

Finding = tuple[str, str, str]
"""State (ok, note, bad), subject, what is so."""


@click.command()
@click.argument("suite", required=False)
@click.option("--offline", is_flag=True, help="Do not ask whether the suite's app is there.")
@click.option("--ask", is_flag=True, help="Ask the suite's models one short question each.")
def doctor(suite: str | None, offline: bool, ask: bool) -> int:
    """Look for what is missing: Python, plugins, the suite, its app, its models.

    Exits with 2 if something is bad.
    """
    found = [*_machine(), *_plugins(), *_suite(suite, offline, ask)]
    for state, subject, what in found:
        click.echo(f"{state:5} {subject}: {plain(what)}")
    return 2 if any(state == "bad" for state, _, _ in found) else 0


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
        yield "ok", group, ", ".join(dict.fromkeys(names)) or "none"
        for item in listed:
            trouble = catalog.mismatch(item)
            if names.count(item.name) > 1:
                trouble = "the name is claimed twice"
            if trouble:
                yield "bad", f"{group} {item.name}", f"{trouble} ({item.package})"
    listeners = hooks.load()
    found: list[Finding] = []
    for name, told in listeners.answers("sparring_examine"):
        try:
            found += list(told)
        except Exception as err:  # noqa: BLE001 - a listener must not stop the others
            found.append(("bad", f"listener {name}", described(err)))
    for problem in listeners.problems:
        yield "bad", "listener", problem
    if not listeners.problems:
        yield "ok", "listeners", "all load"
    yield from found


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
    found: list[Finding] = []
    try:
        for role in ("", *(llm.roles if llm else ())):
            name = f"llm ({role})" if role else "llm"
            try:
                backend = context.llm(role)
            except SparringError as err:
                found.append(("bad", name, str(err)))
                continue
            if backend is not None and llm is not None:
                found.append(_priced(name, backend, Prices(llm.prices, listed=backend.listed)))
                found += [await _asked(name, backend, llm)] if ask else []
    finally:
        await context.close()
    return found


def _priced(name: str, backend: LLMBackend[Any], prices: Prices) -> Finding:
    model = backend.model() or "its own choice of model"
    if backend.free:
        return "ok", name, f"{model}, costs nothing"
    if prices.known(backend.model()):
        return "ok", name, f"{model}, its price is known"
    return "note", name, f"{model}, its price is unknown: budget.cost needs llm.prices"


async def _asked(name: str, backend: LLMBackend[Any], llm: LLMUse) -> Finding:
    message = ChatMessage(role="user", content="Answer with the one word: ready")
    request = ChatRequest(messages=(message,), asker="doctor", timeout_s=llm.timeout)
    try:
        reply, _ = await Service(backend, llm).ask(request)
    except ModelError as err:
        return "bad", name, str(err)
    return "ok", name, f"{reply.model or backend.model()} answers in {reply.latency_s:.1f} s"


async def _app(name: str, connector: AppConnector[Any]) -> Finding:
    try:
        await asyncio.wait_for(connector.probe(), 15)
    except SparringError as err:
        return "bad", f"app ({name})", str(err)
    except TimeoutError:
        return "bad", f"app ({name})", "no answer within 15 seconds"
    except Exception as err:  # noqa: BLE001 - a connector's bug is a finding of the doctor's
        return "bad", f"app ({name})", f"the connector failed: {described(err)}"
    finally:
        await connector.close()
    return "ok", f"app ({name})", "is there"
