"""A goal is met by what ends its form unchanged: re-asked data, other weekdays, other people."""

import pytest
from tests.plugins.users.agenda.talks import next_act

from sparring.interfaces.roles import Goal, UserTask
from sparring.model.talk import Choice, Listen, Observation, Say, Turn
from sparring_plugins.users.agenda.choosing.option_wishes import option_for_whom
from sparring_plugins.users.agenda.moves.next_move import Agenda
from sparring_plugins.users.agenda.profile.slots import slots_of
from sparring_plugins.users.agenda.replies.app_reply import read_app_reply
from sparring_plugins.users.agenda.state.value_matching import contradicted_slots
from sparring_plugins.users.agenda.words.goal_phrases import form_of

DELIVERY = Goal(
    phrase="have the delivery brought on Thursday",
    template="have the delivery brought on {{day}}",
    inputs=("day",),
)
PASS = Goal(phrase="buy a pass for the pool", template="buy a pass for the {{place}}")
PASS_TASK = UserTask(
    goals=(PASS.model_copy(update={"inputs": ("place",)}),),
    inputs={"place": "pool"},
    language="English",
    seed=1,
)
DAY_TASK = UserTask(goals=(DELIVERY,), inputs={"day": "Thursday"}, language="English", seed=1)

ASK = ("I'd like to buy a pass for the pool, please.", "Sure. How many people are in your group?")


def turns(*pairs: tuple[str, str]) -> tuple[Turn, ...]:
    return tuple(
        Turn(act=Say(text=said) if said else Listen(), observation=Observation(text=reply))
        for said, reply in pairs
    )


def met(task: UserTask, *pairs: tuple[str, str]) -> tuple[int, ...]:
    now = task.model_copy(update={"turns": turns(*pairs)})
    return Agenda(now, (), patience=3, farewell=True).goals_met


def next_text(task: UserTask, *turns_so_far: Turn) -> str:
    now = task.model_copy(update={"turns": turns_so_far})
    act = Agenda(now, (), patience=3, farewell=True).decide().act
    return act.text if isinstance(act, Say) else getattr(act, "label", "")


@pytest.mark.parametrize(
    "reply",
    [
        "Just the number, please.",
        "Only the number of people, please.",
        "The group, people counted.",  # no question, no complaint, and nothing done
    ],
)
def test_a_datum_that_is_asked_for_again_ends_no_form(reply: str) -> None:
    assert met(PASS_TASK, ASK, ("Whatever you recommend.", reply)) == ()


@pytest.mark.parametrize("reply", ["Nur Ihren Namen, bitte.", "Solo el número, por favor."])
def test_a_bare_datum_after_only_is_a_question_in_other_languages(reply: str) -> None:
    asked = read_app_reply(Observation(text=reply)).questions
    assert [question.kind for question in asked] == ["open"]


def test_the_end_of_a_form_still_meets_its_goal() -> None:
    assert met(PASS_TASK, ASK, ("3", "Thank you, your pass for the pool is ready.")) == (0,)
    assert met(PASS_TASK, ASK, ("Whatever you recommend.", "Booked! See you soon.")) == (0,)


def test_a_form_that_asks_its_last_question_again_was_not_ended() -> None:
    aside = ("3", "Noted. Our café closes at nine.")
    again = ("And what about the pool?", "Now, where were we? How many people are in your group?")
    assert met(PASS_TASK, ASK, aside) == (0,)
    assert met(PASS_TASK, ASK, aside, again) == ()


def test_a_form_of_another_service_takes_no_goal_back() -> None:
    towel = Goal(phrase="rent a blue towel", template="rent a {{thing}}", inputs=("thing",))
    task = PASS_TASK.model_copy(
        update={
            "goals": (*PASS_TASK.goals, towel),
            "inputs": {"place": "pool", "thing": "blue towel"},
        }
    )
    end = ("3", "Noted, thank you.")
    other = ("I'd like to rent a blue towel, please.", "How many people are in your group?")
    assert met(task, ASK, end) == (0,)
    assert met(task, ASK, end, other) == (0,)


@pytest.mark.parametrize(
    ("text", "contradicts"),
    [
        ("Done, we bring the delivery on Tuesday.", True),
        ("Done, we bring the delivery on Thursday.", False),
        ("We drive from Monday to Saturday.", False),
        ("It comes tomorrow.", False),
    ],
)
def test_one_other_weekday_contradicts_the_users(text: str, contradicts: bool) -> None:
    assert bool(contradicted_slots(text, slots_of(DAY_TASK))) is contradicts


def test_weekdays_are_compared_in_other_languages() -> None:
    task = DAY_TASK.model_copy(update={"inputs": {"day": "Donnerstag"}})
    assert contradicted_slots("Erledigt, wir kommen am Dienstag.", slots_of(task))
    assert not contradicted_slots("Erledigt, wir kommen am Donnerstag.", slots_of(task))


def test_a_service_done_for_another_weekday_meets_no_goal() -> None:
    ask = ("I want to have the delivery brought on Thursday.", "Shall we ring the bell?")
    assert met(DAY_TASK, ask, ("Yes, please.", "Done, it comes on Thursday.")) == (0,)
    assert met(DAY_TASK, ask, ("Yes, please.", "Done, it comes on Tuesday.")) == ()


def test_a_thing_to_be_had_is_asked_for_and_not_asked_about() -> None:
    assert form_of("have a tour, Friday at 2 would suit you", "English", True)[0] == "action"
    assert form_of("have you got a car park", "English", False)[0] == "question"


@pytest.mark.parametrize(
    ("asked", "options"),
    [
        ("Who will drive the car, you or a guest?", ("you", "guest")),
        ("Which of red, green or blue is best?", ("red", "green", "blue is best")),
    ],
)
def test_a_question_before_its_options_is_none_of_them(
    asked: str, options: tuple[str, ...]
) -> None:
    assert read_app_reply(Observation(text=asked)).questions[-1].options == options


@pytest.mark.parametrize(
    ("texts", "place"),
    [
        (("rent a car",), 0),
        (("rent a car", "it is for your younger sister"), 1),
        (("rent a car for your birthday",), 0),
    ],
)
def test_things_are_for_the_user_unless_the_profile_says_otherwise(
    texts: tuple[str, ...], place: int
) -> None:
    assert option_for_whom(("you", "somebody else"), texts) == place
    assert option_for_whom(("small", "large"), texts) is None


def test_the_user_says_me_for_the_apps_you_and_presses_its_button() -> None:
    asked = "Who is going to swim, you or somebody else?"
    said = Say(text=ASK[0])
    typed = Turn(act=said, observation=Observation(text=asked))
    labels = (Choice(label="You", value="1"), Choice(label="Somebody else", value="2"))
    pressed = Turn(act=said, observation=Observation(text="Who will swim?", choices=labels))
    assert next_text(PASS_TASK, typed) == "me"
    assert next_text(PASS_TASK, pressed) == "You"
    sister = PASS_TASK.model_copy(update={"context": ("the pass is for your sister",)})
    assert next_text(sister, typed) == "somebody else"


@pytest.mark.parametrize(
    ("goal", "context", "question", "reason"),
    [
        ("return the lamp because it is broken", (), "Why do you return it?", "it is broken"),
        ("cancel your booking", ("you cancel because you are ill",), "May I ask why?", "ill"),
        ("cancel your booking", (), "Why do you want to cancel?", None),
        ("cancel your booking", (), "What is the reason for the cancellation?", None),
    ],
)
def test_who_is_asked_why_gives_a_reason(
    goal: str, context: tuple[str, ...], question: str, reason: str | None
) -> None:
    wish = f"I want to {goal.replace('your', 'my')}."
    act = next_act(goal, context, (wish, Observation(text=question)))
    assert isinstance(act, Say)
    said = act.text.lower()
    assert reason in said if reason else "booking" not in said and "cancel" not in said, said
