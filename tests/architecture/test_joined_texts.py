"""No two words become one where a text goes on in the next line.

`words("... rendered" "included ...")` once hid 70 words from the grammar of steps, and no test
noticed. ISC004 of ruff forbids texts that stand side by side in lists, tuples and sets; what is
handed to a function is looked at here.
"""

import ast
import io
import tokenize
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("core", "plugins", "connectors", "contrib", "site")


@pytest.mark.parametrize("folder", FOLDERS)
def test_texts_side_by_side_are_not_glued(folder: str) -> None:
    paths = [p for p in sorted((ROOT / folder).rglob("*.py")) if "house" not in p.parts]
    assert [seam for path in paths for seam in glued(path)] == []


def glued(path: Path) -> Iterator[str]:
    """The seams between two letters, with their places."""
    text = path.read_bytes()
    lines = text.splitlines(keepends=True)
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.Constant | ast.JoinedStr) or node.end_lineno == node.lineno:
            continue
        span = lines[node.lineno - 1 : node.end_lineno]
        span[-1] = span[-1][: node.end_col_offset]
        source = b"".join(span)[node.col_offset :].decode()
        for first, second in pairwise(literals(source)):
            left, right = content(first), content(second)
            if left[-1:].isalpha() and right[:1].isalpha():
                yield f"{path.relative_to(ROOT)}:{node.lineno}: {left[-20:]}|{right[:20]}"


def literals(source: str) -> list[str]:
    tokens = tokenize.generate_tokens(io.StringIO(f"({source})").readline)
    return [token.string for token in tokens if token.type == tokenize.STRING]


def content(literal: str) -> str:
    """What a literal says; of one with strange escapes its source."""
    plain = literal.lstrip("rRbBuUfF")
    try:
        return str(ast.literal_eval(plain))
    except (SyntaxError, ValueError):
        return plain.strip("'\"")


def test_a_glued_text_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    path = tmp_path / "one.py"
    path.write_text("a = f('x y'\n      'z')\nb = f('x '\n      'y')\n", encoding="utf-8")
    assert list(glued(path)) == ["one.py:1: x y|z"]
