"""From the answers of one judge to what is known of it."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from sparring_plugins.judging.calibration import measures
from sparring_plugins.judging.calibration.agreement import in_classes, in_parts, proportion
from sparring_plugins.judging.calibration.judge_calls import Answer, Asked
from sparring_plugins.judging.calibration.judges import Judge
from sparring_plugins.judging.calibration.measures import short
from sparring_plugins.judging.calibration.results import (
    Estimate,
    ExampleResult,
    JudgeResult,
    PerAnswer,
    PositionBias,
)

_REASON = 600


def measured(
    judge: Judge, asked_examples: Sequence[Asked], *, repeats: int, positive: str | None, seed: int
) -> JudgeResult:
    """Everything about one judge, except what it asks."""
    answers = [answer for example in asked_examples for answer in example.given]
    outcomes = Counter(answer.outcome for answer in answers)
    result = JudgeResult(
        name=judge.label,
        kind=judge.kind,
        use=judge.use.target,
        role=judge.use.role,
        target=judge.target,
        repeats=repeats,
        examples=sum(bool(example.given) for example in asked_examples),
        answers=len(answers),
        decided=outcomes["answered"],
        undecided=outcomes["undecided"],
        invalid=outcomes["invalid"],
        errors=outcomes["error"],
        per_answer=_per_answer(
            [*answers, *(a for example in asked_examples for a in example.reverse)]
        ),
        position=_position(judge, asked_examples),
        results=tuple(
            _result(example) for example in asked_examples if example.given or example.reverse
        ),
    )
    figures = {**_accuracy(asked_examples), **_constancy(asked_examples)}
    if judge.is_open:
        return result.model_copy(update={**figures, **in_parts(asked_examples, seed)})
    possible = judge.possible([example.item for example in asked_examples])
    figures |= in_classes(asked_examples, possible, positive, seed)
    return result.model_copy(update=figures)


def _accuracy(asked_examples: Sequence[Asked]) -> dict[str, Any]:
    """Accuracy, its spread and its sigma level.

    Repeats of one example are not independent: for the interval, each example counts once.
    """
    judged = [example for example in asked_examples if example.judged]
    right = sum(answer.right is True for asked in judged for answer in asked.judged)
    total = sum(len(asked.judged) for asked in judged)
    accuracy = proportion(right, total, len(judged))
    p = accuracy.value
    if p is None:
        return {"accuracy": accuracy}
    level = Estimate(
        value=measures.sigma_level(p),
        low=None if accuracy.low is None else measures.sigma_level(accuracy.low),
        high=None if accuracy.high is None else measures.sigma_level(accuracy.high),
    )
    spread = {"sigma": measures.sigma(p), "weight": measures.weight(p)}
    return {"accuracy": accuracy, "level": level, **spread}


def _constancy(asked_examples: Sequence[Asked]) -> dict[str, Any]:
    """How alike the answers to one question are, over the questions that were asked repeatedly."""
    answers_by_example = [
        [_read_answer(answer) for answer in example.given if answer.outcome != "error"]
        for example in asked_examples
    ]
    repeated = [each for each in answers_by_example if len(each) > 1]
    return {
        "self_agreement": measures.mean(measures.majority_share(each) for each in repeated),
        "always_alike": measures.ratio(
            sum(len(set(each)) == 1 for each in repeated), len(repeated)
        ),
    }


def _read_answer(answer: Answer) -> tuple[str, str | None]:
    return answer.outcome, answer.label


def _position(judge: Judge, asked_examples: Sequence[Asked]) -> PositionBias | None:
    """How the answers change in the reverse order, if both orders were decided."""
    both = [
        (example, example.decided[0], other)
        for example in asked_examples
        for other in example.reverse[:1]
        if example.decided and other.outcome == "answered"
    ]
    if not both:
        return None
    changed = sum(forward.label != other.label for _, forward, other in both)
    first = last = 0
    for asked, forward, other in both:
        begin, end = judge.ends(asked.item)
        first += (forward.label == begin) + (other.label == end)
        last += (forward.label == end) + (other.label == begin)
    return PositionBias(
        examples=len(both),
        changed=proportion(changed, len(both), len(both)),
        noise=measures.mean(
            _noise(example) for example in asked_examples if len(example.decided) > 1
        ),
        first=measures.ratio(first, first + last),
    )


def _noise(asked: Asked) -> float:
    """The share of pairs of answers in one order that differ."""
    counts = Counter(answer.label for answer in asked.decided)
    n = len(asked.decided)
    return 1 - sum(count * (count - 1) for count in counts.values()) / (n * (n - 1))


def _per_answer(answers: Sequence[Answer]) -> PerAnswer:
    """What an answer takes; those that ended in an error are left out."""
    answers = [answer for answer in answers if answer.outcome != "error"]
    n = len(answers)
    if not n:
        return PerAnswer(cost_usd=None)
    seconds = [answer.seconds for answer in answers]
    costs = [answer.cost_usd for answer in answers if answer.cost_usd is not None]
    return PerAnswer(
        model_calls=sum(answer.calls for answer in answers) / n,
        input_tokens=sum(answer.input_tokens for answer in answers) / n,
        output_tokens=sum(answer.output_tokens for answer in answers) / n,
        cost_usd=sum(costs) / n if len(costs) == n else None,
        latency_mean_s=measures.mean(seconds),
        latency_p95_s=measures.percentile(seconds, 0.95),
    )


def _result(asked: Asked) -> ExampleResult:
    outcomes = Counter(answer.outcome for answer in asked.given)
    right = sum(answer.right is True for answer in asked.judged)
    labels = Counter(answer.label or "" for answer in asked.decided)
    return ExampleResult(
        id=asked.item.id,
        shown=asked.item.shown,
        expected=asked.expected,
        answers=dict(sorted(labels.items(), key=lambda pair: (-pair[1], pair[0]))),
        right=right,
        wrong=len(asked.judged) - right,
        undecided=outcomes["undecided"],
        invalid=outcomes["invalid"],
        errors=outcomes["error"],
        reason=_reason(asked),
    )


def _reason(asked: Asked) -> str:
    """Why a wrong answer was given; else why there was none, or one at all."""
    wrong = [answer for answer in asked.judged if not answer.right]
    none = [answer for answer in asked.given if answer.outcome != "answered"]
    said = [answer.reason for answer in [*wrong, *none, *asked.given] if answer.reason]
    return short(said[0], _REASON) if said else ""
