"""How a rule over several conversations is evaluated without looking at every tuple in full.

The filter is split at its `and`s. Every part of an expression that depends on one conversation only
becomes a *column*, found once per conversation. Conditions on one conversation choose the
candidates of its place, equalities between two conversations become look-ups in a hash table,
and what is left is evaluated for the tuples that remain.
"""

import ast
from collections.abc import Iterable
from copy import deepcopy
from dataclasses import dataclass, field
from typing import cast

from sparring_plugins.rules.compile.evaluation import Evaluator, Expression, Run

_RECORD = "c"
_LOOP = "v_"


@dataclass(frozen=True, slots=True)
class Column:
    """A part of an expression that depends on one conversation."""

    run: Run
    asks: bool = False
    record: bool = False


@dataclass(frozen=True, slots=True)
class Hoisted:
    """An expression whose parts on single conversations are columns.

    `tree` holds names ``h0``, ``h1`` ...; `places` says which column and place each stands for.
    """

    tree: ast.expr
    level: int


@dataclass(frozen=True, slots=True)
class Join:
    """An equality between a column at an earlier place and one at this place.

    Where it only follows from others, `via` are the columns that those speak of in common.
    """

    left: tuple[int, int]
    column: int
    via: frozenset[int] = frozenset()


@dataclass(slots=True)
class Plan:
    """The plan of one rule over `size` conversations."""

    size: int
    columns: list[Column] = field(default_factory=list[Column])
    places: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    singles: list[list[int]] = field(default_factory=list[list[int]])
    joins: list[list[Join]] = field(default_factory=list[list[Join]])
    rest: list[Hoisted] = field(default_factory=list[Hoisted])
    conjuncts: list[Hoisted] = field(default_factory=list[Hoisted])
    oracle: Hoisted | None = None


def plan(filters: Iterable[Expression], oracle: Expression, evaluator: Evaluator) -> Plan:
    """Plan the evaluation of a rule over several conversations."""
    return _Planner(oracle, evaluator).plan(filters)


class _Planner:
    """Makes one plan."""

    def __init__(self, oracle: Expression, evaluator: Evaluator) -> None:
        self.oracle = oracle
        self.evaluator = evaluator
        size = oracle.scope.conversations
        self.made = Plan(size, singles=[[] for _ in range(size)], joins=[[] for _ in range(size)])
        self._columns: dict[str, int] = {}
        self._names: dict[tuple[int, int], str] = {}

    def plan(self, filters: Iterable[Expression]) -> Plan:
        for expression in filters:
            for conjunct in _conjuncts(expression.uses.tree):
                self._conjunct(conjunct, expression)
        self._follow()
        tree = self.hoist(self.oracle.uses.tree, self.oracle)
        self.made.oracle = Hoisted(tree, self.made.size - 1)
        return self.made

    def _conjunct(self, tree: ast.expr, expression: Expression) -> None:
        used = _conversations(tree)
        hoisted = Hoisted(self.hoist(tree, expression), max(used, default=0))
        self.made.conjuncts.append(hoisted)
        if len(used) == 1:
            place = used.pop()
            self.made.singles[place].append(self._column(tree, place, expression))
        elif join := self._join(tree, expression):
            place, found = join
            self.made.joins[place].append(found)
        else:
            self.made.rest.append(hoisted)

    def _join(self, tree: ast.expr, expression: Expression) -> tuple[int, Join] | None:
        if not (isinstance(tree, ast.Compare) and len(tree.ops) == 1):
            return None
        if not isinstance(tree.ops[0], ast.Eq):
            return None
        sides = [tree.left, tree.comparators[0]]
        used = [_conversations(side) for side in sides]
        if any(len(one) != 1 for one in used) or used[0] == used[1]:
            return None
        places = [one.pop() for one in used]
        columns = [
            self._column(side, place, expression) for side, place in zip(sides, places, strict=True)
        ]
        first, second = (0, 1) if places[0] < places[1] else (1, 0)
        return places[second], Join((columns[first], places[first]), columns[second])

    def _follow(self) -> None:
        """Add the equalities of earlier places that follow from those of later ones.

        Both ``conv[0].x == conv[2].x`` and ``conv[1].x == conv[2].x`` say that the first two are
        equal, which spares looking at all pairs of them.
        """
        for place in range(self.made.size - 1, 1, -1):
            joins = list(self.made.joins[place])
            for number, one in enumerate(joins):
                for other in joins[:number]:
                    if one.column == other.column:
                        self._implied(one, other)

    def _implied(self, one: Join, other: Join) -> None:
        first, second = sorted([one.left, other.left], key=lambda side: side[1])
        known = self.made.joins[second[1]]
        if first[1] == second[1] or any(
            (join.left, join.column) == (first, second[0]) for join in known
        ):
            return
        known.append(Join(first, second[0], one.via | other.via | {one.column}))

    def hoist(self, tree: ast.expr, expression: Expression) -> ast.expr:
        """The tree with its parts on single conversations replaced by the names of columns."""
        return cast("ast.expr", _Hoister(self, expression).visit(deepcopy(tree)))

    def name(self, tree: ast.expr, place: int, expression: Expression) -> ast.Name:
        """The name that stands for a part at a place."""
        column = self._column(tree, place, expression)
        key = (column, place)
        if key not in self._names:
            self._names[key] = f"h{len(self.made.places)}"
            self.made.places.append(key)
        return ast.copy_location(ast.Name(self._names[key], ast.Load()), tree)

    def _column(self, tree: ast.expr, place: int, expression: Expression) -> int:
        moved = _at_first_place(tree, place)
        key = ast.dump(moved)
        if key not in self._columns:
            self._columns[key] = len(self.made.columns)
            run = self.evaluator.function(moved, ["c0"], expression.source)
            asks = self.evaluator.asks(moved)
            self.made.columns.append(Column(run, asks, isinstance(moved, ast.Name)))
        return self._columns[key]


class _Hoister(ast.NodeTransformer):
    """Replaces the largest parts that depend on one conversation and on no loop variable."""

    def __init__(self, planner: _Planner, expression: Expression) -> None:
        self.planner = planner
        self.expression = expression

    def visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, ast.Call) and _is_loop(node):
            node.args[0] = cast(
                "ast.expr", self.visit(node.args[0])
            )  # its steps are charged for each tuple
            return node
        if isinstance(node, ast.expr) and not isinstance(node, ast.GeneratorExp):
            used = _conversations(node)
            if len(used) == 1 and not _free_variables(node):
                return self.planner.name(node, used.pop(), self.expression)
        return super().generic_visit(node)


def _is_loop(node: ast.Call) -> bool:
    return isinstance(node.func, ast.Name) and node.func.id == "g_iter"


def _conjuncts(tree: ast.expr) -> list[ast.expr]:
    if isinstance(tree, ast.BoolOp) and isinstance(tree.op, ast.And):
        return [part for value in tree.values for part in _conjuncts(value)]
    if isinstance(tree, ast.Compare) and len(tree.ops) > 1:
        sides = [tree.left, *tree.comparators]
        pairs = zip(sides, tree.ops, sides[1:], strict=False)
        return [
            ast.copy_location(ast.Compare(left, [op], [right]), tree) for left, op, right in pairs
        ]
    return [tree]


def _conversations(tree: ast.AST) -> set[int]:
    names = (node.id for node in ast.walk(tree) if isinstance(node, ast.Name))
    return {int(name[1:]) for name in names if name[0] == _RECORD and name[1:].isdigit()}


def _free_variables(tree: ast.AST) -> set[str]:
    """Loop variables that are bound outside of the tree."""
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    loops = {node.id for node in names if node.id.startswith(_LOOP)}
    return loops - {node.id for node in names if isinstance(node.ctx, ast.Store)}


def _at_first_place(tree: ast.expr, place: int) -> ast.expr:
    class Mover(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.Name:
            name = "c0" if node.id == f"{_RECORD}{place}" else node.id
            return ast.copy_location(ast.Name(name, node.ctx), node)

    moved: ast.expr = Mover().visit(deepcopy(tree))
    return moved
