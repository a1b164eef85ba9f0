"""Conditions over the variables of a space: the entry-point group `sparring.conditions`."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from sparring.interfaces.rule_function import RuleFunction


@dataclass(frozen=True, slots=True)
class Condition:
    """A compiled condition, made by `BuildContext.condition`.

    `names` are the variables that it speaks of, in the order in which they stand in it. `holds`
    is given a value for each of them (others may be there too) and depends on nothing else; it
    raises ValueError, saying why, where the condition is neither true nor false of the values.
    """

    names: tuple[str, ...]
    holds: Callable[[Mapping[str, JsonValue]], bool]


@dataclass(frozen=True, slots=True)
class ConditionLanguage:
    """A language that conditions are written in; entry points of ``sparring.conditions``.

    `about` says in a line which. `compile` is given the text, the names of the variables that it
    may use, and the functions that rules may call; it raises ConfigurationError. Whatever the text
    says, evaluating it reaches nothing but the values, and does bounded work.
    """

    about: str
    compile: Callable[[str, Collection[str], Mapping[str, RuleFunction]], Condition]
