"""What kills a mutant, and what does not."""

from pathlib import Path

import pytest

from sparring.model.verdict import Outcome, Owner, Verdict
from sparring.testing.conversations import stored_run, trace_of
from sparring_plugins.mutation.session import (
    all_checks,
    find_killers,
    gating,
    is_known,
    named,
    unfinished,
)


def verdict(check: str, outcome: Outcome, **changes: object) -> Verdict:
    owner = Owner.APP if outcome in (Outcome.FAIL, Outcome.ERROR, Outcome.INCONCLUSIVE) else None
    return Verdict.model_validate(
        {"oracle": "rules", "check": check, "outcome": outcome, "owner": owner, **changes}
    )


def test_only_gating_failures_count() -> None:
    found = [
        verdict("a", Outcome.FAIL, case_ids=("one",), reason="first"),
        verdict("a", Outcome.FAIL, case_ids=("two",), count=3, reason="second"),
        verdict("b", Outcome.FAIL, gating=False),
        verdict("c", Outcome.PASS),
        verdict("d", Outcome.INCONCLUSIVE),
        verdict("e", Outcome.ERROR),
    ]
    failing = gating(found, Outcome.FAIL)
    assert list(failing) == [("rules", "a")]
    assert failing["rules", "a"].count == 4
    assert failing["rules", "a"].case_ids == ("one", "two")
    assert failing["rules", "a"].reason == "first"


@pytest.mark.parametrize(
    ("known", "expected"),
    [(["a"], True), (["rules/a"], True), (["other/a"], False), (["b"], False), ([], False)],
)
def test_checks_are_known_with_or_without_their_oracle(known: list[str], expected: bool) -> None:
    assert is_known(("rules", "a"), known) is expected
    assert named(("rules", "a")) == "rules/a"


def test_a_check_that_fails_on_the_original_kills_nothing(tmp_path: Path) -> None:
    trace = trace_of([("hello", "hi")])
    failing = [verdict("a", Outcome.FAIL), verdict("b", Outcome.FAIL)]
    run = stored_run(tmp_path / "run", [trace], concluded=failing)
    original = gating([verdict("a", Outcome.FAIL)], Outcome.FAIL)
    assert [one.check for one in find_killers(run, original)] == ["b"]
    assert unfinished(run) is None
    assert all_checks(run) == ["rules/a", "rules/b"]
