"""Answers from retrieved texts: measures against labelled pairs, and the four oracles."""

from pathlib import Path
from typing import Any, ClassVar

import pytest
import yaml

from sparring.errors import ConfigurationError
from sparring.interfaces.agent import Agent
from sparring.interfaces.oracle import Oracle
from sparring.interfaces.plugin import PluginConfig
from sparring.interfaces.roles import Judgement, JudgeTask
from sparring.model.talk import Observation
from sparring.model.verdict import Outcome, Owner, Verdict
from sparring.testing.conversations import trace_of
from sparring.testing.fakes import FakeContext
from sparring_plugins.judging.rag_oracles import (
    AnswerRelevance,
    ContextPrecision,
    ContextRecall,
    Faithfulness,
    average_precision,
    relevance,
    support,
)

pytestmark = pytest.mark.anyio

PAIRS = yaml.safe_load(Path(__file__).with_name("pairs.yaml").read_text())


class Yes(Agent[JudgeTask, Judgement, PluginConfig]):
    Config: ClassVar[type[PluginConfig]] = PluginConfig
    role: ClassVar[str] = "judge"

    async def act(self, task: JudgeTask) -> Judgement:
        return Judgement(answer="yes", reason="so it is")


async def judged(
    kind: type[Oracle[Any]], question: str, contexts: list[Any], answer: str, **settings: Any
) -> Verdict:
    seen = Observation(text=answer, payload={"contexts": contexts})
    oracle = FakeContext(parts={"yes": Yes}).build(kind, **settings)
    (verdict,) = await oracle.judge(trace_of([(question, seen)], answer="The shop opens at 9 am."))
    return verdict


async def test_faithfulness_of_the_labelled_pairs_is_never_wrong_and_half_of_it_decided() -> None:
    outcomes = [
        ((await judged(Faithfulness, question, contexts, answer)).outcome, right)
        for question, contexts, answer, right in PAIRS["faithful"]
    ]
    wrong = [pair for pair in outcomes if pair in ((Outcome.PASS, False), (Outcome.FAIL, True))]
    decided = [pair for pair in outcomes if pair[0] is not Outcome.INCONCLUSIVE]
    assert not wrong
    assert len(decided) >= 0.5 * len(outcomes)


def test_relevance_of_the_labelled_pairs_tells_them_apart() -> None:
    shares = [(relevance(q, a), right) for q, _, a, right in PAIRS["relevant"]]
    assert min(share for share, right in shares if right) >= 0.8
    assert max(share for share, right in shares if not right) < 0.3


@pytest.mark.parametrize(
    ("statement", "supported"),
    [
        ("The shop opens at 9 am.", True),
        ("The shop opens at 10 am.", False),
        ("The shop does not open at 9 am.", False),
        ("On weekdays the shop of Marta opens at 9 am.", False),
        ("Marta owns a shop.", None),
        ("Twice 9 is 18.", None),
        ("1. The shop opens at 9 am.", True),
        ("The store might unlock its doors early.", None),
    ],
)
def test_support_by_words_numbers_names_and_negation(
    statement: str, supported: bool | None
) -> None:
    assert support(statement, ["The shop opens at 9 am on weekdays."]).supported is supported


@pytest.mark.parametrize(
    ("relevant", "value"),
    [([True, False], 1), ([False, True], 0.5), ([True, False, True], 5 / 6), ([False], None)],
)
def test_average_precision_by_hand(relevant: list[bool], value: float | None) -> None:
    assert average_precision(relevant) == (None if value is None else pytest.approx(value))


async def test_what_words_do_not_decide_is_the_judges_or_nobodys() -> None:
    asked = ("When do you open?", ["The shop opens at 9 am."], "Our doors unlock early.")
    open_ = await judged(Faithfulness, *asked)
    assert (open_.outcome, open_.owner) == (Outcome.INCONCLUSIVE, Owner.JUDGE)
    assert (await judged(Faithfulness, *asked, judge={"use": "yes"})).outcome is Outcome.PASS


async def test_an_irrelevant_answer_is_no_failure_by_words_alone() -> None:
    verdict = await judged(AnswerRelevance, "When do you open?", [], "Lentils and carrots.")
    assert verdict.outcome is Outcome.INCONCLUSIVE


async def test_contexts_are_judged_by_the_reference() -> None:
    right, other = {"text": "The shop opens at 9 am."}, "Soup has lentils."
    asked: dict[str, Any] = {"question": "When?", "answer": "At 9.", "reference": "{answer}"}
    first = await judged(ContextPrecision, contexts=[right, other], **_only(asked))
    last = await judged(ContextPrecision, contexts=[other, right], **_only(asked))
    assert (first.score, last.score, last.outcome) == (1, 0.5, Outcome.FAIL)
    recalled = await judged(ContextRecall, contexts=[other, right], **_only(asked))
    assert recalled.outcome is Outcome.PASS
    lacking = await judged(ContextRecall, contexts=["The shop opens at 8 am."], **_only(asked))
    assert (lacking.outcome, lacking.owner) == (Outcome.FAIL, Owner.APP)


def _only(settings: dict[str, Any]) -> dict[str, Any]:
    return dict(settings)


async def test_answers_without_contexts_or_reference_are_inconclusive() -> None:
    asked = ("When do you open?", [], "At nine.")
    for kind in (Faithfulness, ContextPrecision, ContextRecall):
        assert (await judged(kind, *asked)).outcome is Outcome.INCONCLUSIVE


def test_a_wrong_path_is_named() -> None:
    with pytest.raises(ConfigurationError, match=r"is no JSONPath, such as \$\.contexts"):
        FakeContext().build(Faithfulness, contexts="$.[")
