"""The generator `rules`: what could be said, read from what the app said."""

import re
from collections.abc import Iterator, Sequence
from typing import ClassVar

from pydantic import Field

from sparring.interfaces.agent import Agent
from sparring.interfaces.plugin import PluginConfig
from sparring.model.talk import Observation
from sparring_plugins.language.text import folded, plain, sentences
from sparring_plugins.users.agenda.app_reply import Question, Reading, is_no, is_yes, read_answer
from sparring_plugins.voice.behaviour.names import LONGEST, input_key
from sparring_plugins.voice.outputs.capabilities import capabilities
from sparring_plugins.voice.outputs.dialogue_acts import gist_of
from sparring_plugins.voice.outputs.listed_choices import choices_in, listed_in
from sparring_plugins.voice.outputs.plausible_answers import answers_to, never_mind
from sparring_plugins.voice.outputs.quoted_phrases import instructed, quoted
from sparring_plugins.voice.outputs.words import significant
from sparring_plugins.voice.roles.explorer import (
    Candidate,
    Generated,
    GenerateTask,
    InputOrigin,
    OutputKind,
)

WORDS = "words"
"""The slot of what is said only because the app said it."""

_SHORT = 3
_MOST_WORDS = 8
Found = tuple[OutputKind, list[Candidate]]

_REQUEST = re.compile(
    r"\b(?:tell me|give me|say|name|choose|pick|guess|think of)\s+(?:your|an?|any|some|one)\b",
    re.IGNORECASE,
)
_YES_NO = (Candidate(text="yes"), Candidate(text="no"))
_YES_NO_KINDS = ("offer", "fact", "confirm", "helped")


class RulesGeneratorConfig(PluginConfig):
    """Settings of the generator `rules`: `most` inputs of one state."""

    most: int = Field(default=24, ge=1, le=200)


class RulesGenerator(Agent[GenerateTask, Generated, RulesGeneratorConfig]):
    """Role ``generator``: inputs by the type of the output, without a language model.

    Yes and no where the app asks for agreement; the things it names where it wants a choice; the
    phrases it says can be said; plausible values where it wants to know something. An output may
    be of several types at once. What was tried in vain is not proposed again: further values are,
    where there are any, and the words of the question.
    """

    Config: ClassVar[type[PluginConfig]] = RulesGeneratorConfig
    role: ClassVar[str] = "generator"

    async def act(self, task: GenerateTask) -> Generated:
        expects, found = read_output(task.observation, task.seed, task.language)
        if task.everything or expects is OutputKind.OTHER:
            found += _named(task.observation, found)
        found += _from_document(task)
        found += [Candidate(text=one, origin=InputOrigin.SAMPLE) for one in task.samples]
        if task.failed:
            found += _second_thoughts(task)
        known = {input_key(one) for one in task.known}
        kept: dict[str, Candidate] = {}
        for one in found:
            key = input_key(one.text)
            if key and key not in known and len(one.text) <= LONGEST:
                kept.setdefault(key, one)
        reason = f"an output of the type {expects.value.replace('_', ' ')}"
        return Generated(
            expects=expects, candidates=tuple(kept.values())[: self.config.most], reason=reason
        )


def read_output(observation: Observation, seed: int, language: str = "English") -> Found:
    """The type of an output and the inputs that it suggests by itself."""
    reading = read_answer(observation)
    text = plain(observation.text)
    pressed = [
        Candidate(text=choice.label[:LONGEST], origin=InputOrigin.CHOICE)
        for choice in reading.choices
        if folded(choice.label) or choice.label.strip()
    ]
    parts: list[Found] = []
    if pressed:
        parts.append((OutputKind.SELECTION, pressed))
    parts += list(_parts(reading, text, seed, language))
    kinds = list(dict.fromkeys(kind for kind, _ in parts if kind is not OutputKind.OTHER))
    expects = OutputKind.OTHER if not kinds else kinds[0] if len(kinds) == 1 else OutputKind.MIXED
    unique = {input_key(one.text): one for _, found in reversed(parts) for one in reversed(found)}
    ordered = [input_key(one.text) for _, found in parts for one in found]
    return expects, [unique[key] for key in dict.fromkeys(ordered) if key]


def _parts(reading: Reading, text: str, seed: int, language: str) -> Iterator[Found]:
    said = sentences(text)
    phrases = [one for sentence in said for one in instructed(sentence)]
    listed = listed_in(text)
    if listed:
        yield OutputKind.SELECTION, [Candidate(text=one) for one in listed]
    for question in reading.questions:
        yield from _of_question(question, phrases, seed, language, bool(listed or reading.choices))
    asked = {question.text for question in reading.questions}
    for sentence in said:
        if sentence not in asked and _requests(sentence):
            answers = answers_to(sentence, seed, language)
            if answers:
                yield OutputKind.WH, answers
    if phrases:
        yield OutputKind.INSTRUCTION, [Candidate(text=one) for one in phrases]
    elif not reading.choices:
        for sentence in said:
            options = [] if sentence in asked else choices_in(sentence, asking=False)
            if options:
                yield OutputKind.SELECTION, [Candidate(text=one) for one in options]


def _of_question(
    question: Question, phrases: Sequence[str], seed: int, language: str, named: bool
) -> Iterator[Found]:
    if question.kind in ("more", "smalltalk"):
        return
    options = [] if phrases else choices_in(question.text, asking=True)
    if options and all(is_yes(one) or is_no(one) for one in options):
        options = []
    polar = question.kind in _YES_NO_KINDS
    if options:
        yield OutputKind.SELECTION, [Candidate(text=one) for one in options]
    if polar:
        yield OutputKind.YES_NO, list(_YES_NO)
    elif not options and not (phrases and not _information(question.text)) and not named:
        answers = answers_to(question.text, seed, language)
        if answers:
            yield OutputKind.WH, answers
        elif not phrases and question.text:
            yield _kind_of(question.text), [never_mind(seed)]


def _kind_of(question: str) -> OutputKind:
    """What a question expects that nobody knows an answer to: a generic one is open to anything."""
    asks = gist_of(question).asks
    generic = bool(asks) and all(ask.generic for ask in asks)
    return OutputKind.OTHER if generic else OutputKind.WH


def _requests(sentence: str) -> bool:
    """Whether a sentence tells the user to name something; not so the phrases that can be said."""
    said = [folded(one) for one in instructed(sentence)]
    return any(
        not any(folded(match[0]) in phrase for phrase in said)
        for match in _REQUEST.finditer(sentence)
    )


def _information(text: str) -> bool:
    """Whether a sentence wants a kind of thing, though it says what can be said."""
    said = folded(text)
    return any(
        f" {cue} " in f" {said} " for cue in ("your", "a number", "a letter", "number between")
    )


def _named(observation: Observation, found: Sequence[Candidate]) -> list[Candidate]:
    """What else an app names: phrases in quotation marks, and what it says it can do."""
    text = plain(observation.text)
    more = quoted(text)
    for sentence in sentences(text):
        if not sentence.endswith("?"):
            more += capabilities(sentence)
    known = {input_key(one.text) for one in found}
    return [
        Candidate(text=one, origin=InputOrigin.HELP) for one in more if input_key(one) not in known
    ]


def _from_document(task: GenerateTask) -> list[Candidate]:
    """Phrases of the app's own description: quoted ones, and those it says can be said."""
    if not task.document:
        return []
    text = plain(task.document)
    found = quoted(text)
    for sentence in sentences(text):
        found += [*instructed(sentence), *capabilities(sentence)]
    return [Candidate(text=one, origin=InputOrigin.DOCUMENT) for one in dict.fromkeys(found)]


def _second_thoughts(task: GenerateTask) -> list[Candidate]:
    """What else may be said: other values, and words of the output."""
    found: list[Candidate] = []
    for step in (1, 2):
        found += read_output(task.observation, task.seed + 100 * step, task.language)[1]
    reading = read_answer(task.observation)
    for question in reading.questions:
        found += [Candidate(text=one) for one in choices_in(question.text, asking=False)]
    found += [Candidate(text=one) for one in reading.options if len(one.split()) <= 4]
    vain = [one.text for one in task.failed if len(one.text.split()) <= _SHORT]
    found += [Candidate(text=f"say {one}", slot=WORDS) for one in vain if quoting(task, one)]
    found.append(never_mind(task.seed))
    found += [Candidate(text=one, slot=WORDS) for one in words_of(task.observation.text)]
    return found


def quoting(task: GenerateTask, phrase: str) -> bool:
    """Whether an output says that a phrase can be said: some apps want the verb as well."""
    return f" say {folded(phrase)} " in f" {folded(plain(task.observation.text))} "


def words_of(output: str) -> list[str]:
    """The words of an output with a meaning, those outside of its questions first."""
    told: list[str] = []
    asked: list[str] = []
    for sentence in sentences(plain(output)):
        head, comma, tail = sentence.rpartition(", ")
        rest = [(tail, asked), (head, told)] if comma else [(sentence, asked)]
        for text, into in rest if sentence.endswith("?") else [(sentence, told)]:
            into += [word for word in folded(text).split() if len(word) > 2 and significant(word)]
    return list(dict.fromkeys([*told, *asked]))[:_MOST_WORDS]
