"""Explains a failure: values of the oracle's parts, the rule's own message, and unseen names."""

# Values of any type are computed with here, which a type checker cannot follow.
# pyright: reportUnknownArgumentType=false, reportUnknownLambdaType=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sparring.documents.checking import shown
from sparring.errors import Problem, nearest_hint
from sparring.model.talk import Listen, Trace
from sparring.model.verdict import TurnRef
from sparring_plugins.rules.compile.evaluation import Evaluator, Expression
from sparring_plugins.rules.parse.syntax import ExpressionSource, NotAllowed, Rule, parse
from sparring_plugins.rules.run.decisions import one_line
from sparring_plugins.rules.values.function_calls import first_turns
from sparring_plugins.rules.values.record import OWN_NAMES, Record, hidden_in_sensei
from sparring_plugins.rules.values.work import NeedsAnswer, NeedsModel, RuleFault, UnknownName

# "a and b and c and d and …": with four values a reader sees which part is false.
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
        parts: list[str] = []
        for part in self._parts:
            value = self._value(part, records)
            if value is not _NOTHING:
                parts.append(f"{part.source.text} is {shown(value)}")
        for part in self._counterexamples:
            value = self._value(part, records)
            if isinstance(value, list) and value:
                more = f" and {len(value) - 1:,} more" if len(value) > 1 else ""
                parts.append(f"not so for {shown(value[0])}{more}")
        return "; ".join(parts)

    def turns(self, records: Sequence[Record]) -> tuple[TurnRef, ...]:
        """The turns that the oracle's functions point at, and those its outputs were read from."""
        refs: dict[TurnRef, None] = {}
        if self.oracle.scope.each:  # the turn that it is about shows it
            return ()
        for name, call in self._calls:
            value = self._value(call, records)
            for record in records[:1]:
                for turn in _turns_of_result(record.trace, name, value):
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
        nodes = [node for node in _operands(self._tree) if _has_name(node)]
        compiled = (self._compile(node) for node in nodes[:_MOST_PARTS])
        return [expression for expression in compiled if expression is not None]

    @cached_property
    def _counterexamples(self) -> list[Expression]:
        trees = _counterexamples(self._tree)
        compiled = (self._compile(node) for node in trees[:_MOST_PARTS])
        return [expression for expression in compiled if expression is not None]

    @cached_property
    def _calls(self) -> list[tuple[str, Expression]]:
        calls: list[tuple[str, Expression]] = []
        for node in ast.walk(self._tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                name = node.func.id
                if name in _AT_MESSAGES | _OF_TEXTS and (compiled := self._compile(node)):
                    calls.append((name, compiled))
        return calls

    def _compile(self, node: ast.expr) -> Expression | None:
        source = self.oracle.source
        text = " ".join(ast.unparse(node).split())
        try:
            part = ExpressionSource(text, source.file, source.line, 1, source.key, exact=False)
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
    """The parts of an oracle whose values explain a failure."""
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


def _counterexamples(tree: ast.expr) -> list[ast.expr]:
    """What to evaluate for the elements that make ``all(...)`` false, or ``not any(...)``.

    "`all(len(phrase) < 80 for phrase in chatbot_phrases)` is false" does not say which phrase is
    too long; ``[phrase for phrase in chatbot_phrases if not len(phrase) < 80]`` does.
    """
    match tree:
        case ast.BoolOp(op=ast.And()):
            return [found for value in tree.values for found in _counterexamples(value)]
        case ast.Call(func=ast.Name(id="all"), args=[ast.GeneratorExp() as each]):
            return [_elements(each, ast.UnaryOp(ast.Not(), each.elt))]
        case ast.UnaryOp(
            op=ast.Not(),
            operand=ast.Call(func=ast.Name(id="any"), args=[ast.GeneratorExp() as each]),
        ):
            return [_elements(each, each.elt)]
        case _:
            return []


def _elements(each: ast.GeneratorExp, condition: ast.expr) -> ast.expr:
    """The elements that a generator goes through, of those for which a condition holds."""
    *outer, last = each.generators
    kept = ast.comprehension(last.target, last.iter, [*last.ifs, condition], last.is_async)
    return ast.ListComp(elt=last.target, generators=[*outer, kept])


def _has_name(tree: ast.expr) -> bool:
    return any(isinstance(node, ast.Name) for node in ast.walk(tree))


def _turns_of_result(trace: Trace, function: str, value: Any) -> list[int]:
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
    turns: list[int] = []
    for number, turn in enumerate(trace.turns):
        turns += [number] * (not isinstance(turn.act, Listen))
        turns += [number] * (turn.observation is not None)
    return turns


# A rule's own message about a failure.

# `yields:` may quote the app, and stands in one line of a report.
YIELDS_LONGEST = 2_000


@dataclass(frozen=True, slots=True)
class CustomMessage:
    """The rule's own message, or why it has no value, which must not hide the failure."""

    text: str = ""
    problem: str = ""

    def reason(self, why: str) -> str:
        """The reason of a failure: the message, and in brackets why the oracle is false."""
        if self.problem:
            return f"{why} (the message could not be made: {self.problem})"
        return f"{self.text} ({why})" if self.text else why


def said(
    message: Expression | None, evaluator: Evaluator, run: Callable[[Expression], Any]
) -> CustomMessage:
    """The message that `run` evaluates; nothing if the rule has none."""
    if message is None:
        return CustomMessage()
    try:
        return CustomMessage(one_line(evaluator.text(run(message)), YIELDS_LONGEST))
    except Exception as err:  # noqa: BLE001 - a broken message must not hide the failure
        if message.scope.sensei and isinstance(err, (UnknownName, NeedsModel)):
            return CustomMessage()
        kind = "" if isinstance(err, RuleFault) else f"{type(err).__name__}: "
        return CustomMessage(problem=f"{kind}{one_line(str(err), 120)}")


# Which names of a rule no conversation has had so far.

BLOCK_NAMES = frozenset(
    {
        *("number", "interaction_style", "goal_style"),
        *("steps", "limit", "export", "all_answered", "cost"),
    }
)
"""Leaves of a conversation block that simulated users may have."""


class UnseenNames:
    """The names that a rule uses, less those that some conversation had; false when empty.

    Names that the rule itself tests for, with `hasattr` or a default, need not exist.
    """

    def __init__(
        self,
        rule: Rule,
        expressions: Iterable[Expression],
        warn: Callable[[str], None],
        also: Mapping[str, ExpressionSource] | None = None,
    ) -> None:
        all_expressions = tuple(expressions)
        tested = {name for expression in all_expressions for name in expression.uses.asked}
        self.rule = rule
        self.warn = warn
        #: Where each name stands first.
        self.sources: dict[str, ExpressionSource] = {}
        for expression in all_expressions:
            for _, name in sorted(expression.uses.names):
                self.sources.setdefault(name, expression.source)
        for name, source in (also or {}).items():
            self.sources.setdefault(name, source)
        self.names = self.sources.keys() - tested
        self.all_names = frozenset(self.names)

    def __bool__(self) -> bool:
        return bool(self.names)

    def note(self, record: Record) -> None:
        """Drop the names that a conversation has; warn if SENSEI would show another value."""
        names = {name for name in self.names if record.has(name)}
        self.names -= names
        for name in sorted(names):
            if hidden_in_sensei(name, record):
                self.warn(
                    f"{self.rule.file}:{self.rule.line}: `{name}` is the input called so; "
                    f"SENSEI shows the conversation block's `{name}` instead"
                )

    def problems(self, known_names: Sequence[str]) -> list[Problem]:
        """A problem for each name that no conversation had, with the nearest of those known."""
        wrong = _misspelt(self.names, known_names)
        return [self._problem("conversation", name, known_names) for name in self._ordered(wrong)]

    def foreseen(self, names: AbstractSet[str]) -> list[Problem]:
        """A problem for each name that cannot exist if inputs and outputs are `names`.

        If there are none, as where a person types what is said, a rule that names some does not
        apply: that is a warning.
        """
        paths = (f"conversation_{name}" for name in BLOCK_NAMES)
        known_names = sorted({*names, *OWN_NAMES, *BLOCK_NAMES, *paths})
        absent = {name for name in self.all_names if not _may_exist(name, names)}
        wrong = _misspelt(absent, known_names)
        for name in self._ordered(absent - wrong):
            source = self.sources[name]
            self.warn(
                f"{source.file}:{source.line}: the rule does not apply: no case of this suite has "
                f"inputs or outputs, and it speaks of `{name}`"
            )
        return [self._problem("scenario", name, known_names) for name in self._ordered(wrong)]

    def _ordered(self, names: Iterable[str]) -> list[str]:
        return sorted(names, key=lambda name: (self.sources[name].line, name))

    def _problem(self, where: str, name: str, known_names: Sequence[str]) -> Problem:
        source = self.sources[name]
        hint = _name_hint(name, known_names)
        return Problem(f"no {where} has `{name}`.{hint}", source.file, source.line, source.key)

    def spoils_verdicts(self) -> bool:
        """Whether an unseen name stands where it decides, not only in a message."""
        return any(self.sources[name].key not in _MESSAGE_KEYS for name in self.names)


_MESSAGE_KEYS = frozenset({"yields", "on-error"})

_ALIKE = 0.75
"""How alike a name of Sparring's own must be: `prise` is no misspelt `profile` (0.67)."""

_MOST_LISTED = 12


def _misspelt(names: AbstractSet[str], known_names: Sequence[str]) -> AbstractSet[str]:
    """The names that are most likely misspelt: all of them, if there are inputs or outputs at all.

    A rule about `drink` does not apply where a person types what is said, or an explorer does; only
    a name that is like one of Sparring's own is wrong there, too: `chatbot_phrase`.
    """
    if _variables(known_names):
        return names
    return {name for name in names if nearest_hint(name, known_names, _ALIKE)}


def _variables(known_names: Sequence[str]) -> list[str]:
    """The names that are inputs or outputs."""
    return [
        known
        for known in known_names
        if known not in OWN_NAMES
        and known not in BLOCK_NAMES
        and not known.startswith(("conversation_", "data_output_"))
    ]


def _name_hint(name: str, known_names: Sequence[str]) -> str:
    """The nearest input or output, else the nearest of all names, else the inputs and outputs."""
    variables = _variables(known_names)
    hint = nearest_hint(name, variables) or nearest_hint(name, known_names, _ALIKE)
    if hint:
        return hint
    listed = [*variables[:_MOST_LISTED], *(["…"] if len(variables) > _MOST_LISTED else [])]
    return f" Inputs and outputs: {', '.join(listed) or 'none'}."


def _may_exist(name: str, names: AbstractSet[str]) -> bool:
    if name in names or name in OWN_NAMES or name in BLOCK_NAMES:
        return True
    if name.startswith("conversation_"):
        return _is_block_path(name.removeprefix("conversation_"))
    inside = name.removeprefix("data_output_")
    parts = inside.split("_") if inside != name else []
    return any("_".join(parts[:end]) in names for end in range(1, len(parts) + 1))


def _is_block_path(path: str) -> bool:
    """Whether a path leads into a conversation block: ``goal_style_all_answered_limit``."""
    if path in BLOCK_NAMES:
        return True
    outer = (name for name in BLOCK_NAMES if path.startswith(f"{name}_"))
    return any(_is_block_path(path[len(name) + 1 :]) for name in outer)
