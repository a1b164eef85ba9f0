"""Which intent an utterance means."""

import time
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparring_connectors.alexa.interaction_model import (
    Entity,
    Intent,
    InteractionModel,
    Sensitivity,
    Slot,
    SlotType,
)
from sparring_connectors.alexa.nlu import Nlu, NluResult

NOW = datetime(2026, 6, 15, 10, 0, tzinfo=UTC)
STANDARD = tuple(Intent(f"AMAZON.{n}Intent") for n in ("Help", "Stop", "Cancel", "Yes", "Fallback"))
OWN = (
    Intent("Fact", samples=("tell me a fact", "a fact", "give me something to think about")),
    Intent(
        "Order",
        (Slot("dish", "DISH"), Slot("count", "AMAZON.NUMBER")),
        ("i want {count} {dish}", "order {dish}", "{dish} please", "{count}"),
    ),
    Intent("Travel", (Slot("city", "AMAZON.US_CITY"),), ("i want to fly to {city}", "{city}")),
    Intent("Search", (Slot("query", "AMAZON.SearchQuery"),), ("look up {query}",)),
    Intent("Whose", (Slot("owner", "AMAZON.FirstName"),), ("what is {owner}'s number",)),
    Intent("Confirm", samples=("yes", "stop")),
)
TYPES = {"DISH": SlotType("DISH", (Entity("pizza", "P"), Entity("fish and chips", "F")))}


def nlu_of(*, fallback: bool = True, level: Sensitivity = Sensitivity.MEDIUM) -> Nlu:
    intents = {
        i.name: i for i in (*STANDARD, *OWN) if fallback or i.name != "AMAZON.FallbackIntent"
    }
    return Nlu(InteractionModel("en-US", "x", intents, TYPES, level))


NLU, FORCING = nlu_of(), nlu_of(fallback=False)


def understood(said: str, nlu: Nlu = NLU) -> NluResult:
    return nlu.understand(said, nlu.reader(NOW))


@pytest.mark.parametrize(
    ("said", "intent", "how"),
    [
        ("help", "AMAZON.HelpIntent", "builtin"),
        ("Alexa, help me please!", "AMAZON.HelpIntent", "builtin"),
        ("never mind", "AMAZON.CancelIntent", "builtin"),
        ("stop", "AMAZON.StopIntent", "builtin"),
        ("yes", "Confirm", "sample"),
        ("yeah", "AMAZON.YesIntent", "builtin"),
        ("Tell me a fact.", "Fact", "sample"),
        ("tell me facts", "Fact", "near"),
        ("could you tell me one more fact", "Fact", "near"),
        ("I want three pizzas", "Order", "sample"),
        ("order fish and chips", "Order", "sample"),
        ("fly me to boston", "Travel", "near"),
        ("look up how to bake bread", "Search", "sample"),
        ("what's Anna's number?", "Whose", "sample"),
        ("seven", "Order", "sample"),
        ("chicago", "Travel", "sample"),
        ("colourless green ideas sleep", "AMAZON.FallbackIntent", "fallback"),
        ("", "AMAZON.FallbackIntent", "fallback"),
        ("\x00\ud800", "AMAZON.FallbackIntent", "fallback"),
        ("what is the time", "AMAZON.FallbackIntent", "fallback"),
    ],
)
def test_what_is_meant(said: str, intent: str, how: str) -> None:
    found = understood(said)
    assert (found.intent, found.how) == (intent, how)


def test_slots_are_read_and_the_runner_up_is_told() -> None:
    found = understood("I want two fish and chips")
    assert {name: item.values for name, item in found.slots.items()} == {
        "count": ("2",), "dish": ("fish and chips",),
    }  # fmt: skip
    assert found.considered[0].intent == "Order"
    assert len({item.intent for item in found.considered}) == len(found.considered) >= 2
    scores = [item.score for item in found.considered]
    assert scores == sorted(scores, reverse=True)


def test_without_fallback_the_nearest_own_intent_gets_foreign_words_and_alien_ones_none() -> None:
    assert understood("think about boats", FORCING).intent == "Fact"
    assert understood("qqqq", nlu_without_open_slots()).intent is None


def nlu_without_open_slots() -> Nlu:
    return Nlu(InteractionModel("en-US", "x", {"Fact": OWN[0]}))


def test_sensitivity_moves_the_threshold_of_foreign_words() -> None:
    def intents(said: str) -> list[str | None]:
        return [understood(said, nlu_of(level=level)).intent for level in Sensitivity]

    assert intents("some fact or other thing") != ["AMAZON.FallbackIntent"] * 3
    ranks = [
        sum(
            understood(said, nlu_of(level=level)).intent == "AMAZON.FallbackIntent"
            for said in ("tell me a story", "a fine fact of life", "give me food", "fly a kite")
        )
        for level in (Sensitivity.LOW, Sensitivity.MEDIUM, Sensitivity.HIGH)
    ]
    assert ranks == sorted(ranks)


@given(st.text(max_size=60))
@settings(max_examples=60, deadline=None)
def test_any_text_means_something_or_nothing_and_always_the_same(said: str) -> None:
    for nlu in (NLU, FORCING):
        first = understood(said, nlu)
        assert first == understood(said, nlu)
        assert first.intent is None or first.intent in nlu.model.intents
        assert 0 <= first.score <= 1


@pytest.mark.parametrize("said", ["word " * 50_000, "x" * 300_000, "order pizza " * 5_000])
def test_texts_of_any_length_take_little_time(said: str) -> None:
    began = time.process_time()
    understood(said)
    assert time.process_time() - began < 3
