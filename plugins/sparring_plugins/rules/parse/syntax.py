"""A rule as written, the scope of its expressions, and their text as a checked tree."""

import ast
import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import JsonValue

from sparring.errors import Problem
from sparring.interfaces.rule_function import RuleFunction
from sparring_plugins.rules.values.record import Each

MAX_LENGTH = 10_000
"""Characters of an expression."""

MAX_DEPTH = 100
"""Levels of an expression's tree."""

MESSAGE_KEYS = ("yields", "on-error")
"""Keys of a rule whose expression makes the message of a failure."""

# No value of a conversation has so many digits, and arithmetic with such numbers is slow.
_MAX_DIGITS = 400
_SENTENCE = 60

_OPERATORS: tuple[type[ast.AST], ...] = (
    *(ast.And, ast.Or, ast.Not, ast.USub, ast.UAdd),
    *(ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow),
    *(ast.BitAnd, ast.BitOr, ast.BitXor),
    *(ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE),
    *(ast.Is, ast.IsNot, ast.In, ast.NotIn),
)
_PARTS: tuple[type[ast.AST], ...] = (ast.Load, ast.Store, ast.keyword, ast.comprehension, ast.Slice)
_EXPRESSIONS: tuple[type[ast.AST], ...] = (
    *(ast.Constant, ast.Name, ast.Attribute, ast.Subscript, ast.Call),
    *(ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp),
    *(ast.List, ast.Tuple, ast.Dict, ast.Set),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
    *(ast.JoinedStr, ast.FormattedValue),
)
ALLOWED = frozenset((*_OPERATORS, *_PARTS, *_EXPRESSIONS))

_CALLED: dict[str, str] = {
    "Lambda": "`lambda`",
    "NamedExpr": "`:=`",
    "Await": "`await`",
    "Yield": "`yield`",
    "YieldFrom": "`yield from`",
    "Starred": "`*` before a value",
    "LShift": "`<<`",
    "RShift": "`>>`",
    "MatMult": "`@`",
    "Invert": "`~`",
}
_INSTEAD = (
    "Rules may use names, numbers, texts, lists, comparisons, `and`, `or`, `not`, arithmetic, "
    "`if ... else`, comprehensions, f-strings, and the functions and methods of the reference."
)


@dataclass(frozen=True, slots=True)
class ExpressionSource:
    """The text of an expression and where it stands.

    `line` and `column` (1-based) are those of its first character in the file; `exact` says that
    further lines of the text are further lines of the file.
    """

    text: str
    file: str = "<expression>"
    line: int = 1
    column: int = 1
    key: str = "expression"
    exact: bool = True

    def problem(self, message: str, line: int = 1, offset: int = 0) -> Problem:
        """A problem at a line (from 1) and offset of the text."""
        at = self.line_of(line)
        if not self.exact and line > 1:
            return Problem(message, self.file, at, self.key)
        column = offset + self.column
        return Problem(f"column {column}: {message}", self.file, at, self.key)

    def line_of(self, line: int) -> int:
        """The line in the file of a line of the text."""
        return self.line + line - 1 if self.exact else self.line


class NotAllowed(Exception):
    """An expression is no valid rule; carries the problem."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(str(problem))
        self.problem = problem


def parse(source: ExpressionSource) -> ast.expr:
    """The checked tree of an expression; raises NotAllowed."""
    if len(source.text) > MAX_LENGTH:
        raise NotAllowed(source.problem(f"longer than {MAX_LENGTH:,} characters"))
    if not source.text.strip():
        raise NotAllowed(source.problem("is empty"))
    tree = _parse_text(source)
    _check_depth(tree, source)
    for node in ast.walk(tree):
        _check(node, source)
    return tree


def refused(source: ExpressionSource, node: ast.AST, message: str) -> NotAllowed:
    """The refusal of a node, with its place."""
    line = getattr(node, "lineno", 1)
    return NotAllowed(source.problem(message, line, _offset(source, node)))


def _offset(source: ExpressionSource, node: ast.AST) -> int:
    """Characters before a node in its line (Python counts bytes)."""
    lines = source.text.splitlines() or [""]
    line = lines[min(getattr(node, "lineno", 1), len(lines)) - 1]
    before = line.encode("utf-8", "replace")[: getattr(node, "col_offset", 0)]
    return len(before.decode("utf-8", "replace"))


def _parse_text(source: ExpressionSource) -> ast.expr:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(source.text, mode="eval").body
        except SyntaxError as err:
            wrapped = _parse_bracketed(source.text)
            if wrapped is not None:
                return wrapped
            line, offset = err.lineno or 1, err.offset or len(source.text.splitlines()[-1]) + 1
            why = _plain_error(err) + _fstring_hint(source)
            raise NotAllowed(source.problem(why, line, offset - 1)) from None
        except (ValueError, MemoryError, RecursionError) as err:
            what = str(err) or "nested too deeply"
            raise NotAllowed(source.problem(f"cannot be read: {what[:100]}")) from None


def _plain_error(err: SyntaxError) -> str:
    text = (err.msg or "invalid syntax").removesuffix(".")
    rest = (err.text or "")[(err.offset or 1) - 1 :]
    if re.match(r"=(?!=)", rest) or "'=='" in text:
        return "rules compare with `==`; `=` assigns"
    if not err.offset and text == "invalid syntax":
        return "not a valid expression: it ends too early"
    if "for integer string conversion" in text:
        return "a number of too many digits"
    return f"not a valid expression: {text}"


def _fstring_hint(source: ExpressionSource) -> str:
    """A hint how to write a message that is a plain sentence; empty for other expressions."""
    text = source.text.strip()
    if source.key not in MESSAGE_KEYS or re.match(r"""[fF]?["']""", text):
        return ""
    if len(text) > _SENTENCE or re.search(r"""[\"'{}\\\n]""", text):
        return "; messages are expressions: write a plain text as f'…' inside of the value"
    return f"""; messages are expressions: for a plain text write "'{text}'" or f"{text}\""""


def _parse_bracketed(text: str) -> ast.expr | None:
    """An expression over several lines without brackets, read as if it had them."""
    if "\n" not in text.strip():
        return None
    try:
        tree = ast.parse(f"(\n{text}\n)", mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None
    return ast.increment_lineno(tree, -1)


def _check_depth(tree: ast.expr, source: ExpressionSource) -> None:
    level: list[ast.AST] = [tree]
    for _ in range(MAX_DEPTH):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        if not level:
            return
    raise NotAllowed(source.problem(f"nested deeper than {MAX_DEPTH} levels"))


def _check(node: ast.AST, source: ExpressionSource) -> None:
    kind = type(node)
    if kind not in ALLOWED:
        shown = _CALLED.get(kind.__name__, f"`{kind.__name__}`")
        raise refused(source, node, f"{shown} is not allowed in rules. {_INSTEAD}")
    match node:
        case ast.Constant(value=value):
            _check_constant(node, value, source)
        case ast.Name(id=name) | ast.Attribute(attr=name):
            if name.startswith("__"):
                raise refused(source, node, f"`{name}`: names may not begin with two underscores")
        case ast.comprehension(is_async=1):
            raise refused(source, node.iter, f"`async` is not allowed in rules. {_INSTEAD}")
        case ast.Dict(keys=keys) if None in keys:
            raise refused(source, node, f"`**` in a dict is not allowed in rules. {_INSTEAD}")
        case ast.keyword(arg=None):
            raise refused(source, node, f"`**` before a value is not allowed in rules. {_INSTEAD}")
        case _:
            pass


def _check_constant(node: ast.Constant, value: Any, source: ExpressionSource) -> None:
    if not (value is None or isinstance(value, (str, int, float))):
        raise refused(source, node, f"a constant of type {type(value).__name__!r} is not allowed")
    if isinstance(value, int) and value.bit_length() > 4 * _MAX_DIGITS:
        raise refused(source, node, f"a number of more than {_MAX_DIGITS} digits")


# A rule as written, and compiled.

Conversations = int | Literal["all"]


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule as read from its file.

    `filters` are `when` and `if`, in this order; `oracle` is `oracle` or `then`; `message` is
    `yields` or `on-error`. `check` is what verdicts call the rule: its name, made unique.
    `each` asks for a verdict on every turn or answer, `groups` are the expressions whose values a
    rule over all conversations is judged for one by one, and `parameters` are constants.
    """

    name: str
    check: str
    description: str
    conversations: Conversations
    filters: tuple[ExpressionSource, ...]
    oracle: ExpressionSource
    message: ExpressionSource | None
    file: str
    line: int
    active: bool = True
    each: Each | None = None
    groups: tuple[ExpressionSource, ...] = ()
    parameters: Mapping[str, JsonValue] = field(default_factory=dict[str, JsonValue])


# What the names of an expression stand for, by the kind of rule and the part of it.

Part = Literal["filter", "oracle"]

MAX_CONVERSATIONS = 8
"""Conversations that one rule may compare."""

BASICS = frozenset(
    {
        *("abs", "all", "any", "bool", "dict", "enumerate", "float", "int", "len", "list", "max"),
        *("min", "range", "repr", "reversed", "round", "set", "sorted", "str", "sum", "tuple"),
        "zip",
    }
)
"""Python's own functions that expressions may call."""

SENSEI_OVER_ALL = frozenset({"is_unique", "exists", "num_exist"})
"""Functions over all conversations that SENSEI has."""

OF_TESTS = frozenset({"exists", "num_exist", "all_of", "none_of", "share"})
"""Those that ask for which conversations an expression is true."""

OF_VALUES = frozenset(
    {"values", "same", "average", "median", "percentile", "total", "smallest", "largest"}
)
"""Those that ask for an expression's values."""

OVER_ALL = SENSEI_OVER_ALL | OF_TESTS | OF_VALUES
"""Functions over all conversations that pass a rule's filter."""

SPECIAL = frozenset({"hasattr", "getattr", "isinstance"})


@dataclass(frozen=True, slots=True)
class Scope:
    """The surroundings of one expression.

    `conversations` is how many the expression compares; `many` says that it sees the list of all
    of them instead (the oracle of a rule over all). `sensei` asks for SENSEI's own readings. `each`
    says that the expression is about one turn or answer, `grouped` that it is about the
    conversations of one group; `parameters` are the rule's constants.
    """

    conversations: int = 1
    many: bool = False
    part: Part = "oracle"
    sensei: bool = False
    functions: Mapping[str, RuleFunction] = field(default_factory=dict[str, RuleFunction])
    each: Each | None = None
    grouped: bool = False
    parameters: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @property
    def known_functions(self) -> list[str]:
        """All names that may be called."""
        return sorted({*BASICS, *SPECIAL, *OVER_ALL, *self.functions})
