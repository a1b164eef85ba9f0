"""Whose doing it is that a conversation came to nothing."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sparring.errors import (
    AppCrash,
    AppError,
    ConfigurationError,
    EnvironmentFailure,
    MachineBusy,
    PartError,
    SparringError,
)
from sparring.interfaces.agent import Agent
from sparring.interfaces.plugin import PluginConfig
from sparring.interfaces.roles import Extraction, UserMove, UserTask
from sparring.model.talk import Ended, Incident, IncidentKind, Observation, Output, Say, Trace
from sparring.model.verdict import Owner
from sparring.testing.fakes import FakeContext, FakeExtractor, FakeUser

Converse = Callable[..., Trace]
WriteProfile = Callable[..., Path]

GOALS = ["a small pizza", "what does it cost?"]
OUTPUTS = {"price": ("money", "the total price")}


class Saying(Agent[UserTask, UserMove, PluginConfig]):
    """Says the same as long as it may."""

    role = "user"

    async def act(self, task: UserTask) -> UserMove:
        return UserMove(act=Say(text="Hello?"))


def talked(
    converse: Converse, profile: Path, bot: Callable[[str], Any], *lines: str, **more: Any
) -> dict[IncidentKind, Incident]:
    """The incidents of a conversation in which the user says these lines, by their kind."""
    build = FakeContext().build
    user = more.pop("user", None) or build(FakeUser, lines=lines)
    values = more.pop("values", {})
    extractor = more.pop("extractor", None) or build(FakeExtractor, values=values)
    parts = {"user": user, "extractor": extractor}
    trace = converse(bot, profile, parts=parts, user="user", extractor="extractor", **more)
    return {one.kind: one for one in trace.incidents}


def unreached(*args: Any, **more: Any) -> Incident:
    return talked(*args, **more)[IncidentKind.GOAL_NOT_REACHED]


PRICED = "That is $12.50."


@pytest.mark.parametrize(
    ("answers", "owner"),
    [
        # nothing that could be a price was ever said
        (["A small pizza, very well.", "It costs what it costs."], Owner.APP),
        (["A small pizza, very well.", "The total is , please."], Owner.APP),
        # the menu has prices, the answer to the question has none
        (["Small ones are $9, big ones $12.", "It costs what it costs."], Owner.APP),
        # it said a price, and the extractor did not see it
        (["A small pizza, very well.", PRICED], Owner.SIMULATED_USER),
        ([PRICED, "Anything else?"], Owner.SIMULATED_USER),
    ],
)
def test_what_the_app_never_said_is_the_apps_and_what_was_not_seen_is_not(
    profile_of: WriteProfile, converse: Converse, answers: list[str], owner: Owner
) -> None:
    said = iter(answers)
    lines = ("a small pizza", "what is the total price of it?")
    found = unreached(converse, profile_of(GOALS, OUTPUTS), lambda _: next(said, "Bye."), *lines)
    assert found.owner is owner
    assert found.message.startswith("1 goal left to complete")
    assert ("was extracted" in found.message) is (owner is not Owner.APP)


def test_a_user_that_leaves_before_it_said_what_it_wants_reached_nothing_by_itself(
    profile_of: WriteProfile, converse: Converse
) -> None:
    profile = profile_of([*GOALS, "when are you open?"], OUTPUTS)
    found = unreached(converse, profile, lambda _: "Which size?", "a pizza")
    assert found.owner is Owner.SIMULATED_USER
    assert "left before" in found.message
    silent = unreached(converse, profile, lambda _: "Which size?")
    assert (silent.owner, "said nothing" in silent.message) == (Owner.SIMULATED_USER, True)


def test_an_app_that_ends_the_conversation_by_itself_is_to_blame(
    profile_of: WriteProfile, converse: Converse
) -> None:
    def bot(_: str) -> Observation:
        return Observation(text=f"Enough. {PRICED}", ended=True)

    found = unreached(converse, profile_of(GOALS, OUTPUTS), bot, "a pizza", "more")
    assert found.owner is Owner.APP


def test_an_app_that_does_not_understand_several_messages_is_to_blame(
    profile_of: WriteProfile, converse: Converse
) -> None:
    sorry = "I'm sorry, I did not get what you said."
    lines = ("a pizza", "a small one", "a small pizza please", "goodbye")
    found = unreached(converse, profile_of(GOALS, OUTPUTS), lambda _: sorry, *lines)
    assert found.owner is Owner.APP


def test_a_question_that_stays_open_through_complaints_is_the_users_to_answer(
    profile_of: WriteProfile, converse: Converse
) -> None:
    asked = "A small pizza. Which number may we call?"
    said = iter([asked, "That is not a valid phone number."])
    lines = ("a small pizza", "what does it cost?", "and the price?", "the price", "how much?")

    def bot(_: str) -> str:
        return next(said, "Sorry?")

    found = unreached(converse, profile_of(GOALS, OUTPUTS), bot, *lines)
    assert found.owner is Owner.SIMULATED_USER


def test_an_app_that_says_why_not_has_understood(
    profile_of: WriteProfile, converse: Converse
) -> None:
    """It turns one day down and waits for another; all else is no answer to its question."""
    lines = (
        *("a small pizza on Monday", "Monday", "Cancel", "on Monday", "Back", "Menu"),
        *("what does it cost?", "the price?", "could you tell me the price?"),
    )

    def bot(text: str) -> str:
        closed = "We are closed on Mondays, so Monday is not possible."
        why = closed if "Monday" in text else "Sorry, I didn't quite get that."
        return f"{why}\nWhich day would you like to come?"

    found = unreached(converse, profile_of(GOALS, OUTPUTS), bot, *lines)
    assert found.owner is not Owner.APP


def test_what_may_come_after_an_open_question_is_not_yet_kept_back(
    profile_of: WriteProfile, converse: Converse
) -> None:
    asks = "Please enter your e-mail address."
    said = iter(["A small pizza, very well.", f"It costs what it costs. {asks}"])
    lines = ("a small pizza", "what does it cost?", "and the total price?")
    found = unreached(converse, profile_of(GOALS, OUTPUTS), lambda _: next(said, asks), *lines)
    assert found.owner is Owner.SIMULATED_USER
    assert "left a question of the app unanswered" in found.message


def test_too_few_turns_are_the_profiles(profile_of: WriteProfile, converse: Converse) -> None:
    profile = profile_of(GOALS, OUTPUTS, goal_style={"steps": 2})
    found = unreached(converse, profile, lambda said: f"{said}? Noted.", "one", "two", "three")
    assert found.owner is Owner.TEST
    assert "2 turns, which were too few" in found.message


@pytest.mark.parametrize(
    ("answer", "owner"),
    [("A pizza costs $.", Owner.APP), ("Which size?", Owner.TEST), (PRICED, Owner.TEST)],
)
def test_within_too_few_turns_only_a_plain_answer_without_the_value_is_the_apps(
    profile_of: WriteProfile, converse: Converse, answer: str, owner: Owner
) -> None:
    profile = profile_of(GOALS, OUTPUTS, goal_style={"steps": 2})
    said = iter([answer, "Very well."])
    lines = ("What is the total price?", "a small pizza", "goodbye")
    assert unreached(converse, profile, lambda _: next(said), *lines).owner is owner


def test_a_user_that_goes_in_circles_does_so_with_any_app(
    profile_of: WriteProfile, converse: Converse
) -> None:
    profile = profile_of(GOALS, OUTPUTS)
    user = FakeContext().build(Saying)
    found = talked(converse, profile, lambda _: "Yes, hello?", user=user)
    loop = found[IncidentKind.LOOP]
    assert loop.owner is Owner.SIMULATED_USER
    assert "the user said the same" in loop.message
    assert found[IncidentKind.GOAL_NOT_REACHED].owner is Owner.SIMULATED_USER
    numbers = iter(range(100))
    profile = profile_of(GOALS, OUTPUTS, goal_style={"steps": 6})
    found = talked(converse, profile, lambda _: f"Answer {next(numbers)}", user=user)
    assert found[IncidentKind.GOAL_NOT_REACHED].owner is Owner.SIMULATED_USER


def test_an_app_that_goes_in_circles_is_to_blame(
    profile_of: WriteProfile, converse: Converse
) -> None:
    lines = tuple(f"my phone number is 555 01{number}" for number in range(20, 40))
    found = talked(
        converse, profile_of(GOALS, OUTPUTS), lambda _: "What is your phone number?", *lines
    )
    assert found[IncidentKind.LOOP].owner is Owner.APP
    assert found[IncidentKind.GOAL_NOT_REACHED].owner is Owner.APP
    silent = talked(
        converse, profile_of(GOALS, OUTPUTS), lambda _: "", user=FakeContext().build(Saying)
    )
    assert silent[IncidentKind.LOOP].owner is Owner.APP


@pytest.mark.parametrize("bot", [lambda _: "Yes, hello?", lambda _: PRICED, lambda _: ""])
def test_sensei_counts_all_of_it_against_the_app(
    profile_of: WriteProfile, converse: Converse, bot: Callable[[str], str]
) -> None:
    user = FakeContext().build(Saying)
    found = talked(converse, profile_of(GOALS, OUTPUTS), bot, user=user, compat="sensei")
    assert {one.owner for one in found.values()} == {Owner.APP}
    assert found[IncidentKind.GOAL_NOT_REACHED].message == "1 goals left to complete."


BROKEN: list[tuple[SparringError, IncidentKind, Owner]] = [
    (PartError("connector", "rest", "send", "KeyError"), IncidentKind.CONNECTOR_ERROR, Owner.TOOL),
    (EnvironmentFailure("no browser"), IncidentKind.ENVIRONMENT, Owner.ENVIRONMENT),
    (MachineBusy("starved"), IncidentKind.MACHINE_BUSY, Owner.ENVIRONMENT),
    (ConfigurationError("no such thing"), IncidentKind.PLAYER_ERROR, Owner.TEST),
    (AppCrash("500"), IncidentKind.CRASH, Owner.APP),
]


@pytest.mark.parametrize(("error", "kind", "owner"), BROKEN)
def test_what_broke_the_conversation_off_owns_what_was_not_reached(
    profile_of: WriteProfile,
    converse: Converse,
    error: SparringError,
    kind: IncidentKind,
    owner: Owner,
) -> None:
    def bot(said: str) -> str:
        if said == "two":
            raise error
        return "A pizza, very well."

    for compat in (None, "sensei"):
        found = talked(
            converse, profile_of(GOALS, OUTPUTS), bot, "one", "two", "three", compat=compat
        )
        assert found[kind].owner is owner
        assert found[kind].turn == 1
        assert found[IncidentKind.GOAL_NOT_REACHED].owner is owner
        assert isinstance(error, AppError) or Owner.APP not in {one.owner for one in found.values()}


class Broken(Agent[Any, Any, PluginConfig]):
    """Raises what its task makes it, as a contained part does."""

    role = "extractor"
    answer: Any = None

    async def act(self, task: Any) -> Any:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


PRICE = Output(name="price", type="money", value="$12.50")


@pytest.mark.parametrize(
    "answer",
    [
        PartError("agent", "patterns", "act", "KeyError: 'x'"),
        Extraction(outputs=()),
        Extraction(outputs=(PRICE, PRICE)),
        Extraction(outputs=(PRICE.model_copy(update={"name": "prise"}),)),
        Extraction(outputs=(PRICE.model_copy(update={"value": ["$12.50"]}),)),
        Extraction(outputs=(PRICE.model_copy(update={"value": {"a": 1}}),)),
        Extraction(outputs=(PRICE.model_copy(update={"value": True}),)),
    ],
    ids=lambda answer: str(answer)[:60],
)
def test_an_extractor_that_breaks_throws_nothing_away_and_blames_nobody_else(
    profile_of: WriteProfile, converse: Converse, answer: Any
) -> None:
    extractor = FakeContext().build(Broken)
    extractor.answer = answer
    build = FakeContext().build
    parts = {"user": build(FakeUser, lines=("one", "two")), "extractor": extractor}
    trace = converse(
        lambda _: PRICED,
        profile_of(GOALS, OUTPUTS),
        parts=parts,
        user="user",
        extractor="extractor",
    )
    assert len(trace.turns) == 2
    assert trace.ended is Ended.GOALS_REACHED
    assert [(one.name, one.value) for one in trace.outputs] == [("price", None)]
    assert trace.outputs[0].unread.startswith("agent '")
    assert {one.owner for one in trace.incidents} == {Owner.TOOL}
    assert trace.incidents[0].kind is IncidentKind.PLAYER_ERROR


@pytest.mark.parametrize(
    ("kind", "values", "wrong"),
    [
        ("int", [3, None], ["3", 3.5, True, [3]]),
        ("float", [3, 3.5], ["3", False]),
        ("bool", [True, False], [1, "yes"]),
        ("date", ["2024-10-28"], [3, ["2024-10-28"]]),
        ("str", ["x", 3], [True, ["x"], {"x": 1}]),
    ],
)
def test_values_are_of_the_declared_type(
    profile_of: WriteProfile, converse: Converse, kind: str, values: list[Any], wrong: list[Any]
) -> None:
    profile = profile_of(GOALS, {"price": (kind, "the total price")})
    for value in (*values, *wrong):
        found = talked(converse, profile, lambda _: PRICED, "one", "two", values={"price": value})
        assert (IncidentKind.PLAYER_ERROR in found) is any(value is one for one in wrong), value
