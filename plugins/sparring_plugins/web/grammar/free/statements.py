"""What a check states: subject, verb and complement, numbers, order, states, whether it denies."""

import re
from dataclasses import dataclass
from functools import cached_property

from sparring_plugins.language.number_words import number_words
from sparring_plugins.web.grammar.free.sentences import Clause, strip_lead
from sparring_plugins.web.grammar.free.words import FREE, content, has_phrase, split_words
from sparring_plugins.web.step import Comparison

_MARK = re.compile(r"⟦(\d+)⟧")
_FINITE = re.compile(
    r"(?<![\w'⟦-])(?:"
    + "|".join(sorted(map(re.escape, FREE.statements), key=len, reverse=True))
    + r")(?![\w'-])",
    re.I,
)
_COUNT_WORDS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
                "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "no": 0,
                "zero": 0, "single": 1}  # fmt: skip
_NUMBER = re.compile(r"^[£$€]?\d+(?:[.,]\d+)*%?$")
_LIMITS: tuple[tuple[str, Comparison], ...] = (
    (r"at least|no fewer than|not fewer than", ">="),
    (r"at most|no more than|not more than|up to", "<="),
    (r"more than|over|greater than|above|higher than", ">"),
    (r"fewer than|less than|below|lower than|under|cheaper than", "<"),
)


def read_number(word: str) -> float | None:
    """Return the number that a word is: "3", "three", "£62.40", "25%"."""
    low = word.lower().strip(".,;:!?()")
    if low in _COUNT_WORDS:
        return float(_COUNT_WORDS[low])
    if _NUMBER.match(low):
        digits = low.strip("£$€%")
        # "1,250.00" and "12,50": a comma before three digits groups them
        digits = re.sub(r",(?=\d{3}\b)", "", digits).replace(",", ".")
        try:
            return float(digits)
        except ValueError:
            return None
    spelt = number_words(low) if low.isalpha() else None
    return float(spelt) if spelt is not None else None


@dataclass(frozen=True)
class Statement:
    """One statement with its quotations masked."""

    text: str
    quotes: tuple[str, ...]
    above: str = ""

    def unmask(self, text: str) -> str:
        """Return a part with its quotations, without quotation marks."""
        return _MARK.sub(lambda match: self.quotes[int(match[1])], text).strip(" ,.;:")

    @cached_property
    def low(self) -> str:
        """The statement in lower case, with marks."""
        return self.text.lower()

    @cached_property
    def quoted(self) -> tuple[str, ...]:
        """The quotations of this statement, in order."""
        return tuple(self.quotes[int(n)] for n in _MARK.findall(self.text))

    @cached_property
    def _verb(self) -> re.Match[str] | None:
        for match in _FINITE.finditer(self.text):
            before = self.text[: match.start()].split()
            # "the list that names ...": a relative clause belongs to the subject
            if before and before[-1].lower() in (
                "that",
                "which",
                "who",
                "to",
                "the",
                "a",
                "an",
                "of",
            ):
                continue
            return match
        return None

    @property
    def subject(self) -> str:
        """What stands before the verb, with marks; of "the oldest, the lamp, is" the last part."""
        subject = self.text[: self._verb.start()].strip() if self._verb else ""
        if match := re.fullmatch(r"[^,]+, ([^,]+),", subject):
            return match[1]
        return subject.strip(" ,")

    @property
    def verb(self) -> str:
        """The finite verb in lower case, or an empty text."""
        return self._verb[0].lower() if self._verb else ""

    @property
    def complement(self) -> str:
        """What stands behind the verb, with marks; the whole text if there is no verb."""
        return self.text[self._verb.end() :].strip(" ,") if self._verb else self.text

    @cached_property
    def denies(self) -> bool:
        """Whether it says that something is not so, or not there."""
        low = self._without_speech
        words = set(split_words(low)) | set(low.split())
        # "no more than 3" is a limit; "nothing was found" is about an empty result
        limited = bool(re.search(r"\b(?:no|not) (?:more|fewer|less) than\b", low))
        denied = bool(words & FREE.negations) and not limited
        gone = has_phrase(low, FREE.absence)
        if gone == "closed" and not set(split_words(self.subject.lower())) & FREE.dialogs:
            gone = ""  # "the shop is closed on Mondays" is a fact like any other
        return denied or bool(gone)

    @cached_property
    def _without_speech(self) -> str:
        """The statement without what somebody says in it: "the page says that no room is free"."""
        if self.verb in FREE.saying and self.complement:
            return self.low[: self.low.rfind(self.complement.lower())]
        return self.low

    @cached_property
    def comparison(self) -> Comparison:
        """The comparison with a number: ``==`` if no limit is named."""
        for pattern, sign in _LIMITS:
            if re.search(rf"\b(?:{pattern})\b (?:\w+ )?[£$€]?\d", self.low):
                return sign
        return "=="

    @cached_property
    def position(self) -> int:
        """The place in an order that it speaks of: 1 for the first, -1 for the last, 0 for none."""
        for word, number in _ORDINALS.items():
            if re.search(rf"\b{word}\b(?! (?:time|page|column|field|tab))", self.low):
                return number
        phrases = FREE.order_phrases
        first, last = (bool(has_phrase(self.low, phrases[end])) for end in ("first", "last"))
        listed = set(split_words(self.subject.lower())) & (FREE.tables | {"page"})
        if listed:
            first = first or bool(re.search(r"\b(?:starts?|begins?) with\b", self.low))
            last = last or bool(re.search(r"\bends? with\b", self.low))
        words = split_words(self.low)
        if (first and last) or {"first", "last"} <= set(words):
            return 0  # "A comes first and B last" speaks of two places
        if first or last:
            return 1 if first else -1
        return next((p for i in range(len(words)) if (p := _place_of(words[i:]))), 0)

    @cached_property
    def numbers(self) -> tuple[tuple[float, str], ...]:
        """The numbers outside quotations, each with the words behind it."""
        words = self.text.split()
        numbers: list[tuple[float, str]] = []
        for index, word in enumerate(words):
            value = read_number(word) if "⟦" not in word else None
            if word.lower() == "no" and words[index + 1 : index + 2] == ["longer"]:
                continue  # "is no longer shown" counts nothing
            if value is not None:
                numbers.append((value, " ".join(words[index + 1 : index + 6])))
        return tuple(numbers)

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words that name something, without quotations."""
        text = f"{self.subject} {self.verb} {self.complement}" if self.verb else self.text
        return content(_MARK.sub(" ", text))


_ORDINALS = {"second": 2, "third": 3, "fourth": 4, "fifth": 5}
_NO_ROWS = frozenset({"page", "column", "updated", "modified"})


def _place_of(words: tuple[str, ...]) -> int:
    """Return the place that "first row ..." or "last one ..." names; 0 if words do not begin so."""
    word, behind = words[0], words[1:4]
    nouns = not behind or any(w in FREE.rows | {"one"} or w not in FREE.stop for w in behind)
    if not nouns or _NO_ROWS & set(behind[:1]) or (word == "first" and "column" in behind):
        return 0
    if word in ("first", "newest", "topmost", "top"):
        return 1
    return -1 if word in ("last", "bottommost") else 0


_AND = re.compile(
    r"(?:(?:(?<!\s)\s+)?,|(?<!\s))\s+(?:and|but|while)\s+(?:that\s+)?|(?:(?<!\s)\s+)?;\s+", re.I
)


# "the expenses add up to 12": verbs that begin instructions, too, are no verbs of statements
_SUMMING = re.compile(
    r"(?<=\w )(?:should |must )?(?:adds? up|amounts?|sums? up|comes?) to"
    r"(?= (?:exactly )?[£$€-]?\d)",
    re.I,
)


def read_statements(clause: Clause) -> tuple[Statement, ...]:
    """Return the statements of a check: "it shows X and the total is 3" are two."""
    text = _with_verbs(_SUMMING.sub("is", strip_lead(clause)))
    parts = [text]
    for joint in _AND.finditer(text):
        left, right = text[: joint.start()], text[joint.end() :]
        if _is_whole(left) and _is_whole(right):
            rest = read_statements(Clause(right, "check", clause.quotes))
            parts = [left]
            return (Statement(left, clause.quotes), *rest)
    return tuple(Statement(part, clause.quotes) for part in parts)


def _with_verbs(text: str) -> str:
    """Repeat the verb that a second part leaves out: "the name is X and the city Y"."""
    verb = r"(is|are|should be|reads|holds|contains)"
    joint = rf"^(.+? {verb} (?:now |still )?(?:⟦\d+⟧|\S+)) and "
    # Names of things are short: without a bound each "and the" would be read up to the end.
    pattern = rf"{joint}(the [a-z][\w -]{{0,200}}?) (⟦\d+⟧|\S+)$"
    match = re.match(pattern, text)
    if match is None or _FINITE.search(match[3]) or len(match[3].split()) > 3:
        return text
    return f"{match[1]} and {match[3]} {match[2]} {match[4]}"


def _is_whole(text: str) -> bool:
    """Return whether a part has a subject and a finite verb of its own."""
    statement = Statement(text, ())
    # "⟦1⟧ is listed": a mark is a subject too
    return bool(statement.verb) and bool(statement.subject) and len(statement.complement) > 0
