"""Whether the chatbot repeats itself: `repeated_answers` and `not_repeated_answers`."""

from collections.abc import Sequence

from sparring.interfaces.rule_function import rule_function
from sparring.model.talk import Trace
from sparring_plugins.language.similarity import MEASURES, Measure, NoWords, exact
from sparring_plugins.rules.functions.answers import answers


def group_repeats(
    phrases: Sequence[str], measure: Measure, threshold: float
) -> dict[str, list[str]]:
    """Phrases to the later ones like them; each joins the first one it is alike enough to."""
    if measure is exact and 0 < threshold <= 1:
        return _equal(phrases)
    groups: dict[str, list[str]] = {}
    for phrase in phrases:
        for head, later in groups.items():
            if measure(phrase, head) >= threshold:
                later.append(phrase)
                break
        else:
            groups[phrase] = []
    return {head: later for head, later in groups.items() if later}


def _equal(phrases: Sequence[str]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for phrase in phrases:
        if phrase in groups:
            groups[phrase].append(phrase)
        else:
            groups[phrase] = []
    return {head: later for head, later in groups.items() if later}


def repeats_cost(trace: Trace, method: str = "exact", *_: object, **__: object) -> int:
    """The work of comparing all answers with each other, in microseconds."""
    sizes = [len(text) for _, _, text in answers(trace)]
    total, number = sum(sizes), len(sizes)
    match str(method).lower():
        case "exact":
            return 1 + number + (total >> 6)
        case "sequence-matcher":  # it has a limit of its own, at a few seconds
            return 1 + min(total * total // 64, 400_000)
        case _:
            return 1 + (total >> 3) + number * (total >> 4)


@rule_function(conversation=True, cost=repeats_cost)
def repeated_answers(
    trace: Trace, method: str = "exact", threshold: float = 0.4
) -> dict[str, list[str]]:
    """The answers that the chatbot repeats: each first one with the later ones like it.

    `method` is ``exact``, ``tf-idf``, ``jaccard`` or ``sequence-matcher``; two answers are alike
    when their similarity, from 0 to 1, is at least `threshold`. Two texts without any word
    are alike when they are equal. Raises ValueError for another method.
    """
    make = MEASURES.get(method.lower())
    if make is None:
        raise ValueError(f"repeated_answers() knows {', '.join(MEASURES)}, not {method!r}")
    phrases = [text for _, _, text in answers(trace)]
    return group_repeats(phrases, _or_equal(make()), threshold)


@rule_function(conversation=True, cost=repeats_cost)
def not_repeated_answers(trace: Trace, method: str = "exact", threshold: float = 0.4) -> bool:
    """Whether the chatbot never repeats an answer (SENSEI, table 3); see `repeated_answers`."""
    return not repeated_answers.call(trace, method, threshold)


def _or_equal(measure: Measure) -> Measure:
    if measure is exact:
        return measure

    def total(first: str, second: str) -> float:
        try:
            return measure(first, second)
        except (NoWords, ZeroDivisionError):
            return exact(first, second)

    return total
