"""Values for ``any(...)``: from a model when a run begins, from word lists, or not at all."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sparring.errors import BudgetSpent, ConfigurationError, ModelError, StoredRunError
from sparring.model.chat import ChatRequest
from sparring.testing.fakes import FakeContext, FakeLLM
from sparring_plugins.users.player import UserSimulator
from sparring_plugins.users.profiles.any_values import FILE, wanted

GROUP = "sparring.word_lists"
pytestmark = pytest.mark.anyio


def profile(folder: Path, data: str, language: str = "English", kind: str = "string") -> None:
    (folder / "p.yml").write_text(
        f"test_name: t\nuser:\n  language: {language}\n  goals:\n    - a {{{{x}}}}\n"
        f"    - x: {{function: forward(), type: {kind}, data: {data}}}\n"
    )


def domain(player: UserSimulator) -> tuple[Any, ...]:
    return player.space().scenarios[0].variables[0].domain


def answering(*values: list[str] | Exception) -> tuple[FakeLLM, list[ChatRequest]]:
    """A model that answers question by question, and the questions."""
    left = iter(values)

    def answer(request: ChatRequest) -> Any:
        value = next(left)
        if isinstance(value, Exception):
            raise value
        return {"values": value}

    llm = FakeContext().build(FakeLLM, answers=answer)
    return llm, llm.requests


Make = Callable[..., UserSimulator]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    def made(llm: FakeLLM | None = None, **config: Any) -> UserSimulator:
        run = tmp_path / "run"
        run.mkdir(exist_ok=True)
        context = FakeContext(base_dir=tmp_path, run_dir=run, llm=llm, seed=5)
        return context.build(UserSimulator, profiles="p.yml", **config)

    return made


async def test_without_a_model_word_lists_give_them_at_once(tmp_path: Path, make: Make) -> None:
    profile(tmp_path, "[cola, any(3 soda drinks), any(2 refrescos)]")
    player = make()
    assert domain(player) == (
        "cola",
        "lemonade",
        "orange soda",
        "tonic water",
        "ginger ale",
        "root beer",
    )
    assert player.profiles["t"].unresolved == ()
    await player.prepare()
    assert not (tmp_path / "run" / FILE).exists()


async def test_a_model_is_asked_when_the_run_begins_and_told_the_others(
    tmp_path: Path, make: Make
) -> None:
    profile(tmp_path, "[cola, any(2 soda drinks), any(a beer)]")
    llm, asked = answering(["Fizz", "Pop"], ["Pils"])
    player = make(llm)
    assert asked == []
    assert domain(player) == ("cola", "any(2 soda drinks)", "any(a beer)")
    await player.prepare()
    assert domain(player) == ("cola", "Fizz", "Pop", "Pils")
    assert [request.asker for request in asked] == ["values", "values"]
    first, second = (request.messages[-1].content for request in asked)
    assert "soda drinks" in first
    assert "Number of values: 2" in first
    assert "cola" in first
    assert "Fizz" not in first
    assert all(word in second for word in ("cola", "Fizz", "Pop", "beer"))
    assert asked[0].seed != asked[1].seed
    schema = asked[0].answer_schema
    assert schema is not None
    assert schema["properties"]["values"]["type"] == "array"


async def test_the_same_seed_asks_the_same(tmp_path: Path, make: Make) -> None:
    profile(tmp_path, "[cola, any(2 soda drinks)]")
    once, asked = answering(["a", "b"])
    again, asked_again = answering(["a", "b"])
    await make(once).prepare()
    (tmp_path / "run" / FILE).unlink()
    await make(again).prepare()
    assert asked == asked_again


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        (["cola", "Fizz"], "Known already, give others: cola."),
        (["Fizz"], "Give 2 values, not 1."),
        (["Fizz", "fizz"], "must differ"),
        (["Fizz", "x" * 500], "a few words"),
    ],
)
async def test_an_answer_that_does_not_fit_is_sent_back(
    tmp_path: Path, make: Make, wrong: list[str], reason: str
) -> None:
    profile(tmp_path, "[cola, any(2 soda drinks)]")
    llm, asked = answering(wrong, ["Fizz", "Pop"])
    player = make(llm)
    await player.prepare()
    assert domain(player) == ("cola", "Fizz", "Pop")
    assert reason in asked[1].messages[-1].content


async def test_numbers_are_asked_for_as_numbers(tmp_path: Path, make: Make) -> None:
    profile(tmp_path, "[7, any(2 prime numbers)]", kind="int")
    llm, asked = answering(["two", "3"], ["11", "13"])
    player = make(llm)
    await player.prepare()
    assert domain(player) == (7, 11, 13)
    assert "whole numbers in digits" in asked[0].messages[-1].content


@pytest.mark.parametrize(
    "answers", [[[]], [ModelError("it is down")], [["x", "x"]] * 3], ids=["none", "down", "unfit"]
)
async def test_what_the_model_cannot_say_the_lists_may_know(
    tmp_path: Path, make: Make, answers: list[Any]
) -> None:
    profile(tmp_path, "[cola, any(2 soda drinks)]")
    player = make(answering(*answers)[0])
    await player.prepare()
    assert domain(player) == ("cola", "lemonade", "orange soda")


async def test_where_nobody_knows_the_cases_are_not_played(
    tmp_path: Path, make: Make, anyio_backend: str
) -> None:
    profile(tmp_path, "[cola, any(2 purple thoughts)]")
    player = make(answering(ModelError("it is down"))[0])
    await player.prepare()
    assert domain(player) == ("cola", "any(2 purple thoughts)")
    (item,) = player.profiles["t"].unresolved
    assert item.message == "any(2 purple thoughts) has no values: it is down"


async def test_one_source_alone_may_be_chosen(tmp_path: Path, make: Make) -> None:
    profile(tmp_path, "[any(2 colours)]")
    llm, asked = answering()
    assert domain(make(llm, any_values="lists")) == ("red", "blue")
    assert asked == []
    player = make(answering(ModelError("down"))[0], any_values="model")
    await player.prepare()
    assert domain(player) == ("any(2 colours)",)
    (item,) = make(any_values="model").profiles["t"].unresolved
    assert "the suite names no model" in item.message


async def test_a_run_that_is_taken_up_again_has_the_same_values(tmp_path: Path, make: Make) -> None:
    profile(tmp_path, "[cola, any(2 soda drinks), any(beer)]")
    first = make(answering(["Fizz", "Pop"], [])[0])
    await first.prepare()
    llm, asked = answering()
    second = make(llm)
    await second.prepare()
    assert asked == []
    assert second.space() == first.space()
    assert domain(second) == ("cola", "Fizz", "Pop", "any(beer)")


async def test_what_the_budget_refused_is_asked_again(tmp_path: Path, make: Make) -> None:
    profile(tmp_path, "[cola, any(2 soda drinks)]")
    await make(answering(BudgetSpent("spent"))[0]).prepare()
    player = make(answering(["Fizz", "Pop"])[0])
    await player.prepare()
    assert domain(player) == ("cola", "Fizz", "Pop")


@pytest.mark.parametrize("text", ["[", "{}", "[1]", '[{"any": "x"}]'])
async def test_a_damaged_file_of_values_is_said(tmp_path: Path, make: Make, text: str) -> None:
    profile(tmp_path, "[any(2 soda drinks)]")
    player = make(answering(["a", "b"])[0])
    (tmp_path / "run" / FILE).write_text(text)
    if text == "{}":
        await player.prepare()
        return
    with pytest.raises(StoredRunError, match=FILE):
        await player.prepare()


async def test_foreign_word_lists_are_asked_too(tmp_path: Path, make: Make, install: Any) -> None:
    code = (
        "from sparring_plugins.language.word_lists import WordList\n"
        "def find(what, language):\n"
        "    return ['one', 'two'] if what == 'purple thoughts' else None\n"
        "LIST = WordList('thoughts', find)\n"
    )
    install("purple", GROUP, "purple = purple:LIST", code)
    profile(tmp_path, "[any(2 purple thoughts), any(3 purple thoughts)]")
    player = make()
    assert domain(player) == ("one", "two", "any(3 purple thoughts)")


async def test_a_broken_word_list_is_named(tmp_path: Path, make: Make, install: Any) -> None:
    install("purple-broken", GROUP, "broken = purple_broken:LIST", "LIST = 1\n")
    profile(tmp_path, "[any(2 purple thoughts)]")
    (item,) = make().profiles["t"].unresolved
    assert "purple_broken:LIST is no sparring_plugins.language.word_lists.WordList" in item.message


@pytest.mark.parametrize(
    ("text", "what", "count"),
    [
        ("3 soda drinks", "soda drinks", 3),
        ("a list of three common names", "common names", 3),
        ("a city", "city", 1),
        ("some cities", "cities", None),
        ("tres ciudades", "ciudades", 3),
        ("soda", "soda", None),
        ("  2   red  things ", "red things", 2),
        ("7", "7", None),
        ("", "", None),
    ],
)
async def test_a_wish_says_how_many(text: str, what: str, count: int | None) -> None:
    assert wanted(text) == (what, count)


@pytest.mark.parametrize("text", ["0 cities", "51 cities", "999999 cities"])
async def test_a_wish_for_too_many_or_none_stays_open(
    tmp_path: Path, make: Make, text: str
) -> None:
    profile(tmp_path, f"[any({text})]")
    (item,) = make().profiles["t"].unresolved
    assert "1 to 50 are possible" in item.message


async def test_the_template_may_be_replaced(tmp_path: Path, make: Make) -> None:
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts" / "values.jinja").write_text(
        '{% extends "values.jinja" %}{% block user %}Give me {{ wanted }}!{% endblock %}'
    )
    profile(tmp_path, "[any(2 soda drinks)]")
    llm, asked = answering(["a", "b"])
    await make(llm, prompts="prompts").prepare()
    assert asked[0].messages[-1].content == "Give me soda drinks!"
    (tmp_path / "prompts" / "values.jinja").write_text("{% block user %}{{ want }}{% endblock %}")
    with pytest.raises(ConfigurationError, match="want"):
        make(answering()[0], prompts="prompts")
