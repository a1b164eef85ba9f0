"""Delivery: a message in the user's style, with politeness, remarks, simple grammar and typos."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random

from sparring.interfaces.roles import UserTask
from sparring.model.talk import act_text
from sparring_plugins.language.candidates import date_spans, find_times
from sparring_plugins.language.text import contains, folded
from sparring_plugins.language.typos import misspelt
from sparring_plugins.language.vocabulary import concepts, starts_with_cue, vocabulary
from sparring_plugins.users.agenda.app_reply import is_no, is_yes
from sparring_plugins.users.agenda.personal_details import personal_details
from sparring_plugins.users.agenda.phrase_book import stop
from sparring_plugins.users.agenda.phrasing import Style
from sparring_plugins.users.agenda.value_matching import mentions
from sparring_plugins.users.extraction.text_outputs import as_texts
from sparring_plugins.users.personas.speech import PersonaSpeech, persona_speech
from sparring_plugins.users.personas.traits import RemarkKind

SHOUTED = 0.4
"""The share of messages that somebody who shouts writes in capitals."""

_EMOJI = ("\U0001f642", "\U0001f60a", "\U0001f44d", "\U0001f389")
_ANSWER = 3
_GAPS = re.compile(r"\s+")
_SPACED = re.compile(r"(?<!\s)\s+([.,!?;:])")
_MARKS = re.compile(r"(?<![.,!?;:])[.,!?;:]+(?=\s|$)|[¿¡]")
_CODE = re.compile(r"(?<!\S)\S*?[\d@/]\S*")
_ENDS = re.compile(r"(?<![.!?])[.!?]+(?=\s|$)")


@dataclass(frozen=True, slots=True)
class Delivery:
    """Puts one message as a user of some style does.

    `careful` is a message that was not understood before: it is put without remarks, and spelt
    with more care. `offered` are the labels that the app offers, which are typed as they
    stand; an `exact` message is the value that a form asks for.
    """

    task: UserTask
    style: Style
    offered: Sequence[str] = ()
    careful: bool = False
    exact: bool = False

    def put(self, text: str) -> str:
        """The message as it is sent; never empty."""
        if self.style.plain or not text.strip() or self._exact(text):
            return text
        if self.exact:
            # a form stores what it is told: no remark may become a part of somebody's name
            draw = Random(f"{self.task.seed}/delivery/{self.style.turn}")
            typed = self._apply_typing(text, draw)
            return typed if folded(typed) else text
        draw = Random(f"{self.task.seed}/delivery/{self.style.turn}")
        said = text if self.careful else self._polite(text, draw)
        said = self._simple(said, draw)
        said = self._add_remarks(said, text, draw)
        said = self._apply_typing(self._add_slips(said, draw), draw)
        return said if folded(said) else text

    def _exact(self, text: str) -> bool:
        """Whether a message is a datum that has to be sent as it is: a number, a contact."""
        details = personal_details(self.task.seed, self.task.context, self.task.language)
        data = {folded(literal) for literal in (*details.values(), *self.offered)}
        return not any(char.isalpha() for char in text) or "@" in text or folded(text) in data

    def _polite(self, text: str, draw: Random) -> str:
        """Polite words left out, or put in if they are missing."""
        wanted = self.style.traits.politeness
        if wanted is None:
            return text
        speech = persona_speech(self.style.language)
        polite = any(contains(folded(text), folded(mark)) for mark in speech.marks)
        if draw.random() < wanted:
            return (
                text if polite else f"{stop(text)} {draw.choice(speech.kinds['courteous'].after)}"
            )
        return _without(text, speech) if polite else text

    def _simple(self, text: str, draw: Random) -> str:
        """Grammar of somebody who learns the language; values stay whole."""
        rate = self.style.traits.grammar
        if not rate or draw.random() >= rate:
            return text
        speech = persona_speech(self.style.language)
        for phrase, simpler in speech.simpler.items():
            text = text.replace(phrase, simpler)
        spared = self._find_fixed_places(text)
        kept = [
            word
            for word, start in _words(text)
            if word.lower() not in speech.articles or _inside(start, start + len(word), spared)
        ]
        return " ".join(kept) or text

    def _add_remarks(self, text: str, meant: str, draw: Random) -> str:
        """Remarks before or after; beside a bare yes or no, or before one, they would blur it."""
        short = len(folded(meant).split()) <= _ANSWER
        if self.careful or (short and (is_yes(meant) or is_no(meant))):
            return text
        speech = persona_speech(self.style.language)
        opened = _agrees_or_declines(meant)
        for kind, share in self._asides():
            remarks = speech.kinds[kind]
            openings = self._in_place(remarks.before, speech)
            before = draw.random() < 0.5 and not opened and bool(openings)
            chosen = draw.choice(self._unsaid(openings if before else remarks.after))
            if draw.random() < share and not self._names_value(chosen):
                text = f"{chosen} {text}" if before else f"{stop(text)} {chosen}"
                opened = opened or before
        return text

    def _in_place(self, remarks: Sequence[str], speech: PersonaSpeech) -> list[str]:
        """Remarks that may open a message: greetings only if nothing was said before."""
        if not self.style.turn:
            return list(remarks)
        greetings = tuple(folded(remark) for remark in speech.greetings)
        return [remark for remark in remarks if not folded(remark).startswith(greetings)]

    def _unsaid(self, remarks: Sequence[str]) -> Sequence[str]:
        """Those of some remarks that the user has not made yet; all of them if it has."""
        said = [folded(act_text(turn.act)) for turn in self.task.turns]
        fresh = [
            remark for remark in remarks if not any(contains(text, folded(remark)) for text in said)
        ]
        return fresh or remarks

    def _names_value(self, remark: str) -> bool:
        """Whether a remark has a word in it that says a value of the case's variables."""
        said, meant = folded(remark), concepts(remark)
        return any(mentions(said, value) or meant & concepts(value) for value in self._values())

    def _values(self) -> list[str]:
        """All values of the case, and those that it might have had."""
        task = self.task
        own = [text for value in task.inputs.values() for text in as_texts(value)]
        others = [
            text for many in task.domains.values() for v in many[:200] for text in as_texts(v)
        ]
        return list(dict.fromkeys((*own, *others)))

    def _asides(self) -> Iterator[tuple[RemarkKind, float]]:
        if self.style.length == "long":
            yield "wordy", 1.0
        yield from self.style.traits.asides.items()

    def _add_slips(self, text: str, draw: Random) -> str:
        traits = self.style.traits
        if not traits.typos:
            return text
        spared = [] if traits.typos_in_values else self._find_fixed_places(text)
        rate = traits.typos / 2 if self.careful else traits.typos
        language = self.style.language
        return misspelt(text, rate, draw, language, lambda a, b: _inside(a, b, spared))

    def _apply_typing(self, text: str, draw: Random) -> str:
        """Capitals, punctuation, emoji."""
        traits = self.style.traits
        shouts = draw.random() < SHOUTED
        smiles, emoji = draw.random() < traits.emoji, draw.choice(_EMOJI)
        if traits.punctuation == "none":
            text = _MARKS.sub("", text)
        elif traits.punctuation == "heavy":
            text = _ENDS.sub(lambda mark: mark[0][0] * 3 if mark[0][0] != "." else "!!", text)
        if traits.capitals == "none":
            text = _change_case(text, str.lower)
        elif traits.capitals == "shouting" and shouts:
            text = _change_case(text, str.upper)
        return f"{text} {emoji}" if smiles else text

    def _find_fixed_places(self, text: str) -> list[tuple[int, int]]:
        """The places of what a case fixes: values, labels, numbers, dates and times."""
        task = self.task
        details = personal_details(task.seed, task.context, task.language).values()
        dates = [span.text for span in date_spans(text)]
        times = [span.text for span in find_times(text)]
        fixed = {
            literal
            for literal in (*self._values(), *details, *self.offered, *dates, *times)
            if literal
        }
        places = [
            match.span()
            for literal in sorted(fixed, key=len, reverse=True)
            if literal.casefold() in text.casefold()
            for match in re.finditer(rf"(?<!\w){re.escape(literal)}\w{{0,2}}(?!\w)", text, re.I)
        ]
        numbers = {word for names in vocabulary().numbers.values() for word in names}
        places += [
            (start, start + len(word))
            for word, start in _words(text)
            if any(char.isdigit() or char in "@/" for char in word) or folded(word) in numbers
        ]
        return places


def _agrees_or_declines(text: str) -> bool:
    """Whether a message begins with yes or no, which has to stay its beginning."""
    words = folded(text)
    return any(starts_with_cue(words, cue) for cue in ("positive", "negative"))


def _words(text: str) -> list[tuple[str, int]]:
    return [(match[0], match.start()) for match in re.finditer(r"\S+", text)]


def _inside(start: int, end: int, places: Sequence[tuple[int, int]]) -> bool:
    return any(first < end and start < last for first, last in places)


def _without(text: str, speech: PersonaSpeech) -> str:
    """A text without its polite words; the text itself if nothing else is left of it."""
    rest = text
    for mark in sorted(speech.marks, key=len, reverse=True):
        rest = re.sub(
            rf"[,;]?(?:(?<!\s)\s*)?(?<!\w){re.escape(mark)}(?!\w)(?:[^.!?,]{{0,300}}(?=[.!?]))?,?",
            " ",
            rest,
            flags=re.I,
        )
    rest = _SPACED.sub(r"\1", _GAPS.sub(" ", rest)).strip(" ,;:")
    rest = re.sub(r"^[.!?,;: ]+", "", rest)
    if not folded(rest):
        return text
    return rest[:1].upper() + rest[1:] if text[:1].isupper() else rest


def _change_case(text: str, change: Callable[[str], str]) -> str:
    """A text in other letters, but for codes and addresses, whose case may count."""
    codes = _CODE.findall(text)
    plain = _CODE.split(text)
    changed = [change(part) for part in plain]
    return "".join(part for pair in zip(changed, [*codes, ""], strict=True) for part in pair)
