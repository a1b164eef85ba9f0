"""The people of a profile: the user, and those whom it books, orders or speaks for.

"your daughter is Ada Cole, born in June 2017" and "you can be called on ..." are about two people.
An app that registers the daughter asks for the name of the participant, for "your own name, as
the parent", and for the number to call: each is a particular of one of them.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from pydantic import BaseModel, ConfigDict

from sparring_plugins.language.text import contains, folded, sentences
from sparring_plugins.language.yaml_files import bundled_yaml
from sparring_plugins.users.agenda.profile.fact_patterns import CAPITALISED
from sparring_plugins.users.agenda.profile.facts import Fact, facts_of
from sparring_plugins.users.agenda.words.knowledge import knowledge
from sparring_plugins.users.agenda.words.phrase_book import any_accent, any_of

USER = "user"
"""The relation of the user to itself."""


class _Relation(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    group: str
    words: tuple[str, ...]


class PeopleWords(BaseModel):
    """The word lists of people: see the comments of `people.yaml`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    relations: dict[str, _Relation]
    children: tuple[str, ...]
    beneficiaries: tuple[str, ...]
    users: tuple[str, ...]
    emergencies: tuple[str, ...]
    others: frozenset[str]
    own: frozenset[str]
    possessives: tuple[str, ...]
    relationships: tuple[str, ...]
    for_children: tuple[str, ...]
    whole: tuple[str, ...]
    parents_of: tuple[str, ...]
    possessives_of_role: tuple[str, ...]


@lru_cache(maxsize=1)
def people_words() -> PeopleWords:
    """The word lists of ``people.yaml``."""
    data = bundled_yaml("sparring_plugins.users.agenda.profile", "people.yaml")
    return PeopleWords.model_validate(data)


@dataclass(slots=True)
class Person:
    """Somebody in a profile, with what the profile states about it.

    `relation` is ``user`` or an English word (``daughter``), `word` the profile's own word for it,
    `facts` are the values of its sentences, `clauses` these sentences.
    """

    relation: str
    word: str = ""
    name: str = ""
    facts: list[Fact] = field(default_factory=list[Fact])
    clauses: list[str] = field(default_factory=list[str])

    @property
    def is_child(self) -> bool:
        """Whether it is a child."""
        relation = people_words().relations.get(self.relation)
        return relation is not None and relation.group == "child"


@dataclass(frozen=True, slots=True)
class People:
    """The people of a profile, the user first.

    `beneficiary` is the one for whom the services of its goals are: the user unless they name
    somebody else; None if they are for several.
    """

    everybody: tuple[Person, ...]
    beneficiary: Person | None

    @property
    def user(self) -> Person:
        """The user itself."""
        return self.everybody[0]

    @property
    def others(self) -> tuple[Person, ...]:
        """Everybody but the user."""
        return self.everybody[1:]

    def full_name(self, person: Person) -> str:
        """Return the whole name of somebody; a child without a surname has the user's."""
        of_child = person.is_child and person.name and " " not in person.name
        surname = self.user.name.split()[1:][-1:]
        return " ".join((person.name, *surname)) if of_child else person.name

    def meant(self, question: str) -> Person | None:
        """Return the person for whose particular a question asks; None if that is not certain.

        Args:
            question: What the app asks: "Which name has the participant?".
        """
        words, lists = folded(question), people_words()
        by_name = [p for p in self.others if p.name and _names_in_question(p, words)]
        if len(by_name) == 1:
            return by_name[0]
        if _has(words, lists.emergencies):
            return self._for_emergencies()
        if _has(words, lists.users):
            return self.user
        return self._by_role(words)

    def _by_role(self, words: str) -> Person | None:
        lists = people_words()
        related = [p for p in self.others if contains(words, folded(p.word))]
        if len(related) == 1:
            return related[0]
        children = [p for p in self.others if p.is_child]
        if len(children) == 1 and _has(words, lists.children):
            return children[0]
        if _has(words, lists.beneficiaries):
            return self.beneficiary
        pronoun = bool(set(words.split()) & _OF_OTHERS)
        if pronoun and self.beneficiary in self.others:
            return self.beneficiary
        return self.others[0] if pronoun and len(self.others) == 1 else None

    def _for_emergencies(self) -> Person | None:
        named = [
            p
            for p in self.others
            if any(_has(folded(text), people_words().emergencies) for text in p.clauses)
        ]
        if named:
            return named[0]
        return self.user if self.beneficiary in self.others else None


_OF_OTHERS = frozenset({"his", "her", "he", "she", "their", "they"})


def people_of(context: Sequence[str], role: str, goals: Sequence[str]) -> People:
    """Return the people of a profile.

    Args:
        context: What the profile says of the user.
        role: Its role.
        goals: The words of its services, without its questions.
    """
    return _people_of(tuple(context), role, tuple(goals))


@lru_cache(maxsize=128)
def _people_of(context: tuple[str, ...], role: str, goals: tuple[str, ...]) -> People:
    everybody = [Person(USER)]
    for text in (*goals, role):
        for sentence in sentences(text):
            _marks(sentence, everybody, of_role=text == role)  # adds those that it names
    for text in context:
        for sentence in sentences(text):
            _read(sentence, everybody)
    user = everybody[0]
    user.name = next((f.text for f in facts_of((*context, role)) if "name" in f.kinds), "")
    return People(tuple(everybody), _beneficiary(everybody, goals))


def _beneficiary(everybody: Sequence[Person], goals: Sequence[str]) -> Person | None:
    user, others = everybody[0], everybody[1:]
    said = [folded(goal) for goal in goals]
    named = [p for p in others if any(_is_named(p, words) for words in said)]
    if named:
        with_user = any(_BOTH.search(words) for words in said)
        return None if with_user or len(named) > 1 else named[0]
    children = [p for p in others if p.is_child]
    if len(children) == 1 and any(_has(words, people_words().for_children) for words in said):
        return children[0]
    return user


_BOTH = re.compile(r"\b(?:you|yourself|dich|du|ti|toi|vous) (?:and|und|y|et) ")


def _is_named(person: Person, words: str) -> bool:
    by_name = bool(person.name) and contains(words, folded(person.name.split()[0]))
    owns = people_words().possessives
    return by_name or any(contains(words, f"{own} {folded(person.word)}") for own in owns)


def _names_in_question(person: Person, words: str) -> bool:
    own_words = set(words.replace("'", " ").split())
    parts = folded(person.name).split()
    return parts[0] in own_words or f"{parts[0]}s" in own_words


def _has(words: str, listed: Sequence[str]) -> bool:
    # "the camper's name" is folded to "the campers name"
    return any(contains(words, word) or contains(words, f"{word}s") for word in listed)


# --- Reading sentences


def _read(sentence: str, everybody: list[Person]) -> None:
    """Give each fact of a sentence to the person that is named last before it."""
    marks = _marks(sentence, everybody)
    for fact in facts_of([sentence]):
        at = sentence.find(fact.text)
        owner = next((who for place, who in reversed(marks) if place <= max(at, 0)), everybody[0])
        if fact.text != owner.name and "name" not in fact.kinds:
            owner.facts.append(fact)
    for who in {id(who): who for _, who in marks}.values():
        who.clauses.append(sentence)


@lru_cache(maxsize=2)
def _relation_pattern(*, of_role: bool) -> re.Pattern[str]:
    words = [word for relation in people_words().relations.values() for word in relation.words]
    relations = "|".join(any_accent(word) for word in sorted(words, key=len, reverse=True))
    # the sentence is matched as it is written, and the lists are folded
    lists = people_words()
    owners = [*lists.possessives, *(lists.possessives_of_role if of_role else ())]
    called = any_of([*knowledge().named, *knowledge().copulas, "name is", "heißt"])
    name = rf"{CAPITALISED}(?:\s{CAPITALISED}){{0,2}}"
    return re.compile(
        rf"(?i:\b{any_of(owners)}\s(?:\w+\s)?(?P<word>{relations})\b)"
        rf"(?:['\u2019]s name)?(?:[,:]?\s(?:(?i:{called})\s)?(?P<name>{name}))?"
    )


@lru_cache(maxsize=1)
def _relation_of() -> dict[str, str]:
    relations = people_words().relations.items()
    return {folded(word): name for name, relation in relations for word in relation.words}


@lru_cache(maxsize=1)
def _parent_pattern() -> re.Pattern[str]:
    name = rf"{CAPITALISED}(?:\s{CAPITALISED}){{0,2}}"
    return re.compile(rf"(?i:\b{any_of(people_words().parents_of)})\s(?P<name>{name})")


def _marks(
    sentence: str, everybody: list[Person], *, of_role: bool = False
) -> list[tuple[int, Person]]:
    """The places from which a sentence is about somebody, in order; adds people that it names."""
    marks: list[tuple[int, Person]] = []
    taken: list[tuple[int, int]] = []
    for match in _parent_pattern().finditer(sentence):
        marks.append((match.start("name"), _person("child", match["name"], everybody)))
        taken.append(match.span())
    for match in _relation_pattern(of_role=of_role).finditer(sentence):
        person = _person(match["word"], match["name"] or "", everybody)
        marks.append((match.start(), person))
        taken.append(match.span())
    for match in _WORD.finditer(sentence):
        if any(start <= match.start() < end for start, end in taken):
            continue
        before = [who for at, who in sorted(marks, key=_place) if at < match.start()]
        named = _named_by(match[0], everybody, before)
        if named is not None:
            marks.append((match.start(), named))
    return sorted(marks, key=_place)


def _named_by(said: str, everybody: Sequence[Person], before: Sequence[Person]) -> Person | None:
    """Whom a word of a sentence means, by name or as a pronoun; None for other words."""
    word = folded(said)
    user, others = everybody[0], everybody[1:]
    if said[:1].isupper():
        for person in others:
            if person.name and folded(person.name.split()[0]) == word:
                return person
    lists = people_words()
    if word in lists.own and word not in lists.others:
        return user
    if word not in lists.others or not others:
        return None
    return next((who for who in reversed(before) if who is not user), others[-1])


_WORD = re.compile(r"[^\W\d_]+")


def _place(mark: tuple[int, Person]) -> int:
    return mark[0]


def _person(word: str, name: str, everybody: list[Person]) -> Person:
    """Somebody of a relation, who is added if the profile has not named it before."""
    relation = _relation_of()[folded(word)]
    for person in everybody[1:]:
        same = not name or not person.name or person.name.split()[0] == name.split()[0]
        if person.relation == relation and same:
            person.name = name if len(name) > len(person.name) else person.name
            return person
    everybody.append(Person(relation, word, name))
    return everybody[-1]
