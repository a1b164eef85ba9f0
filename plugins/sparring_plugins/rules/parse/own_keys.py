"""The keys of a rule that SENSEI does not have: `for_each`, `group_by`, `parameters`."""

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple, cast, get_args

from pydantic import JsonValue

from sparring.documents.checking import nearest, shown
from sparring_plugins.rules.parse.scope import BASICS, SPECIAL
from sparring_plugins.rules.parse.syntax import Source
from sparring_plugins.rules.values.turns import Each

OWN_KEYS = ("for_each", "group_by", "parameters")
RESERVED = BASICS | SPECIAL | {"conv", "turn", "previous", "answer", "group"}
"""Names that mean something else in expressions."""

_LONGEST = 20_000


class OwnKeys(NamedTuple):
    """What a rule's own keys say."""

    each: Each | None = None
    groups: tuple[Source, ...] = ()
    parameters: Mapping[str, JsonValue] = MappingProxyType({})


class Wrong(Exception):
    """A key's value is no valid one; carries the message."""


def read_each(value: Any, conversations: object) -> Each | None:
    """What the rule is judged on, one by one; raises Wrong."""
    if value is None:
        return None
    known = get_args(Each)
    if value not in known:
        raise Wrong(f"must be turn or answer, found {shown(value)}.{nearest(str(value), known)}")
    if conversations != 1:
        raise Wrong("a rule over turns is about one conversation: leave `conversations` out")
    return cast("Each", value)


def read_groups(value: Any, conversations: object) -> list[str]:
    """The texts of the expressions to group conversations by; raises Wrong."""
    texts: list[Any] = cast("list[Any]", value) if isinstance(value, list) else [value]
    if not texts or not all(isinstance(one, str) and one.strip() for one in texts):
        raise Wrong(f"must be an expression or a list of expressions, found {shown(value)}")
    if conversations != "all":
        raise Wrong("only rules with `conversations: all` have groups")
    return [str(one) for one in texts]


def read_parameters(value: Any) -> dict[str, JsonValue]:
    """Constants by name; None stands for one that has to be given. Raises Wrong."""
    if not isinstance(value, dict):
        raise Wrong(f"must be a map of names and values, found {shown(value)}")
    found: dict[str, JsonValue] = {}
    for name, given in cast("dict[Any, Any]", value).items():
        if not (isinstance(name, str) and name.isidentifier()) or name.startswith("__"):
            raise Wrong(f"{shown(name)} is no name")
        if name in RESERVED:
            raise Wrong(f"`{name}` means something else in rules; use another name")
        found[name] = plain_value(name, given)
    return found


def plain_value(name: str, value: Any) -> JsonValue:
    """A parameter's value as plain data; raises Wrong."""
    try:
        text = json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        raise Wrong(f"`{name}` must be plain data, found {shown(value)}") from None
    if len(text) > _LONGEST:
        raise Wrong(f"`{name}` is longer than {_LONGEST:,} characters")
    return cast("JsonValue", json.loads(text))
