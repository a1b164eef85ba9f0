"""Write a feature space as a model of PICT or ACTS, or as a configuration of STELLAR."""

import ast
import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import JsonValue

from sparring.errors import ConfigurationError
from sparring.model.space import Scenario, Variable
from sparring_plugins.search.space import CaseSpace
from sparring_plugins.search.space.weights import weights_of

Format = Literal["pict", "acts", "stellar"]

# ACTS and PICT read constraints as text; with more of them both take hours.
_MOST_FORBIDDEN = 2_000


@dataclass(frozen=True)
class _Notation:
    """How a format writes parameters, relations and connectives."""

    parameter: Callable[[str], str]
    equal: str
    unequal: str
    both: str
    either: str
    negation: str


_PICT = _Notation(lambda name: f"[{name}]", "=", "<>", " AND ", " OR ", "NOT ")
_ACTS = _Notation(lambda name: name, "=", "!=", " && ", " || ", "!")


class _Inexpressible(Exception):
    """A condition has something that a format cannot say."""


def export_space(scenario: Scenario, cases: CaseSpace, to: Format) -> str:
    """Return a scenario in a foreign format.

    Constraints that PICT or ACTS cannot say are written as the combinations of values that they
    forbid; STELLAR has no constraints, so that they are left out. Raises ConfigurationError if the
    combinations are too many, or for values that a format cannot hold.
    """
    if to == "stellar":
        return _stellar(scenario)
    lines = _pict_parameters(scenario) if to == "pict" else _acts_parameters(scenario)
    notation = _PICT if to == "pict" else _ACTS
    constraints = [
        text
        for number in range(len(cases.restrictions))
        for text in _constraint_lines(cases, number, notation)
    ]
    if to == "pict":
        return "\n".join([*lines, "", *(f"{text};" for text in constraints)]).rstrip() + "\n"
    if constraints:
        lines += ["", "[Constraint]", *constraints]
    return "\n".join(lines) + "\n"


def _pict_parameters(scenario: Scenario) -> list[str]:
    lines: list[str] = []
    for variable in scenario.variables:
        weights = weights_of(variable) or (1.0,) * len(variable.domain)
        # PICT takes whole weights from 1: 0.5 and 2 become 1 and 4
        least = min((weight for weight in weights if weight > 0), default=1.0)
        whole = [max(1, round(weight / least)) for weight in weights]
        texts = [
            text + (f" ({weight})" if len(set(whole)) > 1 else "")
            for text, weight in zip(_value_texts(variable), whole, strict=True)
        ]
        lines.append(f"{variable.name}: {', '.join(texts)}")
    return lines


def _acts_parameters(scenario: Scenario) -> list[str]:
    name = re.sub(r"\W+", "_", scenario.name)
    lines = ["[System]", f"Name: {name}", "", "[Parameter]"]
    for variable in scenario.variables:
        kind = "int" if all(type(value) is int for value in variable.domain) else "enum"
        lines.append(f"{variable.name} ({kind}) : {','.join(_value_texts(variable))}")
    return lines


def _value_texts(variable: Variable) -> list[str]:
    """Return values as PICT and ACTS list them; raises ConfigurationError if they cannot."""
    texts = [str(value) for value in variable.domain]
    counts = Counter(text.casefold() for text in texts)
    for text in texts:
        mark = re.search(r'[,:|~"\n()<>]', text)
        problem = f"has {mark[0]!r}, which has a meaning in such models" if mark else ""
        if text != text.strip() or not text:
            problem = "is empty, or begins or ends with a blank"
        # PICT takes "Bar" and "bar" for the same, and both formats the number 1 and the text "1"
        elif counts[text.casefold()] > 1:
            problem = "is also another one, but for its case or kind"
        if problem:
            raise ConfigurationError(
                f"the value {text!r} of {variable.name!r} {problem}: rename it to export the space"
            )
    return texts


def _stellar(scenario: Scenario) -> str:
    features: dict[str, list[dict[str, JsonValue]]] = {"categorical": [], "ordinal": []}
    for variable in scenario.variables:
        weights = weights_of(variable)
        total = sum(weights or ())
        features[variable.scale].append(
            {
                "name": variable.name,
                "values": [None if value == "none" else value for value in variable.domain],
                "distribution": [weight / total for weight in weights] if weights else None,
            }
        )
    data = {f"{kind}_features": entries for kind, entries in features.items()}
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def _constraint_lines(cases: CaseSpace, number: int, notation: _Notation) -> list[str]:
    """Return a constraint in a notation, or the combinations that it forbids."""
    constraint = cases.restrictions[number].constraint
    domains = {variable.name: variable.domain for variable in cases.scenario.variables}
    try:
        if constraint.language != "rules":
            raise _Inexpressible
        tree = ast.parse(f"(\n{constraint.expression}\n)", mode="eval").body
        return [_Writer(domains, notation).write(tree)]
    except (_Inexpressible, SyntaxError):
        variables, forbidden = cases.tables()[number]
    if len(forbidden) > _MOST_FORBIDDEN:
        raise ConfigurationError(
            f"`{constraint.expression}` has no form in such models, and the combinations that it "
            f"forbids are too many to list: {len(forbidden):,} of at most {_MOST_FORBIDDEN:,}"
        )
    names = [cases.names[variable] for variable in variables]
    return [
        notation.negation + "(" + notation.both.join(
            f"{notation.parameter(name)} {notation.equal} {_quoted(domains[name][at])}"
            for name, at in zip(names, row, strict=True)
        ) + ")"
        for row in sorted(forbidden)
    ]  # fmt: skip


def _quoted(value: JsonValue) -> str:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return str(value) if number else f'"{value}"'


class _Writer:
    """Writes the tree of a condition in a notation; raises _Inexpressible."""

    def __init__(self, domains: Mapping[str, Sequence[JsonValue]], notation: _Notation) -> None:
        self._domains = domains
        self._notation = notation

    def write(self, node: ast.expr) -> str:
        """Return a condition as text."""
        if isinstance(node, ast.BoolOp):
            word = self._notation.both if isinstance(node.op, ast.And) else self._notation.either
            return f"({word.join(map(self.write, node.values))})"
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return f"{self._notation.negation}({self.write(node.operand)})"
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            return self._compare(node.left, node.ops[0], node.comparators[0])
        raise _Inexpressible

    def _compare(self, left: ast.expr, op: ast.cmpop, right: ast.expr) -> str:
        name = self._name(left)
        if isinstance(op, (ast.In, ast.NotIn)):
            return self._member(name, isinstance(op, ast.In), right)
        relations: dict[type[ast.cmpop], str] = {
            ast.Eq: self._notation.equal, ast.NotEq: self._notation.unequal,
            ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
        }  # fmt: skip
        relation = relations.get(type(op))
        if relation is None:
            raise _Inexpressible
        if isinstance(right, ast.Name):
            other = self._notation.parameter(self._name(right))
            return f"{self._notation.parameter(name)} {relation} {other}"
        value = _quoted(self._constant(right))
        return f"{self._notation.parameter(name)} {relation} {value}"

    def _member(self, name: str, inside: bool, right: ast.expr) -> str:
        """Write that a value is one of a list; ACTS has no word for it."""
        if not isinstance(right, (ast.List, ast.Tuple, ast.Set)) or not right.elts:
            raise _Inexpressible
        relation = self._notation.equal if inside else self._notation.unequal
        join = self._notation.either if inside else self._notation.both
        parameter = self._notation.parameter(name)
        terms = [f"{parameter} {relation} {_quoted(self._constant(e))}" for e in right.elts]
        return f"({join.join(terms)})"

    def _name(self, node: ast.expr) -> str:
        if isinstance(node, ast.Name) and node.id in self._domains:
            return node.id
        raise _Inexpressible

    @staticmethod
    def _constant(node: ast.expr) -> JsonValue:
        if isinstance(node, ast.Constant) and isinstance(node.value, (str, int, float)):
            return node.value
        raise _Inexpressible
