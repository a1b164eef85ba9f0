"""What an answer costs: as the service says, as the suite says, as the price list says."""

from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from functools import cache
from typing import Any

from sparring.errors import ConfigurationError
from sparring.model.chat import ChatReply
from sparring.suite.model import Price

_MILLION = Decimal(1_000_000)

Priced = Callable[[int, int, int], Decimal | None]
"""Cost of input tokens (all), cached ones among them, and output tokens, in US dollars."""


class Prices:
    """Prices by model: those of the suite, else of the library genai-prices if installed.

    The library's bundled list is used as it is: nothing is fetched. A model that neither knows
    has an unknown price, which is None and never zero. The list counts only for services that are
    `listed`: a server of one's own has no public price, whatever it calls its model.
    """

    def __init__(self, given: Mapping[str, Price], *, listed: bool = True) -> None:
        self._given = dict(given)
        self._listed = listed
        self._plain: dict[str, Price] = {}
        for name, price in given.items():
            self._plain.setdefault(_plain(name), price)

    def cost(self, reply: ChatReply, asked: str | None, *, free: bool = False) -> float | None:
        """The price of an answer in US dollars; `None` if it is unknown.

        `asked` is the model's name as asked for; the answer's own name may say more than it
        (``gpt-4o-2024-08-06``) and is looked up first. A service that is `free` costs nothing
        unless it says otherwise. An answer whose tokens were not counted has no known price.
        """
        if reply.cost_usd is not None:
            return reply.cost_usd
        if free:
            return 0.0
        total, output = max(reply.input_tokens, 0), max(reply.output_tokens, 0)
        if not total and not output:
            return None
        cached = min(max(reply.cached_tokens, 0), total)
        priced = self._find_price((reply.model, asked or ""))
        cost = priced(total, cached, output) if priced else None
        return None if cost is None else float(cost)

    def known(self, model: str | None) -> bool:
        """Whether the price of a model is known, so that a budget of money can hold."""
        priced = self._find_price((model or "",))
        return priced is not None and priced(1000, 0, 1000) is not None

    def require(self, model: str | None) -> None:
        """Raise ConfigurationError if the price of a model that is asked is not known."""
        if model is not None and not self.known(model):
            raise ConfigurationError(
                f"budget.cost cannot be kept: the price of the model {model!r} is not known. "
                f"Give it as llm.prices.{model}: {{input: …, output: …}} in US dollars for a "
                "million tokens, install a price list with pip install 'sparring[prices]', or "
                "limit budget.tokens instead"
            )

    def _find_price(self, names: tuple[str, ...]) -> Priced | None:
        for price in self._by_suite(names):
            return _as_given(price)
        if not self._listed:
            return None
        return next(filter(None, (_as_listed(name) for name in names if name)), None)

    def _by_suite(self, names: tuple[str, ...]) -> Iterator[Price]:
        plain = tuple(_plain(name) for name in names)
        for table, spelt in ((self._given, names), (self._given, plain), (self._plain, plain)):
            yield from (table[name] for name in spelt if name in table)


def _plain(name: str) -> str:
    """A model's name without its provider: ``openai:gpt-4o`` is ``openai/gpt-4o``."""
    name = name.removesuffix(":latest")
    provider, _, model = name.partition(":")
    if model and provider.isidentifier() and not model[0].isdigit():  # as in Ollama's qwen3:8b
        name = model
    return name.rpartition("/")[2] or name


def _as_given(price: Price) -> Priced:
    per_input, per_output = Decimal(str(price.input)), Decimal(str(price.output))
    cached_price = price.cached_input
    per_cached = per_input if cached_price is None else Decimal(str(cached_price))

    def priced(total: int, cached: int, output: int) -> Decimal:
        fresh = total - cached
        return (fresh * per_input + cached * per_cached + output * per_output) / _MILLION

    return priced


@cache
def _as_listed(name: str) -> Priced | None:
    """The price of a model in the library's list; `None` if it is silent or not installed."""
    try:
        from genai_prices import Usage
        from genai_prices.data_snapshot import get_snapshot
    except ImportError:
        return None
    listed_price = next(_listed(get_snapshot(), name), None)
    if listed_price is None:
        return None
    provider, model = listed_price

    def priced(total: int, cached: int, output: int) -> Decimal | None:
        usage = Usage(input_tokens=total, cache_read_tokens=cached, output_tokens=output)
        try:
            price = model.calc_price(usage, provider)
        except (ValueError, LookupError):
            return None
        listed = price.model_price
        silent = (total and listed.input_mtok is None) or (output and listed.output_mtok is None)
        return None if silent else price.total_price

    return priced


def _listed(snapshot: Any, name: str) -> Iterator[tuple[Any, Any]]:
    """What the list may mean by a name: as it stands, then as PROVIDER:MODEL, PROVIDER/MODEL."""
    readings: list[tuple[str, str | None]] = [(name, None)]
    for separator in ":/":
        provider, separated, model = name.partition(separator)
        if separated and provider and model:
            readings.append((model, provider))
    for model, provider_id in readings:
        try:
            yield snapshot.find_provider_model(model, None, provider_id, None)
        except LookupError:
            continue
