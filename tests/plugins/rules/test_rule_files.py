"""Rule files: what they may hold, and what their authors read when they are wrong."""

from pathlib import Path
from typing import Any

import pytest

from sparring.errors import ConfigurationError
from sparring.model.verdict import Outcome
from sparring_plugins.rules.oracle import RulesOracle

from .judging import Bench, pizza

BAD = {
    "empty file": ("", "r.yaml: a rule is a map with a name and an oracle, found nothing"),
    "a list": ("- name: x\n", "r.yaml:1: a rule is a map"),
    "a text": ("hello\n", "r.yaml:1: a rule is a map with a name and an oracle, found 'hello'"),
    "not YAML": ("name: [x\n", "r.yaml:2: is not valid YAML"),
    "no name": ("oracle: 'True'\n", "r.yaml:1: the key `name` is missing"),
    "empty name": ("name: ''\noracle: 'True'\n", "r.yaml:1: name: is empty"),
    "no oracle": ("name: x\n", "the key `oracle` is missing (`then` means the same)"),
    "empty oracle": ("name: x\noracle: ' '\n", "r.yaml:2: oracle: is empty"),
    "oracle without text": (
        "name: x\noracle: true\n",
        'r.yaml:2: oracle: must be a text, found True; write "True" in quotes',
    ),
    "filter without text": (
        "name: x\nwhen: 1\noracle: 'True'\n",
        "r.yaml:2: when: must be a text, found 1; write it in quotes",
    ),
    "oracle as a list": ("name: x\noracle: [1]\n", "oracle: must be a text, found [1]"),
    "oracle twice": (
        "name: x\noracle: 'True'\nthen: 'True'\n",
        "r.yaml:3: then: `oracle` and `then` mean the same: write one of them",
    ),
    "message twice": (
        "name: x\noracle: 'True'\nyields: '1'\non-error: '1'\n",
        "r.yaml:4: on-error: `yields` and `on-error` mean the same",
    ),
    "unknown key": (
        "name: x\noracel: 'True'\n",
        "r.yaml:2: oracel: unknown key. Did you mean 'oracle'?",
    ),
    "key twice": ("name: x\nname: y\noracle: 'True'\n", "the key 'name' is written twice"),
    "name of another kind": ("name: 5\noracle: 'True'\n", "r.yaml:1: name: must be a text"),
    "no conversations": (
        "name: x\nconversations: null\noracle: 'True'\n",
        "r.yaml:2: conversations: must be a number or all, found None",
    ),
    "conversations in words": (
        "name: x\nconversations: two\noracle: 'True'\n",
        "conversations: must be a number or all, found 'two'",
    ),
    "zero conversations": (
        "name: x\nconversations: 0\noracle: 'True'\n",
        "r.yaml:2: conversations: must be 1 to 8 or all, found 0",
    ),
    "too many conversations": (
        "name: x\nconversations: 99\noracle: 'True'\n",
        "must be 1 to 8 or all, found 99",
    ),
    "half a conversation": (
        "name: x\nconversations: 1.5\noracle: 'True'\n",
        "must be a number or all, found 1.5",
    ),
    "conversations true": ("name: x\nconversations: true\noracle: 'x'\n", "found True"),
    "active in words": (
        "name: x\nactive: yes please\noracle: 'True'\n",
        "r.yaml:2: active: must be true or false, found 'yes please'",
    ),
    "message that is wrong": (
        "name: x\noracle: 'True'\nyields: f'{price'\n",
        "r.yaml:3: yields: ",
    ),
    "second document": ("name: x\noracle: 'True'\n---\nname: y\n", "r.yaml:4: the key `oracle`"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_wrong_file_is_refused_with_the_place(bench: Bench, name: str) -> None:
    text, message = BAD[name]
    (bench.folder / "r.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationError) as caught:
        bench.context.build(RulesOracle, files="r.yaml")
    assert message in str(caught.value)


def test_a_file_that_is_no_text_is_refused(bench: Bench) -> None:
    (bench.folder / "r.yaml").write_bytes(b"name: x\noracle: '\xff'\n")
    with pytest.raises(ConfigurationError, match=r"r\.yaml:2: is not UTF-8 text"):
        bench.context.build(RulesOracle, files="r.yaml")


def test_files_that_match_nothing_are_refused(bench: Bench) -> None:
    with pytest.raises(ConfigurationError, match="no file matches"):
        bench.context.build(RulesOracle, files="none/*.yaml")


SETTINGS = [
    ({}, "names neither `files` nor `libraries`"),
    ({"files": []}, "files"),
    ({"files": "x", "compat": "botium"}, "compat"),
    ({"files": "x", "activate": "some"}, "activate"),
    ({"files": "x", "max_failures_listed": -1}, "max_failures_listed"),
    ({"files": "x", "work": 0}, "work"),
    ({"files": "x", "filez": "x"}, "Did you mean 'files'?"),
]


@pytest.mark.parametrize(("settings", "message"), SETTINGS)
def test_wrong_settings_are_refused(bench: Bench, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        bench.context.build(RulesOracle, **settings)
    assert message in str(caught.value)


def test_several_files_and_documents_are_read_in_order(bench: Bench) -> None:
    (bench.folder / "b.yml").write_text("name: third\noracle: 'True'\n")
    (bench.folder / "a.yaml").write_text(
        "name: first\noracle: 'True'\n---\nname: second\ndescription: d\noracle: 'True'\n---\n"
    )
    (bench.folder / "deep").mkdir()
    (bench.folder / "deep" / "c.yaml").write_text("\ufeffname: fourth\nthen: 'True'\n")
    oracle = bench.context.build(RulesOracle, files=["a.yaml", "*.yml", "deep"])
    verdicts = bench.judge(oracle, [pizza()])
    assert [verdict.check for verdict in verdicts] == ["first", "second", "third", "fourth"]
    assert {verdict.outcome for verdict in verdicts} == {Outcome.PASS}


def test_equal_names_are_told_apart_by_their_files(bench: Bench) -> None:
    for name in ("a", "b"):
        (bench.folder / f"{name}.yaml").write_text("name: same\noracle: 'True'\n")
    oracle = bench.context.build(RulesOracle, files="*.yaml")
    assert [v.check for v in bench.judge(oracle, [pizza()])] == ["same (a)", "same (b)"]
    assert "several rules are called 'same'; this one is 'same (a)'" in bench.context.warnings[0]


def test_equal_names_in_files_of_one_name_are_told_apart_by_their_folders(bench: Bench) -> None:
    for name in ("pizza/a", "coffee/a", "coffee/b", "deep/coffee/b"):
        (bench.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (bench.folder / f"{name}.yaml").write_text("name: same\noracle: 'True'\n")
    oracle = bench.context.build(RulesOracle, files="**/*.yaml")
    assert [v.check for v in bench.judge(oracle, [pizza()])] == [
        "same (coffee/a)",
        "same (coffee/b)",
        "same (deep/coffee/b)",
        "same (pizza/a)",
    ]


SENTENCES = {
    "a sentence": ("never repeated", """for a plain text write "'never repeated'" or f"never repeated\""""),
    "an apostrophe": ("it's too cheap", "write a plain text as f'…'"),
}  # fmt: skip


@pytest.mark.parametrize("key", ["yields", "on-error"])
@pytest.mark.parametrize(("text", "hint"), SENTENCES.values(), ids=SENTENCES)
def test_a_message_that_is_a_plain_sentence_is_told_how_to_be_written(
    bench: Bench, key: str, text: str, hint: str
) -> None:
    with pytest.raises(ConfigurationError) as caught:
        bench.oracle({"oracle": "True", key: text})
    assert hint in str(caught.value)
    assert f"000.yaml:4: {key}: column " in str(caught.value)


def test_an_oracle_that_is_a_plain_sentence_brings_no_word_of_messages(bench: Bench) -> None:
    with pytest.raises(ConfigurationError) as caught:
        bench.oracle("never repeated")
    assert "plain text" not in str(caught.value)


PLACES = {
    "plain": ("name: x\noracle: bad()\n", 2, 9),
    "single quotes": ("name: x\noracle: 'bad()'\n", 2, 10),
    "double quotes": ('name: x\noracle:   "1 + bad()"\n', 2, 16),
    "block": ("name: x\noracle: |\n  bad()\n", 3, 3),
    "second line of a block": ("name: x\noracle: |  # why\n    True and\n    bad()\n", 4, 5),
    "blank line before": ("name: x\noracle: |\n\n  bad()\n", 4, 3),
    "folded": ("name: x\noracle: >-\n  bad()\n", 3, 3),
    "plain over two lines": ("name: x\noracle: True and\n  bad()\n", 2, 18),
    "beyond ASCII": ("name: x\noracle: \"'größe' == bad()\"\n", 2, 21),
}


@pytest.mark.parametrize("name", PLACES)
def test_mistakes_are_shown_at_their_line_and_column(bench: Bench, name: str) -> None:
    text, line, column = PLACES[name]
    (bench.folder / "r.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationError) as caught:
        bench.context.build(RulesOracle, files="r.yaml")
    assert str(caught.value).startswith(f"r.yaml:{line}: oracle: column {column}: ")


def test_report_folders_are_passed_over_as_in_sensei(bench: Bench) -> None:
    folder = bench.folder / "__report__"
    folder.mkdir()
    (folder / "x.yaml").write_text("Global report: 1\n")
    Path(bench.folder / "r.yaml").write_text("name: x\ndescription: ''\noracle: 'True'\n")
    oracle = bench.context.build(RulesOracle, files=".", compat="sensei")
    assert [rule.rule.name for rule in oracle.rules.single] == ["x"]
