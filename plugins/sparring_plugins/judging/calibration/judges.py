"""The three kinds of judges that can be measured, each asked in the same way."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar, Literal, cast

from pydantic import JsonValue

from sparring.engine.budget import worst
from sparring.errors import AnswerInvalid
from sparring.interfaces.agent import Agent
from sparring.interfaces.oracle import Oracle
from sparring.interfaces.plugin import LLMBackend
from sparring.interfaces.rule_function import RuleFunction
from sparring.model.base import Value
from sparring.model.talk import Trace
from sparring.model.verdict import Outcome, Verdict
from sparring_plugins.judging.calibration.functions import call
from sparring_plugins.judging.calibration.judge_call import CURRENT, JudgeCall
from sparring_plugins.judging.calibration.measures import answer_label, label_of, short
from sparring_plugins.judging.calibration.model import JudgeUse
from sparring_plugins.judging.calibration.roles import Compared, Role, compared

_UNDECIDED = (Outcome.INCONCLUSIVE, Outcome.ERROR)


class NoDecision(Exception):
    """The judge says that it cannot decide; the text is its reason."""


class CannotJudge(Exception):
    """The judge went wrong, rather than judging wrongly; the text says how."""


@dataclass(frozen=True, slots=True)
class Item:
    """An example, ready to be judged.

    `expected` is what is right, in the judge's terms or as a map; `labelled` whether anybody
    says so. `tasks` has a task for each role, `people` each person's label.
    """

    id: str
    shown: str
    expected: JsonValue = None
    labelled: bool = True
    trace: Trace | None = None
    tasks: Mapping[str, Value] = field(default_factory=dict[str, Value])
    args: tuple[JsonValue, ...] = ()
    kwargs: Mapping[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    people: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class JudgeAnswer:
    """What a judge said: compared with what is right, and why it said so."""

    compared: Compared
    reason: str = ""


class Judge(ABC):
    """A judge under measurement."""

    kind: ClassVar[Literal["agent", "function", "oracle"]]

    def __init__(self, use: JudgeUse) -> None:
        self.use = use
        self.label = use.label

    @property
    @abstractmethod
    def target(self) -> str:
        """The class or function behind it."""

    @property
    def chooses(self) -> bool:
        """Whether it chooses among options that can be shown in another order."""
        return False

    @property
    def is_open(self) -> bool:
        """Whether its answers are values rather than classes."""
        return False

    def ends(self, item: Item) -> tuple[str, str]:
        """The first and the last of the options that it is shown, as examples call them."""
        return "", ""

    def possible(self, items: Sequence[Item]) -> set[str]:
        """The labels that it may answer, if they are known beforehand."""
        return set()

    def wanted(self, item: Item) -> str | None:
        """The label of what is right; None if that is not known."""
        return answer_label(item.expected) if item.labelled else None

    async def ask(self, item: Item, judge_call: JudgeCall, *, reverse: bool = False) -> JudgeAnswer:
        """Its word on an example; raises NoDecision, CannotJudge, or what the judge raises."""
        CURRENT.set(judge_call)
        return await self._ask(item, judge_call, reverse=reverse)

    @abstractmethod
    async def _ask(self, item: Item, judge_call: JudgeCall, *, reverse: bool) -> JudgeAnswer: ...

    def _name_answer(self, answer: JsonValue) -> str:
        """An answer as the examples call it."""
        label = label_of(answer)
        return self.use.labels.get(label, label)


class AgentJudge(Judge):
    """An agent of any role; `agents` has one for each asking of an example.

    None of them remembers another's answers.
    """

    kind = "agent"

    def __init__(
        self, use: JudgeUse, name: str, role: Role, agents: Sequence[Agent[Any, Any, Any]]
    ) -> None:
        super().__init__(use)
        self.role_name = name
        self.role = role
        self._agents = agents

    @property
    def target(self) -> str:
        """See `Judge`."""
        return path_of(type(self._agents[0]))

    @property
    def chooses(self) -> bool:
        """See `Judge`."""
        return self.role.options is not None

    @property
    def is_open(self) -> bool:
        """See `Judge`."""
        return self.role.options is None and not self.role.classed

    def ends(self, item: Item) -> tuple[str, str]:
        """See `Judge`."""
        options = getattr(item.tasks[self.role_name], self.role.options or "", ("", ""))
        return self._name_answer(options[0]), self._name_answer(options[-1])

    def possible(self, items: Sequence[Item]) -> set[str]:
        """See `Judge`."""
        return {self._name_answer(option) for option in self.options(items)}

    def options(self, items: Sequence[Item]) -> list[str]:
        """All options that it is ever shown, in their first order."""
        if self.role.options is None:
            return []
        tasks = [item.tasks[self.role_name] for item in items]
        shown = (option for task in tasks for option in getattr(task, self.role.options))
        return list(dict.fromkeys(shown))

    def wanted(self, item: Item) -> str | None:
        """See `Judge`."""
        if not item.labelled or self.role.options is None:
            return super().wanted(item)
        return label_of(self.role.wanted(item.expected)[self.role.main or ""])

    async def _ask(self, item: Item, judge_call: JudgeCall, *, reverse: bool) -> JudgeAnswer:
        task = self._task(item, judge_call, reverse=reverse)
        answer: Any = await self._agents[judge_call.sample].act(task)
        if not isinstance(answer, self.role.answer):
            raise CannotJudge(f"it answered {type(answer).__name__}, not a {self._answers()}")
        reason = str(getattr(answer, "reason", ""))
        wanted = self.role.wanted(item.expected) if item.labelled else {}
        seen = self.role.seen(answer, wanted)
        if self.role.options is None:
            if self.role.classed and seen[self.role.main or ""] is None:
                raise NoDecision(reason)
            whole = compared(seen, wanted or seen)
            return JudgeAnswer(whole if item.labelled else Compared(whole.label, None), reason)
        said = seen[self.role.main or ""]
        if said is None:
            raise NoDecision(reason)
        if said not in getattr(task, self.role.options):
            raise AnswerInvalid(f"it answered {short(str(said), 80)!r}, which is no option")
        return JudgeAnswer(self._choice(seen, wanted, item), reason)

    def _answers(self) -> str:
        return self.role.answer.__name__

    def _choice(self, seen: Mapping[str, JsonValue], wanted: Any, item: Item) -> Compared:
        main = self.role.main or ""
        label = self._name_answer(seen[main])
        if not item.labelled:
            return Compared(label, None)
        others = {key: wanted[key] for key in wanted if key != main}
        right = label == label_of(wanted[main]) and bool(compared(seen, others).right)
        return Compared(label, right)

    def _task(self, item: Item, judge_call: JudgeCall, *, reverse: bool) -> Value:
        task = item.tasks[self.role_name]
        fields = type(task).model_fields
        changed: dict[str, Any] = {}
        if "seed" in fields:
            changed["seed"] = judge_call.seed(getattr(task, "seed", 0))
        if "sample" in fields:
            changed["sample"] = judge_call.sample
        if reverse and self.role.options:
            changed[self.role.options] = tuple(reversed(getattr(task, self.role.options)))
        return task.model_copy(update=changed)


class FunctionJudge(Judge):
    """A rule function, which answers with its value."""

    kind = "function"

    def __init__(
        self, use: JudgeUse, function: RuleFunction, backend: LLMBackend[Any] | None
    ) -> None:
        super().__init__(use)
        self.function = function
        self._backend = backend

    @property
    def target(self) -> str:
        """See `Judge`."""
        return path_of(self.function.call)

    async def _ask(self, item: Item, judge_call: JudgeCall, *, reverse: bool) -> JudgeAnswer:
        said = await call(self.function, self._backend, item.trace, item.args, dict(item.kwargs))
        value: Any = said.value
        if self.use.compare == "is-true":
            value = value is True
        label = self._name_answer(value)
        right = label == label_of(item.expected) if item.labelled else None
        return JudgeAnswer(Compared(label, right), said.reason)


class OracleJudge(Judge):
    """An oracle: its verdict on a conversation, the worst if it has several.

    A check that did not apply found nothing wrong, and counts as passed.
    """

    kind = "oracle"

    def __init__(self, use: JudgeUse, oracles: Sequence[Oracle[Any]]) -> None:
        super().__init__(use)
        self._oracles = oracles

    @property
    def target(self) -> str:
        """See `Judge`."""
        return path_of(type(self._oracles[0]))

    def possible(self, items: Sequence[Item]) -> set[str]:
        """See `Judge`."""
        return {self._name_answer("pass"), self._name_answer("fail")}

    async def _ask(self, item: Item, judge_call: JudgeCall, *, reverse: bool) -> JudgeAnswer:
        if item.trace is None:
            raise CannotJudge("the example has no conversation")
        verdicts = list(await self._oracles[judge_call.sample].judge(item.trace))
        if self.use.check is not None:
            verdicts = [verdict for verdict in verdicts if verdict.check == self.use.check]
            if not verdicts:
                raise CannotJudge(f"it has no check {self.use.check!r}")
        outcome = worst(verdicts)
        reason = _reason(verdicts, outcome)
        if outcome in _UNDECIDED:
            self._give_up(outcome, reason, judge_call)
        label = self._name_answer("pass" if outcome is Outcome.SKIPPED else outcome.value)
        right = label == label_of(item.expected) if item.labelled else None
        return JudgeAnswer(Compared(label, right), reason)

    @staticmethod
    def _give_up(outcome: Outcome, reason: str, judge_call: JudgeCall) -> None:
        if outcome is Outcome.ERROR or judge_call.failed:
            raise CannotJudge(reason or judge_call.failed)
        raise NoDecision(reason)


def _reason(verdicts: Sequence[Verdict], outcome: Outcome) -> str:
    said = [
        f"{verdict.check}: {verdict.reason}" for verdict in verdicts if verdict.outcome is outcome
    ]
    return "; ".join(said[:3]) if outcome is not Outcome.PASS else ""


def path_of(thing: Any) -> str:
    """Where a class or function is defined, as suites write it: ``package.module:Name``."""
    if isinstance(thing, partial):
        return path_of(cast("partial[Any]", thing).func)
    module = getattr(thing, "__module__", "?")
    name = getattr(thing, "__qualname__", type(thing).__name__)
    return f"{module}:{name}"
