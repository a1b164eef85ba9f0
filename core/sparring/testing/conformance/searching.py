"""Driving a strategy without an engine, as the conformance kit of strategies needs it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from pydantic import JsonValue

from sparring.interfaces.search_strategy import SearchStrategy
from sparring.model.case import Case
from sparring.model.space import Constraint, Scenario, Space, Variable
from sparring.model.verdict import Outcome, Owner, Verdict

_OWNED = {Outcome.FAIL: Owner.APP, Outcome.ERROR: Owner.JUDGE, Outcome.INCONCLUSIVE: Owner.JUDGE}

Tell = Callable[[Case], Sequence[Verdict]]


@dataclass(slots=True)
class Search:
    """A strategy and how it is driven: as the engine does, one ask of `n` after the other."""

    strategy: SearchStrategy[Any]
    verdicts: Tell
    n: int = 3
    most: int = 120
    cases: list[Case] = field(default_factory=list[Case])

    def steps(self) -> Iterator[Sequence[Case]]:
        """Ask and yield, then tell, until nothing is proposed or `most` cases were."""
        while not self.strategy.done and len(self.cases) < self.most:
            asked = self.strategy.ask(self.n)
            self.cases += asked
            yield asked
            if not asked:
                return
            for case in asked:
                self.strategy.tell(case, self.verdicts(case))

    def play(self) -> list[Case]:
        """All cases, to the end."""
        for _ in self.steps():
            pass
        return self.cases


def scored(case: Case) -> list[Verdict]:
    """Verdicts that look like those of a run: all outcomes, some with scores, some none at all."""
    number = sha256(case.id.encode()).digest()[0]
    outcome = list(Outcome)[number % len(Outcome)]
    verdict = Verdict(
        oracle="kit",
        check="check",
        outcome=outcome,
        case_ids=(case.id,),
        owner=_OWNED.get(outcome),
        score=None if number % 3 == 0 else number / 255,
    )
    return [verdict] * (number % 4)


def _verdict(case: Case, outcome: Outcome, score: float | None = None) -> list[Verdict]:
    return [
        Verdict(oracle="kit", check="c", outcome=outcome, owner=_OWNED.get(outcome), score=score)
    ]


TELLINGS: tuple[Tell, ...] = (
    lambda case: [],
    lambda case: _verdict(case, Outcome.PASS),
    lambda case: _verdict(case, Outcome.ERROR),
    lambda case: _verdict(case, Outcome.SKIPPED, 1.0),
    lambda case: _verdict(case, Outcome.FAIL, 0.0) * 50,
)
"""Ways of telling that a strategy must bear."""


def constrained_space() -> Space:
    """A space of 4 by 3 values, in which the first values, and the last, do not go together."""
    variables = (
        Variable(name="guests", domain=(1, 2, 3, 4), scale="ordinal"),
        Variable(name="nights", domain=(1, 2, 7), scale="ordinal"),
    )
    rules = (
        Constraint(expression="guests != 1 or nights != 1"),
        Constraint(expression="guests != 4 or nights != 7"),
    )
    return Space(scenarios=(Scenario(name="book", variables=variables, constraints=rules),))


def forbidden(case: Case) -> bool:
    """Return whether a case of `constrained_space` breaks one of its constraints."""
    return (case.params.get("guests"), case.params.get("nights")) in {(1, 1), (4, 7)}


def awkward_spaces() -> Iterator[Space]:
    """Spaces with odd domains, selectors, names and numbers."""
    domains: list[tuple[JsonValue, ...]] = [
        ("only one",),
        (),
        (None,),
        (1, "1", 1.5, True, None),
        ("", " ", "é", "\u202e", "<b>"),
        ([1, 2], {"a": [None]}, "plain"),
        ("same", "same", "same"),
    ]
    for domain in domains:
        for scale in ("categorical", "ordinal"):
            variable = Variable(name="ünï cödé", domain=domain, scale=scale)
            yield Space(scenarios=(Scenario(name="odd / name\n", variables=(variable,)),))
    one = Variable(name="x", domain=(1, 2))
    unknown = Variable(name="y", domain=(1, 2), selector="no_such_selector(x)")
    yield Space(scenarios=(Scenario(name="s", variables=(one, unknown)),))
    yield Space(scenarios=(Scenario(name="all", variables=(one,), number="all"),))
    yield Space(scenarios=(Scenario(name="five", variables=(one,), number=5),))
    yield Space(scenarios=(Scenario(name="part", variables=(one,), sample=0.5),))
