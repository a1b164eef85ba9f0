"""Reduce the words of an utterance, with what is known of them."""

import re
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import Any, cast

from pydantic import JsonValue

from sparring.model.talk import Say, Trace

_WORD = re.compile(r"\S+")
# "don't" and "4.5" are one word; the comma of "coffee," is none of it.
_CORE = re.compile(r"\w+(?:['’.]\w+)*")
# Taking "please" out of "coffee , please ." must leave "coffee," and no gap before a mark.
_GAP = re.compile(r"(?<!\s)\s+([,.;:!?])")
# Of "coffee,." the first mark stays.
_RUN = re.compile(r"([,.;:!?])(?:\s*[,.;:!?])+")
_SMALL = 2
"""The number of letters of a word that says little."""

PAD, OTHER_PAD = "the", "so"
"""Meaningless words that replace words that only make a request long."""


@dataclass(frozen=True, slots=True)
class Change:
    """What a perturbation did for a feature: old text, or none, and new text."""

    feature: str
    old: str
    new: str

    @property
    def word(self) -> str:
        """The new words, without punctuation and without what was there before."""
        # of "," replaced by ", um," the word is "um"
        old_words = _cores(self.old)
        new_words = [core for core in _CORE.findall(self.new) if core.casefold() not in old_words]
        if (
            len(self.old) == 1
            and len(new_words) > 1
            and new_words[-1].casefold() == self.old.casefold()
        ):
            new_words.pop()
        return " ".join(new_words)

    @property
    def was(self) -> str:
        """The replaced words; empty for words that were inserted."""
        return "" if len(self.old) == 1 else " ".join(_CORE.findall(self.old))

    def undo(self, text: str) -> str | None:
        """Return a text without this change; None if the change is not in it."""
        start = text.find(self.new)
        if start >= 0 and self.new.strip():
            return _tidy(text[:start] + self.old + text[start + len(self.new) :])
        span = next(_find(self.word, text), None)
        return _tidy(text[: span[0]] + self.was + text[span[1] :]) if span else None


@dataclass(frozen=True)
class ReducibleUtterance:
    """An utterance whose words can be removed.

    `spoken` has, by feature, words that express what is wanted: without them an app need not know
    it.
    """

    text: str
    spoken: Mapping[str, tuple[str, ...]]
    changes: tuple[Change, ...]

    @property
    def length(self) -> int:
        """The number of its words."""
        return len(_WORD.findall(self.text))

    @classmethod
    def of(
        cls, meta: Mapping[str, JsonValue], mentions: Mapping[str, Sequence[str]]
    ) -> "ReducibleUtterance | None":
        """Return the utterance of a trace's `meta`; None if there is none.

        `mentions` are words that may express each feature, for writers that do not record which do.
        """
        text = meta.get("utterance")
        if not isinstance(text, str):
            return None
        recorded = meta.get("spoken")
        by_feature = recorded if isinstance(recorded, dict) else {}
        spoken = {
            name: tuple(_texts(by_feature[name])) if by_feature.get(name) else tuple(words)
            for name, words in mentions.items()
        }
        spoken |= {name: tuple(_texts(words)) for name, words in by_feature.items()}
        changes = [*_changes(meta.get("perturbations"))]
        written = meta.get("written")
        if isinstance(written, str):
            changes += _unnamed(meta.get("perturbations"), written, text, changes)
        return cls(text, spoken, tuple(changes))

    def free(self) -> list[int]:
        """Return the numbers of the words that may be removed."""
        phrases = {phrase for several in self.spoken.values() for phrase in several}
        spans = [span for phrase in sorted(phrases) for span in self._places(phrase)]
        return [
            at
            for at, word in enumerate(_WORD.finditer(self.text))
            if not any(start < word.end() and word.start() < end for start, end in spans)
        ]

    def free_words(self) -> list[str]:
        """Return the words that may be removed, without the punctuation around them."""
        words = _WORD.findall(self.text)
        return [strip_punctuation(words[at]) for at in self.free()]

    def without_free(self) -> "ReducibleUtterance":
        """Return it without the words that may be removed."""
        free, words = set(self.free()), _WORD.findall(self.text)
        return replace(self, text=" ".join(w for at, w in enumerate(words) if at not in free))

    def replaced(self, pad: str = PAD) -> "ReducibleUtterance":
        """Return it with a meaningless word for each word that may be removed."""
        free, words = set(self.free()), _WORD.findall(self.text)
        said = (pad if at in free else word for at, word in enumerate(words))
        return replace(self, text=" ".join(said))

    def put_as_long(self, feature: str, words: str) -> "ReducibleUtterance | None":
        """Return the result of `put`, with meaningless words in place of those that get lost."""
        # "one tea with milk now" without milk is "one tea the the now"
        shorter = self.put(feature, words)
        if shorter is None or shorter.length >= self.length:
            return shorter
        pads = [PAD] * (self.length - shorter.length)
        longer = self.put(feature, " ".join([words, *pads] if words else pads))
        return None if longer is None else replace(shorter, text=longer.text)

    def runs(self) -> list[tuple[int, int]]:
        """Return where meaningless words are, as (first, number)."""
        runs: list[tuple[int, int]] = []
        for at, word in enumerate(_WORD.findall(self.text)):
            if strip_punctuation(word) != PAD:
                continue
            if runs and sum(runs[-1]) == at:
                runs[-1] = (runs[-1][0], runs[-1][1] + 1)
            else:
                runs.append((at, 1))
        return runs

    def without_words(self, first: int, number: int) -> "ReducibleUtterance":
        """Return it without some consecutive words."""
        words = _WORD.findall(self.text)
        return replace(self, text=" ".join([*words[:first], *words[first + number :]]))

    def phrase(self, feature: str) -> str:
        """Return the words that express a feature, as they occur; empty if they do not."""
        places = (
            span for phrase in self.spoken.get(feature, ()) for span in _find(phrase, self.text)
        )
        start, end = max(places, key=lambda span: span[1] - span[0], default=(0, 0))
        return self.text[start:end]

    def put(self, feature: str, words: str) -> "ReducibleUtterance | None":
        """Return it with other words for a feature, or none; None if it does not express it."""
        places = [span for phrase in self.spoken.get(feature, ()) for span in _find(phrase,
                                                                            self.text)]  # fmt: skip
        if not places:
            return None if words else replace(self, spoken=_without(self.spoken, feature))
        text, end = "", 0
        for at, (start, stop) in enumerate(_apart(places)):
            text += self.text[end:start] + (words if not at else "")
            end = stop
        text = _tidy(text + self.text[end:])
        spoken = _without(self.spoken, feature)
        return replace(self, text=text, spoken={**spoken, feature: (words,)} if words else spoken)

    def undone(self, feature: str) -> "ReducibleUtterance | None":
        """Return it without the perturbation of a feature; None if its words are not known."""
        text = self.text
        changes = [change for change in self.changes if change.feature == feature]
        for own_change in changes:
            if not own_change.new.strip():
                return None
            text = own_change.undo(text) or text
        return replace(self.without(feature), text=text)

    def without(self, feature: str) -> "ReducibleUtterance":
        """Return it as it is, its changes for a feature forgotten."""
        return replace(
            self, changes=tuple(change for change in self.changes if change.feature != feature)
        )

    def written(self) -> str:
        """Return it before perturbations, as far as these are known word by word."""
        text = self.text
        for change in self.present():
            text = change.undo(text) or text
        return text

    def left_out(self, features: Collection[str]) -> list[str]:
        """Return the words that perturbations of some features removed."""
        removals = (
            change
            for change in self.changes
            if change.feature in features and not change.new.strip()
        )
        return list(dict.fromkeys(removal.was for removal in removals if removal.was))

    def present(self) -> list[Change]:
        """Return the changes whose new words are still in it."""
        return [change for change in self.changes if next(_find(change.word, self.text), None)]

    def _places(self, phrase: str) -> Iterator[tuple[int, int]]:
        """Yield where a phrase occurs, or else its longer words and what became of them.

        A longer word may itself have been perturbed.
        """
        spans = list(_find(phrase, self.text))
        if not spans:
            cores = [core for core in _cores(phrase) if len(core) > _SMALL or core.isdigit()]
            changed = [
                change.word for change in self.changes if set(_cores(change.old)) & set(cores)
            ]
            spans = [span for part in (*cores, *changed) for span in _find(part, self.text)]
        yield from spans


def shorten_padding(text: str) -> str:
    """Return a text for people: many meaningless words are shown as their number."""
    # "the the the tea, the the the the the. Now" becomes "the the the tea, [5 other words]. Now"
    pads = rf"(?<!\S){PAD}(?:[.,;:!?]? {PAD}){{3,}}(?!\w)"
    return re.sub(pads, lambda match: f"[{len(match[0].split())} other words]", text)


def contains_all(text: str, words: Sequence[str]) -> bool:
    """Whether all words occur in a text."""
    return all(next(_find(word, text), None) is not None for word in words)


def strip_punctuation(word: str) -> str:
    """Return a word without the punctuation around it, unless it is nothing else."""
    return word.strip(".,;:!?\"'“”‘’()…") or word


def _texts(value: object) -> list[str]:
    items = cast("list[Any]", value) if isinstance(value, list) else [value]
    return [item for item in items if isinstance(item, str) and item.strip()]


def _changes(perturbations: JsonValue | None) -> Iterator[Change]:
    for perturbation in perturbations if isinstance(perturbations, list) else []:
        if not isinstance(perturbation, dict):
            continue
        what = perturbation.get("what")
        for pair in what if isinstance(what, list) else []:
            if isinstance(pair, list) and len(pair) == 2:
                yield Change(
                    str(perturbation.get("feature")), str(pair[0] or ""), str(pair[1] or "")
                )


def _unnamed(
    perturbations: JsonValue | None, written: str, text: str, named: Sequence[Change]
) -> Iterator[Change]:
    """Yield changes that a perturbation did not name, if it is the only one, by comparing words."""
    applied = perturbations if isinstance(perturbations, list) else []
    entries = [entry for entry in applied if isinstance(entry, dict)]
    silent = [str(e.get("feature")) for e in entries if e.get("changes") and not e.get("what")]
    # "tea for four" became "teq for fuor" by a noise that counts its changes without naming them
    if len(silent) != 1:
        return
    named_words = {word for change in named for word in _cores(f"{change.old} {change.new}")}
    before, after = _WORD.findall(written), _WORD.findall(text)
    for what, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if what == "replace" and b - a == d - c:
            for old, new in zip(before[a:b], after[c:d], strict=True):
                if not named_words & {*_cores(old), *_cores(new)}:
                    yield Change(silent[0], strip_punctuation(old), strip_punctuation(new))


def _without(spoken: Mapping[str, tuple[str, ...]], feature: str) -> dict[str, tuple[str, ...]]:
    return {name: words for name, words in spoken.items() if name != feature}


def _find(phrase: str, text: str) -> Iterator[tuple[int, int]]:
    """Yield where words occur in a text, whatever their case and blanks."""
    words = phrase.split()
    if words:
        pattern = r"\s+".join(map(re.escape, words))
        for match in re.finditer(rf"(?<!\w){pattern}(?!\w)", text, re.IGNORECASE):
            yield match.span()


def _apart(spans: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield spans in order, without those that overlap an earlier one."""
    end = -1
    for span in sorted(spans, key=lambda span: (span[0], -span[1])):
        if span[0] >= end:
            yield span
            end = span[1]


def _tidy(text: str) -> str:
    return _RUN.sub(r"\1", _GAP.sub(r"\1", " ".join(text.split())))


def _cores(text: str) -> list[str]:
    return _CORE.findall(text.casefold())


async def fewest_words(
    said: ReducibleUtterance, fails: Callable[[ReducibleUtterance], Awaitable[bool]]
) -> ReducibleUtterance:
    """Return the utterance without the words that a failure does not need (delta debugging).

    None of the words left, except those that express features, can be removed alone.
    """
    words = _WORD.findall(said.text)
    free = said.free()
    kept = [at for at in range(len(words)) if at not in free]

    def shorter(numbers: Sequence[int]) -> ReducibleUtterance:
        return replace(said, text=" ".join(words[at] for at in sorted((*kept, *numbers))))

    parts = 1
    while free:
        for chunk in _chunks(free, parts):
            rest = [at for at in free if at not in chunk]
            candidate = shorter(rest)
            if candidate.text and await fails(candidate):
                free, parts = rest, max(1, parts - 1)
                break
        else:
            if parts >= len(free):
                break
            parts = min(len(free), 2 * parts)
    return shorter(free)


def _chunks(numbers: Sequence[int], parts: int) -> Iterator[Sequence[int]]:
    """Yield the numbers in `parts` pieces of about equal length."""
    size, more = divmod(len(numbers), parts)
    start = 0
    for part in range(parts):
        end = start + size + (part < more)
        if end > start:
            yield numbers[start:end]
        start = end


# Shrinking tries each word; thousands of them would take more plays than a run.
_LONGEST = 4_000


def user_text(trace: Trace) -> str:
    """Return what the user said in a conversation: the utterance of a case, or all of them."""
    utterance = trace.meta.get("utterance")
    texts = [turn.act.text for turn in trace.turns if isinstance(turn.act, Say)]
    if isinstance(utterance, str) and len(texts) <= 1:
        return utterance[:_LONGEST]
    return "\n".join(texts)[:_LONGEST]
