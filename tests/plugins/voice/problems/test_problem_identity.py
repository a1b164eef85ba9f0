"""A problem is recognised in another session, and what a skill declares is heeded."""

import pytest

from sparring.model.talk import AppFacts, Trace
from sparring.testing.fakes import FakeContext
from sparring_plugins.reproduction.failure_identity import faults_of
from sparring_plugins.voice.problem_oracle import VoiceProblems

from .test_problem_types import OPEN, ends, session, skill

pytestmark = pytest.mark.anyio


async def keys(trace: Trace) -> list[str]:
    found = await FakeContext().build(VoiceProblems).judge(trace)
    return [fault.key for fault in faults_of(found)]


def same(one: str, other: str) -> bool:
    return FakeContext().build(VoiceProblems).same(one, other)


async def test_the_same_exit_by_another_way_is_the_same_problem() -> None:
    asked = ("help", skill("You can ask for a fact. What would you like?"))
    (short,) = await keys(session(OPEN, asked, ("a fact", ends("Cats have nine lives."))))
    longer = session(OPEN, asked, ("help", skill("You can ask for a fact. What would you like?")),
                     ("another fact", ends("Dogs bark.")))  # fmt: skip
    (long,) = await keys(longer)
    (elsewhere,) = await keys(session(OPEN, ("yes", ends("Two plus two is four."))))
    assert same(short, long)
    assert not same(short, elsewhere), "the app was somewhere else"


async def test_crashes_are_told_apart_by_their_messages() -> None:
    def crash(message: str) -> Trace:
        return session(OPEN, ("yes", ends("", failure=message)))

    (one,) = await keys(crash("KeyError: 'a' (line 3)"))
    (other,) = await keys(crash("KeyError: 'b' (line 17)"))
    (third,) = await keys(crash("ZeroDivisionError: division by zero"))
    assert same(one, other)
    assert not same(one, third)


@pytest.mark.parametrize("key", ["", "x", "unexpected_exit: crash", ": : "])
def test_any_key_can_be_compared(key: str) -> None:
    assert same(key, key)
    assert not same(key, "unexpected_exit: silent exit: Where to?")


async def test_a_permission_that_the_skill_declares_allows_what_it_names() -> None:
    asking = session(OPEN, ("yes", skill("What is your e-mail address?")))
    facts = AppFacts(name="trivia time", permissions=("alexa::profile:email:read",))
    assert [key.split(":")[0] for key in await keys(asking)] == ["privacy_violation"]
    assert await keys(asking.model_copy(update={"app": facts})) == []


async def test_no_handler_for_a_launch_is_another_problem_than_none_for_an_intent() -> None:
    def caught(said: str, request: str, **more: object) -> tuple[str, dict[str, object]]:
        error = {"error": "DispatchException: Unable to find a suitable request handler"}
        exchange = {"request": {"type": request, "locale": "en-GB"}, "caught": [error], **more}
        return said, skill("Sorry, something went wrong.", exchanges=[exchange])

    launch = caught("open trivia time", "LaunchRequest", opens=True)
    of_intent, of_launch = sorted(await keys(session(launch, caught("go home", "IntentRequest"))))
    (of_another,) = await keys(session(OPEN, caught("repeat", "IntentRequest")))
    assert not same(of_intent, of_launch)
    assert same(of_intent, of_another)


async def test_each_intent_without_a_handler_is_a_problem_of_its_own() -> None:
    """A reflector says the name of whatever reaches it: the intent is what is to be mended."""

    async def reflected(intent: str, said: str) -> str:
        end = ends(f"You just triggered {intent}", nlu={"intent": intent})
        (key,) = await keys(session(OPEN, (said, end)))
        return key

    booking, home = await reflected("BookIntent", "book it"), await reflected("HomeIntent", "home")
    assert same(booking, await reflected("BookIntent", "reserve it"))
    assert not same(booking, home)


async def test_a_question_that_nobody_can_answer_is_one_problem_of_its_intent() -> None:
    """The answers have nothing in common but the question: one handler ends the session."""

    async def asked(intent: str, answer: str) -> str:
        end = ends(answer, nlu={"intent": intent})
        (key,) = await keys(session(OPEN, ("go on", end)))
        return key

    oak = await asked("TreeIntent", "Oak, grows to thirty metres., Would you like another tree?")
    birch = await asked(
        "TreeIntent", "Birch, white bark from Siberia., Would you like another tree?"
    )
    song = await asked("SongIntent", "Here is your song. Shall I sing it once more?")
    assert same(oak, birch)
    assert not same(oak, song)
