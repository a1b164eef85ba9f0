"""Compiles expressions and evaluates them with bounded work, in a namespace without builtins."""

# Values of any type are computed with here, which a type checker cannot follow.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownLambdaType=false

import ast
from collections import deque
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NoReturn

from sparring.errors import SparringError
from sparring.interfaces.rule_function import Explained, RuleFunction
from sparring.model.talk import Trace
from sparring_plugins.rules.compile.expressions import Translation
from sparring_plugins.rules.compile.function_choice import variants
from sparring_plugins.rules.compile.translation import prove, translate
from sparring_plugins.rules.parse.scope import Scope
from sparring_plugins.rules.parse.syntax import Source, parse
from sparring_plugins.rules.values.builtins import Basics, has_name, is_kind, name_or
from sparring_plugins.rules.values.errors import (
    BrokenFunction,
    NeedsAnswer,
    NeedsModel,
    NoPrevious,
    Pending,
    Refused,
    RuleFault,
    UnknownName,
)
from sparring_plugins.rules.values.evidence import Evidence
from sparring_plugins.rules.values.function_contract import Contract
from sparring_plugins.rules.values.guards import Guards
from sparring_plugins.rules.values.methods import Methods
from sparring_plugins.rules.values.ordering import text_of
from sparring_plugins.rules.values.questions import Answer, Questions
from sparring_plugins.rules.values.record import EMPTY_TRACE, Record
from sparring_plugins.rules.values.work import SCALARS, Work

Run = Callable[..., Any]

_SHORT = 200
_MOST_EVIDENCE = 50


@dataclass(frozen=True, slots=True)
class Expression:
    """A compiled expression; `run` takes the records (or hoisted values) it was compiled for."""

    source: Source
    scope: Scope
    uses: Translation
    run: Run
    asks: bool = False


@dataclass(frozen=True, slots=True)
class Raised:
    """Stands for the value of an expression that had none."""

    error: Exception


@dataclass(frozen=True, slots=True)
class Noted:
    """Stands for a value found beforehand that functions said something about."""

    value: Any
    evidence: tuple[Evidence, ...]


class Library(Mapping[str, RuleFunction]):
    """The functions that rules may call; each is loaded when a rule first calls it, and once.

    Other implementations of them (``NAME.VARIANT``) cannot be called by their names.
    """

    def __init__(self, functions: Mapping[str, RuleFunction]) -> None:
        self._functions = functions
        self._names = tuple(name for name in functions if "." not in name)
        self._loaded: dict[str, RuleFunction] = {}

    def __getitem__(self, name: str) -> RuleFunction:
        if name not in self._names:
            raise KeyError(name)
        if name not in self._loaded:
            self._loaded[name] = self._functions[name]
        return self._loaded[name]

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def variants(self, name: str) -> list[str]:
        """Other implementations that a suite may choose for a function."""
        return variants(self._functions, name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


class FunctionValue:
    """What a function's bare name stands for in SENSEI: equal to nothing but itself."""

    def __repr__(self) -> str:
        return "<function>"


class Evaluator:
    """Holds the functions and the work of one oracle. Not to be used by two threads at once."""

    def __init__(
        self,
        functions: Mapping[str, RuleFunction],
        questions: Questions,
        *,
        work: int,
        record: type[Record] = Record,
    ) -> None:
        self.functions = Library(functions)
        self.questions = questions
        #: What functions said since the evaluation began; of many the last.
        self.evidence: deque[Evidence] = deque(maxlen=_MOST_EVIDENCE)
        self.record = record
        self.work = Work(work)
        self._contracts: dict[str, Contract] = {}
        self._namespace: dict[str, Any] = {"__builtins__": {}, **Guards(self.work).table()}
        self._namespace |= {f"b_{name}": one for name, one in Basics(self.work).table().items()}
        self._namespace |= {
            "g_method": Methods(self.work).call,
            "g_use": self.use,
            "g_unknown": _unknown,
            "n_has": has_name,
            "n_get": name_or,
            "n_kind": is_kind,
            "n_previous": _of_previous,
            "k_function": FunctionValue(),
            "k_empty": record(EMPTY_TRACE),
        }

        self.over_none()

    def compile(self, source: Source, scope: Scope) -> Expression:
        """Check, translate and compile an expression; raises NotAllowed."""
        uses = translate(parse(source), source, scope)
        for name in uses.functions:
            self._offer(name)
        parameters = ["conv"] if scope.many else []
        parameters += [f"c{index}" for index in range(scope.conversations)]
        parameters += ["t0", "t1"] if scope.each else []
        self._namespace |= uses.constants
        run = self.function(uses.tree, parameters, source)
        return Expression(source, scope, uses, run, self.asks(uses.tree))

    def asks(self, tree: ast.expr) -> bool:
        """Whether a translated tree may ask a language model."""
        names = (node.id for node in ast.walk(tree) if isinstance(node, ast.Name))
        return any(name[:2] == "f_" and self.functions[name[2:]].model for name in names)

    def function(self, tree: ast.expr, parameters: Sequence[str], source: Source) -> Run:
        """A translated tree as a function of its parameters."""
        prove(tree)
        arguments = ast.arguments(
            [], [ast.arg(name) for name in parameters], None, [], [], None, []
        )
        whole = ast.fix_missing_locations(ast.Expression(ast.Lambda(arguments, tree)))
        code = compile(whole, file_tag(source), "eval", dont_inherit=True, optimize=0)
        made: Run = eval(code, self._namespace)
        return made

    def loop(self, text: str, source: Source) -> Run:
        """The function ``loop`` of generated source text (see `tuples`)."""
        found: dict[str, Any] = {}
        exec(compile(text, file_tag(source), "exec", dont_inherit=True), self._namespace, found)
        made: Run = found["loop"]
        return made

    def over_all(self, functions: Mapping[str, Run], group: Any = None) -> None:
        """Say what the functions over all conversations do, for the evaluation that follows.

        `group` is the value that the conversations have in common, in rules with `group_by`.
        """
        self._namespace |= {f"n_{name}": one for name, one in functions.items()}
        self._namespace["k_group"] = group

    def over_none(self) -> None:
        """Make the functions over all conversations speak of none."""
        none: dict[str, Run] = {
            "is_unique": lambda name: True,
            "exists": lambda test: False,
            "num_exist": lambda test: 0,
        }
        self.over_all(none)

    def evaluate(self, expression: Expression, *args: Any) -> Any:
        """The value of an expression that needs no model's answer."""
        self.begin()
        return expression.run(*args)

    def begin(self) -> None:
        """Start another evaluation: all its work is to be done, and nothing was said."""
        self.work.begin()
        if self.evidence:
            self.evidence.clear()

    def evidence_of(self, expression: Expression, *args: Any) -> tuple[Evidence, ...]:
        """What functions say while an expression is evaluated once more."""
        with suppress(Exception, NeedsAnswer):  # what was said until then counts
            self.evaluate(expression, *args)
        return tuple(self.evidence)

    async def settle(self, run: Callable[[], Any], case_id: str | None = None) -> Any:
        """Call a function again and again until no model's answer is missing."""
        answers: dict[str, Answer] = {}
        while True:
            self.questions.begin(answers)
            self.begin()
            try:
                return run()
            except NeedsAnswer as need:
                waiting: Awaitable[None] = self.questions.answer(need, answers, case_id)
            await waiting

    def use(self, value: Any) -> Any:
        """A value found beforehand; raises what its expression raised."""
        if type(value) is Raised:
            raise value.error.with_traceback(None)
        if type(value) is Noted:
            self.evidence.extend(value.evidence)
            value = value.value
        return self.work.sized(value)

    def text(self, value: Any) -> str:
        """A value as text, charged."""
        return value if isinstance(value, str) else text_of(self.work.sized(value))

    def _offer(self, name: str) -> None:
        """Put a library function into the namespace, charged and checked."""
        if f"f_{name}" not in self._namespace:
            function = self.functions[name]
            self._contracts[name] = Contract(name, function)
            maker = self._about_conversation if function.conversation else self._of_arguments
            self._namespace[f"f_{name}"] = maker(name, function)

    def _of_arguments(self, name: str, function: RuleFunction) -> Run:
        def called(*args: Any, **named: Any) -> Any:
            self._charge(function, args, named)
            return self._plain(name, self._call(name, function, (), args, named), None)

        return called

    def _about_conversation(self, name: str, function: RuleFunction) -> Run:
        def called(record: Any, *args: Any, **named: Any) -> Any:
            if not isinstance(record, Record):
                raise TypeError("a conversation is meant here, as in conv[0]")
            trace = record.trace
            self._charge(function, (trace, *args), named)
            key = _key_of_call(function, args, named)
            if key is None:
                found = self._call(name, function, (trace,), args, named)
                return self._plain(name, found, trace)
            if key in record.results:
                return self._told(name, record.results[key], trace)
            found = self._call(name, function, (trace,), args, named)
            value = self._plain(name, found, trace)
            record.results[key] = found
            return value

        return called

    def _call(
        self,
        name: str,
        function: RuleFunction,
        first: tuple[Any, ...],
        args: tuple[Any, ...],
        named: dict[str, Any],
    ) -> Any:
        given = (*first, self.questions, *args) if function.model else (*first, *args)
        contract = self._contracts[name]
        try:
            found = function.call(*given, **named)
        except NeedsModel as err:
            raise NeedsModel(f"{err}{self._instead(name)}") from None
        except (RuleFault, SparringError):
            raise
        except Exception as err:
            if contract.broke(err, given, named):
                raise contract.error(err) from err
            raise
        contract.require(found)
        return found

    def _instead(self, name: str) -> str:
        """How a function that asks a model can do without, where it can."""
        variants = self.functions.variants(name)
        if not variants:
            return ""
        ways = " or ".join(f"`functions: {{{name}: {one}}}`" for one in variants)
        return f"; without a model {ways} of the oracle `rules` lets {name}() judge"

    def _charge(self, function: RuleFunction, args: tuple[Any, ...], named: dict[str, Any]) -> None:
        if function.cost is not None:
            try:
                units = function.cost(*args, **named)
            except (TypeError, ValueError, AttributeError):
                units = 1  # wrong arguments: the function itself says so
            self.work.charge(units)
            return
        for value in (*args, *named.values()):
            if isinstance(value, Trace):
                self.work.charge(1 + len(value.turns))
            else:
                self.work.sized(value)

    def _plain(self, name: str, found: Any, trace: Trace | None) -> Any:
        """What a function returned, noting its reason; raises BrokenFunction for odd data."""
        value = self._told(name, found, trace)
        if type(value) not in SCALARS and type(value) is not str:
            try:
                self.work.charge(self.work.weigh(value))
            except Refused as err:
                told = f"the function {name}() returned what rules cannot use: {err}"
                raise BrokenFunction(told) from None
        return value

    def _told(self, name: str, found: Any, trace: Trace | None) -> Any:
        """The value alone of what a function returned; its reason is noted."""
        if isinstance(found, Explained):
            self.evidence.append(Evidence.of(name, found, trace))
            return found.value
        return found


def _key_of_call(function: RuleFunction, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """A key for a call with short plain arguments, whose result can be kept; None for others."""
    if function.model or not all(
        type(value) in SCALARS or (type(value) is str and len(value) <= _SHORT)
        for value in (*args, *named.values())
    ):
        return None
    # Types are part of the key, because 1 and True and 1.0 are equal.
    values = [(type(value), value) for value in args]
    return (id(function), *values, *((name, type(one), one) for name, one in named.items()))


def file_tag(source: Source) -> str:
    """What tracebacks call the code of an expression."""
    return f"<rule {source.file}:{source.line}:{source.key}>"


def _of_previous(turn: Record | None, name: str) -> Any:
    if turn is None:
        raise NoPrevious
    return turn[name]


def _unknown(name: str) -> NoReturn:
    raise UnknownName(name)


__all__ = ["Evaluator", "Expression", "Noted", "Pending", "Raised"]
