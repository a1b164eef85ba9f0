"""What is asked of a language model and what it answers."""

from typing import Literal

from pydantic import Field, JsonValue

from sparring.model.base import Value


class ChatMessage(Value):
    """One message of a prompt."""

    role: Literal["system", "user", "assistant"]
    content: str


class ChatRequest(Value):
    """A question to a language model.

    `asker` is the role of the part that asks (user, judge, extractor ...), for logs and
    budgets. `answer_schema` is a JSON Schema that the answer must satisfy.
    """

    messages: tuple[ChatMessage, ...]
    asker: str = ""
    case_id: str | None = None
    answer_schema: dict[str, JsonValue] | None = None
    temperature: float | None = None
    seed: int | None = None
    max_tokens: int | None = Field(default=None, gt=0)
    timeout_s: float = Field(default=60.0, gt=0)


class ChatReply(Value):
    """A model's answer; `parsed` is set when a schema was asked for and satisfied."""

    text: str
    parsed: JsonValue = None
    model: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = None
    latency_s: float = 0.0
    finish_reason: str = "stop"
