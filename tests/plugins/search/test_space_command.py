from pathlib import Path

import pytest

from sparring.cli.app import invoke

SUITE = """\
name: places
app: {use: echo}
agent: {use: prompter, spaces: naviqa-11}
strategy: exhaustive
"""


def test_a_sample_shows_no_case_twice(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "space.yaml").write_text(
        "name: small\ncontent:\n  a: {values: [x, y, z]}\ntemplates: words.yaml\n"
    )
    (tmp_path / "words.yaml").write_text('start: "{a}"\n')
    assert invoke(["space", str(tmp_path / "space.yaml"), "--sample", "9"]) == 0
    shown = [line for line in capsys.readouterr().out.splitlines() if "small-" in line]
    assert len(shown) == len(set(shown)) == 3


def test_a_bundled_space_is_shown_with_sizes_constraints_and_sample(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert invoke(["space", "naviqa", "--sample", "3", "--seed", "4"]) == 0
    first = capsys.readouterr().out
    assert "13 features, 23,328,000 combinations" in first
    assert "rating: none, 3.5, 4, 4.5, 5 (in order)" in first
    assert "(only restaurants and cafes have a cuisine)" in first
    assert "2,944,944 of them satisfy the constraints (12.62%)" in first
    assert first.count("\n  naviqa-") == 3
    assert invoke(["space", "naviqa", "--sample", "3", "--seed", "4"]) == 0
    assert capsys.readouterr().out == first


def test_a_suite_without_scenarios_has_no_space(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    player = '{use: "sparring.testing.fakes:FakePlayer", space: {scenarios: []}}'
    (tmp_path / "suite.yaml").write_text(f"name: none\napp: {{use: echo}}\nagent: {player}\n")
    assert invoke(["space", str(tmp_path)]) == 5
    assert "there is no scenario" in capsys.readouterr().err


def test_a_suite_shows_the_space_of_its_player(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "suite.yaml").write_text(SUITE)
    assert invoke(["space", str(tmp_path), "--sample", "1"]) == 0
    assert "11 features, 11,664,000 combinations" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "name: x\ncontent: {a: [1, 2]}\nconstraints: [a > 2]",
            "space.yaml:3: constraints: no case",
        ),
        ("name: x\ncontent: {a: [1, 2]}\n", "has no `templates`: write a file of templates"),
        ("name: x\ncontents: {}\n", "Did you mean 'content'?"),
        ("name: [", "is not valid YAML"),
        ("", "is empty"),
    ],
)
def test_what_is_wrong_is_told_and_nothing_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, message: str
) -> None:
    path = tmp_path / "space.yaml"
    path.write_text(text)
    assert invoke(["space", str(path)]) == 2
    assert message in capsys.readouterr().err


def test_an_unknown_name_is_answered_with_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(["space", "safqa"]) == 2
    assert "Did you mean 'safeqa'?" in capsys.readouterr().err
