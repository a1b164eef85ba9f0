"""Reading the goals of profiles: their language, their form, and their words in the user's person.

Goals are written to the user, for a prompt: "ask about the menu", "a small pizza", "Setting an
appointment", "What are the opening hours?", "say that you are vegan". The user says them to the
app: what is "you" in a goal is mostly "I", what is "the bot" is "you". Many rules are for English;
a phrase book with `verbs` is the English one, one with `finite` the German one.
"""

import re
from functools import lru_cache
from typing import Literal

from sparring_plugins.language.text import folded
from sparring_plugins.users.agenda.words.goal_verbs import (
    FITTING,
    HAVE_DO,
    OWN_CLAUSE,
    PARTY_CLAUSE,
    PREPOSED_OUTPUT,
    TELL_WHOM,
    TO_USER,
    after_moment,
    after_question,
    begins_with_verb,
    english_order,
    english_particular,
    german_order,
    goal_words,
    has_done,
    has_particle,
    indirect_question,
    is_bare_topic,
    is_deed,
    is_done_to_user,
    is_informative,
    is_own_clause,
    is_verb,
    names_compound,
    own_action,
    own_person,
    second_person,
    spoken_to_user,
    with_own_things,
)
from sparring_plugins.users.agenda.words.persons import (
    asked_by_user,
    first_person,
    may_i,
    same_owner,
    to_the_app,
)
from sparring_plugins.users.agenda.words.phrase_book import (
    LANGUAGES,
    PhraseBook,
    any_of,
    filled,
    phrases,
    word_lists,
)

GoalForm = Literal[
    "request",
    "action",
    "doing",
    "question",
    "topic",
    "about",
    "whether",
    "statement",
    "missing",
    "missing_question",
]
"""The form of a goal: the phrases of a phrase book that its words can stand in."""

_CLAUSE = re.compile(
    r"\b(that|because|if|when|which) you"
    r"( (?:have|had|need|needed|want|wanted|like|cannot|can|could|must|will|would|do|did)\b)"
)
"""The user within a clause: "report that you have no internet"."""
_CLAUSE_ARE = re.compile(r"\b(that|because|if|when|which) (?:you are|you're)\b")
""""because you are ill" is said as "because I am ill"."""
_CLAUSE_AFTER = re.compile(r"([,;:.] (?:and |but |as |since )?)you(?:( are\b|'re\b)|( were\b))?")
"""A clause of its own: "join the choir, you were born in 1990" is "..., I was born in 1990"."""
_HAVE_IT_DONE = re.compile(
    r"have (?!you\b|they\b|we\b|i\b|he\b|she\b|there\b|any\b|all\b|\w+s been\b|the \w+ been\b)",
    re.IGNORECASE,
)
"""What somebody is to do or to be: "have it begin at once" is no question as "have they"."""
_RELATIVE = re.compile(
    r"(?<=\w )(?<!do )(?<!does )(?<!did )(?<!are )(?<!can )(?<!will )(?<!to )(?<!for )you"
    r"(?= (?:have|had|ordered|booked|bought|wanted|made|sent|got|lost|paid) )"
)
"""The user within a clause without a word that begins it: "the trip you had to cancel"."""
_PREPOSED = re.compile(
    r"(?:until|till|from|by|at|in|on|for|to|with|under|within|up to|down to|of|about|after|before)"
    r" (?:what|which|when|whom|how|whose)\b"
)


_LEARNING = re.compile(r"^(?:see|learn|hear) (?=(?:whether|if|what|when|where|why|which|who)\b)")
""""see whether there is a later train" asks."""
_LETTERS = re.compile(r"(?<![\w-])[^\W\d_]+(?![\w-]*\d)")


@lru_cache(maxsize=512)
def language_of(text: str, declared: str) -> str:
    """The language whose phrases a text is put into: its own, if its small words show it.

    Returns the declared one or English, for an English one also Spanish; ``Other`` if there is no
    phrase book for the declared one.
    """
    name = declared.title()
    if name not in LANGUAGES:
        return "Other"
    other = "Spanish" if name == "English" else "English"
    words = _LETTERS.findall(text.lower())
    small = word_lists().small_words
    own_count = sum(folded(word) in small[name] for word in words)
    # "à 8h30" has no English "a", and the code OF-1200 no "of"
    plain = words if other == "English" else map(folded, words)
    other_count = sum(word in small[other] for word in plain)
    return other if other_count > own_count else name


_TELL_OF_THING = re.compile(
    r"^(?:tell|inform|notify|let) (?:[\w'-]+ ){1,4}?(?:know )?(?:about|of) "
    r"(?=(?:an?|the|your|some|two|three) (?:[\w'-]+ ){1,5}(?:that|which) )",
    re.IGNORECASE,
)
""""tell the school about a gate that sticks" reports the gate, and does not say "sticks"."""


@lru_cache(maxsize=1024)
def form_of(phrase: str, language: str, has_values: bool) -> tuple[GoalForm, str]:
    """The form of a goal phrase, and its words without what is said to the user about it."""
    text = " ".join(phrase.split()).strip(" .!¡:;,")
    if language == "Other":
        return "statement", text
    book = phrases(language)
    text = _without_leads(text, book.strip)
    text = _after(text, book.adverbs) or text
    text = after_moment(text, language) or after_question(text, language) or text
    if book.verbs:
        text = TELL_WHOM.sub("say that ", _TELL_OF_THING.sub("report ", text))
        text = _LEARNING.sub("find out ", text)
    if book.verbs or not _starts(folded(text), book.wanting):
        text = second_person(text, language)
    if book.verbs:  # before "the bot's" becomes "your"
        return _form_of_goal(with_own_things(text), language, book, has_values)
    form, words = _form_of_goal(text, language, book, has_values)
    return form, words if form == "statement" else own_person(words, language)


def _form_of_goal(
    text: str, language: str, book: PhraseBook, has_values: bool
) -> tuple[GoalForm, str]:
    """The form of a goal in the second person, and its words."""
    if "?" in text or "¿" in text:
        return "question", _bare_question(text)
    if _starts(folded(text), (*book.greeting, *book.thanking)):
        greets = _starts(folded(text), book.greeting)
        return "statement", book.hello.strip(" !¡") if greets else book.thanks[-1].strip(".")
    done = _form_of_wish(text, language, book)
    if done is not None:
        return done
    own = own_action(text, language)
    if own is not None and not _starts(folded(text), (*book.saying, *book.asking)):
        return "action", _as_user_says(own, book)
    said = (english_particular(text) if book.verbs else None) or _what_is_said(text, language, book)
    if said is not None:
        return "statement", said
    if _names_particular(text):
        return "statement", text  # "the time: as early as possible"
    return _form_of_request(text, language, book, has_values)


def _form_of_wish(text: str, language: str, book: PhraseBook) -> tuple[GoalForm, str] | None:
    """The form of what is to be done to the user, made sure of or to happen; None for others."""
    done = _passive_goal(text) if book.verbs else None
    done = done or _form_of_ensured(text, language, book)
    return done or _identifier_wanted(text, language, book) or _wish(text, language, book)


def _wish(text: str, language: str, book: PhraseBook) -> tuple[GoalForm, str] | None:
    """The form of what somebody wants to happen: "que te llamen"; None for other goals."""
    wished = _after(text, book.that_wishing[:1])
    if wished is None or _starts(folded(text), book.that_asking):
        return None
    own = first_person(own_person(wished, language), book.persons, english=False)
    return "statement", f"{book.that_wishing[1]} {own}"


def _bare_question(text: str) -> str:
    """A question without its marks; of several only those at the ends go."""
    return text.strip(" ?¿.") if text.count("?") == 1 else text.rstrip("?").lstrip("¿ ")


def _identifier_wanted(text: str, language: str, book: PhraseBook) -> tuple[GoalForm, str] | None:
    """The form of a goal for what its service is filed under, "the booking reference"; or None.

    Whoever wants to "get the booking reference" asks for it, and has no second service in mind.
    """
    verbs = goal_words().receiving.get(language, ())
    if not verbs:
        return None
    object_ = r"(?P<wanted>(?:[^\W\d]+\s){0,4}?" + any_of(goal_words().identifiers) + r")"
    rest = r"(?:\s(?:that|which|you|to|so|que|qui|che)\b.*)?"
    order = (
        rf"{object_}\s{any_of(verbs)}"
        if language == "German"
        else rf"{any_of(verbs)}\s{object_}{rest}"
    )
    match = re.fullmatch(order, text, re.IGNORECASE)
    if match is None:
        return None
    return "topic", re.sub(r"^an? ", "the ", match["wanted"]) if book.verbs else match["wanted"]


def _names_particular(text: str) -> bool:
    """Whether a goal is a noun with its value: "the time: at noon", no "order: ..."."""
    label, _, value = text.partition(": ")
    if not value:
        return False
    words = folded(label).split()
    nouns = goal_words().nouns  # "time" is a verb as well
    return len(words) <= _LABEL_WORDS and not any(is_verb(w) and w not in nouns for w in words)


_LABEL_WORDS = 3


def _what_is_said(text: str, language: str, book: PhraseBook) -> str | None:
    """What a goal wants to be said: "tell them that you come later"; None for other goals."""
    to_say = _after(text, book.saying)
    if to_say is None:
        return None
    # in German a dependent clause is known by its verb: "dass du später kommst"
    own = to_say if book.finite or book.verbs else own_person(to_say, language)
    words = _statement(own, book)
    return own_person(words, language) if book.finite else words


def _form_of_ensured(text: str, language: str, book: PhraseBook) -> tuple[GoalForm, str] | None:
    """The form of what is to be made sure of; None for other goals."""
    ensured = _after(text, goal_words().ensuring.get(language, ()))
    if ensured is None:
        return None
    if is_deed(ensured) and book.verbs:
        return "action", _mine(text)
    # "make sure that breakfast is included": one asks whether it is
    return "whether", _indirect_question(f"{book.whether_words[0]} {ensured}", book)


def _passive_goal(text: str) -> tuple[GoalForm, str] | None:
    """The form of what is to be done to the user: "be paid by voucher", "be told when"; or None."""
    information = indirect_question(text)
    if information is not None:
        return "whether", _mine(information)
    return ("action", _mine(text)) if is_done_to_user(text) else None


def _form_of_request(
    text: str, language: str, book: PhraseBook, has_values: bool
) -> tuple[GoalForm, str]:
    """The form of a goal that asks or wants something, or that only names it."""
    command = _after(text, ("ask", "tell", "instruct", "get")) if book.verbs else None
    order = english_order(command) if command else None
    if order is not None:  # "ask the assistant to cancel the taxi"
        return "statement", _as_user_says(order, book)
    to_ask = _after(text, book.asking)
    if to_ask is not None and not (book.verbs and has_particle(to_ask)):
        return _form_after_ask(to_ask, book)
    wanted = _after(text, book.wanting)
    if wanted is not None:
        return _form_of_wanted(wanted, book)
    requested = _after(text, book.having)
    if requested is not None:
        return "request", _mine(requested)
    if _starts(folded(text), book.whether_words):
        return "whether", text
    if spoken_to_user(text) if book.verbs else _begins_with_person(text, book):
        own = text if book.verbs else own_person(text, language)
        return "statement", _as_user_says(own, book)
    return _form_of_named(text, language, book, has_values)


def _form_of_wanted(wanted: str, book: PhraseBook) -> tuple[GoalForm, str]:
    """The form of what follows "you want to": to know something, or to do it."""
    to_ask = _after(wanted, book.asking)
    if to_ask is not None:
        return _form_after_ask(to_ask, book)
    return "action", _mine(wanted) if book.verbs else _as_user_says(wanted, book)


def _form_of_named(
    text: str, language: str, book: PhraseBook, has_values: bool
) -> tuple[GoalForm, str]:
    """The form of a goal that names what it is about; a bare noun is a question by itself."""
    if is_own_clause(text, language):
        return "statement", text
    form, words = _form_of_plain(text, book, has_values)
    bare = form == "topic" and not book.verbs and not text.count(" ") > 4
    if bare and is_bare_topic(text, language):  # "¿Horario de verano?", "Öffnungszeiten?"
        return "question", words
    return form, words


def output_form_of(description: str, language: str) -> tuple[GoalForm, str]:
    """The form for asking for a declared output, and its description in the user's words."""
    book = phrases(language)
    words = _output_words(description, book)
    if book.verbs and (preposed := PREPOSED_OUTPUT.match(words)):
        return "missing_question", words[preposed.end(1) :].strip()
    asks = _starts(folded(words), book.question_words) and _is_direct(folded(words), book)
    return "missing_question" if asks and language != "Other" else "missing", words


# --- Forms


def _form_of_plain(text: str, book: PhraseBook, has_values: bool) -> tuple[GoalForm, str]:
    """The form of a goal without a verb that says what to do with it."""
    words, lists = folded(text), word_lists()
    if book.verbs and HAVE_DO.match(text):
        return "action", _as_user_says(text, book)
    if book.verbs and (has_done(text) or _HAVE_IT_DONE.match(text)):
        return "action", _mine(text)
    if _starts(words, book.question_words):
        return _form_of_question(text, book)
    if _starts(words, (*book.self_words, *book.polite, *book.orders, *lists.telling)):
        return "statement", text
    action = _action(text, words, book)
    if action is not None:
        return action
    about = _after(text, book.about_words)
    if about is not None:
        return "about", about
    if book.verbs and (
        _starts(words, lists.placing) or FITTING.match(text) or OWN_CLAUSE.match(text)
    ):
        # "on Wednesday at ten", "the afternoon would be best"
        return "statement", text
    return _form_of_thing(text, words, book, has_values)


def _form_of_thing(
    text: str, words: str, book: PhraseBook, has_values: bool
) -> tuple[GoalForm, str]:
    """The form of a goal that names a thing: "a small pizza" is wanted, "the menu" a topic."""
    definite = bool(words) and words.split()[0] in book.definite
    determined = _starts(words, book.determiners)
    if has_values or (determined and not definite) or words[:1].isdigit():
        return "request", text
    superlative = re.match(r"(?:most|least|best|worst|\w{3,}est) ", words)
    unnamed = not (definite or determined or superlative)
    if book.verbs and unnamed and not is_informative(text):
        return "about", text  # "lost luggage": one asks about it
    return "topic", text if definite or determined else f"{book.the} {text}".strip()


def _action(text: str, words: str, book: PhraseBook) -> tuple[GoalForm, str] | None:
    """The form of a goal that begins with a verb, or ends with one in German; else None."""
    if book.verbs:
        return _english_action(text, words, book)
    order = german_order(text, book.gerunds) if book.finite else None
    if order is not None:
        return "action", f"{_as_user_says(order[0], book)} {order[1]}"
    first, _, rest = text.partition(" ")
    verb = book.gerunds.get(first.lower())  # "Setting an appointment"
    if verb and _can_be_object(rest, book):
        return "action", _mine(f"{verb} {rest}".strip())
    if first.lower().endswith(book.infinitive) and rest:
        return "action", text
    # "den Stand melden, er zeigt 4711 an" wants what its first clause says
    if book.finite and _ends_in_infinitive(text.partition(",")[0]):
        return "action", _as_user_says(text, book)
    return None


def _english_action(text: str, words: str, book: PhraseBook) -> tuple[GoalForm, str] | None:
    """The form of an English goal that begins with a verb, also with a gerund; else None."""
    if names_compound(text):
        return None
    if _starts(words, book.verbs) or begins_with_verb(text):
        return "action", _mine(text)
    first, _, rest = text.partition(" ")
    verb = book.gerunds.get(first.lower())
    if verb:
        return "action", _mine(f"{verb} {rest}".strip())
    gerund = first.lower().endswith("ing") and len(first) > 5
    if gerund and _starts(folded(rest), word_lists().object_starts):
        return "doing", _mine(text)
    return None


def _form_after_ask(text: str, book: PhraseBook) -> tuple[GoalForm, str]:
    """The form of what follows "ask"."""
    words = folded(text)
    about = _after(text, book.about_words)
    if about is not None:
        return "about", to_the_app(about) if book.verbs else about
    if book.verbs and _starts(words, ("to",)) and " " in text:  # "ask to speak to a human"
        return "action", _mine(text.split(" ", 1)[1])
    if _starts(words, book.whether_words):
        return "whether", _indirect_question(text, book)
    if book.verbs and _PREPOSED.match(words):  # "until what time you can get in"
        return "whether", _indirect_question(text, book)
    if _starts(words, book.asking_for) and " " in text:
        return "request", text.split(" ", 1)[1]
    if not book.verbs and _starts(words, book.determiners) and " " in text:
        return "request", text  # "demander un rendez-vous": the thing is wanted, not its facts
    if not _starts(words, book.question_words):
        return "topic", text
    return _form_of_question(text, book)


def _form_of_question(text: str, book: PhraseBook) -> tuple[GoalForm, str]:
    """The form of a phrase that begins with a question word.

    "what to do if you have pain" is asked as "what should I do if I have pain"; an indirect
    question ("what it costs") stays one, to be put after "Can you tell me".
    """
    first, _, rest = text.partition(" ")
    starts = word_lists().question_starts
    if book.inversion and rest.lower().startswith("to ") and _starts(folded(first), starts):
        modal = "can" if first.lower() == "how" else "should"
        return "question", _as_user_says(f"{first} {modal} I {rest[3:]}", book)
    if " il faut " in text or (book.inversion and " you have to " in text):
        return "whether", _indirect_question(text, book)
    if _is_direct(folded(text), book):
        return "question", _with_own_condition(to_the_app(text) if book.verbs else text, book)
    return "whether", _indirect_question(text, book)


def _is_direct(words: str, book: PhraseBook) -> bool:
    """Whether a question has its verb before its subject, as questions of their own have."""
    if book.finite:
        return not _ends_in_verb(words, book)
    if not book.inversion:
        return True
    lists = word_lists()
    parts = words.split()
    if parts[0] not in lists.question_starts:  # "is there", "can you", "what's"
        return True
    verb = next((place for place, word in enumerate(parts) if word in book.inversion), 0)
    if verb == 1 or (verb and parts[verb + 1 : verb + 2] and parts[verb + 1] in lists.subjects):
        return True
    # "which size", "how many cans": the verb may follow the thing that is asked for.
    measured = parts[0] in ("which", "whose") or (len(parts) > 1 and parts[1] in lists.measures)
    subject = any(word in lists.subjects for word in parts[1:verb])
    return measured and 1 < verb < len(parts) - 1 and not subject


def _ends_in_verb(words: str, book: PhraseBook) -> bool:
    """Whether a clause has its verb at its end, as those that depend on others have in German."""
    parts = words.split()
    finite = {folded(verb) for verb in book.finite}
    if len(parts) > 2 and parts[1] in ("man", "du", "ich", "zu"):  # "wie man das Passwort ändert"
        return True
    if parts[-1].endswith("st") and {"du", "ich"} & set(parts):  # "welche Papiere du brauchst"
        return True
    if len(parts) < 3 or finite & set(parts[1:-1]):
        return False
    follows = parts[1] in {folded(word) for word in (*book.determiners, *book.definite)}
    return parts[-1] in finite or (follows and parts[-1].endswith(("t", "en")))


def _ends_in_infinitive(text: str) -> bool:
    """Whether a German phrase is an infinitive with its object: ``eine Pizza bestellen``."""
    last = text.split()[-1]
    return last[:1].islower() and last.endswith(("en", "ern", "eln")) and " " in text


def _can_be_object(rest: str, book: PhraseBook) -> bool:
    """Whether words can be what something is done with; in Romance languages nouns look like verbs.

    ``reserva una mesa`` is to reserve, ``reserva de una mesa`` a reservation.
    """
    if book.verbs or not rest:
        return bool(book.verbs)
    return _starts(folded(rest), (*book.determiners, *book.definite)) or rest[:1].isdigit()


def _begins_with_person(text: str, book: PhraseBook) -> bool:
    """Whether a goal says how things are with the user: "du hast den Schlüssel verloren"."""
    if book.finite and _ends_in_infinitive(text):
        return False  # "deinen Termin absagen" wants something done
    keys = (key for key in book.persons if " " in key or len(key) > 4)
    return any(text.lower().startswith(f"{key} ") for key in keys)


# --- Words


def _statement(text: str, book: PhraseBook) -> str:
    """What follows "say that", as the user says it; with a question if "and ask" follows."""
    asking = any_of(book.asking)
    parts = re.split(rf",?\s(?:{book.and_}|then)\s(?={asking}\s)", text, maxsplit=1)
    words = _as_user_says(parts[0], book)
    if book.verbs and words.startswith("is "):  # "say that is all": "that" is what is said
        words = f"that {words}"
    if book.finite and _ends_in_verb(folded(words), book):
        words = filled(book.telling, words)
    if book.verbs and "," in words and re.match(r"an? ", words):  # "mention a code, AB12"
        words = f"I have {words}"
    if len(parts) == 1:
        return words
    question = _after(same_owner(parts[1], parts[0]), book.asking)
    if question is None:
        return _as_user_says(text, book)
    form, asked = _form_after_ask(question, book)
    return f"{words}. {filled(getattr(book, form)[0], asked)}"


def _as_user_says(text: str, book: PhraseBook) -> str:
    """What the user is to say, as it says it to the app."""
    words = first_person(text, book.persons, english=bool(book.verbs))
    return to_the_app(words) if book.verbs else words


def _indirect_question(text: str, book: PhraseBook) -> str:
    """An indirect question as the user puts it."""
    if not book.verbs:
        words = asked_by_user(text, book.persons, english=False)
        return may_i(words, book.modals, book.acts)
    return to_the_app(asked_by_user(_with_own_condition(text, book), book.persons, english=True))


def _with_own_condition(text: str, book: PhraseBook) -> str:
    """A question with its condition in the user's person: "... if you cancel" is "if I cancel"."""
    for mark in (" if you ", " when you ") if book.inversion else ():
        head, separator, tail = text.partition(mark)
        if separator:
            return f"{head} {_as_user_says(f'{mark}{tail}'.strip(), book)}"
    return text


def _mine(text: str) -> str:
    """A service put in the user's own person: ``your bike`` is ``my bike``."""
    swap = {"your": "my", "yours": "mine", "yourself": "myself"}
    text = TO_USER.sub(r"\1 me", text)
    text = PARTY_CLAUSE.sub(r"\1 we are \2", text)
    text = _CLAUSE_ARE.sub(r"\1 I am", _CLAUSE.sub(r"\1 I\2", text))
    text = _CLAUSE_AFTER.sub(_own_clause, _RELATIVE.sub("I", text))
    words = " ".join(swap.get(word.lower(), word) for word in text.split(" "))
    return words if words[:2].isupper() else words[:1].lower() + words[1:]


def _own_clause(match: re.Match[str]) -> str:
    lead, are, were = match.groups()
    return f"{lead}I am" if are else f"{lead}I was" if were else f"{lead}I"


def _output_words(text: str, book: PhraseBook) -> str:
    """A description of an output without what is no part of the thing, with its article."""
    words = " ".join(text.split()).strip(" .?¿!")
    for mark in book.cut_after:
        words = words.partition(mark)[0] or words
    if words[:1].isupper() and not words[:2].isupper():
        words = words[:1].lower() + words[1:]
    starts = (*book.determiners, *book.question_words, *book.whether_words)
    is_bare = bool(folded(words)) and not _starts(folded(words), starts)
    return f"{book.the} {words}" if is_bare and book.the else words


def _without_leads(text: str, leads: tuple[str, ...]) -> str:
    """A goal without "First," and the like."""
    for _ in range(3):
        rest = next((rest for lead in leads if (rest := _after_mark(text, lead))), None)
        if rest is None:
            return text
        text = rest
    return text


def _after_mark(text: str, lead: str) -> str | None:
    """What follows a lead and its comma or colon; None if the text does not begin so."""
    begun, mark = text[: len(lead)], text[len(lead) : len(lead) + 1]
    if mark not in (",", ":") or folded(begun) != folded(lead):
        return None
    return text[len(lead) :].strip(" ,:")


def _after(text: str, leads: tuple[str, ...]) -> str | None:
    """What follows the longest of the leads that a text begins with; None if it has none."""
    words = text.split(" ")
    for lead in sorted(leads, key=len, reverse=True):
        size = len(lead.split())
        if len(words) > size and folded(" ".join(words[:size])) == folded(lead):
            return " ".join(words[size:])
    return None


def _starts(words: str, leads: tuple[str, ...]) -> bool:
    padded = f"{words} "
    return any(padded.startswith(f"{folded(lead)} ") for lead in leads)
