"""Words that the glossary withdrew name nothing in the code any more."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOTS = ("core", "plugins", "connectors")

WITHDRAWN = {
    "kin": "neighbour, or what is shared",
    "in_vain": "stagnation, or what had no effect",
    "misfit": "a validation error, a signature error or a format error",
    "misfits": "validation errors",
    "sitting": "judge call",
    "spoilt": "environment error",
    "gist": "dialogue act",
    "rung": "structured-output fallback",
    "Happenings": "page events",
    "Sitting": "JudgeCall",
    "NotDone": "ActionError, or ClauseNotMet",
    "Conducted": "RunResult",
}
"""The glossary's word for each; see docs/reference/glossary.md."""

DEPRECATED = {"core/sparring/interfaces/oracle.py:misfits"}
"""Names that old packages may still have, read where this says."""


def names(tree: ast.AST) -> Iterator[str]:
    """Yield each name that a module binds: variables, arguments, functions, classes, attributes."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                yield name
            case ast.Attribute(attr=name, ctx=ast.Store()):
                yield name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield name
            case ast.ClassDef(name=name):
                yield name
            case _:
                pass


def test_no_name_is_a_word_that_the_glossary_withdrew(repository: Path) -> None:
    word = re.compile(rf"\b_*(?:{'|'.join(WITHDRAWN)})\b")
    uses = [
        f"{place}:{name}: write {WITHDRAWN[name.lstrip('_')]}"
        for root in ROOTS
        for file in sorted((repository / root).rglob("*.py"))
        for place in (file.relative_to(repository).as_posix(),)
        if word.search(text := file.read_text(encoding="utf-8"))  # to parse all takes seconds
        for name in sorted(set(names(ast.parse(text))))
        if name.lstrip("_") in WITHDRAWN and f"{place}:{name}" not in DEPRECATED
    ]
    assert not uses, "\n".join(uses)


def test_a_withdrawn_word_is_seen() -> None:
    tree = ast.parse("class Kin:\n    def _misfit(self, sitting): self.in_vain = 1; spoilt = 2")
    assert set(names(tree)) == {"Kin", "_misfit", "self", "sitting", "in_vain", "spoilt"}
