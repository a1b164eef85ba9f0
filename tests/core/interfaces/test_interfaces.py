"""What the six interfaces promise to those who implement them."""

import asyncio
import inspect
from typing import Annotated, Any, ClassVar

import pytest
from pydantic import ValidationError

from sparring.discovery.groups import GROUPS
from sparring.interfaces.agent import Agent, Player
from sparring.interfaces.app_connector import AppConnector, AppSession, Capability
from sparring.interfaces.oracle import Oracle
from sparring.interfaces.plugin import LLMBackend, PluginConfig, Use, UseOf
from sparring.interfaces.reporter import Reporter
from sparring.interfaces.search_strategy import SearchStrategy
from sparring.model.case import Case
from sparring.model.talk import Ended, Incident, IncidentKind, Say
from sparring.model.verdict import Owner
from sparring.testing.conversations import EPOCH, trace_of
from sparring.testing.fakes import FakeConnector, FakeContext
from sparring.testing.playing import RecordingSession, task_for

ABSTRACT: dict[type[Any], set[str]] = {
    AppConnector: {"open"},
    Agent: {"act"},
    Player: {"act", "space"},
    LLMBackend: {"complete"},
    Oracle: set(),
    Reporter: {"handle"},
    SearchStrategy: {"start", "ask", "done", "state", "restore"},
}


@pytest.mark.parametrize("interface", ABSTRACT)
def test_an_interface_asks_for_exactly_these_methods(interface: type[Any]) -> None:
    assert interface.__abstractmethods__ == ABSTRACT[interface]


@pytest.mark.parametrize("interface", [i for i, methods in ABSTRACT.items() if methods])
def test_what_lacks_a_method_cannot_be_instantiated(interface: type[Any]) -> None:
    first = sorted(ABSTRACT[interface])[0]
    with pytest.raises(TypeError, match=first):
        type("Incomplete", (interface,), {})(PluginConfig(), FakeContext())


@pytest.mark.parametrize("group", GROUPS.values(), ids=lambda group: str(group.label))
def test_each_interface_is_described_and_has_a_supported_version(group: Any) -> None:
    assert inspect.getdoc(group.interface)
    assert group.interface.api_version in group.supported_api


def test_every_public_method_of_an_interface_is_described() -> None:
    missing = [
        f"{interface.__name__}.{name}"
        for interface in [*ABSTRACT, AppSession]
        for name, value in vars(interface).items()
        if not name.startswith("_")
        and (callable(value) or isinstance(value, property))
        and not inspect.getdoc(value)
    ]
    assert not missing


def test_an_oracle_with_nothing_to_say_says_nothing() -> None:
    silent: type[Oracle[Any]] = type("Silent", (Oracle,), {})
    oracle = FakeContext().build(silent)
    assert asyncio.run(oracle.judge(trace_of([]))) == ()
    assert asyncio.run(oracle.conclude([])) == ()


def test_a_session_that_was_not_written_says_so() -> None:
    with pytest.raises(NotImplementedError):
        asyncio.run(AppSession().send(Say(text="hi")))


def test_a_connector_offers_texts_and_a_player_needs_them() -> None:
    assert AppConnector.offers == Player.needs == {Capability.TEXT}


class Nested(PluginConfig):
    user: Annotated[Use, UseOf("sparring.agents", role="user")] = Use(use="agenda")
    size: int = 1


def test_settings_beside_use_are_kept_as_written() -> None:
    use = Use.model_validate({"use": "agenda", "typos": 0.1, "nested": {"a": [1]}})
    assert use.use == "agenda"
    assert use.settings == {"typos": 0.1, "nested": {"a": [1]}}


def test_settings_cannot_be_changed() -> None:
    config = Nested(size=2)
    with pytest.raises(ValidationError, match="frozen"):
        config.size = 3  # type: ignore[misc]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"sise": 1}, "Extra inputs are not permitted"),
        ({"size": "many"}, "valid integer"),
        ({"user": {}}, "Field required"),
        ({"user": {"use": 3}}, "valid string"),
    ],
)
def test_wrong_settings_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        Nested.model_validate(settings)


class TestPlayTask:
    case: ClassVar[Case] = Case.of("talk", {"size": "big"}, run_seed=0)

    def test_the_trace_holds_what_was_said_and_what_the_player_adds(self) -> None:
        async def play() -> Any:
            async with FakeContext().build(FakeConnector).open(self.case) as session:
                task = task_for(self.case, RecordingSession(session))
                await task.session.send(Say(text="hello"))
                slow = Incident(kind=IncidentKind.LOOP, message="again", owner=Owner.APP)
                return task.trace(Ended.LOOP, incidents=[slow], meta={"profile": "p"})

        trace = asyncio.run(play())
        assert [turn.observation.text for turn in trace.turns] == ["hello"]
        assert (trace.case, trace.ended, trace.started) == (self.case, Ended.LOOP, EPOCH)
        assert trace.incidents[0].kind == IncidentKind.LOOP
        assert trace.meta == {"profile": "p"}
        assert trace.duration_s >= 0

    def test_a_trace_does_not_grow_with_the_session(self) -> None:
        async def play() -> Any:
            async with FakeContext().build(FakeConnector).open(self.case) as session:
                task = task_for(self.case, RecordingSession(session))
                before = task.trace(Ended.USER_LEFT)
                await task.session.send(Say(text="hello"))
                return before, task.trace(Ended.USER_LEFT)

        before, after = asyncio.run(play())
        assert (len(before.turns), len(after.turns)) == (0, 1)
