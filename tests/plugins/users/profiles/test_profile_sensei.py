"""Reading with ``compat: sensei``: what SENSEI takes is taken as SENSEI takes it."""

from pathlib import Path
from typing import Any

import pytest

from sparring.errors import ConfigurationError
from sparring_plugins.users.profiles.profile import Profile
from sparring_plugins.users.profiles.profile_files import read_profiles


def read(folder: Path, text: str, **settings: Any) -> Profile:
    file = folder / "p.yml"
    file.write_text(text)
    return read_profiles([file], base_dir=folder, seed=1, compat="sensei", **settings)[0]


@pytest.mark.parametrize("language", ["spanish", "Klingon", "englsh"])
def test_a_language_that_sensei_does_not_know_is_english(language: str, tmp_path: Path) -> None:
    profile = read(tmp_path, f"user: {{goals: [hello], language: {language}}}\n")
    assert profile.language == "English"
    assert len(profile.warnings) == 1


@pytest.mark.parametrize(
    ("written", "styles"),
    [
        ("[long phrases, shouting, all questions]", ("long phrases",)),
        ("[shouting, all questions]", ("default",)),
        ("[{random: [default]}, all questions]", ({"random": ["default"]},)),
        ("[{change language: [klingon]}]", ({"change language": ["klingon"]},)),
    ],
)
def test_an_unknown_style_drops_itself_and_all_that_follow(
    written: str, styles: tuple[Any, ...], tmp_path: Path
) -> None:
    text = f"user: {{goals: [hello]}}\nconversation: {{interaction_style: {written}}}\n"
    profile = read(tmp_path, text)
    assert profile.styles == styles
    assert len(profile.warnings) == 1


def test_unknown_output_types_are_text(tmp_path: Path) -> None:
    profile = read(tmp_path, "user: {goals: [hello]}\nchatbot: {output: [{a: {type: colour}}]}\n")
    assert profile.outputs[0].type == "str"
    assert "unknown output type 'colour'" in profile.warnings[0]


def test_steps_beside_all_answered_are_what_counts(tmp_path: Path) -> None:
    text = "user: {goals: [hello]}\nconversation: {goal_style: {all_answered: null, steps: 4}}\n"
    profile = read(tmp_path, text)
    assert (profile.goal_style, profile.steps) == ("steps", 4)
    assert profile.conversation[-1] == {"steps": 4}


def test_twenty_steps_are_too_many_for_sensei(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="SENSEI takes fewer than 20 steps, found 20"):
        read(tmp_path, "user: {goals: [hello]}\nconversation: {goal_style: {steps: 20}}\n")


def test_ranges_are_senseis(tmp_path: Path) -> None:
    goals = "['{{x}} {{y}}', {x: {type: int, data: {min: 1, max: 6, step: 2}}}, {y: {type: int, "
    profile = read(tmp_path, f"user: {{goals: {goals}data: {{min: 1, max: 4}}}}}}]}}\n")
    assert [variable.domain for variable in profile.variables] == [(1, 3, 5, 6), (1, 2, 3)]
