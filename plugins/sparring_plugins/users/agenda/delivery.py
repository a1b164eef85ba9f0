"""How the user puts what it means: politeness, remarks, spelling, and the like."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random

from sparring.interfaces.roles import UserTask
from sparring.model.talk import act_text
from sparring_plugins.language.dates import date_spans, find_times
from sparring_plugins.language.stems import concepts
from sparring_plugins.language.text import contains, folded
from sparring_plugins.language.typos import misspelt
from sparring_plugins.language.vocabulary import starts_with_cue, vocabulary
from sparring_plugins.users.agenda.app_reply import is_no, is_yes
from sparring_plugins.users.agenda.personal_details import particulars
from sparring_plugins.users.agenda.style import Manner
from sparring_plugins.users.agenda.value_matching import mentions
from sparring_plugins.users.extraction.echoes import as_texts
from sparring_plugins.users.personas.remarks import Manners, manners
from sparring_plugins.users.personas.traits import Kind

SHOUTED = 0.4
"""The share of messages that somebody who shouts writes in capitals."""

_EMOJI = ("\U0001f642", "\U0001f60a", "\U0001f44d", "\U0001f389")
_ANSWER = 3
_GAPS = re.compile(r"\s+")
_SPACED = re.compile(r"\s+([.,!?;:])")
_MARKS = re.compile(r"[.,!?;:]+(?=\s|$)|[¿¡]")
_CODE = re.compile(r"\S*[\d@/]\S*")
_ENDS = re.compile(r"[.!?]+(?=\s|$)")


@dataclass(frozen=True, slots=True)
class Delivery:
    """Puts one message as a user of some manner does.

    `careful` is a message that was not understood before: it is put without remarks, and spelt
    with more care. `offered` are the labels that the app offers, which are typed as they stand.
    """

    task: UserTask
    manner: Manner
    offered: Sequence[str] = ()
    careful: bool = False

    def put(self, text: str) -> str:
        """The message as it is sent; never empty."""
        if self.manner.plain or not text.strip() or self._exact(text):
            return text
        draw = Random(f"{self.task.seed}/delivery/{self.manner.turn}")
        said = text if self.careful else self._polite(text, draw)
        said = self._simple(said, draw)
        said = self._remarked(said, text, draw)
        said = self._typed(self._slipped(said, draw), draw)
        return said if folded(said) else text

    def _exact(self, text: str) -> bool:
        """Whether a message is a datum that has to be sent as it is: a number, a contact."""
        known = particulars(self.task.seed, self.task.context, self.task.language)
        data = {folded(one) for one in known.values()} | {folded(one) for one in self.offered}
        return not any(char.isalpha() for char in text) or "@" in text or folded(text) in data

    def _polite(self, text: str, draw: Random) -> str:
        """Polite words left out, or put in where they are missing."""
        wanted = self.manner.traits.politeness
        if wanted is None:
            return text
        known = manners(self.manner.language)
        polite = any(contains(folded(text), folded(mark)) for mark in known.marks)
        if draw.random() < wanted:
            return (
                text if polite else f"{_stop(text)} {draw.choice(known.kinds['courteous'].after)}"
            )
        return _without(text, known) if polite else text

    def _simple(self, text: str, draw: Random) -> str:
        """Grammar of somebody who learns the language; values stay whole."""
        rate = self.manner.traits.grammar
        if not rate or draw.random() >= rate:
            return text
        known = manners(self.manner.language)
        for phrase, simpler in known.simpler.items():
            text = text.replace(phrase, simpler)
        spared = self._spared(text)
        kept = [
            word
            for word, start in _words(text)
            if word.lower() not in known.articles or _inside(start, start + len(word), spared)
        ]
        return " ".join(kept) or text

    def _remarked(self, text: str, meant: str, draw: Random) -> str:
        """Remarks before or after; beside a bare yes or no, or before one, they would blur it."""
        short = len(folded(meant).split()) <= _ANSWER
        if self.careful or (short and (is_yes(meant) or is_no(meant))):
            return text
        known = manners(self.manner.language)
        opened = _agrees_or_declines(meant)
        for kind, share in self._asides():
            remarks = known.kinds[kind]
            openings = self._in_place(remarks.before, known)
            before = draw.random() < 0.5 and not opened and bool(openings)
            chosen = draw.choice(self._unsaid(openings if before else remarks.after))
            if draw.random() < share and not self._names_value(chosen):
                text = f"{chosen} {text}" if before else f"{_stop(text)} {chosen}"
                opened = opened or before
        return text

    def _in_place(self, remarks: Sequence[str], known: Manners) -> list[str]:
        """Remarks that may open a message: greetings only where nothing was said before."""
        if not self.manner.turn:
            return list(remarks)
        greetings = tuple(folded(one) for one in known.greetings)
        return [one for one in remarks if not folded(one).startswith(greetings)]

    def _unsaid(self, remarks: Sequence[str]) -> Sequence[str]:
        """Those of some remarks that the user has not made yet; all of them where it has."""
        said = [folded(act_text(turn.act)) for turn in self.task.turns]
        fresh = [one for one in remarks if not any(contains(text, folded(one)) for text in said)]
        return fresh or remarks

    def _names_value(self, remark: str) -> bool:
        """Whether a remark has a word in it that says a value of the case's variables."""
        said, meant = folded(remark), concepts(remark)
        return any(mentions(said, one) or meant & concepts(one) for one in self._values())

    def _values(self) -> list[str]:
        """All values of the case, and those that it might have had."""
        task = self.task
        own = [one for value in task.inputs.values() for one in as_texts(value)]
        others = [one for many in task.domains.values() for v in many[:200] for one in as_texts(v)]
        return list(dict.fromkeys((*own, *others)))

    def _asides(self) -> Iterator[tuple[Kind, float]]:
        if self.manner.length == "long":
            yield "wordy", 1.0
        yield from self.manner.traits.asides.items()

    def _slipped(self, text: str, draw: Random) -> str:
        traits = self.manner.traits
        if not traits.typos:
            return text
        spared = [] if traits.typos_in_values else self._spared(text)
        rate = traits.typos / 2 if self.careful else traits.typos
        language = self.manner.language
        return misspelt(text, rate, draw, language, lambda a, b: _inside(a, b, spared))

    def _typed(self, text: str, draw: Random) -> str:
        """Capitals, punctuation, emoji."""
        traits = self.manner.traits
        shouts = draw.random() < SHOUTED
        smiles, emoji = draw.random() < traits.emoji, draw.choice(_EMOJI)
        if traits.punctuation == "none":
            text = _MARKS.sub("", text)
        elif traits.punctuation == "heavy":
            text = _ENDS.sub(lambda mark: mark[0][0] * 3 if mark[0][0] != "." else "!!", text)
        if traits.capitals == "none":
            text = _cased(text, str.lower)
        elif traits.capitals == "shouting" and shouts:
            text = _cased(text, str.upper)
        return f"{text} {emoji}" if smiles else text

    def _spared(self, text: str) -> list[tuple[int, int]]:
        """The places of what a case fixes: values, labels, numbers, dates and times."""
        task = self.task
        known = particulars(task.seed, task.context, task.language).values()
        dates = [span.text for span in date_spans(text)]
        times = [span.text for span in find_times(text)]
        fixed = {one for one in (*self._values(), *known, *self.offered, *dates, *times) if one}
        places = [
            found.span()
            for one in sorted(fixed, key=len, reverse=True)
            if one.casefold() in text.casefold()
            for found in re.finditer(rf"(?<!\w){re.escape(one)}\w{{0,2}}(?!\w)", text, re.I)
        ]
        numbers = {word for known in vocabulary().numbers.values() for word in known}
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
    return [(found[0], found.start()) for found in re.finditer(r"\S+", text)]


def _inside(start: int, end: int, places: Sequence[tuple[int, int]]) -> bool:
    return any(first < end and start < last for first, last in places)


def _without(text: str, known: Manners) -> str:
    """A text without its polite words; the text itself where nothing else is left of it."""
    rest = text
    for mark in sorted(known.marks, key=len, reverse=True):
        rest = re.sub(
            rf"[,;]?\s*(?<!\w){re.escape(mark)}(?!\w)(?:[^.!?,]*(?=[.!?]))?,?",
            " ",
            rest,
            flags=re.I,
        )
    rest = _SPACED.sub(r"\1", _GAPS.sub(" ", rest)).strip(" ,;:")
    rest = re.sub(r"^[.!?,;: ]+", "", rest)
    if not folded(rest):
        return text
    return rest[:1].upper() + rest[1:] if text[:1].isupper() else rest


def _cased(text: str, change: Callable[[str], str]) -> str:
    """A text in other letters, but for codes and addresses, whose case may count."""
    codes = _CODE.findall(text)
    plain = _CODE.split(text)
    changed = [change(part) for part in plain]
    return "".join(part for pair in zip(changed, [*codes, ""], strict=True) for part in pair)


def _stop(text: str) -> str:
    return text if text[-1:] in (".", "!", "?") else f"{text}."
