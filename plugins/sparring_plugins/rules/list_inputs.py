"""Finds comparisons in rules of an input that is a list with a text: they are never true."""

import ast
from collections.abc import Collection, Iterable, Iterator
from copy import deepcopy

from sparring.model.space import Space
from sparring_plugins.rules.parse.syntax import ExpressionSource, NotAllowed, Rule, parse
from sparring_plugins.users.selectors.notation import Selector, parse_selector

_Inputs = dict[str, Selector]


def list_comparisons(rules: Iterable[Rule], space: Space) -> Iterator[str]:
    """Yield a warning, with what to write instead, for each comparison of a list with a text.

    A profile's inputs are lists for rules unless they belong to a chain (``forward(other)``), as in
    SENSEI: ``size == 'large'`` compares ``['large']``, and a rule with it in ``when`` applies to no
    conversation. Outputs are texts or numbers, never lists.
    """
    inputs = _list_inputs(space)
    outputs = {name for scenario in space.scenarios for name in scenario.outputs}
    if not inputs:
        return
    for rule in rules:
        for source in (*rule.filters, rule.oracle):
            yield from _comparisons(source, inputs, outputs - inputs.keys())


def _list_inputs(space: Space) -> _Inputs:
    """The inputs that are lists in each scenario that has them."""
    lists: _Inputs = {}
    plain: set[str] = set()
    for scenario in space.scenarios:
        selectors = {
            variable.name: parse_selector(variable.selector)
            for variable in scenario.variables
            if variable.selector is not None  # else no profile's: players of other kinds have texts
        }
        chained = {selector.after for selector in selectors.values()}
        for variable in scenario.variables:
            selector = selectors.get(variable.name)
            if selector is None or selector.after is not None or variable.name in chained:
                plain.add(variable.name)
            else:
                lists[variable.name] = selector
    return {name: selector for name, selector in lists.items() if name not in plain}


def _comparisons(
    source: ExpressionSource, inputs: _Inputs, outputs: Collection[str]
) -> Iterator[str]:
    try:
        tree = parse(source)
    except NotAllowed:  # only with `compat: sensei`, which warns of it
        return
    for node in ast.walk(tree):
        if not isinstance(node, ast.Compare) or len(node.ops) != 1:
            continue
        left, operator, right = node.left, node.ops[0], node.comparators[0]
        equal = isinstance(operator, ast.Eq | ast.NotEq)
        if equal and _is_text(left, outputs):
            left, right = right, left
        name = _name(left)
        among = isinstance(operator, ast.In | ast.NotIn) and _has_texts(right, outputs)
        if name in inputs and (among or (equal and _is_text(right, outputs))):
            mended = _mended(left, operator, right, inputs)
            yield (
                f"{source.file}:{source.line_of(node.lineno)}: {source.key}: "
                f"`{ast.unparse(node)}` compares a list with a text, because the input `{name}` "
                f"depends on no other and is a list: write `{mended}`"
            )


def _mended(left: ast.expr, operator: ast.cmpop, right: ast.expr, inputs: _Inputs) -> str:
    """The comparison as it was meant."""
    if inputs[_name(left)].takes_one:
        single = ast.Call(ast.Name("single", ast.Load()), [deepcopy(left)], [])
        return ast.unparse(ast.Compare(single, [operator], [right]))
    if isinstance(operator, ast.Eq | ast.NotEq):  # `random(3)` takes several values
        contains = ast.In() if isinstance(operator, ast.Eq) else ast.NotIn()
        return ast.unparse(ast.Compare(right, [contains], [left]))
    test = ast.unparse(ast.Compare(ast.Name("value", ast.Load()), [operator], [right]))
    return f"all({test} for value in {ast.unparse(left)})"


def _name(node: ast.expr) -> str:
    """The input that a name stands for, or an attribute of a conversation: ``conv[0].size``."""
    if isinstance(node, ast.Name):
        return node.id
    return node.attr if isinstance(node, ast.Attribute) else ""


def _is_text(node: ast.expr, outputs: Collection[str]) -> bool:
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str | int | float) and not isinstance(node.value, bool)
    return isinstance(node, ast.JoinedStr) or _name(node) in outputs


def _has_texts(node: ast.expr, outputs: Collection[str]) -> bool:
    """Whether membership in this is that of a text: in another text, or in a list of them."""
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return bool(node.elts) and all(_is_text(item, outputs) for item in node.elts)
    return _is_text(node, outputs)
