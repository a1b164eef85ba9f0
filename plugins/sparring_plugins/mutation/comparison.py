"""What a suite's run says of a mutant, measured by its run on the original."""

from collections.abc import Collection, Iterable, Iterator, Mapping

from sparring.model.run import Stop
from sparring.model.verdict import Outcome, Verdict
from sparring.store import StoredRun
from sparring_plugins.mutation.model import Killer, Vacuous

_MOST_CASES = 20
_LONGEST = 300

Key = tuple[str, str]
"""A check: the label of its oracle, and its name."""


def named(key: Key) -> str:
    """A check as people write it: ``rules/price_is_right``."""
    return "/".join(key)


def verdicts(run: StoredRun) -> Iterator[Verdict]:
    """The verdicts of a run: those over all conversations only where all were played."""
    for judged in run.judged():
        yield from judged.verdicts
    if unfinished(run) is None:
        yield from run.concluded


def failed_cases(run: StoredRun) -> int:
    """How many cases of a run have a gating check that fails."""
    return sum(bool(gating(judged.verdicts, Outcome.FAIL)) for judged in run.judged())


def unfinished(run: StoredRun) -> str | None:
    """Why a run says nothing of an app: it was not played to its end. None where it does."""
    summary = run.summary
    if summary is None:
        return "the suite's run did not come to its end"
    if summary.stopped is not Stop.COMPLETE:
        return f"the suite's run stopped before its end: {summary.reason}"
    return None if run.case_ids else "the suite played no case"


def gating(
    found: Iterable[Verdict], outcome: Outcome, ignored: Collection[str] = ()
) -> dict[Key, Killer]:
    """The gating checks that have an outcome somewhere, each with how often and where."""
    checks: dict[Key, Killer] = {}
    for verdict in found:
        if not verdict.gating or verdict.outcome is not outcome:
            continue
        key = (verdict.oracle, verdict.check)
        if is_known(key, ignored):
            continue
        one = checks.get(key) or Killer(
            oracle=verdict.oracle, check=verdict.check, count=0, reason=verdict.reason[:_LONGEST]
        )
        cases = tuple(dict.fromkeys((*one.case_ids, *verdict.case_ids)))[:_MOST_CASES]
        checks[key] = one.model_copy(update={"count": one.count + verdict.count, "case_ids": cases})
    return checks


def all_checks(run: StoredRun) -> list[str]:
    """The gating checks of a run that said anything of the app, sorted."""
    return sorted(
        {named((verdict.oracle, verdict.check)) for verdict in verdicts(run) if verdict.gating}
    )


def is_known(key: Key, known: Iterable[str]) -> bool:
    """Whether a check is among known ones, named with or without its oracle."""
    return bool({named(key), key[1]} & set(known))


def killers(
    run: StoredRun,
    original: Mapping[Key, Killer],
    ignored: Collection[str] = (),
    outcome: Outcome = Outcome.FAIL,
) -> list[Killer]:
    """The checks that fail on a mutant (or have another outcome), and not on the original."""
    failing = gating(verdicts(run), outcome, ignored)
    return [one for key, one in sorted(failing.items()) if key not in original]


def vacuous(found: Iterable[Verdict]) -> list[Vacuous]:
    """The passing checks of which their oracle told that they say little (`details.vacuous`)."""
    known: dict[tuple[str, str], Vacuous] = {}
    for verdict in found:
        why = verdict.details.get("vacuous")
        if not why or verdict.outcome is not Outcome.PASS:
            continue
        key = (named((verdict.oracle, verdict.check)), str(why))
        before = known[key].case_ids if key in known else ()
        cases = tuple(dict.fromkeys((*before, *verdict.case_ids)))[:_MOST_CASES]
        known[key] = Vacuous(check=key[0], case_ids=cases, why=key[1])
    return list(known.values())


def errors(
    run: StoredRun, original: Mapping[Key, Killer], ignored: Collection[str] = ()
) -> list[Killer]:
    """The checks that could not be made on a mutant, and could on the original."""
    broken = gating(verdicts(run), Outcome.ERROR, ignored)
    return [one for key, one in sorted(broken.items()) if key not in original]
