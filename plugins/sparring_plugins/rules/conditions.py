"""The expression language of rules, for conditions over the variables of a space."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import JsonValue

from sparring.discovery import drivers
from sparring.discovery.groups import CONDITIONS
from sparring.documents.checking import nearest
from sparring.errors import ConfigurationError
from sparring.interfaces.plugin import BuildContext
from sparring.interfaces.rule_function import RuleFunction, rule_context
from sparring_plugins.rules.compile.evaluation import Evaluator, Expression
from sparring_plugins.rules.parse.syntax import ExpressionSource, NotAllowed, Scope
from sparring_plugins.rules.values.function_calls import Questions
from sparring_plugins.rules.values.record import EMPTY_TRACE, Record
from sparring_plugins.rules.values.work import UnknownName

# Conditions over the variables of a space: the entry-point group `sparring.conditions`.


@dataclass(frozen=True, slots=True)
class Condition:
    """A compiled condition, made by `condition_of`.

    `names` are the variables that it speaks of, in the order in which they stand in it. `holds`
    is given a value for each of them (others may be there too) and depends on nothing else; it
    raises ValueError, saying why, if the condition is neither true nor false of the values.
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


WORK = 100_000
"""Units of work of one evaluation, each at most about a microsecond."""


class VariableRecord(Record):
    """The values of a space's variables by name, in the place of a conversation's."""

    __slots__ = ()

    def __init__(self, values: Mapping[str, JsonValue]) -> None:
        super().__init__(EMPTY_TRACE)
        self.update(values)

    def find(self, name: str) -> Any:
        """No name but those of the variables has a value."""
        raise UnknownName(name)


def condition_of(
    context: BuildContext, expression: str, names: Collection[str], *, language: str = "rules"
) -> Condition:
    """Compile a condition over variables called `names`, such as a constraint of a space.

    `language` is an entry point of ``sparring.conditions``. Raises ConfigurationError for an
    expression that is wrong, naming the nearest name; UnknownPlugin if the language is unknown.
    """
    chosen: ConditionLanguage = drivers.load_value(CONDITIONS, language, ConditionLanguage)
    return chosen.compile(expression, names, rule_context(context).functions())


def compile_condition(
    text: str, names: Collection[str], functions: Mapping[str, RuleFunction]
) -> Condition:
    """Compile an expression over variables; raises ConfigurationError with the column.

    Functions that need a conversation or a language model cannot be called.
    """
    offered = {name: functions[name] for name in _called_functions(text, functions)}
    evaluator = Evaluator(offered, Questions(None, 0), work=WORK)
    source = ExpressionSource(text)
    try:
        expression = evaluator.compile(source, Scope(functions=evaluator.functions))
    except NotAllowed as err:
        raise ConfigurationError(err.problem.message) from None
    unknown = [name for _, name in sorted(expression.uses.names) if name not in names]
    if unknown:
        raise ConfigurationError(
            f"`{unknown[0]}` is none of the variables.{nearest(unknown[0], list(names))}"
        )
    return Condition(_used_names(expression, text), _make_test(evaluator, expression))


def _called_functions(text: str, functions: Mapping[str, RuleFunction]) -> list[str]:
    """The plain functions whose names stand in the text: no other is loaded."""
    # A search evaluates a hundred thousand points: none should wait for a package that its
    # condition does not call.
    mentioned = [name for name in functions if "." not in name and f"{name}(" in text]
    loaded = {name: functions[name] for name in mentioned}
    return [
        name for name, function in loaded.items() if not (function.conversation or function.model)
    ]


def _used_names(expression: Expression, text: str) -> tuple[str, ...]:
    used = {name for _, name in expression.uses.names}
    return tuple(sorted(used, key=lambda name: (text.find(name), name)))


def _make_test(evaluator: Evaluator, expression: Expression) -> Any:
    def holds(values: Mapping[str, JsonValue]) -> bool:
        try:
            return bool(evaluator.evaluate(expression, VariableRecord(values)))
        except Exception as err:
            raise ValueError(f"{type(err).__name__}: {err}") from err

    return holds


RULES = ConditionLanguage(
    about="the expression language of rules (docs/reference/rules.md)", compile=compile_condition
)
