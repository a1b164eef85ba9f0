"""From rules as read to rules that judge."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sparring.errors import ConfigurationError, Problem
from sparring.interfaces.rule_function import RuleFunction
from sparring_plugins.rules.compile.evaluation import Evaluator, Expression
from sparring_plugins.rules.compile.expressions import Translation
from sparring_plugins.rules.parse.rule import Rule
from sparring_plugins.rules.parse.scope import Part, Scope
from sparring_plugins.rules.parse.syntax import NotAllowed, Source
from sparring_plugins.rules.run.conversation_rule import OneRule, SenseiOneRule
from sparring_plugins.rules.run.decisions import Verdicts
from sparring_plugins.rules.run.sensei_whole import SenseiWholeRule
from sparring_plugins.rules.run.tuple_rule import TupleRule
from sparring_plugins.rules.run.turn_rule import TurnRule
from sparring_plugins.rules.run.whole_rule import WholeRule
from sparring_plugins.rules.values.errors import Refused


@dataclass(slots=True)
class Rules:
    """The rules of one oracle, by kind, each in the order of their files."""

    one: list[OneRule] = field(default_factory=list[OneRule])
    turns: list[TurnRule] = field(default_factory=list[TurnRule])
    tuples: list[TupleRule] = field(default_factory=list[TupleRule])
    whole: list[WholeRule] = field(default_factory=list[WholeRule])
    silent: set[int] = field(default_factory=set[int])

    @property
    def over_several(self) -> list[TupleRule | WholeRule]:
        """The rules that are judged when all conversations are known."""
        return [*self.tuples, *self.whole]


@dataclass(frozen=True, slots=True)
class Limits:
    """What verdicts list, and how much work rules over several conversations may do."""

    listed: int
    tuple_work: int


def build_rules(
    rules: Sequence[Rule],
    evaluator: Evaluator,
    *,
    sensei: bool,
    limits: Limits,
    warn: Callable[[str], None],
) -> Rules:
    """Compile all rules; raises ConfigurationError with everything that is wrong with them.

    As in SENSEI, nothing is an error with `sensei`: an expression that cannot be compiled raises
    whenever it is evaluated, and of two rules with one name the results of the later count.
    """
    builder = _Builder(evaluator, sensei=sensei, limits=limits, warn=warn)
    later = {rule.name: number for number, rule in enumerate(rules)}
    earlier = {rule.name: number for number, rule in reversed(list(enumerate(rules)))}
    for number, rule in enumerate(rules):
        if sensei and later[rule.name] != number:
            warn(f"{rule.file}:{rule.line}: SENSEI drops this {rule.name!r} for a later one")
            if rule.conversations != "all":
                continue
            builder.build(rule, number, silent=True)
        else:
            # SENSEI keeps a row where the first rule of its name stood
            builder.build(rule, earlier[rule.name] if sensei else number)
    if builder.problems:
        raise ConfigurationError(*builder.problems)
    return builder.built


class _Builder:
    """Compiles rules, and collects what is wrong with them."""

    def __init__(
        self, evaluator: Evaluator, *, sensei: bool, limits: Limits, warn: Callable[[str], None]
    ) -> None:
        self.evaluator = evaluator
        self.sensei = sensei
        self.limits = limits
        self.warn = warn
        self.built = Rules()
        self.problems: list[Problem] = []
        self.functions: Mapping[str, RuleFunction] = evaluator.functions

    def build(self, rule: Rule, position: int, *, silent: bool = False) -> None:
        """Compile a rule and put it among those of its kind; `position` is its row in tables."""
        before = len(self.problems)
        filters = tuple(self._compiled(one, self._scope(rule, "filter")) for one in rule.filters)
        scope = self._scope(rule, "oracle")
        oracle = self._compiled(rule.oracle, scope)
        message = self._message(rule, scope)
        inner = self._inner(rule, oracle, message)
        if len(self.problems) > before:
            return
        verdicts = Verdicts(rule, {"position": position})
        parts = (rule, self.evaluator, filters, oracle, message, verdicts, self.warn)
        if rule.conversations == "all":
            groups = tuple(self._compiled(one, self._scope(rule, "filter")) for one in rule.groups)
            if len(self.problems) > before:
                return
            whole = self._whole((*parts, inner), groups)
            if silent:
                self.built.silent.add(len(self.built.whole))
            self.built.whole.append(whole)
        elif rule.each:
            listed = self.limits.listed
            self.built.turns.append(TurnRule(*parts, each=rule.each, listed=listed))
        elif rule.conversations == 1:
            kind = SenseiOneRule if self.sensei else OneRule
            self.built.one.append(kind(*parts))
        else:
            self.built.tuples.append(self._tuples(parts))

    def _tuples(self, parts: Any) -> TupleRule:
        limits = self.limits
        return TupleRule(*parts, listed=limits.listed, work=limits.tuple_work, sensei=self.sensei)

    def _whole(self, parts: Any, groups: tuple[Expression, ...]) -> WholeRule:
        if not self.sensei:
            return WholeRule(*parts, listed=self.limits.listed, groups=groups)
        before = [rule for rule in self.built.whole if isinstance(rule, SenseiWholeRule)]
        return SenseiWholeRule(*parts, listed=self.limits.listed, before=before)

    def _scope(self, rule: Rule, part: Part) -> Scope:
        whole = rule.conversations == "all"
        number = 1 if rule.conversations == "all" else rule.conversations
        many = whole and part == "oracle"
        return Scope(
            *(number, many, part, self.sensei, self.functions, rule.each),
            grouped=many and bool(rule.groups),
            parameters=rule.parameters,
        )

    def _message(self, rule: Rule, scope: Scope) -> Expression | None:
        if rule.message is None:
            return None
        return self._compiled(rule.message, scope)

    def _inner(
        self, rule: Rule, oracle: Expression, message: Expression | None
    ) -> dict[str, Expression]:
        """The expressions about one conversation inside of an oracle over all."""
        made: dict[str, Expression] = {}
        for one in (oracle, message) if message else (oracle,):
            for texts in (one.uses.tests, one.uses.projected):
                for key, source in texts.items():
                    made[key] = self._compiled(source, self._scope(rule, "filter"))
        return made

    def _compiled(self, source: Source, scope: Scope) -> Expression:
        try:
            made = self.evaluator.compile(source, scope)
        except NotAllowed as err:
            if not self.sensei:
                self.problems.append(err.problem)
            else:
                self.warn(f"{err.problem}: SENSEI would count this as not applicable or failed")
            return _broken(source, scope, str(err.problem))
        for name in sorted(made.uses.unknown):
            self.warn(f"{source.file}:{source.line}: {source.key}: no function is called {name!r}")
        return made


def _broken(source: Source, scope: Scope, problem: str) -> Expression:
    """An expression that has no value, ever."""
    import ast

    def run(*_: Any) -> Any:
        raise Refused(problem)

    tree = ast.Call(ast.Name("g_unknown", ast.Load()), [ast.Constant(problem)], [])
    return Expression(source, scope, Translation(ast.fix_missing_locations(tree)), run)
