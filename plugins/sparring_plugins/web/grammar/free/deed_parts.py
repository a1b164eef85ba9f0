"""What a sentence does to a thing, and the values it gives: the parts of a deed.

"Share the folder Plans with Ada, read only" shares something and gives two values, which belong
into a form that is not in view yet. Nothing here knows a page: which words name a record and which
name a control is decided by the page at hand, and the rest are values.
"""

import re
from dataclasses import dataclass, replace

from sparring_plugins.web.grammar.free.sentences import begins_acting, mask
from sparring_plugins.web.grammar.free.words import FREE, split_words

_NAME = r"[A-Z][\w'’-]*(?:[ ][A-Z][\w'’-]*)*"
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*"
_ORDINAL = r"\d{1,2}(?:st|nd|rd|th)?"
_DATE = rf"{_ORDINAL}\.? (?:of )?{_MONTH}(?: \d{{4}})?|{_MONTH} {_ORDINAL},? \d{{4}}"
_MARKED = r"⟦\d+⟧"
#: "a.txt", "JD0144", "10:30", "me@example.org": no word of a sentence is written so.
_WRITTEN = r"[-+]?[$€£]?(?=[\w.@:/-]*[\d@]|\w+[.-]\w+\.?\w*\b|[A-Z]{2})[\w@][\w.,@:/%+-]*"
_VALUE = re.compile(rf"(?<![\w⟦])(?:{_MARKED}|{_DATE}|{_WRITTEN}|{_NAME})")
_JOINTS = rf"(?:{'|'.join(sorted(FREE.part_joints))})\b"
_JOINT = re.compile(rf"\s*(?:[;:()]|,(?!\d))\s*|(?:^|\s)(?={_JOINTS})", re.I)
_LEADING = re.compile(rf"(?:(?:and|then|but)\s+)*(?P<joint>{_JOINTS})?\s*", re.I)
_SMALL = frozenset({"a", "an", "the", "of", "its", "it", "his", "her", "their"})
_INSTEAD = re.compile(r",?\s*(?:instead of|rather than)\s+[^,]*", re.I)
#: "Under Safety switch on the lamp", "in the menu choose Plans"
_IN_FRONT = re.compile(rf"^{_JOINTS} (?:(?:the|your) [a-z]+|(?:the |your )?{_NAME}),? (?=[a-z])")
_SAYS = re.compile(rf"\b(?:{'|'.join(sorted(FREE.introducing))})\s*:?\s+(?P<text>[^⟦\"']+)$", re.I)


@dataclass(frozen=True)
class DeedPart:
    """A value, with the words beside it and the preposition in front of it; or words alone."""

    joint: str
    words: tuple[str, ...]
    value: str = ""
    quoted: bool = False
    text: str = ""

    @property
    def denied(self) -> bool:
        """Whether the part says that something is not so: "not visible in the shop"."""
        return any(word in FREE.negations or word == "off" for word in self.words)


@dataclass(frozen=True)
class Deed:
    """A sentence that acts: its verbs, its words, its text with quotations, and its parts."""

    verbs: tuple[str, ...]
    words: tuple[str, ...]
    text: str
    parts: tuple[DeedPart, ...]

    def values_without(self, name: str) -> tuple[DeedPart, ...]:
        """Return the parts that are left when the name of a record is no value: "Rex's age | to 4".

        A verb of the sentence is no word of a value, and what was before is none either.
        """
        named = set(split_words(name))
        rest: list[DeedPart] = []
        for part in self.parts:
            is_name = bool(part.value) and set(split_words(part.value)) <= named
            kept = replace(part, value="", text="") if is_name else part
            words = tuple(w for w in part.words if w not in named and w not in self.verbs[:1])
            rest.append(replace(kept, words=tuple(w for w in words if w not in _SMALL)))
        joined = _join_labels([p for p in rest if p.words or p.value], again=True)
        return tuple(p for p in joined if p.joint != "from")


def read_deed(sentence: str, context: str = "") -> Deed | None:
    """Return the parts of a sentence that acts; None if it begins with no verb.

    `context` is the sentence around it, whose words may name a control: "Go to the halls and make a
    new one" makes a new hall.
    """
    text, quotes = mask(_INSTEAD.sub("", sentence.strip().rstrip(".")))
    if not text:
        return None
    text = text[0].lower() + text[1:]
    if not re.search(r":.*[,;]", text):
        text = text.replace(": ", " ")  # "New colour: red" has one part
    said = _SAYS.search(text)
    spoken = said["text"] if said else ""
    if said:
        text = text[: said.start()].rstrip()
    parts = [_read_part(chunk, quotes) for chunk in _JOINT.split(text) if chunk.strip()]
    parts = _join_labels([part for part in parts if part.words or part.value])
    if spoken:
        parts.append(DeedPart("saying", (), spoken.strip(), text=spoken))
    verbs = tuple(dict.fromkeys(v for v in map(_verb_of, _clauses(text)) if v))
    whole = f"{context} {sentence}" if context else sentence
    return Deed(verbs, split_words(_INSTEAD.sub("", whole)), _unmask(text, quotes), tuple(parts))


def _clauses(text: str) -> list[str]:
    return [c for c in re.split(r"\s*[,;:]\s*|\s+(?:and|then)\s+", text) if c]


def _verb_of(clause: str) -> str:
    """Return the verb that a clause begins with: any word of lower case in front of a thing."""
    clause = _IN_FRONT.sub("", clause)
    known = begins_acting(clause)
    if known:
        return known.split()[0]
    first = clause.split(" ", 1)[0]
    word = first.lower()
    is_word = first.isalpha() and word not in FREE.stop and word not in FREE.part_joints
    return word if is_word and " " in clause else ""


def _read_part(chunk: str, quotes: tuple[str, ...]) -> DeedPart:
    lead = _LEADING.match(chunk)
    joint = (lead["joint"] or "").lower() if lead else ""
    rest = chunk[lead.end() :] if lead else chunk
    found = list(_VALUE.finditer(rest))
    value = found[-1] if found else None
    around = rest if value is None else f"{rest[: value.start()]} {rest[value.end() :]}"
    words = split_words(re.sub(_MARKED, " ", around))
    if value is None:
        return DeedPart(joint, words, text=_unmask(rest, quotes))
    written = re.sub(r"['’]s$", "", value[0].rstrip(".,:"))
    return DeedPart(
        joint, words, _unmask(written, quotes), written.startswith("⟦"), _unmask(rest, quotes)
    )


def _join_labels(parts: list[DeedPart], *, again: bool = False) -> list[DeedPart]:
    """Join a value with the words that a preposition parts from it.

    "arriving | on 14 March" is one part, and so is "'too late' | as reason". What stands behind
    "from" is the value of before: "the price | from 4 | to 5".
    """
    joined: list[DeedPart] = []
    before = [part for part in parts if part.joint == "from"]
    for part in (part for part in parts if part.joint != "from"):
        last = joined[-1] if joined else None
        if last is not None and _takes_words(last, part, is_first=len(joined) == 1):
            joined[-1] = replace(last, words=(*last.words, *part.words))
        elif last is not None and _gives_words(last, part, again=again):
            words = (*last.words, *part.words)
            joined[-1] = replace(part, words=words, text=f"{last.text} {part.joint} {part.text}")
        else:
            joined.append(part)
    return [*joined, *before]


def _takes_words(last: DeedPart, part: DeedPart, *, is_first: bool) -> bool:
    """Return whether words belong to the part in front: "'x' | as reason", "not shown | in lists".

    Behind the verb of the sentence they do not: "Close the order | as paid".
    """
    joint = "as" if last.value else "in"
    return not (is_first or part.value) and part.joint == joint


def _gives_words(last: DeedPart, part: DeedPart, *, again: bool) -> bool:
    """Return whether words are those for the value behind them; `again` if they were joined."""
    return not last.value and part.joint in _CARRYING and not (again and part.words)


#: "the price | to 5", "arriving | on 14 March", "a font size | of 16"
_CARRYING = frozenset({"on", "to", "at", "of", "until", "till", "into"})


def _unmask(text: str, quotes: tuple[str, ...]) -> str:
    return re.sub(r"⟦(\d+)⟧", lambda m: quotes[int(m[1])], text).strip()
