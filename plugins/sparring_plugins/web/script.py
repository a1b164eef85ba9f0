"""Plain language on a page of your own: ``act``, ``observe``, ``extract``, ``holds``.

For people who write Playwright: `wrap` takes an ordinary page, synchronous or asynchronous, and
gives it back with these four, everything else left as it was. The parts behind it are found
through discovery, as those of a suite are.
"""

import asyncio
import warnings
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self, TypeVar, cast, overload

from pydantic import ValidationError

from sparring.deprecation import RemovedInSparring04Warning
from sparring.discovery import hooks
from sparring.discovery.hookspecs import hookspec
from sparring.engine.budget import Spending
from sparring.engine.metering import Meter
from sparring.errors import ActionError, ConfigurationError
from sparring.interfaces.abilities import AttachesToPages
from sparring.interfaces.agent import Agent
from sparring.interfaces.app_connector import AppConnector, PageSession
from sparring.interfaces.plugin import LLMBackend, Use
from sparring.model.case import Case
from sparring.suite.building import SuiteContext
from sparring.suite.model import Budget, LLMUse
from sparring_plugins.web.driver.schemas import Item, WantedClass
from sparring_plugins.web.roles import (
    ActResult,
    AssertionResult,
    DriveTask,
    Extracted,
    PageDriver,
    Source,
    Suggestion,
)

ResultT = TypeVar("ResultT")
Model = LLMBackend[Any] | Mapping[str, Any] | str | None
Run = Callable[[Coroutine[Any, Any, Any]], Any]


@dataclass(frozen=True)
class Settings:
    """The arguments of `wrap`, checked."""

    llm: Model = None
    cache: Path | None = None
    variables: Mapping[str, str] = field(default_factory=dict[str, str])
    secrets: Mapping[str, str] = field(default_factory=dict[str, str])
    heal: bool = True
    timeout_s: float = 30.0
    patience_s: float = 2.0
    scope: object = None
    ignore: tuple[object, ...] = ()
    app: Mapping[str, Any] = field(default_factory=dict[str, Any])
    agent: Mapping[str, Any] = field(default_factory=dict[str, Any])
    folder: Path | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if self.timeout_s <= 0 or self.patience_s < 0:
            raise ConfigurationError("timeout_s must be more than 0 s, patience_s 0 s or more")


class ScriptContext(SuiteContext):
    """Builds the parts for one page; the model may be a backend that the script has created."""

    def __init__(self, settings: Settings) -> None:
        self._meter = Meter(Spending(Budget()))
        self._backend = settings.llm if isinstance(settings.llm, LLMBackend) else None
        super().__init__(
            Path.cwd(),
            seed=settings.seed,
            run_dir=settings.folder,
            llm=None if self._backend is not None else _validate_llm(settings.llm),
            wrap=self._meter.wrap,
        )

    def llm(self, asker: str) -> LLMBackend[Any] | None:
        """Return the script's own backend, or the one that `wrap` was told by name."""
        backend = self._backend if self._backend is not None else super().llm(asker)
        if backend is not None and backend.fallback == "error":
            # A script asks again or goes on by itself: an unusable answer leaves a call open.
            backend.fallback = "inconclusive"
        return backend

    async def close(self) -> list[str]:
        """Close the parts and the cache of answers."""
        problems = await super().close()
        self._meter.close()
        return problems


def _validate_llm(model: Any) -> LLMUse | None:
    if model is None:
        return None
    if not isinstance(model, str | Mapping):
        raise ConfigurationError(
            "llm is a backend, its name, or a map as in a suite: "
            "llm={'use': 'openai', 'model': 'gpt-4o-mini'}"
        )
    try:
        return LLMUse.model_validate(model)
    except ValidationError as err:
        first = err.errors()[0]
        path = ".".join(str(key) for key in first["loc"])
        raise ConfigurationError(f"llm: {path}: {first['msg']}") from err


@dataclass(frozen=True)
class Parts:
    """The parts of one page. `run` runs a coroutine to its end; None for an asynchronous page."""

    context: ScriptContext
    connector: AppConnector[Any]
    driver: PageDriver[Any]
    run: Run | None


@hookspec(firstresult=True)
def sparring_page_parts(page: object) -> dict[str, Any] | None:
    """Which parts drive a page that a script has opened: ``app`` and ``agent``.

    `app` names the connector that attaches to the page, `agent` the driver (role ``driver``), each
    as in a suite. `run` runs a coroutine to its end on the page's own loop, and is left out where
    the page is asynchronous. None where the listener does not know such pages: ``sparring.web``.
    """


def parts_for(page: object, settings: Settings) -> Parts:
    """Find and build the parts; raises ConfigurationError or PluginError."""
    listeners = hooks.load(specs=[sparring_page_parts])
    uses = listeners.manager.hook.sparring_page_parts(page=page)
    if uses is None:
        raise ConfigurationError(
            f"nothing that is installed drives a {type(page).__name__}; "
            "sparring.web.wrap takes a page of Playwright's"
        )
    context = ScriptContext(settings)
    names = {"variables": dict(settings.variables), "secrets": dict(settings.secrets)}
    non_empty = {key: values for key, values in names.items() if values}
    app = Use.model_validate({**uses["app"], **non_empty, **settings.app})
    agent = Use.model_validate({**uses["agent"], **settings.agent})
    connector = context.part(AppConnector[Any], app)
    driver = context.part(Agent[Any, Any, Any], agent, role="driver")
    if not isinstance(driver, PageDriver):
        raise ConfigurationError(f"the agent {agent.use!r} is no PageDriver")
    return Parts(context, connector, driver, uses.get("run"))


def wrap(
    page: Any,
    *,
    llm: Model = None,
    cache: str | Path | None = None,
    variables: Mapping[str, str] | None = None,
    secrets: Mapping[str, str] | None = None,
    heal: bool = True,
    timeout_s: float = 30.0,
    patience_s: float = 2.0,
    scope: object = None,
    ignore: Sequence[object] = (),
    app: Mapping[str, Any] | None = None,
    agent: Mapping[str, Any] | None = None,
    folder: str | Path | None = None,
    seed: int = 0,
) -> Any:
    """Add ``act``, ``observe``, ``extract`` and ``holds`` to a page of Playwright's.

    Args:
        page: a synchronous or asynchronous page.
        llm: asked when plain rules do not know: a backend, or a map as in a suite's ``llm``;
            without it nothing is guessed.
        cache: the folder in which resolved acts are kept.
        variables: values by name; a text refers to them as ``%name%``.
        secrets: names of environment variables by name; no model or file gets to see a secret.
        heal: whether an act that is not found again is resolved anew.
        timeout_s: seconds for one call.
        patience_s: seconds that a page may take before the answer is no.
        scope: selector or locator of the part of the page that is looked at.
        ignore: selectors or locators of what is not looked at.
        app: further settings of the connector, as in a suite.
        agent: further settings of the driver, as in a suite.
        folder: the folder for pictures of refused acts.
        seed: sent to models.

    Returns:
        An `AsyncWebPage` for an asynchronous page and a `WebPage` for a synchronous one; all other
        attributes are those of the page itself.

    Raises:
        ConfigurationError, PluginError: if the parts cannot be built.
    """
    settings = Settings(
        llm=llm,
        cache=Path(cache) if cache is not None else None,
        variables=dict(variables or {}),
        secrets=dict(secrets or {}),
        heal=heal,
        timeout_s=timeout_s,
        patience_s=patience_s,
        scope=scope,
        ignore=tuple(ignore),
        app=dict(app or {}),
        agent=dict(agent or {}),
        folder=Path(folder) if folder is not None else None,
        seed=seed,
    )
    parts = parts_for(page, settings)
    driving = Driving(page, parts, settings)
    return AsyncWebPage(page, driving) if parts.run is None else WebPage(page, driving, parts.run)


class Driving:
    """One page under Sparring: attached at the first call; calls run one at a time."""

    def __init__(self, page: Any, parts: Parts, settings: Settings) -> None:
        self.page = page
        self.parts = parts
        self.settings = settings
        self.last: ActResult | AssertionResult | Extracted[Any] | None = None
        self._stack = AsyncExitStack()
        self._session: PageSession | None = None
        self._lock = asyncio.Lock()

    async def act(self, wanted: str | Suggestion, narrow: "Narrow") -> ActResult:
        """See `AsyncWebPage.act`."""
        async with self._lock:
            task = await self._task(wanted, narrow)
            result = self.last = await self.parts.driver.act(task)
            return result

    async def observe(self, wanted: str, narrow: "Narrow") -> list[Suggestion]:
        """See `AsyncWebPage.observe`."""
        async with self._lock:
            return list(await self.parts.driver.observe(await self._task(wanted, narrow)))

    async def holds(self, assertion: str, narrow: "Narrow") -> AssertionResult:
        """See `AsyncWebPage.holds`."""
        async with self._lock:
            result = self.last = await self.parts.driver.holds(await self._task(assertion, narrow))
            return result

    async def extract(self, wanted: str, schema: Any, narrow: "Narrow") -> Any:
        """See `AsyncWebPage.extract`."""
        form = WantedClass.of(schema)
        async with self._lock:
            task = await self._task(wanted, narrow)
            result = self.last = await self.parts.driver.extract(task, form.schema)
            if result.value is None:
                return None
            try:
                return form.plain(result.value)
            except ValueError as err:  # what the page says does not satisfy the JSON Schema
                self.last = replace(result, value=None, reason=str(err))
                return None

    async def detach(self) -> None:
        """Detach from the page and close the parts; the page stays open."""
        await self._stack.aclose()
        self._session = None
        await self.parts.context.close()

    async def _task(self, wanted: str | Suggestion, narrow: "Narrow") -> DriveTask:
        if self._session is None:
            case = Case.of("script", {}, run_seed=self.settings.seed)
            connector = self.parts.connector
            if not isinstance(connector, AttachesToPages):
                raise ConfigurationError(
                    f"the connector {type(connector).__name__} attaches to no "
                    f"{type(self.page).__name__}"
                )
            attached = connector.attach(self.page, case)
            self._session = await self._stack.enter_async_context(attached)
        settings = self.settings
        await self._session.narrow(
            settings.scope if narrow.scope is None else narrow.scope,
            (*settings.ignore, *narrow.ignore),
        )
        task = DriveTask(
            session=self._session,
            instruction=wanted if isinstance(wanted, str) else wanted.description,
            suggestion=None if isinstance(wanted, str) else wanted,
            variables={**dict.fromkeys(settings.secrets), **settings.variables},
            cache=settings.cache,
            heal=settings.heal,
            timeout_s=settings.timeout_s,
            patience_s=settings.patience_s,
            seed=settings.seed,
        )
        return task if narrow.timeout_s is None else replace(task, timeout_s=narrow.timeout_s)


class Narrow:
    """The part of the page that one call looks at, and how long it may take."""

    def __init__(self, scope: object, ignore: Sequence[object], timeout_s: float | None) -> None:
        if timeout_s is not None and timeout_s <= 0:
            raise ConfigurationError("timeout_s must be more than 0 s")
        self.scope = scope
        self.ignore = tuple(ignore)
        self.timeout_s = timeout_s


class _Delegating:
    """Delegates every attribute that it does not define to the page."""

    def __init__(self, page: Any, driving: Driving) -> None:
        self._page = page
        self._driving = driving

    def __getattr__(self, name: str) -> Any:
        return getattr(object.__getattribute__(self, "_page"), name)

    @property  # type: ignore[misc]
    def __class__(self) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        """The class of the page, so that ``expect(page)`` and `isinstance` take it for one."""
        return self._page.__class__

    def __repr__(self) -> str:
        return f"<wrapped {self._page!r}>"

    @property
    def unwrapped(self) -> Any:
        """The page itself."""
        return self._page

    @property
    def last(self) -> ActResult | AssertionResult | Extracted[Any] | None:
        """The whole result of the latest `act`, `holds` or `extract`, with sources and reasons."""
        return self._driving.last


class AsyncWebPage(_Delegating):
    """An asynchronous page with plain language; see `wrap`.

    As a context manager it detaches at the end and leaves the page open.
    """

    async def act(
        self,
        instruction: str | Suggestion,
        *,
        scope: object = None,
        ignore: Sequence[object] = (),
        timeout_s: float | None = None,
    ) -> ActResult:
        """Carry out an instruction, such as "Click on 'Save' in the row of 'Ada'"."""
        return await self._driving.act(instruction, Narrow(scope, ignore, timeout_s))

    async def observe(
        self,
        instruction: str = "",
        *,
        scope: object = None,
        ignore: Sequence[object] = (),
        timeout_s: float | None = None,
    ) -> list[Suggestion]:
        """Return the acts that fit an instruction, best first; without one, all possible ones."""
        return await self._driving.observe(instruction, Narrow(scope, ignore, timeout_s))

    async def holds(
        self,
        assertion: str,
        *,
        scope: object = None,
        ignore: Sequence[object] = (),
        timeout_s: float | None = None,
    ) -> AssertionResult:
        """Return whether an assertion such as "'Welcome' is displayed" holds, or is unknown."""
        return await self._driving.holds(assertion, Narrow(scope, ignore, timeout_s))

    @overload
    async def extract(
        self, instruction: str, schema: None = None, *,
        scope: object = None, ignore: Sequence[object] = (), timeout_s: float | None = None,
    ) -> list[Item] | None: ...  # fmt: skip
    @overload
    async def extract(
        self, instruction: str, schema: type[ResultT], *,
        scope: object = None, ignore: Sequence[object] = (), timeout_s: float | None = None,
    ) -> ResultT | None: ...  # fmt: skip
    @overload
    async def extract(
        self, instruction: str, schema: Mapping[str, Any], *,
        scope: object = None, ignore: Sequence[object] = (), timeout_s: float | None = None,
    ) -> Any: ...  # fmt: skip
    async def extract(
        self,
        instruction: str,
        schema: Any = None,
        *,
        scope: object = None,
        ignore: Sequence[object] = (),
        timeout_s: float | None = None,
    ) -> Any:
        """Read what `schema` asks for; returns None if something required is not on the page.

        Args:
            instruction: what is wanted; words in quotes must stand in the row or card.
            schema: a pydantic class, a list of one, or a JSON Schema of an object or an array of
                objects; without it, the page's cards, articles, rows or sections as `Item`.
            scope: selector or locator of the part of the page that is looked at.
            ignore: selectors or locators of what is not looked at.
            timeout_s: seconds for this call.
        """
        return await self._driving.extract(instruction, schema, Narrow(scope, ignore, timeout_s))

    async def detach(self) -> None:
        """Detach from the page; it stays open."""
        await self._driving.detach()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.detach()


class WebPage(_Delegating):
    """A synchronous page with plain language; see `wrap` and `AsyncWebPage`."""

    def __init__(self, page: Any, driving: Driving, run: Run) -> None:
        super().__init__(page, driving)
        self._run = run

    def _wait_for(self, work: Coroutine[Any, Any, ResultT]) -> ResultT:
        return cast("ResultT", self._run(work))

    def act(
        self,
        instruction: str | Suggestion,
        *,
        scope: object = None,
        ignore: Sequence[object] = (),
        timeout_s: float | None = None,
    ) -> ActResult:
        """Carry out an instruction, such as "Click on 'Save' in the row of 'Ada'"."""
        return self._wait_for(self._driving.act(instruction, Narrow(scope, ignore, timeout_s)))

    def observe(
        self,
        instruction: str = "",
        *,
        scope: object = None,
        ignore: Sequence[object] = (),
        timeout_s: float | None = None,
    ) -> list[Suggestion]:
        """Return the acts that fit an instruction, best first; without one, all possible ones."""
        narrow = Narrow(scope, ignore, timeout_s)
        return self._wait_for(self._driving.observe(instruction, narrow))

    def holds(
        self,
        assertion: str,
        *,
        scope: object = None,
        ignore: Sequence[object] = (),
        timeout_s: float | None = None,
    ) -> AssertionResult:
        """Return whether an assertion such as "'Welcome' is displayed" holds, or is unknown."""
        return self._wait_for(self._driving.holds(assertion, Narrow(scope, ignore, timeout_s)))

    @overload
    def extract(
        self, instruction: str, schema: None = None, *,
        scope: object = None, ignore: Sequence[object] = (), timeout_s: float | None = None,
    ) -> list[Item] | None: ...  # fmt: skip
    @overload
    def extract(
        self, instruction: str, schema: type[ResultT], *,
        scope: object = None, ignore: Sequence[object] = (), timeout_s: float | None = None,
    ) -> ResultT | None: ...  # fmt: skip
    @overload
    def extract(
        self, instruction: str, schema: Mapping[str, Any], *,
        scope: object = None, ignore: Sequence[object] = (), timeout_s: float | None = None,
    ) -> Any: ...  # fmt: skip
    def extract(
        self,
        instruction: str,
        schema: Any = None,
        *,
        scope: object = None,
        ignore: Sequence[object] = (),
        timeout_s: float | None = None,
    ) -> Any:
        """Read what `schema` asks for; returns None if something required is not on the page.

        See `AsyncWebPage.extract`.
        """
        narrow = Narrow(scope, ignore, timeout_s)
        return self._wait_for(self._driving.extract(instruction, schema, narrow))

    def detach(self) -> None:
        """Detach from the page; it stays open."""
        self._run(self._driving.detach())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.detach()


_RENAMED = {"Acted": ActResult, "Held": AssertionResult, "NotDone": ActionError}


def __getattr__(name: str) -> type:
    if name not in _RENAMED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    renamed = _RENAMED[name]
    message = f"sparring.web.{name} is removed in 0.4: use {renamed.__name__}"
    warnings.warn(message, RemovedInSparring04Warning, stacklevel=2)
    return renamed


__all__ = [
    "ActResult",
    "ActionError",
    "AssertionResult",
    "AsyncWebPage",
    "Extracted",
    "Item",
    "Source",
    "Suggestion",
    "WebPage",
    "wrap",
]
