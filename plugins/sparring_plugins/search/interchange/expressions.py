"""Constraints of PICT and ACTS as conditions over features.

Both write terms such as ``[Size] <= 4096`` or ``OS != "L"``, joined by AND, OR and NOT or by
``&&``, ``||``, ``!`` and ``=>``. PICT compares texts without regard to the case of letters, so that
values are replaced by those of the model's parameters.
"""

import re
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatchcase

from pydantic import JsonValue

_TOKEN = re.compile(
    r"""\s*(?:
    (?P<name>\[[^\]\n]{1,200}\]) | "(?P<text>[^"\n]{0,500})"
    | (?P<mark>=>|&&|\|\||<>|!=|<=|>=|==|[=<>!(){},])
    | (?P<word>[^\s\[\]"=<>!(){},&|;]{1,200}) )""",
    re.VERBOSE,
)
_RELATIONS = {"=": "==", "==": "==", "<>": "!=", "!=": "!=",
              "<": "<", "<=": "<=", ">": ">", ">=": ">="}  # fmt: skip
# Each bracket is a call within another; Python's own limit would end in a traceback.
_MOST_LEVELS = 50


@dataclass(frozen=True)
class Parameter:
    """A parameter of a foreign model: its own name, the feature's, and the values in order."""

    written: str
    name: str
    values: tuple[JsonValue, ...]

    def value(self, text: str) -> JsonValue:
        """Return the value that a text stands for, in any case of letters; else a number or it."""
        text = text.strip()
        matches = [value for value in self.values if str(value).casefold() == text.casefold()]
        matches.sort(key=lambda value: str(value) != text)  # ACTS tells "Bar" from "bar"
        return matches[0] if matches else plain_value(text)


def plain_value(text: str) -> JsonValue:
    """Return a text as a number if it is one; ``007`` stays a text, as codes are."""
    text = text.strip()
    if re.fullmatch(r"[+-]?(?:0|[1-9]\d{0,17})", text):
        return int(text)
    return float(text) if re.fullmatch(r"[+-]?\d{0,18}\.\d{1,18}", text) else text


class ExpressionError(ValueError):
    """A constraint cannot be read; the text says what was expected and what stands there."""


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str

    @property
    def upper(self) -> str:
        return self.text.upper() if self.kind == "word" else self.text


def conditions_of(text: str, parameters: Mapping[str, Parameter]) -> list[str]:
    """Return a constraint as conditions that all hold; raises ExpressionError.

    `parameters` are by their own names in lower case. A constraint with ELSE makes two conditions.
    """
    return _Parser(_tokens(text), parameters).constraint()


def _tokens(text: str) -> list[_Token]:
    tokens: list[_Token] = []
    text, at = text.rstrip(), 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise ExpressionError(f"cannot read {text[at : at + 40].strip()[:20]!r}")
        kind = str(match.lastgroup)
        tokens.append(_Token(kind, match[kind][1:-1] if kind == "name" else match[kind]))
        at = match.end()
    return tokens


class _Parser:
    """Recursive descent: implication, then OR, AND, NOT, and single terms."""

    def __init__(self, tokens: Sequence[_Token], parameters: Mapping[str, Parameter]) -> None:
        self._tokens = tokens
        self._parameters = parameters
        self._by_name = {parameter.name: parameter for parameter in parameters.values()}
        self._at = self._level = 0

    def constraint(self) -> list[str]:
        conditions = self._if() if self._take("IF") else [self._implication()]
        if self._at < len(self._tokens):
            raise ExpressionError(f"did not expect {self._next.text!r}")
        return conditions

    def _if(self) -> list[str]:
        when = self._implication()
        self._expect("THEN")
        conditions = [f"not ({when}) or {self._implication()}"]
        if self._take("ELSE"):
            conditions.append(f"({when}) or {self._implication()}")
        return conditions

    def _implication(self) -> str:
        left = self._joined("or", ("OR", "||"))
        if not self._take("=>"):
            return left
        with self._nested():
            return f"(not {left} or {self._implication()})"

    def _joined(self, word: str, marks: tuple[str, str]) -> str:
        part = self._and if word == "or" else self._not
        parts = [part()]
        while self._take(*marks):
            parts.append(part())
        return f"({f' {word} '.join(parts)})" if len(parts) > 1 else parts[0]

    def _and(self) -> str:
        return self._joined("and", ("AND", "&&"))

    def _not(self) -> str:
        if not self._take("NOT", "!"):
            return self._term()
        with self._nested():
            return f"not {self._not()}"

    @contextmanager
    def _nested(self) -> Generator[None]:
        """Count a level; raises ExpressionError before Python's own limit of recursion."""
        self._level += 1
        if self._level > _MOST_LEVELS:
            raise ExpressionError(
                f"has more than {_MOST_LEVELS} brackets, NOT or => within each other"
            )
        yield
        self._level -= 1

    def _term(self) -> str:
        if self._take("("):
            with self._nested():
                inside = self._implication()
                self._expect(")")
            parameter = self._by_name.get(inside)
            return self._comparison(parameter) if parameter else f"({inside})"
        token = self._advance()
        parameter = self._parameters.get(token.text.strip().casefold())
        if parameter is None:
            raise ExpressionError(f"{token.text!r} is no parameter of the model")
        if self._at < len(self._tokens) and self._next.text == ")" and self._level:
            return parameter.name  # ACTS writes (p3)!=("v1")
        return self._comparison(parameter)

    def _comparison(self, parameter: Parameter) -> str:
        name = parameter.name
        if self._take("IN"):
            return f"{name} in {self._value_list(parameter)!r}"
        if self._take("LIKE"):
            pattern = self._advance().text.casefold()
            return f"{name} in {[v for v in parameter.values if _is_like(v, pattern)]!r}"
        if self._at >= len(self._tokens) or self._next.text not in _RELATIONS:
            return f"{name} == {parameter.value('true')!r}"  # a boolean alone
        relation = _RELATIONS[self._advance().text]
        return f"{name} {relation} {self._right_side(parameter)}"

    def _right_side(self, parameter: Parameter) -> str:
        bracket = self._take("(")
        token = self._advance()
        if bracket:
            self._expect(")")
        other = self._parameters.get(token.text.strip().casefold())
        is_value = any(str(v).casefold() == token.text.casefold() for v in parameter.values)
        if token.kind == "name" or (token.kind == "word" and other is not None and not is_value):
            if other is None:
                raise ExpressionError(f"{token.text!r} is no parameter of the model")
            return other.name
        return repr(parameter.value(token.text))

    def _value_list(self, parameter: Parameter) -> list[JsonValue]:
        self._expect("{")
        values = [parameter.value(self._advance().text)]
        while self._take(","):
            values.append(parameter.value(self._advance().text))
        self._expect("}")
        return values

    @property
    def _next(self) -> _Token:
        return self._tokens[self._at]

    def _advance(self) -> _Token:
        if self._at >= len(self._tokens):
            raise ExpressionError("ends too early")
        self._at += 1
        return self._tokens[self._at - 1]

    def _take(self, *texts: str) -> bool:
        taken = (
            self._at < len(self._tokens)
            and self._next.kind in ("word", "mark")
            and self._next.upper in texts
        )
        self._at += taken
        return taken

    def _expect(self, text: str) -> None:
        if not self._take(text):
            there = self._next.text if self._at < len(self._tokens) else "the end"
            raise ExpressionError(f"expected {text}, not {there!r}")


def _is_like(value: JsonValue, pattern: str) -> bool:
    return fnmatchcase(str(value).casefold(), pattern.replace("[", "[[]"))
