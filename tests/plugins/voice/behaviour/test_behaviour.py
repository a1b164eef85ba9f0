"""The behaviour model: counts, storing, pictures for hostile apps, coverage."""

import json
import xml.etree.ElementTree as ET
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from sparring.errors import ConfigurationError
from sparring.model.case import Case
from sparring.model.talk import Ended, Listen, Observation, Say, Trace, Turn
from sparring.testing import hostile
from sparring_plugins.voice.behaviour_exports import as_dot, as_json, as_mermaid, as_svg
from sparring_plugins.voice.behaviour_model import END, BehaviourModel, Input
from sparring_plugins.voice.coverage import SemanticStates, semantic_coverage, sentence_coverage
from sparring_plugins.voice.roles import Effect

EVIL = '<script>alert("x")</script> "]; --> subgraph \\ \x1b[31m\n & | `'


def small(text: str = "Hello") -> BehaviourModel:
    model = BehaviourModel(app="app")
    state = model.add_state()
    state.add_output(text)
    model.count_transition(model.start, Input(text=""), state)
    model.count_transition(state, Input(text="more"), state)
    model.count_transition(state, Input(text=text), model.fixed_state(END))
    return model


def test_counts_survive_and_inputs_that_are_offered_again_keep_theirs() -> None:
    model = small()
    state = model.states["s1"]
    assert state.add_input(Input(text="More!")).count == 1
    assert model.effect(state, state.inputs["more"]) is Effect.SAME
    assert model.effect(state, state.inputs["hello"]) is Effect.ENDED
    assert model.final_states() == [END]
    assert model.alphabet() == ["more", "Hello"]


def test_an_input_with_two_targets_is_not_steady() -> None:
    model = small()
    state, other = model.states["s1"], model.add_state()
    model.count_transition(state, state.inputs["more"], other)
    assert state.inputs["more"].targets == {"s1": 1, other.id: 1}
    assert not state.inputs["more"].steady
    assert model.effect(state, state.inputs["more"]) is Effect.NEW, "the last target counts"


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.text(max_size=20), st.text(max_size=20)), max_size=8))
def test_a_model_is_read_as_it_was_written(steps: list[tuple[str, str]]) -> None:
    model = BehaviourModel(app="x")
    at = model.start
    for said, heard in steps:
        target = model.add_state()
        target.add_output(heard)
        model.count_transition(at, Input(text=said), target)
        at = target
    assert BehaviourModel.from_json(model.to_json()) == BehaviourModel.from_json(
        model.deep_copy().to_json()
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "is no behaviour model"),
        ('{"version": 99}', "newer Sparring"),
        ('{"states": {}}', "has no state 'start'"),
        ('{"states": {"start": {"id": "x"}}}', "calls the state 'start' otherwise"),
        (
            '{"states": {"start": {"id": "start", "inputs": {"a": {"text": "a", "targets": {"z": 1}}}}}}',
            "has a transition to 'z', no state",
        ),
    ],
)
def test_a_broken_model_is_refused_in_words(text: str, words: str) -> None:
    with pytest.raises(ConfigurationError, match=words):
        BehaviourModel.from_json(text, "model.json")


@pytest.mark.parametrize("text", [EVIL, *(hostile.storable(one) for one in hostile.TEXTS)])
def test_what_an_app_says_breaks_out_of_no_export(text: str) -> None:
    model = small(text)
    root = ET.fromstring(as_svg(model))
    names = {one.tag.rpartition("}")[2] for one in root.iter()}
    assert names <= {"svg", "title", "defs", "marker", "path", "g", "rect", "text"}
    dot = as_dot(model)
    bare = dot.replace("\\\\", "").replace('\\"', "")
    assert bare.count('"') % 2 == 0
    assert all(line.count('"') % 2 == 0 for line in bare.splitlines())
    assert "<" not in as_mermaid(model)
    assert all(char.isprintable() or char == "\n" for char in as_mermaid(model))
    json.dumps(as_json(model))


@given(
    moves=st.lists(
        st.tuples(
            st.integers(0, 9),
            st.sampled_from(
                [
                    "yes",
                    "tell me about cherries",
                    "\u6771\u4eac\u306e\u5929\u6c17\u3092\u6559\u3048\u3066",
                ]
            ),
        ),
        max_size=60,
    )
)
def test_labels_of_a_picture_cover_no_box_and_no_other_label(moves: list[tuple[int, str]]) -> None:
    model = BehaviourModel()
    states = [model.start, *(model.add_state() for _ in range(9))]
    at = model.start
    for number, said in moves:
        target = states[number]
        target.add_output(f"Answer {number} of many, and what would you like to hear now?")
        model.count_transition(at, Input(text=said), target)
        at = target
    root, space = ET.fromstring(as_svg(model)), "{http://www.w3.org/2000/svg}"
    boxes = [
        (x, y, x + width, y + height)
        for box in root.iter(f"{space}rect")
        for x, y, width, height in [
            tuple(float(box.attrib[key]) for key in ("x", "y", "width", "height"))
        ]
    ]
    areas: list[tuple[float, float, float, float]] = []
    for label in root.findall(f"{space}text"):
        x, y, text = float(label.attrib["x"]), float(label.attrib["y"]) - 3, label.text or ""
        half = sum(5.2 if ord(sign) < 0x3000 else 10.4 for sign in text) / 2
        areas.append((x - half, y - 6, x + half, y + 6))
    for number, area in enumerate(areas):
        for other in [*boxes, *areas[number + 1 :]]:
            assert (
                area[2] <= other[0]
                or other[2] <= area[0]
                or area[3] <= other[1]
                or other[3] <= area[1]
            )


def test_the_exported_automaton_names_states_inputs_transitions_start_and_final() -> None:
    data = as_json(small())
    assert data["start"] == "start"
    assert data["final"] == ["end"]
    assert {"from": "s1", "input": "more", "to": "s1", "count": 1, "origin": "context",
            "effect": "same"} in data["transitions"]  # type: ignore[operator]  # fmt: skip


def talk(*answers: str) -> Trace:
    turns = [Turn(act=Listen(), observation=Observation(text=answers[0]))]
    turns += [Turn(act=Say(text="x"), observation=Observation(text=one)) for one in answers[1:]]
    case = Case.of("a", {}, run_seed=0)
    return Trace(
        case=case,
        turns=tuple(turns),
        ended=Ended.TURN_LIMIT,
        started=datetime(2024, 1, 1, tzinfo=UTC),
    )


def test_the_whole_is_what_all_testers_saw() -> None:
    one = [talk("Hi. I am a bot.", "You rolled 3.", "You rolled 5.")]
    two = [talk("Hi. I am a bot.", "The shop is closed.")]
    found = sentence_coverage({"one": one, "two": two})
    assert (found["one"].whole, len(found["one"].seen), len(found["two"].seen)) == (5, 4, 3)
    assert found["one"].after == (2, 3, 4)
    meant = semantic_coverage({"one": one, "two": two})
    assert (meant["one"].whole, meant["one"].after) == (3, (1, 2, 2))
    assert meant["two"].share_after(0) == pytest.approx(1 / 3)
    assert meant["two"].share_after(99) == meant["two"].share == pytest.approx(2 / 3)


def test_what_the_platform_says_is_no_state_of_the_app() -> None:
    parts = [{"by": "skill", "text": "Goodbye!"}, {"by": "platform", "text": "Hm, I don't know."}]
    payload: dict[str, JsonValue] = {"speaker": "skill", "spoken": [*parts]}
    said = Observation(text="Goodbye! Hm, I don't know.", payload=payload)
    trace = talk("Hi there.", "ignored")
    turns = (trace.turns[0], trace.turns[1].model_copy(update={"observation": said}))
    ended = trace.model_copy(update={"turns": turns})
    assert sentence_coverage({"one": [ended]})["one"].seen == {"hi there", "goodbye"}


def test_who_heard_what_first_does_not_change_the_states() -> None:
    texts = ["You rolled 3.", "We are open.", "You rolled 5.", "We are closed.", "You rolled 6."]
    assert SemanticStates(texts).states == SemanticStates(reversed(texts)).states
    assert sentence_coverage({"nobody": []})["nobody"].share == 0
