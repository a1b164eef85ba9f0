"""What the profile says of its user in plain sentences, as facts with names, kinds and values.

"your car is a VW Golf with the registration MV21 ABC, it has done about 42000 miles" has three
facts: the car, its registration (a code), its mileage (a number). Each question of the app is
matched against them by the names that both use and by the kind of value that is asked for.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from sparring_plugins.language.candidates import date_spans, find_times
from sparring_plugins.language.spoken_times import with_clock_times
from sparring_plugins.language.text import contains, folded, sentences
from sparring_plugins.language.vocabulary import concepts, languages_of, stem, vocabulary
from sparring_plugins.users.agenda.profile.conditions import states_condition
from sparring_plugins.users.agenda.profile.fact_patterns import (
    ADDRESS,
    CAPITALISED,
    IBAN,
    IN_PLACE,
    OF_THEM,
    PARTNER,
    PARTY,
    PERSON,
    PLACE_NAMED,
    POSTCODE,
    QUOTED,
    SPOT,
    TOWN,
    TOWN_WITH_CODE,
)
from sparring_plugins.users.agenda.profile.implied_values import (
    duration_in,
    house_number,
    storeys_in,
    words_of_kinds,
)
from sparring_plugins.users.agenda.profile.personal_details import asked_details
from sparring_plugins.users.agenda.profile.roles import (
    bare_surname,
    name_before_label,
    names_name,
    names_place,
    places_of_way,
)
from sparring_plugins.users.agenda.profile.value_finders import values_in
from sparring_plugins.users.agenda.words.knowledge import knowledge, says
from sparring_plugins.users.agenda.words.phrase_book import any_accent, any_of, word_lists

MOST_FACTS = 80
"""Facts that are read from a profile."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One value that a sentence states.

    `names` are the concepts that the sentence names it with, `kinds` what it looks like (email,
    phone, date, time, money, number, code, name, address, age, text), `own` says that it is the
    user's own name or address and not that of somebody else.
    """

    text: str
    names: frozenset[str]
    kinds: frozenset[str]
    clause: str
    own: bool = True


# A stem of "bus" or "gas" is that of other words; they are compared whole.
_SHORTEST = 4


@lru_cache(maxsize=1)
def _synonym_groups() -> dict[str, str]:
    """The name of its group for the concept of each synonym of one word."""
    groups: dict[str, str] = {}
    for name, members in knowledge().synonyms.items():
        for member in (name, *members):
            for concept in concepts(member) if " " not in member else ():
                groups.setdefault(concept, name)
            word = folded(member)
            # the stem of "note" is "not": short words count as they are written
            groups.setdefault(stem(word) if len(word) > _SHORTEST else f"={word}", name)
    return groups


@lru_cache(maxsize=1)
def _synonym_phrases() -> tuple[tuple[str, str], ...]:
    """The synonyms of several words, with the name of their group: "money back" of a refund."""
    return tuple(
        (folded(member), name)
        for name, members in knowledge().synonyms.items()
        for member in members
        if " " in member
    )


@lru_cache(maxsize=2048)
def names_in(text: str) -> frozenset[str]:
    """Return the concepts that a text is about, synonyms as the name of their group."""
    groups, generic = _synonym_groups(), knowledge().generic
    phrases = [(p, name) for p, name in _synonym_phrases() if contains(folded(text), p)]
    for phrase, _ in phrases:
        text = f" {folded(text)} ".replace(f" {phrase} ", " ")
    small = _small_of(folded(text))
    named = {groups.get(concept, concept) for concept in concepts(text) if concept not in small}
    named |= {name for _, name in phrases}
    # "Which number" and "Is there anything we should know": what is left of stop words matters.
    keys = [stem(word) if len(word) > _SHORTEST else f"={word}" for word in folded(text).split()]
    named |= {groups[key] for key in keys if key in groups}
    return frozenset(
        concept for concept in named if concept not in generic and not concept.isdigit()
    )


def _small_of(text: str) -> frozenset[str]:
    """The small words of the one language that a text is in: "die" is a word in English."""
    languages = languages_of(text)
    return vocabulary().small[languages[0]] if len(languages) == 1 else frozenset[str]()


@lru_cache(maxsize=1)
def names_per_head() -> frozenset[str]:
    """Return the names of what everybody of a party has one of: tickets, seats."""
    return frozenset(name for word in knowledge().per_head for name in names_in(word))


# --- Reading sentences

# "your car is red and it has done 42000 miles" states two facts; "red and white" is one.
_CLAUSES = re.compile(
    r"(?<!\s)\s*[;,](?!\s\d{1,2}(?:, \d|,? (?:and|y|und|et) \d))\s+(?:and\s+|y\s+|und\s+|et\s+)?"
    r"|(?<!\s)\s+with the\s+"
    r"|(?<!\s)\s+(?:and|but|y|und|et|e|pero|aber|mais|ma)\s+(?=(?:your|you|it|the|she|he|they|has|have"
    r"|can|must|do|does|are|is|need|tu|tienes|el|la|du|sie|er|dein|deine|hast|vous|votre)\b)"
)


def facts_of(sentence_list: Sequence[str]) -> tuple[Fact, ...]:
    """The facts that some sentences state, in order."""
    return _facts_of(tuple(sentence_list))


@lru_cache(maxsize=256)
def _facts_of(texts: tuple[str, ...]) -> tuple[Fact, ...]:
    facts: list[Fact] = []
    for text in texts:
        for sentence in sentences(with_clock_times(text)):
            facts += _facts_in(sentence)
    # a label says more than a word of the kind, and a wish more than a taste ("you like blue")
    kinds = [
        Fact(word, names_in(kind), frozenset({"text"}), clause)
        for text in texts
        for clause in clauses_of([text])
        for word, kind in words_of_kinds(clause)
    ]
    labelled = {(fact.text, fact.clause) for fact in facts}
    facts += sorted(
        (fact for fact in kinds if (fact.text, fact.clause) not in labelled),
        key=lambda fact: says(folded(fact.clause), "tastes"),
    )
    # "you would have flown to Norway" names a place by where it leads, and as what was done; "two
    # adults and two children" are two numbers
    distinct = {
        (fact.text, fact.clause, fact.names if "number" in fact.kinds else None): fact
        for fact in reversed(facts)
    }
    return tuple(reversed(distinct.values()))[:MOST_FACTS]


def _facts_in(sentence: str) -> Iterator[Fact]:
    """The facts of one sentence: its address as a whole, then what its clauses state."""
    for quoted in QUOTED.finditer(sentence):
        yield _quoted_fact(quoted, sentence)
    place = _find_address(sentence)
    lead = _after_lead(sentence, knowledge().lives)
    if place is not None:
        # ", Valencia" belongs to an address, so that it is read before clauses are split
        kinds = frozenset({"address"})
        yield Fact(place[0], frozenset({"~address", "street"}), kinds, sentence)
        town = TOWN.match(lead or "") or TOWN.search(
            sentence, place.start() + len(place[0].partition(",")[0])
        )
        if town is not None:
            yield from _facts_of_town(town, sentence)
            outside = town[0] not in place[0]
            sentence = sentence.replace(town[0], " ") if outside else sentence
        sentence = sentence.replace(place[0], " ")
    elif (coded := _town_with_code(sentence, lead)) is not None:
        yield from _facts_of_town(coded, sentence)
        sentence = sentence.replace(coded[0], " ")
    elif lead and not POSTCODE.match(lead) and (city := PERSON.match(lead)):
        name = re.sub(r"\s[A-Z]{1,2}\d.*$", "", city[0])  # "Leeds LS1"
        yield Fact(name, frozenset({"~place", "city"}), frozenset({"city"}), sentence)
    if place is None:
        yield from _place_without_street(sentence, lives=bool(lead))
    recipient = _recipient(sentence)
    if recipient is not None:
        yield recipient
    for clause in clauses_of([sentence]):
        yield from _facts_of_clause(clause)
    surname = bare_surname(sentence)
    if surname is not None:
        yield Fact(surname, _OF_SURNAME, frozenset({"name"}), sentence)


def _town_with_code(sentence: str, lead: str | None) -> re.Match[str] | None:
    """A town with its postcode, and no street: "du wohnst in 95511 Oberweiler, Dorfplatz 2"."""
    town = TOWN.match(lead or "")
    return town if town is not None and town["code"] else TOWN_WITH_CODE.search(sentence)


_OF_SURNAME = frozenset({"~name", "surname"})


def _place_without_street(sentence: str, *, lives: bool) -> Iterator[Fact]:
    """Where something happened, or the number of the user's house: "you live at number 58"."""
    if not lives:
        yield from _spots(sentence)
    house = house_number(sentence)
    if house is not None:
        yield Fact(house, frozenset({"~address", "home"}), frozenset({"address"}), sentence)


def _quoted_fact(quoted: re.Match[str], clause: str) -> Fact:
    """A text in quotation marks; a remark if it is to be written: "you write 'Happy birthday'"."""
    written = knowledge().writing & set(folded(clause).split())
    label = f"{clause[: quoted.start()]} {clause[quoted.end() :]}"
    names = names_in(label) | ({"remark"} if written else frozenset[str]())
    # 'as the reference you give "garden tools"': a reference may have any words
    is_code = any(contains(folded(label), word) for word in knowledge().asks["code"])
    kinds = frozenset({"text", "code"}) if is_code else frozenset({"text"})
    return Fact(quoted[1] or quoted[2], names, kinds, clause)


def _spots(sentence: str) -> Iterator[Fact]:
    """Where something happened: Lyon, France of "it was taken in Lyon, France, on Monday"."""
    for spot in IN_PLACE.finditer(sentence):
        names = frozenset({"~place", "city"}) | names_in(sentence[: spot.start()])
        if not date_spans(spot["place"]):
            yield Fact(spot["place"], names, frozenset({"city", "place"}), sentence, own=False)


def _find_address(sentence: str) -> re.Match[str] | None:
    """The address in a sentence: a street with its number, and what follows it, or None."""
    place = ADDRESS.search(sentence)
    ibans, postcodes = [*IBAN.finditer(sentence)], [*POSTCODE.finditer(sentence)]
    # "IE64 IRCE 9205" of an IBAN and "LS6 3" of a postcode are no names of streets
    begins_in_code = place is not None and any(
        code.start() <= place.start() < code.end() for code in (*ibans, *postcodes)
    )
    # "Leeds LS1 4RT" is a town with its postcode, and "LS1 4" no number of a house
    of_town = place is not None and any(
        place.start() < code.start() < place.end()
        and not re.search(r"\d", sentence[place.start() : code.start()])
        for code in postcodes
    )
    if of_town:
        return None
    # nor is "IBAN DE44 5001"
    has_iban = place is not None and any(
        place.start() <= iban.start() < place.end() for iban in ibans
    )
    if begins_in_code or has_iban:
        return None
    return place if place is not None and not _is_other_datum(place[0]) else None


def _facts_of_town(town: re.Match[str], sentence: str) -> Iterator[Fact]:
    """The name of a town that stands in an address, and its postcode."""
    if town["code"]:
        yield Fact(town["code"], frozenset({"postcode"}), frozenset({"postcode"}), sentence)
    yield Fact(town["town"], frozenset({"~place", "city"}), frozenset({"city"}), sentence)


def _is_other_datum(place: str) -> bool:
    """Whether words with a number are no address: "Februar 1991", "Telefon 0152"."""
    if date_spans(place):
        return True
    words = folded(place).split()
    if re.match(r"[A-Z]{2,4}\s\d+$", place):
        return True  # "PIN 1188"
    leads = {word for word in words if not word.isdigit()}
    labels = knowledge().number_labels | knowledge().storeys
    return any(word.startswith("0") for word in words) or not leads.isdisjoint(labels)


def _recipient(sentence: str) -> Fact | None:
    """Who gets something: Ada Bell of "the cake is for your aunt, Ada Bell"; None for nobody."""
    lists = knowledge()
    match = re.search(
        rf"\b(?i:{any_of(lists.copulas)}\s{any_of(lists.purposes)})\s"
        rf"(?:(?i:{any_of(lists.possessives)})\s[\w' -]{{2,30}}?[,:]?\s)?"
        rf"(?P<name>{PERSON.pattern})",
        sentence,
    )
    if match is None or " " not in match["name"]:
        return None
    names = frozenset({"recipient", "~name"})
    return Fact(match["name"].strip(".,"), names, frozenset({"person"}), sentence, own=False)


def _facts_of_clause(clause: str) -> Iterator[Fact]:
    """The facts of a clause: a person's name, values by their looks, or what something is."""
    name = _named_person(clause)
    if name is not None:
        yield name
    whole = _partner(clause) or _thing_with_number(clause)
    if whole is not None:
        yield whole
        return
    for way, _ in places_of_way(clause):
        names = frozenset({"~place", "city"})
        yield Fact(way, names, frozenset({"city", "place"}), clause, own=False)
    for number, label in storeys_in(clause):
        yield Fact(number, names_in(label), frozenset({"number", "text"}), clause)
    typed = list(_typed_facts(clause))
    yield from typed
    if typed or name is not None:
        return
    described = _description(clause)
    if described is not None:
        yield described
    elif place := PLACE_NAMED.search(clause):
        names = frozenset({"~place", "city"})
        yield Fact(place[1], names, frozenset({"city", "place"}), clause, own=False)
    elif spot := SPOT.search(clause):
        yield Fact(spot[1], frozenset({"~place"}), frozenset({"place"}), clause)
    elif other := _other_person(clause):
        # "you drive a Fiat Panda" names a thing, "you write for Ada Bell" a person
        thing = bool(re.search(rf"\ban? {re.escape(other)}", clause))
        kind = "text" if thing else "person"
        yield Fact(other, names_in(clause), frozenset({kind}), clause, own=False)


def _partner(clause: str) -> Fact | None:
    """With whom something is done: "your boat is insured with Harbour Mutual"; or None."""
    match = PARTNER.search(clause)
    if match is None:
        return None
    how, who = match["how"] or match["wie"] or "", match["who"] or match["wer"]
    names = (names_in(how) if how else frozenset({"insure"})) | {"company"}
    return Fact(who, names, frozenset({"text"}), clause, own=False)


def _typed_facts(clause: str) -> Iterator[Fact]:
    """The values of a clause that show by their looks what they are, with what they are called."""
    for kind, value, start in values_in(clause):
        before, after = clause[:start], clause[start + len(value) :]
        unit = after.split()[:2] if kind == "number" else after.split()[:1]
        before = before if value != "one" else ""  # "two bedrooms and one bathroom"
        label = names_in(before) | names_in(" ".join(unit))
        if kind == "number" and (counted := OF_THEM.match(after)):
            label = names_in(counted[1])  # "six of them are vegetarians" counts these
        if kind == "number" and PARTY.search(clause):
            label = label | {"people"}
        if kind == "iban":
            yield Fact(value, label | {"iban"}, frozenset({"iban", "code"}), clause)
            continue
        kinds = _kinds_of_value(kind, value, before)
        # "you need five" counts nothing that is called "five"
        yield Fact(value, label or names_in(clause) - names_in(value), kinds, clause)
        if kind == "number" and (lasting := duration_in(value, after)) is not None:
            # "For how long?" asks for the three days, "How many days?" for the number alone
            yield Fact(lasting, frozenset({"~duration"}), frozenset({"duration"}), clause)


def _kinds_of_value(kind: str, value: str, before: str) -> frozenset[str]:
    """The kinds of a value that looks like one, by what stands before it as well."""
    if kind in ("date", "number", "phone") and _CODE_LABEL.search(folded(before)):
        kind = "code"  # "sort code 30-04-12" is no day
    return frozenset({kind, "number"} if kind == "code" and value.isdigit() else {kind})


_CODE_LABEL = re.compile(r"\bcode(?: (?:is|es|ist|est|e))?$")
"""How a folded text ends after which a code stands, whatever it looks like."""


def _own_name(clause: str) -> Fact | None:
    """The user's own name, if a clause says it: "you are Marta Kowalska", "your name is Al"."""
    lists = knowledge()
    for lead in sorted(lists.own_names, key=len, reverse=True):
        value = _after_lead(clause, (lead,), at_start=True)
        if value is None:
            continue
        titled = re.match(rf"(?i:{any_of(lists.titles)})\.?\s+", value)
        person = PERSON.match(value[titled.end() :] if titled else value)
        explicit = contains(folded(lead), "name") or lead not in lists.bare_leads
        if person and person[0].endswith(("'s", "\u2019s")):
            continue  # "you act as Helen Osei's driver" names somebody else
        if person and (explicit or titled or " " in person[0]):
            # "you are Marta Kowalska" names, "you are Spanish" does not
            return Fact(person[0].strip(".,"), frozenset({"~name"}), frozenset({"name"}), clause)
    turned = name_before_label(clause)
    if turned is not None:
        return Fact(turned, frozenset({"~name"}), frozenset({"name"}), clause)
    under = re.search(rf"(?i:\b{any_of(lists.booked_under)})\s+", clause)
    if under is not None:
        person = PERSON.match(clause[under.end() :])
        if person:
            return Fact(person[0].strip(".,"), frozenset({"~name"}), frozenset({"name"}), clause)
    return None


def _named_person(clause: str) -> Fact | None:
    """The name that a clause gives: the user's own, or what something is called; else None."""
    own_name = _own_name(clause)
    if own_name is not None:
        return own_name
    for lead in knowledge().named:
        before, mark, after = clause.partition(f" {lead} ")
        person = PERSON.match(after) if mark else None
        if person:
            own = folded(before).split()[:1] in (["you"], ["youre"], ["tu"], ["du"])
            names = frozenset({"~name", "name"}) | (frozenset[str]() if own else names_in(before))
            kind = "name" if own else "text"
            return Fact(person[0].strip(".,"), names, frozenset({kind}), clause, own)
    labelled = _labelled_name(clause)
    if labelled is not None:
        return labelled
    alone = PERSON.fullmatch(clause.strip())
    is_end = bool(list(places_of_way(clause)))  # "Abfahrt Bonn" is nobody's name
    if (
        alone is not None
        and " " in alone[0]
        and not is_end
        and not any(char.isdigit() for char in alone[0])
    ):
        # "Helen Marlow, born 14/02/1968" begins with the user's own name
        return Fact(alone[0], frozenset({"~name"}), frozenset({"name"}), clause)
    return None


def _labelled_name(clause: str) -> Fact | None:
    """The name after its label: Pritchard of "surname Pritchard", Otis of "your dog Otis"."""
    match = _LABELLED.match(clause)
    if match is None or any(char.isdigit() for char in match["value"]):
        return None
    label = folded(match["label"])
    details = asked_details(label)
    if "last_name" in details:
        return Fact(match["value"], _OF_SURNAME, frozenset({"name"}), clause)
    if set(details) & {"first_name", "city", "company"}:
        return Fact(match["value"], names_in(label), frozenset({"text"}), clause)
    if match["own"] and not details and match["value"].count(" ") == 0:
        names = names_in(label) | {"name"}
        return Fact(match["value"], names, frozenset({"text"}), clause, own=False)
    return None


# "your tutor: Ann Lee" and "the dog Rex" say what a name is the name of.
_LABELLED = re.compile(
    r"^(?P<own>(?i:your|deine?|ihre?|tu|su|votre|ton|ta)\s)?(?P<label>(?:[a-zà-ÿ]+\s){0,2}[a-zà-ÿ]+)"
    rf":?\s(?P<value>{CAPITALISED}(?:\s{CAPITALISED}){{0,2}})(?=\s*$|\s*[,.]|\s(?:is|has|ist|hat|es|tiene|est|a)\b)"
)


def _after_lead(text: str, leads: Sequence[str], *, at_start: bool = False) -> str | None:
    """What follows one of some leads in a text, with ":" or not; None if none is in it."""
    anchor = r"^\s*" if at_start else r"(?<!\w)"
    for lead in sorted(leads, key=len, reverse=True):
        match = re.search(rf"{anchor}{any_accent(lead)}(?:\s*:\s*|\s+)(?=\S)", text, re.IGNORECASE)
        if match:
            return text[match.end() :]
    return None


def _description(clause: str) -> Fact | None:
    """What a clause without a typed value says that something is: "your car is a VW Golf"."""
    quoted = QUOTED.search(clause)
    if quoted:
        return _quoted_fact(quoted, clause)
    if states_condition(clause):
        return None  # "if noon is full you join the last session" does not say what noon is
    lists = knowledge()
    match = _labelled_value(clause)
    if match is None or folded(match["label"]) in _PRONOUNS:
        return None
    if folded(match["value"]) in lists.possessives:
        return None  # "votre adresse est le", once the address has been read
    label, value = match["label"], match["value"].strip()
    if set(folded(value).split()) <= small_words():
        return None  # "vor dem", once the address has been read
    if names_place(label) and value[:1].isupper():
        kinds = frozenset({"city", "place", "text"})
        return Fact(value, names_in(label), kinds, clause, own=False)
    other = _other_person(value)
    if other and not re.search(r"(?i)\b(?:is|are) an? $", clause[: match.start("value")]):
        whole = value if names_name(label) else other
        return Fact(whole, names_in(label), frozenset({"person", "text"}), clause, own=False)
    return Fact(value, names_in(label), frozenset({"text"}), clause)


@lru_cache(maxsize=1)
def small_words() -> frozenset[str]:
    """Return the words that name nothing, in all languages: articles and prepositions."""
    words = {word for small in word_lists().small_words.values() for word in small}
    return frozenset(map(folded, words | set(knowledge().before_places)))


_PRONOUNS = ("you", "it", "he", "she", "tu", "du", "sie", "er")


def _labelled_value(clause: str) -> re.Match[str] | None:
    """What a clause calls something: "the town is Leeds"; None if it calls nothing so.

    Of several verbs the last one before a name counts: "the city where the bus is going is York".
    """
    lists = knowledge()
    lead = rf"(?i:^(?:{any_of(lists.possessives)}\s+)?"
    copula = rf"(?:\s+{any_of(lists.copulas)}\s+|\s*:\s+)(?:an?\s+|the\s+)?)"
    named = rf"(?P<value>(?-i:[A-ZÀ-ÖØ-Þ0-9])(?:(?!\s{any_of(lists.copulas)}\s).)*)$"
    last = re.match(rf"{lead}(?P<label>[\w' -]{{2,80}}){copula}{named}", clause)
    return last or re.match(rf"{lead}(?P<label>[\w' -]{{2,40}}?){copula}(?P<value>\S.*)$", clause)


def _thing_with_number(clause: str) -> Fact | None:
    """What has a number in its name: "the hotel's name is 21 Oaks"; None for anything else."""
    match = _labelled_value(clause)
    if match is None or not _NUMBER_IN_NAME.match(match["value"]):
        return None
    label, value = match["label"], match["value"].strip()
    if not (names_place(label) or names_name(label)) or "postcode" in names_in(label):
        return None
    if date_spans(value) or find_times(value):
        return None
    kinds = {"text", "city", "place"} if names_place(label) else {"text"}
    return Fact(value, names_in(label), frozenset(kinds), clause, own=False)


_NUMBER_IN_NAME = re.compile(
    r"\d+\s+[^\W\d]|[^\W\d][\w'\u2019.-]*(?:\s[\w'\u2019.-]+)*\s#?\d+(?!\w)"
)


def _other_person(text: str) -> str:
    """The name of somebody else in a description: "your mother is Ada Bell"; empty for none."""
    for match in PERSON.finditer(text):
        if " " in match[0] and not any(char.isdigit() for char in match[0]):
            return match[0].strip(".,")
    return ""


def clauses_of(texts: Sequence[str]) -> list[str]:
    """The clauses of some sentences."""
    clauses: list[str] = []
    for text in texts:
        for sentence in sentences(text):
            subject = ""
            for clause in _CLAUSES.split(sentence):
                words = (clause or "").strip(" .!:")
                if not words:
                    continue
                if (
                    subject
                    and folded(words).split()[:1]
                    and folded(words).split()[0] in knowledge().finite
                ):
                    # "the dog is small, is called Rex": what follows is about the dog, too
                    words = f"{subject} {words}"
                else:
                    match = re.match(
                        rf"(.{{1,40}}?)\s{any_of(knowledge().finite)}\s", f"{words} ", re.IGNORECASE
                    )
                    subject = match[1] if match else subject
                clauses.append(words)
    return clauses
