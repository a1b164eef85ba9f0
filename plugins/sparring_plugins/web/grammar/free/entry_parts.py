"""The values of a sentence that fills in a form, each with the words around it.

Nothing here knows a field: "'Oak', paid by Ida, 45, dated 2024-04-02" has four values, and which
field takes which is decided by the form in view.
"""

import re
from dataclasses import dataclass

from sparring_plugins.web.grammar.free.sentences import Clause, begins_acting, place_in_front
from sparring_plugins.web.grammar.free.words import FREE, split_words

_MARK = r"⟦\d+⟧"
_NUMBER = r"[-+]?[$€£]?\d[\w.,:/%@-]*"
_ADDRESS = r"\S+@\S+|https?://\S+"
#: A name: words with a capital that follow each other. "I", "OK" are none.
_NAME = r"[A-Z][\w'’-]+(?: (?:[A-Z][\w'’-]*|of|\d+)(?=[ ,.;]|$))*"
_VALUE = re.compile(rf"(?<![\w⟦])(?:{_MARK}|{_ADDRESS}|{_NUMBER}|{_NAME})(?![\w⟧])")
# "red, size 4 and with a hood" has three parts; the comma in "1,200" parts nothing.
_JOINT = re.compile(r"(?<!\s)\s*[,;](?!\d)\s*(?:(?:and|with|but)\s+)?|(?<!\s)\s+(?:and|with)\s+")
#: What stands in brackets says how to do it, or what it means.
_ASIDE = re.compile(r"(?<!\s)\s*\([^()]{0,200}\)")
# "fill it in with …", "complete the form as follows: …".
_LEAD = re.compile(
    r"^(?:(?:in|out|up|it|them|again|also|only|just|the (?:form|fields?|dialog)|everything)"
    r"(?=[ ,:]|$)[ ,:]*){0,4}(?:(?:with|by|using|as follows)(?=[ ,:])[ ,:]*)?",
    re.I,
)
_SMALL = frozenset({"of", "the", "a", "an"})


@dataclass(frozen=True)
class EntryPart:
    """A value, as it is entered, and the words beside it; a part without a value has words alone.

    `quoted` means that the value stood in quotes, so that it is surely one.
    """

    words: tuple[str, ...]
    value: str = ""
    quoted: bool = False
    denied: bool = False


def read_entry_parts(clause: Clause) -> tuple[str, tuple[EntryPart, ...]]:
    """Return the verb of a clause and its parts in order; no parts if it begins with no verb."""
    text, _ = place_in_front(clause.text)
    verb = begins_acting(text)
    if not verb:
        return "", ()
    rest = _ASIDE.sub("", text[len(verb) :]).strip(" ,.:")
    rest = _LEAD.sub("", rest, count=1)
    parts: list[EntryPart] = []
    for chunk in _JOINT.split(rest):
        if chunk:
            parts += _read_chunk(clause, chunk)
    return verb, tuple(part for part in parts if part.value or part.words)


def _read_chunk(clause: Clause, chunk: str) -> list[EntryPart]:
    """Return the parts between two commas: "the bill 'Ferry' paid by Fritz" has two values."""
    values = list(_VALUE.finditer(chunk))
    if not values:
        return [_part(clause, chunk, "")]
    parts: list[EntryPart] = []
    begin = 0
    for index, value in enumerate(values):
        is_last = index == len(values) - 1
        # "Ida as the name": what follows the last value belongs to it
        behind = chunk[value.end() :] if is_last else ""
        parts.append(_part(clause, f"{chunk[begin : value.start()]} {behind}", value[0]))
        begin = value.end()
    return parts


def _part(clause: Clause, around: str, value: str) -> EntryPart:
    said = split_words(around)
    words = tuple(w for w in said if w not in FREE.stop and w not in _SMALL)
    denied = any(word in FREE.negations or word.startswith("un") for word in said)
    quoted = value.startswith("⟦")
    entered = clause.unmask(value) if quoted else value.rstrip(".,")
    return EntryPart(words, entered, quoted, denied)
