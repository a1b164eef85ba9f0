"""The model's move for the user, and the reasons to send one back: it falls out of its part."""

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from pydantic import BaseModel, ConfigDict, Field

from sparring.interfaces.roles import UserTask
from sparring.model.talk import Act, Choice, Listen, Press, Say, act_text
from sparring_plugins.language.candidates import date_spans, find_emails, find_phones, find_times
from sparring_plugins.language.text import contains, folded, plain, sentences
from sparring_plugins.language.yaml_files import bundled_yaml
from sparring_plugins.users.agenda.profile.personal_details import private_details
from sparring_plugins.users.agenda.profile.slots import Slot, asked_slots, slots_of
from sparring_plugins.users.agenda.replies.app_reply import AppQuestion, read_app_reply
from sparring_plugins.users.agenda.state.value_matching import contradicted_slots, mentions
from sparring_plugins.users.agenda.words.phrase_book import phrases
from sparring_plugins.users.model_user.goal_ticks import GoalTicks, Tick, form_begins
from sparring_plugins.users.model_user.particulars import details_in_words
from sparring_plugins.users.model_user.prompt_data import (
    labels,
    once,
    pressable,
    said_by_app,
    styles_in_words,
)

_LABEL = re.compile(r"^\s*(?:\*\*)?(?:user|usuario|customer|client|human|me)(?:\*\*)?\s*:\s*", re.I)
"""Who speaks, which some models write before what they say: "**User**: Hi"."""
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_QUOTED = (('"', '"'), ("\u201c", "\u201d"), ("\u00ab", "\u00bb"))


class WordLists(BaseModel):
    """Signs that a model falls out of the user's part; all words are folded.

    `serving` is what only the chatbot says, `given_away` what gives the prompt away. A
    sentence of the prompt with a word of `addressed` speaks to the person. `ignorant` says that the
    user does not know or have something, `unwanted` stands before a value that it does not want.
    `scripts` and `small_words` identify languages.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    serving: tuple[str, ...]
    given_away: tuple[str, ...]
    addressed: frozenset[str]
    ignorant: tuple[str, ...]
    unwanted: frozenset[str]
    scripts: dict[str, str]
    small_words: dict[str, frozenset[str]]


@lru_cache(maxsize=1)
def word_lists() -> WordLists:
    """The word lists beside this module."""
    data = bundled_yaml("sparring_plugins.users.model_user", "word_lists.yaml")
    return WordLists.model_validate(data)


class NextMove(BaseModel):
    """What the user does next."""

    model_config = ConfigDict(extra="forbid")

    reason: str = Field(description="why, in a few words")
    goals_met: list[Tick] = Field(description="wishes newly met")
    goals_undone: list[int] = Field(
        default_factory=list[int], description="settled wishes taken back"
    )
    message: str = Field(description="may be empty")
    choice: str | None = Field(description="label of an offered choice")
    leaves: bool = Field(description="whether the user is done")

    @property
    def text(self) -> str:
        """The message without a label or quotation marks around it."""
        return message_of(self.message)


class Changed(BaseModel):
    """A value that the user changed its mind about."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(description="the name of the value, as listed")
    value: str = Field(description="what the user wants now instead")


class ChangingMove(NextMove):
    """What a user does next that may change its mind."""

    changed: list[Changed] = Field(
        default_factory=list[Changed],
        description="every listed value that the user has changed its mind about by now",
    )


def message_of(written: str) -> str:
    """A message as it is sent: no label of the speaker, no marks around it, nothing unseen."""
    text = _LABEL.sub("", _CONTROL.sub("", written)).strip()
    for opening, closing in _QUOTED:
        inner = text[1:-1]
        if len(text) > 2 and text[0] == opening and text[-1] == closing and closing not in inner:
            return inner.strip()
    return text


def pressed(move: NextMove, choices: Sequence[Choice]) -> Choice | None:
    """The offered choice that a move names, as a choice or as its whole message."""
    for name in (move.choice or "", "" if move.choice else move.text):
        choice = named(name, choices)
        if choice is not None:
            return choice
    return None


def named(name: str, choices: Sequence[Choice]) -> Choice | None:
    """The choice with a label: exactly, else but for case and punctuation."""
    label = plain(name)
    if not label:
        return None
    offered = pressable(choices)
    exact = [choice for choice in offered if plain(choice.label) == label]
    alike = [c for c in offered if folded(label) and folded(c.label) == folded(label)]
    return next(iter((*exact, *alike)), None)


def act_of(move: NextMove, choices: Sequence[Choice], *, press: bool) -> Act | None:
    """What the user does: press a choice (or type it), say the message; None to leave.

    A choice that cannot be pressed is an item of a list in plain text, and typed.
    """
    choice = pressed(move, choices)
    if choice is not None and press:
        return Press(label=choice.label, value=choice.value)
    text = plain(choice.label) if choice is not None else move.text or plain(move.choice or "")
    return Say(text=text) if text else None


# --- Values and languages of a message


def other_value(text: str, slots: Sequence[Slot]) -> tuple[Slot, str] | None:
    """The first variable that a text gives another value than the case has, with that value.

    Times, dates and counts are compared by what they mean, phone numbers and addresses by their
    characters, words with the other values that the variable might have had. A text that names
    several of those is a question or a list, and one that says "no" or "instead of" means none.
    """
    for slot in slots:
        other = _other_contact(text, slot) or _other(text, slot, slots)
        if other:
            return slot, other
    return None


def _other_contact(text: str, slot: Slot) -> str | None:
    """Another phone number or e-mail address than the variable's."""
    contacts = find_phones(text) if "phone" in slot.holds else []
    contacts += find_emails(text) if "email" in slot.holds else []
    own = {_bare(value) for value in slot.values}
    others = [c.text for c in contacts if not any(_bare(c.text) in value for value in own)]
    return others[0] if others and len(others) == len(contacts) else None


def _bare(text: str) -> str:
    return "".join(char for char in text.casefold() if char.isalnum())


def _other(text: str, slot: Slot, slots: Sequence[Slot]) -> str | None:
    """What a text says instead of a slot's value; None if in doubt."""
    words = folded(text)
    if slot.kinds:
        alike = [
            value
            for other_slot in slots
            if other_slot.kinds & slot.kinds
            for value in other_slot.values
        ]
        if any(mentions(words, value) for value in alike) or not contradicted_slots(text, [slot]):
            return None
        return "something else"
    if len(slot.values) == 1 and mentions(words, slot.values[0]):
        return None
    return _only_other_value(
        words, slot, [value for other_slot in slots for value in other_slot.values]
    )


def _only_other_value(words: str, slot: Slot, own: Sequence[str]) -> str | None:
    """The one other value of a slot's domain in a folded text, unless the user does not want it."""
    rest = f" {words} "
    for value in sorted(own, key=len, reverse=True):
        rest = rest.replace(f" {folded(value)} ", " ; ")
    own_words = {folded(value) for value in own}
    others = [
        value
        for value in slot.domain
        if folded(value) not in own_words and _is_word(value) and mentions(rest.strip(), value)
    ]
    if len(others) != 1:
        return None
    before = rest[: max(0, rest.find(f" {folded(others[0])}"))].split()[-3:]
    return None if word_lists().unwanted & set(before) else others[0]


def _is_word(value: str) -> bool:
    """Whether a value is a word, and not a number or a single letter."""
    return sum(char.isalpha() for char in value) >= 3


_ENOUGH = 3
_LETTERS = 12


def other_language(text: str, wanted: str, *, known: str = "") -> str | None:
    """The language, or script, that a text is in instead of `wanted`; None if in doubt.

    Scripts are recognised by their letters, some languages of Latin script by their small words.
    `known` has words that may be said in any language, such as the author's own goals.
    """
    letters = [char for char in text[:2_000] if char.isalpha()]
    if len(letters) < _LETTERS:
        return None
    script = word_lists().scripts.get(wanted.split(" (")[0].casefold(), "LATIN")
    latin = sum(_is_of("LATIN", char) for char in letters) / len(letters)
    if script != "LATIN":
        known_words = set(folded(known).split())
        new = [word for word in folded(text).split() if word.isascii() and word not in known_words]
        return "Latin letters" if latin > 0.9 and len(new) >= _ENOUGH else None
    if latin < 0.3:
        return "another script"
    return _other_small_words(text, wanted, known)


def _other_small_words(text: str, wanted: str, known: str) -> str | None:
    languages = _small_words()
    if wanted not in languages:
        return None
    known_words = set(folded(known).split())
    said = [word for word in folded(text).split() if word not in known_words]
    counts = {name: sum(word in words for word in said) for name, words in languages.items()}
    best = max(counts, key=lambda name: counts[name])
    return best if best != wanted and counts[best] >= _ENOUGH + 3 * counts[wanted] else None


@lru_cache(maxsize=1)
def _small_words() -> dict[str, frozenset[str]]:
    """Small words that only one of the languages has."""
    lists = word_lists().small_words
    return {
        name: words - frozenset().union(*(lists[other] for other in lists if other != name))
        for name, words in lists.items()
    }


@lru_cache(maxsize=4096)
def _is_of(script: str, char: str) -> bool:
    return script in re.split(r"[ -]", unicodedata.name(char, ""))


MOST = 1_500
"""Characters of a message; with long phrases twice as many."""

RUN = 5
"""Words of a sentence that nobody repeats by coincidence."""

_HOLES = re.compile(
    r"\{\{?[^{}\n]{0,60}\}\}?|<[a-z][a-z _-]{1,40}>"
    r"|\[(?:(?:your|my|the|insert|enter|any|some)\b[^\[\]\n]{0,40}|[^\[\]\n]{0,20}\b(?:name|date|"
    r"time|address|number|phone|e-?mail|city|product|amount|size|order)\b[^\[\]\n]{0,10})\]",
    re.IGNORECASE,
)
"""A place that the model left open: "[your name]"."""
_SPEAKER = re.compile(
    r"^\W{0,3}(?:assistant|chatbot|bot|ai|agent|system|support|asistente)\W{0,2}\s*:", re.I | re.M
)
"""A model that goes on with the app's part: "Assistant: Which size?"."""


MOST_REASONS = 5
"""Reasons of one check that are sent to the model."""


def _is_ignorant(words: str, language: str) -> bool:
    """Whether a folded message says that the user does not know or have what is asked for."""
    known = (*map(folded, phrases(language).unknown), *word_lists().ignorant)
    return any(contains(words, phrase) for phrase in known)


@dataclass(frozen=True)
class MoveChecks:
    """What a move of the user is held against.

    `telltale` are sentences of the prompt that the user would not say, folded. `styles` are the
    names of the styles of the case.
    """

    task: UserTask
    language: str
    styles: frozenset[str] = frozenset()
    telltale: tuple[str, ...] = ()

    def checkers(self) -> tuple[Callable[[NextMove], str | None], ...]:
        """The checks of one question, those that go by mere signs only once."""
        return (
            self.says_something,
            self.begins,
            self.presses_what_is_offered,
            self.leaves_no_blank,
            self.is_the_user,
            self.is_not_too_long,
            once(self.gives_nothing_away),
            once(self.says_it_anew),
            once(self.keeps_to_its_values),
            once(self.speaks_the_language),
            once(self.leaves_with_reason),
        )

    @property
    def choices(self) -> Sequence[Choice]:
        """What can be pressed now."""
        last = self.task.turns[-1].observation if self.task.turns else None
        return last.choices if last else ()

    def says_something(self, move: NextMove) -> str | None:
        """Whether there is anything to do."""
        if move.text or move.leaves or move.choice:
            return None
        return "There is no message: write one, press a choice that is offered, or leave."

    def begins(self, move: NextMove) -> str | None:
        """Whether a user with goals says anything before it leaves."""
        begun = any(not isinstance(turn.act, Listen) for turn in self.task.turns)
        if move.leaves and not move.text and not move.choice and not begun and self.task.goals:
            return "Nothing was said yet: begin the conversation instead of leaving."
        return None

    def presses_what_is_offered(self, move: NextMove) -> str | None:
        """Whether a choice that is named can be pressed."""
        if not move.choice or named(move.choice, self.choices):
            return None
        last = self.task.turns[-1].observation if self.task.turns else None
        is_link = move.choice in [plain(choice.label) for choice in self.choices]
        if not is_link and contains(folded(said_by_app(last)), folded(move.choice)):
            return None  # an item of a list in plain text, which is typed
        offered = ", ".join(repr(label) for label in labels(self.choices)) or "nothing"
        return f"There is no such choice to press. Offered now: {offered}."

    def leaves_no_blank(self, move: NextMove) -> str | None:
        """Whether the message is whole."""
        match = _HOLES.search(move.text)
        if match is None or match[0] in self._own_words() or self._was_said(match[0]):
            return None
        return f"{match[0]!r} in the message is a blank: write what the person really says."

    def is_the_user(self, move: NextMove) -> str | None:
        """Whether the message is the user's and not the chatbot's."""
        said = folded(move.text)
        if _SPEAKER.search(move.text) or "\nuser:" in move.text.lower():
            return "Write the person's next message only, with no names in front and no dialogue."
        if any(contains(said, words) or said.startswith(words) for words in word_lists().serving):
            return "That is what the chatbot would say. Write what the person says."
        return None

    def is_not_too_long(self, move: NextMove) -> str | None:
        """Whether the message has a length that people type."""
        most = 2 * MOST if "long phrases" in self.styles else MOST
        if len(move.text) <= most:
            return None
        return f"The message has {len(move.text):,} characters; people write at most {most:,}."

    def gives_nothing_away(self, move: NextMove) -> str | None:
        """Whether the message keeps the prompt to itself."""
        said, own_words = folded(move.text), folded(self._own_words())
        away = next((words for words in word_lists().given_away if contains(said, words)), None)
        if away is not None and not contains(own_words, away) and not self._was_said(away):
            return f"The person knows nothing of {away!r}. Write what they would say."
        about = (*self.task.context, self.task.role)
        phrases = [folded(phrase) for text in about for phrase in sentences(plain(text))]
        # "If the children are ill, we stay at home" is what a person says, "you stay" is not
        own = [words for words in phrases if word_lists().addressed & set(words.split())]
        style = [folded(phrase) for phrase in styles_in_words(self.styles)]
        for sentence in (*self.telltale, *own, *style, "whatever language was spoken before"):
            if len(sentence.split()) >= RUN and contains(said, sentence):
                return "The message repeats what you were told. Put it in the person's own words."
        return None

    def says_it_anew(self, move: NextMove) -> str | None:
        """Whether the message differs from the last one, unless it answers another question."""
        turns = [turn for turn in self.task.turns if not isinstance(turn.act, Listen)]
        if not turns or folded(move.text) != folded(act_text(turns[-1].act)) or move.leaves:
            return None
        if pressed(move, self.choices) is not None or not move.text:
            return None
        if _is_ignorant(folded(move.text), self.language):
            return None  # who does not know it does not know it in other words either
        answers = [folded(said_by_app(turn.observation)) for turn in self.task.turns[-2:]]
        short = len(folded(move.text).split()) < 3
        if short and self.task.situation == "normal" and len(set(answers)) == len(answers):
            return None
        return "That is the person's last message again. Say it in other words, or something else."

    def keeps_to_its_values(self, move: NextMove) -> str | None:
        """Whether the message names no other value than the case has."""
        if "change your mind" in self.styles or not move.text:
            return None
        slots = slots_of(self.task)
        questions = self._questions()
        if any(move.text.strip() in question.marks for question in questions):
            return None  # the number of an option of a menu
        asked = {slot.name for q in questions for slot in asked_slots(q.words, slots)}
        if any(private_details(question.words) for question in questions):
            # "02/11/1975" answers "When were you born?", whatever day a goal names
            slots = [slot for slot in slots if slot.name in asked]
        conflict = other_value(move.text, slots)
        if conflict is None or self._is_stated(move.text):
            return None
        slot, other = conflict
        return (
            f"The message says {other}, but the person's is {', '.join(slot.values)}: keep to it."
        )

    def _is_stated(self, text: str) -> bool:
        """Whether each day, time and contact of a text is one that the prompt names.

        "3 March 2031" answers "When does your passport expire?" if the context says so, whatever
        day a goal names.
        """
        spans = [
            span.text for find in (date_spans, find_times, find_emails, find_phones)
            for span in find(text)
        ]  # fmt: skip
        own = folded(" ".join((self._own_words(), self.task.role, *self._particulars())))
        return bool(spans) and all(mentions(own, span) for span in spans)

    def _particulars(self) -> list[str]:
        return [value for _, value in details_in_words(self.task)]

    def leaves_with_reason(self, move: NextMove) -> str | None:
        """Whether a user that leaves without a word may: what it ticks is shown, nothing is open.

        A tick that nothing shows does not count in any case (`GoalTicks`); before the user leaves
        the model hears of it. So it does of a form that the app still has open.
        """
        if not move.leaves or act_of(move, self.choices, press=True) is not None:
            return None
        ticks = GoalTicks(self.task)
        reasons = [reason for tick in move.goals_met if (reason := ticks.objection(tick))]
        if form_begins(self.task.turns) is not None:
            reasons.insert(
                0, "The chatbot still waits for an answer: answer it, or say that you stop here."
            )
        return " ".join(reasons[:MOST_REASONS]) or None

    def _questions(self) -> Sequence[AppQuestion]:
        """What the app has just asked."""
        last = self.task.turns[-1].observation if self.task.turns else None
        return read_app_reply(last).questions

    def speaks_the_language(self, move: NextMove) -> str | None:
        """Whether the message is in the language of the turn, as far as a cheap check can show."""
        if pressed(move, self.choices) is not None:
            return None
        own_words = " ".join([*self.task.fallbacks, self._own_words()])
        other = other_language(move.text, self.language, known=own_words)
        return other and f"The message is in {other}: write it in {self.language}."

    def _own_words(self) -> str:
        """What the author gave the user to say."""
        return "\n".join((*(goal.phrase for goal in self.task.goals), *self.task.context))

    def _was_said(self, words: str) -> bool:
        """Whether the app used some words itself."""
        last = self.task.turns[-1].observation if self.task.turns else None
        return words.lower() in said_by_app(last).lower()
