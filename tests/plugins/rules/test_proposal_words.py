"""The words by which rules are proposed: every entry is of use."""

import pytest

from sparring.interfaces.roles import OutputSpec
from sparring.model.space import Variable
from sparring_plugins.rules.proposals import (
    echoes,
    is_id,
    is_personal,
    is_price,
    is_quantity,
    is_when,
    order_of,
    proposal_words,
)

WORDS = proposal_words()


@pytest.mark.parametrize("word", sorted(WORDS.money))
def test_a_number_called_so_is_a_price(word: str) -> None:
    assert is_price(OutputSpec(name=f"the_{word}", type="float"))


@pytest.mark.parametrize("word", sorted(WORDS.quantity))
def test_a_number_called_so_is_a_quantity(word: str) -> None:
    assert is_quantity(Variable(name=f"the_{word}", domain=(1, 2)))


@pytest.mark.parametrize("word", sorted(WORDS.personal))
def test_an_input_called_so_is_personal(word: str) -> None:
    assert is_personal(Variable(name=word.upper(), domain=("x",)))


@pytest.mark.parametrize("word", sorted(WORDS.time))
def test_an_input_called_so_is_a_time(word: str) -> None:
    assert is_when(Variable(name=f"{word}_of_visit", domain=("x",)))


@pytest.mark.parametrize("word", sorted(WORDS.id))
def test_an_output_called_so_is_an_identifier_if_it_identifies_something(word: str) -> None:
    surely = word in WORDS.surely_id
    assert is_id(OutputSpec(name=word)) is surely
    for thing in WORDS.identified:
        assert is_id(OutputSpec(name=word, description=f"of the {thing}"))


@pytest.mark.parametrize("word", sorted(WORDS.confirming))
def test_an_output_called_so_confirms_an_input(word: str) -> None:
    variable = Variable(name="service", domain=("repair",))
    assert echoes(OutputSpec(name=f"{word}_service"), [variable]) is variable


@pytest.mark.parametrize("scale", WORDS.scales)
def test_a_scale_orders_its_values(scale: tuple[str, ...]) -> None:
    shuffled = tuple(step.upper() for step in reversed(scale))
    assert [step.lower() for step in order_of(Variable(name="x", domain=shuffled))] == list(scale)


def test_opening_and_closing_have_no_word_in_common() -> None:
    assert not WORDS.opening & WORDS.closing
