"""Looking several times: all looks together are wrong as rarely as one may be."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparring.suite.model import Gate, Repeats
from sparring_plugins.gating.gate_result import Rules
from sparring_plugins.gating.sequential import levels_after, next_look
from sparring_plugins.gating.statistics import spent_by


def looks(most: int) -> list[int]:
    numbers = [next_look(0, most)]
    while numbers[-1] < most:
        numbers.append(next_look(numbers[-1], most))
    return numbers


def rules(most: int, rate: float, confidence: float) -> Rules:
    return Rules.of(Gate(min_rate=rate, confidence=confidence), Repeats(until=0.05, most=most))


@given(st.integers(2, 10), st.floats(0.05, 0.95), st.sampled_from([0.5, 0.8, 0.95]))
@settings(max_examples=25, deadline=None)
def test_any_look_is_wrong_with_the_stated_probability_at_most(
    most: int, rate: float, confidence: float
) -> None:
    """Over every sequence of plays, weighted by its probability."""
    gate = rules(most, rate, confidence)
    wrong = dict.fromkeys(("fail", "pass"), 0.0)
    for plays in product((0, 1), repeat=most):
        probability = rate ** sum(plays) * (1 - rate) ** (most - sum(plays))
        said = {gate.settles(sum(plays[:look]), look) for look in looks(most)}
        for name in wrong:
            wrong[name] += probability * (name in said)
    assert max(wrong.values()) <= 1 - confidence + 1e-9


def test_the_last_look_spends_what_is_left() -> None:
    looks_taken = looks(200)
    levels = [levels_after(look, 200, 0.9, 0.05) for look in looks_taken]
    assert all(0.01 < level < 0.05 for level in levels[-1])
    shares = spent_by(163 / 200, 0.05), 0.05
    assert levels[-1][0] > shares[1] - shares[0]  # more than what the last look alone adds
    assert levels_after(199, 200, 0.9, 0.05) == levels[-2]


def test_nothing_is_known_before_the_first_look() -> None:
    assert levels_after(4, 200, 0.9, 0.05) == (0.0, 0.0)
    assert rules(200, 0.9, 0.95).settles(0, 4) is None


@pytest.mark.parametrize(("rate", "passed", "settled"), [(1.0, 5, None), (1.0, 4, "fail")])
def test_a_check_that_must_always_pass_fails_once(
    rate: float, passed: int, settled: str | None
) -> None:
    assert rules(200, rate, 0.95).settles(passed, 5) == settled


def test_thousands_of_plays_take_no_time() -> None:
    levels = levels_after(10_000, 10_000, 0.9, 0.05)
    assert all(0 < level < 0.05 for level in levels)
