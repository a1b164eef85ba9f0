"""Delta debugging: as few acts as still show it."""

import asyncio
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from sparring.model.talk import Act, Listen, Say, act_text
from sparring_plugins.reproduction.confirmation import minimise


def reduced(said: Sequence[str], needed: Sequence[str]) -> tuple[list[str], list[tuple[str, ...]]]:
    """What is left of a conversation that shows a fault while it says `needed` in that order."""
    asked: list[tuple[str, ...]] = []

    async def shows(acts: Sequence[Act]) -> bool:
        texts = [act_text(act) for act in acts]
        asked.append(tuple(texts))
        left = iter(texts)
        return all(any(text == wanted for text in left) for wanted in needed)

    acts = [Say(text=text) for text in said]
    return [act_text(act) for act in asyncio.run(minimise(acts, shows))], asked


@given(st.data())
def test_exactly_what_is_needed_is_left(data: st.DataObject) -> None:
    said = data.draw(st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=24))
    places = data.draw(st.sets(st.integers(0, len(said) - 1), max_size=4))
    needed = [said[place] for place in sorted(places)]
    left, asked = reduced(said, needed)
    assert left == needed
    assert len(asked) == len(set(asked)) or len(set(said)) < len(said), "nothing is asked twice"


def test_a_fault_that_needs_the_last_input_alone_takes_few_sessions() -> None:
    left, asked = reduced([f"input {n}" for n in range(40)], ["input 39"])
    assert left == ["input 39"]
    assert len(asked) <= 3


def test_what_the_app_says_first_is_always_heard() -> None:
    heard: list[Sequence[Act]] = []

    async def shows(acts: Sequence[Act]) -> bool:
        heard.append(acts)
        return Say(text="b") in acts

    acts = [Listen(), Say(text="a"), Say(text="b")]
    assert asyncio.run(minimise(acts, shows)) == [Listen(), Say(text="b")]
    assert all(each[0] == Listen() for each in heard)


def test_a_fault_that_needs_no_input_has_none_left() -> None:
    assert reduced(["a", "b", "c"], [])[0] == []


def test_asking_may_be_refused_and_what_is_known_stays() -> None:
    """Where there is no time left, the answer is no: the conversation stays as short as it got."""
    budget = 4

    async def shows(acts: Sequence[Act]) -> bool:
        nonlocal budget
        budget -= 1
        return budget >= 0 and {"2", "7"} <= {act_text(act) for act in acts}

    acts = [Say(text=str(n)) for n in range(10)]
    left = asyncio.run(minimise(acts, shows))
    assert {"2", "7"} <= {act_text(act) for act in left}
