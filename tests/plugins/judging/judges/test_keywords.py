from typing import Any

import pytest

from sparring.interfaces.roles import Judgement, JudgeTask
from sparring.model.talk import Choice, Observation
from sparring.testing.conversations import trace_of
from sparring.testing.fakes import FakeContext
from sparring_plugins.judging.keyword_judge import KeywordJudge

pytestmark = pytest.mark.anyio

MENU = Observation(text="What size?", choices=(Choice(label="Extra large"),))
TURNS = trace_of(
    [
        (None, "Welcome to Pizza Palace!"),
        ("What are the opening hours?", "We are open from 9 to 5, Señora."),
        ("And vegan?", MENU),
        ("parking", None),
    ]
).turns


async def judged(question: str, **task: Any) -> Judgement:
    given = {"turns": TURNS, **task}
    return await FakeContext().build(KeywordJudge).act(JudgeTask(question=question, **given))


@pytest.mark.parametrize(
    ("question", "answer", "turns"),
    [
        ('Does the chatbot mention "Pizza Palace"?', "yes", (0,)),
        ('Does the chatbot mention "pizza  PALACE!"?', "yes", (0,)),
        ("Does the chatbot say 'extra large'?", "yes", (2,)),
        ('Does it say "senora" and "what size"?', "yes", (1, 2)),
        ('Does the chatbot say "pizza" and "parking"?', "no", ()),
        ('Does the chatbot mention "parking"?', "no", ()),
        ('Does the chatbot mention "pal"?', "no", ()),
        ('Does the user mention "parking"?', "yes", (3,)),
        ('Does the user say "welcome"?', "no", ()),
        ("Does the chatbot talk about size?", "yes", (2,)),
        ("Does the user mention opening hours?", "yes", (1,)),
        ("Does the chatbot mention the sizes of pizzas?", None, ()),
        ("Does the chatbot mention parking?", None, ()),
        ("Is the chatbot polite?", None, ()),
        ('Does the chatbot not mention "parking"?', None, ()),
        ('Doesn\'t it mention "parking"?', None, ()),
        ('Does it say "pizza" before "size"?', None, ()),
        ('Does it mention "!!"?', None, ()),
        ("Does the chatbot say anything?", None, ()),
        ("", None, ()),
    ],
)
async def test_it_decides_by_words_or_not_at_all(
    question: str, answer: str | None, turns: tuple[int, ...]
) -> None:
    found = await judged(question)
    assert (found.answer, found.turns) == (answer, turns)
    assert "by words alone" in found.reason
    assert found.score is None


@pytest.mark.parametrize(
    ("options", "answer"),
    [
        (("yes", "no"), "yes"),
        (("No", "Yes"), "Yes"),
        (("TRUE", "false"), "TRUE"),
        (("yes", "no", "perhaps"), None),
        (("yes", "false"), None),
        (("good", "bad"), None),
        (("yes", "yes"), None),
        ((), None),
    ],
)
async def test_it_answers_only_with_yes_or_no(options: tuple[str, ...], answer: str | None) -> None:
    assert (await judged('Does it mention "pizza"?', options=options)).answer == answer


@pytest.mark.parametrize("subject", ["The price is $5", {"price": ["the price is", {"$": 5}]}])
async def test_it_looks_into_texts_and_data(subject: Any) -> None:
    found = await judged('Does the text contain "the price is"?', turns=(), subject=subject)
    assert (found.answer, found.turns) == ("yes", ())


async def test_its_no_holds_only_where_all_was_looked_through() -> None:
    long = "la " * 100_000
    turns = trace_of([("hi", long + "pizza")]).turns
    found = await judged('Does it mention "pizza"?', turns=turns)
    assert found.answer is None
    assert "very long text" in found.reason
    turns = trace_of([("hi", "pizza" + long)]).turns
    assert (await judged('Does it mention "pizza la"?', turns=turns)).answer is None
    turns = trace_of([("hi", "pizza " + long)]).turns
    assert (await judged('Does it mention "pizza la"?', turns=turns)).answer == "yes"


async def test_the_share_of_words_can_be_set() -> None:
    task = JudgeTask(question="Does the chatbot mention the sizes of pizzas?", turns=TURNS)
    assert (await FakeContext().build(KeywordJudge, share=0.5).act(task)).answer == "yes"
