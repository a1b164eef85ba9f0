"""Reading a reply as the answer that was asked for."""

import json
from collections.abc import Callable, Mapping
from typing import TypeVar

from pydantic import BaseModel, JsonValue, ValidationError

from sparring.llm import reading
from sparring.model.chat import ChatReply
from sparring_plugins.prompting.plain_data import clipped

ModelT = TypeVar("ModelT", bound=BaseModel)

_MOST = 8


class Unfit(Exception):
    """A reply is not the answer that was asked for; the reasons are words for the model."""

    def __init__(self, *reasons: str) -> None:
        self.reasons = reasons
        super().__init__("; ".join(reasons))


def read(reply: ChatReply, schema: Mapping[str, JsonValue]) -> ChatReply:
    """The reply with `parsed` satisfying a JSON Schema; raises Unfit.

    In a run the engine has read it already; that of a bare backend is read here.
    """
    found = reading.read(reply, schema)
    if found.parsed is None:
        given = reply.text if reply.text.strip() or reply.parsed is None else reply.parsed
        raise Unfit(reading.complaints(given, schema) or "it does not have the wanted form")
    return found


def as_model(
    answer: type[ModelT], schema: Mapping[str, JsonValue]
) -> Callable[[ChatReply], ModelT]:
    """Reads replies as a pydantic model, strictly: a text is no number, and 1 is not true."""

    def value(reply: ChatReply) -> ModelT:
        plain = json.dumps(read(reply, schema).parsed)
        try:
            return answer.model_validate_json(plain, strict=True)
        except ValidationError as err:
            raise Unfit(*_reasons(err)) from err

    return value


def _reasons(err: ValidationError) -> list[str]:
    found = err.errors(include_url=False, include_input=False)
    reasons = [
        f"{'.'.join(str(part) for part in item['loc']) or 'the answer'}: {item['msg']}"
        for item in found[:_MOST]
    ]
    if len(found) > _MOST:
        reasons.append(f"and {len(found) - _MOST} more")
    return [clipped(reason, 400) for reason in reasons]
