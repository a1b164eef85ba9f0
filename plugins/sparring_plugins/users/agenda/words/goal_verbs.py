"""Words of goals: verbs at their beginning, and when and to whom something is said.

English verbs are looked up in a table made from an open lexicon; Spanish, French and German goals
are read by their endings. Goals may speak of the user in the third person.
"""

import re
from collections.abc import Mapping
from functools import lru_cache

from pydantic import BaseModel, ConfigDict

from sparring_plugins.language.text import contains, folded
from sparring_plugins.language.yaml_files import bundled_yaml
from sparring_plugins.users.agenda.words.phrase_book import any_of, phrases

# --- Patterns of when and to whom something is said, and of clauses beside a goal


PREPOSED_OUTPUT = re.compile(
    r"(the )(?:for|in|about|until|by|at|from|within|to|on|with) (?:how|what|which|when|whom)\b"
)
"""A question behind its preposition: "for how long the table is yours"."""


FITTING = re.compile(
    r"^(?!what|which|who|how|when|where|if|whether)[^,?]{2,60}"
    r" (?:would|will|should) (?:be|do|suit|work|fit|go)\b",
    re.IGNORECASE,
)
"""A wish in a clause of its own: "the afternoon would be best"."""
OWN_CLAUSE = re.compile(
    r"^(?:the|your|my|it|they|this|that|delivery|pickup|pick-up|all|both|some|every|each|several"
    r"|two|three)\b(?!.*\?)(?:[^,]{0,40}?|[^,]{0,40},[^,]{0,20},\s)"
    r"\b(?:should|must|shall|has to|have to|needs to|need to|is|are|does not|do not) \S",
    re.IGNORECASE,
)
"""What a goal says of something in a clause of its own: "the new plan should start at once"."""
HAVE_DO = re.compile(
    r"have (?:somebody|someone|them|an? \w+|the \w+) (?:call|ring|phone|contact|text|e-?mail|visit"
    r"|bring|send|come|collect|check|look|fix|repair|help|write|tell|show)\b",
    re.IGNORECASE,
)
"""A service of others: "have somebody call you"."""


MOMENT_FIRST = re.compile(
    r"^(?:before|when|once|after|as soon as|at the end)\b[^,]{0,60},\s"
    r"(?=\w)",
    re.IGNORECASE,
)
"""When something is to be said: "before it is sent off, say that ..." says what follows."""


@lru_cache(maxsize=1024)  # asked of each goal in each turn
def after_moment(text: str, language: str) -> str | None:
    """What a goal says after the moment at which it is to be said; None if it names no moment.

    "before it is sent off, say that ..." says what follows, and so does "wenn die Angaben gezeigt
    werden, den Auszug verlegen" as far as it changes something.
    """
    english = MOMENT_FIRST.match(text) if language == "English" else None
    if english is not None and _is_order(text[english.end() :]):
        return text[english.end() :]
    leads = goal_words().moments.get(language, ())
    moment, comma, rest = text.partition(", ")
    if not leads or not comma or len(moment) > _LONGEST_MOMENT:
        return None
    begins = re.match(rf"\W*{any_of(leads)}\s", moment, re.IGNORECASE)
    return rest if begins and changes_something(rest) else None


def _is_order(text: str) -> bool:
    """Whether words say what is to be done: "take carrot instead", and not "you can come in"."""
    first = text.partition(" ")[0].lower()
    orders = ("ask", "change", "correct", "mention", "say", "tell", "take")
    return first in orders or begins_with_verb(text) or _RATHER.match(text) is not None


_RATHER = re.compile(r"you(?:'d| would| do| will|'ll)? (?:rather|prefer|sooner)\b", re.IGNORECASE)
""""when they ask if that is right, you would prefer Monday" changes the day then."""


def after_question(text: str, language: str) -> str | None:
    """The information that a goal gives only if the app asks for it, or None.

    "si preguntan por tu salud, contar que tienes una lesión" gives an injury.
    """
    leads = goal_words().asked_for.get(language, ())
    case, comma, rest = text.partition(", ")
    if not leads or not comma or len(case) > _LONGEST_MOMENT:
        return None
    return rest if re.match(rf"\W*{any_of(leads)}\b", case, re.IGNORECASE) else None


_LONGEST_MOMENT = 70


def changes_something(text: str) -> bool:
    """Whether a text has a word for changing in it, in any language: "verlegen", "changer"."""
    words = folded(text)
    return any(contains(words, word) for word in (*_changing(), *goal_words().instead))


@lru_cache(maxsize=1)
def _changing() -> tuple[str, ...]:
    lists = bundled_yaml("sparring_plugins.users.agenda.words", "intents.yaml")
    return tuple(folded(str(word)) for word in lists["change"])


def is_own_clause(text: str, language: str) -> bool:
    """Whether a goal says what something is to be in a clause of its own; not in English.

    "die Änderung soll ab dem 1. Mai gelten", "la entrega tiene que ser por la mañana".
    """
    lists = goal_words()
    subjects, verbs = lists.subjects.get(language, ()), lists.obligations.get(language, ())
    if not subjects or "?" in text:
        return False
    own = rf"{any_of(subjects)}\s(?:[\w-]+\s){{0,3}}?{any_of(verbs)}\s\S"
    return re.match(own, text, re.IGNORECASE) is not None


_CAUSED = re.compile(
    r"have (?:(?:an?|the|your|my|some|\d+)\b.*|it|them|this|that|everything) ?"
    r"\b\w+(?:ed|en|wn|id|ut|ept|ent|ought|ade|old|one|aid)\b",
    re.IGNORECASE,
)
"""A service that others do: "have your bike repaired". "Have you ..." is a question."""
_WRITTEN = re.compile(
    r"have (?!you |we |they |i )\S.{0,100}? (?:written|printed|engraved|added|changed|put|sent"
    r"|delivered|brought|moved|picked|collected|repaired)\b(?!.*\?)",
    re.IGNORECASE,
)
"""A service whose object has no article: "have Happy Birthday Nora written on it"."""
_HAVING = re.compile(r"have (?:an?|the|your|my|some|\d+) [\w' -]+(?:,|$)", re.IGNORECASE)
"""A thing to be had: "have a lesson, Friday would be good" is no question, though it begins so."""
_HAVE_READY = re.compile(
    r"have (?:it|them|this|that|everything) (?:ready|here|there|back|by|before|on|in|at|for|as)\b",
    re.IGNORECASE,
)
"""A thing that is to be somewhere or so: "have it ready for you to collect"."""


def has_done(text: str) -> bool:
    """Whether an English goal has something done, or has a thing: "have your bike repaired"."""
    return any(pattern.match(text) for pattern in (_CAUSED, _WRITTEN, _HAVING, _HAVE_READY))


_DEED = re.compile(
    r"(?:the|they|somebody|someone|he|she|it|your) (?:\w+ )?(?!is\b|has\b|was\b|does\b|includes\b)"
    r"\w+(?<!s)s (?:it|them|the|your|my|a|an)\b",
    re.IGNORECASE,
)
""""make sure that the driver leaves it in the shed" wants that to be done."""
_TOLD_TO = re.compile(
    r"be (?:told|informed) (?:that |(?=(?:whether|if|when|how|what|who|why|where)\b))",
    re.IGNORECASE,
)


def is_deed(text: str) -> bool:
    """Whether a clause after "make sure that" says what somebody is to do."""
    return _DEED.match(text) is not None


def indirect_question(text: str) -> str | None:
    """The information that an English goal wants, as an indirect question; None for other goals."""
    match = _TOLD_TO.match(text)
    if match is None:
        return None
    rest = text[match.end() :]
    return f"whether {rest}" if match[0].endswith("that ") else rest


def is_done_to_user(text: str) -> bool:
    """Whether an English goal is to have something done to its user: "be paid by voucher"."""
    return re.match(r"be \w+(?:ed|id|en|nt|ld)\b", text) is not None


TELL_WHOM = re.compile(
    r"^(?:tell|inform|let) (?:them|him|her|it|somebody|someone|(?:the|your) [\w' -]{2,30}?)"
    r"(?: know)? that "
    r"(?=(?:you|your|there|the|it|he|she|they|his|her|their|an?|no|these?|this)\b|[A-Z])",
    re.IGNORECASE,
)
"""The addressee of a statement: "tell the clinic that you will be late" says what follows."""


TO_USER = re.compile(r"\b(for|to|with|from) you(?=\s*(?:[.,;!?]|$)| (?:at|on|in|by|if|as|and)\b)")
"""The user as an object: "have it sent to you by Friday" is "to me" in the user's own words."""


PARTY_CLAUSE = re.compile(
    r"([,;]) you are (?=(?:\d+|two|three|four|five|six|seven|eight|nine|ten)\b)(\w+)", re.IGNORECASE
)
"""How many the user's party is, in a clause of its own: "..., you are 3 people"."""


# --- Verbs


class VerbTable(BaseModel):
    """The data file: English verbs, and those of them that are nouns or adjectives as well."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    only_verbs: str
    other_words_too: str


class GoalWords(BaseModel):
    """The data file: words by which goals are read; see the comments there."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    third_persons: dict[str, tuple[str, ...]]
    their_words: dict[str, str]
    object_starts: tuple[str, ...]
    particles: tuple[str, ...]
    compound_heads: tuple[str, ...]
    informative: tuple[str, ...]
    app_things: tuple[str, ...]
    feminine: tuple[str, ...]
    feminine_endings: tuple[str, ...]
    spanish_you: dict[str, str]
    french_acts: tuple[str, ...]
    ensuring: dict[str, tuple[str, ...]]
    no_things: frozenset[str]
    moments: dict[str, tuple[str, ...]]
    asked_for: dict[str, tuple[str, ...]]
    instead: tuple[str, ...]
    subjects: dict[str, tuple[str, ...]]
    obligations: dict[str, tuple[str, ...]]
    nouns: frozenset[str]
    receiving: dict[str, tuple[str, ...]]
    identifiers: tuple[str, ...]
    separable: frozenset[str]
    behind_imperatives: frozenset[str]


@lru_cache(maxsize=1)
def goal_words() -> GoalWords:
    """The word lists beside this module."""
    return GoalWords.model_validate(
        bundled_yaml("sparring_plugins.users.agenda.words", "goal_words.yaml")
    )


@lru_cache(maxsize=1)
def _verbs() -> tuple[frozenset[str], frozenset[str]]:
    table = VerbTable.model_validate(
        bundled_yaml("sparring_plugins.users.agenda.words", "english_verbs.yaml")
    )
    return frozenset(table.only_verbs.split()), frozenset(table.other_words_too.split())


def is_verb(word: str) -> bool:
    """Whether an English word is the base form of a verb."""
    only, ambiguous = _verbs()
    return word.lower() in only or word.lower() in ambiguous


def begins_with_verb(text: str) -> bool:
    """Whether an English goal begins with a verb: "unlock your account", "file a complaint".

    A word that is a noun, too, needs an object or a particle after it: "order status" names a
    thing, and so does "access to the garden".
    """
    first, _, rest = text.lower().partition(" ")
    only, ambiguous = _verbs()
    repeated = first.startswith("re") and is_verb(first[2:]) and first not in ambiguous
    if first in only or repeated:
        return not rest or rest.split()[0] not in goal_words().compound_heads
    if first not in ambiguous or not rest:
        return False
    following = rest.split()[0].strip(",")
    lists = goal_words()
    # no digit: "question 2" and "room 4" are things
    return following in (*lists.object_starts, *lists.particles)


def names_compound(text: str) -> bool:
    """Whether a listed verb is the first part of a compound: "order status", "delivery times"."""
    words = text.lower().split()
    return len(words) > 1 and words[-1 if len(words) == 2 else 1] in goal_words().compound_heads


_ASKED_ABOUT = re.compile(r"\w+(?: to)? (?:what|which|when|whom|how|whose)\b")


def german_order(text: str, infinitives: Mapping[str, str]) -> tuple[str, str] | None:
    """Return what a German imperative is about and its infinitive, or None for no imperative.

    "senke den Beitrag auf 12 Euro, ab Mai" is "den Beitrag auf 12 Euro senken, ab Mai", and "gib
    den Stand durch" is "den Stand durchgeben".

    Args:
        text: The goal.
        infinitives: Those that no rule makes, by their imperatives.
    """
    first, _, rest = text.partition(" ")
    lists, second = goal_words(), rest.partition(" ")[0].strip(",:").lower()
    regular = first.islower() and first.endswith("e") and second in lists.behind_imperatives
    verb = infinitives.get(first.lower()) or (f"{first}n" if regular else None)
    if verb is None or not rest or first in lists.behind_imperatives:
        return None
    head, mark, tail = re.split(r"([,:]|$)", rest, maxsplit=1)
    start, _, last = head.strip().rpartition(" ")
    if start and last in lists.separable:
        head, verb = start, f"{last}{verb}"
    return head, f"{verb}{mark}{tail}"


def has_particle(rest: str) -> bool:
    """Whether a particle follows a verb: "check out the order" does not ask anything."""
    if _ASKED_ABOUT.match(rest):
        return False  # "find out in which room it is"
    return rest.split(" ", 1)[0].lower() in goal_words().particles


def is_informative(text: str) -> bool:
    """Whether an English noun phrase names information: "opening hours", "order status"."""
    words = re.split(r" (?:of|for|on|in|at|to|from|with) ", text.lower())[0].split()
    return bool(words) and words[-1] in goal_words().informative


@lru_cache(maxsize=512)
def second_person(text: str, language: str) -> str:
    """A goal that speaks of the user in the third person, as if it spoke to the user.

    "The customer asks if he can pay later" becomes "ask if you can pay later".
    """
    subjects = goal_words().third_persons.get(language, ())
    match = re.match(rf"{any_of(subjects)}\s+(?=\S)", text, re.IGNORECASE) if subjects else None
    if match is None:
        return text
    rest = text[match.end() :]
    if language == "English":
        return _english_second(rest)
    if language == "German":
        return _german_second(rest)
    return rest


def _english_second(rest: str) -> str:
    """What follows "the user", with its verb in the base form and "his" as "your"."""
    first, _, others = rest.partition(" ")
    their = goal_words().their_words
    words = " ".join(
        their.get(word.lower().strip(",."), word.strip(",.")) + word[len(word.rstrip(",.")) :]
        for word in others.split(" ")
    )
    if first.lower() in _BEING:
        return f"you {_BEING[first.lower()]} {words}"
    base = base_form(first)
    wanting = base in ("want", "need", "would", "must", "should", "wish", "like")
    return f"you {base} {words}" if wanting or not is_verb(base) else f"{base} {words}".strip()


def _german_second(rest: str) -> str:
    """Read "fragt nach dem Preis" as "frage nach dem Preis"."""
    first, _, others = rest.partition(" ")
    if first.lower() in ("möchte", "will", "muss", "soll"):
        modal = {"möchte": "möchtest", "will": "willst", "muss": "musst", "soll": "sollst"}
        return f"du {modal[first.lower()]} {others}"
    return f"{first[:-1]}e {others}".strip() if first.endswith("t") else rest


_BEING = {"has": "have", "is": "are", "was": "were"}
_THIRD = {
    "ies": "y",
    "sses": "ss",
    "ches": "ch",
    "shes": "sh",
    "xes": "x",
    "oes": "o",
    "zzes": "zz",
}


def base_form(verb: str) -> str:
    """A verb without the ending of its third person: "complains", "applies", "books"."""
    for ending, base in _THIRD.items():
        if verb.endswith(ending):
            return f"{verb[: -len(ending)]}{base}"
    return verb[:-1] if verb.endswith("s") and not verb.endswith(("ss", "us", "is")) else verb


# The user's own person, where a language marks it on the verb.

# "quejarte" and "quejarse" become "quejarme".
_REFLEXIVE_SPANISH = re.compile(r"^(\w+[aei]r)(?:te|se)\b", re.IGNORECASE)
_REFLEXIVE_FRENCH = re.compile(
    r"^(?:se |s['\u2019]|vous |te |t['\u2019])(?=(\w)\w*(?:er|ir|re)\b)", re.IGNORECASE
)
# "lass dir einen Termin geben" has its verb at the end.
_LET_GERMAN = re.compile(r"^(?:lass|lasse|lassen sie) (.+) (\w+en)$", re.IGNORECASE)
_IMPERATIVE_SPANISH = re.compile(
    r"^(\w{3,}a) (?=(?:un|una|unos|unas|el|la|los|las|tu|tus|su|sus|\d+)\b)", re.IGNORECASE
)
""""anula la entrega" is an order to cancel it."""
_ENCLITIC_SPANISH = re.compile(r"^\w{2,}[aeiáéí]r(?:me|se)?l[aeo]s?\b", re.IGNORECASE)
"""An infinitive with its object: "encargarla", "enviármelo"."""
_IMPERATIVE_GERMAN = re.compile(r"^(\w{3,}e) dich (.+)$", re.IGNORECASE)
_VOWELS = "aeiouyhàâéèêëîïôùû"


def own_action(text: str, language: str) -> str | None:
    """A goal as an infinitive in the user's own person; None if it is none of these forms.

    "apuntarte al taller" is "apuntarme al taller", "vous inscrire" "m'inscrire", "beschwere dich
    über den Lärm" "mich über den Lärm beschweren", and "lass deine Uhr reparieren" "meine Uhr
    reparieren lassen".
    """
    if language == "Spanish":
        if _REFLEXIVE_SPANISH.match(text):
            return _REFLEXIVE_SPANISH.sub(r"\1me", text)
        if _ENCLITIC_SPANISH.match(text):
            return text  # "recogerla el martes" is an infinitive
        match = _IMPERATIVE_SPANISH.match(text)
        return f"{match[1]}r {text[match.end() :]}" if match else None
    if language == "French" and (match := _REFLEXIVE_FRENCH.match(text)):
        own = "m'" if match[1].lower() in _VOWELS else "me "
        return own + text[match.end() :]
    if language == "German":
        if match := _LET_GERMAN.match(text):
            return f"{match[1]} {match[2]} lassen"
        if match := _IMPERATIVE_GERMAN.match(text):
            return f"dich {match[2]} {match[1].lower()}n"
    return None


_SECOND_GERMAN = re.compile(r"\b(\w{3,})st$", re.IGNORECASE)


def own_person(text: str, language: str) -> str:
    """Words with what a language marks on verbs and possessives in the user's own person."""
    if language == "French":
        can = rf"\b(?:vous pouvez|tu peux) (?={any_of(goal_words().french_acts)}\b)"
        return _FRENCH_YOUR.sub(_french_my, re.sub(can, "je peux ", text))
    if language == "Spanish":
        for other, own in goal_words().spanish_you.items():
            text = re.sub(rf"\b{other}\b", own, text)
        return text
    if language == "German":
        text = re.sub(r"\bdein(e[nmrs]?)?\b", r"mein\1", text)
    if language == "German" and re.search(r"\b(?:du|ich)\b", text):
        return _SECOND_GERMAN.sub(r"\1e", text)
    return text


_FRENCH_YOUR = re.compile(r"\b(?:votre|ton|mon) (\w+)")


def _french_my(match: re.Match[str]) -> str:
    """Say "ma clé" for "votre clé", "mon adresse" for "votre adresse", by the noun's ending."""
    noun, lists = match[1].lower(), goal_words()
    feminine = noun in lists.feminine or noun.endswith(lists.feminine_endings)
    return f"{'ma' if feminine and noun[0] not in _VOWELS else 'mon'} {match[1]}"


# What is the user's, and what is the app's.


def with_own_things(text: str) -> str:
    """An English goal with the user's things as "my": "why your card was declined".

    Goals are written to the user, so "your" is the user's, except for what only apps have:
    "your opening hours".
    """
    things = any_of(goal_words().app_things)
    return re.sub(
        rf"\b(yours?|yourself)\b(?! (?:\w+ )?{things}\b)",
        lambda match: {"your": "my", "yours": "mine", "yourself": "myself"}[match[1].lower()],
        text,
        flags=re.IGNORECASE,
    )


def spoken_to_user(text: str) -> bool:
    """Whether an English goal says how things are with the user: "you forgot your password"."""
    return bool(re.match(r"you(?:'ve|'re| \w)", text, re.IGNORECASE)) and not folded(text).endswith(
        "you"
    )


def english_order(text: str) -> str | None:
    """What the user asks the app to do: of "the assistant to cancel the taxi", a request."""
    match = re.match(
        r"(?:the (?:\w+ )?(?:bot|chatbot|assistant|agent|app|system)|them|it) to (.+)",
        text,
        re.IGNORECASE,
    )
    return f"please {match[1]}" if match and is_verb(match[1].split()[0]) else None


# "give your name as Ann" says a particular and not a wish.
_GIVEN = re.compile(
    r"(?:tell|give|send|provide)(?: (?:the \w+|them|it))?(?: with)?"
    r" (?:your|my) (?P<thing>[\w ]{2,40}?)"
    r"(?:,|:| as| is) (?P<value>\S.{0,80})",
    re.IGNORECASE,
)


def english_particular(text: str) -> str | None:
    """Read "Tell the assistant your customer number, 88213" as "my customer number is 88213"."""
    match = _GIVEN.fullmatch(text)
    return f"my {match['thing']} is {match['value']}" if match else None


def is_bare_topic(text: str, language: str) -> bool:
    """Whether a topic has no article, so that it is best asked by itself: "¿Horario de verano?"."""
    book = phrases(language)
    first = folded(text.replace("'", " ").replace("\u2019", " ")).split(" ", 1)[0]
    if first in ("l", "d"):
        return False
    if book.finite and first in ("der", "das", "die", "den"):  # frames of topics want the dative
        return True
    return first not in {folded(word) for word in (*book.determiners, *book.definite)}
