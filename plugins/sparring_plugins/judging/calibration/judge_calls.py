"""Asking judges about examples, side by side, as often as wanted, as long as may be."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import Literal

from sparring.engine.budget import Spending
from sparring.errors import AnswerInvalid, BudgetSpent, ExecutorLost, ModelError
from sparring.format_error import describe_error, error_text
from sparring_plugins.judging.calibration import measures
from sparring_plugins.judging.calibration.judge_call import JudgeCall
from sparring_plugins.judging.calibration.judges import (
    CannotJudge,
    Item,
    Judge,
    JudgeAnswer,
    NoDecision,
)
from sparring_plugins.judging.calibration.roles import Compared

Outcome = Literal["answered", "undecided", "invalid", "error"]


@dataclass(frozen=True, slots=True)
class Question:
    """Which judge is asked about which item, which of its samples this is, and in which order."""

    judge: int
    item: int
    sample: int = 0
    reverse: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of a question; `seconds` is what the model took, else the judge itself."""

    question: Question
    outcome: Outcome
    label: str | None = None
    right: bool | None = None
    slots: tuple[tuple[str | None, str | None], ...] = ()
    reason: str = ""
    model: str = ""
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = 0.0
    seconds: float = 0.0


@dataclass(slots=True)
class Asking:
    """Asks all questions, and keeps the answers, also when it is stopped in between.

    First every judge is asked once about everything, in the given order of options. Only then
    come the reverse order and the repeats, for those that asked a language model. `elsewhere` has
    a worker ask, if there are any.
    """

    judges: Sequence[Judge]
    items: Sequence[Item]
    repeats: int
    concurrency: int
    timeout_s: float
    spending: Spending
    on_answer: Callable[[Answer, int, int], None] = lambda answer, done, of: None
    elsewhere: Callable[[Question, str, Item], Awaitable[tuple[Answer, bool]]] | None = None
    answers: dict[Question, Answer] = field(default_factory=dict[Question, Answer])
    interrupted: bool = False
    spent: str | None = None
    _tasks: set["asyncio.Task[None]"] = field(default_factory=set["asyncio.Task[None]"])
    _planned: int = 0

    def interrupt(self) -> None:
        """Stop: what is being asked is dropped, what was answered is kept."""
        self.interrupted = True
        for task in self._tasks:
            task.cancel()

    async def run(self) -> None:
        """Ask until everything is answered, the budget is spent, or the task is cancelled."""
        first = len(self.judges) * len(self.items)
        await self._all(self._first(), first)
        later = sum(self._rounds(index) for index in range(len(self.judges)))
        await self._all(self._later(), later * len(self.items))

    def repeats_of(self, index: int) -> int:
        """How often a judge is asked; known once it was asked about everything."""
        use = self.judges[index].use
        return use.repeats or (self.repeats if self._asks_model(index) else 1)

    def _asks_model(self, index: int) -> bool:
        return any(a.calls for q, a in self.answers.items() if q.judge == index)

    def _rounds(self, index: int) -> int:
        """How often everything is asked of a judge after the first time."""
        return self._reverses(index) + self.repeats_of(index) - 1

    def _reverses(self, index: int) -> bool:
        judge = self.judges[index]
        return judge.chooses and judge.use.orders == "both"

    def _first(self) -> Iterator[Question]:
        for item in range(len(self.items)):
            for judge in range(len(self.judges)):
                yield Question(judge, item)

    def _later(self) -> Iterator[Question]:
        items = range(len(self.items))
        for index in range(len(self.judges)):
            if self._reverses(index):
                yield from (Question(index, item, reverse=True) for item in items)
            for sample in range(1, self.repeats_of(index)):
                yield from (Question(index, item, sample) for item in items)

    async def _all(self, waiting: Iterator[Question], count: int) -> None:
        self._planned += count
        workers = [asyncio.create_task(self._work(waiting)) for _ in range(self.concurrency)]
        self._tasks.update(workers)
        try:
            done = await asyncio.gather(*workers, return_exceptions=True)
        finally:
            self._tasks.difference_update(workers)
        for failure in done:
            if isinstance(failure, BaseException) and not isinstance(
                failure, asyncio.CancelledError
            ):
                raise failure

    async def _work(self, waiting: Iterator[Question]) -> None:
        for question in waiting:
            self.spent = self.spent or self.spending.spent()
            if self.interrupted or self.spent is not None:
                return
            answer = await self._ask(question)
            if answer is not None:
                self.answers[question] = answer
                self.spending.cases += 1
                self.on_answer(answer, len(self.answers), self._planned)

    async def _ask(self, question: Question) -> Answer | None:
        """The answer; None if the budget did not allow it, or nobody is there to ask."""
        name, item = self._name(question), self.items[question.item]
        if self.elsewhere is not None:
            try:
                answer, refused = await self.elsewhere(question, name, item)
            except ExecutorLost as err:
                self.spent = self.spent or str(err)
                return None
        else:
            judge = self.judges[question.judge]
            answer, refused = await ask_judge(judge, question, name, item, self.timeout_s)
        if refused:
            self.spent = self.spent or self.spending.spent() or "the budget is spent"
            return None
        return answer

    def _name(self, question: Question) -> str:
        """What the log calls a judge call."""
        name = f"{self.items[question.item].id}/{self.judges[question.judge].label}"
        if question.reverse:
            return f"{name}.reverse"
        return f"{name}.{question.sample + 1}" if question.sample else name


async def ask_judge(
    judge: Judge, question: Question, name: str, item: Item, timeout_s: float
) -> tuple[Answer, bool]:
    """Return a judge's answer about an item, and whether the budget refused a model's part in it.

    `name` is what the log calls the judge call.
    """
    judge_call = JudgeCall(name, question.sample)
    began = monotonic()
    outcome, said = await _answer_of(judge, question, item, judge_call, timeout_s)
    answer = Answer(
        question=question,
        outcome=outcome,
        label=said.compared.label,
        right=said.compared.right,
        slots=said.compared.slots,
        reason=said.reason,
        model=judge_call.model,
        calls=judge_call.calls,
        input_tokens=judge_call.input_tokens,
        output_tokens=judge_call.output_tokens,
        cost_usd=judge_call.cost_usd,
        seconds=judge_call.latency_s if judge_call.calls else monotonic() - began,
    )
    return answer, judge_call.spent


def failed(question: Question, why: str) -> Answer:
    """Return the answer to a question that could not be asked."""
    return Answer(question, "error", reason=why)


async def _answer_of(
    judge: Judge, question: Question, item: Item, judge_call: JudgeCall, timeout_s: float
) -> tuple[Outcome, JudgeAnswer]:
    try:
        async with asyncio.timeout(timeout_s):
            return "answered", await judge.ask(item, judge_call, reverse=question.reverse)
    except NoDecision as err:
        return "undecided", _silent(str(err))
    except AnswerInvalid as err:
        return "invalid", _silent(str(err))
    except TimeoutError:
        return "error", _silent(f"no answer within {timeout_s:g} seconds (timeout)")
    except BudgetSpent:
        judge_call.spent = True
        return "error", _silent("")
    except (ModelError, CannotJudge) as err:
        return "error", _silent(error_text(err))
    except Exception as err:  # noqa: BLE001 - a judge must not stop the others
        return "error", _silent(describe_error(err))


def _silent(reason: str) -> JudgeAnswer:
    """The answer recorded for a judge that gave none."""
    return JudgeAnswer(Compared(None, None), reason)


# The answers of one judge, gathered by example.


@dataclass(slots=True)
class Asked:
    """All answers of one judge to one item: in the given order of options, and in reverse.

    `expected` is the label of what is right, if that is known.
    """

    item: Item
    expected: str | None = None
    given: list[Answer] = field(default_factory=list[Answer])
    reverse: list[Answer] = field(default_factory=list[Answer])

    @property
    def decided(self) -> list[Answer]:
        """The answers that decided."""
        return [answer for answer in self.given if answer.outcome == "answered"]

    @property
    def judged(self) -> list[Answer]:
        """The answers that decided, if it is known what is right."""
        return self.decided if self.item.labelled else []

    @property
    def word(self) -> str | None:
        """What the judge says most often; None if nothing, or two things as often."""
        return measures.majority([answer.label or "" for answer in self.decided])


def by_item(judge: Judge, items: Sequence[Item], answers: Sequence[Answer]) -> list[Asked]:
    """The answers of a judge by item, in the order of the items, then of the repeats."""
    asked_examples = [Asked(item, judge.wanted(item)) for item in items]
    for answer in sorted(answers, key=lambda a: (a.question.item, a.question.sample)):
        question = answer.question
        kept = asked_examples[question.item]
        (kept.reverse if question.reverse else kept.given).append(answer)
    return asked_examples
