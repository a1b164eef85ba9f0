"""What could be said to an output, by rules."""

import asyncio
from typing import Any

import pytest

from sparring.model.talk import Choice, Observation
from sparring.testing.fakes import FakeContext
from sparring_plugins.voice.roles import (
    Effect,
    FailedInput,
    Generated,
    GenerateTask,
    InputOrigin,
    OutputKind,
)
from sparring_plugins.voice.rules_agents import RulesGenerator


def generated(text: str = "", **more: Any) -> Generated:
    task = GenerateTask.model_validate({"observation": Observation(text=text), **more})
    return asyncio.run(FakeContext().build(RulesGenerator).act(task))


def texts(found: Generated) -> list[str]:
    return [one.text for one in found.candidates]


def test_quoted_phrases_can_be_said_in_any_language() -> None:
    spanish = 'Si quieres tu plan di "dame mi plan". ¿Qué te gustaría hacer?'
    found = generated(spanish, language="Spanish")
    assert texts(found)[0] == "dame mi plan"
    assert found.candidates[0].origin is InputOrigin.CONTEXT
    assert found.expects is OutputKind.INSTRUCTION


@pytest.mark.parametrize(
    ("output", "expects", "inputs"),
    [
        ("Would you like to hear another one?", "yes_no", ["yes", "no"]),
        ("Shall I place the order?", "yes_no", ["yes", "no"]),
        ("Do you want tea or coffee?", "selection", ["tea", "coffee"]),
        ("Which room, the small one, the blue one or the hall?", "selection", ["hall"]),
        ("Choose a colour:\n1. Red\n2. Dark blue\n3. Green", "selection", ["Red", "Dark blue"]),
        ("You can say start, or rules.", "instruction", ["start", "rules"]),
        ('Just say "play a round" or "read the rules".', "instruction", ["play a round"]),
        ("Say about, to hear more, or say lunch to get a tip.", "instruction", ["about", "lunch"]),
        ("You can ask me about prices and opening hours.", "instruction", ["tell me about prices"]),
        ("You can ask me to convert miles.", "instruction", ["convert miles"]),
        ("Please say a number between 1 and 4.", "wh", ["2", "1", "4", "5"]),
        ("On which day would you like to come?", "wh", ["tomorrow", "12 March"]),
        ("At what time?", "wh", ["10 am"]),
        ("What is your star sign?", "wh", ["aries", "pisces"]),
        ("What is your favourite colour?", "wh", ["blue"]),
        ("It rained yesterday.", "other", []),
        (
            "Which suits you, there's no hurry, not today, or I am done.",
            "selection",
            ["there's no hurry", "not today", "I am done"],
        ),
        ("Between cats and dogs which do you prefer?", "selection", ["cats", "dogs"]),
        ("If you met a bear would you run or hide?", "selection", ["run", "hide"]),
        (
            "You can add a name or check on a name that you have added.",
            "instruction",
            ["add a name", "check on a name"],
        ),
        ("You can cancel your booking and rate our service.", "instruction", ["cancel my booking"]),
        ("You can say my favourite fruit is plum.", "instruction", ["my favourite fruit is plum"]),
        (
            "You can say: find a star, tell me a story, or goodnight.",
            "instruction",
            ["find a star", "tell me a story", "goodnight"],
        ),
        ("What is the capital of France?", "wh", ["I'm not sure"]),
        ("Which would you like to try?", "other", []),
    ],
)
def test_an_output_is_answered_by_its_type(output: str, expects: str, inputs: list[str]) -> None:
    found = generated(output)
    assert found.expects is OutputKind(expects)
    assert set(inputs) <= set(texts(found))


def test_an_output_of_several_types_is_mixed() -> None:
    found = generated("To begin, say start. Or tell me your favourite colour.")
    assert found.expects is OutputKind.MIXED
    assert {"start", "blue"} <= set(texts(found))


def test_particulars_are_invented_with_the_seed() -> None:
    one, other = (generated("May I have your name?", seed=seed) for seed in (1, 5))
    assert texts(one)
    assert texts(one) != texts(other)
    assert texts(one) == texts(generated("May I have your name?", seed=1))


def test_choices_on_offer_come_first_and_are_pressed() -> None:
    seen = Observation(text="How are you insured?", choices=(Choice(label="Public"),))
    found = generated(observation=seen)
    assert [(one.text, one.origin) for one in found.candidates] == [("Public", InputOrigin.CHOICE)]


def test_what_is_known_is_left_out_and_what_failed_is_replaced() -> None:
    asked = "Would you like tea, coffee or water?"
    vain = (FailedInput(text="tea", effect=Effect.SAME),)
    found = generated(asked, known=("tea", "coffee"), failed=vain)
    assert "tea" not in texts(found)
    assert "water" in texts(found)
    assert len(texts(found)) > 1, "words of the question and the like"


def test_a_description_and_samples_are_marked_as_what_they_are() -> None:
    found = generated(
        "Hello!", document='Say "tell me a joke". I can help you with riddles.', samples=("boo",)
    )
    origins = {one.text: one.origin for one in found.candidates}
    assert origins["tell me a joke"] is InputOrigin.DOCUMENT
    assert origins["riddles"] is InputOrigin.DOCUMENT
    assert origins["boo"] is InputOrigin.SAMPLE


def test_an_app_that_tells_what_it_can_do_is_taken_at_its_word() -> None:
    found = generated("I can help you with loans, your card and study rooms.", everything=True)
    assert {"loans", "my card", "study rooms"} <= set(texts(found))
