"""What is asked of a language model and what it answers."""

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, JsonValue

from sparring.model.base import AppText, Value, storable


class ChatMessage(Value):
    """One message of a prompt."""

    role: Literal["system", "user", "assistant"]
    content: AppText


class ChatRequest(Value):
    """A question to a language model.

    `asker` is the role of the part that asks (user, judge, extractor ...), for logs, budgets and
    the choice of the model. `answer_schema` is a JSON Schema that the answer must satisfy; its
    ``title`` names it for services that want a name. `temperature`, `seed` and `max_tokens` left
    at None are those that the suite sets for the role, else the service's own. `timeout_s` bounds
    one attempt, in seconds.

    `prompt` is the name of the template, and `round` counts from 0 how often the answer was sent
    back, both for logs alone. `sample` tells independent answers to one and the same question
    apart: it is never sent, but a recorded or cached answer is only that of the same sample.
    """

    messages: tuple[ChatMessage, ...]
    asker: str = ""
    case_id: str | None = None
    prompt: str = ""
    round: int = 0
    sample: int = 0
    answer_schema: dict[str, JsonValue] | None = None
    temperature: float | None = None
    seed: int | None = None
    max_tokens: int | None = Field(default=None, gt=0)
    timeout_s: float = Field(default=60.0, gt=0)


class Quota(Value):
    """How many calls a service says it still takes until it renews them, `renewed_in_s` seconds."""

    calls_left: int = Field(ge=0)
    renewed_in_s: float = Field(ge=0)


class ChatReply(Value):
    """A model's answer; `parsed` is set when a schema was asked for and satisfied.

    `text` is without the model's reasoning, which is in `reasoning` if the service shows it.
    `finish_reason` is ``stop``, ``length`` (cut off: never to be read as a whole answer),
    ``refusal`` (also of a content filter), or the service's own word. `cached_tokens` are those
    of `input_tokens` that the service had read before, for the price. A price that is unknown is
    None, never zero. `worth_usd` is what the answer cost when it was first given, also if it
    comes from a cache or a recording by now and costs nothing. `latency_s` is in seconds. `lenient`
    names what had to be overlooked to read `parsed`, such as ``trailing commas``. `quota` is what
    the service announced with its answer; it is heeded and not stored.
    """

    text: AppText
    parsed: Annotated[JsonValue, BeforeValidator(storable)] = None
    reasoning: AppText = ""
    model: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cost_usd: float | None = None
    worth_usd: float | None = None
    latency_s: float = 0.0
    finish_reason: str = "stop"
    lenient: tuple[str, ...] = Field(default=(), exclude_if=lambda notes: not notes)
    quota: Quota | None = Field(default=None, exclude=True, repr=False)
