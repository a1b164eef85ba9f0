"""Checks of template files before anything is asked.

Their statements, the foreign text that they show, and how they extend or replace one another.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Protocol, cast

from jinja2 import TemplateNotFound, TemplateSyntaxError, meta, nodes

from sparring.errors import ConfigurationError, Problem
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
# The first comment of a template describes it, and nothing else does.
_HEADER = re.compile(r"\s*\{#-?(.*?)-?#\}", re.DOTALL)
# `name: value` lines of a template's first comment; lines that are indented go on with the value.
_VALUE = re.compile(r"^(\w+): (.+(?:\n[ \t]+.+)*)$", re.MULTILINE)
# `range` numbers what is shown, `super` keeps the block that is replaced; all else is a filter,
# which is bounded.
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
        node = self.tree.find(nodes.Extends)
        return _constant(node.template) if node else None

    @property
    def includes(self) -> list[str]:
        """The names of the templates that it includes, as written."""
        names = [_constant(node.template) for node in self.tree.find_all(nodes.Include)]
        return [name for name in names if name is not None]

    @property
    def documented(self) -> dict[str, str]:
        """The values that the comment at its beginning documents."""
        header = _HEADER.match(self.source)
        return dict(_VALUE.findall(header[1])) if header else {}

    @property
    def about(self) -> str:
        """The rest of that comment: what the prompt is for."""
        header = _HEADER.match(self.source)
        text = _VALUE.sub("", header[1]) if header else ""
        return " ".join(text.split())

    @property
    def blocks(self) -> dict[str, nodes.Block]:
        """Its blocks by name, those inside other blocks too."""
        return {block.name: block for block in self.tree.find_all(nodes.Block)}

    def depth(self) -> int:
        """The depth at which its statements and expressions are nested."""
        level: list[nodes.Node] = [self.tree]
        depth = 0
        while level:
            level = [child for node in level for child in node.iter_child_nodes()]
            depth += 1
        return depth

    def problem(self, message: str, node: nodes.Node | None = None) -> Problem:
        """A problem at a node of the file."""
        return Problem(message, self.file, node.lineno if node else None)


def problems_of(parsed: Parsed, sandbox: Sandbox) -> Iterator[Problem]:
    """Find statements, filters and calls outside of the small language of templates."""
    for node in _all_nodes(parsed.tree):
        message = _objection(node, sandbox)
        if message:
            yield parsed.problem(message, node)
    if parsed.blocks or parsed.extends:
        for node in parsed.tree.body:
            if not isinstance(node, (nodes.Block, nodes.Extends)) and not _is_blank(node):
                yield parsed.problem("stands outside of the blocks, and would never be sent", node)


def bounded(tree: nodes.Template, sandbox: Sandbox) -> nodes.Template:
    """The tree with loops and joined texts counted; changes it in place."""
    for node in list(tree.find_all(nodes.For)):
        node.iter = nodes.Filter(node.iter, COUNTED, [], [], None, None, lineno=node.lineno)
        node.iter.set_environment(sandbox)
    _Joining(sandbox).visit(tree)
    return tree


class _Joining:
    """Replaces ``a ~ b`` by a filter that looks at the size."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._known = sandbox

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
        joined = nodes.Filter(parts, JOINED, [], [], None, None, lineno=node.lineno)
        joined.set_environment(self._known)
        return joined


def _all_nodes(node: nodes.Node) -> Iterator[nodes.Node]:
    yield node
    for child in node.iter_child_nodes():
        yield from _all_nodes(child)


def _objection(node: nodes.Node, sandbox: Sandbox) -> str | None:
    if not isinstance(node, _STATEMENTS + _EXPRESSIONS):
        return f"uses {_name_of(node)}, which prompts do not have"
    if isinstance(node, nodes.Filter):
        if node.node is None or node.name not in sandbox.offered:
            offered = ", ".join(sorted(sandbox.offered))
            return f"uses the filter {node.name!r}; there are {offered}"
    elif isinstance(node, nodes.Test) and node.name not in sandbox.tested:
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


def _name_of(node: nodes.Node) -> str:
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


# Which variables of a template hold foreign text, and where another shows one unprotected.
#
# A variable that one of our templates passes through ``| data`` holds what the app or a model said.
# An override must not show it in any other way, nor take a finished block apart.

_BLOCK = "data"
# "12 messages" tells nothing of what they say.
_HARMLESS = frozenset({"count", "length"})
# `{{ reason | default('none') }}` shows a text whole; `| upper` or `[:80]` would take a finished
# block apart.
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
    shown = _ExposureReader(lambda _: None).shown(tree, _ForeignNames(frozenset(inside)))
    return frozenset(inside - {name for name, _ in shown})


def exposed(
    tree: nodes.Template, guarded: frozenset[str], included: Included
) -> Iterator[tuple[str, nodes.Node]]:
    """Each place where a template shows one of the variables outside of a data block."""
    yield from _ExposureReader(included).shown(tree, _ForeignNames(guarded))


def _root(node: nodes.Node | None) -> str | None:
    while isinstance(node, (nodes.Getattr, nodes.Getitem, nodes.Filter)):
        node = node.node
    return node.name if isinstance(node, nodes.Name) else None


@dataclass(frozen=True)
class _ForeignNames:
    """Variables that hold foreign text as it is, and those that hold finished blocks of it."""

    raw: frozenset[str]
    done: frozenset[str] = field(default_factory=frozenset[str])

    def leak(self, node: nodes.Node | None) -> str | None:
        """The variable whose text an expression may give outside of a block; None for none."""
        if isinstance(node, nodes.Name):
            return node.name if node.name in self.raw else None
        if node is None or isinstance(node, (nodes.Test, nodes.Compare, nodes.Not, nodes.Const)):
            return None
        # Of `a if test else b` either may be shown; the test itself is not.
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

    def after(self, target: nodes.Node, source: nodes.Node, *, looped: bool) -> "_ForeignNames":
        """The names once `target` has a value, or in a loop each part of a value."""
        targets = {name.name for name in _targets(target)}
        # A loop over finished blocks goes through their characters, marks and all.
        if self.leak(source) or (looped and self.mention(source)):
            return _ForeignNames(self.raw | targets, self.done - targets)
        if self.mention(source):
            return _ForeignNames(self.raw - targets, self.done | targets)
        return self


class _ExposureReader:
    """Reads templates statement by statement, and follows what becomes of names."""

    def __init__(self, included: Included, depth: int = 10) -> None:
        self._included = included
        self._depth = depth

    def shown(self, node: nodes.Node, names: _ForeignNames) -> Iterator[tuple[str, nodes.Node]]:
        """Each place below a statement where one of the names is shown as it is."""
        for child in node.iter_child_nodes():
            inner = names
            if isinstance(child, nodes.Output):
                for part in child.nodes:
                    leak = names.leak(part)
                    if leak:
                        yield leak, part
            elif isinstance(child, nodes.For):
                inner = names.after(child.target, child.iter, looped=True)
            elif isinstance(child, nodes.Assign):
                names = names.after(child.target, child.node, looped=False)
            elif isinstance(child, nodes.Include):
                yield from self._exposed_in(child, names)
            if isinstance(child, nodes.Stmt) and not isinstance(child, nodes.Output):
                yield from self.shown(child, inner)

    def _exposed_in(
        self, node: nodes.Include, names: _ForeignNames
    ) -> Iterator[tuple[str, nodes.Node]]:
        name = node.template.value if isinstance(node.template, nodes.Const) else None
        tree = self._included(name) if isinstance(name, str) else None
        if tree is not None and self._depth:
            leaks = _ExposureReader(self._included, self._depth - 1).shown(tree, names)
            yield from ((leaked, node) for leaked, _ in leaks)


def _targets(target: nodes.Node) -> list[nodes.Name]:
    return [target] if isinstance(target, nodes.Name) else list(target.find_all(nodes.Name))


# What a template does with others: those that it extends, includes, or replaces.

BLOCKS = ("system", "user", "later")
"""The blocks of a prompt; each becomes a message."""


class Shelf(Protocol):
    """All templates: parsed, by key, with the chain of those that each extends."""

    parsed: dict[str, Parsed]
    chains: dict[str, list[str]]

    def resolve(self, name: str, parent: str) -> str:
        """The key of the template that another means by a name; raises TemplateNotFound."""
        ...

    def other(self, name: str, parent: str, kind: type[nodes.Node]) -> str:
        """The same; raises ConfigurationError."""
        ...


def problems_with_others(shelf: Shelf, key: str) -> Iterator[Problem]:
    """Find problems between a template and those that it names or replaces."""
    item = shelf.parsed[key]
    for file in item.includes:
        other = shelf.parsed[shelf.other(file, key, nodes.Include)]
        if other.blocks or other.extends:
            message = f"includes {file!r}, which has blocks of its own"
            yield item.problem(message, item.tree.find(nodes.Include))
    if key not in shelf.chains:
        return
    replaced = _find_replacement(shelf, key)
    yield from _unknown_blocks(shelf, key, replaced)
    if replaced:
        yield from _missing_blocks(shelf, key, replaced)
        yield from _unknown_names(shelf, key, replaced)
        yield from _find_exposed(shelf, key, replaced)


def blocks(shelf: Shelf, key: str) -> set[str]:
    """The blocks of a template and of those that it extends."""
    return {block for chain in shelf.chains[key] for block in shelf.parsed[chain].blocks}


def variables(shelf: Shelf, key: str) -> set[str]:
    """The values that a template, with those it extends and includes, uses or documents."""
    chain = shelf.chains[key]
    documented = {name for link in chain for name in shelf.parsed[link].documented}
    return documented | {name for link in chain for name in _used_files(shelf, link)}


def _find_replacement(shelf: Shelf, key: str) -> str | None:
    try:
        return shelf.resolve(key.partition("/")[2], key)
    except TemplateNotFound:
        return None


def _unknown_blocks(shelf: Shelf, key: str, replaced: str | None) -> Iterator[Problem]:
    chain = shelf.chains[key]
    for place, defined in enumerate(_own_nodes(shelf, key, replaced)):
        parents = {name for parent in chain[place + 1 :] for name in shelf.parsed[parent].blocks}
        blocks = sorted({*BLOCKS, *parents})
        item = shelf.parsed[defined]
        for block in item.tree.body:
            if isinstance(block, nodes.Block) and block.name not in blocks:
                hint = _hint(block.name, blocks, "there are")
                yield item.problem(f"nothing shows the block {block.name!r}{hint}", block)


def _missing_blocks(shelf: Shelf, key: str, replaced: str) -> Iterator[Problem]:
    file = key.partition("/")[2]
    needed = blocks(shelf, replaced) - blocks(shelf, key)
    for block in (name for name in BLOCKS if name in needed):
        yield shelf.parsed[key].problem(
            f"has no {{% block {block} %}}, which the prompt needs; write it, or begin with "
            f'{{% extends "{file}" %}} to keep ours'
        )


def _own_nodes(shelf: Shelf, key: str, replaced: str | None) -> list[str]:
    """The template and those that it extends, up to the one that it replaces."""
    theirs = shelf.chains[replaced] if replaced else []
    return [chain for chain in shelf.chains[key] if chain not in theirs]


def _unknown_names(shelf: Shelf, key: str, replaced: str) -> Iterator[Problem]:
    names = variables(shelf, replaced)
    for node in _own_nodes(shelf, key, replaced):
        item = shelf.parsed[node]
        for wrong in sorted(_used_files(shelf, node) - names):
            named = (name for name in item.tree.find_all(nodes.Name) if name.name == wrong)
            hint = _hint(wrong, sorted(names), "it has")
            message = f"the prompt has no value {wrong!r}{hint}"
            yield item.problem(message, next(named, None))


def _find_exposed(shelf: Shelf, key: str, replaced: str) -> Iterator[Problem]:
    guarded = frozenset(
        name for chain in shelf.chains[replaced] for name in foreign(shelf.parsed[chain].tree)
    )

    def included(file: str) -> nodes.Template:
        return shelf.parsed[shelf.other(file, key, nodes.Include)].tree

    for tree in _own_nodes(shelf, key, replaced):
        item = shelf.parsed[tree]
        for name, node in exposed(item.tree, guarded, included):
            yield item.problem(_how_to_show(name), node)


def _how_to_show(name: str) -> str:
    if name == "super()":
        return "takes apart what super() gives, which may hold data blocks: show it as it is"
    return (
        f"shows {name!r}, which holds what others said, outside of a data block: write "
        f"{{{{ {name} | data }}}}, with `data` last"
    )


def _used_files(shelf: Shelf, key: str) -> set[str]:
    """The values that a template and those that it includes look up."""
    seen: set[str] = set()
    names: set[str] = set()
    todo = [key]
    while todo:
        current = todo.pop()
        if current not in seen:
            seen.add(current)
            names |= _undeclared_names(shelf.parsed[current])
            todo += [shelf.other(o, current, nodes.Include) for o in shelf.parsed[current].includes]
    return names - {"range"}


def _undeclared_names(parsed: Parsed) -> set[str]:
    try:
        return meta.find_undeclared_variables(parsed.tree)
    except TemplateSyntaxError as err:
        problem = Problem(err.message or "is no template", parsed.file, err.lineno)
        raise ConfigurationError(problem) from err


def _hint(wrong: str, names: Sequence[str], otherwise: str) -> str:
    # "Did you mean" for a slip of the keys; else all names, since the right one may be called quite
    # otherwise.
    close = get_close_matches(wrong, names, n=1)
    listed = ", ".join(names) or "none"
    return f"; did you mean {close[0]!r}?" if close else f"; {otherwise} {listed}"
