"""Clauses of a sentence that ask: several questions in one, requests put as statements, either-or.

"I need how many helmets you want and whether you take the insurance" asks two things without a
question mark; "Can you come here, or should we send someone?" offers two ways to go on.
"""

import re
from functools import lru_cache

from pydantic import BaseModel, ConfigDict

from sparring_plugins.language.text import folded
from sparring_plugins.language.vocabulary import cue_phrases, languages_of, starts_with_cue
from sparring_plugins.language.yaml_files import bundled_yaml
from sparring_plugins.users.agenda.profile.conditions import states_condition
from sparring_plugins.users.agenda.profile.personal_details import asked_details
from sparring_plugins.users.agenda.words.knowledge import starts_with_any
from sparring_plugins.users.agenda.words.phrase_book import any_of

_QUOTED = re.compile(r"[\"\u201c\u201e«][^\"\u201d\u201c»]{1,200}[\"\u201d\u201c»]")


_YES_OR_NO = re.compile(
    r"\b(?:yes|ja|s[ií]|oui|sim)\b.{1,12}\b(?:no|nein|non|n[aã]o)\b", re.IGNORECASE
)
"""Both answers by name: "Is that right? (1) Yes or (2) No"."""


class AskingWords(BaseModel):
    """The word lists of asking: see the comments of `asked_clauses.yaml`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    askers: tuple[str, ...]
    needs: tuple[str, ...]
    requests: tuple[str, ...]
    are_missing: tuple[str, ...]
    adverbs: tuple[str, ...]
    counts: frozenset[str]
    whether: frozenset[str]
    joints: tuple[str, ...]
    either: tuple[str, ...]
    wh_leads: tuple[str, ...]
    prepositions: frozenset[str]
    auxiliaries: frozenset[str]
    subjects: frozenset[str]
    inverted_subjects: frozenset[str]
    after_deeds: frozenset[str]
    inflected: frozenset[str]
    app_persons: frozenset[str]
    not_asked: tuple[str, ...]
    how_many: tuple[str, ...]
    how_old: tuple[str, ...]
    years: dict[str, str]
    plain_subjects: frozenset[str]
    thing_ends: frozenset[str]
    pleas: tuple[str, ...]
    assents: tuple[str, ...]
    doing: tuple[str, ...]
    of_facts: frozenset[str]
    only_indirect: frozenset[str]
    typing: tuple[str, ...]
    choosing: tuple[str, ...]
    bare_offers: frozenset[str]
    in_that_case: tuple[str, ...]
    typed_things: tuple[str, ...]
    steps: tuple[str, ...]
    of_all: tuple[str, ...]


@lru_cache(maxsize=1)
def asking_words() -> AskingWords:
    """The word lists of asking."""
    path = "asked_clauses.yaml"
    return AskingWords.model_validate(bundled_yaml("sparring_plugins.users.agenda.replies", path))


_SHORTEST = 2
"""Least number of words of a question within a sentence: "where and when" is one question."""


def without_progress(text: str) -> str:
    """Return a reply without what counts its steps: "(3/7)", "Step 2 of 6:", "Schritt 2 von 5"."""
    return _progress().sub("", text)


@lru_cache(maxsize=1)
def _progress() -> re.Pattern[str]:
    """How far a form is, at the start of a line: in brackets, after a word, or before a mark."""
    lists = asking_words()
    count = rf"\d{{1,2}}\s?(?:/|{any_of(lists.of_all)})\s?\d{{1,2}}"
    return re.compile(
        rf"^[ \t]*(?:[\[(]\s?(?:{any_of(lists.steps)}\s)?{count}\s?[\])][:.\u2013-]?"
        rf"|{any_of(lists.steps)}\s{count}\s?[:.,\u2013-]?|{count}\s?[:)\u2013-])[ \t]+(?=\S)",
        re.IGNORECASE | re.MULTILINE,
    )


def stated_request(sentence: str) -> str | None:
    """Return what a statement asks for: "the date" of "I still need the date".

    Returns None unless that is a datum or a question: "We need 24 hours' notice" asks for nothing.
    """
    if sentence.rstrip().endswith("?"):
        return None
    missing = _missing().match(sentence)
    if missing is not None:
        return missing[1]
    sentence = _QUOTED.sub(" ", sentence)  # 'Try "I need a taxi"' needs none
    request = _requests().search(sentence)
    if request is None:
        return None
    wanted = sentence[request.end() :].strip()
    if _YES_OR_NO.search(wanted):
        return None  # "I only need a yes or no" says how to answer
    return wanted if _is_datum(folded(wanted)) else None


# "Any allergies?" and "Do you have any luggage?" ask for things, of which there may be none.
_ANY_OF = re.compile(
    r"^\W*(?:(?:and|so|do you have|have you got|are there|is there|haben sie|hast du|gibt es"
    r"|avez-vous|tiene|tienes|hay)\s)*(?:any|alguna?|irgendwelche|irgendeine?|des|qualche)\s",
    re.IGNORECASE,
)


def asks_for_any(sentence: str) -> bool:
    """Return whether a question asks for whatever there is: "Any allergies or wishes?"."""
    return _ANY_OF.match(sentence) is not None


def asks_for_case(sentence: str) -> bool:
    """Return whether something is to be typed if there is any: "If you have a code, enter it now".

    "If it is late, try the other line" asks for nothing.
    """
    condition, comma, rest = sentence.partition(",")
    if not comma or not states_condition(condition):
        return False
    words = folded(re.split(r"[;.]", rest)[0])
    lists = asking_words()
    verb = next((w for w in map(folded, lists.typing) if f"{words} ".startswith(f"{w} ")), None)
    if verb is None:
        return False
    things = f" {words.removeprefix(verb)} "
    return len(verb) > _WITH_PRONOUN or any(f" {folded(w)} " in things for w in lists.typed_things)


_WITH_PRONOUN = 7
"""Letters of the longest verb that needs a pronoun: "mention" does, "escribelo" holds its own."""


def needs_something_else(sentence: str) -> bool:
    """Return whether a statement of need asks for nothing: "We need at least 24 hours"."""
    request = _requests().search(sentence)
    words = folded(sentence[request.end() :]) if request is not None else ""
    leads = asking_words().not_asked
    return any(f"{words} ".startswith(f"{lead} ") for lead in leads) and bool(words)


def _is_datum(words: str) -> bool:
    """Whether folded words begin with a question, or with what leads a datum: "your name"."""
    lists = asking_words()
    first = words.split()[:1]
    if not first or words.split()[:1] == ["to"]:
        return False
    return (
        is_embedded(words)
        or starts_with_cue(without_preposition(words), "wh")
        or starts_with_any(words, "determiners")
        or first[0] in lists.counts
        or bool(asked_details(words))
    )


@lru_cache(maxsize=1)
def _requests() -> re.Pattern[str]:
    """How a statement begins that asks for what follows, also after a clause of its own."""
    lists = asking_words()
    adverbs = rf"(?:{any_of(lists.adverbs)}\s+){{0,3}}"
    return re.compile(
        rf"(?<!\w)(?:{any_of(lists.askers)}\s+{adverbs}{any_of(lists.needs)}"
        rf"|{any_of(lists.requests)})\s+{adverbs}(?=\S)",
        re.IGNORECASE,
    )


@lru_cache(maxsize=1)
def _missing() -> re.Pattern[str]:
    """What is said to be missing: "the date" of "The date is still missing"."""
    lists = asking_words()
    return re.compile(
        rf"\s*(?:[^,:]{{1,20}},\s)?(.{{2,60}}?)\s{any_of(lists.are_missing)}\W*$", re.IGNORECASE
    )


def is_embedded(words: str) -> bool:
    """Return whether folded words are an indirect yes-or-no question: "whether you can walk"."""
    return words.split()[:1] != [] and words.split()[0] in asking_words().whether


# --- Several questions


def asked_parts(sentence: str) -> tuple[str, ...]:
    """Return the questions of a sentence that asks several; the sentence alone if it asks one.

    They are split before a word such as "and" stands before a question of its own: "Where are
    you, and what is the number?". "Name and number?" is one question for two data.
    """
    body = stated_request(sentence) or sentence
    starts = [match.end() for match in _joints().finditer(body)]
    places = [start for start in starts if _begins_question(body[start:])]
    if not places:
        return (sentence,)
    ends = [_joint_before(body, place) for place in places]
    bounds = zip([0, *places], [*ends, len(body)], strict=True)
    parts = [body[start:end].strip(" ,;.?!") for start, end in bounds]
    if any(len(part.split()) < _SHORTEST for part in parts) or not _asks_alone(parts[0]):
        return (sentence,)
    return tuple(f"{part}?" for part in parts)


def _joint_before(text: str, place: int) -> int:
    return next(match.start() for match in _joints().finditer(text) if match.end() == place)


def _asks_alone(part: str) -> bool:
    """Whether the first part of a sentence asks something itself, and does not only lead on."""
    pieces = re.split(r"[,:;]\s|\s[\u2013-]\s", part)
    return any(_begins_question(piece) or _names_datum(folded(piece)) for piece in pieces)


def _names_datum(words: str) -> bool:
    return _is_datum(words) or starts_with_cue(words, "imperative")


@lru_cache(maxsize=1)
def _joints() -> re.Pattern[str]:
    lists = asking_words()
    also = rf"(?:{any_of(lists.adverbs)}\s+)?"
    return re.compile(
        rf"(?:\s*[,;]\s*|\s+){any_of(lists.joints)},?\s+{also}|\s*[,;]\s+(?={any_of(lists.wh_leads)}\s)",
        re.IGNORECASE,
    )


def _begins_question(text: str) -> bool:
    """Whether a text begins with a question word, "whether", or a verb before its subject."""
    words = without_preposition(folded(text))
    if is_embedded(words) or starts_with_cue(words, "wh"):
        return True
    return is_inverted(words)


def is_inverted(words: str) -> bool:
    """Return whether folded words begin as a yes-or-no question with its subject: "do you"."""
    if not starts_with_cue(words, "polar"):
        return False
    parts = words.split()
    lists = asking_words()
    if " ".join(parts[:2]) in lists.doing:
        return False  # "Shall I go ahead and do that for you?" asks once
    if "English" in languages_of(words)[:1] and parts[0] in lists.auxiliaries:
        return len(parts) > 1 and parts[1] in lists.subjects
    whole = max(cue_phrases(words, "polar"), key=lambda cue: len(cue) * words.startswith(f"{cue} "))
    return " " in whole or parts[0] in lists.inflected


def without_preposition(words: str) -> str:
    """Return words without the preposition that they begin with: "for how many"."""
    first, _, rest = words.partition(" ")
    return rest if first in asking_words().prepositions else words


def without_joint(text: str) -> str:
    """Return a question without the word that joins it to another: "And would you ..."."""
    first, _, rest = text.partition(" ")
    return rest if folded(first) in map(folded, asking_words().joints) else text


# --- Either, or


def alternatives(question: str) -> tuple[str, ...]:
    """Return the ways to go on that a question puts to the user, in the user's words; else none.

    "Can you walk to us, or should we send someone to you?" has "I can walk to us" and "Please send
    someone to me".
    """
    text = question.strip(" ?!.")
    parts = [part.strip(" ,;") for part in _or_joints().split(text)]
    if len(parts) != 2 or not all(len(part.split()) > _SHORTEST for part in parts):
        return ()
    first, second = parts
    if is_embedded(folded(first)):
        return _in_own_words(_declared(first), _declared(second))
    start = _start_of_question(first)
    if start is None or not is_inverted(folded(second)):
        return ()
    return _in_own_words(first[start:], second)


def _start_of_question(text: str) -> int | None:
    """Where a yes-or-no question begins in a text, also after a lead: "If so, can you ..."."""
    places = [0, *(match.end() for match in re.finditer(r"[,:;]\s+", text))]
    return next((place for place in places if is_inverted(folded(text[place:]))), None)


def without_condition(words: str, sentence: str) -> str:
    """Return folded words from where the question begins: "If that suits you, would you ..."."""
    if any(starts_with_cue(words, cue) for cue in ("wh", "polar", "imperative")):
        return words
    start = _start_of_question(sentence.strip(" ?!."))
    return folded(sentence[start:]) if start else words


@lru_cache(maxsize=1)
def _or_joints() -> re.Pattern[str]:
    return re.compile(rf"(?:\s*,\s*|\s+){any_of(asking_words().either)}\s+", re.IGNORECASE)


def _declared(clause: str) -> str:
    """A clause in the order of a question: "whether you can walk" as "can you walk"."""
    words = clause.split()
    if words and folded(words[0]) in asking_words().whether:
        words = words[1:]
    if len(words) > 1 and folded(words[1]) in asking_words().auxiliaries:
        words[:2] = [words[1], words[0]]
    return " ".join(words)


def _in_own_words(*clauses: str) -> tuple[str, ...]:
    """Clauses as the user would say them; empty if one has another form than "verb, subject"."""
    said = [own_answer(clause) for clause in clauses]
    return tuple(text for text in said if text) if all(said) else ()


def own_answer(clause: str) -> str:
    """Return what agreeing to a question says: "I can walk" to "can you walk"; empty if unclear."""
    lists = asking_words()
    words = clause.split()
    if len(words) <= _SHORTEST:
        return ""
    verb, subject, rest = folded(words[0]), folded(words[1]), " ".join(words[2:])
    if verb in lists.auxiliaries and subject in lists.app_persons:
        if verb == "are" and rest.split()[:1] and rest.split()[0].endswith("ing"):
            return f"You are {_turned(rest)}"  # "Are we bringing it, or are you collecting it?"
        # "did we find something of yours?" asks what was, and is nothing to ask for
        return "" if verb in lists.of_facts else f"Please {_turned(rest)}"
    if verb in lists.auxiliaries and subject == "you":
        verb = {"are": "am", "were": "was"}.get(verb, verb)
        lead = "I" if verb in ("do", "did") else f"I {verb}"
        return f"{lead} {_turned(rest)}"
    return " ".join(words[1:]) if verb not in lists.auxiliaries else ""


def _turned(text: str) -> str:
    """Words to the user as the user says them: "send someone to you" as "to me"."""
    text = re.sub(r"\byour\b", "my", text)
    return re.sub(r"\byou\b", "me", text)
