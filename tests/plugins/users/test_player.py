"""Whole conversations: the simulated user against small chatbots."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from sparring.errors import AppCrash, AppTimeout, AppUnreachable, ConfigurationError
from sparring.interfaces.roles import UserMove, UserTask
from sparring.model.case import Case
from sparring.model.talk import Ended, Listen, Observation, Press, Say, Trace
from sparring.model.verdict import Owner
from sparring.testing.fakes import FakeContext, FakeUser
from sparring_plugins.users.player import UserSimulator

Converse = Callable[..., Trace]
WriteProfile = Callable[..., Path]

FALLBACK = "I'm sorry, I did not get what you said."
FAQ_GOALS = ["What are the opening hours?", "How much is a new tire?", "Do you deliver?"]
PIZZA_GOALS: list[Any] = [
    "a {{size}} pizza with {{toppings}}",
    "{{cans}} cans of {{drink}}",
    {"size": {"function": "forward()", "type": "string", "data": ["small", "medium", "large"]}},
    {"toppings": {"function": "random(2)", "type": "string", "data": ["cheese", "ham", "corn"]}},
    {"cans": {"function": "random()", "type": "int", "data": [1, 2, 3]}},
    {"drink": {"function": "random()", "type": "string", "data": ["coke", "sprite"]}},
]
PIZZA = {"size": "small", "toppings": ["cheese", "ham"], "cans": 2, "drink": "coke"}
PIZZA_OUTPUTS = {
    "price": ("money", "the final price of the order"),
    "order_id": ("str", "my order number"),
}


class SlotBot:
    """Fills the slots of a pizza order one by one, and understands only bare values."""

    def __init__(self, wrong: str = "") -> None:
        self.slots: dict[str, str] = {}
        self.asked = ""
        self.wrong = wrong
        self.placed = False

    def __call__(self, text: str) -> str:
        low = text.lower()
        for size in ("small", "medium", "large"):
            if size in low:
                self.slots["size"] = size
        for drink in ("coke", "sprite"):
            if drink in low:
                self.slots["drink"] = drink
        found = [one for one in ("cheese", "ham", "corn") if one in low]
        if found:
            self.slots["toppings"] = " and ".join(found)
        if self.asked == "name":
            self.slots["name"] = text
        return self.answer(low)

    def answer(self, low: str) -> str:
        asked, self.asked = self.asked, ""
        if self.placed:
            return "Goodbye!" if "bye" in low else "Is there anything else?"
        if asked == "confirm" and low.startswith("yes"):
            self.placed = True
            return "Your order has been placed. Your order number is 4711. The total is $14.50."
        questions = {
            "size": "What size would you like?",
            "toppings": "Which toppings do you want?",
            "drink": "Would you like something to drink?",
            "name": "What is your name?",
        }
        for slot, question in questions.items():
            if slot not in self.slots:
                self.asked = slot
                return question
        self.asked = "confirm"
        size = self.wrong or self.slots["size"]
        self.wrong = "" if low.startswith("no") else self.wrong
        parts = f"a {size} pizza with {self.slots['toppings']}, and {self.slots['drink']}"
        return f"So that is {parts}. Is that correct?"


def test_a_slot_filling_bot_takes_the_order(
    profile_of: WriteProfile, converse: Converse, tools: Any
) -> None:
    profile = profile_of(PIZZA_GOALS, PIZZA_OUTPUTS, context=["your name is Jon Doe"])
    bot = SlotBot()
    trace = converse(bot, profile, PIZZA)
    assert bot.slots == {
        "size": "small", "toppings": "cheese and ham", "drink": "coke", "name": "Jon Doe",
    }  # fmt: skip
    assert tools.outputs(trace) == {"price": "$14.50", "order_id": "4711"}
    assert trace.incidents == ()
    assert trace.ended is Ended.GOALS_REACHED
    assert trace.meta["goals_met"] == [0, 1]
    assert len(trace.turns) <= 7


def test_a_wrong_confirmation_is_corrected(
    profile_of: WriteProfile, converse: Converse, tools: Any
) -> None:
    bot = SlotBot(wrong="large")
    trace = converse(bot, profile_of(PIZZA_GOALS, PIZZA_OUTPUTS), PIZZA)
    assert any(text.startswith("No") and "small" in text for text in tools.said(trace))
    assert tools.outputs(trace)["order_id"] == "4711"


def test_a_menu_of_buttons_is_pressed_through(
    profile_of: WriteProfile, converse: Converse, tools: Any
) -> None:
    steps = iter(
        [
            Observation(text="Which service?", choices=tools.choices("Tune-up", "Repair", "Other")),
            Observation(text="Which day?", choices=tools.choices("Monday", "Friday", "Cancel")),
            Observation(text="A repair on Friday.", choices=tools.choices("Yes", "No")),
            Observation(text="Your appointment is confirmed. Reference: BK-77", ended=True),
        ]
    )
    heard: list[str] = []

    def bot(text: str) -> Observation:
        heard.append(text)
        return next(steps)

    goals = [
        "book a {{service}} of my bike on {{day}}",
        {"service": {"function": "forward()", "type": "string", "data": ["tune-up", "repair"]}},
        {"day": {"function": "forward()", "type": "string", "data": ["Monday", "Friday"]}},
    ]
    profile = profile_of(goals, {"reference": ("str", "booking reference")})
    trace = converse(bot, profile, {"service": "repair", "day": "Friday"})
    assert heard[1:] == ["Repair", "Friday", "Yes"]
    assert [type(turn.act) for turn in trace.turns] == [Say, Press, Press, Press]
    assert trace.turns[1].act == Press(label="Repair", value="/repair")
    assert tools.outputs(trace) == {"reference": "BK-77"}
    assert trace.ended is Ended.APP_ENDED


def test_an_faq_bot_is_asked_everything_once(
    profile_of: WriteProfile, converse: Converse, tools: Any
) -> None:
    bot = tools.answering(
        [("hours", "From 9 to 17."), ("tire", "A new tire is 20$."), ("deliver", "No, we don't.")],
        FALLBACK,
    )
    trace = converse(bot, profile_of(FAQ_GOALS, {"tire": ("money", "price of a new tire")}))
    assert tools.said(trace)[:3] == FAQ_GOALS
    assert len(trace.turns) == 4
    assert trace.ended is Ended.GOALS_REACHED
    assert tools.outputs(trace) == {"tire": "20$"}


def test_a_goal_that_is_not_understood_is_said_otherwise_then_given_up(
    profile_of: WriteProfile, converse: Converse, tools: Any
) -> None:
    bot = tools.answering([("hours", "From 9 to 17."), ("deliver", "Yes, we do.")], FALLBACK)
    trace = converse(bot, profile_of(FAQ_GOALS, {"tire": ("money", "price of a new tire")}))
    about = [text for text in tools.said(trace) if "tire" in text]
    assert len(about) == len(set(about)) >= 2
    assert trace.meta["goals_met"] == [0, 2]
    assert trace.ended is Ended.USER_LEFT
    assert tools.kinds(trace) == ["goal_not_reached"]
    assert trace.incidents[0].message == "1 goal left to complete."
    assert trace.incidents[0].owner is Owner.APP


def test_an_app_that_names_what_it_can_do_is_not_blamed_for_a_question_beside_it(
    profile_of: WriteProfile, converse: Converse, tools: Any
) -> None:
    answers = [("hours", "From 9 to 17."), ("deliver", "Yes, we do.")]
    bot = tools.answering(answers, f"{FALLBACK} You can: ask for our hours, or for deliveries.")
    trace = converse(bot, profile_of(FAQ_GOALS, {"tire": ("money", "price of a new tire")}))
    assert [incident.owner for incident in trace.incidents] == [Owner.SIMULATED_USER]


@pytest.mark.parametrize("answer", [FALLBACK, "", "Beep.", f"Hmm. {FALLBACK} Try our web page."])
def test_a_bot_that_leads_nowhere_ends_as_a_loop(
    answer: str, profile_of: WriteProfile, converse: Converse, tools: Any
) -> None:
    goals = [
        f"question {n} about {what}" for n, what in enumerate(("cars", "bikes", "boats", "trains"))
    ]
    trace = converse(lambda text: answer, profile_of(goals))
    assert trace.ended is Ended.LOOP
    assert tools.kinds(trace) == ["loop"]
    said = tools.said(trace)
    assert len(said) in (9, 10)
    assert len(set(said)) == len(said)


def test_the_topic_changes_after_three_fallbacks(
    profile_of: WriteProfile, converse: Converse, tools: Any
) -> None:
    profile = profile_of(["the price of boats", "the price of trains"])
    trace = converse(lambda text: FALLBACK, profile, loop_limit=5)
    topics = ["boats" if "boats" in text else "trains" for text in tools.said(trace)]
    assert topics == ["boats", "boats", "boats", "trains", "trains"]


def test_fallback_phrases_of_the_settings_count_as_well(
    profile_of: WriteProfile, converse: Converse
) -> None:
    answers = iter(f"Computer says no, sorry ({n})." for n in range(99))
    trace = converse(
        lambda text: next(answers),
        profile_of(FAQ_GOALS),
        fallbacks=["computer says no sorry"],
        loop_limit=2,
    )
    assert trace.ended is Ended.LOOP
    assert len(trace.turns) == 2


@pytest.mark.parametrize(
    ("style", "limit"),
    [
        ({"steps": 3}, 3),
        ({"random steps": 3}, 3),
        ({"all_answered": {"export": False, "limit": 2}}, 2),
    ],
)
def test_the_goal_style_limits_the_users_turns(
    style: dict[str, Any], limit: int, profile_of: WriteProfile, converse: Converse
) -> None:
    count = iter(range(99))
    bot = lambda text: f"And what about your wish number {next(count)}?"  # noqa: E731
    goals = [f"topic {n} of {what}" for n, what in enumerate("abcdefgh")]
    traces = [converse(bot, profile_of(goals, goal_style=style), seed=seed) for seed in range(6)]
    lengths = {len(trace.turns) for trace in traces}
    assert max(lengths) == limit
    assert {trace.ended for trace in traces} == {Ended.TURN_LIMIT}
    assert (len(lengths) > 1) == ("random steps" in style)


def test_max_turns_bounds_every_style(profile_of: WriteProfile, converse: Converse) -> None:
    count = iter(range(999))
    trace = converse(
        lambda text: f"Tell me more, part {next(count)}?",
        profile_of(FAQ_GOALS, goal_style={"all_answered": {"export": False, "limit": 500}}),
        user={"use": "agenda", "patience": 400},
        max_turns=7,
    )
    assert len(trace.turns) <= 7


@pytest.mark.parametrize(
    ("error", "kind", "owner"),
    [
        (AppCrash("500"), "crash", Owner.APP),
        (AppTimeout("late"), "timeout", Owner.APP),
        (AppUnreachable("gone"), "unreachable", Owner.ENVIRONMENT),
    ],
)
def test_an_error_of_the_app_keeps_what_was_learnt(
    error: Exception,
    kind: str,
    owner: Owner,
    profile_of: WriteProfile,
    converse: Converse,
    tools: Any,
) -> None:
    def bot(text: str) -> str:
        if "hours" in text:
            return "From 9am to 5pm."
        raise error

    specs = {"hours": ("str", "the opening hours"), "tire": ("money", "price of a new tire")}
    trace = converse(bot, profile_of(FAQ_GOALS, specs))
    assert trace.ended is Ended.INCIDENT
    assert tools.kinds(trace) == [kind, "goal_not_reached"]
    assert [incident.owner for incident in trace.incidents] == [owner, owner]
    assert trace.incidents[0].turn == 1
    assert trace.turns[-1].observation is None
    assert tools.outputs(trace) == {"hours": "From 9am to 5pm.", "tire": None}


def test_the_app_may_speak_first(profile_of: WriteProfile, converse: Converse, tools: Any) -> None:
    bot = tools.answering([("hours", "From 9 to 17.")], "Yes.")
    profile = profile_of(FAQ_GOALS[:1], app_starts=True)
    trace = converse(bot, profile, greeting="Welcome! How can I help you?")
    assert isinstance(trace.turns[0].act, Listen)
    assert tools.said(trace)[0] == FAQ_GOALS[0]
    silent = converse(bot, profile)
    assert isinstance(silent.turns[0].act, Say)
    assert isinstance(converse(bot, profile, greeting="Hi.", starts="user").turns[0].act, Say)


def test_a_farewell_of_the_app_ends_the_conversation(
    profile_of: WriteProfile, converse: Converse
) -> None:
    trace = converse(lambda text: f"Goodbye, and thank you for {len(text)}!", profile_of(FAQ_GOALS))
    assert trace.ended is Ended.APP_ENDED
    assert len(trace.turns) == 2


def test_a_user_that_never_leaves_is_stopped_after_its_goals(
    profile_of: WriteProfile, converse: Converse
) -> None:
    def lines(task: UserTask) -> UserMove:
        return UserMove(act=Say(text=f"and {len(task.turns)}"), goals_met=(0, 1, 2, 99))

    counter = iter(range(99))
    trace = converse(
        lambda text: f"Answer {next(counter)}.",
        profile_of(FAQ_GOALS),
        parts={"chatty": FakeContext().build(FakeUser, lines=lines)},
        user="chatty",
    )
    assert trace.ended is Ended.GOALS_REACHED
    assert len(trace.turns) < 12
    assert trace.meta["goals_met"] == [0, 1, 2]


def test_the_trace_says_where_it_comes_from(profile_of: WriteProfile, converse: Converse) -> None:
    profile = profile_of(PIZZA_GOALS, PIZZA_OUTPUTS, context=["your name is Jon Doe"])
    meta = converse(SlotBot(), profile, PIZZA).meta
    assert meta["profile"] == "customer"
    assert meta["language"] == "English"
    assert meta["role"] == "you are a customer"
    assert meta["context"] == ["your name is Jon Doe"]
    assert meta["goals"] == ["a {{size}} pizza with {{toppings}}", "{{cans}} cans of {{drink}}"]
    assert isinstance(meta["conversation"], list)


def test_equal_cases_give_equal_conversations(
    profile_of: WriteProfile, converse: Converse, tools: Any
) -> None:
    profile = profile_of(PIZZA_GOALS, PIZZA_OUTPUTS)
    same = [tools.said(converse(SlotBot(), profile, PIZZA, seed=3)) for _ in range(3)]
    assert same[0] == same[1] == same[2]


def test_spaces_are_those_of_the_profiles(profile_of: WriteProfile) -> None:
    player = FakeContext().build(UserSimulator, profiles=str(profile_of(PIZZA_GOALS)))
    scenario = player.space().scenario("customer")
    assert [variable.name for variable in scenario.variables] == [
        "size",
        "toppings",
        "cans",
        "drink",
    ]
    assert scenario.number == 1


def test_a_missing_profile_is_a_configuration_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="nothing"):
        FakeContext().build(UserSimulator, profiles=str(tmp_path / "nothing-*.yml"))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"fallback_threshold": 0}, "greater than 0"),
        ({"loop_limit": 0}, "greater than 0"),
        ({"user": "agendo"}, "Did you mean 'agenda'"),
        ({"extractor": "agenda"}, "role"),
        ({"starts": "nobody"}, "'profile', 'app' or 'user'"),
        ({"looplimit": 3}, "Did you mean 'loop_limit'"),
    ],
)
def test_wrong_settings_are_refused(
    settings: dict[str, Any], message: str, profile_of: WriteProfile
) -> None:
    with pytest.raises(Exception, match=message):
        FakeContext().build(UserSimulator, profiles=str(profile_of(FAQ_GOALS)), **settings)


def test_the_settings_reach_the_reader_of_profiles(tmp_path: Path) -> None:
    (tmp_path / "persona.yml").write_text("context: [you are in a hurry]\n", "utf-8")
    profile = {
        "test_name": "x",
        "user": {"goals": ["say hello"], "role": "r", "context": ["you are calm"]},
        "chatbot": {"is_starter": False, "fallback": "what?", "output": []},
        "conversation": {"number": 1, "goal_style": {"steps": 2}, "interaction_style": ["default"]},
    }
    path = tmp_path / "x.yml"
    path.write_text(yaml.safe_dump(profile), "utf-8")
    context = FakeContext(base_dir=tmp_path)
    player = context.build(UserSimulator, profiles="x.yml", persona="persona.yml")
    meta = player.meta(Case.of("x", {}, run_seed=0))
    assert meta["context"] == ["you are in a hurry", "you are calm"]
