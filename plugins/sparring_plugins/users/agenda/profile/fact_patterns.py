"""How values look in the plain sentences of a profile: codes, addresses, names, ages."""

import re
from collections.abc import Iterator, Sequence

from sparring_plugins.language.candidates import ValueCandidate

# "DE44 5001 0517 5407 3249 31".
IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b(?! [A-Z0-9])")

# British ones, as "SW1A 1AA": others are numbers, which need a label.
POSTCODE = re.compile(r"\b[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}\b")

TOWN = re.compile(
    r"(?P<code>\b\d{4,6}|\b[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2})?\s?"
    r"(?P<town>\b[A-ZÀ-ÖØ-Þ][^\W\d_]+(?:[ -][A-ZÀ-ÖØ-Þ][^\W\d_]+){0,2})(?=\s*$|\s*[,.])"
)
"""A town with its postcode: "79098 Freiburg" of "you live at Birkenweg 17 in 79098 Freiburg"."""

TOWN_WITH_CODE = re.compile(
    r"\b(?:in|nach|bei|to|near|en|a|à|em|para)\s(?P<code>\d{4,6})\s"
    r"(?P<town>[A-ZÀ-ÖØ-Þ][^\W\d_]+(?:[ -][A-ZÀ-ÖØ-Þ][^\W\d_]+){0,2})"
)
"""A town behind its postcode, in a sentence that goes on: "sie lebt in 50667 Köln im ..."."""

PARTNER = re.compile(
    r"\b(?:is|are|am|was|were) (?P<how>\w{3,}(?:ed|t)) (?:with|by|at|through) (?P<who>"
    r"[A-ZÀ-ÖØ-Þ][\w&'-]+(?:\s[A-ZÀ-ÖØ-Þ][\w&'-]+){0,3})|"
    r"\b(?:ist|bist|sind|bin) bei (?:der |dem )?(?P<wer>[A-ZÀ-ÖØ-Þ][\w&'-]+"
    r"(?:\s[A-ZÀ-ÖØ-Þ][\w&'-]+){0,3})(?: (?P<wie>\w{3,}(?:t|en))\b|(?=\W|\sund\b|$))"
)
"""With whom something is done: Harbour Mutual of "your boat is insured with Harbour Mutual"."""

PLATE = re.compile(r"\b[A-Z]{1,3}\d{1,4} [A-Z]{2,3}\b|\b[A-Z]{1,3}[ -][A-Z]{1,2} \d{1,4}\b")
"""The plate of a car or boat: "NK47 BTR" of "your boat has the registration NK47 BTR"."""

# "MV21 ABC", "B-4711", "20231A", "7KLM123456", any number of four digits that is no year of a date.
CODE = re.compile(
    r"(?<![\w.,/-])\d{5,}[A-Z]\b|"
    r"(?<![\w.,/-])\d{1,4}[A-Z]{2,5}-?\d{3,}[A-Z\d]*\b|"
    r"(?<![\w.,/-])(?=[\w-]*\d|[A-Z]{2} \d{4})(?:[A-Z]{1,5}[- ]?|[A-Z]{6,12}-?)\d[\w-]*\b|"
    r"(?<![\w.,/:-])\d{4,}\b(?![/.,:]\d)"
)

CLASS = re.compile(
    r"(?:(?<=class )|(?<=classe )|(?<=clase )|(?<=klasse )|(?<=group )|(?<=seat )|(?<=gate )"
    r"|(?<=platform )|(?<=room )|(?<=from ))\d{1,2}[A-Z](?![\w/:-])",
    re.IGNORECASE,
)
"""A class or seat after what it is called: "8B" of "in class 8B", but not of "a 5G router"."""

# "42,000" and "3.5", but not the "3" of "3/4" or of "v3".
NUMBER = re.compile(r"(?<![\w.,/:-])(\d{1,3}(?:[., ]\d{3})+|\d+(?:[.,]\d+)?)(?![\w/:-]|[.,]\d)")
SIZE = re.compile(r"\b\d{1,4}(?:[.,]\d)?(?: ?[x\u00d7] ?\d{1,4}(?:[.,]\d)?){1,3}\b")
"""Length, width and height: "40 x 30 x 15"."""

# "+44 20 7946 0018" and "(030) 123456".
PHONE = re.compile(r"(?<![\w/])(?:\+|\(0?(?=\d{2,4}\)))?\d[\d ()/.-]{6,20}\d(?![\w/])")

# "a 7-year-old", "who is 7", "aged 44".
AGE = re.compile(
    r"\b(\d{1,3})(?: |-)years?(?: |-)old\b|\bwho(?:'s| is) (\d{1,3})(?=\s*$|\s*[,;.](?!\d)|\sand\b)"
    r"|\b(?:aged|age|are|i am|is)\s(\d{2})(?=\s*$|\s*[,;.](?!\d)|\sand\b)"
    r"|\b(\d{1,3}) (?:años|ans|anni|anos)\b|\b(\d{1,3}) jahre alt\b",
    re.IGNORECASE,
)

_AGES = re.compile(
    r"\b(?:they(?:'re| are)|who are|aged|sie sind|tienen|ils ont|elles ont)\s"
    r"(\d{1,2}(?:, \d{1,2}){0,5},? (?:and|und|y|et) \d{1,2})\b"
    r"(?! [a-zà-ÿ]*(?:people|adults|guests))",
    re.IGNORECASE,
)


def ages_of_several(clause: str) -> Iterator[tuple[str, str, int]]:
    """Yield the ages of several people with their starts: "they are 7 and 10", "aged 3 and 5"."""
    for match in _AGES.finditer(clause):
        for age in NUMBER.finditer(match[1]):
            yield "age", age[0], match.start(1) + age.start()


QUOTED = re.compile(
    r"[\"\u201c\u201e«]\s?([^\"\u201d\u201c»]{1,200}?)\s?[\"\u201d\u201c»]|(?<=\s)['\u2018]([^'\u2019]{2,200})['\u2019](?!\w)"
)

CAPITALISED = r"[A-ZÀ-ÖØ-Þ][\w'\u2019.-]{0,40}"

# "Maria de la Cruz", "Ludwig van Beethoven".
PERSON = re.compile(
    rf"{CAPITALISED}(?:\s(?:de|del|la|van|von|der|da|di|bin|al)\b)?(?:\s{CAPITALISED}){{0,3}}"
)

PLACE = (
    r"(?:(?:calle|avenida|plaza|c/|rue|avenue|via|viale|rua)\s)?"
    rf"{CAPITALISED}(?:\s{CAPITALISED}){{0,3}}\s\d{{1,4}}[a-z]?(?!\s(?:years?|jahre|años|ans)\b)"
)

# "14 rue des Carmes": the kind of street and what links it to its name are in lower case
WAYS = r"(?:rue|avenue|place|quai|boulevard|all[ée]e|chemin|impasse|cours|route|passage|square)"

WAY = (
    rf"\b\d{{1,4}}(?:\s?(?:bis|ter|[a-z]))?,?\s(?i:{WAYS})"
    rf"(?:\s(?:de|du|des|la|le|les)){{0,2}}\s(?:[ld]['\u2019])?{CAPITALISED}(?:\s{CAPITALISED}){{0,3}}"
)

ADDRESS = re.compile(
    rf"(?:{WAY}|{PLACE}|\b\d{{1,4}}[a-z]?\s{CAPITALISED}(?:\s{CAPITALISED}){{1,3}})"
    rf"(?:,\s(?!{POSTCODE.pattern})(?:\d{{4,6}}\s)?{CAPITALISED})*(?!\d)"
)

STREETS = (
    r"(?:road|street|lane|avenue|drive|way|close|square|hill|court|gardens|terrace|row|place"
    r"|crescent|boulevard|park)"
)

STREET = re.compile(rf"\b\d{{1,4}}[a-z]?\s(?:[A-Z][\w'\u2019-]*\s){{1,3}}(?i:{STREETS})\b")
"""A street with its number: "3 Quarry Road"."""

PLACE_NAMED = re.compile(
    r"\b(?:go|gone|goes|going|went|travel\w*|fly|flew|flying|flown|drive|drove|stay\w*|were|was|been)"
    r" (?:to|in) (?P<place>[A-ZÀ-ÖØ-Þ][^\W\d_]+(?:[ -][A-ZÀ-ÖØ-Þ][^\W\d_]+){0,2})"
)
"""Where somebody went or was: Greece of "you would have gone to Greece"."""

IN_PLACE = re.compile(
    r"\b(?:\w{2,}ed|\w{2,}en|was|were|stands?|lies|sits|steht|liegt|lost|happened|broke|left|met"
    r"|bought|is|are|be) (?:\w+ly )?in "
    r"(?P<place>[A-ZÀ-ÖØ-Þ][^\W\d_]+(?:[ -][A-ZÀ-ÖØ-Þ][^\W\d_]+){0,2}"
    r"(?:, [A-ZÀ-ÖØ-Þ][^\W\d_]+(?: [A-ZÀ-ÖØ-Þ][^\W\d_]+)?)?)"
)
"""Where something happened: Lyon, France of "it was taken in Lyon, France, on Monday"."""

SPOT = re.compile(
    r"^you(?:'re| are)(?: (?:\w+ing|\w+ed|right now|just|currently)){0,2} "
    r"(?:at|near|in|on|outside|in front of|next to) (?P<place>(?:the )?[A-ZÀ-ÖØ-Þ].*)$"
)
"""Where the user is: Ocean Park of "you are at Ocean Park"."""

OF_THEM = re.compile(
    r"\s(?:of (?:them|us|you|the \w+)|von ihnen|von euch|de ellos|de ellas|d'entre \w+|di loro)\s"
    r"\w+\s(\w[\w -]*)",
    re.IGNORECASE,
)
""""six of them are vegetarians": what is counted stands behind."""

PARTY = re.compile(
    r"\b(?:you are|you're|there are|there will be|you will be|we are|for|sois|sereis|seréis"
    r"|ihr seid|vous [êe]tes|vous serez|siete|sarete|s[ãa]o)\s+(?:\w+)"
    r"(?:\s(?:en total|in total|in all|en tout|insgesamt|in tutto|ao todo))?\s*$"
    r"|\b(?:of you|of us|people|persons)\b"
    r"|\byou (?:two|three|four|five|six|\d{1,2})\b(?! (?:days?|nights?|weeks?))",
    re.IGNORECASE,
)
"""A number that counts the user's party: "so you are two"."""


def joined_spans(clause: str, spans: Sequence[ValueCandidate]) -> Iterator[ValueCandidate]:
    """Dates that follow each other as one: "Thursday" and "18 March 2027" are one day."""
    held: ValueCandidate | None = None
    for span in sorted(spans, key=lambda item: item.start):
        gap = clause[held.end : span.start] if held is not None else ""
        near = held is not None and 0 <= span.start - held.end <= _GAP
        if held is not None and (near or _DAY_BEFORE_DATE.fullmatch(gap)):
            text = clause[held.start : span.end]
            held = ValueCandidate(text, text, held.start, span.end, span.certainty)
            continue
        if held is not None:
            yield _without_preposition(held)
        held = span
    if held is not None:
        yield _without_preposition(held)


def _without_preposition(span: ValueCandidate) -> ValueCandidate:
    text = re.sub(r"^(?:on|el|am|le|il|em|na|no)\s+", "", span.text, flags=re.IGNORECASE)
    return ValueCandidate(text, text, span.end - len(text), span.end, span.certainty)


# "12, High Street" is one value, though a number and a name were found.
_GAP = 2
_DAY_BEFORE_DATE = re.compile(r",? (?:the|den|dem|der|el|le|il|o) ", re.IGNORECASE)
"""What stands between a weekday and its date: "Wednesday, the 21st of April"."""
