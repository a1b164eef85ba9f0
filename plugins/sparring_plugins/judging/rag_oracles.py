"""The oracles of answers from retrieved texts: faithful, relevant, and from the right contexts.

Each decides by words, numbers and names if these are clear, else by a part of the role judge if the
suite names one, else not at all.
"""

import json
import re
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
from sparring_plugins.language.text import sentences
from sparring_plugins.language.vocabulary import concepts, languages_of

# --- Measures by content words, numbers and names, without a model


# A word with a capital is a name unless it begins a sentence: "The tower" is none, "Mount Ida" is.
# After a colon a sentence may begin, too.
_NAME = re.compile(r"(?<![.!?:]\s)(?<!^)\b[A-ZÄÖÜ][\w'’-]+")
# "Dogs are allowed" and "Dogs are not allowed" share all content words, and contradict each other.
_NEGATED = re.compile(
    r"\b(?:not|no|never|none|nothing|without|cannot|nobody|neither|nor)\b|n['’]t\b", re.IGNORECASE
)
# "Maria Lopez called": a capital at the beginning of a sentence is no sign of a name, unless
# another follows.
_LEADING = re.compile(r"([A-ZÄÖÜ][\w'’-]+) ([A-ZÄÖÜ][\w'’-]+)")
_TOKEN = re.compile(r"[\w'’-]+")
# "12.50", "9:30" and "1,200" are one number each.
_FIGURE = re.compile(r"\d+(?:[.,:]\d+)*")
_BULLET = re.compile(r"^\s*\d+[.)]\s")
"""What counts the lines of a list, and is no number of a statement."""
# "640 km" is another fact than "640 metres": a number counts with the word behind it.
_MEASURED = re.compile(r"(\d+(?:[.,]\d+)*)\s*([^\W\d_]+)")
# Written with a capital at the beginning of a quotation or of a list, and yet no names: "You may
# pay".
_FIRST = frozenset({"i", "we", "you", "yes", "no", "the", "a", "an", "our", "your"})


@dataclass(frozen=True, slots=True)
class Support:
    """Whether a statement is in some texts: `True`, `False`, or `None` if that is not clear.

    `reason` says what is missing.
    """

    supported: bool | None
    share: float
    reason: str = ""


def statements(text: str) -> list[str]:
    """Return the sentences of a text that state something."""
    return [sentence for sentence in sentences(text) if concepts(sentence)]


def support(statement: str, contexts: Sequence[str], enough: float = 1.0) -> Support:
    """Return whether one statement is in the contexts.

    The sentence of a context that shares most content words with it decides. A statement that has
    all of them, numbers with their units and negation included, is supported. One that differs from
    it in nothing but a number or a name that no context has, or in that one of them is negated, is
    contradicted. All else is not clear: contexts may say it in other words, or imply it.
    """
    if not contexts:
        return Support(None, 0.0, "there is no context")
    statement = _BULLET.sub("", statement)
    known = " \n".join(contexts)
    odd = sorted(_figures(statement) - _figures(known)) + sorted(_unknown_names(statement, known))
    own = concepts(statement)
    rest = own - concepts(" ".join(odd)) if odd else own
    share, nearest = _nearest(rest, contexts)
    if odd:
        is_other = bool(rest) and share >= enough
        return Support(False if is_other else None, 0.0, f"no context has {', '.join(odd)}")
    if share < enough:
        return Support(None, share, f"no sentence of a context has {1 - share:.0%} of its words")
    # "640 km" is not in "12 km long and climbs 640 metres", though all of its words are
    if missing := sorted(_measured(statement) - _measured(nearest)):
        return Support(None, share, f"the nearest sentence has not {', '.join(missing)}")
    if bool(_NEGATED.search(statement)) != bool(_NEGATED.search(nearest)):
        return Support(False, share, f"it is negated, unlike “{nearest.strip()}”, or the reverse")
    return Support(True, share)


def _nearest(own: frozenset[str], contexts: Sequence[str]) -> tuple[float, str]:
    """Return the sentence of the contexts that has most of some content words, and their share."""
    best, nearest = 0.0, ""
    for sentence in (piece for context in contexts for piece in sentences(context) or (context,)):
        share = len(own & concepts(sentence)) / len(own) if own else 0.0
        if share > best:
            best, nearest = share, sentence
    return best, nearest


def relevance(question: str, answer: str) -> float:
    """Return the share of the question's content words that the answer takes up."""
    asked = concepts(question)
    return len(asked & concepts(answer)) / len(asked) if asked else 1.0


def average_precision(relevant: Sequence[bool]) -> float | None:
    """Return how far up the relevant ones of ranked contexts are; None if there are none.

    The mean, over the relevant ones, of the share of relevant ones up to each.
    """
    hits, total = 0, 0.0
    for place, is_relevant in enumerate(relevant, 1):
        hits += is_relevant
        total += hits / place if is_relevant else 0.0
    return total / hits if hits else None


def _figures(text: str) -> set[str]:
    """Return the numbers in figures."""
    return set(_FIGURE.findall(text))


def _measured(text: str) -> set[str]:
    """Return the numbers in figures with the word after each."""
    return {f"{number} {unit.casefold()}" for number, unit in _MEASURED.findall(text)}


def _unknown_names(text: str, known: str) -> set[str]:
    """Return the names of a text that are not in another one; none in German.

    There, every noun is written like a name, and another noun may say the same.
    """
    if "German" in languages_of(f"{text} {known}"):
        return set()
    words = {word.casefold() for word in _TOKEN.findall(known)}
    unknown = {name for name in _NAME.findall(text) if name.casefold() not in words | _FIRST}
    # of "Otto Brand founded it" the first word is part of the name
    first = _LEADING.match(text)
    if first and first[2] in unknown and first[1].casefold() not in words | _FIRST:
        unknown.add(first[1])
    return unknown


# --- The oracles


# A score may list each unsupported sentence of a long answer.
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
