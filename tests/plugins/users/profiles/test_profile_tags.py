"""Tags of profiles, by which ``sparring run -k`` selects."""

from pathlib import Path

import pytest

from sparring.errors import ConfigurationError
from sparring_plugins.users.profiles.current_form import current_form
from sparring_plugins.users.profiles.profile import scenarios
from sparring_plugins.users.profiles.profile_files import read_profiles

PROFILE = "test_name: order\ntags: {tags}\nuser:\n  goals: [how long the delivery takes]\n"


def write(folder: Path, tags: str) -> Path:
    path = folder / "order.yaml"
    path.write_text(PROFILE.format(tags=tags), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("written", "tags"),
    [("[smoke, nightly, smoke]", ("smoke", "nightly")), ("smoke", ("smoke",)), ("", ())],
)
def test_tags_are_those_of_the_scenario_and_are_kept(
    tmp_path: Path, written: str, tags: tuple[str, ...]
) -> None:
    path = write(tmp_path, written)
    (profile,) = read_profiles([path], base_dir=tmp_path, seed=0)
    assert profile.tags == tags
    (scenario,) = scenarios([profile]).scenarios
    assert scenario.tags == (f"shape:{profile.shape}", *tags)
    assert current_form(path, tmp_path).data.get("tags", []) == list(tags)


def test_a_tag_that_is_no_text_is_named_with_its_place(tmp_path: Path) -> None:
    path = write(tmp_path, "[smoke, {a: b}]")
    with pytest.raises(ConfigurationError, match=r"order\.yaml:2: tags"):
        read_profiles([path], base_dir=tmp_path, seed=0)
