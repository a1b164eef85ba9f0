"""Sessions in sequence for each app, apps side by side."""

from datetime import UTC, datetime

import pytest

from sparring.errors import ConfigurationError, StoredRunError
from sparring.model.case import Case
from sparring.model.space import Constraint, Scenario, Space, Variable
from sparring.model.talk import Ended, Trace
from sparring.testing.fakes import FakeContext
from sparring_plugins.voice.sessions import OVER, SessionsStrategy

APPS = Space(scenarios=(Scenario(name="a"), Scenario(name="b")))


def started(space: Space = APPS, **settings: object) -> SessionsStrategy:
    strategy = FakeContext().build(SessionsStrategy, **settings)
    strategy.start(space, 7)
    return strategy


def told(strategy: SessionsStrategy, case: Case, *, over: bool = False) -> None:
    trace = Trace(
        case=case,
        ended=Ended.TURN_LIMIT,
        started=datetime(2024, 1, 1, tzinfo=UTC),
        meta={OVER: over},
    )
    strategy.played(trace)
    strategy.tell(case, ())


def test_each_app_has_one_session_at_a_time() -> None:
    strategy = started()
    first = strategy.ask(10)
    assert [(case.scenario, case.repeat) for case in first] == [("a", 1), ("b", 1)]
    assert strategy.ask(10) == []
    told(strategy, first[1])
    assert [(case.scenario, case.repeat) for case in strategy.ask(10)] == [("b", 2)]


def test_an_app_that_is_over_gets_no_further_session() -> None:
    strategy = started()
    for case in strategy.ask(10):
        told(strategy, case, over=case.scenario == "a")
    assert [case.scenario for case in strategy.ask(10)] == ["b"]
    assert not strategy.done


def test_it_is_done_after_the_configured_sessions_or_the_authors() -> None:
    strategy = started(sessions=2)
    assert strategy.expected() == 4
    while cases := strategy.ask(10):
        for case in cases:
            told(strategy, case)
    assert strategy.done
    assert started(Space(scenarios=(Scenario(name="a", number=3),))).expected() == 3
    assert started().expected() is None


def test_each_choice_of_values_is_explored_on_its_own() -> None:
    tongue = Variable(name="tongue", domain=("en", "es", "en"))
    number = Variable(name="number", domain=(1, True, 1.0))
    strategy = started(Space(scenarios=(Scenario(name="a", variables=(tongue, number)),)))
    cases = strategy.ask(100)
    assert [case.params["tongue"] for case in cases] == ["en"] * 3 + ["es"] * 3
    assert len({case.id for case in cases}) == 6


def test_it_goes_on_where_it_was_saved() -> None:
    strategy = started()
    first = strategy.ask(10)
    saved = strategy.state()
    again = started()
    again.restore(saved)
    for one in (strategy, again):
        told(one, first[0], over=True)
        told(one, first[1])
    assert again.ask(10) == strategy.ask(10)


@pytest.mark.parametrize("state", [None, [], {}, {"asked": [1], "over": [], "open": {}},
                                   {"asked": [1], "over": [False], "open": {"x": 4}}])  # fmt: skip
def test_a_foreign_state_is_refused(state: object) -> None:
    with pytest.raises(StoredRunError, match="of another suite"):
        started().restore(state)  # type: ignore[arg-type]


def test_constraints_are_refused() -> None:
    bound = Scenario(name="a", constraints=(Constraint(expression="x > 1"),))
    with pytest.raises(ConfigurationError, match="has constraints"):
        started(Space(scenarios=(bound,)))


def test_an_app_that_never_opens_is_left_after_three_sessions() -> None:
    """Each ends before a single turn, so that no player can say that it is over."""
    strategy = started(Space(scenarios=(Scenario(name="a"),)))
    for number in (1, 2):
        told(strategy, strategy.ask(1)[0])
        assert not strategy.done, number
    other = started(Space(scenarios=(Scenario(name="a"),)))
    other.restore(strategy.state())
    told(other, other.ask(1)[0])
    assert other.done
