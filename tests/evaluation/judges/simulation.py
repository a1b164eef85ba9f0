"""How often corrected failure rates hold the true one: 200 labelled answers, two judges, 1,000 draws.

The answers are those of the assistants of ``examples/study`` (smart home, recipes) to 100 random
requests each; whether one is right was known from the app's state, which no judge sees. Each draw
labels a hundred of them at random, counts a judge's errors there, and corrects its rate on the other
hundred. Run as ``python -m tests.evaluation.judges.simulation``.
"""

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

from sparring_plugins.judging.corrected_rates import (
    JudgeErrors,
    Rate,
    prediction_powered,
    rogan_gladen,
)
from sparring_plugins.search.fitness.value_matching import fold, names_one_of

ITEMS = Path(__file__).with_name("items.jsonl")
LABELLED = 100


@dataclass(frozen=True)
class Item:
    """An answer to a request, with the words for each thing that was wanted, and the truth."""

    request: str
    answer: str
    wanted: dict[str, list[str]]
    wrong: bool


@cache
def items() -> tuple[Item, ...]:
    """Return the labelled answers."""
    return tuple(Item(**json.loads(line)) for line in ITEMS.read_text("utf-8").splitlines())


def misses_words(item: Item) -> bool:
    """Judge an answer wrong if it names not all that was wanted."""
    answer = fold(item.answer)
    return not all(names_one_of(answer, words) for words in item.wanted.values() if words)


def sounds_odd(item: Item) -> bool:
    """Judge an answer wrong if it is short of words, or asks or regrets instead of answering."""
    answer = fold(item.answer)
    named = sum(names_one_of(answer, words) for words in item.wanted.values())
    regrets = any(word in answer for word in ("sorry", "could not", "cannot", "did not", "which"))
    return regrets or named * 2 <= len(item.wanted)


JUDGES: dict[str, Callable[[Item], bool]] = {"words": misses_words, "odd": sounds_odd}


@dataclass(frozen=True)
class Coverage:
    """Of the draws, the share whose interval has the true rate, and the mean errors and width."""

    draws: int
    held: float
    raw_error: float
    corrected_error: float
    width: float


def simulate(judge: str, method: str, draws: int = 1_000, seed: int = 1) -> Coverage:
    """Correct the rate of a judge in many draws; `method` is ``rogan-gladen`` or ``ppi``.

    What is estimated is the share of wrong answers among all 200, of which a draw is a sample with
    replacement.
    """
    known = [(JUDGES[judge](item), item.wrong) for item in items()]
    truth = sum(wrong for _, wrong in known) / len(known)
    random, held, raw, corrected, width, made = Random(seed), 0, 0.0, 0.0, 0.0, 0
    for _ in range(draws):
        sample = random.choices(known, k=len(known))
        rate = _corrected(sample[:LABELLED], [failed for failed, _ in sample[LABELLED:]], method)
        if rate is None:
            continue
        made += 1
        held += rate.low <= truth <= rate.high
        raw += abs(sum(failed for failed, _ in sample[LABELLED:]) / LABELLED - truth)
        corrected += abs(rate.value - truth)
        width += rate.high - rate.low
    return Coverage(made, held / made, raw / made, corrected / made, width / made)


def _corrected(labelled: list[tuple[bool, bool]], judged: list[bool], method: str) -> Rate | None:
    if method == "ppi":
        return prediction_powered(judged, labelled)
    counts = {pair: labelled.count(pair) for pair in set(labelled)}
    errors = JudgeErrors(
        caught=counts.get((True, True), 0),
        missed=counts.get((False, True), 0),
        cleared=counts.get((False, False), 0),
        blamed=counts.get((True, False), 0),
    )
    return rogan_gladen(sum(judged), len(judged), errors)


def table() -> str:
    """Return the table of the documentation."""
    lines = [
        "| judge | method | draws | interval holds | error of its rate | corrected | width |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for judge in JUDGES:
        for method in ("rogan-gladen", "ppi"):
            result = simulate(judge, method)
            lines.append(
                f"| {judge} | {method} | {result.draws:,} | {result.held:.1%} | "
                f"{result.raw_error:.3f} | {result.corrected_error:.3f} | {result.width:.2f} |"
            )
    return "\n".join(lines)


if __name__ == "__main__":
    sys.stdout.write(table() + "\n")
