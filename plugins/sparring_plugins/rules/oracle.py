"""The oracle `rules`: builds the rules of a suite and judges conversations by them."""

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import Field, field_validator, model_validator

from sparring.errors import ConfigurationError, Problem
from sparring.interfaces.oracle import Oracle
from sparring.interfaces.plugin import BuildContext, PluginConfig, Use
from sparring.interfaces.rule_function import RuleFunction, rule_context
from sparring.model.space import Space
from sparring.model.talk import Trace
from sparring.model.verdict import Outcome, Owner, Verdict
from sparring_plugins.rules.compile.evaluation import (
    MODEL,
    ChosenFunctions,
    Evaluator,
    Expression,
    choose_functions,
    variants,
)
from sparring_plugins.rules.compile.translation import Translation
from sparring_plugins.rules.parse.library_rules import LibraryUse, library_rules
from sparring_plugins.rules.parse.rule_files import read_rules
from sparring_plugins.rules.parse.syntax import ExpressionSource, NotAllowed, Part, Rule, Scope
from sparring_plugins.rules.run.conversation_rule import (
    ConversationRule,
    SenseiConversationRule,
    TurnRule,
)
from sparring_plugins.rules.run.decisions import CompiledRule, RuleDecision, VerdictFactory
from sparring_plugins.rules.run.outside_causes import never_responded
from sparring_plugins.rules.run.tuple_rule import TupleRule
from sparring_plugins.rules.run.whole_rule import SenseiWholeRule, WholeRule
from sparring_plugins.rules.values.function_calls import Questions
from sparring_plugins.rules.values.record import PLAIN_FUNCTIONS, SHORT_FORMS, Record, SenseiRecord
from sparring_plugins.rules.values.work import RefusedOperation

if TYPE_CHECKING:
    from sparring_plugins.prompting.prompts import Prompts


# From rules as read to rules that judge.


@dataclass(slots=True)
class BuiltRules:
    """The rules of one oracle, by kind, each in the order of their files."""

    single: list[ConversationRule] = field(default_factory=list[ConversationRule])
    turns: list[TurnRule] = field(default_factory=list[TurnRule])
    tuples: list[TupleRule] = field(default_factory=list[TupleRule])
    whole: list[WholeRule] = field(default_factory=list[WholeRule])
    silent: set[int] = field(default_factory=set[int])

    @property
    def over_several(self) -> list[TupleRule | WholeRule]:
        """The rules that are judged when all conversations are known."""
        return [*self.tuples, *self.whole]


@dataclass(frozen=True, slots=True)
class RuleLimits:
    """The number of failures that verdicts list, and the work that rules over several may do."""

    listed: int
    tuple_work: int


def build_rules(
    rules: Sequence[Rule],
    evaluator: Evaluator,
    *,
    sensei: bool,
    limits: RuleLimits,
    warn: Callable[[str], None],
) -> BuiltRules:
    """Compile all rules; raises ConfigurationError with everything that is wrong with them.

    As in SENSEI, nothing is an error with `sensei`: an expression that cannot be compiled raises
    whenever it is evaluated, and of two rules with one name the results of the later count.
    """
    builder = _RuleBuilder(evaluator, sensei=sensei, limits=limits, warn=warn)
    later = {rule.name: number for number, rule in enumerate(rules)}
    earlier = {rule.name: number for number, rule in reversed(list(enumerate(rules)))}
    for number, rule in enumerate(rules):
        # SENSEI keeps its results by the rules' names, and so the last rule of a name alone; one
        # over all conversations still lets later ones see its own.
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


class _RuleBuilder:
    """Compiles rules, and collects what is wrong with them."""

    def __init__(
        self, evaluator: Evaluator, *, sensei: bool, limits: RuleLimits, warn: Callable[[str], None]
    ) -> None:
        self.evaluator = evaluator
        self.sensei = sensei
        self.limits = limits
        self.warn = warn
        self.built = BuiltRules()
        self.problems: list[Problem] = []
        self.functions: Mapping[str, RuleFunction] = evaluator.functions

    def build(self, rule: Rule, position: int, *, silent: bool = False) -> None:
        """Compile a rule and put it among those of its kind; `position` is its row in tables."""
        before = len(self.problems)
        filters = tuple(
            self._compile(filter, self._scope(rule, "filter")) for filter in rule.filters
        )
        scope = self._scope(rule, "oracle")
        oracle = self._compile(rule.oracle, scope)
        message = self._message(rule, scope)
        inner = self._compile_inner(rule, oracle, message)
        if len(self.problems) > before:
            return
        verdicts = VerdictFactory(rule, {"position": position})
        compiled = CompiledRule(rule, self.evaluator, filters, oracle, message, verdicts, self.warn)
        if rule.conversations == "all":
            groups = tuple(
                self._compile(group, self._scope(rule, "filter")) for group in rule.groups
            )
            if len(self.problems) > before:
                return
            whole = self._build_whole(compiled, inner, groups)
            if silent:
                self.built.silent.add(len(self.built.whole))
            self.built.whole.append(whole)
        elif rule.each:
            listed = self.limits.listed
            self.built.turns.append(TurnRule(compiled, each=rule.each, listed=listed))
        elif rule.conversations == 1:
            kind = SenseiConversationRule if self.sensei else ConversationRule
            self.built.single.append(kind(compiled))
        else:
            limits = self.limits
            self.built.tuples.append(
                TupleRule(
                    compiled, listed=limits.listed, work=limits.tuple_work, sensei=self.sensei
                )
            )

    def _build_whole(
        self,
        compiled: CompiledRule,
        inner: Mapping[str, Expression],
        groups: tuple[Expression, ...],
    ) -> WholeRule:
        if not self.sensei:
            return WholeRule(compiled, inner, listed=self.limits.listed, groups=groups)
        before = [rule for rule in self.built.whole if isinstance(rule, SenseiWholeRule)]
        return SenseiWholeRule(compiled, inner, listed=self.limits.listed, before=before)

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
        return self._compile(rule.message, scope)

    def _compile_inner(
        self, rule: Rule, oracle: Expression, message: Expression | None
    ) -> dict[str, Expression]:
        """The expressions about one conversation inside of an oracle over all."""
        inner: dict[str, Expression] = {}
        for expression in (oracle, message) if message else (oracle,):
            for texts in (expression.uses.tests, expression.uses.projected):
                for key, source in texts.items():
                    inner[key] = self._compile(source, self._scope(rule, "filter"))
        return inner

    def _compile(self, source: ExpressionSource, scope: Scope) -> Expression:
        try:
            expression = self.evaluator.compile(source, scope)
        except NotAllowed as err:
            if not self.sensei:
                self.problems.append(err.problem)
            else:
                self.warn(f"{err.problem}: SENSEI would count this as not applicable or failed")
            return _valueless(source, scope, str(err.problem))
        for name in sorted(expression.uses.unknown):
            self.warn(f"{source.file}:{source.line}: {source.key}: no function is called {name!r}")
        return expression


def _valueless(source: ExpressionSource, scope: Scope, problem: str) -> Expression:
    """An expression that has no value, ever."""

    def run(*_: Any) -> Any:
        raise RefusedOperation(problem)

    tree = ast.Call(ast.Name("g_unknown", ast.Load()), [ast.Constant(problem)], [])
    return Expression(source, scope, Translation(ast.fix_missing_locations(tree)), run)


# Rules that ask a model in a suite that has none: said before anything is played.

# Also inside of texts: in `exists("tone(reply) == 'NEGATIVE'")` the call stands in one.
_CALL = re.compile(r"\b([A-Za-z_]\w*)\s*\(")
# A suite of libraries may have fifty rules that ask a model: five show what is meant.
_MOST = 5


def warning(rules: Iterable[Rule], functions: Mapping[str, RuleFunction]) -> str | None:
    """Warn of rules that need a model if there is none; `None` if all can do without."""
    asking: dict[str, list[str]] = {}
    for rule in rules:
        for name in dict.fromkeys(_called_names(rule)):
            if name in functions and functions[name].model:
                asking.setdefault(rule.check, []).append(name)
    if not asking:
        return None
    named = [f"{check} ({', '.join(names)})" for check, names in asking.items()]
    more = f" and {len(named) - _MOST} more" if len(named) > _MOST else ""
    others = [
        f"{name}: {variant}"
        for name in sorted({name for names in asking.values() for name in names})
        for variant in variants(functions, name)
        if variant != MODEL
    ]
    instead = f"; `functions: {{{', '.join(others)}}}` judges without one" if others else ""
    return (
        f"the suite names no `llm`, so rules that ask a model will be inconclusive: "
        f"{', '.join(named[:_MOST])}{more}{instead}"
    )


def _called_names(rule: Rule) -> Iterator[str]:
    """Names before brackets: the functions that a rule calls, also inside of its texts."""
    message = () if rule.message is None else (rule.message,)
    for source in (*rule.filters, rule.oracle, *message, *rule.groups):
        yield from _CALL.findall(source.text)


# Names are only suggested for misspelt ones: two hundred conversations have all that a profile has.
_SAMPLED = 200


class RulesConfig(PluginConfig):
    """Settings of the oracle `rules`; a unit of work is at most about a microsecond."""

    files: tuple[str, ...] | str = Field(default=(), description="rule files, folders or patterns")
    libraries: tuple[LibraryUse, ...] = Field(
        default=(), description="libraries of general rules, by name"
    )
    compat: Literal["sensei"] | None = Field(
        default=None, description="sensei: read and count exactly as SENSEI"
    )
    activate: Literal["all", "as-written"] = Field(
        default="as-written", description="all: also rules with active: false"
    )
    max_failures_listed: int = Field(
        default=20,
        ge=0,
        le=10_000,
        description="failures of a rule over several conversations that get a verdict each",
    )
    work: int = Field(default=2_000_000, gt=0, description="units of work of one evaluation")
    tuple_work: int = Field(
        default=100_000_000, gt=0, description="units of work of one rule over all its tuples"
    )
    max_questions: int = Field(
        default=100, gt=0, description="questions that one evaluation may ask a model"
    )
    functions: dict[str, Use] = Field(
        default={},
        description="other implementations of functions, such as language: lingua",
    )
    prompts: str | None = Field(
        default=None, description="a folder of templates that replace ours of the same name"
    )

    @field_validator("libraries", mode="before")
    @classmethod
    def _as_list(cls, value: Any) -> Any:
        """One library need not be written as a list."""
        return [value] if isinstance(value, (str, dict, LibraryUse)) else value

    @model_validator(mode="after")
    def _has_rules(self) -> "RulesConfig":
        if not self.files and not self.libraries:
            raise ValueError("names neither `files` nor `libraries`")
        if self.compat and self.libraries:
            raise ValueError("libraries are unknown to SENSEI: leave out `compat` or `libraries`")
        return self


class RulesOracle(Oracle[RulesConfig]):
    """Judges by rules over one, several or all conversations (docs/reference/rules.md).

    The rules language is SENSEI's; expressions run with bounded work and reach nothing but the
    conversation. Raises ConfigurationError for rules that are wrong.
    """

    Config: ClassVar[type[PluginConfig]] = RulesConfig
    overrun_owner: ClassVar[Owner] = Owner.TEST

    def __init__(self, config: RulesConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        self.sensei = config.compat == "sensei"
        files = [config.files] if isinstance(config.files, str) else list(config.files)
        rules = read_rules(
            context.files(files),
            base=context.base_dir,
            sensei=self.sensei,
            activate_all=config.activate == "all",
            warn=context.warn,
            more=library_rules(config.libraries, context.warn),
        )
        self.record: type[Record] = SenseiRecord if self.sensei else Record
        functions: Mapping[str, RuleFunction] = choose_functions(
            rule_context(context).functions(), config.functions
        )
        self._checks = frozenset(rule.check for rule in rules)
        self.evaluator = Evaluator(
            _sensei_functions(functions) if self.sensei else functions,
            Questions(context.llm("judge"), config.max_questions, self._prompts()),
            work=config.work,
            record=self.record,
        )
        if self.evaluator.questions.backend is None and (
            model_warning := warning(rules, functions)
        ):
            context.warn(model_warning)
        limits = RuleLimits(config.max_failures_listed, config.tuple_work)
        self.rules = build_rules(
            rules, self.evaluator, sensei=self.sensei, limits=limits, warn=context.warn
        )

    def _prompts(self) -> "Prompts | None":
        """The prompts of the suite, if it has some of its own."""
        if self.config.prompts is None:
            return None
        from sparring_plugins.prompting.prompts import Prompts
        from sparring_plugins.rules.functions.model_questions import FOLDER

        return Prompts.of(self.context, FOLDER, self.config.prompts)

    def checks(self) -> frozenset[str]:
        return self._checks

    def conditions(self) -> frozenset[str]:
        silent = self.rules.silent
        whole = [rule for number, rule in enumerate(self.rules.whole) if number not in silent]
        return frozenset(rule.rule.check for rule in (*self.rules.tuples, *whole))

    async def judge(self, trace: Trace) -> Sequence[Verdict]:
        record = self.record(trace)
        verdicts = [await rule.judge(record) for rule in self.rules.single]
        for rule in self.rules.turns:
            verdicts += await rule.judge_turns(record)
        return verdicts

    async def conclude(self, traces: Iterable[Trace]) -> Sequence[Verdict]:
        several = self.rules.over_several
        for rule in several:
            rule.begin()
        if several:
            await self._collect_traces(traces)
        concluded: list[Verdict] = []
        for rule in self.rules.tuples:
            concluded += await rule.finish(traces)
        unknown = [] if self.sensei else self._unknown_names(traces)
        not_evaluated = [rule for rule, _ in unknown if rule.unseen.spoils_verdicts()]
        for number, whole in enumerate(self.rules.whole):
            verdicts = await whole.finish()
            # `exists('drnk')` is false of every app, and says nothing of it
            if whole in not_evaluated:
                verdicts = [v for v in verdicts if v.outcome not in (Outcome.PASS, Outcome.FAIL)]
            concluded += () if number in self.rules.silent else verdicts
        concluded += [verdict for _, verdict in unknown]
        for rule in several:
            rule.begin()
        return concluded

    @property
    def _all_rules(self) -> list[ConversationRule | TupleRule | WholeRule]:
        return [*self.rules.single, *self.rules.turns, *self.rules.over_several]

    async def _collect_traces(self, traces: Iterable[Trace]) -> None:
        """One pass over all conversations for all rules that compare them."""
        for trace in traces:
            record = self.record(trace)
            for pairs in self.rules.tuples:
                pairs.add(record)
            for whole in self.rules.whole:
                await whole.add(record)

    def _unknown_names(
        self, traces: Iterable[Trace]
    ) -> list[tuple[ConversationRule | TupleRule | WholeRule, Verdict]]:
        """An error for each rule with a name that no conversation has: most likely misspelt.

        If no conversation has inputs or outputs at all, such a rule does not apply.
        """
        everyone = self._all_rules
        doubtful = [rule for rule in everyone if rule.unseen]
        if not doubtful:
            return []
        seen_names, some = self._known_names(
            traces, [r for r in doubtful if isinstance(r, ConversationRule)]
        )
        if not some:
            return []
        for rule in doubtful:  # a scenario that was not played may have them
            rule.unseen.names -= rule_context(self.context).names
        names = sorted({*seen_names, *rule_context(self.context).names})
        return [
            (rule, _unknown_names_verdict(rule, rule.unseen.problems(names)))
            for rule in doubtful
            if rule.unseen
        ]

    def validation_errors(self, space: Space) -> list[Problem]:
        """The names in rules that no conversation can have; none with `compat: sensei`."""
        if self.sensei:
            return []
        from sparring_plugins.rules.list_inputs import list_comparisons  # looks at users' selectors

        names = space.names()
        rules = self._all_rules
        for message in list_comparisons((rule.rule for rule in rules), space):
            self.context.warn(message)
        problems = [problem for rule in rules for problem in rule.unseen.foreseen(names)]
        return sorted(problems, key=lambda problem: (problem.file or "", problem.line or 0))

    def _known_names(
        self, traces: Iterable[Trace], rules: Sequence[ConversationRule]
    ) -> tuple[set[str], bool]:
        """Names of conversations, to suggest; also looks where earlier sessions judged."""
        seen_names: set[str] = set()
        some = False
        for number, trace in enumerate(traces):
            some = some or not never_responded(trace)
            record = self.record(trace)
            if number < _SAMPLED:
                seen_names |= record.names()
            for rule in rules:
                rule.unseen.note(record)
        return seen_names, some


def _unknown_names_verdict(
    rule: ConversationRule | TupleRule | WholeRule, problems: Sequence[Problem]
) -> Verdict:
    if not problems:
        absent = ", ".join(f"`{name}`" for name in sorted(rule.unseen.names))
        reason = f"does not apply: no conversation has inputs or outputs, as {absent} would be"
        return rule.verdicts.of(RuleDecision(Outcome.SKIPPED, None, reason), ())
    first = problems[0]
    parts = [
        problem.message if (problem.line, problem.key) == (first.line, first.key) else str(problem)
        for problem in problems[1:]
    ]
    decision = RuleDecision(
        Outcome.ERROR,
        Owner.TEST,
        " ".join([str(first), *parts]),
        details={"file": first.file, "line": first.line},
    )
    return rule.verdicts.of(decision, ())


def _sensei_functions(functions: Mapping[str, RuleFunction]) -> Mapping[str, RuleFunction]:
    """The functions that SENSEI has, in its own readings; those for models as they are chosen."""
    from sparring_plugins.rules.functions import sensei_functions  # few suites need them

    names_in_sensei = PLAIN_FUNCTIONS | SHORT_FORMS
    names = [name for name in functions if name.partition(".")[0] in names_in_sensei]
    return ChosenFunctions(functions, sensei_functions.FUNCTIONS, names)
