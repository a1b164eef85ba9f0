"""The loop over the tuples of a rule: written for its plan, then compiled once.

Nested loops in the order of the conversations, so that what is found, and in which order, is what
plain nested loops over all tuples would find.
"""

import ast
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass

from sparring_plugins.rules.compile.plan import Hoisted, Plan

PARAMETERS = (
    *("rows", "picks", "spend", "begin", "failed", "raised", "later", "closer"),
    *("failure", "needs", "doubts"),
)
"""What a loop is called with; builtins are not within its reach."""

Shape = Callable[[int], str]
"""How the text of the loop uses a column's value: ``plain``, ``sized``, or ``raising``."""


@dataclass(frozen=True, slots=True)
class Loop:
    """The text of a loop, and which columns each place brings along, in order."""

    text: str
    carried: list[list[int]]


class _Names(ast.NodeTransformer):
    """Wraps columns whose values are large, or were not found for every conversation."""

    def __init__(self, plan: Plan, shape: Shape) -> None:
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


def write_loop(plan: Plan, shape: Shape, *, dirty: bool, lenient: bool) -> Loop:
    """The loop for a plan.

    `dirty` says that some rows are marked for closer inspection; `lenient` that a condition without
    a value is false, as in SENSEI.
    """
    assert plan.oracle is not None
    return _Writer(plan, shape, dirty=dirty, lenient=lenient).written(plan.oracle)


class _Writer:
    """Writes the text of one loop."""

    def __init__(self, plan: Plan, shape: Shape, *, dirty: bool, lenient: bool) -> None:
        self.plan = plan
        self.names = _Names(plan, shape)
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

    def written(self, oracle: Hoisted) -> Loop:
        """The whole loop; it stops at every row of the first place, to be counted and resumed."""
        self.add(f"def loop({', '.join(PARAMETERS)}):")
        self.indent = 1
        self.add("passed = 0")
        for place in range(self.plan.size):
            self._open(place)
        self._judge(oracle)
        self.indent = 1
        self.add("yield None, passed")
        return Loop("\n".join(self.lines), self.carried)

    def _open(self, place: int) -> None:
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
        rest = [one for one in self.plan.rest if one.level == place]
        if rest:
            self._conditions(rest, place, last)

    def _conditions(self, rest: Sequence[Hoisted], place: int, last: bool) -> None:
        texts = [self.names.text(one.tree) for one in rest]
        if _guarded(texts):
            self.add("begin()")
        condition = " and ".join(f"({text})" for text in texts)
        if last:
            self._decide(condition, f"closer({self._indexes()}); continue")
            return
        # Looked at more closely at the last place, where all other conditions are known.
        self.flags.append(f"e{place}")
        self.add(f"e{place} = False")
        self._decide(condition, f"e{place} = True")

    def _decide(self, condition: str, doubtful: str) -> None:
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

    def _judge(self, oracle: Hoisted) -> None:
        text = self.names.text(oracle.tree)
        if _guarded([text]):
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
    names = (node.id for one in trees for node in ast.walk(one.tree) if isinstance(node, ast.Name))
    return {int(name[1:]) for name in names if name[0] == "h" and name[1:].isdigit()}


def _guarded(texts: Sequence[str]) -> bool:
    """Whether charged work is done inside of the loop."""
    return any(f"{prefix}_" in text for text in texts for prefix in ("g", "b", "f"))


def always_raising(plan: Plan, tree: ast.expr) -> ast.expr:
    """A hoisted expression that asks each column whether it has a value."""
    names = _Names(plan, lambda column: "plain" if plan.columns[column].record else "raising")
    wrapped: ast.expr = names.visit(deepcopy(tree))
    return ast.fix_missing_locations(wrapped)
