"""Every published profile loads, unchanged.

SENSEI's own files come with the fixture `shared_data`; checkouts of its repository and of the
repository of its evaluation are named by SPARRING_SENSEI and SPARRING_SENSEI_EVALUATION.
"""

import os
from collections import Counter
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
import yaml

from sparring.errors import ConfigurationError
from sparring_plugins.users.profiles.goals import goals_of
from sparring_plugins.users.profiles.profile import Profile, scenarios, unresolved_in
from sparring_plugins.users.profiles.profile_files import read_profiles
from sparring_plugins.users.selectors.plan import plan_of

PYTHON = "user_sim_pizzaorder_predefined.yml"
"""The one profile that calls a Python file, which was never published."""

WILD = ("ada", "catalina", "genion", "kuki", "millie", "serviceform")


def checkout(variable: str) -> Path:
    folder = os.environ.get(variable)
    if not folder:
        pytest.skip(f"{variable} names no checkout")
    return Path(folder)


def files(folder: Path, pattern: str = "**/*.y*ml") -> list[Path]:
    found = sorted(path for path in folder.glob(pattern) if path.is_file())
    assert found, f"no profile in {folder}"
    return found


def read_all(paths: list[Path], base_dir: Path, **settings: Any) -> list[Profile]:
    return read_profiles(paths, base_dir=base_dir, seed=1, keep_unresolved=True, **settings)


def is_sound(profile: Profile) -> None:
    """Its scenario can be planned, and the goals of its cases hold no open hole."""
    plan = plan_of(scenarios([profile]).scenarios[0], 1)
    assert plan.count >= 1
    for params in islice(plan.params(0), min(plan.count, 20)):
        for goal in goals_of(profile, params):
            assert "{{" not in goal.phrase
            assert "<function" not in goal.phrase


def written_goals(path: Path) -> list[str]:
    data = yaml.safe_load(path.read_text(encoding="utf-8"))
    user = data.get("user", data)
    listed = user.get("goals") or user.get("ask_about")
    return [item.strip() for item in listed if isinstance(item, str)]


@pytest.mark.parametrize("compat", [None, "sensei"])
def test_senseis_profiles_load(shared_data: Path, compat: str | None) -> None:
    paths = files(shared_data / "profiles")
    profiles = read_all(paths, shared_data, compat=compat)
    assert len(profiles) == len(paths) == 29
    assert len({profile.name for profile in profiles}) == 29
    for path, profile in zip(paths, profiles, strict=True):
        is_sound(profile)
        assert list(profile.goals) == written_goals(path)
    unresolved = {item.text for profile in profiles for item in profile.unresolved}
    assert unresolved == {
        "any(3 soda drinks)",
        "any(3 alcoholic drinks)",
        "number_list() of list_functions/number_list.py",
        "shuffle_list() of list_functions/number_list.py",
    }


def test_the_shapes_of_senseis_profiles_are_told_apart(shared_data: Path) -> None:
    profiles = read_all(files(shared_data / "profiles"), shared_data)
    assert Counter(profile.shape for profile in profiles) == {
        "nested": 26,
        "nested with ask_about": 1,
        "nested with a list of conversation settings": 1,
        "nested with conversations": 1,
    }


def test_personas_named_in_senseis_profiles_are_found(shared_data: Path) -> None:
    path = shared_data / "profiles" / "pizza-order" / "user_sim_pizzaorder_custom.yml"
    profile = read_all([path], shared_data)[0]
    assert profile.context[-1] == "your name is Jon Doe"
    assert len(profile.context) > 1


def test_the_missing_python_file_is_named_and_hinders_no_other_profile(shared_data: Path) -> None:
    paths = files(shared_data / "profiles")
    with pytest.raises(ConfigurationError) as caught:
        read_profiles(paths, base_dir=shared_data, seed=1)
    assert len(caught.value.problems) == 2
    for problem in caught.value.problems:
        assert problem.file is not None
        assert problem.file.endswith(PYTHON)
        assert "'list_functions/number_list.py' is not there" in problem.message
    others = [path for path in paths if path.name != PYTHON]
    assert len(read_profiles(others, base_dir=shared_data, seed=1)) == 28


def test_cases_with_an_unresolved_value_are_known(shared_data: Path) -> None:
    path = shared_data / "profiles" / "pizza-order" / PYTHON
    profile = read_all([path], shared_data)[0]
    plan = plan_of(scenarios([profile]).scenarios[0], 1)
    params = next(plan.params(0))
    assert {item.need for item in unresolved_in(profile, params)} >= {"python"}


@pytest.mark.parametrize("compat", [None, "sensei"])
def test_all_examples_of_senseis_repository_load(compat: str | None) -> None:
    root = checkout("SPARRING_SENSEI")
    paths = files(root / "examples" / "profiles")
    profiles = read_all(paths, root, compat=compat)
    assert len(profiles) == len(paths) == 50
    for profile in profiles:
        is_sound(profile)


@pytest.mark.parametrize("compat", [None, "sensei"])
def test_the_public_profiles_of_the_evaluation_load(compat: str | None) -> None:
    root = checkout("SPARRING_SENSEI_EVALUATION")
    paths = [
        *(
            path
            for name in WILD
            for path in files(
                root / "chatbots-wild-analysis" / "chatbots" / name / "conversations", "*.y*ml"
            )
        ),
        *files(root / "mutation-analysis" / "profiles" / "bikeshop"),
        *files(root / "mutation-analysis" / "profiles" / "pizza-order"),
        *files(root / "mutation-analysis" / "profiles-rasa-new" / "pizzashop-test" / "profiles"),
    ]
    profiles = read_all(paths, root, compat=compat)
    assert Counter(profile.shape for profile in profiles) == {"flat": 28, "nested": 3}
    assert len({profile.name for profile in profiles}) == len(paths)
    for profile in profiles:
        is_sound(profile)
