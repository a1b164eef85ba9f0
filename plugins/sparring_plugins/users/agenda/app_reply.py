"""What an app's answer does: which questions it asks, and what else it tells the user."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from sparring.model.talk import Choice, Observation
from sparring_plugins.language.stems import concepts
from sparring_plugins.language.text import clipped, folded, plain, sentences
from sparring_plugins.language.vocabulary import cue_phrases, has_cue, starts_with_cue
from sparring_plugins.users.agenda import options as choosing
from sparring_plugins.users.extraction.exchanges import statements, tells
from sparring_plugins.users.extraction.media import in_words

Kind = Literal["more", "helped", "smalltalk", "confirm", "offer", "fact", "select", "open"]
"""What a question wants.

``more``: the next thing the user wants. ``helped``: whether that was the answer. ``confirm``: that
what was said is right. ``offer``: whether the user wants something. ``fact``: yes or no about the
user. ``select``: one of its options. ``open``: anything else.
"""

_ASIDE = re.compile(r"\?\s{0,3}[\[(]([^()\[\]\n]{3,200})[\])]")

_LACK = re.compile(
    r"no (?!change|cancel|edit|go|start|continue|wait|stop|back|restart|modify|skip)\w+",
    re.IGNORECASE,
)
"""What names the lack of a thing, such as "No internet", and declines nothing."""

_SAY_YES = re.compile(
    r"\b(?:type|enter|say|reply|answer|write|send|press|with|tippen|schreiben|tapez|repondez|ecrivez"
    r"|scriva|scrivi|digite|responda|escribe|escriba|responde) (?:with )?(?:yes|ja|oui|si|sim)\b"
)

MOST_QUESTIONS = 3
"""Questions of one answer that are answered: the last ones."""


@dataclass(frozen=True, slots=True)
class Question:
    """One question or instruction of the app, with the options it names and their numbers."""

    text: str
    kind: Kind
    options: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()

    @property
    def numbered(self) -> bool:
        """Whether the options have numbers to choose them by."""
        return bool(self.marks) and all(mark.isdigit() for mark in self.marks)

    @property
    def words(self) -> str:
        """The question, folded."""
        return folded(self.text)


@dataclass(frozen=True, slots=True)
class Reading:
    """An answer as the user takes it.

    `told` are its sentences that ask nothing, `informative` says whether these tell anything,
    `options` are those named anywhere in it, `choices` those that can be pressed. What pictures,
    files and cards show counts as said, by their descriptions; `attached` says that there are any.
    """

    text: str
    questions: tuple[Question, ...]
    told: tuple[str, ...]
    options: tuple[str, ...]
    choices: tuple[Choice, ...]
    fallback: bool
    refusal: bool
    done: bool
    farewell: bool
    informative: bool
    attached: bool = False

    @property
    def words(self) -> str:
        """The whole answer, folded."""
        return folded(self.text)

    @property
    def empty(self) -> bool:
        """Whether there is nothing to see or press."""
        return not self.text and not self.choices and not self.attached

    @property
    def turns_down(self) -> bool:
        """Whether it was understood and says no to what the user asked for or gave."""
        sorry = self.refusal or has_cue(self.words, "turned_down")
        return sorry and not self.fallback and not self.done

    @property
    def menu(self) -> tuple[str, ...]:
        """The labels of what can be pressed, or chosen by a number."""
        if self.choices:
            return tuple(choice.label for choice in self.choices)
        return next((one.options for one in self.questions if one.marks), ())

    @property
    def goes_on(self) -> bool:
        """Whether it asks what else the user wants, which "What do you need?" does not."""
        return any(q.kind == "more" and has_cue(q.words, "more") for q in self.questions)

    def asks(self, *kinds: Kind) -> bool:
        """Whether one of the questions is of these kinds."""
        return any(question.kind in kinds for question in self.questions)


def read_answer(observation: Observation | None) -> Reading:
    """Read an answer; None is an answer that never came."""
    if observation is None:
        return _read("", ())
    pressable = tuple(
        choice
        for choice in observation.choices[: choosing.MOST]
        if choice.value is not None or choice.url is None
    )
    reading = _read(clipped(in_words(observation)), pressable)
    return replace(reading, attached=True) if observation.attachments else reading


@lru_cache(maxsize=512)
def _read(raw: str, choices: tuple[Choice, ...]) -> Reading:
    text = _ASIDE.sub(r" (\1)?", plain(raw))
    found = sentences(text)
    words = folded(text)
    questions = _questions(text, found, choices)
    asked = {question.text for question in questions}
    told = tuple(one for one in statements(text) if one not in asked)
    fallback = not tells(text) if words else False
    return Reading(
        text=text,
        questions=questions,
        told=told,
        options=_named_options(text, found, choices),
        choices=choices,
        fallback=fallback,
        refusal=has_cue(words, "refusal"),
        done=not fallback and (has_cue(words, "done") or any(_reports(one) for one in told)),
        farewell=has_cue(words, "farewell"),
        informative=not fallback and any(_informs(one) for one in told),
    )


def _reports(sentence: str) -> bool:
    """Whether a sentence says that something was done: "Your card has been blocked", "Booked."."""
    words = f" {_without_courtesy(folded(sentence))} "
    if starts_with_cue(words.strip(), "participle") and not sentence.rstrip().endswith("?"):
        return True
    return words.startswith((" your ", " tu ", " su ")) and any(
        cue in words for cue in (" has been ", " have been ", " ha sido ", " han sido ")
    )


def _informs(sentence: str) -> bool:
    """Whether a sentence says something of the matter, not only a courtesy."""
    words = folded(sentence)
    short = len(words.split()) <= 7
    empty = any(has_cue(words, cue) for cue in ("farewell", "sorry", "help", "more", "smalltalk"))
    thanks = starts_with_cue(words, "courtesy") and len(words.split()) <= 3
    said = bool(concepts(sentence)) or has_cue(words, "affirm") or has_cue(words, "deny")
    return said and not (short and empty) and not thanks


def _questions(
    text: str, found: Sequence[str], choices: tuple[Choice, ...]
) -> tuple[Question, ...]:
    lines = text.split("\n")
    items, counted = choosing.listed(lines), choosing.marks(lines)
    asking: list[tuple[str, Kind]] = [
        (one, kind)
        for index, one in enumerate(found)
        if (kind := _kind(one, last=index == len(found) - 1)) is not None
    ]
    if items and len(asking) > 1:  # the list's heading, and how to choose from it
        asking = [(" ".join(one for one, _ in asking), asking[-1][1])]
    named = [choosing.inline(one, asking=False) for one in found if _kind(one, last=False) is None]
    loose = next((one for one in reversed(named) if one), ())
    labels = tuple(plain(choice.label)[:200] or choice.label[:200] for choice in choices)
    questions: list[Question] = []
    for index, (one, kind) in enumerate(asking):
        own = choosing.inline(one, asking=True) if kind != "more" else ()
        if index == len(asking) - 1:
            own = labels or own or items or (loose if kind == "open" else ())
        questions.append(
            Question(one, _with_options(kind, own), own, counted if own == items else ())
        )
    if not questions and (labels or (items and has_cue(folded(text), "options"))):
        options = labels or items
        questions.append(
            Question(
                "", _with_options("open", options), options, counted if options == items else ()
            )
        )
    return tuple(questions[-MOST_QUESTIONS:])


def _named_options(text: str, found: Sequence[str], choices: tuple[Choice, ...]) -> tuple[str, ...]:
    """All options that an answer names, wherever."""
    named = [choosing.inline(one, asking=_kind(one, last=False) is not None) for one in found]
    labels = tuple(choice.label[:200] for choice in choices)
    listed = choosing.listed(text.split("\n"))
    return tuple(dict.fromkeys((*labels, *listed, *(one for item in named for one in item))))


def _with_options(kind: Kind, options: tuple[str, ...]) -> Kind:
    if len(options) < 2:
        return kind
    if all(is_yes(option) or is_no(option) for option in options):
        return kind if kind in ("offer", "fact", "more", "helped") else "confirm"
    return kind if kind in ("more", "confirm", "helped") else "select"


def is_yes(label: str) -> bool:
    """Whether an option's label agrees."""
    words = folded(label)
    return starts_with_cue(words, "positive") and len(words.split()) <= 4 and not is_no(label)


def is_no(label: str) -> bool:
    """Whether an option's label declines."""
    words = folded(label)
    if _LACK.fullmatch(label.strip()) and concepts(label):
        return False
    return starts_with_cue(words, "negative") and len(words.split()) <= 4


def _kind(sentence: str, *, last: bool) -> Kind | None:
    """What a sentence asks; None where it asks nothing."""
    marked = sentence.rstrip("\"')* ").endswith("?") or "¿" in sentence
    asked = sentence[sentence.rfind("¿") + 1 :] if "¿" in sentence else sentence
    words = folded(asked)
    rest = _without_courtesy(words)
    if (not rest and not marked) or sentence.lstrip().startswith(("{", "[")):
        return None
    open_end = last and not sentence.rstrip().endswith((".", "!", "…"))
    instructs = starts_with_cue(rest, "imperative")
    begins = starts_with_cue(rest, "wh") or (starts_with_cue(rest, "polar") and " you" in words)
    label = last and sentence.rstrip().endswith(":") and len(words.split()) <= 6
    if not (marked or instructs or label or (begins and open_end)):
        invites = has_cue(words, "inviting") and not has_cue(words, "sorry")
        return "more" if invites and any(has_cue(words, cue) for cue in ("help", "more")) else None
    return _kind_of_question(words, rest, instructs)


def _kind_of_question(words: str, rest: str, instructs: bool) -> Kind:
    if words in cue_phrases(words, "what_else"):
        return "more"
    for cue, kind in _BY_CUE:
        if has_cue(words, cue):
            return kind
    about_all = _confirms_whole(words)
    if starts_with_cue(rest, "wh") or _wh_soon(rest):
        return "confirm" if about_all else "open"
    polar = starts_with_cue(rest, "polar")
    serving = has_cue(rest, "serving")
    if (
        has_cue(words, "request")
        and not serving
        and not about_all
        and (polar or instructs)
        and not _yes(words)
    ):
        return "open"
    if starts_with_cue(words, "lead") and not polar:
        return "confirm"
    if has_cue(rest, "confirm") or _tagged(words):
        return "confirm"
    if polar or rest.startswith("no "):
        wanting = has_cue(rest, "wanting") or starts_with_cue(rest, "some")
        return "offer" if wanting else "fact"
    return "open"


def _confirms_whole(words: str) -> bool:
    """Whether an order or the like is to be confirmed as a whole: ``confirm your booking``."""
    verbs = ("confirm", "confirmer", "confirmez", "confirmar", "confirme", "confermare", "conferma",
             "bestatigen")  # fmt: skip
    return any(
        f"{verb} {whole}" in words or f"{whole} {verb}" in words
        for verb in verbs
        for whole in cue_phrases(words, "whole")
    )


_BY_CUE: tuple[tuple[str, Kind], ...] = (
    ("more", "more"),
    ("help", "more"),
    ("helped", "helped"),
    ("smalltalk", "smalltalk"),
)


def _yes(words: str) -> bool:
    """Whether an instruction is to answer yes."""
    return any(f" {cue} " in f" {words} " for cue in ("yes", "si o no", "y n"))


def asks_for_yes(words: str) -> bool:
    """Whether an instruction says that "yes" confirms: ``type YES to confirm or NO to cancel``."""
    return bool(_SAY_YES.search(words))


def _wh_soon(rest: str) -> bool:
    """Whether a question word stands among the first words: "for what time", "and in which"."""
    start = rest.split()[:4]
    wh = cue_phrases(rest, "wh")
    return any(word in wh for word in start) and "what else" not in rest


def _tagged(words: str) -> bool:
    parts = words.split()
    alone = 0 < len(parts) <= 2 and words in cue_phrases(words, "tag")
    return alone or (
        len(parts) > 2 and any(words.endswith(f" {tag}") for tag in cue_phrases(words, "tag"))
    )


def _without_courtesy(words: str) -> str:
    """A folded sentence without the polite words in front."""
    rest = words
    for _ in range(6):
        leads = (*cue_phrases(words, "courtesy"), *cue_phrases(words, "lead"))
        cue = next((one for one in leads if f"{rest} ".startswith(f"{one} ")), None)
        if cue is None:
            return rest
        rest = rest[len(cue) :].strip()
    return rest
