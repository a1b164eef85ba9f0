"""A path to the app's words that never finds any is told at the end of a run."""

from typing import Any

import pytest

from sparring.model.case import Case
from sparring.model.talk import Say
from sparring.testing.fakes import FakeContext

pytestmark = pytest.mark.anyio

BUTTONS = {"say": "Which size?", "buttons": ["small", "large"]}
RASA = [{"recipient_id": "1", "buttons": [{"title": "small", "payload": "/small"}]}]


async def warned(
    rest: Any, serve: Any, case: Case, context: FakeContext, *replies: Any, **settings: Any
) -> list[str]:
    """The warnings after conversations in which the app gives each reply, one each."""
    waiting = list(replies)
    server = serve(lambda request: waiting.pop(0))
    connector = rest(url=server.url, **settings)
    for _ in replies:
        async with connector.open(case) as session:
            await session.send(Say(text="hi"))
    assert context.warnings == []  # only the whole run can tell
    await connector.close()
    return list(context.warnings)


async def test_a_path_that_never_finds_anything_is_told_once(
    rest: Any, serve: Any, case: Case, context: FakeContext
) -> None:
    reply = {"text": "$.sya", "choices": "$.buttons"}
    (told,) = await warned(rest, serve, case, context, BUTTONS, BUTTONS, reply=reply)
    assert told.startswith("reply.text: $.sya has matched nothing in 2 replies; the first of them")
    assert "say" in told
    assert "buttons" in told


async def test_all_paths_that_never_find_anything_are_named(
    rest: Any, serve: Any, case: Case, context: FakeContext
) -> None:
    reply = {"text": ["$.sya", "$.items[*].text"], "choices": "$.buttons"}
    (told,) = await warned(rest, serve, case, context, BUTTONS, reply=reply)
    assert told.startswith(
        "reply.text: none of $.sya, $.items[*].text has matched anything in the only reply; it has"
    )


@pytest.mark.parametrize(
    "other",
    [{"say": "Hello"}, {"say": None}, {"say": ""}, {"say": [], "buttons": ["x"]}],
    ids=["a text", "null", "an empty text", "an empty list"],
)
async def test_replies_with_buttons_alone_are_no_reason_where_the_path_finds_something(
    rest: Any, serve: Any, case: Case, context: FakeContext, other: Any
) -> None:
    alone = {"buttons": ["small"]}
    reply = {"text": "$.say", "choices": "$.buttons"}
    assert await warned(rest, serve, case, context, alone, other, alone, reply=reply) == []


@pytest.mark.parametrize("silence", [None, [], {}, b""], ids=["null", "list", "map", "nothing"])
async def test_silence_is_no_reason(
    rest: Any, serve: Any, case: Case, context: FakeContext, silence: Any
) -> None:
    assert await warned(rest, serve, case, context, silence, reply={"text": "$.say"}) == []


async def test_rasa_may_answer_with_buttons_alone(
    rest: Any, serve: Any, case: Case, context: FakeContext
) -> None:
    text = [{"recipient_id": "1", "text": "Hello"}]
    assert await warned(rest, serve, case, context, RASA, text, preset="rasa") == []


async def test_without_a_path_nothing_is_told(
    rest: Any, serve: Any, case: Case, context: FakeContext
) -> None:
    reply = {"choices": "$.buttons"}
    assert await warned(rest, serve, case, context, {"buttons": ["x"]}, reply=reply) == []


async def test_an_opening_that_says_nothing_is_no_reason(
    rest: Any, serve: Any, case: Case, context: FakeContext
) -> None:
    server = serve(lambda r: {"id": "7"} if r.path == "/new" else {"message": "Hello"})
    opening = {"path": "/new", "reply": {"session": "$.id", "text": "$.greeting"}}
    connector = rest(url=server.url, open=opening, reply={"text": "$.message"})
    async with connector.open(case) as session:
        await session.send(Say(text="hi"))
    await connector.close()
    assert context.warnings == []
