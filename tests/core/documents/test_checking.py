"""Plain data checked against models: what messages name."""

import pytest
from pydantic import BaseModel, ConfigDict

from sparring.documents.checking import checked
from sparring.documents.reading import parse
from sparring.errors import ConfigurationError


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Inner(Strict):
    asker: str = ""


class Item(Strict):
    when: Inner = Inner()
    say: str = ""


class Outer(Strict):
    answers: tuple[Item, ...] = ()
    grid: list[list[Inner]] = []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("answer: []", "f:1: answer: unknown key. Did you mean 'answers'?"),
        (
            "answers: [{say: tea, please}]",
            "f:1: answers[0].please: unknown key. Known: say, when. A text with a comma in it has to be quoted.",
        ),
        ("answers: [{sey: a}]", "f:1: answers[0].sey: unknown key. Did you mean 'say'?"),
        (
            "answers:\n- when: {askr: a}",
            "f:2: answers[0].when.askr: unknown key. Did you mean 'asker'?",
        ),
        ("grid: [[{askr: a}]]", "f:1: grid[0][0].askr: unknown key. Did you mean 'asker'?"),
    ],
)
def test_an_unknown_key_names_the_nearest_one_at_any_depth(text: str, message: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        checked(Outer, parse(text, "f"))
    assert str(caught.value).startswith(message)


class Named(BaseModel):
    model_config = ConfigDict(extra="allow")

    use: str


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("usee: python\ntarget: a:b", "f:1: use: missing. Is 'usee' meant for it?"),
        ("target: a:b", "f:1: use: missing"),
        ("{}", "f:1: use: missing"),
    ],
)
def test_a_missing_key_names_the_one_that_may_be_meant_for_it(text: str, message: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        checked(Named, parse(text, "f"))
    assert str(caught.value) == message
