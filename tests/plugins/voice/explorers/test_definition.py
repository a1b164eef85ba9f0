"""The explorer says what the app's own definition names, unless it is told not to look."""

from typing import Any

import pytest

from sparring.model.talk import AppFacts, Observation
from sparring_plugins.voice.behaviour_model import BehaviourModel, Input, State
from sparring_plugins.voice.explorers.definition import (
    add_expected,
    asked_state,
    definition_inputs,
    is_probe,
    is_unreached,
    learn_definition,
    locale_of,
    may_leave_state,
    next_opening,
    note_understood,
    note_unlaunched,
    opposite_answer,
    parts_to_repeat,
    parts_untried_deeper,
    system_words,
)
from sparring_plugins.voice.explorers.explorer import ExplorerConfig
from sparring_plugins.voice.explorers.frontier import available_inputs
from sparring_plugins.voice.outputs.suggested_inputs import (
    EXPECTED,
    UNKNOWN,
    UNUSUAL,
    never_mind,
)
from sparring_plugins.voice.outputs.words import language_of
from sparring_plugins.voice.roles import Effect, InputOrigin, KnownInput, OutputKind, PlanTask
from sparring_plugins.voice.rules_agents import best_of

FACTS = AppFacts(
    utterances=(
        ("Order", "i want tea"), ("Repeat", "repeat"), ("Order", "bring tea"),
        ("Order.size=?", "a marzipan tea"),
    ),
    openings=("ask shop to bring tea",),
)  # fmt: skip


@pytest.fixture
def model() -> BehaviourModel:
    fresh = BehaviourModel()
    learn_definition(fresh, FACTS)
    return fresh


def said(model: BehaviourModel, state: State, tried: dict[str, int] | None = None) -> list[str]:
    return [one.text for one in definition_inputs(model, state, tried or {})]


def test_one_utterance_of_each_part_is_offered(model: BehaviourModel) -> None:
    state = model.add_state()
    assert said(model, state) == ["i want tea", "repeat"]
    assert said(model, state, {"i want tea": 1}) == ["repeat", "bring tea"], "it was not understood"
    model.reached.append("Order")
    assert said(model, state, {"i want tea": 1}) == ["repeat", "bring tea"], "new words come first"
    assert said(model, state, {"i want tea": 1, "bring tea": 1}) == ["repeat", "i want tea"]
    assert said(model, model.start) == []


def test_a_value_is_offered_where_its_intent_is_heard(model: BehaviourModel) -> None:
    state, other = model.add_state(), model.add_state()
    state.inputs["i want tea"] = Input(text="i want tea", count=1, last=other.id)
    assert said(model, state, {"i want tea": 1}) == ["repeat", "a marzipan tea"]
    state.inputs["i want tea"].last = state.id
    assert said(model, state, {"i want tea": 1}) == ["repeat"], "it changed nothing"


def test_a_value_is_not_offered_where_its_intent_counts_as_noise(model: BehaviourModel) -> None:
    model.utterances["marzipan"] = ("AMAZON.FallbackIntent", "marzipan")
    state, pardon = model.add_state(), model.add_state()
    state.inputs["i want tea"] = Input(text="i want tea", count=1, last=pardon.id)
    state.inputs["marzipan"] = Input(text="marzipan", count=1, last=pardon.id,
                                     targets={pardon.id: 1})  # fmt: skip
    assert said(model, state, {"i want tea": 1, "marzipan": 1}) == ["repeat"]


def test_what_was_understood_is_reached(model: BehaviourModel) -> None:
    assert is_unreached(model, "I want tea!")
    by = Input(text="tea please")
    note_understood(model, by, Observation(text="Sure", payload={"nlu": {"intent": "Order"}}))
    assert by.part == "Order"
    assert not is_unreached(model, "I want tea!")
    assert not is_unreached(model, "a marzipan tea")
    note_understood(model, by, Observation(text="Sure", payload=["odd"]))


def test_requests_that_open_the_app_take_turns_with_launches(model: BehaviourModel) -> None:
    assert next_opening(model) is None, "the first session is a launch"
    model.sessions, model.turns = 1, 8
    assert next_opening(model) == "ask shop to bring tea"
    model.sessions = 3
    assert next_opening(model) is None, "each is said once"


def test_intents_are_said_again_where_a_request_opened_the_app(model: BehaviourModel) -> None:
    """Each once, the platform's own not, and with three turns of other things for each."""
    model.utterances["go home"] = ("AMAZON.NavigateHomeIntent", "go home")
    assert parts_to_repeat(model) == set(), "no turn was taken yet"
    model.turns = 8
    assert parts_to_repeat(model) == {"Order", "Repeat"}
    note_unlaunched(model, "Repeat!")
    note_unlaunched(model, "whatever")
    assert parts_to_repeat(model) == {"Order"}
    model.turns = 7
    assert parts_to_repeat(model) == set()


def test_what_was_said_before_counts_as_new_after_such_a_request(model: BehaviourModel) -> None:
    state, other = model.add_state(), model.add_state()
    state.inputs["repeat"] = Input(text="repeat", count=3, last=other.id, targets={other.id: 3})
    before = {one.text: one for one in available_inputs(model, state, None, ())}
    assert (before["repeat"].count, before["repeat"].unreached) == (3, True)
    after = {one.text: one for one in available_inputs(model, state, None, (), {"Repeat"})}
    assert (after["repeat"].count, after["repeat"].unreached) == (0, True)
    assert after["i want tea"] == before["i want tea"]


def test_the_definition_is_kept_with_the_model(model: BehaviourModel) -> None:
    assert BehaviourModel.from_json(model.to_json()).utterances == model.utterances


def test_the_definition_is_not_stored_with_each_conversation() -> None:
    stored = FACTS.model_dump(mode="json")
    assert "utterances" not in stored
    assert "openings" not in stored


def test_a_black_box_is_asked_for() -> None:
    assert ExplorerConfig().black_box is False


def test_words_of_the_system_are_said_in_the_apps_language(model: BehaviourModel) -> None:
    assert system_words(model) == ("help", "stop", "cancel")
    spanish = BehaviourModel()
    words = (("AMAZON.HelpIntent", "ayuda"), ("AMAZON.StopIntent", "para"), ("Order", "un té"))
    learn_definition(spanish, AppFacts(utterances=words))
    assert system_words(spanish) == ("ayuda", "para", "cancel")


OFFER = "Welcome to the bank, would you like to pay?"


@pytest.mark.parametrize(
    ("output", "said", "other"),
    [
        (OFFER, "no", "yes"),
        (OFFER, "yes", None),
        ("Do you have a fever?", "no", None),
        ("What would you like to pay?", "no", None),
        ("Could you repeat that?", "no", None),
    ],
)
def test_the_other_answer_to_an_offer_is_worth_comparing(
    model: BehaviourModel, output: str, said: str, other: str | None
) -> None:
    state, target = model.add_state(), model.add_state()
    state.add_output(output)
    state.inputs["yes"] = Input(text="yes", count=1, last=target.id)
    assert opposite_answer(state, Input(text=said), target) == other
    target.confused = True
    assert opposite_answer(state, Input(text=said), target) is None, "it did not understand"


def test_answers_to_an_open_question_are_inputs_of_the_state(model: BehaviourModel) -> None:
    state = model.add_state()
    add_expected(state, Observation(text="Which tea?", payload={"expects": ["green", "no", ""]}))
    assert {key: one.slot for key, one in state.inputs.items()} == {"green": "expected", "no": None}
    add_expected(state, Observation(text="Which tea?", payload=None))
    assert len(state.inputs) == 2


def test_answers_at_which_a_handler_may_fail_have_a_slot_of_their_own(
    model: BehaviourModel,
) -> None:
    state = model.add_state()
    payload: dict[str, Any] = {"expects": ["green", "a marzipan"], "unusual": ["a marzipan"]}
    add_expected(state, Observation(text="Which tea?", payload=payload))
    assert [one.slot for one in state.inputs.values()] == ["expected", UNUSUAL]


PROMPT: dict[str, Any] = {
    "elicits": "Order.tea",
    "spoken": [{"by": "skill", "text": "Which tea?", "prompt": True}],
}


@pytest.mark.parametrize(
    ("payload", "black_box", "state"),
    [
        (PROMPT, False, "elicits_Order.tea"),
        (PROMPT, True, ""),
        ({**PROMPT, "spoken": [{"by": "skill", "text": "No!"}, *PROMPT["spoken"]]}, False, ""),
        ({"asked": "permission"}, True, "asked_permission"),
        ({}, False, ""),
    ],
)
def test_a_prompt_of_the_dialog_model_is_the_state_of_its_slot(
    payload: dict[str, Any], black_box: bool, state: str
) -> None:
    output = Observation(text="Which tea?", payload=payload)
    assert asked_state(output, black_box=black_box) == state


def test_a_form_is_filled_with_plausible_values_first() -> None:
    never = KnownInput(text="I don't know", origin=InputOrigin.CONTEXT, slot=UNKNOWN)
    zero = KnownInput(text="0", origin=InputOrigin.CONTEXT, slot=UNUSUAL)
    five = KnownInput(text="5", origin=InputOrigin.CONTEXT, slot="expected", elsewhere=3)
    order = [never, zero, five]
    for wanted in (five, zero, never):
        task = PlanTask(state="s1", output="How many?", expects=OutputKind.WH, inputs=tuple(order))
        assert best_of(task) == wanted
        order.remove(wanted)


def test_a_form_is_gone_on_with_before_other_intents_are_tried() -> None:
    other = KnownInput(text="go home", origin=InputOrigin.SAMPLE, unreached=True, probe=True)
    way = KnownInput(text="5", origin=InputOrigin.CONTEXT, slot=EXPECTED, count=1,
                     effect=Effect.NEW, target="s2", distance=3)  # fmt: skip
    form = PlanTask(state="s1", output="How many?", expects=OutputKind.WH, inputs=(other, way))
    assert best_of(form) == way
    done = way.model_copy(update={"distance": None})
    assert best_of(form.model_copy(update={"inputs": (other, done)})) == other
    menu = way.model_copy(update={"slot": None})
    assert best_of(form.model_copy(update={"inputs": (other, menu)})) == other


def test_what_was_said_in_this_session_answers_a_question_first() -> None:
    new, known = (
        KnownInput(text=text, origin=InputOrigin.CONTEXT, slot=EXPECTED, elsewhere=uses)
        for text, uses in (("tea", 0), ("coffee", 3))
    )
    task = PlanTask(state="s1", output="Who?", expects=OutputKind.WH, inputs=(new, known))
    assert best_of(task) == new
    assert best_of(task.model_copy(update={"recent": ("Coffee", "yes")})) == known


def test_another_value_is_said_on_the_way_to_something_new() -> None:
    model = BehaviourModel()
    question, menu = model.add_state(), model.add_state()
    question.expects = OutputKind.WH
    for text in ("green", "black", "0"):
        slot = UNUSUAL if text == "0" else "expected"
        question.add_input(Input(text=text, slot=slot))
    model.count_transition(question, question.inputs["green"], menu)
    model.count_transition(question, question.inputs["0"], menu)
    menu.add_input(Input(text="sizes"))
    inputs = available_inputs(model, question, None, ())
    assert {one.text: one.distance for one in inputs} == {"green": 1, "black": 1, "0": 1}
    task = PlanTask(state=question.id, output="Which?", expects=OutputKind.WH, inputs=inputs)
    assert best_of(task).text == "black"
    menu.inputs["sizes"].count = 1
    inputs = available_inputs(model, question, None, ())
    assert {one.distance for one in inputs} == {None}, "nothing is left to be found there"


def test_what_led_to_different_states_is_tried_in_new_ones() -> None:
    """ "Show my list" after each change: "You have tea", "Your list is empty"."""
    model = BehaviourModel()
    learn_definition(model, AppFacts(utterances=(("Show", "show my list"), ("Add", "add tea"))))
    model.reached += ["Show", "Add"]
    empty, full, added = model.add_state(), model.add_state(), model.add_state()
    for source, target in ((empty, full), (full, empty)):
        by = source.add_input(Input(text="show my list", origin=InputOrigin.SAMPLE, part="Show"))
        model.count_transition(source, by, target)
        by = source.add_input(Input(text="add tea", origin=InputOrigin.SAMPLE, part="Add"))
        model.count_transition(source, by, added)
    inputs = available_inputs(model, added, None, ())
    assert {one.text: one.varies for one in inputs} == {"show my list": True, "add tea": False}
    assert best_of(PlanTask(state=added.id, output="Added.", inputs=inputs)).text == "show my list"


@pytest.mark.parametrize(
    ("text", "source", "slots", "leaves"),
    [
        ("Your total is 300.", {"shared": ["sum"]}, {"service": ["waxing"]}, True),
        ("Your total is NaN, on the 3rd.", {"shared": ["sum"]}, {"service": ["waxing"]}, False),
        ("Your total is 300.", {}, {"service": ["waxing"]}, False),
        ("Your total is 300.", {"shared": ["sum"]}, {}, False),
        ("Goodbye.", {"shared": ["sum"]}, {"service": ["waxing"]}, False),
    ],
)
def test_a_number_of_a_skill_with_lasting_variables_may_be_left_for_the_next(
    text: str, source: dict[str, Any], slots: dict[str, Any], leaves: bool
) -> None:
    payload = {"source": source, "nlu": {"intent": "A", "slots": slots}}
    assert may_leave_state(Observation(text=text, payload=payload)) is leaves


@pytest.mark.parametrize(
    ("locale", "line"),
    [("fr-FR", "Je ne sais pas"), ("en-GB", "I don't know"), ("xx-XX", "I don't know")],
)
def test_who_has_no_answer_says_so_in_the_language_of_the_app(locale: str, line: str) -> None:
    exchange: dict[str, Any] = {"request": {"request": {"locale": locale}}}
    output = Observation(text="Combien?", payload={"exchanges": [exchange]})
    assert locale_of(output) == locale
    lines = {never_mind(seed, language_of(locale)).text for seed in range(8)}
    assert line in lines
    assert locale_of(Observation(text="Combien?", payload={"exchanges": [None]})) == ""


def test_an_intent_is_heard_where_an_answer_of_the_outputs_own_is_taken_for_it(
    model: BehaviourModel,
) -> None:
    """A quiz names its answers: none of them is an example of the definition."""
    state, other = model.add_state(), model.add_state()
    own = Input(text="Rome", count=1, last=other.id, part="Order")
    state.inputs["rome"] = own
    assert "a marzipan tea" in said(model, state)
    assert is_probe(model, "a marzipan tea")
    assert not is_probe(model, "i want tea")


def test_a_probe_comes_after_two_answers_of_the_outputs_own() -> None:
    probe = KnownInput(text="a marzipan tea", origin=InputOrigin.SAMPLE, probe=True)
    own = [KnownInput(text=f"city {n}", origin=InputOrigin.CONTEXT) for n in range(3)]
    tried = [one.model_copy(update={"count": 1, "target": "s2"}) for one in own[:2]]
    assert best_of(PlanTask(state="s1", output="Which?", inputs=(*own, probe))).text == "city 0"
    assert best_of(PlanTask(state="s1", output="Which?", inputs=(*tried, own[2], probe))) == probe


def test_an_intent_of_the_platform_is_tried_once_beyond_the_first_state() -> None:
    """A quiz has an answer to "previous" in its menu, and none in the middle of a question."""
    words = (("AMAZON.PreviousIntent", "previous"), ("AMAZON.YesIntent", "yes"), ("Play", "play"))
    model = BehaviourModel()
    learn_definition(model, AppFacts(utterances=words))
    menu, question, other = model.add_state(), model.add_state(), model.add_state()
    model.start.add_input(Input(text="", count=1, targets={menu.id: 1}))
    menu.add_input(Input(text="previous", count=1, part="AMAZON.PreviousIntent"))
    model.reached.append("AMAZON.PreviousIntent")
    assert parts_untried_deeper(model, menu) == frozenset()
    assert parts_untried_deeper(model, question) == {"AMAZON.PreviousIntent"}
    inputs = available_inputs(model, question, None, ())
    assert [one.text for one in inputs if one.probe] == ["previous"]
    other.add_input(Input(text="go back", count=1, part="AMAZON.PreviousIntent"))
    assert parts_untried_deeper(model, question) == frozenset(), "in other words, but tried"
