"""Evidence of goals that a profile names, and what comes of goals that are not met."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from sparring.errors import ConfigurationError
from sparring.model.talk import IncidentKind, Trace
from sparring.model.verdict import Owner
from sparring.testing.fakes import FakeContext
from sparring_plugins.users.end_state import contains_state
from sparring_plugins.users.player import UserSimulator

Converse = Callable[..., Trace]
WriteProfile = Callable[..., Path]

GOALS: list[Any] = [
    "rent a {{boat}}",
    {"boat": {"function": "forward()", "type": "string", "data": ["canoe", "kayak"]}},
]
STATE: dict[str, Any] = {"rentals": []}


def end_state() -> dict[str, Any]:
    """The end state of the app of these tests."""
    return STATE


def with_evidence(path: Path, *evidence: Any, **user: Any) -> Path:
    data = yaml.safe_load(path.read_text("utf-8"))
    data["user"] |= {"done_when": list(evidence), **user}
    path.write_text(yaml.safe_dump(data), "utf-8")
    return path


def play(converse: Converse, profile: Path, closing: str, **settings: Any) -> Trace:
    """A conversation about a canoe that ends with some words."""
    replies = iter(["A canoe. Is that right?", closing])
    return converse(lambda _: next(replies, "Bye!"), profile, {"boat": "canoe"}, **settings)


def incident(trace: Trace) -> tuple[Owner, str] | None:
    kinds = [item for item in trace.incidents if item.kind is IncidentKind.GOAL_NOT_REACHED]
    return (kinds[0].owner, kinds[0].message) if kinds else None


@pytest.mark.parametrize(
    ("phrase", "met"), [("your {{boat}} is*booked", True), ("your {{boat}} is paid", False)]
)
def test_a_phrase_decides_whether_the_goals_are_met(
    profile_of: WriteProfile, converse: Converse, phrase: str, met: bool
) -> None:
    profile = with_evidence(profile_of(GOALS), {"says": phrase})
    trace = play(converse, profile, "Your canoe is now booked.")
    assert trace.meta["goals_unmet"] == ([] if met else ["rent a canoe"])
    assert (incident(trace) is None) is met


def test_an_unmet_goal_is_no_silent_pass_and_the_users_own(
    profile_of: WriteProfile, converse: Converse
) -> None:
    trace = converse(lambda _: "Let us talk of the weather.", profile_of(["rent a canoe"]))
    owner, message = incident(trace) or (None, "")
    assert owner is not Owner.APP
    assert "rent a canoe" in message
    sensei = converse(
        lambda _: "Let us talk of the weather.", profile_of(["rent a canoe"]), compat="sensei"
    )
    assert incident(sensei) is None


def test_a_contradiction_of_what_was_agreed_is_the_apps_with_both_quotations(
    profile_of: WriteProfile, converse: Converse
) -> None:
    replies = iter(["A canoe on 9 May. Is that right?", "Booked: see you on 10 May!"])
    trace = converse(lambda _: next(replies, "Bye!"), profile_of(["rent a canoe on 9 May"]))
    owner, message = incident(trace) or (None, "")
    assert owner is Owner.APP
    assert "A canoe on 9 May" in message
    assert "see you on 10 May" in message


@pytest.mark.parametrize(
    ("boat", "owner"), [("canoe", None), ("kayak", Owner.APP), (None, Owner.APP)]
)
def test_the_end_state_is_read_after_the_conversation(
    profile_of: WriteProfile, converse: Converse, boat: str | None, owner: Owner | None
) -> None:
    STATE["rentals"] = [{"boat": boat, "days": 1}] if boat else []
    profile = with_evidence(profile_of(GOALS), {"state": {"rentals": [{"boat": "{{boat}}"}]}})
    trace = play(converse, profile, "Your canoe is booked.", state=f"{__name__}:end_state")
    assert (incident(trace) or (None,))[0] is owner
    assert bool(trace.meta["goals_unmet"]) is (owner is not None)


def test_a_state_that_nobody_spoke_of_is_not_the_apps(
    profile_of: WriteProfile, converse: Converse
) -> None:
    """The user may have forgotten to ask for a paddle."""
    STATE["rentals"] = [{"boat": "canoe", "paddle": False}]
    wanted = {"state": {"rentals": [{"boat": "canoe", "paddle": True}]}}
    trace = play(
        converse,
        with_evidence(profile_of(GOALS), wanted),
        "Your canoe is booked.",
        state=f"{__name__}:end_state",
    )
    assert (incident(trace) or (None,))[0] is Owner.SIMULATED_USER


def test_a_state_that_cannot_be_read_is_an_error_of_the_test(
    profile_of: WriteProfile, converse: Converse
) -> None:
    profile = with_evidence(profile_of(GOALS), {"state": {"rentals": []}})
    for settings in ({}, {"state": f"{__name__}:missing"}):
        trace = play(converse, profile, "Your canoe is booked.", **settings)
        (item,) = [one for one in trace.incidents if one.kind is IncidentKind.PLAYER_ERROR]
        assert item.owner is Owner.TEST


@pytest.mark.parametrize(
    ("evidence", "message"),
    [
        ({"say": "x"}, "unknown key. Did you mean 'says'?"),
        ({"goals": [3], "says": "x"}, "expected the number of a goal, 1 to 1; found 3"),
        ({"output": "price"}, "no output is called 'price'"),
        ({"goals": [1]}, "expected at least one of says, output and state"),
        (7, "expected a phrase, or a map of goals, says, output, state; found 7"),
    ],
)
def test_wrong_evidence_says_what_would_be_right(
    profile_of: WriteProfile, evidence: Any, message: str
) -> None:
    profile = with_evidence(profile_of(GOALS), evidence)
    with pytest.raises(ConfigurationError, match=message.replace("?", ".")):
        FakeContext().build(UserSimulator, profiles=str(profile))


@pytest.mark.parametrize(
    ("wanted", "state", "contained"),
    [
        ({"a": "2"}, {"a": 2, "b": 1}, True),
        ({"a": ["X"]}, {"a": ["y", "x"]}, True),
        ([{"a": 1}], {"k1": {"a": 1}}, True),
        ({"a": 1}, {}, False),
        ({"a": True}, {"a": "true"}, False),
        ([1], 1, False),
    ],
)
def test_a_state_contains_what_is_wanted(wanted: Any, state: Any, contained: bool) -> None:
    assert contains_state(wanted, json.loads(json.dumps(state))) is contained


def test_role_and_context_are_filled_with_the_values_of_the_case(
    profile_of: WriteProfile, converse: Converse
) -> None:
    profile = with_evidence(
        profile_of(GOALS), role="you own a {{boat}}", context=["a red {{boat}}"]
    )
    trace = play(converse, profile, "Your canoe is booked.")
    assert (trace.meta["role"], trace.meta["context"]) == ("you own a canoe", ["a red canoe"])


def test_a_hole_that_nobody_fills_is_refused_before_anything_is_sent(
    profile_of: WriteProfile,
) -> None:
    profile = with_evidence(profile_of(GOALS), context=["your member number is {{member}}"])
    with pytest.raises(ConfigurationError, match="undeclared variable 'member'"):
        FakeContext().build(UserSimulator, profiles=str(profile))
