"""The reference pages of the interfaces: one each, and an index at the address of all of them."""

import inspect
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from sparring.discovery.groups import FUNCTIONS, GROUPS, HOOKS
from sparring.interfaces import (
    abilities,
    agent,
    app_connector,
    executor,
    oracle,
    plugin,
    reporter,
    roles,
    rule_function,
    search_strategy,
)
from sparring_plugins.rules import conditions
from sparring_plugins.search import roles as search_roles
from sparring_plugins.voice import roles as explorer_roles
from sparring_plugins.web import roles as web_roles

ROLES = (roles, explorer_roles, search_roles, web_roles)
"""Modules whose values are tasks and answers of agents: their pages have the keys of each."""


@dataclass(frozen=True)
class Interface:
    """A page: what of `module` is on it, and the page that teaches to write such a plugin.

    `only` are the names of the classes that are shown, `without` those that another page shows.
    """

    title: str
    module: ModuleType
    about: str
    tutorial: str = ""
    only: Sequence[str] = ()
    without: Sequence[str] = ()


PAGES = {
    "interface-connector": Interface(
        "Connectors", app_connector, "how an app is reached", "connector"
    ),
    "interface-oracle": Interface("Oracles", oracle, "what is wrong with a conversation", "oracle"),
    "interface-strategy": Interface(
        "Strategies", search_strategy, "which case is tried next", "strategy"
    ),
    "interface-reporter": Interface(
        "Reporters", reporter, "what a person or a program reads of a run", "reporter"
    ),
    "interface-agent": Interface("Agents and players", agent, "who decides in a role", "agent"),
    "interface-function": Interface(
        "Functions of rules", rule_function, "what rules can call", "function"
    ),
    "interface-llm-backend": Interface(
        "LLM backends", plugin, "how a language model is asked", only=["LLMBackend"]
    ),
    "interface-executor": Interface("Executors", executor, "who plays the cases of a run"),
    "interface-plugin": Interface(
        "What all plugins share",
        plugin,
        "settings, what plugins are built in, closing",
        without=["LLMBackend"],
    ),
    "interface-abilities": Interface(
        "Optional abilities", abilities, "methods that are used if a plugin has them"
    ),
    "roles": Interface(
        "Roles of simulated users and judges", roles, "tasks and answers", tutorial="agent"
    ),
    "roles-search": Interface("Roles of searches", search_roles, "tasks and answers", "agent"),
    "roles-voice": Interface("Roles of explorers", explorer_roles, "tasks and answers", "agent"),
    "roles-web": Interface("Roles on web pages", web_roles, "tasks and answers", "agent"),
    "conditions": Interface(
        "Conditions over variables", conditions, "the language of constraints, for other parts"
    ),
}

INDEX = """\
# Interfaces

The six interfaces that a run needs, and what their implementations share, a page each. Who wants to
write a plugin begins with [Write a plugin](../how-to/write-a-plugin.md), which has a page for each
kind; here stands what every method gets, returns and raises.

| page | what is on it | how to write one |
| --- | --- | --- |
"""
ENTRY_POINTS = """
One entry-point group per interface; a package of yours lists its classes there and is found like
the bundled ones:

| group | what the entry point names |
| --- | --- |
"""


def index() -> str:
    """Return the page with the links to all others."""
    rows = [
        f"| [{page.title}]({name}.md) | {page.about}: {_names(page)} | {_tutorial(page)} |"
        for name, page in PAGES.items()
    ]
    groups = [
        f"| `{group.namespace}` | `{group.interface.__name__}` |" for group in GROUPS.values()
    ]
    groups += [
        f"| `{FUNCTIONS}` | a function, see [`RuleFunction`](interface-function.md#rulefunction) |",
        f"| `{HOOKS}` | a module, see [hooks](hooks.md) |",
    ]
    return INDEX + "\n".join(rows) + "\n" + ENTRY_POINTS + "\n".join(groups) + "\n"


def _names(page: Interface) -> str:
    return ", ".join(f"`{item.__name__}`" for item in _shown(page, inspect.isclass))


def _tutorial(page: Interface, verb: str = "write") -> str:
    kind = page.tutorial
    article = "an" if kind[:1] in ("a", "o") else "a"
    return f"[{verb} {article} {kind}](../plugins/{kind}.md)" if kind else ""


def pages(
    text: Callable[[Any], str], of_class: Callable[[type], str], of_function: Callable[[Any], str]
) -> dict[str, Callable[[], str]]:
    """Return the makers of all pages, by file name, from the makers of their parts."""

    def maker(page: Interface) -> Callable[[], str]:
        return lambda: "\n".join(_parts(page, text, of_class, of_function))

    made = {f"{name}.md": maker(page) for name, page in PAGES.items()}
    return {"interfaces.md": index, **made}


def _parts(
    page: Interface,
    text: Callable[[Any], str],
    of_class: Callable[[type], str],
    of_function: Callable[[Any], str],
) -> Iterator[str]:
    yield f"# {page.title}\n"
    yield f"`{page.module.__name__}`\n" if page.only else text(page.module)
    links = ["[All interfaces](interfaces.md)", _tutorial(page, "Write")]
    yield " · ".join(link for link in links if link) + "\n"
    for item in _shown(page, inspect.isclass):
        yield _raise_headings(of_class(item))
    for item in _shown(page, inspect.isfunction):
        yield _raise_headings(of_function(item))


def _raise_headings(text: str) -> str:
    """Return a part of a page with its headings one level higher."""
    return re.sub(r"^#(##+ )", r"\1", text, flags=re.MULTILINE)


def _shown(page: Interface, kind: Callable[[Any], bool]) -> list[Any]:
    """Return the public classes or functions of a page, in the order in which they are defined."""
    return [
        item
        for name, item in vars(page.module).items()
        if kind(item)
        and item.__module__ == page.module.__name__
        and not name.startswith("_")
        and name not in page.without
        and (not page.only or name in page.only)
    ]
