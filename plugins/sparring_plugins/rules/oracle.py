"""The oracle `rules`: judges conversations by rules that people write."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import Field, field_validator, model_validator

from sparring.errors import Problem
from sparring.interfaces.oracle import Oracle
from sparring.interfaces.plugin import BuildContext, PluginConfig, Use
from sparring.interfaces.rule_function import RuleFunction
from sparring.model.space import Space
from sparring.model.talk import Trace
from sparring.model.verdict import Outcome, Owner, Verdict
from sparring_plugins.rules.compile.evaluation import Evaluator
from sparring_plugins.rules.compile.function_choice import Chosen, chosen
from sparring_plugins.rules.functions import sensei_functions as sensei_functions
from sparring_plugins.rules.parse.library_rules import LibraryUse, library_rules
from sparring_plugins.rules.parse.rule_files import read_rules
from sparring_plugins.rules.run.conversation_rule import OneRule
from sparring_plugins.rules.run.decisions import Decision
from sparring_plugins.rules.run.responses import never_heard
from sparring_plugins.rules.run.rules import Limits, build_rules
from sparring_plugins.rules.run.tuple_rule import TupleRule
from sparring_plugins.rules.run.whole_rule import WholeRule
from sparring_plugins.rules.unasked import warning
from sparring_plugins.rules.values.questions import Questions
from sparring_plugins.rules.values.record import Record
from sparring_plugins.rules.values.sensei_record import PLAIN_FUNCTIONS, SHORT_FORMS, SenseiRecord

if TYPE_CHECKING:
    from sparring_plugins.prompting.prompts import Prompts

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
    def _listed(cls, value: Any) -> Any:
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
        functions: Mapping[str, RuleFunction] = chosen(context.functions(), config.functions)
        self._checks = frozenset(rule.check for rule in rules)
        self.evaluator = Evaluator(
            _as_sensei(functions) if self.sensei else functions,
            Questions(context.llm("judge"), config.max_questions, self._prompts()),
            work=config.work,
            record=self.record,
        )
        if self.evaluator.questions.backend is None and (said := warning(rules, functions)):
            context.warn(said)
        limits = Limits(config.max_failures_listed, config.tuple_work)
        self.rules = build_rules(
            rules, self.evaluator, sensei=self.sensei, limits=limits, warn=context.warn
        )

    def _prompts(self) -> "Prompts | None":
        """The prompts of the suite, where it has some of its own."""
        if self.config.prompts is None:
            return None
        from sparring_plugins.prompting.prompts import Prompts
        from sparring_plugins.rules.functions.model_questions import FOLDER

        return Prompts.of(self.context, FOLDER, self.config.prompts)

    def checks(self) -> frozenset[str]:
        return self._checks

    async def judge(self, trace: Trace) -> Sequence[Verdict]:
        record = self.record(trace)
        found = [await rule.judge(record) for rule in self.rules.one]
        for rule in self.rules.turns:
            found += await rule.judge_turns(record)
        return found

    async def conclude(self, traces: Iterable[Trace]) -> Sequence[Verdict]:
        several = self.rules.over_several
        for rule in several:
            rule.begin()
        if several:
            await self._collect(traces)
        found: list[Verdict] = []
        for rule in self.rules.tuples:
            found += await rule.finish(traces)
        for number, whole in enumerate(self.rules.whole):
            verdicts = await whole.finish()
            found += () if number in self.rules.silent else verdicts
        if not self.sensei:
            found += self._unknown_names(traces)
        for rule in several:
            rule.begin()
        return found

    @property
    def _everyone(self) -> list[OneRule | TupleRule | WholeRule]:
        return [*self.rules.one, *self.rules.turns, *self.rules.over_several]

    async def _collect(self, traces: Iterable[Trace]) -> None:
        """One pass over all conversations for all rules that compare them."""
        for trace in traces:
            record = self.record(trace)
            for pairs in self.rules.tuples:
                pairs.add(record)
            for whole in self.rules.whole:
                await whole.add(record)

    def _unknown_names(self, traces: Iterable[Trace]) -> list[Verdict]:
        """An error for each rule with a name that no conversation has: most likely misspelt."""
        everyone = self._everyone
        doubtful = [rule for rule in everyone if rule.unseen]
        if not doubtful:
            return []
        known, some = self._known_names(traces, [r for r in doubtful if isinstance(r, OneRule)])
        if not some:
            return []
        for rule in doubtful:  # a scenario that was not played may have them
            rule.unseen.names -= self.context.names
        return [_unknown(rule, sorted(known)) for rule in doubtful if rule.unseen]

    def misfits(self, space: Space) -> list[Problem]:
        """The names in rules that no conversation can have; with `compat: sensei` none are told."""
        if self.sensei:
            return []
        names = space.names()
        rules = self._everyone
        found = [problem for one in rules for problem in one.unseen.foreseen(names)]
        return sorted(found, key=lambda problem: (problem.file or "", problem.line or 0))

    def _known_names(
        self, traces: Iterable[Trace], rules: Sequence[OneRule]
    ) -> tuple[set[str], bool]:
        """Names of conversations, to suggest; also looks where earlier sessions judged."""
        known: set[str] = set()
        some = False
        for number, trace in enumerate(traces):
            some = some or not never_heard(trace)
            record = self.record(trace)
            if number < _SAMPLED:
                known |= record.names()
            for rule in rules:
                rule.unseen.note(record)
        return known, some


def _unknown(rule: OneRule | TupleRule | WholeRule, known: Sequence[str]) -> Verdict:
    problems = rule.unseen.problems(known)
    first = problems[0]
    parts = [
        one.message if (one.line, one.key) == (first.line, first.key) else str(one)
        for one in problems[1:]
    ]
    decision = Decision(
        Outcome.ERROR,
        Owner.TEST,
        " ".join([str(first), *parts]),
        details={"file": first.file, "line": first.line},
    )
    return rule.verdicts.of(decision, ())


def _as_sensei(functions: Mapping[str, RuleFunction]) -> Mapping[str, RuleFunction]:
    """The functions that SENSEI has, in its own readings; those for models as they are chosen."""
    known = PLAIN_FUNCTIONS | SHORT_FORMS
    names = [name for name in functions if name.partition(".")[0] in known]
    return Chosen(functions, sensei_functions.FUNCTIONS, names)
