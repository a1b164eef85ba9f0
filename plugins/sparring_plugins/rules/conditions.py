"""The expression language of rules, for conditions over the variables of a space."""

from collections.abc import Collection, Mapping
from typing import Any

from pydantic import JsonValue

from sparring.documents.checking import nearest
from sparring.errors import ConfigurationError
from sparring.interfaces.condition import Condition, ConditionLanguage
from sparring.interfaces.rule_function import RuleFunction
from sparring_plugins.rules.compile.evaluation import Evaluator, Expression
from sparring_plugins.rules.parse.scope import Scope
from sparring_plugins.rules.parse.syntax import NotAllowed, Source
from sparring_plugins.rules.values.errors import UnknownName
from sparring_plugins.rules.values.questions import Questions
from sparring_plugins.rules.values.record import EMPTY_TRACE, Record

WORK = 100_000
"""Units of work of one evaluation, each at most about a microsecond."""


class Values(Record):
    """The values of a space's variables by name, in the place of a conversation's."""

    __slots__ = ()

    def __init__(self, values: Mapping[str, JsonValue]) -> None:
        super().__init__(EMPTY_TRACE)
        self.update(values)

    def find(self, name: str) -> Any:
        """No name but those of the variables has a value."""
        raise UnknownName(name)


def compile_condition(
    text: str, names: Collection[str], functions: Mapping[str, RuleFunction]
) -> Condition:
    """Compile an expression over variables; raises ConfigurationError with the column.

    Functions that need a conversation or a language model cannot be called.
    """
    offered = {name: functions[name] for name in _called(text, functions)}
    evaluator = Evaluator(offered, Questions(None, 0), work=WORK)
    source = Source(text)
    try:
        expression = evaluator.compile(source, Scope(functions=evaluator.functions))
    except NotAllowed as err:
        raise ConfigurationError(err.problem.message) from None
    unknown = [name for _, name in sorted(expression.uses.names) if name not in names]
    if unknown:
        raise ConfigurationError(
            f"`{unknown[0]}` is none of the variables.{nearest(unknown[0], list(names))}"
        )
    return Condition(_in_order(expression, text), _test(evaluator, expression))


def _called(text: str, functions: Mapping[str, RuleFunction]) -> list[str]:
    """The plain functions whose names stand in the text: no other is loaded."""
    mentioned = [name for name in functions if "." not in name and f"{name}(" in text]
    loaded = {name: functions[name] for name in mentioned}
    return [name for name, one in loaded.items() if not (one.conversation or one.model)]


def _in_order(expression: Expression, text: str) -> tuple[str, ...]:
    used = {name for _, name in expression.uses.names}
    return tuple(sorted(used, key=lambda name: (text.find(name), name)))


def _test(evaluator: Evaluator, expression: Expression) -> Any:
    def holds(values: Mapping[str, JsonValue]) -> bool:
        try:
            return bool(evaluator.evaluate(expression, Values(values)))
        except Exception as err:
            raise ValueError(f"{type(err).__name__}: {err}") from err

    return holds


RULES = ConditionLanguage(
    about="the expression language of rules (docs/reference/rules.md)", compile=compile_condition
)
