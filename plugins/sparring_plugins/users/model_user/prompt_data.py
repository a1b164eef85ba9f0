"""What agents that ask a model share: conversation and user as data, sentences, seeds."""

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, JsonValue

from sparring.interfaces.roles import UserTask
from sparring.model.talk import Choice, Listen, Observation, Turn, act_text
from sparring_plugins.language.text import plain
from sparring_plugins.language.yaml_files import bundled_yaml
from sparring_plugins.prompting.data_blocks import conversation
from sparring_plugins.users.agenda.agents import missing_outputs
from sparring_plugins.users.profiles.interaction_styles import (
    language_of_turn,
    names_of,
    styles_of_case,
)

# --- The sentences of the user's prompt that depend on style, situation, detail and cooperation


class PromptSentences(BaseModel):
    """Sentences of the user's prompt, by style, situation, personal detail, cooperation."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    styles: dict[str, str]
    situations: dict[str, str]
    personal_details: dict[str, str]
    cooperative: dict[str, str]


@lru_cache(maxsize=1)
def prompt_sentences() -> PromptSentences:
    """The sentences beside this module."""
    data = bundled_yaml("sparring_plugins.users.model_user", "prompt_sentences.yaml")
    return PromptSentences.model_validate(data)


# --- Data


PROMPTS = Path(__file__).with_name("prompts")

_MOST = 30
_LABEL = 200


def seed_of(seed: int, number: int) -> int:
    """The seed of the n-th question of a case, small enough for every service."""
    digest = sha256(f"{seed}/{number}".encode()).digest()
    return int.from_bytes(digest[:4], "big") >> 1


def transcript(turns: Sequence[Turn], *, user: str = "person") -> list[dict[str, JsonValue]]:
    """What was said, numbered by turns from 1, without markup and invisible characters."""
    return conversation([_read(turn) for turn in turns], user=user)


def chat(turns: Sequence[Turn]) -> list[dict[str, JsonValue]]:
    """Return what was said, in order, as the user sees it: no numbers, no speaker's key.

    A message takes half the tokens that it takes in `transcript`, and each prompt begins as the
    one before it, so that a service which keeps prefixes reads only what is new.
    """
    messages: list[dict[str, JsonValue]] = []
    for turn in map(_read, turns):
        if not isinstance(turn.act, Listen):
            messages.append({"you": act_text(turn.act)})
        seen = turn.observation
        messages.append({"chatbot": None if seen is None else seen.text})
        if seen is not None and seen.choices:
            messages[-1]["choices"] = [choice.label for choice in seen.choices]
    return messages


def said_by_app(observation: Observation | None) -> str:
    """All that a person reads of an answer: its plain text first, then choices and pictures."""
    if observation is None:
        return ""
    parts = [plain(observation.text), *labels(observation.choices), *_pictures(observation)]
    return "\n".join(part for part in parts if part)


def labels(choices: Sequence[Choice]) -> list[str]:
    """The labels of the choices that can be pressed, as they are shown."""
    return [plain(choice.label)[:_LABEL] for choice in pressable(choices)]


def pressable(choices: Sequence[Choice]) -> list[Choice]:
    """The choices that can be pressed: not mere links, nor any without a label."""
    labelled = [choice for choice in choices if plain(choice.label)]
    return [c for c in labelled if c.value is not None or c.url is None][:_MOST]


def spoken_turns(turns: Sequence[Turn]) -> int:
    """How many turns the user took."""
    return sum(not isinstance(turn.act, Listen) for turn in turns)


def _read(turn: Turn) -> Turn:
    seen = turn.observation
    if seen is None:
        return turn
    shown = [plain(seen.text), *(f"({picture})" for picture in _pictures(seen))]
    read = Observation(
        text="\n".join(part for part in shown if part),
        choices=tuple(Choice(label=label) for label in labels(seen.choices)),
    )
    return turn.model_copy(update={"observation": read})


def _pictures(observation: Observation) -> list[str]:
    media = observation.attachments[:_MOST]
    texts = [plain(item.description or item.media_type) for item in media]
    return [text[:_LABEL] for text in texts if text]


def styles_in_words(names: frozenset[str]) -> list[str]:
    """How the user writes, one sentence per style; the default one if no style is known."""
    sentences = prompt_sentences()
    spoken = [words for name, words in sentences.styles.items() if name in names]
    return spoken or [sentences.styles["default"]]


def situation_in_words(task: UserTask) -> str:
    """What the user should make of the last answer; empty if it goes on as it likes."""
    return prompt_sentences().situations.get(task.situation, "")


def style_names(task: UserTask) -> frozenset[str]:
    """The names of the styles in which the case is played."""
    return names_of(styles_of_case(task.style, task.seed))


def language_now(task: UserTask) -> str:
    """The language that the user speaks next."""
    styles = styles_of_case(task.style, task.seed)
    own = on_one_line(task.language) or "English"
    return language_of_turn(styles, own, task.seed, spoken_turns(task.turns))


def outputs_in_words(task: UserTask) -> list[str]:
    """Return what the user still wants to learn, one phrase per output."""
    wanted = missing_outputs(task)
    unknown = (output for output in task.outputs if output.name in wanted)
    return lines(output.description or output.name.replace("_", " ") for output in unknown)


def lines(texts: Iterable[str]) -> list[str]:
    """Texts of the author, each on a line of its own in the prompt; empty ones left out."""
    return [line for text in texts if (line := on_one_line(text))]


def on_one_line(text: str) -> str:
    """A text without line breaks."""
    return " ".join(text.split())


AnswerT = TypeVar("AnswerT")


def once(check: Callable[[AnswerT], str | None]) -> Callable[[AnswerT], str | None]:
    """The same check for one question, silent after it has sent an answer back.

    It is for checks that go by mere signs: being wrong twice would lose the case.
    """
    sent_back = False

    def checked(answer: AnswerT) -> str | None:
        nonlocal sent_back
        if sent_back:
            return None
        reason = check(answer)
        sent_back = reason is not None
        return reason

    return checked
