"""Agents that ask a language model: each checker's feedback is heard, and takes effect."""

import asyncio
import json
from typing import Any

import pytest

from sparring.errors import ConfigurationError
from sparring.model.chat import ChatRequest
from sparring.model.talk import Observation
from sparring.testing.fakes import FakeContext, FakeLLM
from sparring_plugins.voice.model_agents import ModelGenerator, ModelObserver, ModelPlanner
from sparring_plugins.voice.roles import (
    Effect,
    FailedInput,
    Generated,
    GenerateTask,
    InputOrigin,
    KnownInput,
    KnownState,
    ObserveTask,
    OutputKind,
    Plan,
    PlanTask,
    Sighting,
)

STATES = (
    KnownState(id="s1", outputs=("Which drink would you like?",), inputs=("tea", "coffee")),
    KnownState(id="s2", outputs=("Your table is booked.",)),
)


def asked(agent: type[Any], task: Any, *answers: Any, **settings: Any) -> tuple[Any, list[str]]:
    """What the agent answers, and what its model was told each time it was asked again."""
    llm = FakeContext().build(FakeLLM, answers=answers)
    found = asyncio.run(FakeContext(llm=llm).build(agent, **settings).act(task))
    return found, [request.messages[-1].content for request in llm.requests[1:]]


def requests(agent: type[Any], task: Any, answer: Any) -> list[ChatRequest]:
    llm = FakeContext().build(FakeLLM, answers=(answer,))
    asyncio.run(FakeContext(llm=llm).build(agent).act(task))
    return llm.requests


def seen(state: str | None) -> dict[str, Any]:
    return {"state": state, "reason": "it is alike"}


def observing(text: str, **more: Any) -> ObserveTask:
    return ObserveTask.model_validate(
        {"observation": Observation(text=text), "states": STATES, **more}
    )


def test_an_unavailable_state_is_sent_back() -> None:
    task = observing("What can I get you to drink?")
    found, told = asked(ModelObserver, task, seen("s9"), seen("s1"))
    assert found.state == "s1"
    assert "'s9' is no state of the list" in told[0]


def test_a_state_that_stays_unavailable_is_a_new_one() -> None:
    task = observing("What can I get you to drink?")
    found, told = asked(ModelObserver, task, seen("s9"), seen("s8"), seen("s7"), rounds=2)
    assert (found.state, len(told)) == (None, 2)


def test_a_merge_without_a_common_input_is_refused_and_stays_refused() -> None:
    task = observing("Which size would you like?", expected=("small", "large"))
    found, told = asked(ModelObserver, task, seen("s1"), seen(None))
    assert found == Sighting(state=None, reason="it is alike")
    assert "'tea', 'coffee'" in told[0]
    stubborn, _ = asked(ModelObserver, task, seen("s1"), seen("s1"), rounds=1)
    assert stubborn.state is None, "the checker's word holds after all rounds"


def test_a_new_state_is_doubted_once_where_the_same_input_led_to_a_known_one() -> None:
    task = observing(
        "What would you like to drink?", expected=("tea", "coffee"), came_from="s2", by="menu",
        led_to=("s1",),
    )  # fmt: skip
    found, told = asked(ModelObserver, task, seen(None), seen("s1"))
    assert found.state == "s1"
    assert "led from the same state to s1 before" in told[0]
    sure, _ = asked(ModelObserver, task, seen(None), seen(None))
    assert sure.state is None, "it is doubted once, and no more"


def test_an_output_that_was_heard_before_costs_nothing() -> None:
    found, told = asked(ModelObserver, observing("Your table is booked."))
    assert (found.state, told) == ("s2", [])


def test_the_first_prompt_is_long_and_later_ones_are_short() -> None:
    first = requests(ModelObserver, observing("Hm?", came_from="start"), seen(None))[0]
    later = requests(ModelObserver, observing("Hm?", came_from="s1", by="x"), seen(None))[0]
    assert len(later.messages[-1].content) < len(first.messages[-1].content)
    assert (first.temperature, first.asker, first.prompt) == (0.0, "observer", "observe")
    assert first.messages[0].content.count("Answer: ") >= 4, "worked examples"


def test_of_many_states_the_most_alike_are_shown() -> None:
    many = tuple(
        KnownState(id=f"s{n}", outputs=(f"The {word} costs much.",))
        for n, word in enumerate(["house", "ship", "tree", "boat", "wall", "door", "sea", "moon"])
    )
    task = observing("Which drink would you like now?", states=(*many, *STATES))
    llm = FakeContext().build(FakeLLM, answers=(seen(None),))
    asyncio.run(FakeContext(llm=llm).build(ModelObserver, most_states=3).act(task))
    shown = llm.requests[0].messages[-1].content
    assert "Which drink would you like?" in shown
    assert "7 less similar ones are left out" in shown


def inputs(*texts: str, expects: str = "wh") -> dict[str, Any]:
    return {"expects": expects, "inputs": list(texts), "reason": ""}


def generating(text: str, **more: Any) -> GenerateTask:
    return GenerateTask.model_validate({"observation": Observation(text=text), **more})


def named(found: Generated) -> list[str]:
    return [one.text for one in found.candidates]


def test_no_input_at_all_is_sent_back_with_what_the_type_suggests() -> None:
    task = generating("Do you want tea or coffee?")
    found, told = asked(ModelGenerator, task, inputs(), inputs("tea", "coffee"))
    assert named(found) == ["tea", "coffee"]
    assert "no input at all" in told[0]
    assert "'tea', 'coffee'" in told[0]


def test_inputs_that_were_in_vain_are_sent_back_and_never_taken() -> None:
    vain = (FailedInput(text="pirates", effect=Effect.CONFUSED),)
    task = generating("What is your favourite colour?", known=("pirates",), failed=vain)
    found, told = asked(
        ModelGenerator, task, inputs("Pirates"), inputs("blue", "pirates"), rounds=1
    )
    assert named(found) == ["blue"]
    assert "did not lead on when they were said: 'pirates'" in told[0]


def test_phrases_that_the_app_gives_are_insisted_on_once() -> None:
    task = generating("You can say start, or rules.")
    found, told = asked(ModelGenerator, task, inputs("hello"), inputs("start", "rules"))
    assert named(found) == ["start", "rules"]
    assert "says what can be said: 'start', 'rules'" in told[0]


def test_all_of_a_closed_list_is_kept() -> None:
    signs = [f"sign {number}" for number in range(12)]
    found, _ = asked(ModelGenerator, generating("What is your sign?"), inputs(*signs))
    assert named(found) == signs
    assert found.expects is OutputKind.WH


def test_the_generator_asks_as_the_paper_does() -> None:
    request = requests(ModelGenerator, generating("Say yes."), inputs("yes"))[0]
    assert (request.temperature, request.asker) == (0.1, "generator")
    examples = [line for line in request.messages[0].content.splitlines() if line[:1].isdigit()]
    assert len(examples) >= 7


def choosing(*options: KnownInput, **more: Any) -> PlanTask:
    return PlanTask.model_validate({"state": "s1", "output": "Yes?", "inputs": options, **more})


def option(text: str, **more: Any) -> KnownInput:
    return KnownInput.model_validate({"text": text, "origin": InputOrigin.CONTEXT, **more})


def choice(text: str) -> dict[str, Any]:
    return {"thought": "step by step", "input": text}


def test_an_input_that_is_not_in_the_list_is_sent_back() -> None:
    task = choosing(option("tea"), option("coffee"))
    found, told = asked(ModelPlanner, task, choice("cocoa"), choice("Coffee."))
    assert found.input == "coffee"
    assert "'cocoa' is not in the list" in told[0]
    lost, _ = asked(ModelPlanner, task, *[choice("cocoa")] * 3, rounds=2)
    assert lost == Plan(input="tea", reason="the model named no input of the list")


@pytest.mark.parametrize("effect", ["same", "confused", "failed", "ended"])
def test_an_input_that_leads_nowhere_is_sent_back_while_others_may_lead_on(effect: str) -> None:
    task = choosing(option("tea", count=1, effect=effect), option("coffee"))
    found, told = asked(ModelPlanner, task, choice("tea"), choice("coffee"))
    assert found.input == "coffee"
    assert f"known to lead nowhere ({effect})" in told[0]
    only = choosing(option("tea", count=1, effect=effect))
    assert asked(ModelPlanner, only, choice("tea"))[1] == []


def test_inputs_that_were_tried_less_often_are_suggested() -> None:
    task = choosing(option("tea", count=2, effect="new"), option("coffee"))
    found, told = asked(ModelPlanner, task, choice("tea"), choice("coffee"))
    assert found.input == "coffee"
    assert "was tried 2 times, and these less often or never: 'coffee'" in told[0]


def test_words_of_the_system_wait_until_others_were_tried_three_times() -> None:
    system = KnownInput(text="help", origin=InputOrigin.SYSTEM)
    few = choosing(system, option("tea", count=2, effect="new"))
    found, told = asked(ModelPlanner, few, choice("help"), choice("tea"))
    assert (found.input, len(told)) == ("tea", 1)
    often = choosing(system, option("tea", count=3, effect="new"))
    assert asked(ModelPlanner, often, choice("help"))[0].input == "help"
    found, told = asked(ModelPlanner, often, choice("tea"), choice("help"))
    assert (found.input, len(told)) == ("help", 1)


def test_the_planner_sees_the_model_around_the_state_and_no_more() -> None:
    task = choosing(option("tea", count=1, effect="new", target="s7"), option("coffee"))
    request = requests(ModelPlanner, task, choice("coffee"))[0]
    block = request.messages[-1].content.split("<data>")[3].split("</data>")[0]
    assert json.loads(block) == [
        {"text": "tea", "kind": "context", "times": 1, "leads_to": "s7", "effect": "new"},
        {"text": "coffee", "kind": "context", "times": 0},
    ]


@pytest.mark.parametrize("agent", [ModelObserver, ModelGenerator, ModelPlanner])
def test_without_a_model_in_the_suite_the_message_says_what_to_do(agent: type[Any]) -> None:
    with pytest.raises(ConfigurationError, match="asks a language model, and the suite names none"):
        FakeContext().build(agent)
