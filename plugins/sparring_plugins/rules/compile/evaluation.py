"""Compiles expressions and evaluates them with bounded work, in a namespace without builtins.

Also chooses which implementation of each function the rules of a suite call.
"""

# Values of any type are computed with here, which a type checker cannot follow.
# pyright: reportUnknownArgumentType=false, reportUnknownLambdaType=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

import ast
import inspect
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NoReturn, get_type_hints

from pydantic import TypeAdapter, ValidationError

from sparring.documents.checking import nearest, shown
from sparring.errors import ConfigurationError, Problem, SparringError
from sparring.interfaces.plugin import Use
from sparring.interfaces.rule_function import Explained, RuleFunction
from sparring.model.talk import Trace
from sparring_plugins.rules.compile.translation import Translation, prove, translate
from sparring_plugins.rules.parse.syntax import ExpressionSource, Scope, parse
from sparring_plugins.rules.values.function_calls import Answer, Contract, Evidence, Questions
from sparring_plugins.rules.values.operations import (
    Basics,
    Guards,
    Methods,
    has_name,
    is_kind,
    name_or,
)
from sparring_plugins.rules.values.record import EMPTY_TRACE, Record
from sparring_plugins.rules.values.work import (
    SCALARS,
    BrokenFunction,
    NeedsAnswer,
    NeedsModel,
    NoPrevious,
    PendingAnswer,
    RefusedOperation,
    RuleFault,
    UnknownName,
    Work,
    text_of,
)

# Which implementation of each function the rules of a suite call.

MODEL = "model"
"""The variant that a suite may name for the function as it is, if that asks a model."""


def choose_functions(
    functions: Mapping[str, RuleFunction], uses: Mapping[str, Use]
) -> "ChosenFunctions":
    """The functions, with the variants that `uses` names in place of their plain ones.

    What a variant needs is looked for at once. Raises ConfigurationError for a function, a variant
    or a setting that there is not, and MissingExtra.
    """
    return ChosenFunctions(
        functions, {name: _variant(functions, name, use) for name, use in uses.items()}
    )


class ChosenFunctions(Mapping[str, RuleFunction]):
    """Functions of which some are replaced; each other is loaded when it is asked for.

    With `names` it has no others than those and the replaced ones.
    """

    def __init__(
        self,
        functions: Mapping[str, RuleFunction],
        replaced: Mapping[str, RuleFunction],
        names: Iterable[str] | None = None,
    ) -> None:
        self._functions = functions
        self._replaced = dict(replaced)
        self._names = dict.fromkeys([*(functions if names is None else names), *replaced])

    def __getitem__(self, name: str) -> RuleFunction:
        if name not in self._names:
            raise KeyError(name)
        return self._replaced[name] if name in self._replaced else self._functions[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def variants(functions: Mapping[str, RuleFunction], name: str) -> list[str]:
    """The variants of a function, sorted."""
    prefix = f"{name}."
    return sorted(
        function.removeprefix(prefix) for function in functions if function.startswith(prefix)
    )


def _variant(functions: Mapping[str, RuleFunction], name: str, use: Use) -> RuleFunction:
    variant_names = variants(functions, name)
    plain = name in functions and "." not in name
    if not variant_names and not plain:
        possible = sorted({function.partition(".")[0] for function in functions if "." in function})
        raise _problem(name, f"no function is called {name!r}.{nearest(name, possible)}")
    # `language: model`: the function as it is, which asks a model, named like its variants.
    if use.use == MODEL and MODEL not in variant_names and plain and functions[name].model:
        return _with_settings(functions[name], name, use)
    if not variant_names:
        raise _problem(name, f"the function {name!r} has no variants to choose from")
    if use.use not in variant_names:
        offered = [*variant_names, MODEL] if plain and functions[name].model else variant_names
        raise _problem(name, f"{name}() has no variant {use.use!r}.{nearest(use.use, offered)}")
    chosen_variant = functions[f"{name}.{use.use}"]
    # A library or a model that is missing is told before the first conversation is paid for.
    if chosen_variant.prepare is not None:
        chosen_variant.prepare()
    return _with_settings(chosen_variant, name, use)


def _with_settings(function: RuleFunction, name: str, use: Use) -> RuleFunction:
    """The function with its settings given; they are its parameters that need their names."""
    if not use.settings:
        return function
    parameters = _settings_of(function.call)
    settings: dict[str, Any] = {}
    for key, value in use.settings.items():
        if key not in parameters:
            message = f"{name}.{use.use} has no setting {key!r}.{nearest(key, list(parameters))}"
            raise _problem(name, message)
        try:
            settings[key] = TypeAdapter(parameters[key]).validate_python(value)
        except ValidationError as err:
            reason = err.errors(include_url=False)[0]["msg"]
            message = f"{key}: {reason[:1].lower()}{reason[1:]}, found {shown(value)}"
            raise _problem(name, message) from err
    return replace(function, call=partial(function.call, **settings))


def _settings_of(call: Callable[..., Any]) -> dict[str, Any]:
    hints = get_type_hints(call, include_extras=True)
    parameters = inspect.signature(call).parameters.values()
    return {
        parameter.name: hints.get(parameter.name, Any)
        for parameter in parameters
        if parameter.kind is parameter.KEYWORD_ONLY
    }


def _problem(name: str, message: str) -> ConfigurationError:
    return ConfigurationError(Problem(message, key=f"functions.{name}"))


Run = Callable[..., Any]

# Results of calls with short arguments are kept: long texts as keys would keep whole conversations.
_SHORT = 200
# A quantifier over thousands of values calls a function for each; the last calls explain the
# result.
_MOST_EVIDENCE = 50


@dataclass(frozen=True, slots=True)
class Expression:
    """A compiled expression; `run` takes the records (or hoisted values) it was compiled for."""

    source: ExpressionSource
    scope: Scope
    uses: Translation
    run: Run
    asks: bool = False


@dataclass(frozen=True, slots=True)
class RaisedError:
    """Stands for the value of an expression that had none."""

    error: Exception


@dataclass(frozen=True, slots=True)
class NotedValue:
    """Stands for a value found beforehand that functions said something about."""

    value: Any
    evidence: tuple[Evidence, ...]


class FunctionLibrary(Mapping[str, RuleFunction]):
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
    """The value of a function's bare name in SENSEI: equal to nothing but itself."""

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
        self.functions = FunctionLibrary(functions)
        self.questions = questions
        #: What functions said since the evaluation began; of many the last.
        self.evidence: deque[Evidence] = deque(maxlen=_MOST_EVIDENCE)
        self.record = record
        self.work = Work(work)
        self._contracts: dict[str, Contract] = {}
        self._namespace: dict[str, Any] = {"__builtins__": {}, **Guards(self.work).table()}
        self._namespace |= {
            f"b_{name}": function for name, function in Basics(self.work).table().items()
        }
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

    def compile(self, source: ExpressionSource, scope: Scope) -> Expression:
        """Check, translate and compile an expression; raises NotAllowed."""
        uses = translate(parse(source), source, scope)
        for name in uses.functions:
            self._offer_functions(name)
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

    def function(self, tree: ast.expr, parameters: Sequence[str], source: ExpressionSource) -> Run:
        """A translated tree as a function of its parameters."""
        prove(tree)
        arguments = ast.arguments(
            [], [ast.arg(name) for name in parameters], None, [], [], None, []
        )
        whole = ast.fix_missing_locations(ast.Expression(ast.Lambda(arguments, tree)))
        # With no flag of this module, nor `-O`, may a rule mean something else.
        code = compile(whole, file_tag(source), "eval", dont_inherit=True, optimize=0)
        run: Run = eval(code, self._namespace)
        return run

    def loop(self, text: str, source: ExpressionSource) -> Run:
        """The function ``loop`` of generated source text (see `tuples`)."""
        namespace: dict[str, Any] = {}
        exec(compile(text, file_tag(source), "exec", dont_inherit=True), self._namespace, namespace)
        run: Run = namespace["loop"]
        return run

    def over_all(self, functions: Mapping[str, Run], group: Any = None) -> None:
        """Say what the functions over all conversations do, for the evaluation that follows.

        `group` is the value that the conversations have in common, in rules with `group_by`.
        """
        self._namespace |= {f"n_{name}": function for name, function in functions.items()}
        self._namespace["k_group"] = group

    def over_none(self) -> None:
        """Withdraw the functions over all conversations."""
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
        """Evaluate an expression once more for what its functions say."""
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
        if type(value) is RaisedError:
            raise value.error.with_traceback(None)
        if type(value) is NotedValue:
            self.evidence.extend(value.evidence)
            value = value.value
        return self.work.sized(value)

    def text(self, value: Any) -> str:
        """A value as text, charged."""
        return value if isinstance(value, str) else text_of(self.work.sized(value))

    def _offer_functions(self, name: str) -> None:
        """Put a library function into the namespace, charged and checked."""
        if f"f_{name}" not in self._namespace:
            function = self.functions[name]
            self._contracts[name] = Contract(name, function)
            maker = (
                self._wrap_conversation_function if function.conversation else self._wrap_function
            )
            self._namespace[f"f_{name}"] = maker(name, function)

    def _wrap_function(self, name: str, function: RuleFunction) -> Run:
        def called(*args: Any, **named: Any) -> Any:
            self._charge_arguments(function, args, named)
            return self._check_result(name, self._call(name, function, (), args, named), None)

        return called

    def _wrap_conversation_function(self, name: str, function: RuleFunction) -> Run:
        def called(record: Any, *args: Any, **named: Any) -> Any:
            if not isinstance(record, Record):
                raise TypeError("a conversation is meant here, as in conv[0]")
            trace = record.trace
            self._charge_arguments(function, (trace, *args), named)
            key = _key_of_call(function, args, named)
            if key is None:
                result = self._call(name, function, (trace,), args, named)
                return self._check_result(name, result, trace)
            # Several rules ask `language()` of one conversation: it is worked out once.
            if key in record.results:
                return self._unwrap(name, record.results[key], trace)
            result = self._call(name, function, (trace,), args, named)
            value = self._check_result(name, result, trace)
            record.results[key] = result
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
        arguments = (*first, self.questions, *args) if function.model else (*first, *args)
        contract = self._contracts[name]
        try:
            result = function.call(*arguments, **named)
        except NeedsModel as err:
            raise NeedsModel(f"{err}{self._variants_hint(name)}") from None
        except (RuleFault, SparringError):
            raise
        except Exception as err:
            if contract.broke(err, arguments, named):
                raise contract.error(err) from err
            raise
        contract.require(result)
        return result

    def _variants_hint(self, name: str) -> str:
        """Name the variants of a function that need no model, if there are any."""
        variants = self.functions.variants(name)
        if not variants:
            return ""
        ways = " or ".join(f"`functions: {{{name}: {variant}}}`" for variant in variants)
        return f"; without a model {ways} of the oracle `rules` lets {name}() judge"

    def _charge_arguments(
        self, function: RuleFunction, args: tuple[Any, ...], named: dict[str, Any]
    ) -> None:
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

    def _check_result(self, name: str, result: Any, trace: Trace | None) -> Any:
        """The plain value of a result, noting its reason; raises BrokenFunction for odd data."""
        value = self._unwrap(name, result, trace)
        if type(value) not in SCALARS and type(value) is not str:
            try:
                self.work.charge(self.work.weigh(value))
            except RefusedOperation as err:
                message = f"the function {name}() returned what rules cannot use: {err}"
                raise BrokenFunction(message) from None
        return value

    def _unwrap(self, name: str, explained: Any, trace: Trace | None) -> Any:
        """The value alone of what a function returned; its reason is noted."""
        if isinstance(explained, Explained):
            self.evidence.append(Evidence.of(name, explained, trace))
            return explained.value
        return explained


def _key_of_call(function: RuleFunction, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """A key for a call with short plain arguments, whose result can be kept; None for others."""
    if function.model or not all(
        type(value) in SCALARS or (type(value) is str and len(value) <= _SHORT)
        for value in (*args, *named.values())
    ):
        return None
    # Types are part of the key, because 1 and True and 1.0 are equal.
    values = [(type(value), value) for value in args]
    return (
        id(function),
        *values,
        *((name, type(argument), argument) for name, argument in named.items()),
    )


def file_tag(source: ExpressionSource) -> str:
    """The file name of an expression's code in tracebacks."""
    return f"<rule {source.file}:{source.line}:{source.key}>"


def _of_previous(turn: Record | None, name: str) -> Any:
    if turn is None:
        raise NoPrevious
    return turn[name]


def _unknown(name: str) -> NoReturn:
    raise UnknownName(name)


__all__ = ["Evaluator", "Expression", "NotedValue", "PendingAnswer", "RaisedError"]
