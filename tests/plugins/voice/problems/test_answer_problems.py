"""Problems of single answers, from sessions made by hand."""

from typing import Any

import pytest

from sparring.model.talk import Attachment, Choice
from sparring.testing.fakes import FakeContext
from sparring_plugins.voice.problem_oracle import VoiceProblems

from .test_problem_types import ends, session, skill

pytestmark = pytest.mark.anyio

Turn = tuple[str, dict[str, Any]]
NOTE = "add a reprompt if you want to keep the session open for the user to respond"


def asked(intent: str, *, locale: str = "en-US", **slots: tuple[str, str]) -> list[dict[str, Any]]:
    """The exchange of an intent, with the value and the status of each slot."""
    filled = {
        name: {
            "value": value,
            "resolutions": {"resolutionsPerAuthority": [{"status": {"code": code}}]},
        }
        for name, (value, code) in slots.items()
    }
    return [{"request": {"locale": locale, "intent": {"name": intent, "slots": filled}}}]


def answer(
    text: str,
    intent: str = "PlayIntent",
    how: str = "sample",
    score: float = 1.0,
    locale: str = "en-US",
    slots: dict[str, tuple[str, str]] | None = None,
    **more: Any,
) -> dict[str, Any]:
    """What a connector that knows the app's model reports of a turn."""
    exchanges = asked(intent, locale=locale, **(slots or {}))
    nlu = {"intent": intent, "how": how, "score": score}
    report = {"listens": True, "reprompt": text, "nlu": nlu, "exchanges": exchanges, **more}
    return skill(text, **report)


def lost(text: str = "Sorry, I don't know about that.", **more: Any) -> dict[str, Any]:
    return answer(text, "AMAZON.FallbackIntent", "fallback", 0.95, **more)


WELCOME: Turn = ("open trivia time", answer("Welcome! Would you like to play?", ""))
MENU: Turn = ("open trivia time", answer("Welcome! Name an animal.", ""))
KNOWN = {"animal": ("cat", "ER_SUCCESS_MATCH")}
UNKNOWN = {"animal": ("sofa", "ER_SUCCESS_NO_MATCH")}


async def shown(*turns: Turn) -> set[str]:
    verdicts = await FakeContext().build(VoiceProblems).judge(session(*turns))
    return {one.check for one in verdicts if one.outcome.value not in ("pass", "skipped")}


LEFT_OPEN = [
    pytest.param([("play", answer("The word has five letters."))], {"left_open"}, id="a statement"),
    pytest.param([("play", answer("Your tea is on its way. Thank you!"))], {"left_open"},
                 id="a farewell"),
    pytest.param([("play", answer("Done.", reprompt=NOTE))], {"left_open", "template_text"},
                 id="a note to the developer asks nothing"),
    pytest.param([("play", answer("Two and two?"))], set(), id="a question"),
    pytest.param([("play", answer("Guess a letter."))], set(), id="an instruction"),
    pytest.param([("play", answer("The word is long.", reprompt="Say a letter."))], set(),
                 id="a reprompt"),
    pytest.param([("play", answer("Five letters.", listens=False))], set(), id="no microphone"),
    pytest.param([("play", answer("Cinq lettres.", locale="fr-FR"))], set(), id="not our language"),
    pytest.param([("play", answer("Listen. <Short audio>"))], set(), id="a sound"),
    pytest.param([("play", ends("Your tea is on its way. Goodbye!"))], set(), id="it ends"),
]  # fmt: skip

TEXTS = [
    pytest.param([("play", answer("Two and two?", reprompt=NOTE))], {"template_text"},
                 id="a note to the developer"),
    pytest.param([("go home", answer("You just triggered HomeIntent. What now?"))],
                 {"template_text"}, id="an intent's name"),
    pytest.param([("a sofa", answer("I did not expect the fallback function here. What now?"))],
                 {"template_text"}, id="the developer's terms"),
    pytest.param([("a sofa", answer("The function of a fall-back plan is safety. What next?"))],
                 set(), id="words that are like the developer's"),
    pytest.param([("aide", answer("You can say hello to me! How can I help?", locale="fr-FR"))],
                 {"wrong_language"}, id="English in French"),
    pytest.param([("aide", answer("Vous pouvez dire bonjour. Que voulez vous ?", locale="fr-FR"))],
                 set(), id="French in French"),
    pytest.param([("aide", answer('Que veut dire "what is the name of the cat" ?', locale="fr-FR"))],
                 set(), id="a phrase to translate"),
    pytest.param([("play", answer("Wrong, you idiot! Two and two?"))], {"insult"}, id="an insult"),
    pytest.param([("play", answer("The idiot is a novel. Who wrote it?"))], set(), id="a title"),
    pytest.param([("shut up", answer("Shut up is a song. What else?"))], set(), id="what was said"),
]  # fmt: skip

SAID = [
    pytest.param([("help", answer("You can say hello to me!")), ("hello to me", lost())],
                 {"suggestion_not_understood"}, id="what it says is not heard"),
    pytest.param([("help", answer("You can say 'next one', or stop.")), ("next one", lost("", speaker="platform"))],
                 {"suggestion_not_understood"}, id="the platform answers"),
    pytest.param([("help", answer("You can say next one.")), ("next one", answer("Your list is empty. What now?", "AMAZON.FallbackIntent", "fallback", score=1.0))],
                 {"suggestion_not_understood"}, id="the fallback answers with a statement"),
    pytest.param([("help", answer("You can say hello!")), ("hello", answer("Hello! What now?", "HelloIntent"))],
                 set(), id="what it says is heard"),
    pytest.param([("help", answer("You can say next one.")), ("next one", lost(nlu={"intent": "F", "how": "fallback", "score": 0.5}))],
                 set(), id="a sample is like it"),
    pytest.param([("help", answer("Please try speaking more clearly.")), ("speaking more clearly", lost())],
                 set(), id="advice"),
    pytest.param([("help", answer("Say: Alexa, tell me a poem.")), ("Alexa", lost())], set(),
                 id="the name of the assistant"),
    pytest.param([("yes", lost())], {"answer_not_understood"}, id="no intent for yes"),
    pytest.param([("yes", answer("Two and two?", "AMAZON.YesIntent", "builtin"))], set(),
                 id="an intent for yes"),
    pytest.param([("play", answer("Is that all? Say done, or more.")), ("yes", lost())], set(),
                 id="the question names its answers"),
    pytest.param([("play", lost("I did not get that. Could you repeat that?")), ("yes", lost())],
                 set(), id="a request is no question for yes"),
]  # fmt: skip

MISHEARD = "I did not get that. Could you repeat that?"
UNDERSTANDING = [
    pytest.param([MENU, ("a cat", answer(MISHEARD, "AnimalIntent", slots=KNOWN))],
                 {"not_understood"}, id="a value of its own list"),
    pytest.param([MENU, ("a sofa", answer(MISHEARD, "AnimalIntent", slots=UNKNOWN))], set(),
                 id="a value that it does not list"),
    pytest.param([MENU, ("a cat", answer("Sorry, I didn't get that. Say start to begin.", "AnimalIntent", slots=KNOWN))],
                 set(), id="it says what to say"),
    pytest.param([MENU, ("play", answer(MISHEARD))], set(), id="words out of place"),
    pytest.param([("no", answer("I didn't catch that. Which tea?", "TeaIntent", "confirmation"))],
                 {"not_understood"}, id="a no to a confirmation"),
]  # fmt: skip

YES, NO = "AMAZON.YesIntent", "AMAZON.NoIntent"
AGAIN: Turn = ("open trivia time", WELCOME[1])
FEVER: Turn = ("open trivia time", answer("Do you have a fever?", ""))
Q = "What happened?"
ANSWERS = [
    pytest.param([WELCOME, ("yes", answer(Q, YES)), AGAIN, ("no", answer(Q, NO))],
                 {"ignored_answer"}, id="no is a yes"),
    pytest.param([WELCOME, ("yes", answer(Q, YES)), AGAIN, ("no", ends("Alright"))], set(),
                 id="no declines"),
    pytest.param([FEVER, ("yes", answer(Q, YES)), FEVER, ("no", answer(Q, NO))], set(),
                 id="the next question of a form"),
    pytest.param([MENU, ("claim", answer(Q)), ("fire", answer("Do you want to submit this?")), ("yes", answer(Q, YES))],
                 {"ignored_answer"}, id="yes starts over"),
    pytest.param([MENU, ("claim", answer(Q)), ("fire", answer("Do you want to start again?")), ("yes", answer(Q, YES))],
                 set(), id="yes to start again"),
]  # fmt: skip

SLOTS = [
    pytest.param([MENU, ("a cat", answer("And now? Tell me.", "A", slots=KNOWN, source={"unread": ["A.animal"]}))],
                 {"ignored_slot"}, id="a slot that no code names"),
    pytest.param([MENU, ("a cat", answer("A cat it is. And now?", "A", slots=KNOWN, source={"unread": ["A.animal"]}))],
                 set(), id="the value is heard again"),
    pytest.param([MENU, ("a cat", answer("And now? Tell me.", "A", slots=KNOWN))], set(),
                 id="a slot that is read"),
]  # fmt: skip


@pytest.mark.parametrize(("turns", "found"), [*LEFT_OPEN, *TEXTS, *SAID])
async def test_an_answer_after_a_welcome_shows_its_problems(
    turns: list[Turn], found: set[str]
) -> None:
    assert await shown(WELCOME, *turns) == found


@pytest.mark.parametrize(("turns", "found"), [*UNDERSTANDING, *ANSWERS, *SLOTS])
async def test_an_answer_shows_its_problems(turns: list[Turn], found: set[str]) -> None:
    assert await shown(*turns) == found


async def test_a_fault_of_several_answers_is_one_problem() -> None:
    turns = [("play", answer("Five letters.")), ("again", answer("Six letters.", "AgainIntent"))]
    (summed,) = await FakeContext().build(VoiceProblems).conclude([session(WELCOME, *turns)])
    problems: Any = summed.details["problems"]
    assert [one["kind"] for one in problems] == ["left_open"]


async def test_a_no_that_no_confirmation_knows_is_one_problem() -> None:
    turns = [
        ("no", answer("I didn't catch that. Which tea?", "TeaIntent", "confirmation")),
        ("no", answer("Pardon, please repeat that. Which cup?", "CupIntent", "confirmation")),
    ]
    (summed,) = await FakeContext().build(VoiceProblems).conclude([session(MENU, *turns)])
    problems: Any = summed.details["problems"]
    assert [one["kind"] for one in problems] == ["not_understood"]


@pytest.mark.parametrize(
    ("text", "runtime", "form"),
    [
        ("Welcome None. What now?", "python", "None"),
        ("One smoothie with fruits None. What now?", "node", None),
        ("None of them. What now?", "python", None),
        ("Thank you for choosing . What now?", "node", "nothing"),
        ("Here is your list: ", "node", "nothing"),
        ("Here is your list: tea.", "node", None),
        ("These are the results for tea:", "node", "nothing"),
        ("The time is 10:", "node", None),
        ("Booked on 2027-W10. What now?", "node", "machine-readable date"),
        ("It takes PT5M. What now?", "node", "machine-readable date"),
        ("It is at ['a', 'b']. What now?", "python", "list"),
        ("It starts at 5 . What now?", "node", None),
    ],
)
async def test_values_of_the_program_are_told_apart(
    text: str, runtime: str, form: str | None
) -> None:
    verdicts = (
        await FakeContext()
        .build(VoiceProblems)
        .judge(session(WELCOME, ("play", answer(text, runtime=runtime))))
    )
    found: Any = next(one for one in verdicts if one.check == "unfilled_value").details
    assert [one["form"] for one in found.get("problems", [])] == ([form] if form else [])


async def test_what_can_be_pressed_asks_for_it() -> None:
    trace = session(WELCOME, ("play", answer("Here are the teas.")))
    seen = trace.turns[1].observation
    assert seen is not None
    shows = seen.model_copy(update={"choices": (Choice(label="Green tea", value="1"),)})
    turns = (trace.turns[0], trace.turns[1].model_copy(update={"observation": shows}))
    verdicts = (
        await FakeContext().build(VoiceProblems).judge(trace.model_copy(update={"turns": turns}))
    )
    assert not [one.check for one in verdicts if one.outcome.value == "fail"]


async def test_a_card_may_have_what_nobody_says() -> None:
    trace = session(WELCOME, ("play", answer("Here are your orders. What now?")))
    card = Attachment(media_type="application/vnd.amazon.alexa.card", description="Order undefined")
    seen = trace.turns[1].observation
    assert seen is not None
    last = trace.turns[1].model_copy(
        update={"observation": seen.model_copy(update={"attachments": (card,)})}
    )
    told = trace.model_copy(update={"turns": (trace.turns[0], last)})
    verdicts = await FakeContext().build(VoiceProblems).judge(told)
    found = [one.reason for one in verdicts if one.check == "unfilled_value"]
    assert found == [
        "undefined: its card has 'undefined', a value of the program: 'Order undefined' (likely)"
    ]


async def test_each_value_of_the_program_in_an_answer_is_a_problem() -> None:
    text = "Reserved on null, the total is NaN. Is that right?"
    (summed,) = (
        await FakeContext()
        .build(VoiceProblems)
        .conclude([session(WELCOME, ("play", answer(text)))])
    )
    problems: Any = summed.details["problems"]
    assert [one["form"] for one in problems] == ["null", "NaN"]


async def test_a_gap_is_read_from_what_the_app_wrote() -> None:
    """Nobody hears the space before the full stop."""
    speech = {"type": "SSML", "ssml": "<speak>Thanks for choosing . What now?</speak>"}
    exchange = {**asked("PlayIntent")[0], "response": {"response": {"outputSpeech": speech}}}
    turn = ("play", answer("Thanks for choosing. What now?", exchanges=[exchange]))
    assert await shown(WELCOME, turn) == {"unfilled_value"}
    speech["ssml"] = "<speak>Listen to <audio src='https://x.org/a.mp3'/> . What now?</speak>"
    assert await shown(WELCOME, turn) == set()


def launched(text: str, **more: Any) -> dict[str, Any]:
    launch = {"opens": True, "request": {"type": "LaunchRequest", "locale": "en-US"}}
    return answer(text, exchanges=[launch], **more)


@pytest.mark.parametrize(
    ("second", "source", "found"),
    [
        ("Your total is 600. Is that right?", {"shared": ["sum"]}, {"leftover_state"}),
        ("Your total is 300. Is that right?", {"shared": ["sum"]}, set[str]()),
        ("Your total is 600. Is that right?", {}, set[str]()),
    ],
)
async def test_a_session_that_changes_the_next_one_leaves_state(
    second: str, source: dict[str, Any], found: set[str]
) -> None:
    """Without variables that outlive a session the difference may be wanted."""
    hello = launched("Welcome! What do you want?", source=source)
    first = answer("Your total is 300. Is that right?", source=source)
    again = answer(second, source=source)
    turns = [
        ("open trivia time", hello),
        ("waxing", first),
        ("open trivia time", hello),
        ("waxing", again),
    ]
    assert await shown(*turns) == found
    other = [
        ("open trivia time", hello),
        ("waxing", first),
        ("open trivia time", hello),
        ("facial", again),
    ]
    assert await shown(*other) == set(), "another order has another total"


@pytest.mark.parametrize(
    ("text", "slots", "source", "found"),
    [
        ("We don't have cats. What else?", KNOWN, {"unsupported": ["animal"]}, {"refused_value"}),
        ("Cats purr. What else?", KNOWN, {"unsupported": ["animal"]}, set[str]()),
        ("We don't have cats. What else?", KNOWN, {}, set[str]()),
        ("We don't have sofas. What else?", UNKNOWN, {"unsupported": ["animal"]}, set[str]()),
    ],
)
async def test_a_value_of_its_own_list_is_turned_down(
    text: str, slots: dict[str, tuple[str, str]], source: dict[str, Any], found: set[str]
) -> None:
    turn = ("a cat", answer(text, "AnimalIntent", slots=slots, source=source))
    assert await shown(MENU, turn) == found
