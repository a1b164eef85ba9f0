"""A conversation as a person reads it, as plain data for a prompt."""

from collections.abc import Sequence

from pydantic import JsonValue

from sparring.model.talk import Choice, Listen, Observation, Turn
from sparring_plugins.language.text import plain
from sparring_plugins.prompting.data_blocks import conversation

_MOST = 30
_LABEL = 200


def transcript(turns: Sequence[Turn], *, user: str = "person") -> list[dict[str, JsonValue]]:
    """What was said, numbered by turns from 1, without markup and invisible characters."""
    return conversation([_read(turn) for turn in turns], user=user)


def said_by_app(observation: Observation | None) -> str:
    """All that a person reads of an answer: its plain text first, then choices and pictures."""
    if observation is None:
        return ""
    parts = [plain(observation.text), *labels(observation.choices), *_pictures(observation)]
    return "\n".join(part for part in parts if part)


def labels(choices: Sequence[Choice]) -> list[str]:
    """The labels of the choices that can be pressed, as they are shown."""
    return [plain(one.label)[:_LABEL] for one in pressable(choices)]


def pressable(choices: Sequence[Choice]) -> list[Choice]:
    """The choices that can be pressed: not mere links, nor any without a label."""
    found = [one for one in choices if one.value is not None or one.url is None]
    return [one for one in found if plain(one.label)][:_MOST]


def spoken_turns(turns: Sequence[Turn]) -> int:
    """How many turns the user took."""
    return sum(not isinstance(turn.act, Listen) for turn in turns)


def _read(turn: Turn) -> Turn:
    seen = turn.observation
    if seen is None:
        return turn
    shown = [plain(seen.text), *(f"({one})" for one in _pictures(seen))]
    read = Observation(
        text="\n".join(part for part in shown if part),
        choices=tuple(Choice(label=label) for label in labels(seen.choices)),
    )
    return turn.model_copy(update={"observation": read})


def _pictures(observation: Observation) -> list[str]:
    found = [plain(one.description or one.media_type) for one in observation.attachments[:_MOST]]
    return [text[:_LABEL] for text in found if text]
