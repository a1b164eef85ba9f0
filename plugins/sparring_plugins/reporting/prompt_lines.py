"""What models were asked for a case and answered, with tokens, for `sparring show --prompts`."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sparring.cli.output import plain, plain_lines
from sparring.model.chat import ChatReply, ChatRequest
from sparring.model.events import ModelCalled
from sparring.store import StoredRun
from sparring_plugins.language import quantities

_CHARACTERS_PER_TOKEN = 4
"""Used if a service does not count; what tokenizers make of English prose, about."""

_LONGEST = 20_000
"""Characters of one message that are shown; the log has the rest."""

# What an app said stands between these marks, so that tokens of data are told from those of our
# words.
_DATA = re.compile(r"<data>\n.*?\n</data>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class PromptPart:
    """One part of a request: a message, or the schema of the answer (`text` is its JSON).

    `tokens` is the part's share, by its length, of the tokens that the service counted. `data` is
    the share of `tokens` in data blocks: what the app and others said.
    """

    name: str
    text: str
    tokens: int
    data: int = 0


def prompt_parts(request: ChatRequest, input_tokens: int = 0) -> list[PromptPart]:
    """Return the parts of a request with their tokens, in the order in which they are sent.

    `input_tokens` is what the service counted for the whole request; if it is 0, tokens are
    estimated from the number of characters.
    """
    texts = [(message.role, message.content) for message in request.messages]
    named: list[tuple[str, str]] = [(str(role), text) for role, text in texts]
    if request.answer_schema is not None:
        named.append(("answer schema", json.dumps(request.answer_schema)))
    length = sum(len(text) for _, text in named)
    rate = input_tokens / length if input_tokens and length else 1 / _CHARACTERS_PER_TOKEN
    return [
        PromptPart(
            name=name,
            text=text,
            tokens=round(len(text) * rate),
            data=round(sum(len(block) for block in _DATA.findall(text)) * rate),
        )
        for name, text in named
    ]


def calls_of(stored: StoredRun, case_id: str) -> Iterator[ModelCalled]:
    """Yield the model calls of a case in the order of the log, playing and judging."""
    for _, event in stored.model_calls():
        if isinstance(event, ModelCalled) and event.request.case_id == case_id:
            yield event


def prompt_lines(calls: Sequence[ModelCalled]) -> Iterator[str]:
    """Yield what a terminal shows of model calls: each message, its tokens, and the answer.

    Lines of prompts and answers begin with a bar, so that none of them can pass for a heading.
    """
    if not calls:
        yield "no language model was asked for this case"
        return
    for number, call in enumerate(calls, 1):
        yield f"? {number}/{len(calls)} {_heading(call)}"
        yield from _request_lines(call.request, call.reply)
        if call.reply is None:
            yield "  error"
            yield from _text_lines(call.error or "unknown")
            continue
        if call.reply.reasoning:
            yield "  reasoning"
            yield from _text_lines(call.reply.reasoning)
        yield f"  answer{_answer_remark(call.reply)}"
        yield from _text_lines(call.reply.text)
    yield _sum(calls)


def asked_lines(calls: Sequence[ModelCalled]) -> Iterator[str]:
    """Yield what a terminal shows of prompts alone: each message of each call with its tokens."""
    for number, call in enumerate(calls, 1):
        yield f"? {number}/{len(calls)} {_heading(call, with_source=False)}"
        yield from _request_lines(call.request, None)
    tokens = [sum(part.tokens for part in prompt_parts(call.request)) for call in calls]
    yield f"$ {quantities.plural(len(calls), 'prompt')}, about {sum(tokens):,} tokens in all"


def _heading(call: ModelCalled, *, with_source: bool = True) -> str:
    request = call.request
    names = [plain(request.asker, 80) or "unknown role"]
    if request.prompt:
        names.append(f"prompt {plain(request.prompt, 80)}")
    if request.round:
        names.append(f"sent back {request.round}x")
    if request.sample:
        names.append(f"sample {request.sample}")
    source = f" ({plain(call.source)}{_model(call)})" if with_source else ""
    return f"{', '.join(names)}{source}"


def _model(call: ModelCalled) -> str:
    model = call.reply.model if call.reply else ""
    return f", {plain(model, 80)}" if model else ""


def _request_lines(request: ChatRequest, reply: ChatReply | None) -> Iterator[str]:
    for part in prompt_parts(request, reply.input_tokens if reply else 0):
        data = f", {part.data:,} of them data" if part.data else ""
        yield f"  {part.name}, about {part.tokens:,} tokens{data}"
        yield from _text_lines(part.text)


def _text_lines(text: str) -> Iterator[str]:
    for line in plain_lines(text[:_LONGEST]):
        yield f"  | {line}"
    if len(text) > _LONGEST:
        yield f"  ({len(text) - _LONGEST:,} more characters in the log)"


def _answer_remark(reply: ChatReply) -> str:
    remarks = [f"{reply.output_tokens:,} tokens"] if reply.output_tokens else []
    if reply.finish_reason != "stop":
        remarks.append(f"ended by {plain(reply.finish_reason, 40)}")
    if reply.lenient:
        remarks.append(f"read leniently: {plain(', '.join(reply.lenient), 200)}")
    return f", {', '.join(remarks)}" if remarks else ""


def _sum(calls: Sequence[ModelCalled]) -> str:
    """Return the tokens of each role, the most expensive role first."""
    tokens: dict[str, int] = {}
    for call in calls:
        counted = call.reply.input_tokens if call.reply else 0
        parts = prompt_parts(call.request, counted)
        sent = counted or sum(part.tokens for part in parts)
        answered = call.reply.output_tokens if call.reply else 0
        tokens[call.request.asker] = tokens.get(call.request.asker, 0) + sent + answered
    by_role = sorted(tokens.items(), key=lambda item: -item[1])
    listed = ", ".join(f"{plain(role, 80) or 'unknown role'} {count:,}" for role, count in by_role)
    return f"$ {quantities.plural(len(calls), 'model call')}, tokens by role: {listed}"
