"""The fitness `content`: how near items of a structured answer are to what is wanted."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.errors import ConfigurationError
from sparring.model.space import Scenario, Space, Variable
from sparring.testing import hostile
from sparring.testing.fakes import FakeContext
from sparring_plugins.search.fitness.content import ContentFitness
from sparring_plugins.search.fitness.value_matching import parse_path
from sparring_plugins.search.roles import Fitness, FitnessTask

pytestmark = pytest.mark.anyio

FIELDS: dict[str, Any] = {
    "category": {"weight": 2},
    "price": {"order": ["low", "medium", "high"]},
    "payment": {"match": "any", "values": {"mobile": "mobile payment"}},
    "parking": {"values": {"parking": True}},
    "rating": {"match": "at-least", "range": [3, 5]},
}
WANTED: dict[str, Any] = {
    "category": "bar",
    "price": "low",
    "payment": "mobile",
    "parking": "parking",
    "rating": 4,
}
PLACE: dict[str, Any] = {
    "category": "bar",
    "price": "low",
    "payment": ["cash", "mobile payment"],
    "parking": True,
    "rating": 4.5,
}


def task(payload: Any, wanted: Any = WANTED) -> FitnessTask:
    return FitnessTask(
        request="Find me a bar.",
        answer="There you go.",
        payload=payload,
        features={**wanted, "mood": "rude"},
        wanted={name: (str(value),) for name, value in wanted.items()},
    )


async def fitness(payload: Any, wanted: Any = WANTED, **settings: Any) -> Fitness:
    built = FakeContext(base_dir=Path.cwd()).build(ContentFitness, **{"fields": FIELDS, **settings})
    return await built.act(task(payload, wanted))


def space(**domains: tuple[Any, ...]) -> Space:
    variables = tuple(Variable(name=name, domain=domain) for name, domain in domains.items())
    return Space(scenarios=(Scenario(name="s", variables=variables, outputs=("total",)),))


GOOD = space(
    category=("bar", "cafe"),
    price=("none", "low", "medium", "high"),
    payment=("none", "mobile"),
    parking=("none", "parking"),
    rating=(None, 3.5, 4),
)


@pytest.mark.parametrize(
    ("fields", "found"),
    [
        (FIELDS, []),
        ({"total": "sum", "category": {"values": {"bar": "pub"}}}, []),
        (
            {"catgory": "category"},
            ["fields.catgory: no feature is called 'catgory'. Did you mean 'category'?"],
        ),
        (
            {"payment": {"values": {"mobil": "phone"}}},
            ["fields.payment.values.mobil: payment has no value 'mobil'. Did you mean 'mobile'?"],
        ),
        (
            {"price": {"order": ["low", "hihg"]}},
            ["fields.price.order: has no place for medium, high of price: low, hihg"],
        ),
        ({"rating": {"order": [3.5, 4.0]}}, []),
        ({"category": {"order": ["bar", "shop"]}}, []),
    ],
)
def test_what_does_not_fit_the_space_is_named(fields: dict[str, Any], found: list[str]) -> None:
    built = FakeContext(base_dir=Path.cwd()).build(ContentFitness, fields=fields)
    told = [str(problem).partition(" Known:")[0] for problem in built.validation_errors(GOOD)]
    assert told == found


async def test_a_path_that_never_finds_anything_is_told_once() -> None:
    context = FakeContext(base_dir=Path.cwd())
    fields = {"category": "category", "price": "prise"}
    built = context.build(ContentFitness, fields=fields)
    wanted = {"category": "bar", "price": "low"}
    for _ in range(29):
        await built.act(task({"items": [PLACE]}, wanted))
    assert context.warnings == []
    for _ in range(29):
        await built.act(task({"items": [PLACE]}, wanted))
    (message,) = context.warnings
    assert "price (prise) found nothing in 30 answers" in message
    empty = context.build(ContentFitness, fields=fields, items="$.places[*]")
    for _ in range(40):
        await empty.act(task({"items": [PLACE]}, wanted))
    assert "items ($.places[*]) found nothing" in context.warnings[1]


@pytest.mark.parametrize(
    ("change", "value", "wrong"),
    [
        ({}, 1.0, ()),
        ({"category": "cafe"}, 4 / 6, ("category",)),
        ({"price": "medium"}, 5.5 / 6, ("price",)),
        ({"price": "high"}, 5 / 6, ("price",)),
        ({"price": "a lot"}, 5 / 6, ("price",)),
        ({"payment": ["cash"]}, 5 / 6, ("payment",)),
        ({"payment": "Mobile_Payment"}, 1.0, ()),
        ({"parking": False}, 5 / 6, ("parking",)),
        ({"parking": "true"}, 1.0, ()),
        ({"parking": 1}, 5 / 6, ("parking",)),
        ({"rating": 4}, 1.0, ()),
        ({"rating": "5"}, 1.0, ()),
        ({"rating": 3.5}, 5.75 / 6, ("rating",)),
        ({"rating": float("nan")}, 5 / 6, ("rating",)),
        ({"rating": None}, 5 / 6, ("rating",)),
        ({"category": ["bar"], "price": [["low"]]}, 5 / 6, ("price",)),
    ],
)
async def test_an_item_is_as_near_as_its_features(
    change: dict[str, Any], value: float, wrong: tuple[str, ...]
) -> None:
    found = await fitness({"items": [{**PLACE, **change}]})
    assert found.value == pytest.approx(value, abs=1e-6)
    assert found.wrong == wrong


async def test_the_best_of_several_items_counts_and_only_so_many() -> None:
    items = {"items": [{"category": "cafe"}, {**PLACE, "rating": 3}, PLACE]}
    assert (await fitness(items)).value == 1
    found = await fitness(items, best_of=2)
    assert found.parts == {"category": 1, "price": 1, "payment": 1, "parking": 1, "rating": 0.5}
    assert found.reason == "the best of 2 items is off in rating 0.5"


async def test_only_what_the_case_wants_counts() -> None:
    found = await fitness({"items": [{"category": "bar"}]}, {"category": "bar"})
    assert (found.value, found.parts) == (1, {"category": 1})
    none = await fitness({"items": [PLACE]}, {})
    assert none.value is None
    assert "none of the fields" in none.reason


@pytest.mark.parametrize("suffix", ["csv", "json", "jsonl", "yaml"])
async def test_nothing_is_right_where_the_catalogue_has_nothing(
    tmp_path: Path, suffix: str
) -> None:
    path = tmp_path / f"places.{suffix}"
    match suffix:
        case "csv":
            path.write_text("category,price,payment,parking,rating\n"
                            "bar,low,cash;mobile payment,True,4.5\n"
                            "bar,high,cash,False,5\n")  # fmt: skip
        case "jsonl":
            path.write_text(f"{json.dumps(PLACE)}\n\n{json.dumps({**PLACE, 'price': 'high'})}\n")
        case _:
            path.write_text(json.dumps([PLACE]))
    settings = {"catalogue": str(path), "understood": "$.query"}
    there = await fitness({"items": [], "query": {"category": "pub"}}, **settings)
    assert (there.value, there.reason) == (0, "nothing is returned, though there is something")
    assert there.wrong == there.misread == ("category", "price", "payment", "parking", "rating")
    gone = await fitness({"items": []}, {**WANTED, "rating": 5}, **settings)
    assert gone.value == 1


async def test_without_a_catalogue_nothing_is_undecided() -> None:
    found = await fitness({"items": []})
    assert found.value is None
    assert "no catalogue" in found.reason


async def test_what_the_app_understood_otherwise_is_told() -> None:
    query = {"category": "bar", "price": ["low"], "rating": 4.0, "parking": True}
    found = await fitness({"items": [PLACE], "query": query}, understood="$.query")
    assert (found.value, found.misread) == (1, ("payment",))


async def test_texts_are_compared_by_likeness() -> None:
    fields = {"place": {"match": "text"}}
    alike = await fitness(
        {"items": [{"place": "the quiet garden cafe"}]},
        {"place": "a quiet cafe garden"}, fields=fields, by="tf-idf",
    )  # fmt: skip
    other = await fitness(
        {"items": [{"place": "motorway"}, {"place": 7}]}, {"place": "quiet cafe"}, fields=fields,
        by="tf-idf",
    )  # fmt: skip
    assert alike.value is not None
    assert alike.value > 0.7
    assert other.value == 0


JSON: Any = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)


@given(payload=st.fixed_dictionaries({"items": JSON | st.lists(JSON, max_size=3), "query": JSON}))
async def test_any_answer_has_a_value_from_0_to_1_or_none(payload: Any) -> None:
    found = await fitness(payload, understood="query")
    assert found.value is None or 0 <= found.value <= 1


@pytest.mark.thorough
async def test_a_huge_answer_is_bounded() -> None:
    items = [{"category": text, "price": [[]] * 50} for text in hostile.TEXTS] * 50
    assert (await fitness({"items": items})).value == 0


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"fields": {}}, "at least 1"),
        ({"items": "$.items[?(@.x)]"}, "is not a path"),
        ({"fields": {"price": {"match": "ordinal"}}}, "needs `order`"),
        ({"fields": {"rating": {"match": "number"}}}, r"needs `range`, as \[1, 5\]"),
        ({"fields": {"rating": {"range": [5, 1]}}}, "the least number and then"),
        ({"catalogue": "missing.csv"}, "missing.csv"),
    ],
)
async def test_wrong_settings_are_told(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        await fitness({}, **settings)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("c.json", "{", "is no JSON"),
        ("c.json", "{}", "expected a list of items"),
        ("c.csv", "category\n", "has no items"),
        ("c.txt", "bar", "no catalogue ends with '.txt'"),
        ("c.csv", "categry,price,payment,parking,rating\nbar,low,cash,True,4\n",
         "no 'category' in any item. Did you mean 'categry'"),
    ],
)  # fmt: skip
async def test_wrong_catalogues_are_told(
    tmp_path: Path, name: str, text: str, message: str
) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(ConfigurationError) as caught:
        await fitness({}, catalogue=str(path))
    assert message in str(caught.value)


def test_paths_find_what_is_there_and_nothing_else() -> None:
    data = {"a": [{"b": 1}, {"b": None}, 7, {"b": [2]}], "c d": {"e": "x"}}
    assert parse_path("$.a[*].b").find(data) == [1, [2]]
    assert parse_path("a[3].b[0]").first(data) == 2
    assert parse_path("['c d'].e").first(data) == "x"
    assert parse_path("$").first(data) == data
    assert parse_path("a.b.c").find(data) == []
