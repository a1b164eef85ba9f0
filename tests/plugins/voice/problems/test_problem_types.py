"""The five problems, from sessions made by hand."""

from datetime import UTC, datetime
from typing import Any

import pytest

from sparring.model.case import Case
from sparring.model.talk import Ended, Listen, Observation, Say, Trace, Turn
from sparring.model.verdict import Outcome
from sparring.testing.fakes import FakeContext
from sparring_plugins.voice.problem_oracle import VoiceProblems

pytestmark = pytest.mark.anyio


def skill(text: str, **more: Any) -> dict[str, Any]:
    return {"speaker": "skill", "spoken": [{"by": "skill", "text": text}], "session": "open",
            "skill": "trivia time", **more}  # fmt: skip


def ends(text: str, **more: Any) -> dict[str, Any]:
    return skill(text, session="none", ended_by="skill", **more)


def platform(text: str) -> dict[str, Any]:
    return {"speaker": "platform", "spoken": [{"by": "platform", "text": text}], "session": "none"}


def session(*turns: tuple[str, dict[str, Any]], **params: Any) -> Trace:
    made = [
        Turn(
            act=Say(text=said),
            observation=Observation(
                text=" ".join(one["text"] for one in data["spoken"]), payload=data
            ),
        )
        for said, data in turns
    ]
    case = Case.of("session", params, run_seed=1)
    return Trace(case=case, turns=tuple(made), ended=Ended.APP_ENDED, started=datetime.now(UTC))


OPEN = ("open trivia time", skill("Welcome to trivia time! Shall we begin?"))


@pytest.mark.parametrize(
    ("turns", "found"),
    [
        pytest.param([OPEN, ("yes", ends("Two and two is what?"))],
                     {"unexpected_exit": "dead question"}, id="over right after a question"),
        pytest.param([OPEN, ("yes", ends("Correct, that is four"))],
                     {"unexpected_exit": "silent exit"}, id="over without a word"),
        pytest.param([OPEN, ("yes", ends("Here is another", failure="TypeError: x"))],
                     {"unexpected_exit": "crash"}, id="an exception"),
        pytest.param([OPEN, ("yes", ends("Well done. Goodbye!"))], {}, id="a farewell"),
        pytest.param([OPEN, ("stop", ends(""))], {}, id="told to stop"),
        pytest.param([OPEN, ("yes", skill("Your total is NaN rupees. Is that right?"))],
                     {"unfilled_value": "NaN"}, id="a number that is none"),
        pytest.param([OPEN, ("yes", skill("Welcome back, undefined! Shall we go on?"))],
                     {"unfilled_value": "undefined"}, id="a name that is not known"),
        pytest.param([OPEN, ("yes", skill("Hello {user_name}, shall we go on?"))],
                     {"unfilled_value": "{user_name}"}, id="a placeholder"),
        pytest.param([OPEN, ("what is NaN", skill("NaN stands for not a number. Anything else?"))],
                     {}, id="what the user asked about"),
        pytest.param([OPEN, ("yes", skill("The contract is null and void. Anything else?"))],
                     {}, id="a phrase of the law"),
        pytest.param([OPEN, ("exit", platform(""))], {}, id="the platform's word"),
        pytest.param([OPEN, ("no", ends("Alright"))], {}, id="the user declined"),
        pytest.param([OPEN, ("nonstop", ends("Correct"))], {"unexpected_exit": "silent exit"},
                     id="'stop' in another word"),
        pytest.param([OPEN, ("stop", skill("The next question is: who am I?"))],
                     {"unstoppable": "goes on"}, id="goes on after stop"),
        pytest.param([OPEN, ("cancel", skill("Are you sure you want to quit?")),
                      ("yes", ends("Bye!"))], {}, id="asks whether the user is sure"),
        pytest.param([OPEN, ("cancel", skill("Are you sure you want to quit?")),
                      ("yes", skill("The next question is this one."))],
                     {"unstoppable": "goes on"}, id="asks and then goes on"),
        pytest.param([OPEN, ("yes", skill("What is your phone number?"))],
                     {"privacy_violation": "phone number"}, id="asks for the phone number"),
        pytest.param([("open trivia time", skill("Hi there!", skill="trivia titans"))],
                     {"unexpected_app": "trivia titans"}, id="another app opened"),
        pytest.param([("open trivia time", platform("Did you mean trivia titans?"))],
                     {"unexpected_app": "offered"}, id="another app offered"),
        pytest.param([("open trivia time", platform("Sorry, I don't know that one."))],
                     {"unstartable": "never spoke"}, id="nothing opened"),
        pytest.param([("open trivia time", platform("Please link your account first."))], {},
                     id="an account to be linked"),
    ],
)  # fmt: skip
async def test_a_session_shows_its_problems_and_no_others(
    turns: list[tuple[str, dict[str, Any]]], found: dict[str, str]
) -> None:
    oracle = FakeContext().build(VoiceProblems)
    verdicts = await oracle.judge(session(*turns))
    shown = {
        verdict.check: details["problems"][0]["form"]
        for verdict in verdicts
        if verdict.outcome is not Outcome.PASS and (details := dict[str, Any](verdict.details))
    }
    assert shown == found


async def test_a_crash_after_questions_of_the_platform_is_no_crash_of_the_opening() -> None:
    """The app gets its first request when Alexa has asked all that she needs."""
    prompt = skill("How many players?", exchanges=[])
    first = {"opens": True, "request": {"type": "IntentRequest", "locale": "es-MX"}}
    crash = ends("", failure="TypeError: x", exchanges=[first])
    trace = session(("ask trivia time to play", prompt), ("play with twelve", crash))
    checks = {one.check for one in await FakeContext().build(VoiceProblems).judge(trace)
              if one.outcome is Outcome.FAIL}  # fmt: skip
    assert checks == {"unexpected_exit"}


async def test_a_prompt_is_read_in_the_language_of_the_app() -> None:
    asked = skill("como te llamas", exchanges=[])
    greeting = skill("¡Hola! ¿Jugamos?", exchanges=[{"request": {"locale": "es-MX"}}])
    trace = session(("open trivia time", greeting), ("play", asked))
    verdicts = await FakeContext().build(VoiceProblems).judge(trace)
    assert "privacy_violation" in {one.check for one in verdicts if one.outcome is Outcome.FAIL}


async def test_one_answer_to_one_request_may_be_all_there_is() -> None:
    oracle = FakeContext().build(VoiceProblems)
    trace = session(("open daily fact", ends("Bees have five eyes", skill="daily fact")))
    verdict = next(v for v in await oracle.judge(trace) if v.check == "unexpected_exit")
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert "may be all that the app does" in verdict.reason


async def test_a_permission_makes_a_request_no_violation() -> None:
    name = "alexa::profile:mobile_number:read"
    oracle = FakeContext().build(VoiceProblems, permissions=[name])
    trace = session(OPEN, ("yes", skill("What is your phone number?")))
    assert all(v.outcome is Outcome.PASS for v in await oracle.judge(trace))


async def test_equal_problems_in_one_state_are_one_with_the_shortest_path() -> None:
    oracle = FakeContext().build(VoiceProblems)
    question = ("yes", skill("Question one: who am I?"))
    long = session(OPEN, question, ("hm", question[1]), ("me", ends("What is two and two?")))
    short = session(OPEN, question, ("me", ends("What is two and two?")))
    (summed,) = await oracle.conclude([long, short])
    problems: Any = summed.details["problems"]
    (problem,) = problems
    assert problem["path"] == ["open trivia time", "yes", "me"]
    assert len(problem["sessions"]) == 2


async def test_a_chatbot_that_tells_nothing_of_sessions_is_judged_carefully() -> None:
    turns = (
        Turn(act=Say(text="hello"), observation=Observation(text="Hi! How can I help?")),
        Turn(act=Say(text="stop"), observation=Observation(text="Which pizza would you like?")),
    )
    trace = Trace(case=Case.of("s", {}, run_seed=1), turns=turns, ended=Ended.TURN_LIMIT,
                  started=datetime.now(UTC))  # fmt: skip
    verdicts = {v.check: v.outcome for v in await FakeContext().build(VoiceProblems).judge(trace)}
    assert verdicts["unstoppable"] is Outcome.INCONCLUSIVE
    assert verdicts["unstartable"] is Outcome.PASS


async def test_what_another_app_does_is_its_own_affair() -> None:
    oracle = FakeContext().build(VoiceProblems, names=["trivia time", "trivia"])
    other = skill("Hi! What is your phone number?", opened="trivia time", tested=False)
    trace = session(("open trivia time", other), ("stop", skill("Which question?")))
    (summed,) = await oracle.conclude([trace])
    problems: Any = summed.details["problems"]
    assert [one["kind"] for one in problems] == ["unexpected_app"], "the same name, and not the app"
    own = skill("Welcome to trivia time!", opened="trivia time", tested=True)
    failed = [one for one in await oracle.judge(trace) if one.outcome is Outcome.FAIL]
    assert [one.details["kind"] for one in failed] == [[f"unexpected_app: {problems[0]['form']}"]]
    near = await oracle.conclude([session(("open trivia", own))])
    assert near[0].details["problems"] == [], "the app itself, by a like name"


async def test_states_are_those_that_the_player_tells_and_privacy_is_of_the_one_that_asks() -> None:
    asks = skill("What is your e-mail address?")
    trace = session(("", skill("Welcome!")), ("join", asks), ("stop", skill("Where were we?")))
    steps = [{"input": "", "state": "s1"}, {"input": "join", "state": "s2"},
             {"input": "stop", "state": "s3"}]  # fmt: skip
    turns = (trace.turns[0].model_copy(update={"act": Listen()}), *trace.turns[1:])
    told = trace.model_copy(update={"turns": turns, "meta": {"steps": steps}})
    without = told.model_copy(update={"meta": {"steps": steps[1:]}})
    oracle = FakeContext().build(VoiceProblems)
    for one in (told, without):
        (summed,) = await oracle.conclude([one])
        problems: Any = summed.details["problems"]
        assert [(p["kind"], p["form"], p["state"]) for p in problems] == [
            ("privacy_violation", "e-mail address", "s2"),
            ("unstoppable", "goes on", "s2"),
        ]
