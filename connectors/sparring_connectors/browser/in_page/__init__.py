"""The script that runs in every document: what it is made of, and how it is asked."""

from functools import cache
from importlib.resources import files

PARTS = (
    "base", "roles", "names", "states", "seeing", "walk", "tables", "snapshot", "quiet",
    "messages", "chat", "targets",
)  # fmt: skip
NAME = "__sparring"
NOTE = "__sparringNote"


_FIND = f"""const holder = window.{NAME}, api = holder && holder.api;"""
HAS = f"() => {{ {_FIND} return !!api && api.page === document; }}"


def call(method: str, parameters: str = "argument") -> str:
    """A function that asks the script, and fails where the document has none of its own."""
    return f"""(argument) => {{
  {_FIND}
  if (!api || api.page !== document) throw new Error('no script');
  return api.{method}({parameters});
}}"""


def call_for(method: str) -> str:
    """A function that asks about a node, given a document's token and the node's number."""
    return f"""([token, number]) => {{
  {_FIND}
  return api && api.token === token ? api.{method}(number) : null;
}}"""


def call_on(method: str) -> str:
    """A function that asks about an element, with one more argument."""
    return f"""(element, argument) => {{
  {_FIND}
  return api ? api.{method}(element, argument) : null;
}}"""


@cache
def script(faults: str = "") -> str:
    """The script as one text; it does nothing in a document that has it already.

    `faults` are those to put into the page, as a list in JSON. They come before what watches the
    page, so that nothing is told of that a fault takes away.
    """
    base, *rest = (_part(part) for part in PARTS)
    seeded = [f"{{ const FAULTS = {faults};\n{_part('faults')}\n}}"] if faults else []
    parts = "\n".join((base, *seeded, *rest))
    return f"(() => {{ 'use strict'; if (({HAS})()) return;\n{parts}\n}})();"


def _part(name: str) -> str:
    return (files(__name__) / f"{name}.js").read_text(encoding="utf-8")
