"""Taskyto's eleven operators on modules of every kind."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from sparring_plugins.mutation.mutants import Files, Made, all_mutants
from sparring_plugins.mutation.mutators.taskyto import TASKYTO

from .differing import differences

BOT = """\
modules:
- name: top
  kind: menu
  presentation: A shop for bicycles.   # what the model is told
  fallback: Say that again, please.
  items:
  - title: Hours
    kind: answer
    answer: From 9 to 5.
  - title: Order
    kind: sequence
    memory: full
    references: [choose, pay, say_price]
  - title: Questions
    kind: module
    reference: questions
- name: after_sale
  kind: sequence
  memory: individual
  references:
  - choose
  - pay
- name: choose
  kind: data_gathering
  data:
  - bike:
      type: enum
      values:
      - city bike
      - mountain bike: [mtb, "off-road bike"]
      - e-bike
  - colour:
      type: string
      required: false
  - size: integer
  on-success:
    response: "One {{bike}} in {colour}."
- name: say_price
  kind: action
  data:
  - bike: {type: enum, values: [city bike, e-bike]}
  on-success:
    execute: {language: python, code: price.py}
    response: {text: "It costs {{result}}.", rephrase: simple}
"""
QUESTIONS = """\
name: questions
kind: question_answering
questions:
- question: Do you repair bicycles?
  answer: Yes, all of them.
- question: Where are you?
  answer: At the river.
- question: How can I pay?
  answer: |
    In cash,
    or by card.
on-success:
  response:
    text: "{{result}}"
"""


def files(**texts: str) -> Files:
    named = {f"{name}.yaml": text for name, text in texts.items()}
    data: dict[str, Any] = {name: yaml.safe_load(text) for name, text in named.items()}
    return Files(Path(), named, data, ())


SHOP = files(bot=BOT, questions=QUESTIONS)


def made(operator: str) -> list[Made]:
    (one,) = [each for each in TASKYTO.operators if each.name == operator]
    return all_mutants(SHOP, [one], {})


def targets(operator: str) -> list[str]:
    return [one.mutant.target for one in made(operator)]


def test_all_eleven_are_there_by_the_names_of_the_published_data() -> None:
    assert [operator.name for operator in TASKYTO.operators] == [
        "DeleteEnumDataValue",
        "ChangeRequiredData",
        "DeleteQuestionAnswer",
        "SwapQuestionAnswer",
        "DeleteFallback",
        "DeleteItemTopModule",
        "DeleteSequenceStep",
        "SwapSequenceStep",
        "DeleteDataFromResponse",
        "ChangeRephrase",
        "ChangeMemoryScope",
    ]


@pytest.mark.parametrize(
    ("operator", "count"),
    [
        ("DeleteEnumDataValue", 5),
        ("ChangeRequiredData", 1),
        ("DeleteQuestionAnswer", 3),
        ("SwapQuestionAnswer", 3),
        ("DeleteFallback", 1),
        ("DeleteItemTopModule", 3),
        ("DeleteSequenceStep", 5),
        ("SwapSequenceStep", 4),
        ("DeleteDataFromResponse", 4),
        ("ChangeRephrase", 4),
        ("ChangeMemoryScope", 2),
    ],
)
def test_each_operator_makes_every_mutant_that_there_is(operator: str, count: int) -> None:
    assert len(made(operator)) == count


def test_a_deleted_value_takes_its_synonyms_along() -> None:
    mutant = next(one for one in made("DeleteEnumDataValue") if "mountain" in one.mutant.target)
    bike = yaml.safe_load(mutant.text)["modules"][2]["data"][0]["bike"]
    assert bike == {"type": "enum", "values": ["city bike", "e-bike"]}
    assert "# what the model is told" in mutant.text


def test_answers_are_swapped_whatever_lines_they_have() -> None:
    mutant = next(
        one for one in made("SwapQuestionAnswer") if "repair" in one.text and "pay" in one.text
    )
    assert len(differences(SHOP.data["questions.yaml"], yaml.safe_load(mutant.text))) == 2


def test_steps_are_deleted_and_swapped_in_menus_and_modules() -> None:
    deleted = targets("DeleteSequenceStep")
    assert "modules[0].items[1].references: step say_price deleted" in deleted
    assert "modules[1].references: step pay deleted" in deleted
    orders = [
        yaml.safe_load(one.text)["modules"][0]["items"][1]["references"]
        for one in made("SwapSequenceStep")
    ]
    assert ["say_price", "pay", "choose"] in orders


def test_a_response_loses_one_expression_at_a_time() -> None:
    texts = [yaml.safe_load(one.text) for one in made("DeleteDataFromResponse")]
    told = [one["modules"][2]["on-success"]["response"] for one in texts if "modules" in one]
    assert "One  in {colour}." in told
    assert "One {{bike}} in ." in told


def test_a_response_is_rephrased_in_each_other_way_the_engine_knows() -> None:
    counts = Counter(target.rpartition(" is ")[2] for target in targets("ChangeRephrase"))
    assert counts == {"direct": 1, "simple": 1, "in-caller": 2}


def test_the_caller_is_called_as_the_bot_calls_it() -> None:
    bot = BOT.replace("rephrase: simple", "rephrase: on_caller")
    (operator,) = [one for one in TASKYTO.operators if one.name == "ChangeRephrase"]
    found = all_mutants(files(bot=bot, questions=QUESTIONS), [operator], {})
    assert {one.mutant.target.rpartition(" is ")[2] for one in found} == {
        "direct",
        "simple",
        "on-caller",
    }


def test_every_mutant_is_valid_yaml_that_differs_in_what_was_meant_only() -> None:
    most = {"SwapQuestionAnswer": 2, "SwapSequenceStep": 2}
    for one in all_mutants(SHOP, TASKYTO.operators, {}):
        before, after = SHOP.data[one.mutant.file], yaml.safe_load(one.text)
        found = differences(before, after)
        assert 1 <= len(found) <= most.get(one.mutant.operator, 1), (one.mutant.target, found)
