"""Whatever a file holds, it is a profile or a ConfigurationError."""

import copy
from datetime import date
from itertools import islice
from pathlib import Path
from typing import Any, Literal

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sparring.errors import ConfigurationError
from sparring_plugins.users.profiles.goals import goals_of
from sparring_plugins.users.profiles.profile import scenarios
from sparring_plugins.users.profiles.profile_files import read_profiles
from sparring_plugins.users.selectors.plan import plan_of

GOOD: dict[str, Any] = {
    "test_name": "order",
    "llm": {"model": "gpt-4o", "temperature": 0.5},
    "user": {
        "language": "English",
        "role": "a customer",
        "context": [{"personality": "rude.yml"}, "in a hurry"],
        "goals": [
            "a {{size}} pizza with {{toppings}} at {{day}}, {{cans}} cans, {{weight}} g",
            {"size": {"function": "forward(cans)", "type": "string", "data": ["s", "m"]}},
            {"toppings": {"function": "random(rand)", "data": ["ham", "any(cheese)"]}},
            {"cans": {"function": "forward()", "type": "int", "data": {"min": 1, "max": 3}}},
            {"weight": {"type": "float", "data": {"min": 0.5, "max": 1, "linspace": 3}}},
            {
                "day": {
                    "function": "another()",
                    "type": "string",
                    "data": {
                        "date": {
                            "random": 2,
                            "fake": 1,
                            "set": ">today(2)",
                            "custom": ["soon"],
                            "range": {"min": "01/01/2025", "max": "today+5", "step": "month(2)"},
                        }
                    },
                }
            },
        ],
    },
    "chatbot": {
        "is_starter": True,
        "fallback": ["Sorry?"],
        "output": [{"price": {"type": "money", "description": "the price"}}],
    },
    "conversation": {
        "number": "sample(0.5)",
        "goal_style": {"all_answered": {"export": True, "limit": 5}},
        "interaction_style": [{"random": ["default", {"change language": ["french"]}]}],
    },
}

WORDS = (
    "forward()",
    "forward(cans)",
    "forward(x)",
    "random(2)",
    "another()",
    "sample(1)",
    "all_combinations",
    "{{size}}",
    "{{",
    "any(x)",
    "today",
    ">today(3)",
    "day(1)",
    "01/01/2025",
    "string",
    "int",
    "rude.yml",
    "lists.py",
)
KEYS = (
    *("test_name", "user", "goals", "templates", "inputs", "chatbot", "conversations", "data"),
    *("min", "max", "step", "linspace", "date", "range", "file", "function_name", "args", "type"),
    *("personality", "context", "number", "steps", "random", "change language", "selector", "x"),
)

scalars = (
    st.none()
    | st.booleans()
    | st.integers(-3, 200_000)
    | st.floats()
    | st.sampled_from(WORDS)
    | st.text(max_size=8)
    | st.dates(max_value=date(2100, 1, 1))
)
junk = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(KEYS) | st.integers() | st.text(max_size=4), inner, max_size=3
        )
    ),
    max_leaves=8,
)


def places(data: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """All paths inside plain data."""
    entries = data.items() if isinstance(data, dict) else enumerate(data)
    found: list[tuple[Any, ...]] = []
    for key, value in entries:
        found.append((*at, key))
        if isinstance(value, (dict, list)):
            found += places(value, (*at, key))
    return found


@st.composite
def mutants(draw: st.DrawFn) -> dict[str, Any]:
    """The good profile with up to three of its parts replaced, removed or renamed."""
    data = copy.deepcopy(GOOD)
    for _ in range(draw(st.integers(1, 3))):
        *above, key = draw(st.sampled_from(places(data) or [("test_name",)]))
        inside: Any = data
        for step in above:
            inside = inside[step]
        change = draw(st.sampled_from(["replace", "remove", "rename"]))
        if change == "replace" or isinstance(inside, list):
            inside[key] = draw(junk)
        elif change == "remove":
            inside.pop(key, None)
        else:
            inside[draw(st.sampled_from(KEYS))] = inside.pop(key, None)
    return data


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a persona and a Python file that the profiles may name."""
    made = tmp_path_factory.mktemp("profiles")
    (made / "rude.yml").write_text("context: [be rude]\n")
    (made / "lists.py").write_text("def x(*args, **kwargs):\n    return list(args)\n")
    return made


def use(folder: Path, data: Any, compat: Literal["sensei"] | None) -> None:
    """Read the data as a profile, and if it is one, make its first cases."""
    file = folder / "p.yml"
    file.write_text(yaml.safe_dump(data, allow_unicode=True, sort_keys=False), encoding="utf-8")
    try:
        profile = read_profiles(
            [file],
            base_dir=folder,
            seed=1,
            compat=compat,
            allow_python=True,
            today=date(2025, 3, 14),
        )[0]
    except ConfigurationError:
        return
    plan = plan_of(scenarios([profile]).scenarios[0], 1, compat=compat)
    for params in islice(plan.params(0), min(plan.count, 3)):
        goals_of(profile, params)
    profile.model_dump_json()


several = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


@several
@given(mutants(), st.sampled_from([None, "sensei"]))
def test_a_damaged_profile_is_read_or_refused(
    folder: Path, data: dict[str, Any], compat: Literal["sensei"] | None
) -> None:
    use(folder, data, compat)


@several
@given(junk, st.sampled_from([None, "sensei"]))
def test_junk_is_read_or_refused(folder: Path, data: Any, compat: Literal["sensei"] | None) -> None:
    use(folder, data, compat)


def test_the_profile_that_is_damaged_is_good(folder: Path) -> None:
    file = folder / "good.yml"
    file.write_text(yaml.safe_dump(GOOD, sort_keys=False))
    profile = read_profiles([file], base_dir=folder, seed=1, today=date(2025, 3, 14))[0]
    assert len(profile.variables) == 5
    use(folder, GOOD, None)
