"""Rules proposed from profiles: they load, name what is there, and say what should hold."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sparring.errors import ConfigurationError
from sparring.model.talk import Trace
from sparring.model.verdict import Outcome
from sparring.testing.conversations import trace_of
from sparring.testing.fakes import FakeContext, FakeLLM
from sparring_plugins.rules.oracle import RulesOracle
from sparring_plugins.rules.proposals import propose
from sparring_plugins.users.profiles.profile import scenarios
from sparring_plugins.users.profiles.profile_files import read_profiles

from .judging import Bench, counts


def written(paths: list[Path], folder: Path) -> dict[str, dict[str, Any]]:
    """The proposals as rules by name, after they were written, loaded and checked."""
    folder.mkdir(exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    for number, draft in enumerate(propose(paths)):
        (folder / f"{number}.yaml").write_text("---\n".join(draft.rules), encoding="utf-8")
    context = FakeContext(base_dir=folder, llm=FakeContext().build(FakeLLM))
    oracle = context.build(RulesOracle, files="*.yaml", activate="all")
    profiles = read_profiles(paths, base_dir=folder, seed=0, keep_unresolved=True)
    assert oracle.validation_errors(scenarios(profiles)) == []
    assert context.warnings == []
    documents = [
        document
        for path in sorted(folder.iterdir())
        for document in yaml.safe_load_all(path.read_text(encoding="utf-8"))
    ]
    return {document["name"]: document for document in documents}


def profile(folder: Path, variables: dict[str, Any], outputs: dict[str, str], name: str) -> Path:
    goals: list[Any] = ["order " + " ".join("{{" + one + "}}" for one in variables)]
    goals += [
        {
            one: {
                "function": how[0],
                "type": "int" if how[1] == [1, 2, 3] else "string",
                "data": how[1],
            }
        }
        for one, how in variables.items()
    ]
    data = {
        "test_name": name,
        "user": {"language": "English", "role": "you order", "goals": goals},
        "chatbot": {
            "is_starter": False,
            "output": [
                {one: {"type": kind, "description": f"the {one}"}} for one, kind in outputs.items()
            ],
        },
        "conversation": {"number": 2, "goal_style": {"steps": 3}, "interaction_style": ["default"]},
    }
    path = folder / "profile.yml"
    path.write_text(yaml.safe_dump(data, allow_unicode=True), encoding="utf-8")
    return path


PIZZA: dict[str, Any] = {
    "size": ("forward()", ["big", "small"]),
    "toppings": ("random(3)", ["ham", "corn", "bacon", "cheese"]),
    "cans": ("forward()", [1, 2, 3]),
    "phone": ("another()", ["600", "700"]),
    "pizza": ("another()", ["margarita", "hawaii"]),
}
OUTPUTS = {
    "price": "money", "order_id": "str", "opens_at": "time", "closes_at": "time",
    "delivery": "date", "contact": "email", "confirmed_pizza": "str",
}  # fmt: skip


@pytest.fixture
def proposals(tmp_path: Path) -> dict[str, dict[str, Any]]:
    return written([profile(tmp_path, PIZZA, OUTPUTS, "pizza")], tmp_path / "rules")


EXPECTED = {
    "pizza_nothing_missing": True,
    "pizza_price_is_positive": True,
    "pizza_price_grows_with_cans": False,
    "pizza_price_grows_with_size": True,
    "pizza_price_grows_with_toppings": True,
    "pizza_price_whatever_order_of_toppings": True,
    "pizza_price_independent_of_phone": True,
    "pizza_same_inputs_same_price": True,
    "pizza_same_inputs_same_opens_at": False,
    "pizza_opens_at_before_closes_at": True,
    "pizza_delivery_is_not_past": True,
    "pizza_contact_is_an_address": True,
    "pizza_confirmed_pizza_is_what_was_asked": True,
    "unique_order_id": True,
    "one_currency_of_price": True,
    "answers_in_the_users_language": False,
}


@pytest.mark.parametrize(("name", "active"), EXPECTED.items())
def test_inputs_and_outputs_suggest_rules(
    proposals: dict[str, dict[str, Any]], name: str, active: bool
) -> None:
    if name == "pizza_price_grows_with_cans":  # cans are a quantity
        active = True
    assert proposals[name].get("active", True) is active


def test_ids_are_not_expected_to_be_equal(proposals: dict[str, dict[str, Any]]) -> None:
    assert not [name for name in proposals if "order_id" in name and name != "unique_order_id"]


def order(price: str, at: int = 0, **values: Any) -> Trace:
    inputs: dict[str, Any] = {
        "size": ["small"], "toppings": ["ham", "corn"], "cans": [1], "phone": ["600"],
        "pizza": ["hawaii"],
    }  # fmt: skip
    outputs = {
        "price": price, "order_id": f"A{at}", "opens_at": "13:00", "closes_at": "23:30",
        "delivery": None, "contact": "a@b.org", "confirmed_pizza": "One Hawaii",
    }  # fmt: skip
    given = {**outputs, **values.pop("outputs", {})}
    said = [("hello", "That is it")]
    return trace_of(said, outputs=given, meta={"profile": "pizza"}, **{**inputs, **values})


SHOWN = [
    ("pizza_price_is_positive", [order("$0")], [order("$9")]),
    ("pizza_price_grows_with_cans", [order("$9"), order("$8", cans=[2])],
     [order("$9"), order("$9", cans=[2])]),
    ("pizza_price_grows_with_size", [order("$9"), order("$8", size=["big"])],
     [order("$9"), order("$10", size=["big"])]),
    ("pizza_price_grows_with_toppings", [order("$9"), order("$8", toppings=["ham", "x", "corn"])],
     [order("$9"), order("$9", toppings=["ham", "x", "corn"])]),
    ("pizza_price_whatever_order_of_toppings",
     [order("$9"), order("$8", toppings=["corn", "ham"])],
     [order("$9"), order("$9", toppings=["corn", "ham"])]),
    ("pizza_price_independent_of_phone", [order("$9"), order("$8", phone=["700"])],
     [order("$9"), order("$9", phone=["700"])]),
    ("pizza_same_inputs_same_price", [order("$9"), order("$8")], [order("$9"), order("$9")]),
    ("pizza_opens_at_before_closes_at", [order("$9", outputs={"opens_at": "23:45"})], [order("$9")]),
    ("pizza_contact_is_an_address", [order("$9", outputs={"contact": "no"})], [order("$9")]),
    ("pizza_confirmed_pizza_is_what_was_asked",
     [order("$9", outputs={"confirmed_pizza": "a margarita"})], [order("$9")]),
    ("unique_order_id", [order("$9"), order("$9", cans=[2])], [order("$9"), order("$9", 1, cans=[2])]),
    ("one_currency_of_price", [order("$9"), order("€9", cans=[2])],
     [order("$9"), order("9 dollars", cans=[2])]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "bad", "good"), SHOWN, ids=[one[0] for one in SHOWN])
def test_a_proposal_fails_on_what_is_bad_and_passes_on_what_is_good(
    bench: Bench,
    proposals: dict[str, dict[str, Any]],
    name: str,
    bad: list[Trace],
    good: list[Trace],
) -> None:
    assert Outcome.FAIL in counts(bench.verdicts(proposals[name], on=bad))
    found = counts(bench.verdicts(proposals[name], on=good))
    assert set(found) - {Outcome.SKIPPED} == {Outcome.PASS}


NAMES = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), min_size=1).filter(
    lambda text: text.strip() == text and not set(text) & set("{}")
)
KINDS = st.sampled_from(["str", "int", "float", "money", "bool", "time", "date", "email", "url"])


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25, deadline=None
)
@given(
    st.sampled_from(["x", "it's", 'a "b"', "size of it", "if", "conv", "turns", "über", "a\\b", "price"]),
    st.dictionaries(
        st.sampled_from(["price", "order number", "it's", 'x"y', "class", "len", "__a", "a:b"]), KINDS,
        min_size=1, max_size=4,
    ),
    NAMES,
    st.sampled_from(["forward()", "random(2)"]),
)  # fmt: skip
@pytest.mark.thorough
def test_whatever_things_are_called_the_proposals_load(
    tmp_path: Path, variable: str, outputs: dict[str, str], name: str, how: str
) -> None:
    path = profile(tmp_path, {variable: (how, ["small", "big"])}, outputs, name)
    assert written([path], tmp_path / "rules")


def test_the_proposals_for_the_pizzeria_load(repository: Path, tmp_path: Path) -> None:
    found = written(
        sorted((repository / "examples/pizzeria/profiles").glob("*.yml")), tmp_path / "r"
    )
    assert {"predefined_price_grows_with_cans", "unique_order_id"} <= set(found)


def test_the_proposals_for_published_profiles_load(shared_data: Path, tmp_path: Path) -> None:
    paths = sorted(path for path in (shared_data / "profiles").rglob("*.y*ml"))
    for path in paths:
        assert written([path], tmp_path / "rules"), path.name
    assert len(paths) > 20


def test_a_profile_without_variables_has_only_rules_on_its_outputs(tmp_path: Path) -> None:
    path = profile(tmp_path, {}, {"price": "money"}, "plain")
    assert set(written([path], tmp_path / "rules")) == {
        "plain_nothing_missing", "plain_price_is_positive", "one_currency_of_price",
        "answers_in_the_users_language",
    }  # fmt: skip


def test_a_bad_profile_is_named(tmp_path: Path) -> None:
    path = tmp_path / "bad.yml"
    path.write_text("user: {goals: [{x: {function: nope()}}]}")
    with pytest.raises(ConfigurationError, match=r"bad\.yml"):
        propose([path])
