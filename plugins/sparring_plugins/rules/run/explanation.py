"""Why an oracle is false: the values of its parts, and the turns that show it."""

# Values of any type are computed with here, which a type checker cannot follow.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownLambdaType=false

import ast
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from sparring.documents.checking import shown
from sparring.model.talk import Listen, Trace
from sparring.model.verdict import TurnRef
from sparring_plugins.rules.compile.evaluation import Evaluator, Expression
from sparring_plugins.rules.parse.syntax import NotAllowed, Source, parse
from sparring_plugins.rules.values.errors import NeedsAnswer
from sparring_plugins.rules.values.evidence import first_turns
from sparring_plugins.rules.values.record import Record

_MOST_PARTS = 4
_AT_MESSAGES = frozenset({"chatbot_returns", "empty_responses", "utterance_index"})
_OF_TEXTS = frozenset({"repeated_answers"})


class Explanation:
    """Explains failures of one oracle; its parts are compiled when the first one fails."""

    def __init__(self, evaluator: Evaluator, oracle: Expression) -> None:
        self.evaluator = evaluator
        self.oracle = oracle

    def values(self, records: Sequence[Record | None]) -> str:
        """``price is '$12'; size is ['small']`` for the parts of the oracle; may be empty."""
        found: list[str] = []
        for part in self._parts:
            value = self._value(part, records)
            if value is not _NOTHING:
                found.append(f"{part.source.text} is {shown(value)}")
        return "; ".join(found)

    def turns(self, records: Sequence[Record]) -> tuple[TurnRef, ...]:
        """The turns that the oracle's functions point at, and those its outputs were read from."""
        refs: dict[TurnRef, None] = {}
        if self.oracle.scope.each:  # the turn that it is about shows it
            return ()
        for name, call in self._calls:
            value = self._value(call, records)
            for record in records[:1]:
                for turn in _turns(record.trace, name, value):
                    refs[TurnRef(case_id=record.trace.case.id, turn=turn)] = None
        for index, name in sorted(self.oracle.uses.names):
            for record in records[index : index + 1]:
                for output in record.trace.outputs:
                    if output.name == name and output.turn is not None:
                        refs[TurnRef(case_id=record.trace.case.id, turn=output.turn)] = None
        return first_turns(refs)

    @cached_property
    def _tree(self) -> ast.expr:
        return parse(self.oracle.source)

    @cached_property
    def _parts(self) -> list[Expression]:
        nodes = [node for node in _operands(self._tree) if _varies(node)]
        compiled = (self._compiled(node) for node in nodes[:_MOST_PARTS])
        return [one for one in compiled if one is not None]

    @cached_property
    def _calls(self) -> list[tuple[str, Expression]]:
        found: list[tuple[str, Expression]] = []
        for node in ast.walk(self._tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                name = node.func.id
                if name in _AT_MESSAGES | _OF_TEXTS and (made := self._compiled(node)):
                    found.append((name, made))
        return found

    def _compiled(self, node: ast.expr) -> Expression | None:
        source = self.oracle.source
        text = " ".join(ast.unparse(node).split())
        try:
            part = Source(text, source.file, source.line, 1, source.key, exact=False)
            return self.evaluator.compile(part, self.oracle.scope)
        except NotAllowed:  # it uses a loop variable of the expression around it
            return None

    def _value(self, part: Expression, records: Sequence[Record | None]) -> Any:
        try:
            return self.evaluator.evaluate(part, *records)
        except (Exception, NeedsAnswer):  # noqa: BLE001 - an explanation may be incomplete
            return _NOTHING


_NOTHING: Any = object()


def _operands(tree: ast.expr) -> list[ast.expr]:
    """What a person wants to know the values of."""
    match tree:
        case ast.Compare():
            return [tree.left, *tree.comparators]
        case ast.UnaryOp(op=ast.Not()):
            return _operands(tree.operand)
        case ast.BoolOp():
            return [operand for value in tree.values for operand in _operands(value)]
        case ast.Call(func=ast.Name(id="all" | "any")):
            return []
        case _:
            return [tree]


def _varies(tree: ast.expr) -> bool:
    return any(isinstance(node, ast.Name) for node in ast.walk(tree))


def _turns(trace: Trace, function: str, value: Any) -> list[int]:
    """The turns that a function's result points at."""
    if function in _OF_TEXTS and isinstance(value, dict):
        return [
            number
            for number, turn in enumerate(trace.turns)
            if turn.observation is not None and _is_in(turn.observation.text, value)
        ]
    turn_of = _turns_of_messages(trace)
    indexes = [value - 1] if isinstance(value, int) else value if isinstance(value, list) else []
    return [turn_of[index] for index in indexes if 0 <= index < len(turn_of)]


def _is_in(text: str, repeats: dict[Any, Any]) -> bool:
    return text in repeats or any(text in later for later in repeats.values())


def _turns_of_messages(trace: Trace) -> list[int]:
    found: list[int] = []
    for number, turn in enumerate(trace.turns):
        found += [number] * (not isinstance(turn.act, Listen))
        found += [number] * (turn.observation is not None)
    return found
