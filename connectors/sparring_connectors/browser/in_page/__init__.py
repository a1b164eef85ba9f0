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
def script() -> str:
    """The script as one text; it does nothing in a document that has it already."""
    folder = files(__name__)
    parts = "\n".join((folder / f"{part}.js").read_text(encoding="utf-8") for part in PARTS)
    return f"(() => {{ 'use strict'; if (({HAS})()) return;\n{parts}\n}})();"
