"""The wrapped pages: an asynchronous and a synchronous one, over the same driving."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel

from sparring.errors import ConfigurationError
from sparring.interfaces.app_connector import PageSession
from sparring.model.case import Case
from sparring_plugins.web.roles.driver import (
    Acted,
    DriveTask,
    Extracted,
    Held,
    SchemaT,
    Suggestion,
)
from sparring_plugins.web.script.parts import Model, Parts, Run, Settings, parts_for


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
    """Give a page of Playwright's ``act``, ``observe``, ``extract`` and ``holds``.

    The result is an `AsyncWebPage` for an asynchronous page and a `WebPage` for a synchronous one;
    whatever else is asked of it, the page itself answers.

    `llm` is asked where plain rules do not know: a backend, or a map as in a suite's ``llm``;
    without it nothing is guessed. `cache` is a folder in which resolved acts are kept; with `heal`,
    what is not found again is resolved anew. `variables` are values by name, `secrets` names of
    environment variables by name: a text names them ``%name%``, and no model or file gets to see a
    secret. `timeout_s` is for one call and `patience_s` how long a page may take before the answer
    is no, in seconds. `scope` and `ignore` are selectors or locators: what is looked at, and what
    of it is not. `app` and `agent` are further settings of the parts, as in a suite; `folder` is
    where pictures of refused acts go.

    Raises ConfigurationError or PluginError.
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
    """One page under Sparring: attached when it is first asked for, one call at a time."""

    def __init__(self, page: Any, parts: Parts, settings: Settings) -> None:
        self.page = page
        self.parts = parts
        self.settings = settings
        self.last: Acted | Held | Extracted[Any] | None = None
        self._stack = AsyncExitStack()
        self._session: PageSession | None = None
        self._lock = asyncio.Lock()

    async def act(self, wanted: str | Suggestion, narrow: "Narrow") -> Acted:
        """See `AsyncWebPage.act`."""
        async with self._lock:
            task = await self._task(wanted, narrow)
            done = self.last = await self.parts.driver.act(task)
            return done

    async def observe(self, wanted: str, narrow: "Narrow") -> list[Suggestion]:
        """See `AsyncWebPage.observe`."""
        async with self._lock:
            return list(await self.parts.driver.observe(await self._task(wanted, narrow)))

    async def holds(self, assertion: str, narrow: "Narrow") -> Held:
        """See `AsyncWebPage.holds`."""
        async with self._lock:
            held = self.last = await self.parts.driver.holds(await self._task(assertion, narrow))
            return held

    async def extract(
        self, wanted: str, schema: type[SchemaT], narrow: "Narrow"
    ) -> Extracted[SchemaT]:
        """See `AsyncWebPage.extract`."""
        given: Any = schema
        if not (isinstance(given, type) and issubclass(given, BaseModel)):
            raise ConfigurationError("extract takes a pydantic class that says what is wanted")
        async with self._lock:
            task = await self._task(wanted, narrow)
            found = await self.parts.driver.extract(task, schema)
            self.last = found
            return found

    async def detach(self) -> None:
        """Let the page go, and what was held for it; the page stays open."""
        await self._stack.aclose()
        self._session = None
        await self.parts.context.close()

    async def _task(self, wanted: str | Suggestion, narrow: "Narrow") -> DriveTask:
        if self._session is None:
            case = Case.of("script", {}, run_seed=self.settings.seed)
            attached = self.parts.connector.attach(self.page, case)
            self._session = await self._stack.enter_async_context(attached)
        settings = self.settings
        await self._session.narrow(
            settings.scope if narrow.scope is None else narrow.scope,
            (*settings.ignore, *narrow.ignore),
        )
        told = wanted if isinstance(wanted, str) else wanted.description
        task = DriveTask(
            session=self._session,
            instruction=told,
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
    """What one call looks at, and how long it may take."""

    def __init__(self, scope: object, ignore: Sequence[object], timeout_s: float | None) -> None:
        if timeout_s is not None and timeout_s <= 0:
            raise ConfigurationError("timeout_s must be more than 0 s")
        self.scope = scope
        self.ignore = tuple(ignore)
        self.timeout_s = timeout_s


class _Delegating:
    """Answers as the page itself does to everything that is not its own."""

    def __init__(self, page: Any, driving: Driving) -> None:
        self._page = page
        self._driving = driving

    def __getattr__(self, name: str) -> Any:
        return getattr(object.__getattribute__(self, "_page"), name)

    @property  # type: ignore[misc]
    def __class__(self) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        """That of the page, so that ``expect(page)`` and `isinstance` take it for one."""
        return self._page.__class__

    def __repr__(self) -> str:
        return f"<wrapped {self._page!r}>"

    @property
    def unwrapped(self) -> Any:
        """The page itself."""
        return self._page

    @property
    def last(self) -> Acted | Held | Extracted[Any] | None:
        """All about the latest `act`, `holds` or `extract`: sources, reasons, what was missing."""
        return self._driving.last


class AsyncWebPage(_Delegating):
    """An asynchronous page with plain language; see `wrap`.

    As a context manager it detaches at the end, and leaves the page open.
    """

    async def act(
        self,
        instruction: str | Suggestion,
        *,
        scope: object = None,
        ignore: Sequence[object] = (),
        timeout_s: float | None = None,
    ) -> Acted:
        """Carry an instruction out, such as "Click on 'Save' in the row of 'Ada'"."""
        return await self._driving.act(instruction, Narrow(scope, ignore, timeout_s))

    async def observe(
        self,
        instruction: str = "",
        *,
        scope: object = None,
        ignore: Sequence[object] = (),
        timeout_s: float | None = None,
    ) -> list[Suggestion]:
        """What could be done for an instruction, the best first; without one, all that can be."""
        return await self._driving.observe(instruction, Narrow(scope, ignore, timeout_s))

    async def holds(
        self,
        assertion: str,
        *,
        scope: object = None,
        ignore: Sequence[object] = (),
        timeout_s: float | None = None,
    ) -> Held:
        """Whether an assertion holds, such as "'Welcome' is displayed": yes, no, don't know."""
        return await self._driving.holds(assertion, Narrow(scope, ignore, timeout_s))

    async def extract(
        self,
        instruction: str,
        schema: type[SchemaT],
        *,
        scope: object = None,
        ignore: Sequence[object] = (),
        timeout_s: float | None = None,
    ) -> SchemaT | None:
        """Read what `schema` asks for; None where something that it needs is not found."""
        narrow = Narrow(scope, ignore, timeout_s)
        return (await self._driving.extract(instruction, schema, narrow)).value

    async def detach(self) -> None:
        """Let the page go; it stays open."""
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

    def act(
        self,
        instruction: str | Suggestion,
        *,
        scope: object = None,
        ignore: Sequence[object] = (),
        timeout_s: float | None = None,
    ) -> Acted:
        """Carry an instruction out, such as "Click on 'Save' in the row of 'Ada'"."""
        done: Acted = self._run(self._driving.act(instruction, Narrow(scope, ignore, timeout_s)))
        return done

    def observe(
        self,
        instruction: str = "",
        *,
        scope: object = None,
        ignore: Sequence[object] = (),
        timeout_s: float | None = None,
    ) -> list[Suggestion]:
        """What could be done for an instruction, the best first; without one, all that can be."""
        narrow = Narrow(scope, ignore, timeout_s)
        found: list[Suggestion] = self._run(self._driving.observe(instruction, narrow))
        return found

    def holds(
        self,
        assertion: str,
        *,
        scope: object = None,
        ignore: Sequence[object] = (),
        timeout_s: float | None = None,
    ) -> Held:
        """Whether an assertion holds, such as "'Welcome' is displayed": yes, no, don't know."""
        held: Held = self._run(self._driving.holds(assertion, Narrow(scope, ignore, timeout_s)))
        return held

    def extract(
        self,
        instruction: str,
        schema: type[SchemaT],
        *,
        scope: object = None,
        ignore: Sequence[object] = (),
        timeout_s: float | None = None,
    ) -> SchemaT | None:
        """Read what `schema` asks for; None where something that it needs is not found."""
        narrow = Narrow(scope, ignore, timeout_s)
        found: Extracted[SchemaT] = self._run(self._driving.extract(instruction, schema, narrow))
        return found.value

    def detach(self) -> None:
        """Let the page go; it stays open."""
        self._run(self._driving.detach())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.detach()
