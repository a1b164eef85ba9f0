"""States without a model: outputs that do the same are alike, others are not."""

from itertools import combinations
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from sparring.model.talk import Choice, Observation
from sparring.testing import hostile
from sparring.testing.fakes import FakeContext
from sparring_plugins.voice.outputs.similarity import SAME, output_similarity
from sparring_plugins.voice.roles import KnownState, ObserveTask
from sparring_plugins.voice.rules_agents import SimilarityObserver

OUTPUTS = yaml.safe_load(Path(__file__).with_name("outputs.yaml").read_text("utf-8"))


def labelled() -> list[tuple[str, str, bool]]:
    found: list[tuple[str, str, bool]] = []
    for states in OUTPUTS.values():
        flat = [(name, text) for name, texts in states.items() for text in texts]
        found += [(a, b, one == two) for (one, a), (two, b) in combinations(flat, 2)]
    return found


def test_the_labelled_pairs_are_told_apart_without_a_model() -> None:
    pairs = labelled()
    same = [(a, b) for a, b, alike in pairs if alike]
    other = [(a, b) for a, b, alike in pairs if not alike]
    merged = sum(output_similarity(a, b) >= SAME for a, b in same)
    kept_apart = sum(output_similarity(a, b) < SAME for a, b in other)
    assert len(pairs) >= 300
    assert len(same) >= 100
    assert (merged + kept_apart) / len(pairs) >= 0.97
    assert merged / len(same) >= 0.95, "of those of one state"
    assert kept_apart / len(other) >= 0.97, "of those of two"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("That is $12.50.", "That is $9.00."),
        ("Your code is X12B.", "Your code is 99ZZ."),
        ('You said "hello there".', 'You said "good morning to you".'),
        ("Here is a joke: why did it cross the road?", "Here is a joke: two bats meet in a bar."),
        ("I can offer Monday, Tuesday or Friday.", "I can offer Wednesday or Sunday."),
        ("Great! What is next?", "Okay. What is next?"),
        ("You can say things like, play jazz music.", "You can say things like, play some music."),
    ],
)
def test_values_and_courtesies_do_not_count(one: str, other: str) -> None:
    assert output_similarity(one, other) >= SAME


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("It is too high.", "It is too low."),
        ("You have won.", "You have lost."),
        ("Your table is booked. Anything else?", "Your table is cancelled. Anything else?"),
        ("We are open.", "We are closed."),
        ("You can pay by card.", "You cannot pay by card."),
        ("What size do you want?", "What colour do you want?"),
        ("Sorry, I did not get that. Which size?", "Which size?"),
        (
            "You can say things like, feed my pet, or groom my pet.",
            "You can say things like, tell me the score, or who is playing.",
        ),
    ],
)
def test_opposites_and_other_questions_do(one: str, other: str) -> None:
    assert output_similarity(one, other) < SAME


@settings(max_examples=60, deadline=None)
@given(st.sampled_from([text for a, b, _ in labelled() for text in (a, b)]), st.text(max_size=60))
def test_likeness_is_a_symmetric_share(one: str, other: str) -> None:
    found = output_similarity(one, other)
    assert 0 <= found <= 1
    assert found == output_similarity(other, one)
    assert output_similarity(one, one) == 1


def test_hostile_outputs_are_compared_in_no_time() -> None:
    for text in hostile.TEXTS:
        assert 0 <= output_similarity(hostile.storable(text), "Which size?") <= 1


def observed(*states: KnownState, **task: object) -> str | None:
    observer = FakeContext().build(SimilarityObserver, **task.pop("settings", {}))  # type: ignore[call-overload]
    import asyncio

    found = asyncio.run(observer.act(ObserveTask.model_validate({"states": states, **task})))
    return found.state


def test_the_same_input_leads_to_the_same_state_in_other_words() -> None:
    state = KnownState(id="s1", outputs=("You stand in a dark wood. A bird sings.",))
    heard = Observation(text="You stand in a dark wood. An owl is watching you.")
    loose = observed(state, observation=heard, led_to=())
    again = observed(state, observation=heard, led_to=("s1",))
    assert (loose, again) == (None, "s1")


_ADDED = "I will add tea to your shopping list. You now have 1 thing on your shopping list."
_REMOVED = "Removed tea from your shopping list. You now have 0 things on your shopping list."


@pytest.mark.parametrize(
    ("part", "parts", "output", "state"),
    [
        ("Remove", ("Add",), _REMOVED, None),
        ("Add", ("Add",), _REMOVED, "s1"),
        ("", ("Add",), _REMOVED, "s1"),
        ("Remove", (), _REMOVED, "s1"),
        ("Remove", ("Add",), _ADDED, "s1"),
    ],
)
def test_statements_that_answer_different_intents_are_different_states(
    part: str, parts: tuple[str, ...], output: str, state: str | None
) -> None:
    known = KnownState(id="s1", outputs=(_ADDED,), parts=parts)
    heard = Observation(text=output)
    assert observed(known, observation=heard, part=part, settings={"threshold": 0.55}) == state


def test_other_choices_are_another_state() -> None:
    state = KnownState(id="s1", outputs=("Please choose:",), choices=("Pizza", "Pasta"))
    other = Observation(text="Please choose:", choices=(Choice(label="Yes"), Choice(label="No")))
    same = Observation(
        text="Please choose:", choices=(Choice(label="Pasta"), Choice(label="Pizza"))
    )
    assert observed(state, observation=other) is None
    assert observed(state, observation=same) == "s1"


@pytest.mark.parametrize(
    ("view", "text", "state"),
    [
        ("function", "Now tell me your name, please.", "s1"),
        ("wording", "Now tell me your name, please.", None),
        ("wording", "May I have your name?", "s1"),
        ("text", "May I have your name?", "s1"),
    ],
)
def test_the_view_says_what_a_state_is(view: str, text: str, state: str | None) -> None:
    known = KnownState(id="s1", outputs=("May I have your name?",))
    found = observed(known, observation=Observation(text=text), settings={"view": view})
    assert found == state
