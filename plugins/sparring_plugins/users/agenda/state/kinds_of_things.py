"""What kind of thing the profile speaks of, and what that is called.

"What kind of animal is it, and what is its name?" is answered by the cat and by Saffron of "your
cat is Saffron", and never by the user's own name.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from sparring_plugins.language.candidates import date_spans, find_times
from sparring_plugins.language.text import folded
from sparring_plugins.users.agenda.profile.facts import clauses_of, names_in, small_words
from sparring_plugins.users.agenda.state.value_matching import weekdays_in
from sparring_plugins.users.agenda.words.knowledge import knowledge, says
from sparring_plugins.users.agenda.words.phrase_book import any_accent, any_of

# "What kind of pet is it?" is answered by "cat" in the profile, a word of the same group.
_KIND_OF = re.compile(
    r"\b(?:what|which) (?:kind|type|sort|breed) of (?P<a>\w+)"
    r"|\bwelche (?:art|sorte)(?: von)? (?P<b>\w+)"
    r"|\bwas fur (?:ein|eine|einen) (?P<c>\w+)|\bque (?:tipo|clase) de (?P<d>\w+)"
    r"|\bquel (?:type|genre) d(?:e |')?(?P<e>\w+)|\bche tipo di (?P<f>\w+)|\bque tipo de (?P<g>\w+)"
)


def kind_named(question: str, texts: Sequence[str]) -> str | None:
    """Return the word of some texts that is a kind of what a question asks for, or None.

    Args:
        question: What the app asks: "What kind of animal is it?".
        texts: The goals first, then the context and the role.
    """
    match = _KIND_OF.search(folded(question))
    if match is None:
        return None
    asked = next(group for group in match.groups() if group)
    return next(_of_kind(asked, texts), None)


def class_named(question: str, texts: Sequence[str]) -> str | None:
    """Return what some texts say that a thing is one of, if a question asks for that; else None.

    "your washing machine is a Bosch" answers "Which brand is it?", and "Momo is a beagle" answers
    "What breed?".

    Args:
        question: What the app asks.
        texts: The texts of the profile about its user.
    """
    words = folded(question)
    proper = says(words, "classes_by_name")
    if not proper and not says(words, "classes_by_word"):
        return None
    patterns = (_is_one(), _has_one()) if proper else (_is_one(),)
    matches = [
        (match, clause)
        for clause in clauses_of(texts)
        for pattern in patterns
        if (match := pattern.search(clause))
    ]
    asked = names_in(question)
    matches.sort(key=lambda pair: -len(names_in(pair[1]) & asked))  # stable: else in their order
    values = (_PROPER.search(match["class"]) if proper else match for match, _ in matches)
    return next((value["class"].strip() for value in values if value is not None), None)


@lru_cache(maxsize=1)
def _is_one() -> re.Pattern[str]:
    """A clause of a thing, but not of the user, that says what it is one of: "it is a WX-200"."""
    lists = knowledge()
    copula = f"(?:{'|'.join(map(any_accent, lists.copulas))})"
    users = any_of(lists.of_user)
    leads = any_of((*lists.one_of, *lists.made_by))
    return re.compile(
        rf"^(?!(?i:{users}\s{copula})\s).{{1,60}}?(?i:\b{copula}\s{leads})\s"
        r"(?P<class>[^,;.]{2,40})$"
    )


@lru_cache(maxsize=1)
def _has_one() -> re.Pattern[str]:
    """A clause that says which make of a thing the user has: "you drive a Fiat Panda"."""
    lists = knowledge()
    verbs, articles = any_of((*lists.having, *lists.driving)), any_of(lists.one_of)
    return re.compile(rf"(?i:\b{verbs}\s{articles})\s(?P<class>[^,;.]{{2,40}})")


_PROPER = re.compile(r"(?P<class>[A-ZÀ-ÖØ-Þ][\w-]*(?:\s[A-ZÀ-ÖØ-Þ\d][\w-]*){0,3})")
"""The proper name in what a thing is: Bosch of "a Bosch machine"."""


def thing_wanted(question: str, goals: Sequence[str], language: str) -> str | None:
    """Return the one thing with a name that a goal wants, if a question asks which; else None.

    "Which tour?" is answered by the Harbour Cruise of "book the Harbour Cruise on Friday", though
    nobody has said that it is a tour. "Which size?" asks for no name.

    Args:
        question: What the app asks.
        goals: The services that the user wants.
        language: Their language; German writes all nouns with a capital, which tells no name.
    """
    if language == "German":
        return None
    asked = _WHICH.search(folded(question).rstrip(" :?."))
    noun = next((group for group in asked.groups() if group), "") if asked is not None else ""
    lists = knowledge()
    if not noun or noun in lists.details or noun in lists.attributes or noun in small_words():
        return None
    names = [name for goal in goals for name in _names_of_things(goal)]
    return names[0] if len(set(names)) == 1 else None


def topic_named(question: str, services: Sequence[str]) -> str | None:
    """Return what a service is about, if a question asks for that; else None.

    "What is the call about?" is answered by the roof of "arrange a call about the roof on Monday".

    Args:
        question: What the app asks.
        services: What the user wants done, the most likely one first.
    """
    if not asks_topic(question):
        return None
    topics = (_TOPIC_END.sub("", match["topic"]) for text in services
              if (match := _topic().search(text)) is not None)  # fmt: skip
    return next((_before_moment(topic) for topic in topics if topic), None)


def asks_topic(question: str) -> bool:
    """Return whether an app asks what something is about."""
    words = folded(question)
    return says(words, "asking_topics") or _ABOUT.search(words) is not None


_ABOUT = re.compile(
    r"\b(?:whats?|which)\b.* (?:about|regarding|concerning|in connection with|to do with)$"
    r"|\bwhats?\b.* (?:call|visit|meeting|appointment|chat|talk|conversation) for$"
)
"""A question with its preposition behind: "What do you want to see us about?"."""


@lru_cache(maxsize=1)
def _topic() -> re.Pattern[str]:
    return re.compile(rf"\b(?i:{any_of(knowledge().topic_marks)})\s(?P<topic>[^,.;]{{2,60}})")


_TOPIC_END = re.compile(r"(?<=\w) (?!\w+ )[a-zäöüß]+en$")
"""A German infinitive, which ends its goal: "einen Rückruf zum Thema Strom vereinbaren"."""


def _before_moment(topic: str) -> str:
    """A topic without the day or time behind it: "the roof on Monday"."""
    starts = [span.start for span in (*date_spans(topic), *find_times(topic))]
    words = topic[: min(starts, default=len(topic))].split()
    while starts and words and words[-1].lower() in small_words():
        words.pop()
    return " ".join(words) or topic


def _names_of_things(goal: str) -> Iterator[str]:
    """The names in a goal that are no days, people or places: what stands right after the verb."""
    for match in _NAMED.finditer(goal):
        before = folded(goal[: match.start()]).split()
        is_code = " " not in match[0] and any(map(str.isdigit, match[0]))
        if not before or is_code or _is_day(match[0]):
            continue
        # "at Leeds" and "for Ann Lee" name a place and a person, "tickets for Hamlet" a thing
        of_seats = before[-2:-1] and before[-2] in (*knowledge().per_head, "up")
        if before[-1] not in small_words() - _articles() or of_seats:
            yield match[0]


def _is_day(name: str) -> bool:
    """Whether a name is that of a day or a month."""
    return bool(date_spans(f"1 {name}") or weekdays_in(name))


@lru_cache(maxsize=1)
def _articles() -> frozenset[str]:
    words = {"the", "a", "an", "el", "la", "le", "les", "un", "una", "une", "l", "il", "o", "os"}
    return frozenset({*words, "as", "der", "die", "das", "den"})


_NAMED = re.compile(
    r"(?<=[\w,] )[A-ZÀ-ÖØ-Þ][\w'\u2019-]*"
    r"(?:\s(?:(?:of|for|de|del|la|and)\s(?=\D))?[A-ZÀ-ÖØ-Þ\d][\w'\u2019-]*){0,4}"
)
"""A name with a capital, and not the first word: "Watercolours for Beginners"."""
_WHICH = re.compile(
    r"^(?:and |so |ok |okay |great )?(?:which|what|quel|quelle|que|cual|cuales|quale)"
    r" (?:(?:one )?(?:of )?(?:our|the|de|delle?|las?|los) )?(\w+)"
    r"|\b(?:choose|select|pick) (?:an?|the|your|one of our) (\w+)$|^(\w+)$"
)
"""What asks which one is meant, and its noun: "Which tour?", "Please choose a tour", "Tour:"."""


def _of_kind(asked: str, texts: Sequence[str]) -> Iterator[str]:
    names = names_in(asked)
    for text in texts:
        for word in re.findall(r"[^\W\d_]+", text):
            if folded(word) != asked and names_in(word) & names:
                yield word.lower() if word.islower() else word
