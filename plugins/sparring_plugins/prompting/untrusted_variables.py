"""Which variables of a template hold foreign text, and where another shows one unprotected.

A variable that one of our templates passes through ``| data`` holds what the app or a model said.
An override must not show it in any other way, nor take a finished block apart.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from jinja2 import nodes

_BLOCK = "data"
_HARMLESS = frozenset({"count", "length"})
_WHOLE = frozenset({"d", "default", "join"})

Included = Callable[[str], nodes.Template | None]
"""The syntax tree of an included file by its name."""


def foreign(tree: nodes.Template) -> frozenset[str]:
    """The variables that a template shows in data blocks, and nowhere else."""
    inside = {
        name
        for node in tree.find_all(nodes.Filter)
        if node.name == _BLOCK and (name := _root(node.node)) is not None
    }
    shown = _Reader(lambda _: None).shown(tree, _Names(frozenset(inside)))
    return frozenset(inside - {name for name, _ in shown})


def exposed(
    tree: nodes.Template, guarded: frozenset[str], included: Included
) -> Iterator[tuple[str, nodes.Node]]:
    """Each place where a template shows one of the variables outside of a data block."""
    yield from _Reader(included).shown(tree, _Names(guarded))


def _root(node: nodes.Node | None) -> str | None:
    while isinstance(node, (nodes.Getattr, nodes.Getitem, nodes.Filter)):
        node = node.node
    return node.name if isinstance(node, nodes.Name) else None


@dataclass(frozen=True)
class _Names:
    """Variables that hold foreign text as it is, and those that hold finished blocks of it."""

    raw: frozenset[str]
    done: frozenset[str] = field(default_factory=frozenset[str])

    def leak(self, node: nodes.Node | None) -> str | None:
        """The variable whose text an expression may give outside of a block; None for none."""
        if isinstance(node, nodes.Name):
            return node.name if node.name in self.raw else None
        if node is None or isinstance(node, (nodes.Test, nodes.Compare, nodes.Not, nodes.Const)):
            return None
        if isinstance(node, nodes.CondExpr):
            return self.leak(node.expr1) or self.leak(node.expr2)
        if isinstance(node, nodes.Filter) and node.name == _BLOCK:
            return None
        if isinstance(node, (nodes.And, nodes.Or, nodes.Concat, nodes.List)) or (
            isinstance(node, nodes.Filter) and node.name in _WHOLE
        ):
            return next(filter(None, map(self.leak, node.iter_child_nodes())), None)
        return None if isinstance(node, nodes.Call) else self.mention(node)

    def mention(self, node: nodes.Node | None) -> str | None:
        """The variable that an expression takes apart, finished block or not."""
        if isinstance(node, nodes.Name):
            return node.name if node.name in self.raw | self.done else None
        if isinstance(node, nodes.Call) and getattr(node.node, "name", "") == "super":
            return "super()"
        if node is None or isinstance(node, (nodes.Test, nodes.Compare, nodes.Not)):
            return None
        if isinstance(node, nodes.Filter) and node.name in _HARMLESS:
            return None
        return next(filter(None, map(self.mention, node.iter_child_nodes())), None)

    def after(self, target: nodes.Node, source: nodes.Node, *, looped: bool) -> "_Names":
        """The names once `target` has a value, or in a loop each part of a value."""
        found = {name.name for name in _targets(target)}
        if self.leak(source) or (looped and self.mention(source)):
            return _Names(self.raw | found, self.done - found)
        if self.mention(source):
            return _Names(self.raw - found, self.done | found)
        return self


class _Reader:
    """Reads templates statement by statement, and follows what becomes of names."""

    def __init__(self, included: Included, depth: int = 10) -> None:
        self._included = included
        self._depth = depth

    def shown(self, node: nodes.Node, names: _Names) -> Iterator[tuple[str, nodes.Node]]:
        """Each place below a statement where one of the names is shown as it is."""
        for child in node.iter_child_nodes():
            inner = names
            if isinstance(child, nodes.Output):
                for part in child.nodes:
                    found = names.leak(part)
                    if found:
                        yield found, part
            elif isinstance(child, nodes.For):
                inner = names.after(child.target, child.iter, looped=True)
            elif isinstance(child, nodes.Assign):
                names = names.after(child.target, child.node, looped=False)
            elif isinstance(child, nodes.Include):
                yield from self._shown_in(child, names)
            if isinstance(child, nodes.Stmt) and not isinstance(child, nodes.Output):
                yield from self.shown(child, inner)

    def _shown_in(self, node: nodes.Include, names: _Names) -> Iterator[tuple[str, nodes.Node]]:
        name = node.template.value if isinstance(node.template, nodes.Const) else None
        tree = self._included(name) if isinstance(name, str) else None
        if tree is not None and self._depth:
            leaks = _Reader(self._included, self._depth - 1).shown(tree, names)
            yield from ((found, node) for found, _ in leaks)


def _targets(target: nodes.Node) -> list[nodes.Name]:
    return [target] if isinstance(target, nodes.Name) else list(target.find_all(nodes.Name))
