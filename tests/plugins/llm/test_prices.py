"""What answers cost: as the service, the suite or the price list says, and else unknown."""

import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.model.chat import ChatReply
from sparring.suite.model import Price
from sparring_plugins.llm.prices import Prices

OURS = Price(input=2.0, output=8.0, cached_input=0.5)


def reply(model: str = "m", read: int = 1000, written: int = 100, **fields: Any) -> ChatReply:
    return ChatReply(text="ok", model=model, input_tokens=read, output_tokens=written, **fields)


def test_what_the_service_says_is_what_it_costs() -> None:
    prices = Prices({"m": OURS})
    assert prices.cost(reply(cost_usd=0.25), "m") == 0.25
    assert prices.cost(reply(cost_usd=0.0), "m") == 0.0
    assert prices.cost(reply(cost_usd=0.25), "m", free=True) == 0.25


def test_the_suite_prices_input_output_and_what_was_read_before() -> None:
    prices = Prices({"m": OURS, "plain": Price(input=2.0, output=8.0)})
    assert prices.cost(reply(), None) == 0.0028
    assert prices.cost(reply(cached_tokens=400), None) == 0.0022
    assert prices.cost(reply("plain", cached_tokens=400), None) == 0.0028
    assert prices.cost(reply(cached_tokens=4000), None) == 0.0013, "no more than all"
    assert prices.cost(reply(read=0), None) == 0.0008


def test_money_is_counted_exactly() -> None:
    prices = Prices({"m": Price(input=0.1, output=0.2)})
    assert prices.cost(reply(read=1, written=1), None) == 0.0000003
    assert prices.cost(reply(read=3, written=0), None) == 0.0000003


@pytest.mark.parametrize(
    ("given", "answered", "asked"),
    [
        ("gpt-4o", "gpt-4o", "gpt-4o"),
        ("gpt-4o", "gpt-4o-2024-08-06", "gpt-4o"),
        ("gpt-4o", "", "openai:gpt-4o"),
        ("gpt-4o", "openai/gpt-4o", None),
        ("openai/gpt-4o", "gpt-4o", "gpt-4o"),
        ("openai:gpt-4o", "gpt-4o", None),
        ("openai:gpt-4o", "gpt-4o-2024-08-06", "openai:gpt-4o"),
        ("meta/llama-3:free", "meta/llama-3:free", None),
        ("llama3.2:3b", "llama3.2:3b", "llama3.2:3b"),
        ("llama3.2:latest", "llama3.2:latest", "llama3.2"),
        ("llama3.2", "llama3.2", "ollama:llama3.2"),
    ],
)
def test_the_suite_may_name_a_model_with_or_without_its_provider(
    given: str, answered: str, asked: str | None
) -> None:
    assert Prices({given: OURS}).cost(reply(answered), asked) == 0.0028
    assert Prices({given: OURS, "other": Price(input=1, output=1)}).known(asked or answered)


def test_the_exact_name_goes_before_one_like_it() -> None:
    other = Price(input=9, output=9)
    prices = Prices({"gpt-4o": other, "azure/gpt-4o": OURS})
    assert prices.cost(reply("azure/gpt-4o"), None) == 0.0028
    prices = Prices({"gpt-4o": other, "gpt-4o-2024-08-06": OURS})
    assert prices.cost(reply("gpt-4o-2024-08-06"), "gpt-4o") == 0.0028
    assert prices.cost(reply("nothing", cost_usd=None), "unheard-of") is None


@pytest.mark.parametrize(
    "name",
    ["gpt-4o", "gpt-4o-2024-08-06", "openai:gpt-4o", "openai/gpt-4o", "azure_openai:gpt-4o"],
)
def test_the_price_list_knows_models_of_the_trade(name: str) -> None:
    prices = Prices({})
    assert prices.known(name)
    cost = prices.cost(reply(name), None)
    assert cost == prices.cost(reply(""), name) == prices.cost(reply("?"), name)
    assert cost is not None
    assert 0.0001 < cost < 0.1
    cached = prices.cost(reply(name, cached_tokens=1000), None)
    assert cached is not None
    assert cached < cost


def test_the_suite_goes_before_the_price_list() -> None:
    assert Prices({"gpt-4o": OURS}).cost(reply("gpt-4o-2024-08-06"), "gpt-4o") == 0.0028


@pytest.mark.parametrize("name", ["", "tiny", "llama3.2", "qwen3:8b", "a" * 10_000, "\0", "x:y/z"])
def test_an_unknown_price_is_none_and_never_zero(name: str) -> None:
    prices = Prices({"m": OURS})
    assert prices.cost(reply(name), name) is None
    assert not prices.known(name)
    assert not prices.known(None)


def test_tokens_that_nobody_counted_have_no_known_price() -> None:
    assert Prices({"m": OURS}).cost(reply(read=0, written=0), "m") is None


def test_what_is_free_by_nature_costs_nothing() -> None:
    assert Prices({}).cost(reply("tiny"), None, free=True) == 0.0
    assert Prices({"m": Price(input=0, output=0)}).cost(reply(), None) == 0.0


@given(st.integers(0, 10**9), st.integers(0, 10**9), st.integers(0, 10**9), st.text(max_size=30))
def test_no_answer_has_a_negative_price_or_stops_a_run(
    read: int, cached: int, written: int, name: str
) -> None:
    prices = Prices({"m": OURS})
    ours = prices.cost(reply(read=read, written=written, cached_tokens=cached), None)
    assert ours is None or ours > 0
    known = prices.cost(reply("gpt-4o", read, written, cached_tokens=cached), None)
    assert known is None or known > 0
    assert prices.cost(reply(name, read, written), name) in (None, ours) or name


def test_the_price_list_is_imported_late_and_may_be_absent() -> None:
    code = """
import sys
sys.modules["genai_prices"] = None  # as if it were not installed
from sparring_plugins.llm.prices import Prices
from sparring.model.chat import ChatReply
from sparring.suite.model import Price
reply = ChatReply(text="", model="gpt-4o", input_tokens=1, output_tokens=1)
assert Prices({}).cost(reply, "gpt-4o") is None
assert not Prices({}).known("gpt-4o")
assert Prices({"gpt-4o": Price(input=1, output=1)}).cost(reply, None) == 0.000002
"""
    subprocess.run([sys.executable, "-c", code], check=True)
    code = "import sys, sparring_plugins.llm.prices; assert 'genai_prices' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_list_says_nothing_of_a_server_of_ones_own() -> None:
    answer = reply("gpt-4o")
    assert Prices({}).cost(answer, "gpt-4o") is not None
    assert Prices({}, listed=False).cost(answer, "gpt-4o") is None
    assert Prices({"gpt-4o": OURS}, listed=False).cost(answer, "gpt-4o") == 0.0028
