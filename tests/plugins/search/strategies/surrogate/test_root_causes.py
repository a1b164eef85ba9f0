"""Root causes: found as smallest conditions, isolated by further cases, and counted."""

from itertools import combinations
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.model.space import Scenario, Variable
from sparring.space import CaseSpace
from sparring.testing.fakes import FakeContext
from sparring_plugins.search.space.encoding import Indices
from sparring_plugins.search.strategies.scenario_search import Evaluation
from sparring_plugins.search.strategies.surrogate.facts import PlayedFacts, facts_of, values_of
from sparring_plugins.search.strategies.surrogate.hypotheses import Hypotheses, hypotheses_of
from sparring_plugins.search.strategies.surrogate.root_causes import (
    CauseModel,
    RootCause,
    chao_missing,
    unseen_mass,
)
from sparring_plugins.search.strategies.surrogate.search import SurrogateSearch, SurrogateSettings

SIZES = (4, 6, 5, 7, 6, 3)
ROOTS = {
    "single": {3: 2},
    "pair": {0: 1, 1: 4},
    "triple": {1: 0, 2: 3, 4: 5},
}


def parts_of(row: Indices) -> tuple[str, ...]:
    return tuple(
        name for name, root in ROOTS.items() if all(row[at] == value for at, value in root.items())
    )


def search(**settings: Any) -> SurrogateSearch:
    variables = tuple(
        Variable(name=f"v{at}", domain=tuple(range(size))) for at, size in enumerate(SIZES)
    )
    cases = CaseSpace(Scenario(name="s", variables=variables), FakeContext())
    manner = SurrogateSettings(
        **{
            "batch": 20, "first": 40, "candidates": 200, "read": 0, "explore": 0.0,
            "rarity": 0.0, "spread": 0.0, "kinds": 0.0, "causes": True, **settings,
        }
    )  # fmt: skip
    return SurrogateSearch(cases, 1, manner)


def play(searching: SurrogateSearch, batches: int) -> list[tuple[Indices, tuple[str, ...]]]:
    played: list[tuple[Indices, tuple[str, ...]]] = []
    for _ in range(batches):
        rows = searching.propose(searching.batch)
        told = [(row, parts_of(row)) for row in rows]
        searching.learn(
            [(row, Evaluation((float(not kind),), bool(kind), kind)) for row, kind in told]
        )
        played += told
        if searching.exhausted:
            break
    return played


def test_planted_roots_are_confirmed_as_they_are_and_shown_with_all_values() -> None:
    searching = search()
    played = play(searching, 20)
    assert searching.guide is not None
    found = {tuple(sorted(c.parts)): values_of(c.condition) for c in searching.guide.model.causes}
    assert found == {(name,): root for name, root in ROOTS.items()}
    failed = [row for row, kind in played if kind]
    assert {(at, row[at]) for row in failed for at in range(len(SIZES))} == {
        (at, value) for at, size in enumerate(SIZES) for value in range(size)
    }
    # none of them is all that is played
    assert max(sum(name in kind for _, kind in played) for name in ROOTS) < 0.7 * len(played)


def test_the_limit_ends_what_is_spent_on_known_root_causes() -> None:
    few = sum(bool(kind) for _, kind in play(search(limit=1), 12))
    many = sum(bool(kind) for _, kind in play(search(limit=1_000), 12))
    assert few < many


def test_it_ends_once_no_new_root_cause_appears() -> None:
    searching = search(stop_after=100)
    played = play(searching, 100)
    assert searching.exhausted
    assert {name for _, kind in played for name in kind} >= {"single", "pair"}
    assert len(played) < 800


def test_words_are_conditions_like_values() -> None:
    played = PlayedFacts()
    draw = Random(1)
    for _ in range(300):
        row = tuple(draw.randrange(size) for size in SIZES)
        text = " ".join(draw.sample(["now", "tea", "please", "hurry", "milk", "sugar"], 3))
        played.add(facts_of(row, text), ("lost",) if "hurry" in text and row[0] == 1 else ())
    case = next(at for at, parts in enumerate(played.parts) if parts)
    found = hypotheses_of(played, case, "lost")
    assert found is not None
    assert found.best == {"0=1", '"hurry'}
    assert found.chance(facts_of((1, 0, 0, 0, 0, 0), "hurry tea")) > 0.9
    assert found.chance(facts_of((1, 0, 0, 0, 0, 0), "tea")) < 0.1


def test_a_word_that_many_requests_say_is_part_of_a_root_cause() -> None:
    """A third of the requests say "aside", beside many words that hardly any other one says."""
    model, draw = CauseModel(effort=100), Random(7)
    for number in range(200):
        row = tuple(draw.randrange(size) for size in SIZES)
        said = [f"w{draw.randrange(200)}" for _ in range(15)]
        aside = number % 3 == 0
        text = " ".join([*said, "aside" if aside else "lend"])
        model.played.add(facts_of(row, text), ["refused"] if aside and row[5] == 1 else [])
    model.update()
    assert [cause.condition for cause in model.causes] == [{"5=1", '"aside'}]


@pytest.mark.parametrize("chance", [0.6, 0.8])
def test_an_app_that_fails_by_chance_has_one_root_cause_for_it(chance: float) -> None:
    model, draw = CauseModel(effort=100), Random(8)
    for _ in range(600):
        row = tuple(draw.randrange(size) for size in SIZES)
        moody = row[5] == 1 and row[0] == 2 and draw.random() < chance
        model.played.add(facts_of(row), [*["late"] * moody, *["lost"] * (row[3] == 4)])
    model.update()
    assert {(tuple(sorted(c.condition)), c.mostly) for c in model.causes} == {
        (("0=2", "5=1"), True),
        (("3=4",), False),
    }


def test_what_another_cause_explains_is_no_evidence_for_a_new_one() -> None:
    """All that fail with 5=1 so far have the known cause too: it would explain them as well."""
    model, draw = CauseModel(effort=100), Random(9)
    for _ in range(60):
        row = tuple(draw.randrange(size) for size in SIZES)
        model.played.add(facts_of(row), ["lost"] if row[5] == 2 else [])
    for at in range(6):
        model.played.add(facts_of((1, at, 0, 0, 0, 2)), ["lost"])
    model.played.add(facts_of((1, 0, 0, 0, 0, 0)), ["lost"])
    model.update()
    assert [cause.condition for cause in model.causes] == [{"5=2"}]
    assert model.open == [(66, "lost")]


def test_the_first_cases_have_more_pairs_of_values_than_random_ones() -> None:
    searching = search()
    first = searching.propose(searching.batch)
    draw = Random(11)
    drawn = [tuple(draw.randrange(size) for size in SIZES) for _ in range(1_000 * len(first))]
    mean = sum(len(_pairs(drawn[at::1_000])) for at in range(1_000)) / 1_000
    assert len(first) == 20
    assert len(_pairs(first)) > 1.05 * mean


def _pairs(rows: list[Indices]) -> set[tuple[tuple[int, int], ...]]:
    return {pair for row in rows for pair in combinations(enumerate(row), 2)}


def test_what_a_failure_may_be_due_to_is_tried_with_all_else_at_random() -> None:
    searching = search()
    guide = searching.guide
    assert guide is not None
    failing = (1, 1, 1, 1, 1, 1)
    for row in [failing, (1, 1, 0, 0, 0, 0), (0, 0, 0, 0, 0, 0), (2, 2, 2, 2, 2, 2)]:
        guide.learn(row, "", ["lost"] if row[:2] == (1, 1) else [])
    guide.model.update()
    rows = [failing, (1, 1, 0, 0, 0, 0), (0, 0, 0, 0, 0, 0), (2, 2, 2, 2, 2, 2)]
    drafts = guide.drafts(1, rows, (), Random(1))
    # of a random case, hardly any has both; of a variant, the other values are those of the failure
    apart = [row for row in drafts if row[:2] == (1, 1) and row[2:].count(1) <= 1]
    assert len(apart) >= 3


def test_few_failures_with_the_same_symptoms_are_looked_into_at_a_time() -> None:
    model, draw = CauseModel(effort=100), Random(10)
    for _ in range(12):
        row = tuple(draw.randrange(size) for size in SIZES)
        model.played.add(facts_of(row), ["refused", "no answer"])
    model.played.add(facts_of((0,) * 6), ["lost"])
    model.played.add(facts_of((1,) * 6), [])
    model.update()
    assert len({case for case, _ in model.open}) == len(model.open) == 3
    assert (12, "lost") in model.open


def test_cases_are_chosen_that_together_tell_conditions_apart() -> None:
    conditions = [frozenset({fact}) for fact in ("0=1", "1=1", "2=1", "3=1")]
    four = Hypotheses(0, "lost", dict.fromkeys(conditions, 0.25))
    halves = [frozenset({"0=1", "1=1"}), frozenset({"2=1", "3=1"}), frozenset({"0=1", "2=1"})]
    # the second would say what the first does: it holds where that one does not
    assert four.telling(halves, 2, 0.02) == [0, 2]
    assert four.telling([frozenset({"4=1"}), frozenset().union(*conditions)], 2, 0.02) == []


def test_what_all_failures_have_in_common_is_no_symptom_of_its_own() -> None:
    """An oracle that tells "retrieval" beside each field: its causes would be those of any field."""
    model, draw = CauseModel(effort=100), Random(5)
    roots = {"pay": {0: 1, 1: 4}, "day": {2: 3}, "place": {4: 0, 5: 1}}
    for _ in range(600):
        row = tuple(draw.randrange(size) for size in SIZES)
        parts = [
            name for name, root in roots.items() if root.items() <= dict(enumerate(row)).items()
        ]
        model.played.add(facts_of(row), ["retrieval", *parts] if parts else [])
    model.update()
    assert model.played.general == {"retrieval"}
    assert {tuple(cause.parts): values_of(cause.condition) for cause in model.causes} == {
        (name,): root for name, root in roots.items()
    }
    assert all(model.is_explained(at) for at in range(600))
    assert model.seen(frozenset({"day"})) == model.played.classes[frozenset({"retrieval", "day"})]


@pytest.mark.parametrize(
    ("classes", "general"),
    [
        (["a b", "a c", "a d"], {"a"}),
        (["a b", "a c", "a d", "a"], set()),
        (["a b", "a c"], set()),
        # what stands beside others at times is a symptom, though it was never seen alone
        (["a b", "a c", "a d", "b c", "b d", "c d"], set()),
        (["a b", "a c", "a d", "b", "c", "d"], set()),
        (["a b c d"], {"a"}),
    ],
)
def test_each_failure_keeps_a_part(classes: list[str], general: set[str]) -> None:
    played = PlayedFacts()
    for kinds in classes:
        played.add(facts_of((0,)), kinds.split())
    assert all(set(kinds.split()) - played.general for kinds in classes)
    assert played.general == general


def test_a_failure_that_shows_nothing_else_is_no_evidence_against_other_causes() -> None:
    """Refused requests whose cause is unknown: each has another reason."""
    played, draw = PlayedFacts(), Random(6)
    for number in range(400):
        row = tuple(draw.randrange(size) for size in SIZES)
        refused, lost = number % 3 == 0, row[0] == 1
        parts = ["refused"] if refused else ["lost"] if lost else []
        played.add(
            facts_of(row), [*parts, "late"] if lost and number % 2 and not refused else parts
        )
    at = next(at for at, parts in enumerate(played.parts) if "lost" in parts)
    found = hypotheses_of(played, at, "lost")
    assert found is not None
    assert values_of(found.best) == {0: 1}


def test_a_root_cause_of_which_others_explain_all_failures_is_dropped() -> None:
    model = CauseModel(effort=100)
    for row in [(1, 0), (1, 1), (1, 2), (1, 1)]:
        model.played.add(facts_of(row, "want" if row[1] == 1 else ""), ["lost"])
    for row in [(0, 0), (0, 1), (2, 2)]:
        model.played.add(facts_of(row), [])
    wide, narrow = frozenset({"0=1"}), frozenset({"1=1", '"want'})
    parts = frozenset({"lost"})
    model.causes = [RootCause(narrow, parts), RootCause(wide, parts)]
    model.update()
    assert [cause.condition for cause in model.causes] == [wide]


def test_a_cause_that_hides_others_is_no_evidence_against_them() -> None:
    model = CauseModel(effort=100, most=100)
    draw = Random(2)
    for _ in range(400):
        row = tuple(draw.randrange(size) for size in SIZES)
        refused, lost = row[0] == 1, row[3] == 2
        model.played.add(facts_of(row), ("refused",) if refused else ("lost",) if lost else ())
    model.update()
    found = {(tuple(c.condition), tuple(c.parts)) for c in model.causes}
    assert found == {(("0=1",), ("refused",)), (("3=2",), ("lost",))}
    assert model.hides(next(cause for cause in model.causes if "refused" in cause.parts))


def test_an_app_that_fails_at_times_has_root_causes_too() -> None:
    model = CauseModel(effort=100, most=100)
    draw = Random(3)
    for _ in range(600):
        row = tuple(draw.randrange(size) for size in SIZES)
        model.played.add(facts_of(row), ("lost",) if row[1] == 4 and draw.random() < 0.95 else ())
    model.update()
    assert [tuple(cause.condition) for cause in model.causes] == [("1=4",)]


def test_chance_gives_no_root_causes() -> None:
    model = CauseModel(effort=100, most=100)
    draw = Random(4)
    for _ in range(400):
        row = tuple(draw.randrange(size) for size in SIZES)
        model.played.add(facts_of(row), ("mood",) if draw.random() < 0.2 else ())
    model.update()
    assert len(model.causes) <= 5  # of eighty failures


@given(st.lists(st.integers(1, 9), max_size=30))
def test_estimates_of_what_is_left_are_in_their_bounds(counts: list[int]) -> None:
    assert chao_missing(counts) >= 0
    assert 0 <= unseen_mass(counts) <= 1


@pytest.mark.parametrize(
    ("counts", "missing", "mass"),
    [([], 0, 1), ([1, 1, 1], 3, 1), ([1, 1, 2, 2], 1 / 3, 1 / 3), ([5, 7], 0, 0)],
)
def test_estimates_by_hand(counts: list[int], missing: float, mass: float) -> None:
    assert chao_missing(counts) == pytest.approx(missing)
    assert unseen_mass(counts) == pytest.approx(mass)


def test_a_saved_state_goes_on_in_the_same_way() -> None:
    whole, halved = search(), search()
    expected = play(whole, 8)
    first = play(halved, 4)
    resumed = search()
    resumed.restore(halved.state())
    assert first + play(resumed, 4) == expected
