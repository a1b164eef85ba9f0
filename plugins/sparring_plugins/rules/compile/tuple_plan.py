"""Plans rules over several conversations, so that not every tuple is looked at in full.

The filter is split at its `and`s. Every part of an expression that depends on one conversation only
becomes a *column*, found once per conversation. Conditions on one conversation choose the
candidates of its place, equalities between two conversations become look-ups in a hash table,
and what is left is evaluated for the tuples that remain.
"""

import ast
from collections.abc import Callable, Iterable, Sequence
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

    If it only follows from others, `via` are the columns that those have in common.
    """

    left: tuple[int, int]
    column: int
    via: frozenset[int] = frozenset()


@dataclass(slots=True)
class TuplePlan:
    """The plan of one rule over `size` conversations."""

    size: int
    columns: list[Column] = field(default_factory=list[Column])
    places: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    singles: list[list[int]] = field(default_factory=list[list[int]])
    joins: list[list[Join]] = field(default_factory=list[list[Join]])
    rest: list[Hoisted] = field(default_factory=list[Hoisted])
    conjuncts: list[Hoisted] = field(default_factory=list[Hoisted])
    oracle: Hoisted | None = None


def plan(filters: Iterable[Expression], oracle: Expression, evaluator: Evaluator) -> TuplePlan:
    """Plan the evaluation of a rule over several conversations."""
    return _Planner(oracle, evaluator).plan(filters)


class _Planner:
    """Makes one plan."""

    def __init__(self, oracle: Expression, evaluator: Evaluator) -> None:
        self.oracle = oracle
        self.evaluator = evaluator
        size = oracle.scope.conversations
        self.made = TuplePlan(
            size, singles=[[] for _ in range(size)], joins=[[] for _ in range(size)]
        )
        self._columns: dict[str, int] = {}
        self._names: dict[tuple[int, int], str] = {}

    def plan(self, filters: Iterable[Expression]) -> TuplePlan:
        for expression in filters:
            for conjunct in _conjuncts(expression.uses.tree):
                self._conjunct(conjunct, expression)
        self._follow_joins()
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
            place, condition = join
            self.made.joins[place].append(condition)
        else:
            self.made.rest.append(hoisted)

    def _join(self, tree: ast.expr, expression: Expression) -> tuple[int, Join] | None:
        if not (isinstance(tree, ast.Compare) and len(tree.ops) == 1):
            return None
        if not isinstance(tree.ops[0], ast.Eq):
            return None
        sides = [tree.left, tree.comparators[0]]
        used = [_conversations(side) for side in sides]
        if any(len(numbers) != 1 for numbers in used) or used[0] == used[1]:
            return None
        places = [numbers.pop() for numbers in used]
        columns = [
            self._column(side, place, expression) for side, place in zip(sides, places, strict=True)
        ]
        first, second = (0, 1) if places[0] < places[1] else (1, 0)
        return places[second], Join((columns[first], places[first]), columns[second])

    def _follow_joins(self) -> None:
        """Add the equalities of earlier places that follow from those of later ones.

        Both ``conv[0].x == conv[2].x`` and ``conv[1].x == conv[2].x`` say that the first two are
        equal, which spares looking at all pairs of them.
        """
        for place in range(self.made.size - 1, 1, -1):
            joins = list(self.made.joins[place])
            for number, join in enumerate(joins):
                for other in joins[:number]:
                    if join.column == other.column:
                        self._imply(join, other)

    def _imply(self, later: Join, earlier: Join) -> None:
        first, second = sorted([later.left, earlier.left], key=lambda side: side[1])
        existing = self.made.joins[second[1]]
        if first[1] == second[1] or any(
            (join.left, join.column) == (first, second[0]) for join in existing
        ):
            return
        existing.append(Join(first, second[0], later.via | earlier.via | {later.column}))

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


# The loop over the tuples of a rule: written for its plan, then compiled once.
#
# Nested loops in the order of the conversations, so that what is found, and in which order, is what
# plain nested loops over all tuples would find.

PARAMETERS = (
    *("rows", "picks", "spend", "begin", "failed", "raised", "later", "closer"),
    *("failure", "needs", "doubts"),
)
"""What a loop is called with; builtins are not within its reach."""

Shape = Callable[[int], str]
"""How the text of the loop uses a column's value: ``plain``, ``sized``, or ``raising``."""


@dataclass(frozen=True, slots=True)
class TupleLoop:
    """The text of a loop, and which columns each place brings along, in order."""

    text: str
    carried: list[list[int]]


class _NameMap(ast.NodeTransformer):
    """Wraps columns whose values are large, or were not found for every conversation."""

    def __init__(self, plan: TuplePlan, shape: Shape) -> None:
        self.plan = plan
        self.shape = shape

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id[0] != "h" or not node.id[1:].isdigit():
            return node
        column, _ = self.plan.places[int(node.id[1:])]
        guard = {"sized": "g_s", "raising": "g_use"}.get(self.shape(column))
        return ast.Call(ast.Name(guard, ast.Load()), [node], []) if guard else node

    def text(self, tree: ast.expr) -> str:
        """The source text of a hoisted expression."""
        return ast.unparse(ast.fix_missing_locations(self.visit(deepcopy(tree))))


def write_loop(plan: TuplePlan, shape: Shape, *, dirty: bool, lenient: bool) -> TupleLoop:
    """The loop for a plan.

    `dirty` says that some rows are marked for closer inspection; `lenient` that a condition without
    a value is false, as in SENSEI.
    """
    assert plan.oracle is not None
    return _Writer(plan, shape, dirty=dirty, lenient=lenient).written(plan.oracle)


class _Writer:
    """Writes the text of one loop."""

    def __init__(self, plan: TuplePlan, shape: Shape, *, dirty: bool, lenient: bool) -> None:
        self.plan = plan
        self.names = _NameMap(plan, shape)
        self.dirty = dirty
        self.lenient = lenient
        self.lines: list[str] = []
        self.indent = 0
        used = _used([*plan.rest, *([plan.oracle] if plan.oracle else [])])
        self.carried = [
            [number for number, (_, at) in enumerate(plan.places) if at == place and number in used]
            for place in range(plan.size)
        ]
        self.flags = [f"d{place}" for place in range(plan.size)] if dirty else []

    def add(self, line: str) -> None:
        self.lines.append("    " * self.indent + line)

    def written(self, oracle: Hoisted) -> TupleLoop:
        """The whole loop; it stops at every row of the first place, to be counted and resumed."""
        self.add(f"def loop({', '.join(PARAMETERS)}):")
        self.indent = 1
        self.add("passed = 0")
        for place in range(self.plan.size):
            self._open_loop(place)
        self._write_verdict(oracle)
        self.indent = 1
        self.add("yield None, passed")
        return TupleLoop("\n".join(self.lines), self.carried)

    def _open_loop(self, place: int) -> None:
        """One level of the loops, with the conditions that can be decided there."""
        fields = [f"i{place}", *([f"d{place}"] if self.dirty else [])]
        fields += [f"h{number}" for number in self.carried[place]]
        if place == 0:
            self.add(f"for {', '.join(fields)}, in rows[0]:")
            self.indent += 1
            self.add("yield i0, passed")
        else:
            chosen = f"picks[{place}]({', '.join(f'i{k}' for k in range(place))})"
            candidates = chosen if self.plan.joins[place] else f"rows[{place}]"
            self.add(f"found{place} = {candidates}")
            self.add(f"spend(found{place})")
            self.add(f"for {', '.join(fields)}, in found{place}:")
            self.indent += 1
            same = " or ".join(f"i{place} == i{k}" for k in range(place))
            self.add(f"if {same}: continue")
        last = place == self.plan.size - 1
        if last and self.flags:
            self.add(f"if {' or '.join(self.flags)}:")
            self.add(f"    closer({self._indexes()}); continue")
        rest = [condition for condition in self.plan.rest if condition.level == place]
        if rest:
            self._conditions(rest, place, last)

    def _conditions(self, rest: Sequence[Hoisted], place: int, last: bool) -> None:
        texts = [self.names.text(part.tree) for part in rest]
        if _guard(texts):
            self.add("begin()")
        condition = " and ".join(f"({text})" for text in texts)
        if last:
            self._write_decision(condition, f"closer({self._indexes()}); continue")
            return
        # Looked at more closely at the last place, if all other conditions are known.
        self.flags.append(f"e{place}")
        self.add(f"e{place} = False")
        self._write_decision(condition, f"e{place} = True")

    def _write_decision(self, condition: str, doubtful: str) -> None:
        self.add("try:")
        self.add(f"    if not ({condition}): continue")
        if self.lenient:
            self.add("except doubts:")
            self.add(f"    {doubtful}")
            self.add("except failure:")
            self.add("    continue")
        else:
            self.add("except (failure, needs):")
            self.add(f"    {doubtful}")

    def _write_verdict(self, oracle: Hoisted) -> None:
        text = self.names.text(oracle.tree)
        if _guard([text]):
            self.add("begin()")
        self.add("try:")
        self.add(f"    value = ({text})")
        self.add("except needs:")
        self.add(f"    later({self._indexes()})")
        self.add("except failure as err:")
        self.add(f"    raised(err, {self._indexes()})")
        self.add("else:")
        self.add("    if value is True or value == True: passed += 1")
        self.add(f"    else: failed(value, {self._indexes()})")

    def _indexes(self) -> str:
        return ", ".join(f"i{place}" for place in range(self.plan.size))


def _used(trees: Sequence[Hoisted]) -> set[int]:
    names = (
        node.id for tree in trees for node in ast.walk(tree.tree) if isinstance(node, ast.Name)
    )
    return {int(name[1:]) for name in names if name[0] == "h" and name[1:].isdigit()}


def _guard(texts: Sequence[str]) -> bool:
    """Whether charged work is done inside of the loop."""
    return any(f"{prefix}_" in text for text in texts for prefix in ("g", "b", "f"))


def always_raising(plan: TuplePlan, tree: ast.expr) -> ast.expr:
    """A hoisted expression that asks each column whether it has a value."""
    names = _NameMap(plan, lambda column: "plain" if plan.columns[column].record else "raising")
    wrapped: ast.expr = names.visit(deepcopy(tree))
    return ast.fix_missing_locations(wrapped)
