"""Calling a rule function outside of a rule, with the model's answers that it asks for."""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, get_type_hints

from pydantic import TypeAdapter, ValidationError

from sparring.documents.checking import nearest, shown
from sparring.errors import AnswerInvalid, BudgetSpent, ConfigurationError, ModelError
from sparring.interfaces.plugin import LLMBackend
from sparring.interfaces.rule_function import Explained, RuleFunction
from sparring.model.chat import ChatMessage, ChatReply, ChatRequest
from sparring.model.talk import Trace
from sparring_plugins.prompting.complaints import complaints

# A rule function that asks in a loop would never end: each answer is given to it when it is called
# again.
MOST_QUESTIONS = 100
_SHOWN = 4000


class _NeedsAnswer(BaseException):  # not an Exception: a function must not catch it
    """The function asked what is not known yet."""

    def __init__(self, request: ChatRequest) -> None:
        super().__init__()
        self.request = request


def settings_of(function: RuleFunction) -> dict[str, Any]:
    """The settings of a function, with their types: parameters that can only be given by name."""
    try:
        parameters = inspect.signature(function.call).parameters.values()
        hints = get_type_hints(function.call, include_extras=True)
    except (ValueError, TypeError, NameError):  # a function that does not say
        return {}
    named = [parameter.name for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY]
    return {name: hints.get(name, Any) for name in named}


def prepared(function: RuleFunction, settings: dict[str, Any]) -> RuleFunction:
    """A function with its settings given, and all there that it needs.

    Raises ConfigurationError for a setting that is wrong, and MissingExtra.
    """
    known_settings = settings_of(function)
    arguments: dict[str, Any] = {}
    for key, value in settings.items():
        if key not in known_settings:
            raise ConfigurationError(
                f"it has no setting {key!r}.{nearest(key, list(known_settings))}"
            )
        try:
            arguments[key] = TypeAdapter(known_settings[key]).validate_python(value)
        except ValidationError as err:
            said = err.errors(include_url=False)[0]["msg"]
            raise ConfigurationError(f"{key}: {said}, found {shown(value)}") from err
    if function.prepare is not None:
        function.prepare()
    return replace(function, call=partial(function.call, **arguments)) if arguments else function


def signature_error(
    function: RuleFunction, args: Sequence[Any], named: dict[str, Any]
) -> str | None:
    """Why a function cannot be called with these arguments; None if it can."""
    before = int(function.conversation) + int(function.model)
    try:
        inspect.signature(function.call).bind(*(None,) * before, *args, **named)
    except TypeError as err:
        return str(err)
    except ValueError:  # a function without a signature
        return None
    return None


async def call(
    function: RuleFunction,
    backend: LLMBackend[Any] | None,
    trace: Trace | None,
    args: Sequence[Any],
    named: dict[str, Any],
) -> Explained:
    """The value of a function, with its reason; raises what it raises, and ModelError.

    Functions are plain and synchronous. One that asks what is not known yet is called again with
    the answer at hand.
    """
    replies: dict[str, ChatReply | ModelError] = {}

    def ask(request: ChatRequest) -> ChatReply:
        reply = replies.get(request.model_dump_json())
        if reply is None:
            raise _NeedsAnswer(request)
        if isinstance(reply, ModelError):
            raise reply
        return reply

    before: list[Any] = [trace] if function.conversation else []
    before += [ask] if function.model else []
    while True:
        try:
            value = function.call(*before, *args, **named)
            return value if isinstance(value, Explained) else Explained(value)
        except _NeedsAnswer as need:
            if backend is None:
                raise ModelError("it needs a model, but no `llm` is named") from None
            if len(replies) >= MOST_QUESTIONS:
                raise ModelError(f"it asks more than {MOST_QUESTIONS} questions") from None
            replies[need.request.model_dump_json()] = await _settle(backend.complete, need.request)


async def _settle(
    complete: Callable[[ChatRequest], Any], request: ChatRequest
) -> ChatReply | ModelError:
    """The model's answer, sent back once if it does not fit its schema."""
    try:
        reply: ChatReply = await complete(request)
        if request.answer_schema is None or reply.parsed is not None:
            return reply
        again: ChatReply = await complete(_sent_back(request, reply))
        if again.parsed is not None:
            return again
    except BudgetSpent:
        raise
    except ModelError as err:
        return err
    return AnswerInvalid("the model's answer does not have the form that was asked for")


def _sent_back(request: ChatRequest, reply: ChatReply) -> ChatRequest:
    if reply.finish_reason == "length":
        complaint = "it was cut off before its end; answer more briefly"
    else:
        complaint = complaints(reply.text, request.answer_schema or {})
    said = ChatMessage(role="assistant", content=reply.text[:_SHOWN] or "(nothing)")
    text = f"Your answer cannot be used: {complaint}. Answer again, with the JSON alone."
    message = ChatMessage(role="user", content=text)
    return request.model_copy(
        update={"messages": (*request.messages, said, message), "round": request.round + 1}
    )
