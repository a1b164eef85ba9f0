"""Rasa's nine operators on domain, training data, stories, rules and pipeline."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from sparring_plugins.mutation.mutants import Files, Made, all_mutants
from sparring_plugins.mutation.mutators.rasa import RASA

from .differing import differences

DOMAIN = """\
version: "3.1"
intents: [greet, order, bye]
forms:
  order_form:
    required_slots: [dish, amount]
  old_form:
    required_slots:
      street:
      - type: from_text
      town:
      - type: from_text
responses:
  utter_greet:
  - text: Hello {name}!   # by name
  - text: Welcome.
  utter_ask_dish:
  - text: Which dish?
  utter_ask_order_form_amount:
  - text: How many?
  utter_done:
  - text: "{amount} of {dish}, coming."
"""
NLU = """\
version: "3.1"
nlu:
- intent: greet
  examples: |
    - hello
    - hi
    - good morning
- intent: order
  examples:
  - text: I want [soup](dish)
  - text: a [salad](dish), please
  - text: soup
- intent: bye
  examples: |
    - bye
    - see you
- synonym: soup
  examples: |
    - broth
- lookup: dish
  examples: |
    - soup
    - salad
"""
RULES = """\
version: "3.1"
rules:
- rule: order
  steps:
  - intent: order
  - action: order_form
  - active_loop: order_form
- rule: do not know
  steps:
  - intent: nlu_fallback
  - action: utter_default
stories:
- story: greeted first
  steps:
  - intent: greet
  - action: utter_greet
  - or:
    - intent: order
    - intent: inform
  - action: utter_done
  - action: action_listen
"""
CONFIG = """\
language: en
pipeline:
- name: WhitespaceTokenizer
- name: FallbackClassifier
  threshold: 0.3
"""


def files() -> Files:
    named = {"domain.yml": DOMAIN, "nlu.yml": NLU, "rules.yml": RULES, "config.yml": CONFIG}
    data: dict[str, Any] = {name: yaml.safe_load(text) for name, text in named.items()}
    return Files(Path(), named, data, ())


BOT = files()


def made(operator: str) -> list[Made]:
    (one,) = [each for each in RASA.operators if each.name == operator]
    return all_mutants(BOT, [one], {})


def after(operator: str, part: str) -> Any:
    """The data of the one mutant with a part in its target."""
    (one,) = [one for one in made(operator) if part in one.mutant.target]
    return yaml.safe_load(one.text)


@pytest.mark.parametrize(
    ("operator", "count"),
    [
        ("DA", 4),  # the listening is no answer
        ("DCS", 2),  # a story of one turn would be none
        ("DF", 2),
        ("DIP", 4),
        ("DPP", 2),
        ("DPR", 3),
        ("DSYN", 3),
        ("K2TP", 2),
        ("SO", 3),
    ],
)
def test_each_operator_makes_every_mutant_that_there_is(operator: str, count: int) -> None:
    assert len(made(operator)) == count


def test_all_nine_are_there() -> None:
    names = [operator.name for operator in RASA.operators]
    assert names == ["DA", "DCS", "DF", "DIP", "DPP", "DPR", "DSYN", "K2TP", "SO"]


def test_a_turn_goes_with_what_is_done_about_it() -> None:
    first = after("DCS", "turn 1")["stories"][0]["steps"]
    assert first == [
        {"or": [{"intent": "order"}, {"intent": "inform"}]},
        {"action": "utter_done"},
        {"action": "action_listen"},
    ]
    second = after("DCS", "turn 2")["stories"][0]["steps"]
    assert second == [{"intent": "greet"}, {"action": "utter_greet"}]


def test_the_fallback_goes_as_rule_and_as_classifier() -> None:
    rule, classifier = made("DF")
    assert [one["rule"] for one in yaml.safe_load(rule.text)["rules"]] == ["order"]
    assert yaml.safe_load(classifier.text)["pipeline"] == [{"name": "WhitespaceTokenizer"}]


def test_slots_go_from_lists_and_from_mappings_as_of_old() -> None:
    assert after("DIP", "amount")["forms"]["order_form"]["required_slots"] == ["dish"]
    assert list(after("DIP", "town")["forms"]["old_form"]["required_slots"]) == ["street"]


def test_two_phrases_are_kept_however_they_are_written() -> None:
    assert after("K2TP", "greet")["nlu"][0]["examples"] == "- hello\n- hi\n"
    assert [one["text"] for one in after("K2TP", "order")["nlu"][1]["examples"]] == [
        "I want [soup](dish)",
        "a [salad](dish), please",
    ]


def test_the_only_synonym_goes_with_its_entry() -> None:
    nlu = after("DSYN", "broth")["nlu"]
    assert not [part for part in nlu if "synonym" in part]
    assert after("DSYN", "dish: salad")["nlu"][4]["examples"] == "- soup\n"


def test_a_response_keeps_its_comment_and_loses_one_slot() -> None:
    (one,) = [one for one in made("DPR") if "{name}" in one.mutant.target]
    assert '- text: "Hello !"   # by name' in one.text


def test_every_mutant_is_valid_yaml_that_differs_in_what_was_meant_only() -> None:
    most = {"SO": 2, "DCS": 3}
    for one in all_mutants(BOT, RASA.operators, {}):
        found = differences(BOT.data[one.mutant.file], yaml.safe_load(one.text))
        assert 1 <= len(found) <= most.get(one.mutant.operator, 1), (one.mutant.target, found)
