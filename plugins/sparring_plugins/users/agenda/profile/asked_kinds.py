"""The kinds of data that a question asks for: a date, a name, a count of people."""

import re
from functools import lru_cache

from sparring_plugins.language.text import contains, folded
from sparring_plugins.users.agenda.profile.facts import names_in
from sparring_plugins.users.agenda.profile.names_of_others import asks_name_of_other
from sparring_plugins.users.agenda.profile.personal_details import asked_details
from sparring_plugins.users.agenda.profile.roles import leads_to_place, names_name
from sparring_plugins.users.agenda.profile.value_parts import asks_house_number
from sparring_plugins.users.agenda.words.knowledge import knowledge, says

_ACCEPTED: dict[str, frozenset[str]] = {
    "email": frozenset({"email"}),
    "phone": frozenset({"phone"}),
    "name": frozenset({"name", "person"}),
    "first_name": frozenset({"name", "person"}),
    "last_name": frozenset({"name", "person", "text"}),
    "address": frozenset({"address"}),
    "city": frozenset({"city", "text"}),
    "place": frozenset({"place", "city", "text", "address"}),
    "country": frozenset({"city"}),
    "who": frozenset({"name", "person", "text"}),
    "postcode": frozenset({"postcode"}),
    "iban": frozenset({"iban"}),
    "birth": frozenset({"date"}),
    "date": frozenset({"date"}),
    "time": frozenset({"time"}),
    "age": frozenset({"age", "number"}),
    "people": frozenset({"number"}),
    "how_many": frozenset({"number"}),
    "number": frozenset({"number"}),
    "money": frozenset({"money", "number"}),
    "digits": frozenset({"code", "number", "phone"}),
    "id": frozenset({"code", "number", "text"}),
    "code": frozenset({"code", "number", "text"}),
}
"""The kinds of values that can answer a question for each kind of data."""

_WHO_FOR = re.compile(
    r"\bwho(?:s| is| are| will| shall) (?:the|this|that|it|your)\b.{0,40}\bfor$"
    r"|^(?:and )?for whom\b|\bfur wen\b|\bpara quien\b|\bpour qui\b|\bper chi\b|\bpara quem\b"
)
"""How a folded question asks for a name without the word: "Who is the contract for?"."""

_NO_NAME = re.compile(
    r"^(?!what|how).*\b(?:us to|someone to|somebody to|we|i) call you\b|\bin your name\b"
)
""""Would you like us to call you when it is ready?" and "Is it in your name?" ask for no name."""
_NUMBER_OF_THING = re.compile(
    r"\b(?:the|your) number of (?:your|the|this|that) \w+(?<!s)\b"
    r"|\b(?:tu|su) numero de \w+(?<!s)\b|\b(?:votre|ton) numero de? ?\w+(?<!s)\b"
    r"|\b(?:il tuo|il suo) numero (?:di|della) \w+\b"
    r"|\bo (?:teu|seu) numero (?:de|da|do) \w+(?<!s)\b"
)
""""What's the number of your claim?" asks for a code, and for no count."""

_WHO_FROM = re.compile(
    r"\bwho(?:s| is| shall)\b.{0,30}\bfrom$|^from whom\b|\bvon wem\b|\bde quien\b"
)
"""How a folded question asks for the user's own name: "Who is it from?"."""

_DAY_OF_MONTH = re.compile(
    r"\bday of (?:the|each|every) month\b|\btag (?:des|im) monats?\b|\bdia del mes\b"
    r"|\bjour du mois\b"
    r"|\bgiorno del mese\b|\bdia do mes\b"
)
"""How a folded question asks for a number from 1 to 31."""


@lru_cache(maxsize=1024)  # each turn reads all questions of its conversation again
def asked_kinds(question: str) -> frozenset[str]:
    """The kinds of data that a folded question asks for; none if its words name no kind."""
    kinds = {kind for kind in asked_details(question) if kind in _ACCEPTED}
    for kind, cues in knowledge().asks.items():
        if kind in _ACCEPTED and any(contains(question, folded(cue)) for cue in cues):
            kinds.add(kind)
    kinds |= _kinds_by_question_word(question, kinds)
    kinds = _kinds_by_label(question, kinds)
    if asks_house_number(question) and not kinds - {"how_many", "number", "name"}:
        return frozenset({"address"})
    kinds = _without_house_number(kinds, question)
    if _DAY_OF_MONTH.search(question):
        return frozenset({"number"})
    named = bool(kinds & {"name", "first_name"}) and not contains(question, "your name")
    if named and asks_name_of_other(question):
        kinds -= {"name", "first_name", "last_name"}  # "And what's the little one's name?"
    if _NO_NAME.search(question):
        kinds.discard("name")
    if _NUMBER_OF_THING.search(question):
        # "What's the number of your claim?" asks for a code, and not how many there are
        kinds = (kinds - {"number", "how_many", "people"}) | {"code", "id"}
    return frozenset(_narrowest(kinds, question))


def _kinds_by_label(question: str, kinds: set[str]) -> set[str]:
    """The kinds of a question, with that of a bare label ("TIME?"), and as its pattern shows.

    "When does it begin? HH:MM" asks for a time of day, though "when" alone may ask for a day.
    """
    label = question.removesuffix(" please").split()
    if len(label) == 1 and label[0] in knowledge().time_labels:
        kinds = kinds | {"time"}
    if question in knowledge().polite_names or (len(label) == 1 and names_name(label[0])):
        kinds = kinds | {"name"}
    if "~duration" in names_in(question):
        kinds = kinds - {"how_many", "number"}  # "Pour combien de temps ?" counts nothing
    pattern = kind_of_pattern(question)
    if pattern and "birth" not in kinds:
        return kinds - {"date", "time"} | pattern
    return kinds


def kind_of_pattern(text: str) -> frozenset[str]:
    """Return whether a folded text has a pattern of digits for a day or for a time of day.

    Neither counts if there are both.
    """
    clock = says(text, "clock_patterns")
    if clock is says(text, "day_patterns"):
        return frozenset()
    return frozenset({"time" if clock else "date"})


def _without_house_number(kinds: set[str], question: str) -> set[str]:
    """The kinds of "Which street is it in?", which wants no house number."""
    if "address" in kinds and _STREET.search(question) and not _NUMBERED.search(question):
        return (kinds - {"address"}) | {"place"}
    return kinds


def _kinds_by_question_word(question: str, kinds: set[str]) -> set[str]:
    """The kinds that question words alone ask for: where, when, who and how much."""
    who = _WHO.match(question) is not None
    if _WHO_FOR.search(question) or _WHO_FROM.search(question):
        return {"name"}
    if who:
        return set() if "name" in kinds else {"who"}
    asked: set[str] = set()
    if _WHERE.match(question) or _FROM_OR_TO.match(question) or leads_to_place(question):
        asked.add("place")
    if _WHEN.match(question) and not kinds & {"date", "time", "birth"}:
        asked |= {"date", "time"} if _TILL_WHEN.match(question) else {"date"}
    if _HOW_MUCH.search(question):
        asked.add("money")
    return asked


_STREET = re.compile(r"\b(?:street|road|strasse|calle|rue|via|rua)\b")
_NUMBERED = re.compile(
    r"\b(?:number|house|nummer|hausnummer|hausnr|numero|adresse|address|direccion|postcode|town"
    r"|city|plz|ort|your|ihre|tu|su|votre)\b"
)

_FROM_OR_TO = re.compile(r"(?:\w+ ){0,4}(?:from|to) ?$")
"""A folded question that is nothing but a way: "pick up from", "going to"."""
# "And where are you flying to?" asks for a place; "Where did you hear of us?" does not.
_WHERE = re.compile(
    r"(?:\w+ ){0,2}(?:where|wo|wohin|woher|donde|adonde|dove|onde)\b(?! did you hear)"
)
# "When would suit?" asks for a date or time; "when you arrive, …" does not ask.
_WHEN = re.compile(
    r"(?:\w+ ){0,2}(?:when|wann|cuando|quand|quando)\b(?! you| the| we)|(?:bis|ab) wann\b"
)
_TILL_WHEN = re.compile(
    r"(?:and )?(?:until when|till when|from when|bis wann|ab wann|hasta cuando|desde cuando"
    r"|jusqu ?a quand|a partir de quand|fino a quando|da quando|ate quando)\b"
)
# "Who is it for?" asks for a person; "Who are you?" is about the user's name, elsewhere.
_WHO = re.compile(
    r"(?:and |so |ok |okay )?(?:(?:to|for|with|from) )?(?:whos?|whom)\b(?! are you| am i)"
)
_HOW_MUCH = re.compile(
    r"\bhow much (?:money\b|(?:is|do|does|did|would|should|shall|will|can|are|to|you|in)\b)"
    r"|\bhow much$"
)
"""How a folded question asks for an amount: "How much should I send?", but not "how much milk"."""

_BROADER = {
    "address": {"place"},
    "city": {"place"},
    "birth": {"date", "digits", "number", "how_many", "code", "id"},
    "postcode": {"code", "id", "digits", "number", "address", "city"},
    "iban": {"code", "id", "digits", "number", "money", "how_many"},
    "money": {"number", "how_many"},
    "phone": {"number", "how_many", "code", "id", "place"},
    "email": {"place"},
}
"""By kind, those that a question for it does not ask for besides, whatever words it has."""


def _narrowest(kinds: set[str], question: str) -> set[str]:
    """The kinds without those that only the words of a narrower one suggest."""
    for kind, broader in _BROADER.items():
        if kind in kinds:
            kinds = kinds - broader
    if "name" in kinds and kinds & {"first_name", "last_name"}:
        kinds = kinds - {"first_name", "last_name"}
    if kinds & {"people", "how_many", "number"} and kinds & {"code", "id"}:
        # "What is the number of your ticket?" asks for a code, "How many tickets?" for a count
        counts = any(contains(question, cue) for cue in ("how many", "how much"))
        kinds = kinds - ({"code", "id"} if counts else {"people", "how_many", "number"})
    return kinds


def asks_reason(question: str) -> bool:
    """Whether a question asks for a reason and nothing else: "Why?", "What is the reason?"."""
    words = folded(question)
    return asked_details(words) == ("why",) or (
        not asked_details(words) and "reason" in names_in(question) and not asked_kinds(words)
    )


def accepted_kinds(kinds: frozenset[str]) -> frozenset[str]:
    """Return the kinds of values that can answer a question for some kinds of data."""
    return frozenset(accepted for kind in kinds for accepted in _ACCEPTED[kind])


def asks_who_from(question: str) -> bool:
    """Return whether a question asks for the user's own name: "Who is it from?"."""
    return _WHO_FROM.search(folded(question)) is not None
