"""Two workers against one process, on suites whose cases cost processor time, in the same run."""

import os

import pytest
from tests.evaluation.scale.speedup import KINDS, Pair, compare

pytestmark = [pytest.mark.thorough, pytest.mark.slow]

CORES = os.cpu_count() or 1
ATTEMPTS = 2

FASTER = 1.7
"""How many times as many cases two workers play, if all that a case computes is done by Sparring."""

OF_THE_CORES = 0.8
"""How much two workers gain of the cores that one process leaves, if it starts other processes."""

DEARER = 1.25
"""How much more processor time a case may take."""


@pytest.mark.skipif(CORES < 2, reason="two workers need two cores")
@pytest.mark.parametrize("kind", KINDS)
def test_two_workers_play_faster_for_little_more_processor_time(kind: str) -> None:
    pytest.importorskip("distributed")
    pairs: list[str] = []
    for _ in range(ATTEMPTS):
        if (load := os.getloadavg()[0]) > CORES and not pairs:
            pytest.skip(f"other programs use this machine: its load is {load:.1f}")
        pair = compare(kind)
        pairs.append(
            f"{pair.faster:.2f} times as fast (bar {bar(kind, pair):.2f}) at {pair.dearer:.2f} of "
            f"the processor time, start {pair.one.start_s:.1f} s and {pair.two.start_s:.1f} s, "
            f"cores {pair.one.cores:.2f} and {pair.two.cores:.2f}"
        )
        print(kind, pairs[-1])
        if pair.faster >= bar(kind, pair) and pair.dearer <= DEARER:
            return
    raise AssertionError(f"{kind}: {'; '.join(pairs)}")


def bar(kind: str, pair: Pair) -> float:
    """How many times as fast two workers must be."""
    if kind == "computing":
        return FASTER
    return min(FASTER, max(OF_THE_CORES, OF_THE_CORES * pair.most / pair.dearer))
