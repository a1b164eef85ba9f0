"""What must hold of every operator, whatever a definition holds."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from sparring_plugins.mutation.model import Mutator
from sparring_plugins.mutation.mutants import Files, all_mutants
from sparring_plugins.mutation.mutators.botkit import BOTKIT
from sparring_plugins.mutation.mutators.rasa import RASA
from sparring_plugins.mutation.mutators.tables import TABLES
from sparring_plugins.mutation.mutators.taskyto import TASKYTO

from .differing import differences

MUTATORS = {"botkit": BOTKIT, "rasa": RASA, "tables": TABLES, "taskyto": TASKYTO}
KEYS = [
    "kind", "modules", "items", "data", "references", "memory", "fallback", "questions", "question",
    "answer", "on-success", "response", "text", "rephrase", "values", "type", "required", "title",
    "rules", "stories", "steps", "intent", "action", "or", "rule", "story", "nlu", "examples",
    "synonym", "lookup", "responses", "utter_ask_x", "forms", "required_slots", "pipeline", "name",
    "intents", "phrases", "do", "remembers", "entities", "menus", "buttons", "label", "menu", "form",
    "fields", "ask", "summary", "done", "say", "when", "tables", "amounts", "sum", "times", "x", "y",
]  # fmt: skip
WORDS = [
    "menu", "sequence", "data_gathering", "action", "question_answering", "enum", "simple", "direct",
    "in-caller", "full", "individual", "nlu_fallback", "FallbackClassifier", "x", "y", "a {{b}} c",
    "{x} and {y}", "- one\n- two\n- three\n", "12:30", "2027-02-28", "2027-02-31", "yes", "null", "",
    "# no comment", "a: b", "'", "\u202e\x07", "23:59",
]  # fmt: skip

leaves = (
    st.sampled_from(WORDS)
    | st.integers(-(10**20), 10**20)
    | st.booleans()
    | st.none()
    | st.floats(allow_nan=False)
)
definitions = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(KEYS), inner, max_size=6)
        | st.dictionaries(st.integers(0, 3) | st.sampled_from(KEYS), inner, max_size=3)
    ),
    max_leaves=25,
)


def files(text: str) -> Files:
    return Files(Path(), {"bot.yaml": text}, {"bot.yaml": yaml.safe_load(text)}, ())


@pytest.mark.parametrize("name", MUTATORS)
@settings(max_examples=40)
@given(data=definitions, flow=st.booleans())
def test_what_an_operator_offers_can_be_done_and_changes_something(
    name: str, data: Any, flow: bool
) -> None:
    bot = files(yaml.safe_dump(data, sort_keys=False, default_flow_style=flow))
    for one in all_mutants(bot, MUTATORS[name].operators, {}):
        assert differences(bot.data["bot.yaml"], yaml.safe_load(one.text)) or (
            repr(bot.data["bot.yaml"]) != repr(yaml.safe_load(one.text))
        )
        assert one.mutant.diff


@pytest.mark.parametrize("name", MUTATORS)
@settings(max_examples=20)
@given(data=definitions)
def test_an_operator_finds_the_same_each_time_and_leaves_the_definition_alone(
    name: str, data: Any
) -> None:
    mutator: Mutator = MUTATORS[name]
    before = repr(data)
    found = [[*operator.find({"bot.yaml": data})] for operator in mutator.operators]
    assert [[*operator.find({"bot.yaml": data})] for operator in mutator.operators] == found
    assert repr(data) == before


@pytest.mark.parametrize(
    ("name", "operator"),
    [(name, one.name) for name, each in MUTATORS.items() for one in each.operators],
)
def test_every_operator_says_what_it_does_in_a_line(name: str, operator: str) -> None:
    (one,) = [each for each in MUTATORS[name].operators if each.name == operator]
    assert 0 < len(one.about) < 80
    assert "\n" not in one.about
    assert (one.find.__doc__ or "").strip()
