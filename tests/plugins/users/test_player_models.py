"""The simulated user with language models behind its agents: goal checks, failures, budgets."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from sparring.engine.play import play
from sparring.errors import AnswerInvalid, BudgetSpent, ModelError, ModelUnavailable
from sparring.interfaces.roles import ExtractTask, UserMove, UserTask
from sparring.model.case import Case
from sparring.model.talk import Ended, IncidentKind, Observation, Say, Trace
from sparring.model.verdict import Owner
from sparring.testing.fakes import (
    FakeConnector,
    FakeContext,
    FakeExtractor,
    FakeGoalChecker,
    FakeLLM,
    FakeUser,
)
from sparring_plugins.users.model_user.user import ModelUser
from sparring_plugins.users.player import UserSimulator

Converse = Callable[..., Trace]
WriteProfile = Callable[..., Path]

GOALS = ["a pizza", "the opening hours"]
OUTPUTS = {"price": ("money", "the total price")}


def answers(text: str) -> str:
    return {"one": "A pizza, very well.", "two": "We open at 9 am."}.get(text, "It is $5.")


def parts(**changes: Any) -> dict[str, Any]:
    build = FakeContext().build
    return {
        "user": build(FakeUser, lines=("one", "two", "three")),
        "extractor": build(FakeExtractor, values={"price": "$5"}),
        "checker": build(FakeGoalChecker, shown_by={1: "We open at 9", 0: "It is"}),
        **changes,
    }


def talked(converse: Converse, profile: Path, **changes: Any) -> Trace:
    given = {"user": "user", "extractor": "extractor", "goal_checker": "checker"}
    return converse(answers, profile, parts=parts(**changes), **given)


def test_the_checker_and_not_the_user_says_which_goals_are_met(
    profile_of: WriteProfile, converse: Converse
) -> None:
    trace = talked(converse, profile_of(GOALS, OUTPUTS))
    assert trace.ended is Ended.GOALS_REACHED
    assert trace.meta["goals_met"] == [0, 1]
    assert trace.meta["goal_checks"] == [
        {"goal": "a pizza", "met": True, "quotation": "It is", "turn": 2},
        {"goal": "the opening hours", "met": True, "quotation": "We open at 9", "turn": 1},
    ]
    none = FakeContext().build(FakeGoalChecker)
    trace = talked(converse, profile_of(GOALS, OUTPUTS), checker=none)
    assert trace.ended is Ended.USER_LEFT
    assert trace.meta["goals_unmet"] == GOALS
    checks = trace.meta["goal_checks"]
    unmet = {"met": False, "quotation": None, "turn": None}
    assert checks == [{"goal": goal, **unmet} for goal in GOALS]
    [incident] = trace.incidents
    assert incident.owner is Owner.JUDGE
    assert "the user takes all goals for met, the goal checker checker does not" in incident.message


def test_outputs_that_are_missing_with_open_goals_are_the_checkers_too(
    profile_of: WriteProfile, converse: Converse
) -> None:
    build = FakeContext().build
    shy = build(FakeUser, lines=lambda task: UserMove(act=None if task.turns else Say(text="one")))
    trace = talked(
        converse,
        profile_of(GOALS[:1], OUTPUTS),
        user=shy,
        checker=build(FakeGoalChecker),
        extractor=build(FakeExtractor),
    )
    [incident] = trace.incidents
    assert incident.owner is Owner.JUDGE
    assert "the goal checker checker did not find it met" in incident.message


def test_without_a_checker_it_is_the_users_own_word(
    profile_of: WriteProfile, converse: Converse
) -> None:
    given = {"user": "user", "extractor": "extractor"}
    trace = converse(answers, profile_of(GOALS, OUTPUTS), parts=parts(), **given)
    assert trace.meta["goals_met"] == [0, 1]
    assert "goal_checks" not in trace.meta


def test_the_checker_is_told_what_was_met_and_not_asked_once_all_is(
    profile_of: WriteProfile, converse: Converse
) -> None:
    seen: list[tuple[int, tuple[int, ...]]] = []

    class Checker(FakeGoalChecker):
        async def act(self, task: Any) -> Any:
            seen.append((len(task.turns), task.goals_met))
            return await super().act(task)

    checker = FakeContext().build(Checker, shown_by={0: "A pizza", 1: "We open"})
    trace = talked(converse, profile_of(GOALS, OUTPUTS), checker=checker)
    assert seen == [(1, ()), (2, (0,))]
    assert len(trace.turns) == 3


def test_an_answer_that_did_not_understand_meets_no_goal(
    profile_of: WriteProfile, converse: Converse
) -> None:
    seen: list[int] = []

    class Checker(FakeGoalChecker):
        async def act(self, task: Any) -> Any:
            seen.append(len(task.turns))
            return await super().act(task)

    def bot(text: str) -> str:
        return "I'm sorry, I did not get what you said." if text == "one" else "We open at 9."

    given = {"user": "user", "extractor": "extractor", "goal_checker": "checker"}
    converse(bot, profile_of(GOALS), parts=parts(checker=FakeContext().build(Checker)), **given)
    assert seen == [2, 3]


FAILURES = [
    (AnswerInvalid("nothing usable"), Owner.SIMULATED_USER),
    (ModelError("no such model"), Owner.ENVIRONMENT),
    (ModelUnavailable("down"), Owner.ENVIRONMENT),
]


def failing(error: ModelError, after: int = 1) -> Callable[[UserTask], UserMove]:
    def move(task: UserTask) -> UserMove:
        if len(task.turns) < after:
            return UserMove(act=Say(text="one"))
        raise error

    return move


@pytest.mark.parametrize(("error", "owner"), FAILURES)
def test_a_user_whose_model_fails_ends_the_case_and_blames_no_app(
    error: ModelError, owner: Owner, profile_of: WriteProfile, converse: Converse
) -> None:
    user = FakeContext().build(FakeUser, lines=failing(error))
    nothing = FakeContext().build(FakeExtractor)
    trace = talked(converse, profile_of(GOALS, OUTPUTS), user=user, extractor=nothing)
    assert trace.ended is Ended.INCIDENT
    assert [(one.kind, one.owner, one.turn) for one in trace.incidents] == [
        (IncidentKind.MODEL_ERROR, owner, 0)
    ]
    assert trace.incidents[0].message == str(error)
    assert len(trace.turns) == 1
    assert trace.meta["goals_unmet"] == GOALS


@pytest.mark.parametrize(("error", "owner"), FAILURES)
def test_so_does_a_goal_checker(
    error: ModelError, owner: Owner, profile_of: WriteProfile, converse: Converse
) -> None:
    class Checker(FakeGoalChecker):
        async def act(self, task: Any) -> Any:
            raise error

    trace = talked(converse, profile_of(GOALS, OUTPUTS), checker=FakeContext().build(Checker))
    assert [(one.kind, one.owner) for one in trace.incidents] == [(IncidentKind.MODEL_ERROR, owner)]
    assert [one.value for one in trace.outputs] == ["$5"]
    assert trace.ended is Ended.INCIDENT


@pytest.mark.parametrize(("error", "owner"), FAILURES)
def test_an_extractor_that_fails_leaves_outputs_unread_and_the_conversation_finished(
    error: ModelError, owner: Owner, profile_of: WriteProfile, converse: Converse
) -> None:
    def value(task: ExtractTask, name: str) -> Any:
        raise error

    extractor = FakeContext().build(FakeExtractor, values=value)
    trace = talked(converse, profile_of(GOALS, OUTPUTS), extractor=extractor)
    assert [(one.kind, one.owner) for one in trace.incidents] == [(IncidentKind.MODEL_ERROR, owner)]
    assert [(one.name, one.value, one.type) for one in trace.outputs] == [("price", None, "money")]
    assert trace.outputs[0].unread == trace.incidents[0].message
    assert trace.ended is not Ended.INCIDENT
    assert len(trace.turns) == 3


@pytest.mark.parametrize("who", ["user", "checker", "extractor"])
def test_a_spent_budget_passes(who: str, profile_of: WriteProfile, converse: Converse) -> None:
    spent = BudgetSpent("no money left")

    class Checker(FakeGoalChecker):
        async def act(self, task: Any) -> Any:
            raise spent

    def value(task: ExtractTask, name: str) -> Any:
        raise spent

    build = FakeContext().build
    changes: dict[str, Any] = {
        "user": build(FakeUser, lines=failing(spent)),
        "checker": build(Checker),
        "extractor": build(FakeExtractor, values=value),
    }
    with pytest.raises(BudgetSpent):
        talked(converse, profile_of(GOALS, OUTPUTS), **{who: changes[who]})


@pytest.mark.parametrize(("error", "owner"), FAILURES)
def test_the_engine_blames_no_app_for_a_model_that_any_player_asks(
    error: ModelError, owner: Owner
) -> None:
    from sparring.testing.fakes import FakePlayer

    class Asking(FakePlayer):
        async def act(self, task: Any) -> Trace:
            await task.session.send(Say(text="Hello"))
            raise error

    context = FakeContext()
    trace = asyncio.run(
        play(
            context.build(Asking),
            context.build(FakeConnector),
            Case.of("talk", {}, run_seed=0),
            timeout_s=5,
            on_turn=lambda case, index, turn: None,
            problem=lambda message: None,
        )
    )
    assert [(one.kind, one.owner, one.turn) for one in trace.incidents] == [
        (IncidentKind.MODEL_ERROR, owner, 0)
    ]


def model_profile(path: Path, **changes: Any) -> Path:
    data = yaml.safe_load(path.read_text("utf-8"))
    data.update(changes)
    path.write_text(yaml.safe_dump(data), "utf-8")
    return path


def test_the_profiles_temperature_counts_and_its_model_is_the_suites(
    profile_of: WriteProfile, converse: Converse
) -> None:
    path = model_profile(profile_of(GOALS), llm={"model": "gpt-4o", "temperature": 0.3})
    leave: dict[str, Any] = {
        "reason": "",
        "goals_met": [],
        "message": "Bye",
        "choice": None,
        "leaves": True,
    }
    llm = FakeContext().build(FakeLLM, answers={"user": leave}, model="cheap")
    context = FakeContext(llm=llm)
    player = context.build(UserSimulator, profiles=str(path), user="model")
    warning = f"{path}: names the model 'gpt-4o'; the user asks cheap, as the suite's"
    assert any(one.startswith(warning) for one in context.warnings), context.warnings
    case = Case.of("customer", {}, run_seed=1)
    asyncio.run(
        play(
            player,
            FakeContext().build(FakeConnector),
            case,
            timeout_s=5,
            on_turn=lambda case, index, turn: None,
            problem=lambda message: None,
        )
    )
    assert {request.temperature for request in llm.requests} == {0.3}
    same = model_profile(path, llm={"model": "cheap"})
    context = FakeContext(llm=llm)
    context.build(UserSimulator, profiles=str(same), user="model")
    assert context.warnings == []


def test_the_languages_that_were_spoken_are_recorded(
    profile_of: WriteProfile, converse: Converse
) -> None:
    class Polyglot(FakeUser):
        plays_styles = True

    path = profile_of(GOALS)
    data = yaml.safe_load(path.read_text("utf-8"))
    data["conversation"]["interaction_style"] = [{"change language": ["French"]}]
    path.write_text(yaml.safe_dump(data), "utf-8")
    user = FakeContext().build(Polyglot, lines=("one", "two", "three"))
    block: Any = talked(converse, path, user=user).meta["conversation"]
    styles = block[0]["interaction_style"]
    assert set(styles[0]) == {"change languages"}
    assert len(styles[0]["change languages"]) == 3
    assert set(styles[0]["change languages"]) <= {"English", "French"}
    plain: Any = talked(converse, path).meta["conversation"]
    assert plain[0]["interaction_style"] == [{"change language": ["French"]}]


def move(message: str, *quoted: tuple[int, str], **more: Any) -> dict[str, Any]:
    """A model's move that ticks goals by their numbers, each with words of the app."""
    ticks = [{"number": number, "quotation": words} for number, words in quoted]
    plain: dict[str, Any] = {"reason": "", "choice": None, "leaves": False, "goals_undone": []}
    return {**plain, "message": message, "goals_met": ticks, **more}


def modelled(converse: Converse, bot: Any, profile: Path, *moves: dict[str, Any]) -> Trace:
    """A conversation of the real user with a model that makes these moves."""
    user = FakeContext(llm=FakeContext().build(FakeLLM, answers=moves)).build(ModelUser)
    return converse(bot, profile, parts={"user": user}, user="user")


def test_goals_that_the_app_takes_back_are_not_met(
    profile_of: WriteProfile, converse: Converse
) -> None:
    said = iter(["Your pizza is ordered.", "Sorry, the oven broke. Your order is cancelled."])
    trace = modelled(
        converse,
        lambda text: next(said, "Goodbye!"),
        profile_of(GOALS[:1]),
        move("A pizza, please."),
        move("When will it be here?", (1, "Your pizza is ordered")),
        move("", goals_undone=[1], leaves=True),
    )
    assert trace.meta["goals_unmet"] == GOALS[:1]
    assert trace.ended is Ended.USER_LEFT


def test_the_last_words_of_an_app_that_hangs_up_meet_goals(
    profile_of: WriteProfile, converse: Converse
) -> None:
    trace = modelled(
        converse,
        lambda text: Observation(text="Your pizza is ordered. Bye.", ended=True),
        profile_of(GOALS[:1]),
        move("A pizza, please."),
        move("", (1, "Your pizza is ordered"), leaves=True),
    )
    assert trace.meta["goals_met"] == [0]
    assert trace.incidents == ()
    assert len(trace.turns) == 1


@pytest.mark.parametrize(
    ("last", "blamed"),
    [
        ("And when do you open?", True),
        ("Thank you. And when do you open?", False),
        ("no thnaks, thats al", False),
    ],
)
def test_an_app_that_takes_thanks_for_a_leave_is_not_blamed(
    last: str, blamed: bool, profile_of: WriteProfile, converse: Converse
) -> None:
    def bot(text: str) -> Observation:
        if text == last:
            return Observation(text="Thanks for stopping by!", ended=True)
        return Observation(text="Your pizza is ordered. Anything else?")

    moves = [move("A pizza, please."), move(last, (1, "Your pizza is ordered"))]
    trace = modelled(converse, bot, profile_of(GOALS), *moves, *[move("", leaves=True)] * 2)
    assert trace.meta["goals_met"] == [0]
    assert [one.owner is Owner.APP for one in trace.incidents] == [blamed]
