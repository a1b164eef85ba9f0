"""ROUGE, BLEU and likeness against reference answers."""

from typing import Any

import pytest

from sparring.testing.fakes import FakeContext
from sparring_plugins.search.fitness.reference import BleuFitness, RougeFitness, SimilarityFitness
from sparring_plugins.search.roles import FitnessTask

pytestmark = pytest.mark.anyio

TASK = FitnessTask(
    request="Find me a cheap bakery.",
    answer="I found a cheap bakery nearby.",
    features={"category": "bakery", "price": "low", "food": "none"},
    labels={"category": "bakery", "price": "low", "food": "none"},
    wanted={"category": ("bakery",), "price": ("cheap",)},
)


@pytest.mark.parametrize(
    ("kind", "settings", "reference", "value"),
    [
        (RougeFitness, {}, "I found a cheap {{category}} nearby.", 1.0),
        (RougeFitness, {}, "I found a {{category}}", 0.8),
        (RougeFitness, {"kind": "rouge2"}, "nothing at all", 0.0),
        (RougeFitness, {"kind": "rouge1", "measure": "recall"}, "cheap {{category}}", 1.0),
        (BleuFitness, {}, "I found a cheap {{category}} nearby.", 1.0),
        (BleuFitness, {}, "We regret", 0.0),
        (SimilarityFitness, {"by": "tf-idf"}, "I found a cheap {{category}} nearby.", 1.0),
        (SimilarityFitness, {"by": "tf-idf"}, "regret", 0.0),
    ],
)
async def test_the_nearest_reference_counts(
    kind: Any, settings: dict[str, Any], reference: str, value: float
) -> None:
    references = ["We have no {{food}} food.", "zzz", reference]
    found = await FakeContext().build(kind, references=references, **settings).act(TASK)
    assert found.value == pytest.approx(value, abs=1e-4)


async def test_likeness_to_the_request_needs_no_reference() -> None:
    found = await FakeContext().build(SimilarityFitness, by="tf-idf").act(TASK)
    assert found.value is not None
    assert 0.1 < found.value < 0.9


async def test_no_usable_reference_is_undecided_and_a_slip_is_named() -> None:
    part = FakeContext().build(RougeFitness, references=["I found {{food}} food."])
    assert (await part.act(TASK)).reason == "no reference speaks only of what this case wants"
    part = FakeContext().build(RougeFitness, references=["I found a {{categry}}."])
    assert "no feature of the case. Did you mean 'category'" in (await part.act(TASK)).reason
