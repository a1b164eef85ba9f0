"""``sparring rules``: proposals are written and run; libraries are listed."""

from pathlib import Path
from typing import Any

import pytest

from sparring.testing.conversations import stored_run, trace_of


@pytest.fixture
def profiles(repository: Path) -> Path:
    return repository / "examples/pizzeria/profiles"


def test_proposals_are_written_loaded_and_judged(
    program: Any, profiles: Path, tmp_path: Path
) -> None:
    ran = program("rules", "new", "--from-profile", profiles / "predefined.yml", "-o", "made")
    assert ran.code == 0, ran.err
    assert ran.out.splitlines() == [
        "wrote made/predefined.yaml (5 rules)",
        "wrote made/all_profiles.yaml (3 rules, 1 of them off)",
        "look through them; on stored conversations try them with: sparring check RUN --rules made",
    ]
    text = (tmp_path / "made/predefined.yaml").read_text()
    assert text.startswith("# Proposed for the profile predefined; look through it before you")
    traces = [
        trace_of(
            [("a pizza", "Ok")],
            outputs={"price": price, "order_id": f"A{number}"},
            meta={"profile": "predefined"},
            size=size, pizza="hawaiian", cans=[1], drink=["water"],
        )
        for number, (size, price) in enumerate([("small", "$13"), ("big", "$12")])
    ]  # fmt: skip
    stored_run(tmp_path / "run", traces)
    ran = program("check", "run", "--rules", "made")
    assert ran.code == 1
    assert "['big'] gives" in ran.out or "big gives $12, small gives $13" in ran.out


def test_folders_and_several_profiles_are_taken(program: Any, profiles: Path) -> None:
    ran = program("rules", "new", "--from-profile", profiles, "-o", "all")
    assert ran.code == 0
    assert len(ran.out.splitlines()) == 17
    both = ["--from-profile", profiles / "table.yml", profiles / "party.yml"]
    ran = program("rules", "new", *both, "-o", "two")
    assert [line.split()[1] for line in ran.out.splitlines()[:3]] == [
        "two/table.yaml",
        "two/party.yaml",
        "two/all_profiles.yaml",
    ]


def test_nothing_is_replaced_unless_asked(program: Any, profiles: Path, tmp_path: Path) -> None:
    command = ["rules", "new", "--from-profile", profiles / "party.yml"]
    assert program(*command).code == 0
    (tmp_path / "rules/party.yaml").write_text("mine")
    ran = program(*command)
    assert ran.code == 2
    assert "there already is rules/party.yaml, rules/all_profiles.yaml; use --force" in ran.err
    assert (tmp_path / "rules/party.yaml").read_text() == "mine"
    assert program(*command, "--force").code == 0
    assert (tmp_path / "rules/party.yaml").read_text() != "mine"


WRONG = [
    (["new"], "Missing option '--from-profile'"),
    (["new", "--from-profile", "none.yml"], "none.yml: there is no such file or folder"),
    (["new", "--from-profile", "."], "holds no profile"),
    (["libraries", "genral"], "no rule library is called 'genral'. Did you mean 'general'?"),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG)
def test_what_is_wrong_is_said(program: Any, arguments: list[str], message: str) -> None:
    ran = program("rules", *arguments)
    assert ran.code == 2
    assert message in ran.err


def test_a_bad_profile_is_told_with_its_line(program: Any, tmp_path: Path) -> None:
    (tmp_path / "bad.yml").write_text("user:\n  goals: 3\nchatbot: [\n")
    ran = program("rules", "new", "--from-profile", "bad.yml")
    assert ran.code == 2
    assert "bad.yml" in ran.err
    assert "Traceback" not in ran.err


def test_the_rules_of_libraries_are_listed(program: Any) -> None:
    ran = program("rules", "libraries", "manners", "process")
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert "manners.formal (off by default)" in lines
    assert "process.steps_in_order" in lines
    assert "    steps: required" in lines
    assert not [line for line in lines if line.startswith("general.")]
    assert "general.no_debris" in program("rules", "libraries").out.splitlines()
