"""The context of a profile and the persona files it names."""

from pathlib import Path

import pytest

from sparring.errors import ConfigurationError
from sparring.testing.fakes import FakeContext
from sparring_plugins.users.player import UserSimulator
from sparring_plugins.users.profiles.profile import Profile
from sparring_plugins.users.profiles.profile_files import read_profiles


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """A suite's folder with a persona, and profiles two folders below."""
    (tmp_path / "personalities").mkdir()
    (tmp_path / "personalities" / "rude.yml").write_text("context:\n  - be rude\n  - be brief\n")
    (tmp_path / "profiles" / "shop").mkdir(parents=True)
    return tmp_path


def read(suite: Path, context: str, **settings: object) -> Profile:
    file = suite / "profiles" / "shop" / "order.yml"
    file.write_text(f"user:\n  goals: [hello]\n  context: {context}\n")
    return read_profiles([file], base_dir=suite, seed=1, **settings)[0]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("context", "expected"),
    [
        ("null", ()),
        ("[]", ()),
        ("you are vegan", ("you are vegan",)),
        ("[you are vegan, null]", ("you are vegan",)),
        ("{personality: personalities/rude.yml}", ("be rude", "be brief")),
        ("[{personality: personalities/rude.yml}]", ("be rude", "be brief")),
        (
            "[you are vegan, {personality: personalities/rude.yml}, you are late]",
            ("be rude", "be brief", "you are vegan", "you are late"),
        ),
        ("[{personality: null}, you are vegan]", ("you are vegan",)),
    ],
)
def test_every_form_of_context_is_read_with_the_persona_first(
    suite: Path, context: str, expected: tuple[str, ...]
) -> None:
    assert read(suite, context).context == expected


def test_the_nearest_persona_file_wins(suite: Path) -> None:
    near = suite / "profiles" / "personalities"
    near.mkdir()
    (near / "rude.yml").write_text("context: be very rude\n")
    assert read(suite, "{personality: personalities/rude.yml}").context == ("be very rude",)


def test_a_persona_is_also_looked_for_in_the_suites_folder(suite: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "mine").mkdir(parents=True)
    (elsewhere / "mine" / "kind.yml").write_text("context: [be kind]\n")
    file = suite / "profiles" / "shop" / "order.yml"
    file.write_text("user:\n  goals: [hello]\n  context: {personality: mine/kind.yml}\n")
    assert read_profiles([file], base_dir=elsewhere, seed=1)[0].context == ("be kind",)


def test_the_suites_persona_is_for_profiles_that_name_none(suite: Path) -> None:
    kind = suite / "kind.yml"
    kind.write_text("context: [be kind]\n")
    assert read(suite, "[you are vegan]", persona=kind).context == ("be kind", "you are vegan")
    named = read(suite, "{personality: personalities/rude.yml}", persona=kind)
    assert named.context == ("be rude", "be brief")


def test_a_missing_persona_is_named_with_the_places_looked_in(suite: Path) -> None:
    with pytest.raises(ConfigurationError) as caught:
        read(suite, "{personality: personalities/nobody.yml}")
    message = str(caught.value)
    start = "profiles/shop/order.yml:3: user.context.personality: "
    assert message.startswith(f"{start}the persona file 'personalities/nobody.yml' is not there")
    looked = message.split("looked in ")[1].split(", ")
    shop = suite / "profiles" / "shop"
    assert looked[:3] == [str(shop), str(suite / "profiles"), str(suite)]


def test_sensei_passes_over_a_missing_persona_and_so_does_its_mode(suite: Path) -> None:
    profile = read(suite, "[you are vegan, {personality: nobody.yml}]", compat="sensei")
    assert profile.context == ("you are vegan",)
    assert "the persona file 'nobody.yml' is not there" in profile.warnings[0]


@pytest.mark.parametrize(
    ("persona", "message"),
    [
        ("", "persona.yml: expected the key 'context' with sentences"),
        ("[a]", "persona.yml:1: expected the key 'context' with sentences"),
        ("contxt: [a]", "persona.yml:1: expected the key 'context' with sentences"),
        (
            "context: [a]\nnam: b",
            "persona.yml:2: nam: unknown key. Known: context, traits.",
        ),
        (
            "context:\n  - a\n  - 5",
            "persona.yml:3: context[1]: expected a sentence, found 5 (put it in quotes)",
        ),
        ("context: [a", "persona.yml:2: is not valid YAML"),
    ],
)
def test_a_persona_file_that_cannot_be_read_is_named(
    suite: Path, persona: str, message: str
) -> None:
    (suite / "persona.yml").write_text(persona)
    with pytest.raises(ConfigurationError) as caught:
        read(suite, "{personality: persona.yml}")
    assert message in str(caught.value)


@pytest.mark.parametrize("name", ["", "a\0b", "x" * 5000, "profiles"])
def test_an_impossible_path_is_a_missing_persona(suite: Path, name: str) -> None:
    quoted = name.replace("\0", "\\0")
    with pytest.raises(ConfigurationError, match="is not there; looked in"):
        read(suite, f'{{personality: "{quoted}"}}')


def test_paths_may_start_from_where_the_command_was_given(
    suite: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = suite / "profiles" / "shop"
    (shop / "order.yml").write_text(
        "user:\n  goals: [hello]\n  context: {personality: personalities/rude.yml}\n"
    )
    for folder, path in (
        (suite, "profiles/shop/order.yml"),
        (shop, "order.yml"),
        (suite / "personalities", "../profiles/shop/order.yml"),
    ):
        monkeypatch.chdir(folder)
        for base_dir in (Path(), suite):
            profile = read_profiles([Path(path)], base_dir=base_dir, seed=1)[0]
            assert profile.context == ("be rude", "be brief")
        assert profile.source == "profiles/shop/order.yml"


def test_a_suites_persona_that_is_not_there_is_answered_with_the_nearest(tmp_path: Path) -> None:
    (tmp_path / "p.yml").write_text("test_name: t\nuser: {goals: [hi]}\n", encoding="utf-8")
    context = FakeContext(base_dir=tmp_path)
    with pytest.raises(ConfigurationError, match=r"no persona is called 'eldrly'.*'elderly'"):
        context.build(UserSimulator, profiles="p.yml", persona="eldrly")
    with pytest.raises(ConfigurationError, match=r"eldrly\.yml"):
        context.build(UserSimulator, profiles="p.yml", persona="my/eldrly.yml")
