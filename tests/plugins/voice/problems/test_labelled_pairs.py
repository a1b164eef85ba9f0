"""Labelled sentences: questions for something private, farewells, questions for yes or no."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from sparring_plugins.voice.outputs.polar_questions import polar_question
from sparring_plugins.voice.private_requests import private_requests
from sparring_plugins.voice.problem_detection import takes_leave

PAIRS: dict[str, list[list[Any]]] = yaml.safe_load(
    Path(__file__).with_name("labelled_pairs.yaml").read_text(encoding="utf-8")
)


@pytest.mark.parametrize(("sentence", "entity"), PAIRS["private"])
def test_what_is_asked_of_the_user_is_told_from_what_is_asked_about_others(
    sentence: str, entity: str
) -> None:
    assert [one.entity for one in private_requests(sentence)] == ([entity] if entity else [])


@pytest.mark.parametrize(("locale", "sentence", "entity"), PAIRS["private_in"])
def test_what_is_asked_of_the_user_is_told_apart_in_other_languages(
    locale: str, sentence: str, entity: str
) -> None:
    assert [one.entity for one in private_requests(sentence, locale)] == (
        [entity] if entity else []
    )


@pytest.mark.parametrize(("sentence", "leaves"), PAIRS["farewells"])
def test_a_farewell_is_known(sentence: str, leaves: bool) -> None:
    assert takes_leave(sentence) is leaves


@pytest.mark.parametrize(("output", "question"), PAIRS["polar"])
def test_a_question_for_yes_or_no_is_the_clause_that_asks(output: str, question: str) -> None:
    assert polar_question(output) == question
