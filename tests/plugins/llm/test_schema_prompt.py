"""The schema of an answer in the words of the prompt."""

import json

from hypothesis import given
from hypothesis import strategies as st

from sparring.model.chat import ChatMessage
from sparring_plugins.llm.structured_output import with_schema

SCHEMA = {"type": "object", "properties": {"größe": {"type": "string"}}}

ROLES = st.sampled_from(["system", "user", "assistant"])
MESSAGES = st.lists(st.builds(ChatMessage, role=ROLES, content=st.text(max_size=20)), max_size=6)


def test_the_schema_stands_at_the_end_of_the_last_question() -> None:
    asked = with_schema(
        (
            ChatMessage(role="system", content="Judge."),
            ChatMessage(role="user", content="Polite?"),
        ),
        SCHEMA,
    )
    assert [message.role for message in asked] == ["system", "user"]
    assert asked[0].content == "Judge."
    assert asked[1].content.startswith("Polite?\n\n")
    assert json.loads(asked[1].content.splitlines()[-1]) == SCHEMA
    assert "größe" in asked[1].content


def test_a_prompt_with_an_answer_begun_keeps_it_last() -> None:
    asked = with_schema(
        (
            ChatMessage(role="user", content="Polite?"),
            ChatMessage(role="assistant", content="{"),
        ),
        SCHEMA,
    )
    assert "JSON Schema" in asked[0].content
    assert asked[1].content == "{"


def test_a_prompt_without_a_question_gets_one() -> None:
    assert [message.role for message in with_schema((), SCHEMA)] == ["user"]


@given(MESSAGES)
def test_whatever_was_said_is_kept_and_the_schema_is_said_once(messages: list[ChatMessage]) -> None:
    asked = with_schema(messages, SCHEMA)
    words = json.dumps(SCHEMA, ensure_ascii=False)
    assert sum(words in message.content for message in asked) == 1
    for before, after in zip(messages, asked, strict=False):
        assert after.role == before.role
        assert after.content.startswith(before.content)
