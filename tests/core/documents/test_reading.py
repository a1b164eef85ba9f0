"""YAML as people mean it, with lines; nothing that a file holds brings the program down."""

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from sparring.documents.reading import MAX_DEPTH, Document, dotted, parse, parse_all, read_document
from sparring.errors import ConfigurationError

TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), max_size=20)
KEYS = st.from_regex(r"[a-z][a-z_]{0,10}", fullmatch=True)
DATA: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)


@given(DATA)
def test_what_json_says_is_what_is_read(data: Any) -> None:
    """JSON is YAML: every JSON text means itself."""
    assert parse(json.dumps(data, ensure_ascii=False), "f").data == data


@given(DATA)
def test_yaml11_reads_what_the_safe_loader_reads(data: Any) -> None:
    text = yaml.safe_dump(data, allow_unicode=True)
    assert parse(text, "f", "yaml11").data == yaml.safe_load(text)


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    for dialect in ("strict", "yaml11"):
        with suppress(ConfigurationError):
            documents = parse_all(text, "f.yaml", dialect)
            assert all(isinstance(document, Document) for document in documents)


@pytest.mark.parametrize(
    ("text", "strict", "yaml11"),
    [
        ("no", "no", False),
        ("yes", "yes", True),
        ("on", "on", True),
        ("true", True, True),
        ("12:30", "12:30", 750),
        ("012", "012", 10),
        ("0x10", "0x10", 16),
        ("1_000", "1_000", 1000),
        ("1.5", 1.5, 1.5),
        ("1e3", 1000.0, "1e3"),
        (".5", 0.5, 0.5),
        ("-3", -3, -3),
        ("~", None, None),
        ("", None, None),
        ("'12'", "12", "12"),
        ("2024-01-02", "2024-01-02", yaml.safe_load("2024-01-02")),
    ],
)
def test_a_scalar_means_what_it_says(text: str, strict: Any, yaml11: Any) -> None:
    assert parse(f"key: {text}", "f").data == {"key": strict}
    assert parse(f"key: {text}", "f", "yaml11").data == {"key": yaml11}


def test_every_key_and_item_has_its_line() -> None:
    document = parse("a: 1\nb:\n  - c\n  - d:\n      e: 2\n", "f")
    assert document.lines == {
        (): 1, ("a",): 1, ("b",): 2, ("b", 0): 3, ("b", 1): 4, ("b", 1, "d"): 4,
        ("b", 1, "d", "e"): 5,
    }  # fmt: skip
    assert document.line(("b", 1, "d", "nothing")) == 4
    assert str(document.problem("odd", ("b", 1, "d"))) == "f:4: b[1].d: odd"


def test_merge_keys_give_way_to_own_keys() -> None:
    text = "base: &b {x: 1, y: 2}\nown:\n  <<: *b\n  y: 3\n"
    assert parse(text, "f").data["own"] == {"x": 1, "y": 3}


REFUSED = {
    "a key twice": ("a: 1\nb: 2\na: 3", "f:3: is not valid YAML: the key 'a' is written twice (first on line 1)"),
    "a list not closed": ("a: [1,\nb", "f:3: is not valid YAML: while parsing a flow sequence"),
    "a tab": ("a:\n\tb: 1", "f:2: is not valid YAML"),
    "a Python object": ("a: !!python/object:os.system x", "f:1: is not valid YAML: could not determine a constructor"),
    "two documents": ("a: 1\n---\nb: 2", "f:3: holds more than one YAML document"),
    "an alias of nothing": ("a: *b", "f:1: is not valid YAML: found undefined alias"),
    "an alias of itself": ("a: &a [*a]", "f:1: is not valid YAML: an alias contains itself"),
    "a list as a key": ("? [a, b]\n: 1", "f:1: is not valid YAML: a key must be a plain text"),
    "a control character": ("a: \x01", "f:1: is not valid YAML: unacceptable character #x0001: control characters are not allowed (column 4)"),
    "too deep": ("[" * 100_000, f"f:1: is not valid YAML: nested deeper than {MAX_DEPTH} levels"),
    "too deep in blocks": ("".join(f"{' ' * n}a:\n" for n in range(500)), "nested deeper than"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "message"), REFUSED.values(), ids=REFUSED)
def test_what_is_wrong_is_named_with_its_line(text: str, message: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        parse(text, "f")
    assert message in str(caught.value)


@pytest.mark.thorough
def test_aliases_of_aliases_do_not_explode() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    with pytest.raises(ConfigurationError, match="expands to too much data"):
        parse("\n".join(lines), "f")


def test_a_file_that_is_no_text_is_named_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_bytes(b"a: 1\nb: \xff\xfe\n")
    with pytest.raises(ConfigurationError, match=r"x\.yaml:2: is not UTF-8 text"):
        read_document(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"none\.yaml: cannot be read: No such file"):
        read_document(tmp_path / "none.yaml")


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_bytes(b"\xef\xbb\xbfa: 1\n")
    assert read_document(path).data == {"a": 1}


def test_a_path_is_shown_as_people_write_it() -> None:
    assert dotted(("oracles", 1, "files", 0)) == "oracles[1].files[0]"


HINTS = {
    "a colon": ("name: x\nthen: a: b", "f:2: is not valid YAML: mapping values are not allowed in this context (column 8); put a text that has a colon in quotes, or write it below `key: |`"),
    "a brace": ("then: {'a': 1}[x]", "did not find expected key (column 15); a text that begins with { must be in quotes, or below `key: |`"),
    "a bracket": ("- then: [x for x in y] == 1", "a text that begins with [ must be in quotes, or below `key: |`"),
    "a quote": ("then: 'a' == b", "(column 11); a text that begins with a quote must be in quotes as a whole"),
    "an at sign": ("then: @x", "(column 7); a text that begins with @ must be in quotes"),
    "a star": ("then: *b == c", "a text that begins with * must be in quotes"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "message"), HINTS.values(), ids=HINTS)
def test_a_text_that_yaml_takes_for_something_else_brings_a_hint(text: str, message: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        parse(text, "f")
    assert message in str(caught.value)


def test_a_list_that_is_not_closed_brings_no_hint_to_quote_it() -> None:
    with pytest.raises(ConfigurationError) as caught:
        parse("a: b\nc: [1,\nd", "f")
    assert "quotes" not in str(caught.value)
