"""Where typing is in vain, the user looks through the app's menus; goals are read for days and hours."""

import asyncio
from collections.abc import Mapping

import pytest

from sparring.interfaces.roles import Goal, UserTask
from sparring.model.talk import Act, Choice, Observation, Press, Say, Turn
from sparring.testing.fakes import FakeContext
from sparring_plugins.users.agenda.agents import AgendaUser
from sparring_plugins.users.agenda.replies.app_reply import read_app_reply
from sparring_plugins.users.agenda.state.user_goals import named_moment, named_option, user_goals_of

LOST = "Sorry, I did not get that. Please press a button."
MENUS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "Main menu": ("What can I do for you?", ("Opening hours", "My loans", "Cards")),
    "Opening hours": ("We open at ten. Anything else?", ("Main menu", "No, thank you")),
    "My loans": ("What about your loans?", ("Renew my books", "Late books", "Back")),
    "Cards": ("What about cards?", ("Get a card", "Back")),
    "Renew my books": ("Your books are renewed. Anything else?", ("Main menu", "No, thank you")),
    "Late books": ("A late book costs $2 a day. Anything else?", ("Main menu", "No, thank you")),
    "Get a card": ("Your card is ordered. Anything else?", ("Main menu", "No, thank you")),
    "Back": ("What can I do for you?", ("Opening hours", "My loans", "Cards")),
}
"""What each button of a small bot leads to; it understands nothing but its buttons."""


def screen(name: str, *, lost: bool = False) -> Observation:
    text, labels = MENUS[name]
    choices = tuple(Choice(label=label, value=label) for label in labels)
    return Observation(text=f"{LOST}\n{text}" if lost else text, choices=choices)


def visit(*goals: str, most: int = 20, press: bool = True) -> list[Act]:
    """What the user does in front of the menus until it leaves."""
    user = FakeContext().build(AgendaUser, press=press)
    task = UserTask(
        goals=tuple(Goal(phrase=goal, template=goal) for goal in goals), fallbacks=(LOST,), seed=1
    )
    turns = [Turn(act=Say(text=""), observation=screen("Main menu"))]
    shown = "Main menu"
    for _ in range(most):
        act = asyncio.run(user.act(task.model_copy(update={"turns": tuple(turns)}))).act
        if act is None:
            break
        said = act.label if isinstance(act, Press) else act.text if isinstance(act, Say) else ""
        known = said in MENUS[shown][1] and said in MENUS
        shown = said if known else shown
        turns.append(Turn(act=act, observation=screen(shown, lost=not known)))
    return [turn.act for turn in turns[1:]]


def labels(acts: list[Act]) -> list[str]:
    return [act.label for act in acts if isinstance(act, Press)]


def test_a_menu_is_searched_for_what_its_labels_do_not_tell() -> None:
    assert "Late books" in labels(visit("What does it cost to be late with a book?"))


def test_known_ways_are_taken_back_to_what_was_seen_on_the_way() -> None:
    pressed = labels(visit("renew my books", "what does a late book cost?"))
    assert "Renew my books" in pressed
    assert "Late books" in pressed


def test_a_search_ends_where_nothing_is_left_to_try() -> None:
    acts = visit("sing a song for me", most=60)
    assert len(acts) < 40
    assert set(labels(acts)) <= {*MENUS, "No, thank you"}


def test_labels_are_typed_by_a_user_that_does_not_press() -> None:
    acts = visit("What does it cost to be late with a book?", press=False)
    assert not labels(acts)
    assert any(isinstance(act, Say) and act.text == "Late books" for act in acts)


def test_of_two_labels_that_fit_the_one_that_says_more_is_taken() -> None:
    menu = tuple(Choice(label=one, value=one) for one in ("Get a card", "I lost my card", "Back"))
    user = FakeContext().build(AgendaUser)
    task = UserTask(
        goals=(Goal(phrase="I lost my card", template="I lost my card"),),
        turns=(Turn(act=Say(text=""), observation=Observation(text="Cards?", choices=menu)),),
        seed=1,
    )
    act = asyncio.run(user.act(task)).act
    assert isinstance(act, Press)
    assert act.label == "I lost my card"


@pytest.mark.parametrize(
    ("goal", "kind", "said"),
    [
        ("a haircut on Friday at 10 am", "date", "on Friday"),
        ("a haircut on Friday at 10 am", "time", "10 am"),
        ("on 12 March at 14:30", "time", "14:30"),
        ("ask whether you open on Friday", "date", None),
        ("a haircut", "date", None),
    ],
)
def test_days_and_hours_of_goals_are_known(goal: str, kind: str, said: str | None) -> None:
    wants = user_goals_of(UserTask(goals=(Goal(phrase=goal, template=goal),), seed=1))
    assert named_moment(kind, wants) == said


@pytest.mark.parametrize(
    ("options", "chosen"),
    [
        (("Public insurance", "No insurance"), 1),
        (("First visit", "Follow-up"), 0),
        (("Red", "Green"), None),
    ],
)
def test_an_option_that_a_goal_names_is_found(options: tuple[str, ...], chosen: int | None) -> None:
    goals = ("it is my first visit", "I have no insurance")
    task = UserTask(goals=tuple(Goal(phrase=one, template=one) for one in goals), seed=1)
    assert named_option(options, user_goals_of(task)) == chosen


def test_an_hour_that_a_goal_names_is_given_where_it_is_asked_for() -> None:
    user = FakeContext().build(AgendaUser)
    goals = ("book a cleaning", "on Wednesday at 10 am")
    task = UserTask(
        goals=tuple(Goal(phrase=one, template=one) for one in goals),
        turns=(
            Turn(act=Say(text=""), observation=Observation(text="How can I help you?")),
            Turn(
                act=Say(text="I want to book a cleaning."),
                observation=Observation(text="On which day would you like to come?"),
            ),
        ),
        seed=1,
    )
    act = asyncio.run(user.act(task)).act
    assert isinstance(act, Say)
    assert "Wednesday" in act.text


def test_a_value_for_a_change_of_mind_is_not_given_before_the_mind_is_changed() -> None:
    user = FakeContext().build(AgendaUser)
    goals = (
        Goal(
            phrase="an appointment on Tuesday",
            template="an appointment on {{first}}",
            inputs=("first",),
        ),
        Goal(
            phrase="I changed my mind, I would rather come on Thursday",
            template="I changed my mind, I would rather come on {{second}}",
            inputs=("second",),
        ),
    )
    task = UserTask(
        goals=goals,
        inputs={"first": "Tuesday", "second": "Thursday"},
        turns=(
            Turn(
                act=Say(text=""),
                observation=Observation(text="On which day would you like to come?"),
            ),
        ),
        seed=1,
    )
    act = asyncio.run(user.act(task)).act
    assert isinstance(act, Say)
    assert "Tuesday" in act.text
    assert "Thursday" not in act.text


def replies(*turns: tuple[str, str]) -> tuple[Turn, ...]:
    """The turns of a bot with numbered menus: what the user typed and what it was told."""
    return tuple(
        Turn(act=Say(text=said), observation=Observation(text=text)) for said, text in turns
    )


DESK = "Please reply with a number.\n1. Order a stamp\n2. Report damage to something\n3. Prices"
STAMP = "Which stamp?\n1. Round\n2. Square\n0. Back to the main menu"


def decide(*turns: tuple[str, str]) -> tuple[str, tuple[int, ...]]:
    """What the user types next, and the goals that are met so far."""
    goal = "report that your parcel is damaged"
    user = FakeContext().build(AgendaUser)
    task = UserTask(goals=(Goal(phrase=goal, template=goal),), seed=1, turns=replies(*turns))
    decision = asyncio.run(user.act(task))
    assert isinstance(decision.act, Say)
    return decision.act.text, decision.goals_met


def test_a_menu_is_chosen_from_by_the_profiles_own_words_for_a_goal() -> None:
    """The user says "My parcel is damaged", and the menu says "report", as the profile does."""
    assert decide(("", DESK)) == ("2", ())


def test_a_form_that_the_user_leaves_by_itself_meets_no_goal() -> None:
    wrong = f"That is not in the list.\n{STAMP}"
    turns = (("", DESK), ("1", STAMP), ("My parcel is damaged.", wrong), ("0", DESK))
    assert decide(*turns)[1] == ()


def test_an_entry_of_a_menu_is_no_question_and_no_statement() -> None:
    text = "You are booked. What else can I do?\n\n1. Book a boat\n2. Ask a question\n3. Exit"
    reply = read_app_reply(Observation(text=text))
    assert reply.asks_what_else
    assert [question.text for question in reply.questions] == ["What else can I do?"]
    assert reply.statements == ("You are booked.",)
