"""What the names of an expression stand for, by the kind of rule and the part of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from sparring.interfaces.rule_function import RuleFunction
from sparring_plugins.rules.values.turns import Each

Part = Literal["filter", "oracle"]

MAX_CONVERSATIONS = 8
"""Conversations that one rule may compare."""

BASICS = frozenset(
    {
        *("abs", "all", "any", "bool", "dict", "enumerate", "float", "int", "len", "list", "max"),
        *("min", "range", "repr", "reversed", "round", "set", "sorted", "str", "sum", "tuple"),
        "zip",
    }
)
"""Python's own functions that expressions may call."""

SENSEI_OVER_ALL = frozenset({"is_unique", "exists", "num_exist"})
"""Functions over all conversations that SENSEI has."""

OF_TESTS = frozenset({"exists", "num_exist", "all_of", "none_of", "share"})
"""Those that ask for which conversations an expression is true."""

OF_VALUES = frozenset(
    {"values", "same", "average", "median", "percentile", "total", "smallest", "largest"}
)
"""Those that ask for an expression's values."""

OVER_ALL = SENSEI_OVER_ALL | OF_TESTS | OF_VALUES
"""Functions over all conversations that pass a rule's filter."""

SPECIAL = frozenset({"hasattr", "getattr", "isinstance"})


@dataclass(frozen=True, slots=True)
class Scope:
    """The surroundings of one expression.

    `conversations` is how many the expression compares; `many` says that it sees the list of all
    of them instead (the oracle of a rule over all). `sensei` asks for SENSEI's own readings. `each`
    says that the expression is about one turn or answer, `grouped` that it is about the
    conversations of one group; `parameters` are the rule's constants.
    """

    conversations: int = 1
    many: bool = False
    part: Part = "oracle"
    sensei: bool = False
    functions: Mapping[str, RuleFunction] = field(default_factory=dict[str, RuleFunction])
    each: Each | None = None
    grouped: bool = False
    parameters: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @property
    def known_functions(self) -> list[str]:
        """All names that may be called."""
        return sorted({*BASICS, *SPECIAL, *OVER_ALL, *self.functions})
