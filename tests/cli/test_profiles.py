"""``sparring profiles``: what packages propose is written, checked for names, and never trusted."""

from pathlib import Path
from typing import Any

import yaml

SOURCE = """
from sparring.discovery.hookspecs import hookimpl
from sparring.errors import ConfigurationError, Problem
from sparring_plugins.users.drafts import Drafts, ProfileDraft, ProfileSource

def profile(goal):
    return {"test_name": "t", "user": {"goals": [goal], "language": "English"},
            "chatbot": {"is_starter": False}, "conversation": {"number": 1}}

def read(folder):
    if not (folder / "bot.txt").exists():
        raise ConfigurationError(Problem("no bot is here", str(folder)))
    goals = (folder / "bot.txt").read_text().splitlines()
    names = [goal.partition("=")[0] for goal in goals]
    drafts = [ProfileDraft(name=name, data=profile("ask: {{x}}: no, \\u001b[31m" + name),
                           notes=("a note\\nof two lines", "\\u001b[2J")) for name in names]
    suite = {"name": "made", "app": {"use": "echo"},
             "agent": {"use": "user-simulator", "profiles": "profiles/*.yml"}}
    return Drafts(profiles=tuple(drafts), suite=suite, notes=("look at \\u001b[31mthis",))

@hookimpl
def sparring_profile_sources():
    return [ProfileSource("lines", "a file of lines", read)]
"""
GROUP = "sparring.hooks"


def bot(folder: Path, *names: str) -> Path:
    (folder / "bot").mkdir()
    (folder / "bot" / "bot.txt").write_text("\n".join(names))
    return folder / "bot"


def test_profiles_and_a_suite_are_written(program: Any, install: Any, tmp_path: Path) -> None:
    install("made-of-lines", GROUP, "lines = made_of_lines", SOURCE)
    ran = program("profiles", "new", "--from", "lines", bot(tmp_path, "one", "two"))
    assert ran.code == 0, ran.err
    assert ran.out.splitlines() == [
        "wrote profiles/one.yml",
        "wrote profiles/two.yml",
        "wrote suite.yaml",
        "now: sparring validate suite.yaml",
    ]
    assert "note: look at" in ran.err
    assert "\x1b" not in ran.err
    text = (tmp_path / "profiles/one.yml").read_text()
    assert text.splitlines()[:2] == [
        "# Proposed from lines; look through it before you trust it.",
        "# a note of two lines",
    ]
    assert "\x1b" not in text
    assert yaml.safe_load(text)["user"]["goals"] == ["ask: {{x}}: no, \x1b[31mone"]


def test_names_of_profiles_are_never_paths(program: Any, install: Any, tmp_path: Path) -> None:
    install("made-of-lines", GROUP, "lines = made_of_lines", SOURCE)
    names = ("../../etc/passwd", "/srv/x", "con:aux", "ü", "x" * 500)
    ran = program("profiles", "new", "--from", "lines", bot(tmp_path, *names), "--to", "to")
    assert ran.code == 0, ran.err
    written = sorted(path.name for path in (tmp_path / "to/profiles").iterdir())
    assert written == [
        "con_aux.yml",
        "etc_passwd.yml",
        "profile.yml",
        "srv_x.yml",
        "x" * 80 + ".yml",
    ]


def test_two_profiles_never_share_a_file(program: Any, install: Any, tmp_path: Path) -> None:
    install("made-of-lines", GROUP, "lines = made_of_lines", SOURCE)
    ran = program("profiles", "new", "--from", "lines", bot(tmp_path, "a b", "a/b"))
    assert ran.code == 2
    assert "two profiles are called 'a/b'" in ran.err
    assert not (tmp_path / "profiles").exists()


def test_what_is_there_is_kept(program: Any, install: Any, tmp_path: Path) -> None:
    install("made-of-lines", GROUP, "lines = made_of_lines", SOURCE)
    folder = bot(tmp_path, "one")
    (tmp_path / "suite.yaml").write_text("mine")
    assert "kept  suite.yaml" in program("profiles", "new", "--from", "lines", folder).out
    again = program("profiles", "new", "--from", "lines", folder)
    assert again.code == 2
    assert "there already is profiles/one.yml; use --force to replace them" in again.err
    assert program("profiles", "new", "--from", "lines", folder, "--force").code == 0


def test_an_unknown_source_is_answered_with_the_nearest(
    program: Any, install: Any, tmp_path: Path
) -> None:
    install("made-of-lines", GROUP, "lines = made_of_lines", SOURCE)
    ran = program("profiles", "new", "--from", "liens", bot(tmp_path))
    assert ran.code == 2
    assert "no package proposes profiles from 'liens'. Did you mean 'lines'?" in ran.err


def test_a_folder_that_is_not_there_or_of_another_kind_is_refused(
    program: Any, install: Any, tmp_path: Path
) -> None:
    install("made-of-lines", GROUP, "lines = made_of_lines", SOURCE)
    missing = program("profiles", "new", "--from", "lines", "nowhere")
    assert (missing.code, missing.err) == (
        2,
        "sparring: nowhere: there is no such file or folder\n",
    )
    (tmp_path / "empty").mkdir()
    other = program("profiles", "new", "--from", "lines", "empty")
    assert (other.code, other.err) == (2, "sparring: empty: no bot is here\n")


def test_nothing_to_propose_is_said(program: Any, install: Any, tmp_path: Path) -> None:
    install("made-of-lines", GROUP, "lines = made_of_lines", SOURCE)
    ran = program("profiles", "new", "--from", "lines", bot(tmp_path))
    assert ran.code == 2
    assert "nothing in it makes a profile (a file of lines)" in ran.err


def test_sources_are_listed(program: Any, install: Any) -> None:
    assert "no installed package proposes profiles" in program("profiles", "sources").err
    install("made-of-lines", GROUP, "lines = made_of_lines", SOURCE)
    assert program("profiles", "sources").out == "lines            a file of lines\n"


def test_two_packages_with_one_source_are_both_named(program: Any, install: Any) -> None:
    install("made-of-lines", GROUP, "lines = made_of_lines", SOURCE)
    install("lines-too", GROUP, "others = lines_too", SOURCE)
    ran = program("profiles", "sources")
    assert ran.code == 2
    assert "profiles from 'lines' are proposed by lines and by others; uninstall one" in ran.err


def test_a_broken_package_harms_no_other(program: Any, install: Any) -> None:
    install("made-of-lines", GROUP, "lines = made_of_lines", SOURCE)
    install("broken-too", GROUP, "broken = broken_too", "import no_such_module_anywhere")
    ran = program("profiles", "sources")
    assert ran.code == 0
    assert ran.out.startswith("lines")
    assert "warning: broken (broken_too, broken-too 1.0): ModuleNotFoundError" in ran.err
