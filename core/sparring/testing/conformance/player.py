"""The conformance kit of the role ``player`` of the interface `Agent`."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import pytest

from sparring.errors import AppCrash, AppError, AppProtocolError, AppTimeout
from sparring.interfaces.agent import Player
from sparring.interfaces.app_connector import Capability
from sparring.model.case import Case
from sparring.model.space import Space
from sparring.model.talk import Act, Ended, Listen, Observation, Trace
from sparring.testing import hostile
from sparring.testing.conformance.kit import Build, PluginKit
from sparring.testing.fakes import FakeConnector, FakeContext, Reply
from sparring.testing.playing import RecordingSession, play, task_for

Answer = Callable[[Act, int], Any]


class PlayerKit(PluginKit, kit=True):
    """Tests of a player: override the fixtures `plugin` and `settings`.

    The kit plays each scenario with the first value of each variable against apps that are
    silent, talkative, hostile, ending or failing. Override `cases` for other cases.
    """

    #: How often a player may use its session in one case; more counts as never ending.
    most_acts: ClassVar[int] = 500

    @pytest.fixture
    def cases(self, build: Build) -> Sequence[Case]:
        """The cases to play."""
        return [_first_case(build().space(), index) for index in range(_scenarios(build()))]

    def test_the_role_is_player(self, plugin: type[Player[Any]]) -> None:
        assert plugin.role == "player"

    def test_it_says_what_it_needs(self, plugin: type[Player[Any]]) -> None:
        assert set[object](plugin.needs) <= set(Capability), f"needs is {plugin.needs!r}"

    def test_its_scenarios_have_names_of_their_own(self, build: Build) -> None:
        space = build().space()
        assert isinstance(space, Space), f"space() returned {space!r}"
        names = [scenario.name for scenario in space.scenarios]
        assert len(set(names)) == len(names), f"scenarios share a name: {names}"
        for scenario in space.scenarios:
            inputs = [variable.name for variable in scenario.variables]
            assert len(set(inputs)) == len(inputs), f"variables share a name: {inputs}"

    def test_its_space_is_always_the_same(self, build: Build) -> None:
        player = build()
        assert player.space() == player.space() == build().space()

    def test_it_returns_the_trace_of_its_case(self, build: Build, cases: Sequence[Case]) -> None:
        assert cases, "the player offers no scenario to play"
        for case in cases:
            trace = self._play_case(build(), case, _chat)
            assert isinstance(trace, Trace), f"act() ended with {trace!r}, not with a Trace"
            assert trace.case == case, "the trace is of another case"

    def test_every_turn_is_in_the_trace(self, build: Build, cases: Sequence[Case]) -> None:
        async def recorded(case: Case) -> tuple[Trace, RecordingSession]:
            async with _app(_chat).open(case) as session:
                recording = RecordingSession(session)
                return await build().act(task_for(case, recording)), recording

        for case in cases:
            trace, recording = self.run(recorded(case))
            assert list(trace.turns) == recording.turns, "the trace leaves out or invents turns"

    def test_equal_cases_are_played_equally(self, build: Build, cases: Sequence[Case]) -> None:
        player = build()
        for case in cases:
            first = _acts(self._play_case(player, case, _chat))
            assert _acts(self._play_case(player, case, _chat)) == first, "played again, it differs"
            assert _acts(self._play_case(build(), case, _chat)) == first, "another instance differs"

    def test_cases_are_played_side_by_side(self, build: Build, cases: Sequence[Case]) -> None:
        async def together(player: Player[Any]) -> list[Any]:
            return await asyncio.gather(
                *(play(player, _app(_chat), case) for case in [*cases, *cases])
            )

        alone = [_acts(self._play_case(build(), case, _chat)) for case in cases]
        beside = [_acts(trace) for trace in self.run(together(build()))]
        assert beside == alone * 2, "beside others a case is played otherwise"

    @pytest.mark.parametrize("app", ["silent", "talkative", "repeating", "asking", "offering"])
    def test_it_comes_to_an_end_with_any_app(
        self, build: Build, cases: Sequence[Case], app: str
    ) -> None:
        for case in cases:
            trace = self._play_case(build(), case, _APPS[app])
            assert isinstance(trace, Trace), f"a {app} app made it end with {trace!r}"

    def test_it_bears_whatever_the_app_says(self, build: Build, cases: Sequence[Case]) -> None:
        for seen in hostile.observations():
            trace = self._play_case(build(), cases[0], _saying(seen))
            assert isinstance(trace, Trace), f"{str(seen)[:80]} made it end with {trace!r}"
            Trace.model_validate_json(trace.model_dump_json())

    @pytest.mark.parametrize("turn", [0, 1])
    def test_it_stops_when_the_app_has_ended(
        self, build: Build, cases: Sequence[Case], turn: int
    ) -> None:
        def ending(act: Act, number: int) -> Reply:
            return Reply(text="Goodbye." if number >= turn else "Hm?", ended=number >= turn)

        for case in cases:
            trace = self._play_case(build(), case, ending)
            assert isinstance(trace, Trace), f"the app ended, and so did the player: {trace!r}"
            ends = [t for t in trace.turns if t.observation and t.observation.ended]
            assert not ends or ends == [trace.turns[-1]], "it talks on after the app has ended"
            assert not ends or trace.ended != Ended.TURN_LIMIT, "the app has ended, not the turns"

    def test_it_stops_when_the_greeting_ends_it(self, build: Build, cases: Sequence[Case]) -> None:
        for case in cases:
            app = FakeContext().build(FakeConnector, greeting=Reply(text="Closed.", ended=True))
            trace = self.run(self._within_reason(build(), app, case))
            assert isinstance(trace, Trace), f"a greeting that ends made it end with {trace!r}"
            greeted = isinstance(trace.turns[0].act, Listen) if trace.turns else False
            assert not greeted or len(trace.turns) == 1, "it talks on after the app has ended"

    @pytest.mark.parametrize("turn", [0, 1])
    @pytest.mark.parametrize("error", [AppCrash, AppTimeout, AppProtocolError])
    def test_a_failing_app_is_an_app_error_or_an_incident(
        self, build: Build, cases: Sequence[Case], error: type[AppError], turn: int
    ) -> None:
        def failing(act: Act, number: int) -> str:
            if number == turn:
                raise error("the app of the kit failed")
            return "Hm?"

        for case in cases:
            trace = self._play_case(build(), case, failing)
            if isinstance(trace, Trace):
                reached = any(turn.observation is None for turn in trace.turns)
                assert trace.incidents or not reached, f"{error.__name__} is not in the trace"

    def test_cancelling_passes(self, build: Build, cases: Sequence[Case]) -> None:
        async def cancel() -> bool:
            asked = asyncio.Event()

            async def never(act: Act, number: int) -> None:
                asked.set()
                await asyncio.Event().wait()

            task = asyncio.create_task(play(build(), _app(never), cases[0]))
            waiting = asyncio.create_task(asked.wait())
            await asyncio.wait([task, waiting], return_when=asyncio.FIRST_COMPLETED)
            waiting.cancel()
            was_over = task.done()
            task.cancel()
            await asyncio.wait([task])
            return was_over or task.cancelled()

        assert self.run(cancel()), "it went on although its task was cancelled"

    def test_meta_is_plain_data(self, build: Build, cases: Sequence[Case]) -> None:
        for case in cases:
            trace = self._play_case(build(), case, _chat)
            assert isinstance(trace, Trace)
            stored = trace.model_copy(update={"meta": build().meta(case)}).model_dump_json()
            assert Trace.model_validate_json(stored).meta == build().meta(case)

    def _play_case(self, player: Player[Any], case: Case, answer: Answer) -> Trace | AppError:
        return self.run(self._within_reason(player, _app(answer), case))

    async def _within_reason(
        self, player: Player[Any], app: FakeConnector, case: Case
    ) -> Trace | AppError:
        """Play; too many acts fail the test."""
        most = self.most_acts

        async def limited() -> Trace | AppError:
            playing = asyncio.create_task(play(player, app, case))
            while not playing.done():
                await asyncio.sleep(0)
                if app.sessions and len(app.sessions[-1].acts) > most:
                    playing.cancel()
                    await asyncio.wait([playing])
                    pytest.fail(f"it does not come to an end: {most} acts in one case")
            return playing.result()

        return await limited()


def _scenarios(player: Player[Any]) -> int:
    return len(player.space().scenarios)


def _first_case(space: Space, index: int) -> Case:
    scenario = space.scenarios[index]
    params = {item.name: item.domain[0] for item in scenario.variables if item.domain}
    return Case.of(scenario.name, params, run_seed=7)


def _app(answer: Answer) -> FakeConnector:
    return FakeContext().build(FakeConnector, replies=answer, greeting="Welcome!")


def _acts(trace: Any) -> list[Act]:
    return [turn.act for turn in trace.turns]


def _chat(act: Act, number: int) -> str:
    lines = ("Which size?", "What else?", "That is 12.50 dollars.", "Thank you, goodbye.")
    return lines[min(number, len(lines) - 1)]


def _saying(seen: Observation) -> Answer:
    return lambda act, number: seen


_APPS: dict[str, Answer] = {
    "silent": lambda act, number: "",
    "talkative": lambda act, number: f"Number {number}. " + "Do tell me more! " * 300,
    "repeating": lambda act, number: getattr(act, "text", ""),
    "asking": lambda act, number: "Sorry, I did not understand. Could you say that again?",
    "offering": lambda act, number: Reply(text="Choose:", choices=("yes", "no", str(number))),
}
