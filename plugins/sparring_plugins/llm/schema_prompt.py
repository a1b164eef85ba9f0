"""The schema of an answer, in the words of the prompt: for models that take it no other way."""

import json
from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from sparring.model.chat import ChatMessage

_ASK = (
    "Answer with one JSON value that satisfies the JSON Schema below. Write the value alone: "
    "no explanation, no code fence, and not the schema itself.\n{schema}"
)


def with_schema(
    messages: Sequence[ChatMessage], schema: Mapping[str, JsonValue]
) -> tuple[ChatMessage, ...]:
    """The messages, with the schema of the answer at the end of the last that is not the model's.

    That is where small models heed it, and where no service minds it: some take one system
    message, some want user and assistant to alternate. The messages given are left alone.
    """
    words = _ASK.format(schema=json.dumps(schema, ensure_ascii=False))
    for index in range(len(messages) - 1, -1, -1):
        last = messages[index]
        if last.role != "assistant":
            text = f"{last.content}\n\n{words}" if last.content else words
            asked = ChatMessage(role=last.role, content=text)
            return (*messages[:index], asked, *messages[index + 1 :])
    return (*messages, ChatMessage(role="user", content=words))
