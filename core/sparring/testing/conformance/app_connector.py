"""The conformance kit of the interface `AppConnector`."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, ClassVar

import pytest

from sparring.errors import AppError, AppTimeout, AppUnreachable, ConfigurationError, SparringError
from sparring.interfaces.abilities import Probing
from sparring.interfaces.app_connector import AppConnector, AppSession, Capability
from sparring.interfaces.plugin import Plugin
from sparring.model.talk import Act, GuiAction, Listen, Observation, Press, Say
from sparring.testing import hostile
from sparring.testing.conformance.kit import Build, PluginKit
from sparring.testing.conformance.talking import (
    Boom,
    blocked_s,
    case_of,
    leftovers,
    plain,
    still_open,
    survive_one,
    talk,
    talk_forever,
)
from sparring.testing.fakes import FakeContext

_SIDE_BY_SIDE = 8

_BLOCKED_S = 0.03
"""Seconds for which a talk may block the event loop: opening a local file may take some."""

_TALKS = 10
"""Talks of which the least blocking one counts: a disk that is busy for once is no defect."""

_PAUSE_S = 0.05
"""Seconds by which the pause before each of these talks is longer than the one before."""


class AppConnectorKit(PluginKit, kit=True):
    """Tests of a connector: override the fixtures `plugin` and `settings`.

    The settings name an app that is there, such as a server that a fixture of yours starts on
    the loopback. `texts` are harmless things to say to it. Where the app does not answer the
    same to the same in every session (it numbers orders, say), set `deterministic` to False.
    Override `unreachable_settings` with settings that name an app that is not there,
    `silent_settings` with settings that name an app that never answers, and `open_sessions`
    if the app can tell how many sessions are open: the fixture returns a callable, which is
    given the connector and returns the number.
    """

    #: What is said to the app when it does not matter what.
    texts: ClassVar[Sequence[str]] = ("hello", "what can you do?", "thank you")
    #: Whether the app answers the same to the same texts in every session.
    deterministic: ClassVar[bool] = True

    @pytest.fixture
    def unreachable_settings(self) -> Mapping[str, Any] | None:
        """Settings that name an app that is not there; None if there can be none."""
        return None

    @pytest.fixture
    def silent_settings(self) -> Mapping[str, Any] | None:
        """Settings that name an app that never answers, with a short time limit; None if none."""
        return None

    @pytest.fixture
    def open_sessions(self) -> Callable[[AppConnector[Any]], int] | None:
        """A callable that returns how many sessions the app has open; None if nobody knows."""
        return None

    def test_it_says_what_it_offers(self, plugin: type[AppConnector[Any]]) -> None:
        assert isinstance(plugin.offers, frozenset), "offers is not a frozenset"
        strangers = set[object](plugin.offers) - set(Capability)
        assert not strangers, f"offers holds {strangers!r}, which are no Capability"

    def test_opening_gives_a_context_manager_and_does_nothing_yet(self, build: Build) -> None:
        async def leave_unused() -> None:
            opened = build().open(case_of(0))
            assert isinstance(opened, AbstractAsyncContextManager), (
                f"open() returned {opened!r}, not an async context manager"
            )

        self.run(leave_unused())

    def test_entering_gives_a_session(self, build: Build) -> None:
        async def enter() -> None:
            async with build().open(case_of(0)) as session:
                assert isinstance(session, AppSession), f"{session!r} is no AppSession"

        self.run(enter())

    def test_every_text_is_answered_with_an_observation(self, build: Build) -> None:
        for seen in self.run(talk(build(), self._script())):
            assert isinstance(seen, Observation), f"send() returned {seen!r}, not an Observation"

    def test_listening_is_legal_at_any_time(self, build: Build) -> None:
        acts = [Listen(), *self._script()[:1], Listen(), Listen()]
        for seen in self.run(talk(build(), acts)):
            assert isinstance(seen, Observation), f"send(Listen()) returned {seen!r}"

    def test_waiting_does_not_block_the_event_loop(self, build: Build) -> None:
        async def least(connector: AppConnector[Any], acts: Sequence[Act]) -> float:
            await talk(connector, acts)  # the first imports, connects and fills caches
            blocked = float("inf")
            for attempt in range(_TALKS):
                # a machine that is busy with its disk holds up the start of a process for a while
                await asyncio.sleep(_PAUSE_S * attempt)
                blocked = min(blocked, await blocked_s(talk(connector, acts)))
                if blocked < _BLOCKED_S:
                    break
            return blocked

        blocked = self.run(least(build(), self._script()))
        assert blocked < _BLOCKED_S, (
            f"for {blocked:.2f} s of a talk no other conversation could go on: wait by `await` "
            "(asyncio.sleep, an asynchronous client, asyncio.to_thread), not by time.sleep or a "
            "blocking call"
        )

    def test_several_sessions_are_open_at_once(self, build: Build) -> None:
        async def many(connector: AppConnector[Any], acts: Sequence[Act]) -> int:
            ready = asyncio.Barrier(_SIDE_BY_SIDE)

            async def one(number: int) -> Sequence[Observation]:
                async with connector.open(case_of(number)) as session:
                    await ready.wait()
                    return [await session.send(act) for act in acts]

            talks = await asyncio.gather(*(one(number) for number in range(_SIDE_BY_SIDE)))
            return sum(len(heard) == len(acts) for heard in talks)

        try:
            answered = self.run(many(build(), self._script()))
        except TimeoutError:
            pytest.fail(f"{_SIDE_BY_SIDE} sessions could not be open at the same time")
        assert answered == _SIDE_BY_SIDE

    def test_each_session_is_an_object_of_its_own(self, build: Build) -> None:
        async def two(connector: AppConnector[Any], _: Sequence[Act]) -> bool:
            async with connector.open(case_of(1)) as one, connector.open(case_of(2)) as other:
                return one is not other

        assert self.run(two(build(), ())), "two cases were given the same session"

    def test_a_session_is_not_disturbed_by_another(self, build: Build) -> None:
        if not self.deterministic:
            pytest.skip("the app does not answer the same to the same texts")

        async def interleaved(connector: AppConnector[Any], acts: Sequence[Act]) -> Any:
            async with connector.open(case_of(1)) as one, connector.open(case_of(2)) as other:
                first = [(await one.send(act), await other.send(act))[0] for act in acts[:-1]]
                return [*first, await one.send(acts[-1])]

        alone = self.run(talk(build(), self._script()))
        beside = self.run(interleaved(build(), self._script()))
        assert plain(beside) == plain(alone), "a session beside another hears something else"

    def test_a_second_case_starts_afresh(self, build: Build) -> None:
        if not self.deterministic:
            pytest.skip("the app does not answer the same to the same texts")

        async def twice(connector: AppConnector[Any], acts: Sequence[Act]) -> Any:
            return [await talk(connector, acts), await talk(connector, acts)]

        first, second = self.run(twice(build(), self._script()))
        assert plain(first) == plain(second), "a later session goes on where an earlier one was"

    def test_leaving_twice_is_harmless(self, build: Build) -> None:
        async def leave(connector: AppConnector[Any], acts: Sequence[Act]) -> None:
            opened = connector.open(case_of(0))
            session = await opened.__aenter__()
            await session.send(acts[0])
            await opened.__aexit__(None, None, None)
            await opened.__aexit__(None, None, None)

        self.run(leave(build(), self._script()))

    def test_what_the_player_raises_passes(self, build: Build) -> None:
        async def fail(connector: AppConnector[Any], _: Sequence[Act]) -> None:
            async with connector.open(case_of(0)):
                raise Boom

        with pytest.raises(Boom):
            self.run(fail(build(), ()))

    def test_cancelling_passes_and_leaves_nothing_running(
        self, build: Build, context: FakeContext
    ) -> None:
        async def cancel(connector: AppConnector[Any], acts: Sequence[Act]) -> Sequence[str]:
            for steps in (0, 1, 2, 3, 5, 8, 13, 40):
                task = asyncio.create_task(talk_forever(connector, acts))
                for _ in range(steps):
                    await asyncio.sleep(0)
                task.cancel()
                await asyncio.wait([task])
                assert task.cancelled(), f"a talk cancelled after {steps} steps went on"
            await talk(connector, acts)
            await context.close()
            return await leftovers()

        assert not self.run(cancel(build(), self._script())), "tasks are left after close()"

    @pytest.mark.parametrize("ending", ["normal", "error", "cancelled"])
    def test_sessions_are_closed_however_they_end(
        self,
        build: Build,
        open_sessions: Callable[[AppConnector[Any]], int] | None,
        ending: str,
    ) -> None:
        if open_sessions is None:
            pytest.skip("the fixture `open_sessions` does not say how many are open")

        async def end(connector: AppConnector[Any], acts: Sequence[Act]) -> int:
            talking = talk_forever if ending == "cancelled" else talk
            task = asyncio.create_task(talking(connector, acts, fail=ending == "error"))
            for _ in range(200):
                if task.done() or open_sessions(connector):
                    break
                await asyncio.sleep(0.01)
            if ending == "cancelled":
                task.cancel()
            await asyncio.wait([task])
            if not task.cancelled():
                task.exception()
            return await still_open(connector, open_sessions)

        left = self.run(end(build(), self._script()))
        assert left == 0, f"{left} sessions are still open after the {ending} end of a case"

    def test_hostile_texts_end_in_an_answer_or_an_app_error(self, build: Build) -> None:
        acts: list[Act] = [Say(text=text) for text in hostile.TEXTS]
        self.run(self._survive(build(), acts))

    def test_unexpected_acts_end_in_an_answer_or_an_app_error(
        self, build: Build, plugin: type[AppConnector[Any]]
    ) -> None:
        acts: list[Act] = []
        if Capability.CHOICES in plugin.offers:
            odd = (("never offered", None), ("", ""), (hostile.MARK, "\x00"))
            acts += [Press(label=label, value=value) for label, value in odd]
        if Capability.PAGE in plugin.offers:
            acts += [GuiAction(action="click", target="#nowhere"), GuiAction(action="")]
        # What was never offered cannot be pressed: that may be the test's fault, not the app's.
        self.run(self._survive(build(), acts, AppError, ConfigurationError))

    def test_acts_that_it_does_not_offer_end_in_a_sparring_error(
        self, build: Build, plugin: type[AppConnector[Any]]
    ) -> None:
        acts: list[Act] = [Press(label="yes"), GuiAction(action="click", target="#nowhere")]

        async def odd(connector: AppConnector[Any], acts: Sequence[Act]) -> None:
            for act in acts:
                await survive_one(connector, act, case_of(0), SparringError)

        self.run(odd(build(), acts))

    def test_hostile_cases_open_or_raise_an_app_error(self, build: Build) -> None:
        async def odd(connector: AppConnector[Any], acts: Sequence[Act]) -> None:
            await survive_one(connector, acts[0], hostile.odd_case())

        self.run(odd(build(), self._script()))

    def test_it_finds_the_app_there(self, build: Build) -> None:
        self.run(_probe(build()))

    def test_an_app_that_is_not_there_is_unreachable(
        self,
        plugin: type[Plugin[Any]],
        context: FakeContext,
        unreachable_settings: Mapping[str, Any] | None,
    ) -> None:
        if unreachable_settings is None:
            pytest.skip("the fixture `unreachable_settings` names no such app")

        async def reach(connector: AppConnector[Any], acts: Sequence[Act]) -> None:
            with pytest.raises(AppUnreachable):
                await talk(connector, acts)
            with pytest.raises(AppError):  # else `sparring doctor` calls such an app fine
                await _probe(connector)

        connector: Any = context.build(plugin, **unreachable_settings)
        self.run(reach(connector, self._script()))

    def test_an_app_that_never_answers_is_a_time_out(
        self,
        plugin: type[Plugin[Any]],
        context: FakeContext,
        silent_settings: Mapping[str, Any] | None,
    ) -> None:
        if silent_settings is None:
            pytest.skip("the fixture `silent_settings` names no such app")
        connector: Any = context.build(plugin, **silent_settings)
        try:
            self.run(talk(connector, self._script()[:1]))
        except AppTimeout:
            return
        except TimeoutError as err:
            pytest.fail(
                f"a bare {type(err).__name__} is taken for a defect of the connector: raise "
                "AppTimeout, and soon"
            )
        pytest.fail("an app that never answers was answered by the connector")

    def _script(self) -> list[Act]:
        return [Say(text=text) for text in self.texts]

    async def _survive(
        self, connector: AppConnector[Any], acts: Sequence[Act], *allowed: type[SparringError]
    ) -> None:
        for number, act in enumerate(acts):
            await survive_one(connector, act, case_of(number), *allowed)
        await talk(connector, self._script())


async def _probe(connector: Any) -> None:
    if isinstance(connector, Probing):
        await connector.probe()
