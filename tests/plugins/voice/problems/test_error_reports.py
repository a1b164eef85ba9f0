"""Exceptions are read from logs, and what the user only hears as an apology is a problem."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.model.verdict import Owner
from sparring.testing.fakes import FakeContext
from sparring_plugins.voice.error_reports import described_error, logged_errors
from sparring_plugins.voice.problem_detection import same_problem
from sparring_plugins.voice.problem_oracle import VoiceProblems

from .test_problem_types import OPEN, ends, platform, session, skill

pytestmark = pytest.mark.anyio

PYTHON_LOG = """'score'
Traceback (most recent call last):
  File "/skills/a/lambda_function.py", line 74, in handle
    score = session["score"]
  File "/usr/lib/python3.11/site-packages/kit/attributes.py", line 3, in get
KeyError: 'score'
"""
NODE_LOG = """~~~~ Error handled: TypeError: Cannot read properties of undefined (reading 'question')
    at nextQuestion (/skills/b/index.js:232:71)
    at GenericRequestDispatcher.dispatch (/skills/b/node_modules/ask-sdk-runtime/dist/a.js:1:1)
"""


@pytest.mark.parametrize(
    ("log", "expected"),
    [
        (PYTHON_LOG, ["KeyError: 'score' (lambda_function.py:74)"]),
        (NODE_LOG, ["TypeError: Cannot read properties of undefined (reading 'question') (index.js:232)"]),
        (PYTHON_LOG * 2, ["KeyError: 'score' (lambda_function.py:74)"]),
        ("Error: none, all is well", []),
        ("Session ended with reason: USER_INITIATED", []),
        ("", []),
    ],
)  # fmt: skip
def test_traces_in_a_log_are_read(log: str, expected: list[str]) -> None:
    assert [str(error) for error in logged_errors(log)] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("KeyError: 'a' (File \"/x/lambda_function.py\", line 12, in handle)",
         "KeyError: 'a' (lambda_function.py:12)"),
        ("TypeError: no (at Object.handle (/x/index.js:3:5))", "TypeError: no (index.js:3)"),
        ("ValueError: (see above)", "ValueError: (see above)"),
    ],
)  # fmt: skip
def test_a_described_exception_keeps_its_place(text: str, expected: str) -> None:
    assert str(described_error(text)) == expected


@given(st.text(max_size=300))
def test_any_text_can_be_read(text: str) -> None:
    logged_errors(text)
    described_error(text)


def caught(*errors: str, network: bool = False, log: str = "") -> list[dict[str, Any]]:
    """The exchanges of a turn whose exception the skill's own handler answered."""
    return [{"caught": [{"error": one, "network": network} for one in errors], "log": log}]


SORRY = "Sorry, I had trouble doing what you asked. Please try again."


async def problems(*turns: tuple[str, dict[str, Any]]) -> dict[str, tuple[str, str]]:
    """The checks that do not pass, with their outcome and the beginning of their reason."""
    verdicts = await FakeContext().build(VoiceProblems).judge(session(*turns))
    return {
        one.check: (one.outcome.value, one.reason.split(":")[0])
        for one in verdicts
        if one.outcome.value not in ("pass", "skipped")
    }


async def test_an_apology_with_its_exception_is_a_caught_error() -> None:
    turn = ("twelve", skill(SORRY, exchanges=caught("KeyError: 'altitude' (at x.py:3:1)")))
    assert await problems(OPEN, turn) == {"caught_error": ("fail", "raised")}


async def test_an_apology_alone_is_likely_one() -> None:
    turn = ("twelve", skill("Oops, something went wrong."))
    assert await problems(OPEN, turn) == {"caught_error": ("fail", "apology")}


async def test_an_apology_instead_of_a_welcome_is_a_class_of_its_own() -> None:
    launch = {"opens": True, "request": {"type": "LaunchRequest"}, **caught("KeyError: 'a'")[0]}
    assert await problems(("open trivia time", skill(SORRY, exchanges=[launch]))) == {
        "launch_apology": ("fail", "raised")
    }


async def test_a_skill_that_only_logs_an_exception_and_goes_on_is_told_of() -> None:
    turn = ("yes", skill("Here is the next question.", exchanges=[{"log": PYTHON_LOG}]))
    assert await problems(OPEN, turn) == {"logged_error": ("fail", "raised")}
    foreign = PYTHON_LOG.replace("KeyError", "kit.ServiceException")
    turn = ("yes", skill("Here is the next question.", exchanges=[{"log": foreign}]))
    assert await problems(OPEN, turn) == {"logged_error": ("inconclusive", "raised")}


async def test_not_to_understand_is_no_error() -> None:
    turn = ("fish", skill("Sorry, I didn't get that. You can say yes or no."))
    assert await problems(OPEN, turn) == {}


async def test_a_host_that_is_cut_off_is_not_the_skills_fault() -> None:
    exchanges = caught("FetchError: request to https://scores failed", network=True)
    verdicts = (
        await FakeContext()
        .build(VoiceProblems)
        .judge(session(OPEN, ("yes", skill(SORRY, exchanges=exchanges))))
    )
    (one,) = [verdict for verdict in verdicts if verdict.check == "caught_error"]
    assert (one.outcome.value, one.owner) == ("inconclusive", Owner.ENVIRONMENT)


async def test_a_request_that_crashes_at_the_opening_is_a_class_of_its_own() -> None:
    exchanges = [{"opens": True, "request": {"type": "IntentRequest"}}]
    crash = ends("", failure="skill 'a': the handler raised KeyError: 'q' (at h (a.js:3:1))",
                 exchanges=exchanges)  # fmt: skip
    assert await problems(("ask trivia time to repeat", crash)) == {
        "one_shot_crash": ("fail", "crash")
    }


@pytest.mark.parametrize(
    "response",
    [
        {"card": {"type": "AskForPermissionsConsent"}},
        {"card": {"type": "LinkAccount"}},
        {"directives": [{"type": "Connections.SendRequest", "name": "AskFor"}]},
    ],
)
async def test_a_skill_that_leaves_for_a_consent_does_not_leave_silently(
    response: dict[str, Any],
) -> None:
    exchanges = [{"request": {"type": "IntentRequest"}, "response": {"response": response}}]
    turn = ("remind me", ends("Please give me the permission in the Alexa app",
                              exchanges=exchanges))  # fmt: skip
    assert await problems(OPEN, turn) == {}


@pytest.mark.parametrize("said", ["I approve", "purple"])
async def test_the_end_after_a_question_of_the_platform_is_not_silent(said: str) -> None:
    asked = skill("I need that.", asked="permission")
    turns = (OPEN, ("remind me", asked), (said, ends("The reminder is set for nine.")))
    assert await problems(*turns) == {}
    assert await problems(OPEN, ("remind me", skill("I need that.")), turns[-1]) != {}


async def test_a_cancel_that_declines_what_the_platform_asked_stops_no_skill() -> None:
    asked = skill("", asked="permission")
    turns = (OPEN, ("remind me", asked), ("cancel", skill("Then you will have to remember.")))
    assert await problems(*turns) == {}
    assert set(await problems(OPEN, turns[-1])) == {"unstoppable"}


def test_one_exception_is_one_fault_wherever_it_shows() -> None:
    key = "one_shot_crash: crash: KeyError # a.js:3"
    assert same_problem(key, "unexpected_exit: crash: KeyError # a.js:3")
    assert not same_problem(key, "unexpected_exit: crash: KeyError # a.js:30")
    assert not same_problem(key, "unexpected_exit: crash: TypeError # a.js:3")


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("HomeIntent says You triggered home.", "HomeIntent says Good day to you.", True),
        ("HomeIntent says You triggered home.", "MoreIntent says You triggered home.", True),
        ("HomeIntent says Your order is placed.", "MoreIntent says The weather is fine.", False),
    ],
)
def test_endings_are_told_apart_by_what_was_said_and_by_whom(
    one: str, other: str, same: bool
) -> None:
    prefix = "unexpected_exit: silent exit: "
    assert same_problem(prefix + one, prefix + other) is same


async def test_an_end_because_a_host_is_cut_off_is_not_the_skills_fault() -> None:
    end = ends("getaddrinfo ENOTFOUND jokes.example", exchanges=[{"calls": ["jokes.example:443"]}])
    verdicts = await FakeContext().build(VoiceProblems).judge(session(OPEN, ("a joke", end)))
    (one,) = [verdict for verdict in verdicts if verdict.check == "unexpected_exit"]
    assert (one.outcome.value, one.owner) == ("inconclusive", Owner.ENVIRONMENT)


async def test_a_skill_that_never_loaded_is_unstartable() -> None:
    failure = "skill 'a': the handler could not be loaded: SyntaxError: Error parsing package.json"
    assert await problems(("", ends("", failure=failure))) == {
        "unstartable": ("fail", "never spoke")
    }


async def test_a_request_that_opens_and_is_answered_by_nothing_says_little_of_a_launch() -> None:
    opening = [{"opens": True, "request": {"type": "IntentRequest"}}]
    silent = {**platform(""), "session": "open", "exchanges": opening}
    assert await problems(("ask trivia time to repeat", silent)) == {
        "unstartable": ("inconclusive", "never spoke")
    }


async def test_a_skill_that_opens_with_a_picture_and_no_word_has_started() -> None:
    film = {"directives": [{"type": "Alexa.Presentation.APL.RenderDocument", "token": "film"}]}
    request = {"opens": True, "request": {"type": "IntentRequest"}}
    shown = {**platform(""), "exchanges": [{**request, "response": {"response": film}}]}
    assert "unstartable" not in await problems(("ask trivia time for the film", shown))
    launch = {"opens": True, "request": {"type": "LaunchRequest"}}
    silent = {**platform(""), "exchanges": [{**launch, "response": {"response": {}}}]}
    assert "unstartable" in await problems(("open trivia time", silent))


async def test_a_request_that_opens_and_ends_the_app_without_a_word_is_an_exit() -> None:
    opening = [{"opens": True, "request": {"type": "IntentRequest"}}]
    silent = {**ends(""), "speaker": "nobody", "exchanges": opening}
    assert await problems(("ask trivia time to go home", silent)) == {
        "unexpected_exit": ("inconclusive", "silent exit")
    }


async def test_an_apology_that_is_said_again_is_the_same_error() -> None:
    caught = [{"caught": [{"error": "Error: Unable to find a suitable request handler."}]}]
    sorry = skill("Sorry, I had trouble doing what you asked.")
    turns = (OPEN, ("go home", {**sorry, "exchanges": caught}), ("repeat", sorry))
    verdicts = await FakeContext().build(VoiceProblems).judge(session(*turns))
    (error,) = [one for one in verdicts if one.check == "caught_error"]
    assert [ref.turn for ref in error.turns] == [1]
