"""The fitness `dimensions`, by plain rules and by a model."""

from typing import Any

import pytest

from sparring.errors import AnswerInvalid, ConfigurationError
from sparring.testing.fakes import FakeContext, FakeLLM
from sparring_plugins.search.fitness.dimensions import DimensionsFitness
from sparring_plugins.search.fitness.model_fitness import ModelDimensions
from sparring_plugins.search.roles import Fitness, FitnessTask

pytestmark = pytest.mark.anyio

WANTED = {"category": ("bakery",), "price": ("cheap", "low"), "rating": ("4.5",)}


def task(answer: str, wanted: Any = WANTED) -> FitnessTask:
    return FitnessTask(request="Find me a cheap bakery.", answer=answer, wanted=wanted)


async def fitness(answer: str, wanted: Any = WANTED, **settings: Any) -> Fitness:
    return await FakeContext().build(DimensionsFitness, **settings).act(task(answer, wanted))


@pytest.mark.parametrize(
    ("answer", "classes"),
    [
        ("I found two cheap bakeries with 4.5 stars. Shall I take you there?", (2, 2, 2)),
        ("I found two cheap bakeries with 4.5 stars.", (2, 2, 0)),
        ("I'm fine, thanks. I found two cheap BAKERIES. Where shall I take you?", (2, 1, 2)),
        ("I couldn't find any bakery. Shall I look further away?", (1, 2, 2)),
        ("There are several. The best bakery is Crumb.", (1, 1, 0)),
        ("What kind of place are you looking for?", (1, 0, 1)),
        ("Bread is made of flour.", (0, 0, 0)),
        ("Sorry, I didn't get that. Could you say it another way?", (0, 0, 0)),
        ("A bakeryman sells at 14.5.", (0, 0, 0)),
        ("", (0, 0, 0)),
        ("A cheap bakery with 4.5 stars " + "and so on " * 40 + "is there.", (2, 1, 0)),
    ],
)
async def test_rules_put_answers_into_classes(answer: str, classes: tuple[int, int, int]) -> None:
    found = await fitness(answer)
    assert tuple(found.parts.values()) == classes
    request, direct, follow_up = classes
    expected = (0.55 * request + 0.30 * direct + 0.15 * follow_up) / 2
    assert found.value == pytest.approx(expected)


async def test_what_is_not_spoken_of_is_named_unless_the_answer_serves_the_request() -> None:
    assert (await fitness("A bakery, open now. Shall I go?")).wrong == ("price", "rating")
    assert (await fitness("A cheap bakery. Shall I go?")).wrong == ()


async def test_a_case_that_wants_nothing_in_particular_is_judged_by_the_rest() -> None:
    found = await fitness("It is sunny. Anything else?", {})
    assert found.parts == {"request_oriented": 2, "direct": 2, "follow_up": 2}


async def test_an_app_has_fallbacks_of_its_own() -> None:
    said = "Huh? A bakery? I only speak of the weather."
    assert (await fitness(said, fallbacks=[said])).value == 0


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({"charm": 1}, "no dimension is called 'charm', only request_oriented, direct"),
        ({"direct": 0}, "not all of them 0"),
        ({"direct": -1, "follow_up": 2}, "from 0 up"),
        ({}, "not all of them 0"),
    ],
)
async def test_wrong_weights_are_told(weights: dict[str, float], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        await fitness("hi", weights=weights)


GOOD = {
    "reason": "all of it",
    "quotation": "A cheap bakery.",
    "request_oriented": 2,
    "direct": 1,
    "follow_up": 0,
}


def model(*answers: Any) -> FakeLLM:
    return FakeContext().build(FakeLLM, answers=answers)


async def test_a_model_puts_answers_into_classes() -> None:
    llm = model(GOOD)
    found = await FakeContext(llm=llm).build(ModelDimensions).act(task("A cheap bakery."))
    assert found.parts == {"request_oriented": 2, "direct": 1, "follow_up": 0}
    assert found.value == pytest.approx(0.55 + 0.15)
    request = llm.requests[0]
    schema: Any = request.answer_schema
    assert list(schema["properties"]) == list(GOOD)
    assert schema["properties"]["direct"]["enum"] == [0, 1, 2]
    asked = request.messages[-1].content
    assert '"category": "bakery"' in asked
    assert "A cheap bakery." in asked
    assert request.temperature == 0


async def test_dimensions_of_ones_own_have_their_classes_and_weights() -> None:
    dimensions = {
        "calm": {"about": "stays calm", "classes": ["quarrels", "is calm"], "weight": 3},
        "brief": {"about": "is brief", "classes": ["no", "rather", "much", "very"], "weight": 1},
    }
    shown = {"reason": "x", "quotation": "Fine.", "brief": 1}
    llm = model({**shown, "calm": 7}, {**shown, "calm": 1})
    part = FakeContext(llm=llm).build(ModelDimensions, dimensions=dimensions)
    found = await part.act(task("Fine."))
    assert found.value == pytest.approx((3 * 1 + 1 / 3) / 4)
    assert "  - 0: quarrels\n  - 1: is calm" in llm.requests[0].messages[-1].content


async def test_an_answer_that_stays_unusable_is_invalid() -> None:
    part = FakeContext(llm=model(*["no idea"] * 9)).build(ModelDimensions)
    with pytest.raises(AnswerInvalid):
        await part.act(task("Fine."))


@pytest.mark.parametrize(
    ("dimensions", "message"),
    [
        ({"calm": {"about": "x", "classes": ["one"]}}, "at least 2"),
        ({"Calm down": {"about": "x", "classes": ["a", "b"]}}, "pattern"),
        ({"calm": {"about": "x", "classes": ["a", "b"], "weight": 0}}, "can be 0"),
        ({"reason": {"about": "x", "classes": ["a", "b"]}}, "can be called 'reason'"),
        ({"quotation": {"about": "x", "classes": ["a", "b"]}}, "can be called 'quotation'"),
    ],
)
def test_wrong_dimensions_are_told(dimensions: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        FakeContext(llm=model()).build(ModelDimensions, dimensions=dimensions)
