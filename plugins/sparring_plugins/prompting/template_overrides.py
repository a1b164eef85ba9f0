"""What a template does with others: those that it extends, includes, or replaces."""

from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from typing import Protocol

from jinja2 import TemplateNotFound, TemplateSyntaxError, meta, nodes

from sparring.errors import ConfigurationError, Problem
from sparring_plugins.prompting.template_checks import Parsed
from sparring_plugins.prompting.untrusted_variables import exposed, foreign

BLOCKS = ("system", "user", "later")
"""The blocks of a prompt; each becomes a message."""


class Shelf(Protocol):
    """All templates: parsed, by key, with the chain of those that each extends."""

    parsed: dict[str, Parsed]
    chains: dict[str, list[str]]

    def resolve(self, name: str, parent: str) -> str:
        """The key of the template that another means by a name; raises TemplateNotFound."""
        ...

    def other(self, wanted: str, parent: str, kind: type[nodes.Node]) -> str:
        """The same; raises ConfigurationError."""
        ...


def problems_with_others(shelf: Shelf, key: str) -> Iterator[Problem]:
    """What is wrong between a template and those that it names or replaces."""
    item = shelf.parsed[key]
    for wanted in item.includes:
        other = shelf.parsed[shelf.other(wanted, key, nodes.Include)]
        if other.blocks or other.extends:
            message = f"includes {wanted!r}, which has blocks of its own"
            yield item.problem(message, item.tree.find(nodes.Include))
    if key not in shelf.chains:
        return
    replaced = _replaced(shelf, key)
    yield from _unknown_blocks(shelf, key, replaced)
    if replaced:
        yield from _missing_blocks(shelf, key, replaced)
        yield from _unknown_names(shelf, key, replaced)
        yield from _exposed(shelf, key, replaced)


def blocks(shelf: Shelf, key: str) -> set[str]:
    """The blocks of a template and of those that it extends."""
    return {block for one in shelf.chains[key] for block in shelf.parsed[one].blocks}


def variables(shelf: Shelf, key: str) -> set[str]:
    """The values that a template, with those it extends and includes, uses or documents."""
    chain = shelf.chains[key]
    documented = {name for one in chain for name in shelf.parsed[one].documented}
    return documented | {name for one in chain for name in _used(shelf, one)}


def _replaced(shelf: Shelf, key: str) -> str | None:
    try:
        return shelf.resolve(key.partition("/")[2], key)
    except TemplateNotFound:
        return None


def _unknown_blocks(shelf: Shelf, key: str, replaced: str | None) -> Iterator[Problem]:
    chain = shelf.chains[key]
    for place, one in enumerate(_own_part(shelf, key, replaced)):
        parents = {name for parent in chain[place + 1 :] for name in shelf.parsed[parent].blocks}
        known = sorted({*BLOCKS, *parents})
        item = shelf.parsed[one]
        for block in item.tree.body:
            if isinstance(block, nodes.Block) and block.name not in known:
                hint = _hint(block.name, known, "there are")
                yield item.problem(f"nothing shows the block {block.name!r}{hint}", block)


def _missing_blocks(shelf: Shelf, key: str, replaced: str) -> Iterator[Problem]:
    file = key.partition("/")[2]
    needed = blocks(shelf, replaced) - blocks(shelf, key)
    for block in (name for name in BLOCKS if name in needed):
        yield shelf.parsed[key].problem(
            f"has no {{% block {block} %}}, which the prompt needs; write it, or begin with "
            f'{{% extends "{file}" %}} to keep ours'
        )


def _own_part(shelf: Shelf, key: str, replaced: str | None) -> list[str]:
    """The template and those that it extends, up to the one that it replaces."""
    theirs = shelf.chains[replaced] if replaced else []
    return [one for one in shelf.chains[key] if one not in theirs]


def _unknown_names(shelf: Shelf, key: str, replaced: str) -> Iterator[Problem]:
    known = variables(shelf, replaced)
    for one in _own_part(shelf, key, replaced):
        item = shelf.parsed[one]
        for wrong in sorted(_used(shelf, one) - known):
            named = (name for name in item.tree.find_all(nodes.Name) if name.name == wrong)
            hint = _hint(wrong, sorted(known), "it has")
            message = f"the prompt has no value {wrong!r}{hint}"
            yield item.problem(message, next(named, None))


def _exposed(shelf: Shelf, key: str, replaced: str) -> Iterator[Problem]:
    guarded = frozenset(
        name for one in shelf.chains[replaced] for name in foreign(shelf.parsed[one].tree)
    )

    def included(wanted: str) -> nodes.Template:
        return shelf.parsed[shelf.other(wanted, key, nodes.Include)].tree

    for one in _own_part(shelf, key, replaced):
        item = shelf.parsed[one]
        for name, node in exposed(item.tree, guarded, included):
            yield item.problem(_how_to_show(name), node)


def _how_to_show(name: str) -> str:
    if name == "super()":
        return "takes apart what super() gives, which may hold data blocks: show it as it is"
    return (
        f"shows {name!r}, which holds what others said, outside of a data block: write "
        f"{{{{ {name} | data }}}}, with `data` last"
    )


def _used(shelf: Shelf, key: str) -> set[str]:
    """The values that a template and those that it includes look up."""
    seen: set[str] = set()
    names: set[str] = set()
    todo = [key]
    while todo:
        one = todo.pop()
        if one not in seen:
            seen.add(one)
            names |= _undeclared(shelf.parsed[one])
            todo += [shelf.other(o, one, nodes.Include) for o in shelf.parsed[one].includes]
    return names - {"range"}


def _undeclared(parsed: Parsed) -> set[str]:
    try:
        return meta.find_undeclared_variables(parsed.tree)
    except TemplateSyntaxError as err:
        problem = Problem(err.message or "is no template", parsed.file, err.lineno)
        raise ConfigurationError(problem) from err


def _hint(wrong: str, known: Sequence[str], otherwise: str) -> str:
    close = get_close_matches(wrong, known, n=1)
    listed = ", ".join(known) or "none"
    return f"; did you mean {close[0]!r}?" if close else f"; {otherwise} {listed}"
