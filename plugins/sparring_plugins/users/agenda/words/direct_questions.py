"""Questions of goals as people type them: "whether there is parking" is "Is there parking?".

Goals hold indirect questions ("ask how many films one may borrow"). Small apps look for what their
makers thought of, "how many films may one borrow", so the direct form is tried first.
"""

import re
from collections.abc import Callable
from functools import lru_cache

from sparring_plugins.language.text import folded
from sparring_plugins.language.vocabulary import starts_with_cue
from sparring_plugins.users.agenda.words.goal_verbs import begins_with_verb, is_verb
from sparring_plugins.users.agenda.words.phrase_book import any_of, phrases, word_lists


@lru_cache(maxsize=1024)  # asked of each goal in each turn
def direct_question(text: str, language: str) -> str | None:
    """Return an indirect question as a direct one, without its mark; None if that is not certain.

    Args:
        text: The question in the user's own person: "what the card costs", "ob es regnet".
        language: Its language.
    """
    turn = _TURNED.get(language)
    if turn is None:
        return None
    head, joint, tail = _second_question(text.strip(" ?."), language)
    first = turn(head)
    second = turn(tail) if tail else ""
    # "what it weighs and where it is made": both or none
    return f"{first}{joint}{second}" if first is not None and second is not None else None


def is_polar(text: str, language: str) -> bool:
    """Return whether a question, direct or indirect, is answered by yes or no."""
    words = folded(text)
    leads = phrases(language).whether_words if language in _TURNED else ()
    return words.partition(" ")[0] in leads or starts_with_cue(words, "polar")


def parts_of_question(text: str, language: str) -> tuple[str, ...]:
    """Return the parts of a question: two of "what it weighs and where it is made"."""
    head, _, tail = _second_question(text, language)
    return (head, tail) if tail else (head,)


def _second_question(text: str, language: str) -> tuple[str, str, str]:
    """A question, the "and" before another one, and that other one; without one the text alone."""
    match = _AND_ASKS.get(language, _AND_ASKS["English"]).search(text)
    if match is None:
        return text, "", ""
    return text[: match.start()], match[0], text[match.end() :]


_AND_ASKS = {
    "English": re.compile(r",? and (?=(?:what|when|where|who|how|why|which|whether|if)\b)", re.I),
    "German": re.compile(r",? und (?=(?:was|wann|wo|wer|wie|warum|welche\w?|ob)\b)", re.I),
}


# --- English

_LEAD = re.compile(
    r"(?P<whether>whether|if) |"
    r"(?P<asked>(?:(?:for|until|till|by|at|from|since|up to|in|on|with|to) )?"
    r"(?:when|where|why|who|how(?: (?:much|many|long|far|old|often|big|large|late|early|soon|fast|"
    r"expensive|high|dear))?|what|which)) ",
    re.IGNORECASE,
)
_AUXILIARIES = frozenset(
    [
        *("is", "are", "was", "were", "am", "will", "would", "shall", "should"),
        *("can", "could", "may", "might", "must"),
    ]
)
_HAVING = {"has": "does", "have": "do", "had": "did"}
_PARTICIPLES = frozenset(
    [
        *("been", "got", "gone", "come", "done", "become", "begun", "fallen", "given", "gotten"),
        *("made", "put", "said", "seen", "sent", "taken", "told"),
    ]
)
"""Participles that do not end in "ed": "whether the order has gone through"."""

_CLAUSES = frozenset(["that", "which", "who", "whose", "if", "when", "because", "and", "or"])
"""Words before which the verb of a question must have come: "the room that is free"."""

_WITHIN = frozenset(["of", "before", "after"])
"""Words that go on with what is asked for: "which of the two", "how long before the flight"."""

_PERSONS = frozenset(["i", "you", "he", "she", "it", "they", "we", "one", "there"])
_SINGULAR = frozenset(["he", "she", "it", "one"])
_PLURAL = re.compile(r"[a-z]{2,}[a-rt-z]s|children|people|men|women")
_LONGEST_SUBJECT = 6


def _english(text: str) -> str | None:
    lead = _LEAD.match(text)
    if lead is None:
        return None
    asked, words = lead["asked"] or "", text[lead.end() :].split()
    begin = _begin_of_subject(asked, words)
    found = _finite_verb(words[begin:]) if begin is not None else None
    if found is None:
        return None
    asked, words = " ".join((asked, *words[:begin])), words[begin:]
    at, auxiliary, verb = found
    subject = " ".join(words[:at])
    if subject == "they":  # "ask whether they take dogs": those whom one asks
        subject = "you"
    rest = " ".join(words[at + 1 :])
    return " ".join(part for part in (asked, auxiliary, subject, verb, rest) if part)


def _begin_of_subject(asked: str, words: list[str]) -> int | None:
    """The index of the first word of the subject; None if that is not certain.

    In "which size the box has" and "how many seats there are" the thing that is asked for ends at a
    word that begins a subject.
    """
    if words[:1] and words[0] in _WITHIN:
        return None
    last = asked.lower().split()[-1:]
    if last not in (["what"], ["which"], ["many"], ["much"]):
        return 0
    subjects = (n for n, w in enumerate(words) if w.lower() in {*word_lists().subjects, "i"})
    begin = next(subjects, 0 if last in (["what"], ["much"]) else None)
    # "what follows if one fails" is direct already
    is_clause = bool(_CLAUSES & {word.lower() for word in words[:begin]})
    return None if is_clause else begin


def _finite_verb(words: list[str]) -> tuple[int, str, str] | None:
    """The place of the verb, the word that goes before the subject, and what stays of the verb."""
    for at in range(1, min(len(words), _LONGEST_SUBJECT + 1)):
        word, subject = words[at].lower().strip(","), words[at - 1].lower()
        if word in _CLAUSES:
            return None
        if word in _AUXILIARIES:
            return at, word, ""
        behind = words[at + 1].lower() if at + 1 < len(words) else ""
        if word in _HAVING:
            perfect = behind in _PARTICIPLES or behind.endswith("ed")
            return (at, word, "") if perfect else (at, _HAVING[word], "have")
        if subject in _PERSONS and is_verb(word) and at == 1:
            return at, "does" if subject in _SINGULAR else "do", word
        base = _third_person(word, subject, behind)
        if base is not None:
            return at, "does", base
        if _PLURAL.fullmatch(words[at - 1]) and is_verb(word):
            return at, "do", word
    return None


def _third_person(word: str, before: str, behind: str) -> str | None:
    """The base form of a verb in the third person, by the words beside it; None for other words.

    "prices" is no verb in "the ticket prices include lunch".
    """
    base = _base(word)
    is_noun = before in word_lists().subjects - _PERSONS or begins_with_verb(behind)
    return None if is_noun else base


def _base(word: str) -> str | None:
    """The base form of a verb in the third person: "costs" is "cost"; None for other words."""
    if not word.endswith("s") or word.endswith("ss"):
        return None
    forms = [word[:-1], word[:-2] if word.endswith("es") else ""]
    if word.endswith("ies"):
        forms = [f"{word[:-3]}y"]
    return next((form for form in forms if form and is_verb(form)), None)


# --- German

_GERMAN_LEAD = re.compile(
    r"(?P<whether>ob) |"
    r"(?P<asked>(?:(?:bis|ab|seit|um|von|für|in|auf|zu|nach|aus|mit|bei) )?"
    r"(?:wann|wo|wohin|woher|wer|wem|wen|warum|weshalb|was|wofür|womit|wozu|wodurch|"
    r"wie(?:viel| viel| lange| oft| weit| teuer| hoch| groß| spät| früh| alt| schnell)?)) ",
    re.IGNORECASE,
)
_GERMAN_THING = re.compile(
    r"(?P<asked>(?:(?:bis|ab|in|auf|zu|nach|mit|bei|an|aus) )?(?:welche[rsmn]?|wie ?viele|was für) "
    r".+?) (?=(?:der|die|das|ein|eine|es|man|ich|du|ihr|sie|wir|mein|meine|der|dieser?)\b)",
    re.IGNORECASE,
)
_FINITE = re.compile(r".*(?:[te]|en|st|nn|ss|rf|ll|ag|uss|ar|ird|ind)")
_SEPARABLE = re.compile(
    r"(auf|zurück|an|ab|ein|aus|mit|vor|nach|statt|teil|los|weiter|zu|dazu|hin|her|fest|frei)"
    r"((?!ge)[a-zäöüß]{3,}(?:t|en))",
)
"""A verb that parts: "wann ihr aufmacht" is "Wann macht ihr auf"."""


def _german(text: str) -> str | None:
    lead = _GERMAN_THING.match(text) or _GERMAN_LEAD.match(text)
    rest = text[lead.end() :].strip() if lead else ""
    words = rest.split()
    if lead is None or "," in rest or len(words) <= 1:
        return None
    verb = words[-1]
    if verb[:1].isupper() or not _FINITE.fullmatch(verb):
        return None
    parted = _SEPARABLE.fullmatch(verb)
    middle = " ".join(words[:-1])
    tail = ""
    if parted is not None and folded(verb) not in ("antwortet", "einigt"):
        tail, verb = parted[1], parted[2]
    asked = lead.groupdict().get("asked") or ""
    return " ".join(part for part in (asked, verb, middle, tail) if part)


# --- Languages whose questions have the order of statements


def _after_if(language: str, begin: str = "") -> Callable[[str], str | None]:
    def turned(text: str) -> str | None:
        lead = any_of(phrases(language).whether_words)
        rest = re.sub(rf"^{lead}\s+", "", text, flags=re.IGNORECASE)
        return f"{begin}{rest}" if rest != text else None

    return turned


def _french(text: str) -> str | None:
    match = re.match(r"(?:si\s+|s['’](?=ils?\b))(.+)", text, re.IGNORECASE | re.DOTALL)
    if match is None:
        return None
    elided = match[1][:1].lower() in "aeiouyhéèê"
    return f"est-ce qu'{match[1]}" if elided else f"est-ce que {match[1]}"


_TURNED: dict[str, Callable[[str], str | None]] = {
    "English": _english,
    "German": _german,
    "French": _french,
    "Spanish": _after_if("Spanish"),
    "Italian": _after_if("Italian"),
    "Portuguese": _after_if("Portuguese"),
}
