"""Two workers against one process, on suites whose cases cost processor time, in the same run."""

import os

import pytest
from tests.evaluation.scale.speedup import KINDS, WANTED, Pair, compare

pytestmark = [pytest.mark.thorough, pytest.mark.slow]

CORES = os.cpu_count() or 1
ATTEMPTS = 2

OF_THE_CORES = 0.8
"""How much two workers gain of what the cores leave (`Pair.ceiling`), where that is below 1.7:
browsers and skills are processes of their own, so that one process of Sparring uses 1.5 to 1.75 of
two cores already."""

DEARER = 1.25
"""How much more processor time a case may take."""


@pytest.mark.skipif(CORES < 2, reason="two workers need two cores")
@pytest.mark.parametrize(
    ("kind", "cores"),
    [*((kind, "") for kind in KINDS), ("skills", "one core"), ("pages", "one core")],
)
def test_two_workers_play_faster_for_little_more_processor_time(kind: str, cores: str) -> None:
    pytest.importorskip("distributed")
    pairs: list[str] = []
    for _ in range(ATTEMPTS):
        if (load := os.getloadavg()[0]) > CORES and not pairs:
            pytest.skip(f"other programs use this machine: its load is {load:.1f}")
        pair = compare(kind, cores)
        pairs.append(
            f"{pair.faster:.2f} times as fast (bar {bar(pair):.2f}; {pair.verdict(WANTED)}) at "
            f"{pair.dearer:.2f} of the processor time, start {pair.one.start_s:.1f} s and {pair.two.start_s:.1f} s, "
            f"cores {pair.one.cores:.2f} and {pair.two.cores:.2f}"
        )
        print(kind, pairs[-1])
        if pair.faster >= bar(pair) and pair.dearer <= DEARER:
            return
    raise AssertionError(f"{kind}: {'; '.join(pairs)}")


def bar(pair: Pair) -> float:
    """How many times as fast two workers must be: 1.7, unless the cores leave less."""
    return WANTED if pair.ceiling >= WANTED else OF_THE_CORES * pair.ceiling
