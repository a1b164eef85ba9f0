"""Questions that functions ask a language model, and the schemas of its answers.

Messages, and what a rule passes on, are in delimited blocks of data (see
`sparring_plugins.prompting`); the answer has to fit a JSON Schema, a reason before each decision.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

from sparring.errors import AnswerInvalid
from sparring.model.chat import ChatReply, ChatRequest
from sparring.model.talk import Listen, Trace, act_text
from sparring_plugins.prompting.prompts import Prompts

Ask = Callable[[ChatRequest], ChatReply]
Schema = dict[str, Any]
ItemT = TypeVar("ItemT")

LONGEST = 60_000
"""Characters of a text that a question may hold; longer ones are cut in the middle."""

MOST_ITEMS = 40
"""Messages or texts that one question asks about."""

FOLDER = Path(__file__).with_name("prompts")

_BEFORE = 20
_TOKENS, _TOKENS_OF_ITEM = 2_000, 100
_SHORTEST = 200


@cache
def bundled_prompts() -> Prompts:
    """The prompts that a suite may override file by file."""
    return Prompts(FOLDER)


def answer(ask: Ask, prompt: str, schema: Schema, **values: Any) -> dict[str, Any]:
    """The model's answer to a prompt, as data that fits the schema; raises ModelError.

    The prompt is the suite's if `ask` brings its own, as in rules.
    """
    prompts: Prompts = getattr(ask, "prompts", None) or bundled_prompts()
    items = len(schema["properties"]["answers"]["properties"]) if _asks_items(schema) else 0
    reply = ask(
        ChatRequest(
            messages=prompts.messages(prompt, values),
            asker="judge",
            prompt=prompt,
            answer_schema=schema,
            temperature=0.0,
            max_tokens=_TOKENS + _TOKENS_OF_ITEM * items,
        )
    )
    if not isinstance(reply.parsed, dict):
        raise AnswerInvalid("the model was to answer with data, and did not")
    return cast("dict[str, Any]", reply.parsed)


def shape(title: str, **fields: Schema) -> Schema:
    """The schema of an object with exactly these fields, in this order."""
    return {
        "title": title,
        "type": "object",
        "properties": dict(fields),
        "required": list(fields),
        "additionalProperties": False,
    }


def reasoned(title: str, **fields: Schema) -> Schema:
    """The schema of an answer that begins with its reason."""
    return shape(title, reason={"type": "string"}, **fields)


def each(title: str, numbers: Sequence[int], item: Schema) -> Schema:
    """The schema of an answer that has an item for each number, and nothing else."""
    answers = shape("answers", **{str(number): {"$ref": "#/$defs/item"} for number in numbers})
    return {**shape(title, answers=answers), "$defs": {"item": item}}


def one_of(*options: str) -> Schema:
    """The schema of a choice between texts."""
    return {"type": "string", "enum": list(options)}


def some_of(numbers: Sequence[int]) -> Schema:
    """The schema of a list of some of these numbers."""
    return {"type": "array", "items": {"type": "integer", "enum": list(numbers)}}


def _asks_items(schema: Schema) -> bool:
    return "answers" in schema["properties"]


@dataclass(frozen=True, slots=True)
class SpokenMessage:
    """Something that was said: its number among all messages from 1, and its 0-based turn."""

    number: int
    turn: int
    speaker: str
    text: str


def messages(trace: Trace) -> list[SpokenMessage]:
    """The messages in order, by the ``User`` and the ``Assistant``."""
    spoken: list[tuple[int, str, str]] = []
    for turn, turn_played in enumerate(trace.turns):
        if not isinstance(turn_played.act, Listen):
            spoken.append((turn, "User", act_text(turn_played.act)))
        if turn_played.observation is not None:
            spoken.append((turn, "Assistant", turn_played.observation.text))
    return [SpokenMessage(number, *turn_played) for number, turn_played in enumerate(spoken, 1)]


def as_data(spoken: Sequence[SpokenMessage]) -> list[dict[str, object]]:
    """Messages as data for a question, long ones clipped."""
    share = max(_SHORTEST, LONGEST // max(1, len(spoken)))
    return [
        {"number": message.number, "speaker": message.speaker, "text": clipped(message.text, share)}
        for message in spoken
    ]


def numbered(texts: Sequence[str]) -> list[dict[str, object]]:
    """Texts as data for a question, long ones clipped."""
    share = max(_SHORTEST, LONGEST // max(1, len(texts)))
    return [
        {"number": number, "text": clipped(text, share)} for number, text in enumerate(texts, 1)
    ]


def clipped(text: str, longest: int = LONGEST) -> str:
    """A text of about `longest` characters at most, cut in the middle."""
    if len(text) <= longest:
        return text
    half = longest // 2
    return f"{text[:half]} [... {len(text) - longest} characters left out ...] {text[-half:]}"


def about_each(
    ask: Ask, prompt: str, item: Schema, spoken: Sequence[SpokenMessage], who: str, **values: Any
) -> dict[int, dict[str, Any]]:
    """Ask the model about each message of a speaker; its answers by number.

    One question asks about up to `MOST_ITEMS` messages, with what was said before them.
    """
    answers_found: dict[int, dict[str, Any]] = {}
    indexes = [index for index, message in enumerate(spoken) if message.speaker == who]
    for part in parts(indexes):
        shown = spoken[max(0, part[0] - _BEFORE) if len(indexes) > MOST_ITEMS else 0 : part[-1] + 1]
        schema = each(prompt, [spoken[index].number for index in part], item)
        shared = {"who": who, "messages": as_data(shown), **values}
        answers = answer(ask, prompt, schema, **shared)["answers"]
        answers_found |= {int(number): judged for number, judged in answers.items()}
    return answers_found


def about_texts(
    ask: Ask, prompt: str, item: Schema, texts: Sequence[str], **values: Any
) -> list[dict[str, Any]]:
    """Ask the model about each text, about equal ones only once."""
    different = list(dict.fromkeys(texts))
    by_text: dict[str, dict[str, Any]] = {}
    for part in parts(different):
        schema = each(prompt, range(1, len(part) + 1), item)
        answers = answer(ask, prompt, schema, texts=numbered(part), **values)["answers"]
        by_text |= {text: answers[str(number)] for number, text in enumerate(part, 1)}
    return [by_text[text] for text in texts]


def parts(items: Sequence[ItemT]) -> Iterator[Sequence[ItemT]]:
    """Items in order, as many at a time as one question asks about."""
    for start in range(0, len(items), MOST_ITEMS):
        yield items[start : start + MOST_ITEMS]


def speaker(function: str, who: str) -> str:
    """The speaker that a rule names; raises ValueError."""
    name = SPEAKERS.get(who.lower())
    if name is None:
        raise ValueError(f"{function}() knows user and assistant, not {who!r}")
    return name


SPEAKERS: Mapping[str, str] = {"user": "User", "assistant": "Assistant", "chatbot": "Assistant"}
"""How rules name the two sides; ``chatbot`` is the assistant, too."""
