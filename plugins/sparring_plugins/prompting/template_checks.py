"""What a template file says, checked before anything is asked: its blocks, names, statements."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

from jinja2 import nodes

from sparring.errors import Problem
from sparring_plugins.prompting.sandbox import COUNTED, JOINED, Sandbox

_STATEMENTS: tuple[type[nodes.Node], ...] = (
    nodes.Template,
    nodes.Output,
    nodes.Extends,
    nodes.Block,
    nodes.Include,
    nodes.If,
    nodes.For,
    nodes.Assign,
)
_EXPRESSIONS: tuple[type[nodes.Node], ...] = (
    nodes.BinExpr,
    nodes.UnaryExpr,
    nodes.Name,
    nodes.Literal,
    nodes.Keyword,
    nodes.CondExpr,
    nodes.Filter,
    nodes.Test,
    nodes.Call,
    nodes.Getitem,
    nodes.Getattr,
    nodes.Slice,
    nodes.Concat,
    nodes.Compare,
    nodes.Operand,
)
_HEADER = re.compile(r"\s*\{#-?(.*?)-?#\}", re.DOTALL)
_VALUE = re.compile(r"^(\w+): (.+(?:\n[ \t]+.+)*)$", re.MULTILINE)
_CALLED = frozenset({"range", "super"})


@dataclass(frozen=True, slots=True)
class Parsed:
    """A template file: its name inside Sparring, the file as shown, and its syntax tree."""

    name: str
    file: str
    tree: nodes.Template
    source: str

    @property
    def extends(self) -> str | None:
        """The name of the template that it extends, as written."""
        found = self.tree.find(nodes.Extends)
        return _constant(found.template) if found else None

    @property
    def includes(self) -> list[str]:
        """The names of the templates that it includes, as written."""
        found = [_constant(node.template) for node in self.tree.find_all(nodes.Include)]
        return [name for name in found if name is not None]

    @property
    def documented(self) -> dict[str, str]:
        """What the comment at its beginning says of the values that it is given."""
        found = _HEADER.match(self.source)
        return dict(_VALUE.findall(found[1])) if found else {}

    @property
    def about(self) -> str:
        """The rest of that comment: what the prompt is for."""
        found = _HEADER.match(self.source)
        text = _VALUE.sub("", found[1]) if found else ""
        return " ".join(text.split())

    @property
    def blocks(self) -> dict[str, nodes.Block]:
        """Its blocks by name, those inside other blocks too."""
        return {block.name: block for block in self.tree.find_all(nodes.Block)}

    def depth(self) -> int:
        """How deeply its statements and expressions are nested."""
        level: list[nodes.Node] = [self.tree]
        depth = 0
        while level:
            level = [child for node in level for child in node.iter_child_nodes()]
            depth += 1
        return depth

    def problem(self, message: str, node: nodes.Node | None = None) -> Problem:
        """A problem at a node of the file."""
        return Problem(message, self.file, node.lineno if node else None)


def problems_of(parsed: Parsed, known: Sandbox) -> Iterator[Problem]:
    """What a template may not do: statements, filters and calls outside of the small language."""
    for node in _all(parsed.tree):
        message = _objection(node, known)
        if message:
            yield parsed.problem(message, node)
    if parsed.blocks or parsed.extends:
        for node in parsed.tree.body:
            if not isinstance(node, (nodes.Block, nodes.Extends)) and not _is_blank(node):
                yield parsed.problem("stands outside of the blocks, and would never be sent", node)


def bounded(tree: nodes.Template, known: Sandbox) -> nodes.Template:
    """The tree with loops and joined texts counted; changes it in place."""
    for node in list(tree.find_all(nodes.For)):
        node.iter = nodes.Filter(node.iter, COUNTED, [], [], None, None, lineno=node.lineno)
        node.iter.set_environment(known)
    _Joining(known).visit(tree)
    return tree


class _Joining:
    """Replaces ``a ~ b`` by a filter that looks at the size."""

    def __init__(self, known: Sandbox) -> None:
        self._known = known

    def visit(self, node: nodes.Node) -> None:
        for name, value in list(node.iter_fields()):
            if isinstance(value, nodes.Node):
                setattr(node, name, self._new(value))
            elif isinstance(value, list):
                items = cast("list[object]", value)
                items[:] = [self._new(i) if isinstance(i, nodes.Node) else i for i in items]

    def _new(self, node: nodes.Node) -> nodes.Node:
        self.visit(node)
        if not isinstance(node, nodes.Concat):
            return node
        parts = nodes.List(node.nodes, lineno=node.lineno)
        made = nodes.Filter(parts, JOINED, [], [], None, None, lineno=node.lineno)
        made.set_environment(self._known)
        return made


def _all(node: nodes.Node) -> Iterator[nodes.Node]:
    yield node
    for child in node.iter_child_nodes():
        yield from _all(child)


def _objection(node: nodes.Node, known: Sandbox) -> str | None:
    if not isinstance(node, _STATEMENTS + _EXPRESSIONS):
        return f"uses {_named(node)}, which prompts do not have"
    if isinstance(node, nodes.Filter):
        if node.node is None or node.name not in known.offered:
            offered = ", ".join(sorted(known.offered))
            return f"uses the filter {node.name!r}; there are {offered}"
    elif isinstance(node, nodes.Test) and node.name not in known.tested:
        return f"uses the test {node.name!r}, which prompts do not have"
    elif isinstance(node, nodes.Call):
        return _objection_to_call(node)
    elif isinstance(node, (nodes.Extends, nodes.Include)):
        if _constant(node.template) is None:
            return "must name the other file in quotes"
    elif isinstance(node, nodes.For):
        return "uses a recursive loop, which prompts do not have" if node.recursive else None
    elif isinstance(node, (nodes.List, nodes.Tuple, nodes.Dict, nodes.Assign)):
        return _objection_to_nesting(node)
    return None


def _objection_to_call(node: nodes.Call) -> str | None:
    called = node.node
    if isinstance(called, nodes.Name) and called.name in _CALLED:
        return "calls with * or **" if node.dyn_args or node.dyn_kwargs else None
    shown = getattr(called, "name", None) or getattr(called, "attr", None) or "something"
    return f"calls {shown}(): templates call range() and super() only; filters do the rest"


def _objection_to_nesting(node: nodes.Node) -> str | None:
    """Lists in lists could be doubled again and again, without ever being shown."""
    if isinstance(node, nodes.Dict):
        return "writes a mapping, which prompts do not have"
    inner = [
        item
        for item in node.find_all((nodes.List, nodes.Tuple))
        if not (isinstance(item, nodes.Tuple) and item.ctx == "store")
    ]
    if not inner or (isinstance(node, nodes.Tuple) and node.ctx == "store"):
        return None
    return "keeps a list in a variable or in a list, which prompts do not have"


def _named(node: nodes.Node) -> str:
    words: dict[type[nodes.Node], str] = {
        nodes.Macro: "{% macro %}",
        nodes.CallBlock: "{% call %}",
        nodes.FilterBlock: "{% filter %}",
        nodes.With: "{% with %}",
        nodes.Import: "{% import %}",
        nodes.FromImport: "{% from %}",
        nodes.AssignBlock: "{% set %} with a block",
        nodes.NSRef: "a namespace",
        nodes.ScopedEvalContextModifier: "{% autoescape %}",
        nodes.Pair: "a mapping",
    }
    return words.get(type(node), type(node).__name__)


def _constant(node: nodes.Expr) -> str | None:
    value = node.value if isinstance(node, nodes.Const) else None
    return value if isinstance(value, str) else None


def _is_blank(node: nodes.Node) -> bool:
    return isinstance(node, nodes.Output) and all(
        isinstance(part, nodes.TemplateData) and not part.data.strip() for part in node.nodes
    )
