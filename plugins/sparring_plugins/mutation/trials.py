"""One trial: an app started from a definition, and the suite played against it."""

import json
import shutil
import sys
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from sparring.errors import StoredRunError
from sparring.store import StoredRun
from sparring.suite.environment import Redactor
from sparring_plugins.mutation.mutants import Files
from sparring_plugins.mutation.plan import AnyPlan, AppStart, Places
from sparring_plugins.mutation.processes import (
    NotStarted,
    Ports,
    Running,
    TooLate,
    running,
    until_ready,
)

_JUDGED = (0, 1, 3, 4)
"""Exit codes of a suite that was played and judged, be it in part."""

_TAIL = 400


class SuiteFailed(Exception):
    """The suite could not be played."""


class AppNeverUp(Exception):
    """The app did not start; `late` says that it did not get ready in its time."""

    def __init__(self, why: str, *, late: bool) -> None:
        super().__init__(why)
        self.late = late


@dataclass(slots=True)
class Trials:
    """Plays a suite against definitions, each in a folder of its own below `folder`."""

    plan: AnyPlan
    here: Path
    files: Files
    suite: Path
    folder: Path
    options: tuple[str, ...] = ()
    recording: Mapping[str, object] = field(default_factory=dict[str, object])
    ports: Ports = field(default_factory=Ports)

    def runs_of(self, name: str) -> Path:
        """Where the suite's runs of a trial are stored."""
        return self.folder / "runs" / name

    async def play(
        self,
        name: str,
        within: float,
        *,
        changed: Mapping[str, str] | None = None,
        settings: Mapping[str, object] | None = None,
        failures: int | None = None,
    ) -> StoredRun:
        """Play the suite against the definition with changed texts or settings; its stored run.

        With `failures` no case is begun after so many have failed. Raises AppNeverUp, SuiteFailed,
        or TooLate where the suite takes longer than `within` seconds.
        """
        place = self.folder / "apps" / name
        sets: dict[str, object] = {
            "budget.unreachable": None,  # a change that kills the app is seen by all cases
            **self.recording,
            **(settings or {}),
        }
        if failures is not None:
            sets["budget.failures"] = failures
        app = self.plan.app
        if app is None:
            return await self._suite(name, {**self.plan.set, **sets}, {}, within)
        attempt = partial(self._attempt, app, name, place, within, sets)
        self._lay_out(place, changed or {})
        try:
            try:
                return await attempt()
            except NotStarted:  # somebody else may have taken the port meanwhile
                return await attempt()
        except NotStarted as err:
            raise AppNeverUp(str(err), late=False) from err
        finally:
            shutil.rmtree(place, ignore_errors=True)

    def _lay_out(self, place: Path, changed: Mapping[str, str]) -> None:
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        for file, text in {**self.files.texts, **changed}.items():
            target = place / file
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
        for file in self.files.beside:
            target = place / file
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(self.here / file, target)

    async def _attempt(
        self, app: AppStart, name: str, place: Path, within: float, sets: Mapping[str, object]
    ) -> StoredRun:
        with self.ports.one() as port:
            places = Places(place, port, self.here)
            env: dict[str, str] = places.data(app.env)
            start = partial(running, cwd=place, env=env, patience=app.stop_within)
            if app.prepare:
                await self._prepare(app, start(places.texts(app.prepare)))
            ready = places.text(app.ready) if app.ready else None
            async with start(places.texts(app.command)) as process:
                try:
                    await until_ready(process, url=ready, port=port, within=app.within)
                except NotStarted as err:
                    raise NotStarted(_told(str(err), process)) from err
                except TooLate as err:
                    raise AppNeverUp(_told(f"the app {err}", process), late=True) from err
                changes = {**places.data(self.plan.set), **sets}
                return await self._suite(name, changes, env, within)

    async def _prepare(self, app: AppStart, started: AbstractAsyncContextManager[Running]) -> None:
        async with started as process:
            try:
                code = await process.ended(app.prepare_within)
            except TooLate as err:
                raise AppNeverUp(_told(f"its preparation {err}", process), late=True) from err
            if code:
                why = _told(f"its preparation ended with exit code {code}", process)
                raise AppNeverUp(why, late=False)

    async def _suite(
        self, name: str, changes: Mapping[str, object], env: Mapping[str, str], within: float
    ) -> StoredRun:
        runs = self.runs_of(name)
        shutil.rmtree(runs, ignore_errors=True)
        sets = [f"--set={key}={json.dumps(value)}" for key, value in changes.items()]
        command = [
            sys.executable, "-m", "sparring", "run", str(self.suite), "--runs", str(runs),
            "--set=reporters=[]", *sets, *self.options,
        ]  # fmt: skip
        async with running(command, cwd=self.suite.parent, env=env, patience=1.0) as process:
            code = await process.ended(within)
        if code not in _JUDGED:
            raise SuiteFailed(_told(f"'sparring run' ended with exit code {code}", process))
        stored = sorted(runs.iterdir()) if runs.is_dir() else []
        if len(stored) != 1:
            raise SuiteFailed("'sparring run' stored nothing")
        try:
            return StoredRun(stored[0])
        except StoredRunError as err:
            raise SuiteFailed(str(err)) from err


def _told(why: str, process: Running) -> str:
    """A reason with the end of what the process wrote."""
    tail = Redactor().text(process.tail)
    return f"{why}: …{tail[-_TAIL:]}" if tail else why
