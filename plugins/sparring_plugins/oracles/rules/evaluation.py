"""Compiles expressions and evaluates them with bounded work, in a namespace without builtins."""

# Values of any type are computed with here, which a type checker cannot follow.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownLambdaType=false

import ast
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from sparring.interfaces.rule_function import RuleFunction
from sparring.model.talk import Trace
from sparring_plugins.oracles.rules.basics import Basics, has_name, is_kind, name_or
from sparring_plugins.oracles.rules.faults import NeedsAnswer, Pending, Refused, UnknownName
from sparring_plugins.oracles.rules.guards import Guards
from sparring_plugins.oracles.rules.methods import Methods
from sparring_plugins.oracles.rules.ordering import text_of
from sparring_plugins.oracles.rules.questions import Answer, Questions
from sparring_plugins.oracles.rules.record import EMPTY_TRACE, Record
from sparring_plugins.oracles.rules.scope import Scope
from sparring_plugins.oracles.rules.syntax import Source, parse
from sparring_plugins.oracles.rules.translate import prove, translate
from sparring_plugins.oracles.rules.values import Translation
from sparring_plugins.oracles.rules.work import SCALARS, Work

Run = Callable[..., Any]

_SHORT = 200


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


class Library(Mapping[str, RuleFunction]):
    """The functions that rules may call; each is loaded when a rule first calls it, and once."""

    def __init__(self, functions: Mapping[str, RuleFunction]) -> None:
        self._functions = functions
        self._names = tuple(functions)
        self._loaded: dict[str, RuleFunction] = {}

    def __getitem__(self, name: str) -> RuleFunction:
        if name not in self._loaded:
            self._loaded[name] = self._functions[name]
        return self._loaded[name]

    def __contains__(self, name: object) -> bool:
        return name in self._names

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
        self.record = record
        self.work = Work(work)
        self._namespace: dict[str, Any] = {"__builtins__": {}, **Guards(self.work).table()}
        self._namespace |= {f"b_{name}": one for name, one in Basics(self.work).table().items()}
        self._namespace |= {
            "g_method": Methods(self.work).call,
            "g_use": self.use,
            "g_unknown": _unknown,
            "n_has": has_name,
            "n_get": name_or,
            "n_kind": is_kind,
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

    def over_all(self, is_unique: Run, exists: Run, num_exist: Run) -> None:
        """Say what the functions over all conversations do, for the evaluation that follows."""
        self._namespace["n_is_unique"] = is_unique
        self._namespace["n_exists"] = exists
        self._namespace["n_num_exist"] = num_exist

    def over_none(self) -> None:
        """Make the functions over all conversations speak of none."""
        self.over_all(lambda name: True, lambda test: False, lambda test: 0)

    def evaluate(self, expression: Expression, *args: Any) -> Any:
        """The value of an expression that needs no model's answer."""
        self.work.begin()
        return expression.run(*args)

    async def settle(self, run: Callable[[], Any], case_id: str | None = None) -> Any:
        """Call a function again and again until no model's answer is missing."""
        answers: dict[str, Answer] = {}
        while True:
            self.questions.begin(answers)
            self.work.begin()
            try:
                return run()
            except NeedsAnswer as need:
                waiting: Awaitable[None] = self.questions.answer(need, answers, case_id)
            await waiting

    def use(self, value: Any) -> Any:
        """A value found beforehand; raises what its expression raised."""
        if type(value) is Raised:
            raise value.error.with_traceback(None)
        return self.work.sized(value)

    def text(self, value: Any) -> str:
        """A value as text, charged."""
        return value if isinstance(value, str) else text_of(self.work.sized(value))

    def _offer(self, name: str) -> None:
        """Put a library function into the namespace, charged and checked."""
        if f"f_{name}" not in self._namespace:
            function = self.functions[name]
            maker = self._about_conversation if function.conversation else self._of_arguments
            self._namespace[f"f_{name}"] = maker(function)

    def _of_arguments(self, function: RuleFunction) -> Run:
        asked = (self.questions.ask,) if function.model else ()

        def called(*args: Any, **named: Any) -> Any:
            self._charge(function, args, named)
            return self._plain(function.call(*asked, *args, **named))

        return called

    def _about_conversation(self, function: RuleFunction) -> Run:
        asked = (self.questions.ask,) if function.model else ()

        def called(record: Any, *args: Any, **named: Any) -> Any:
            if not isinstance(record, Record):
                raise TypeError("a conversation is meant here, as in conv[0]")
            self._charge(function, (record.trace, *args), named)
            key = _key_of_call(function, args, named)
            if key is None or key not in record.results:
                value = self._plain(function.call(record.trace, *asked, *args, **named))
                if key is None:
                    return value
                record.results[key] = value
            return record.results[key]

        return called

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

    def _plain(self, value: Any) -> Any:
        """What a function returned; raises Refused where it is not plain data."""
        if type(value) not in SCALARS and type(value) is not str:
            try:
                self.work.charge(self.work.weigh(value))
            except Refused as err:
                raise Refused(f"a function returned what rules cannot use: {err}") from None
        return value


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


def _unknown(name: str) -> NoReturn:
    raise UnknownName(name)


__all__ = ["Evaluator", "Expression", "Pending", "Raised"]
