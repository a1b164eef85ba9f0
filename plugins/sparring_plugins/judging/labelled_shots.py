"""Examples for a judge from a file of labelled conversations, as a calibration has it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from pydantic import Field

from sparring.documents.checking import checked, nearest
from sparring.errors import ConfigurationError
from sparring.interfaces.plugin import BuildContext, PluginConfig
from sparring.model.talk import Listen, Turn, act_text
from sparring_plugins.judging.calibration.examples import turns_of
from sparring_plugins.judging.calibration.file_loading import VERDICTS, Written, read_examples
from sparring_plugins.judging.calibration.measures import answer_label, majority
from sparring_plugins.judging.calibration.model import Example

_LONGEST = 4_000
"""Characters of a conversation that an example shows."""


class LabelledShots(PluginConfig):
    """Which labelled examples of a file guide a judge."""

    file: str = Field(min_length=1, description="the file: YAML, JSON, JSON Lines or CSV")
    ids: tuple[str, ...] = Field(
        default=(), max_length=20, description="the examples; else the first ones of each answer"
    )
    most: int = Field(default=4, ge=1, le=20, description="how many are shown")


@dataclass(frozen=True, slots=True)
class LabelledShot:
    """A conversation with its right answer."""

    said: str
    answer: str
    because: str


def load_shots(
    labelled: LabelledShots, answers: Sequence[str], passing: Sequence[str], context: BuildContext
) -> tuple[LabelledShot, ...]:
    """Return the examples of a file that can guide a judge, in its order.

    Args:
        labelled: The file, and which of its examples.
        answers: The answers that the judge chooses from.
        passing: Those of them that pass: an example may say `pass` or `fail` instead, if only one
            answer means it.
        context: Finds the file.

    Raises:
        ConfigurationError: If the file cannot be read, or has no such example.
    """
    (path, *more) = context.files(labelled.file)
    if more:
        raise ConfigurationError(f"{labelled.file!r} names {1 + len(more)} files; name one")
    failing = [answer for answer in answers if answer not in passing]
    alone = {
        verdict: own[0]
        for verdict, own in zip(VERDICTS, (list(passing), failing), strict=True)
        if len(own) == 1
    }
    shots: list[LabelledShot] = []
    for written in _chosen(labelled, path):
        shot = _shot(written, answers, alone)
        if shot is not None:
            shots.append(shot)
        elif labelled.ids:
            what = f"needs a `conversation` in turns and one of the answers {', '.join(answers)}"
            raise ConfigurationError(written.problem(what))
    if not shots:
        listed = ", ".join(answers)
        raise ConfigurationError(
            f"{labelled.file} has no example with a `conversation` in turns that expects one of "
            f"the answers {listed}"
        )
    return tuple(shots)


def _chosen(labelled: LabelledShots, path: Path) -> list[Written]:
    """Return the examples that are named, or all of the file; raises ConfigurationError."""
    known = _by_id(path, labelled.file)
    unknown = [name for name in labelled.ids if name not in known]
    if unknown:
        hint = nearest(unknown[0], list(known))
        raise ConfigurationError(f"{labelled.file} has no example {unknown[0]!r}.{hint}")
    return [known[name] for name in labelled.ids or known]


def _shot(
    written: Written, answers: Sequence[str], alone: Mapping[str, str]
) -> LabelledShot | None:
    """Return an example; None if it has no turns or expects none of the answers."""
    example = checked(Example, written.document, written.at, data=written.data)
    label = _label(example)
    answer = label if label in answers else alone.get(label or "")
    conversation: Any = example.conversation
    if not isinstance(conversation, list) or answer is None:
        return None
    turns = turns_of(
        cast("list[Any]", conversation), written.document, (*written.at, "conversation")
    )
    return LabelledShot(transcript(tuple(turns)), answer, example.note)


def choose_shots(
    shots: Iterable[LabelledShot], turns: Sequence[Turn], most: int
) -> list[LabelledShot]:
    """Return examples for judging a conversation: as many of each answer as of the others.

    A conversation is never its own example: a judge measured on the file that also guides it would
    only have to copy the label.

    Args:
        shots: All examples there are; of each answer the first ones are taken.
        turns: The conversation that is judged.
        most: How many are shown.
    """
    own = transcript(turns)
    by_answer: dict[str, list[LabelledShot]] = {}
    for shot in shots:
        if shot.said != own:
            by_answer.setdefault(shot.answer, []).append(shot)
    chosen: list[LabelledShot] = []
    while len(chosen) < most and any(by_answer.values()):
        for queue in by_answer.values():
            if queue and len(chosen) < most:
                chosen.append(queue.pop(0))
    return chosen


def transcript(turns: Sequence[Turn]) -> str:
    """Return what was said, a line for each message, bounded."""
    lines: list[str] = []
    for turn in turns:
        if not isinstance(turn.act, Listen):
            lines.append(f"user: {act_text(turn.act)}")
        if turn.observation is not None:
            lines.append(f"chatbot: {turn.observation.text}")
    return "\n".join(lines)[:_LONGEST]


def _by_id(path: Path, name: str) -> dict[str, Written]:
    """The examples by their ids, which are their numbers if none is given."""
    return {
        str(written.data.get("id", number)): written
        for number, written in enumerate(read_examples(path, name), 1)
    }


def _label(example: Example) -> str | None:
    if example.is_labelled:
        return answer_label(example.expected)
    return majority([answer_label(said) for said in example.people.values()])
