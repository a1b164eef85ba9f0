"""The oracles of answers from retrieved texts: faithful, relevant, and from the right contexts.

Each decides by words, numbers and names if these are clear, else by a part of the role judge if the
suite names one, else not at all.
"""

import json
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, cast

from jsonpath_ng.exceptions import JsonPathLexerError, JsonPathParserError
from jsonpath_ng.ext.parser import parse
from pydantic import Field, JsonValue, field_validator

from sparring.errors import AnswerInvalid
from sparring.interfaces.agent import Agent
from sparring.interfaces.oracle import Oracle
from sparring.interfaces.plugin import BuildContext, PluginConfig, Use
from sparring.interfaces.roles import Judgement, JudgeTask
from sparring.model.talk import Trace, act_text, broken_off
from sparring.model.verdict import Outcome, Owner, TurnRef, Verdict
from sparring_plugins.judging.rag_measures import (
    Support,
    average_precision,
    relevance,
    statements,
    support,
)

_LONGEST = 1_000
_MOST = 200
"""The number of contexts of an answer that are read."""


class RagConfig(PluginConfig):
    """Settings of an oracle of answers from retrieved texts."""

    contexts: str = Field(
        default="$.contexts[*]",
        description="where the retrieved texts are in the payload of an answer, as a JSONPath",
    )
    reference: str | None = Field(
        default=None,
        description="the right answer; {name} stands for a value of the case, as in '{answer}'",
    )
    least: float = Field(default=0.8, ge=0, le=1, description="the least score that passes")
    judge: Use | None = Field(
        default=None,
        description="a part of the role judge that decides what words do not; without one, that "
        "is inconclusive",
    )

    @field_validator("contexts")
    @classmethod
    def _is_path(cls, path: str) -> str:
        try:
            parse(path)
        except (JsonPathParserError, JsonPathLexerError) as err:
            raise ValueError(f"{path!r} is no JSONPath, such as $.contexts[*]: {err}") from err
        return path


@dataclass(frozen=True, slots=True)
class Answered:
    """One answer: the turn, what was asked, the answer, the retrieved texts, the right answer."""

    turn: int
    question: str
    answer: str
    contexts: tuple[str, ...]
    reference: str


@dataclass(frozen=True, slots=True)
class Score:
    """What is measured of one answer; `value` is None if nothing could decide."""

    value: float | None
    reason: str


class RagOracle(Oracle[RagConfig]):
    """What the four oracles share: each answer gets a score, and the least one decides."""

    Config: ClassVar[type[PluginConfig]] = RagConfig
    local: ClassVar[bool] = True
    name: ClassVar[str]

    def __init__(self, config: RagConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        self._path = parse(config.contexts)
        self._judge: Agent[JudgeTask, Judgement, Any] | None = (
            context.part(Agent, config.judge, role="judge") if config.judge is not None else None
        )

    def checks(self) -> frozenset[str]:
        return frozenset({self.name})

    @abstractmethod
    async def score(self, answered: Answered) -> Score:
        """Return the score of one answer."""

    async def judge(self, trace: Trace) -> Sequence[Verdict]:
        answers = self._answers(trace)
        if not answers:
            return ()
        scores = [(answered, await self.score(answered)) for answered in answers]
        decided = [(a, score) for a, score in scores if score.value is not None]
        worst = min(decided, key=lambda pair: pair[1].value or 0.0, default=None)
        if worst is not None and (worst[1].value or 0.0) < self.config.least:
            if (incident := broken_off(trace)) is not None:
                return (self._verdict(trace, Outcome.INCONCLUSIVE, *worst, owner=incident.owner),)
            return (self._verdict(trace, Outcome.FAIL, *worst, owner=Owner.APP),)
        open_ = next(((a, score) for a, score in scores if score.value is None), None)
        if open_ is not None or worst is None:
            pair = open_ or scores[0]
            return (self._verdict(trace, Outcome.INCONCLUSIVE, *pair, owner=Owner.JUDGE),)
        return (self._verdict(trace, Outcome.PASS, *worst),)

    def _answers(self, trace: Trace) -> list[Answered]:
        answers: list[Answered] = []
        for number, turn in enumerate(trace.turns):
            seen, asked = turn.observation, act_text(turn.act)
            if seen is None or not seen.text or not asked:
                continue
            found = [match.value for match in self._path.find(seen.payload or {})][:_MOST]
            contexts = tuple(map(_text, found))
            answers.append(Answered(number, asked, seen.text, contexts, self._reference(trace)))
        return answers

    def _reference(self, trace: Trace) -> str:
        text = self.config.reference or ""
        for name, value in trace.inputs.items():
            text = text.replace(f"{{{name}}}", str(value))
        return text

    async def decide(self, question: str, material: dict[str, JsonValue]) -> bool | None:
        """Return what the judge says of what words do not decide; None without one."""
        if self._judge is None:
            return None
        task = JudgeTask(question=question, subject=material)
        try:
            judgement = await self._judge.act(task)
        except AnswerInvalid:
            return None
        return None if judgement.answer is None else judgement.answer == task.options[0]

    async def supported(self, text: str, contexts: Sequence[str], what: str) -> Score:
        """Return the share of a text's statements that contexts support."""
        results: list[Support] = []
        for statement in statements(text):
            result = support(statement, contexts)
            if result.supported is None and contexts:
                said = await self.decide(
                    f"Do the contexts say what the {what} says?",
                    {what: statement, "contexts": list(contexts)},
                )
                result = Support(said, result.share, result.reason)
            results.append(result)
        wrong = [result for result in results if result.supported is False]
        unclear = [result for result in results if result.supported is None]
        if not results:
            return Score(None, f"the {what} states nothing")
        sure = sum(result.supported is True for result in results)
        best = (sure + len(unclear)) / len(results)
        if unclear and best >= self.config.least:  # else it fails whatever these are
            return Score(None, f"of the {what}, words do not decide: {unclear[0].reason}")
        reason = f"{sure} of {len(results)} statements of the {what} are in the contexts"
        return Score(best, f"{reason}: {wrong[0].reason}" if wrong else reason)

    def _verdict(
        self,
        trace: Trace,
        outcome: Outcome,
        answered: Answered,
        score: Score,
        owner: Owner | None = None,
    ) -> Verdict:
        failed: dict[str, JsonValue] = {"kind": [self.name]}
        return Verdict(
            oracle=self.name,
            check=self.name,
            outcome=outcome,
            case_ids=(trace.case.id,),
            owner=owner,
            score=score.value,
            reason=score.reason[:_LONGEST],
            turns=(TurnRef(case_id=trace.case.id, turn=answered.turn),),
            details=failed if outcome is Outcome.FAIL else {},
        )


class Faithfulness(RagOracle):
    """Fails an answer that states what is not in the retrieved texts.

    The score is the share of its statements that are. By words, a statement is in them if some
    sentence has all of its content words, and numbers with their units; it is not if nothing but a
    number, a name or a negation tells it from such a sentence. What is said in other words, or
    implied, is for the `judge`.
    """

    name: ClassVar[str] = "faithfulness"

    async def score(self, answered: Answered) -> Score:
        if not answered.contexts:
            return Score(None, "the answer has no contexts")
        return await self.supported(answered.answer, answered.contexts, "answer")


class AnswerRelevance(RagOracle):
    """Fails an answer that has nothing to do with the question.

    The score is the share of the question's content words that the answer takes up. By words alone
    only an answer with `least` of them passes, and none fails: it may say it in other words.
    """

    name: ClassVar[str] = "answer-relevance"

    async def score(self, answered: Answered) -> Score:
        share = relevance(answered.question, answered.answer)
        reason = f"the answer takes up {share:.0%} of the question's words"
        if share >= self.config.least:
            return Score(share, reason)
        said = await self.decide(
            "Does the answer deal with the question?",
            {"question": answered.question, "answer": answered.answer},
        )
        return Score(None if said is None else float(said), reason)


class ContextRecall(RagOracle):
    """Fails if the retrieved texts lack what the right answer (`reference`) says."""

    name: ClassVar[str] = "context-recall"

    async def score(self, answered: Answered) -> Score:
        if not answered.reference:
            return Score(None, "no right answer is given: set `reference`")
        return await self.supported(answered.reference, answered.contexts or ("",), "reference")


class ContextPrecision(RagOracle):
    """Fails if texts that do not matter are retrieved before those that do.

    The score is the average precision of the ranked texts. A text matters if it supports a
    statement of the right answer (`reference`, else of the answer).
    """

    name: ClassVar[str] = "context-precision"

    async def score(self, answered: Answered) -> Score:
        wanted = answered.reference or answered.answer
        relevant: list[bool] = []
        for context in answered.contexts:
            said = any(support(s, [context]).supported for s in statements(wanted))
            if not said and self._judge is not None:
                said = bool(
                    await self.decide(
                        "Does the context help to give the answer?",
                        {"context": context, "question": answered.question, "answer": wanted},
                    )
                )
            relevant.append(said)
        value = average_precision(relevant)
        return Score(value, f"{sum(relevant)} of {len(relevant)} contexts matter")


def _text(value: object) -> str:
    if isinstance(value, dict):
        item = cast("dict[str, object]", value)
        named = next((item[key] for key in ("text", "content", "passage") if key in item), None)
        return str(named) if named is not None else json.dumps(item, ensure_ascii=False)
    return str(value)
