"""Which variables of a template hold foreign text, and where another shows one unprotected.

A variable that one of our templates passes through ``| data`` holds what the app or a model said.
An override must not show it in any other way.
"""

from collections.abc import Callable, Iterator

from jinja2 import nodes

_BLOCK = "data"
_HARMLESS = frozenset({"count", "length"})

Included = Callable[[str], nodes.Template | None]
"""The syntax tree of an included file by its name."""


def foreign(tree: nodes.Template) -> frozenset[str]:
    """The variables that a template shows in data blocks, and nowhere else."""
    inside = {
        name
        for node in tree.find_all(nodes.Filter)
        if node.name == _BLOCK and (name := _root(node.node)) is not None
    }
    return frozenset(inside - {name for name, _ in _shown(tree, frozenset(inside), lambda _: None)})


def exposed(
    tree: nodes.Template, guarded: frozenset[str], included: Included
) -> Iterator[tuple[str, nodes.Node]]:
    """Each place where a template shows one of the variables outside of a data block."""
    yield from _shown(tree, guarded, included)


def _root(node: nodes.Node | None) -> str | None:
    while isinstance(node, (nodes.Getattr, nodes.Getitem, nodes.Filter)):
        node = node.node
    return node.name if isinstance(node, nodes.Name) else None


def _shown(
    node: nodes.Node, guarded: frozenset[str], included: Included, depth: int = 10
) -> Iterator[tuple[str, nodes.Node]]:
    names = set(guarded)
    for child in node.iter_child_nodes():
        if isinstance(child, nodes.Output):
            for part in child.nodes:
                found = _leak(part, names)
                if found:
                    yield found, part
        elif isinstance(child, (nodes.For, nodes.Assign)):
            source = child.iter if isinstance(child, nodes.For) else child.node
            if _leak(source, names):
                names |= {name.name for name in _targets(child.target)}
        elif isinstance(child, nodes.Include) and isinstance(child.template, nodes.Const) and depth:
            tree = included(str(child.template.value))
            if tree is not None:
                leaks = _shown(tree, frozenset(names), included, depth - 1)
                yield from ((name, child) for name, _ in leaks)
        if isinstance(child, nodes.Stmt) and not isinstance(child, nodes.Output):
            yield from _shown(child, frozenset(names), included, depth)


def _targets(target: nodes.Node) -> list[nodes.Name]:
    return [target] if isinstance(target, nodes.Name) else list(target.find_all(nodes.Name))


def _leak(node: nodes.Node | None, names: set[str]) -> str | None:
    """The variable whose text an expression may give; None where it gives none."""
    if isinstance(node, nodes.Name):
        return node.name if node.name in names else None
    if node is None or isinstance(node, (nodes.Test, nodes.Compare, nodes.Not)):
        return None
    if isinstance(node, nodes.Filter) and node.name in {_BLOCK} | _HARMLESS:
        return None
    if isinstance(node, nodes.CondExpr):
        return _leak(node.expr1, names) or _leak(node.expr2, names)
    leaks = (_leak(child, names) for child in node.iter_child_nodes())
    return next((leak for leak in leaks if leak), None)
