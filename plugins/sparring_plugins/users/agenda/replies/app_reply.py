"""Reading an app's reply: which questions it asks with which options, and what it states."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from sparring.model.talk import Choice, Observation
from sparring_plugins.language.numbers import find_money
from sparring_plugins.language.text import clipped, folded, plain, sentences
from sparring_plugins.language.vocabulary import (
    concepts,
    has_cue,
    languages_of,
    starts_with_cue,
)
from sparring_plugins.users.agenda.profile.asked_kinds import asked_kinds
from sparring_plugins.users.agenda.replies.answer_formats import (
    keyed_options,
    options_behind,
    yes_and_no,
)
from sparring_plugins.users.agenda.replies.asked_clauses import (
    alternatives,
    asked_parts,
    asking_words,
    asks_for_any,
    stated_request,
    without_progress,
)
from sparring_plugins.users.agenda.replies.described_options import listed_commands
from sparring_plugins.users.agenda.replies.false_alternatives import true_options
from sparring_plugins.users.agenda.replies.named_options import (
    BULLET,
    MOST_OPTIONS,
    PLAIN_NUMBER,
    bare_lines,
    by_letter,
    inline_lettered,
    inline_numbered,
    inline_options,
    list_items,
    list_marks,
)
from sparring_plugins.users.agenda.replies.offered_times import offered_times, times_before
from sparring_plugins.users.agenda.replies.options_beside import things_after, things_before
from sparring_plugins.users.agenda.replies.question_kinds import (
    QuestionKind,
    finishing_word,
    question_kind,
    without_courtesy,
)
from sparring_plugins.users.agenda.replies.read_backs import announces
from sparring_plugins.users.agenda.words.knowledge import (
    is_way_on,
    knowledge,
    says,
    starts_with_any,
)
from sparring_plugins.users.agenda.words.phrase_book import any_of
from sparring_plugins.users.extraction.exchanges import has_content, in_words, statements, undenied

MOST_QUESTIONS = 5
"""Questions of one reply that are answered: the last ones."""


_ASIDE = re.compile(r"\?\s{0,3}[\[(]([^()\[\]\n]{3,200})[\])]")
"""Brackets behind a question: "Class? [first/second]", "What time? [hh:mm]"."""
_KEYCAP = re.compile(r"(\d)\ufe0f?\u20e3\s?")
"""A digit as a key with a picture, as messengers number their menus."""
_LACK = re.compile(  # of a thing: "No internet" declines nothing
    r"no (?!change|cancel|edit|go|start|continue|wait|stop|back|restart|modify|skip)\w+",
    re.IGNORECASE,
)

_MENU_WORDS = 6  # of an item of a menu at most: "1 Send, 2 Change, 0 Discard"


@dataclass(frozen=True)
class AppQuestion:
    """One question or instruction of the app, with the options it names and their numbers."""

    text: str
    kind: QuestionKind
    options: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()

    @cached_property
    def numbered(self) -> bool:
        """Whether the options have numbers to choose them by."""
        return bool(self.marks) and all(mark.isdigit() for mark in self.marks)

    @cached_property
    def words(self) -> str:
        """The question, folded."""
        return folded(self.text)


@dataclass(frozen=True)
class AppReply:
    """A reply as the user reads it.

    `statements` are its sentences that ask nothing, `informative` says whether these inform of
    anything, `declines` whether one says that the app does not do something,
    `options` are those named anywhere in it, `choices` can be pressed. What pictures, files and
    cards show counts as said, by their descriptions; `attached` says that there are any.
    """

    text: str
    questions: tuple[AppQuestion, ...]
    statements: tuple[str, ...]
    options: tuple[str, ...]
    choices: tuple[Choice, ...]
    fallback: bool
    refusal: bool
    done: bool
    farewell: bool
    informative: bool
    declines: bool = False
    attached: bool = False

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        """What reads a conversation keeps its result by the replies: each is hashed once."""
        return hash((self.text, self.questions, self.statements, self.options, self.choices))

    @cached_property
    def words(self) -> str:
        """The whole reply, folded."""
        return folded(self.text)

    @cached_property
    def empty(self) -> bool:
        """Whether there is nothing to see or press."""
        return not self.text and not self.choices and not self.attached

    @cached_property
    def turns_down(self) -> bool:
        """Whether the app understood and says no to what the user asked for or gave."""
        sorry = self.refusal or self.declines or has_cue(self.words, "turned_down")
        return sorry and not self.fallback and not self.done

    @cached_property
    def menu(self) -> tuple[str, ...]:
        """The labels of what can be pressed, or chosen by a number."""
        if self.choices and not are_marks(self.choices):
            return tuple(choice.label for choice in self.choices)
        listed = next((question.options for question in self.questions if question.marks), ())
        return listed or tuple(choice.label for choice in self.choices)

    @cached_property
    def asks_what_else(self) -> bool:
        """Whether it asks what else the user wants, which "What do you need?" does not."""
        return any(
            q.kind == "more"
            and (has_cue(q.words, "more") or is_way_on(q.options, q.text) or finishing_word(q.text))
            for q in self.questions
        )

    def asks(self, *kinds: QuestionKind) -> bool:
        """Whether one of the questions is of these kinds."""
        return any(question.kind in kinds for question in self.questions)


def read_app_reply(observation: Observation | None) -> AppReply:
    """Read a reply; None is a reply that never came."""
    if observation is None:
        return _read("", ())
    pressable = tuple(
        choice
        for choice in observation.choices[:MOST_OPTIONS]
        if choice.value is not None or choice.url is None
    )
    reply = _read(clipped(in_words(observation)), pressable)
    return replace(reply, attached=True) if observation.attachments else reply


_PLURAL = re.compile(r"([^\W\d_]{2})\((s|es|e|n|en|r|er|ren|i|x)\)(?!\w)")
"""An ending in brackets: "3 guest(s), 1 child(ren)" counts guests and children."""


@lru_cache(maxsize=512)
def _read(raw: str, choices: tuple[Choice, ...]) -> AppReply:
    # "What size? (small, medium)" asks one thing: the aside becomes a part of the question.
    text = _ASIDE.sub(
        r" (\1)?", without_progress(plain(_KEYCAP.sub(r"\1. ", _PLURAL.sub(r"\1\2", raw))))
    )
    parts = sentences(text)
    words = folded(text)
    questions = _questions(text, parts, choices)
    listed = {item for question in questions if question.numbered for item in question.options}
    asked = {question.text for question in questions} | listed
    stated = tuple(
        sentence
        for sentence in statements(text)
        if sentence not in asked and not (listed and _BARE_NUMBER.fullmatch(sentence))
    )
    # "You're welcome, goodbye!" informs of nothing either, but has understood
    farewell = has_cue(words, "farewell")
    fallback = not has_content(text) if words and not farewell else False
    return AppReply(
        text=text,
        questions=questions,
        statements=stated,
        options=_all_options(text, parts, choices),
        choices=choices,
        fallback=fallback,
        refusal=has_cue(words, "refusal"),
        done=not fallback and _says_done(folded(undenied(text)), questions, stated),
        farewell=farewell,
        informative=not fallback and any(_informs(sentence) for sentence in stated),
        declines=any(_declines(sentence) for sentence in stated),
    )


_BARE_NUMBER = re.compile(r"\d{1,2}[.)]")
"""The number of an entry of a menu, which is no statement."""


def _says_done(words: str, questions: Sequence[AppQuestion], stated: Sequence[str]) -> bool:
    """Whether a reply says that something was done, and does not only propose to do it.

    "Ich habe notiert: Montag, 9 Uhr. Kann ich das so eintragen?" has done nothing yet.
    """
    if has_cue(words, "done"):
        return True
    last = questions[-1] if questions else None
    proposes = last is not None and last.kind in ("fact", "confirm") and _is_proposal(last)
    return not proposes and any(map(_reports_done, map(undenied, stated)))


def _is_proposal(question: AppQuestion) -> bool:
    return says(question.words, "proposals")


def _declines(sentence: str) -> bool:
    """Whether an app says that it does not do something: "our vets don't treat birds"."""
    words = folded(sentence)
    return (
        says(words, "refusing") or reports_failure(sentence) or bool(_refusing().search(sentence))
    )


def reports_failure(sentence: str) -> bool:
    """Return whether a sentence says that what was tried did not work: "I could not book it"."""
    if sentence.rstrip().endswith("?"):
        return False
    if starts_with_any(folded(sentence), "abilities"):
        return False  # "You can tell me that something went wrong." reports nothing
    return says(folded(sentence), "failures") or bool(_failing().search(sentence))


@lru_cache(maxsize=1)
def _failing() -> re.Pattern[str]:
    lists = knowledge()
    services = any_of(lists.services)
    return re.compile(
        rf"\b{any_of(lists.not_managed)} (?:(?:\w+ ){{0,2}}?{services}|be (?:\w+ed|made|done|bought"
        r"|sent|set|found))\b",
        re.IGNORECASE,
    )


@lru_cache(maxsize=1)
def _refusing() -> re.Pattern[str]:
    lists = knowledge()
    return re.compile(
        rf"\b(?:i|we|our \w+|they)(?: \w+)? {any_of(lists.not_able)}(?: \w+){{0,2}}? "
        rf"{any_of(lists.services)}\b",
        re.IGNORECASE,
    )


def _reports_done(sentence: str) -> bool:
    """Whether a sentence says that something was done: "Your card has been blocked", "Booked."."""
    words = f" {without_courtesy(folded(sentence)) or folded(sentence)} "
    if starts_with_cue(words.strip(), "participle") and not sentence.rstrip().endswith("?"):
        return True
    if says(words.strip(), "reports") and find_money(sentence) and "?" not in sentence:
        return True  # "£60.00 has been taken from your card"
    if _is_done_elsewhere(words.strip(), sentence):
        return True
    return words.startswith((" your ", " tu ", " su ")) and any(
        cue in words for cue in (" has been ", " have been ", " ha sido ", " han sido ")
    )


def _is_done_elsewhere(words: str, sentence: str) -> bool:
    """Whether a short sentence in another language than English says that something is done."""
    parts = words.split()
    lists = knowledge()
    if not lists.done_words & set(parts) or len(parts) > _DONE_WORDS or "?" in sentence:
        return False
    if languages_of(words)[:1] == ("English",) and len(languages_of(words)) == 1:
        return False
    denied = lists.denials & set(parts) or says(words, "not_done_words")
    return not denied


# "Your parcel was sent" is done; a long sentence with "sent" in it explains how things are done.
_DONE_WORDS = 14


def _informs(sentence: str) -> bool:
    """Whether a sentence says something of the subject, not only a courtesy."""
    words = folded(sentence)
    short = len(words.split()) <= 7
    empty = any(has_cue(words, cue) for cue in ("farewell", "sorry", "help", "more", "smalltalk"))
    thanks = starts_with_cue(words, "courtesy") and len(words.split()) <= 3
    has_content = bool(concepts(sentence)) or has_cue(words, "affirm") or has_cue(words, "deny")
    return has_content and not (short and empty) and not thanks


# --- Questions


def _questions(
    text: str, parts: Sequence[str], choices: tuple[Choice, ...]
) -> tuple[AppQuestion, ...]:
    """The questions among the sentences of a reply, each with the options that belong to it.

    The last question gets the buttons, else the options it names itself, else the list of the
    reply, else those that the sentence before it names.
    """
    lines = text.split("\n")
    labels = _labels(choices)
    items, marks, inline = _listed(text, lines, parts, is_menu=bool(labels))
    if items and labels == marks:
        labels = ()  # the buttons "1", "2" and "3" stand for the items of the list above them
    questions: list[tuple[str, QuestionKind, tuple[str, ...]]]
    parts = _without_entries(parts, lines, items)
    questions = _with_own_options(_asking_sentences(parts, is_list=bool(items)), text)
    if questions:
        sentence, kind, options = questions[-1]
        listed = items if items == bare_lines(lines) else ()
        behind = options_behind(text, sentence)
        named = next(filter(None, (labels, inline, listed, options, behind, items)), ())
        if (keyed := keyed_options(named)) is not None:
            named, marks = keyed
            items = named
        kind = _kind_by_options(kind, named, text)
        questions[-1] = (sentence, kind, named or _options_before(parts, sentence, kind))
    elif labels or _offers_list(text, lines, items):
        questions = [("", "open", labels or items)]
    elif commands := listed_commands(parts):
        items, marks = commands
        questions = [("", "open", items)]
    elif offered := offered_times(parts):
        questions = [offered]
    return tuple(
        _app_question(sentence, kind, options, marks if options == items else ())
        for sentence, kind, options in questions[-MOST_QUESTIONS:]
    )


def _without_entries(parts: Sequence[str], lines: list[str], items: Sequence[str]) -> Sequence[str]:
    """The sentences without the entries of a menu of numbers: "5. Ask a question" asks nothing."""
    is_menu = bool(list_marks(lines)) and _ends_in_menu(lines, items)
    return [part for part in parts if part not in items] if is_menu else parts


def _with_own_options(
    asking: Sequence[tuple[str, QuestionKind]], text: str
) -> list[tuple[str, QuestionKind, tuple[str, ...]]]:
    """The questions with the options that each names; none for a mere name of a field."""
    optional = says(folded(text), "optional")
    return [
        (sentence, kind, () if optional and _is_label(sentence) else _own_options(sentence, kind))
        for sentence, kind in asking
    ]


def _is_label(sentence: str) -> bool:
    """Whether a question is but the name of a field: "Company or institution for the badge?"."""
    words = folded(sentence)
    asks = starts_with_cue(words, "wh") or starts_with_cue(words, "polar")
    return (
        not asks and not has_cue(words, "wanting") and not knowledge().finite & set(words.split())
    )


def _kind_by_options(kind: QuestionKind, options: Sequence[str], text: str) -> QuestionKind:
    """The kind of a question that yes or no alone can answer, whatever its words are."""
    if kind == "open" and not options and yes_and_no(text):
        return "fact"  # "LIFT (Y/N)?"
    decides = len(options) > 1 and any(map(is_yes, options)) and any(map(is_no, options))
    whole = decides and all(is_yes(option) or is_no(option) for option in options)
    return "fact" if whole and kind in ("open", "select") else kind


def _options_before(parts: Sequence[str], question: str, kind: QuestionKind) -> tuple[str, ...]:
    """The options that the sentences before an open question name; none for any other."""
    if kind != "open" or asked_kinds(folded(question)) & _WRITTEN:
        return ()  # "The desk or the office rings you. Your name?" offers nothing
    which = says(folded(question), "which_one")
    named = _stated_options(parts) or things_before(parts, question)
    named = named or things_after(parts, question)
    return named or times_before(parts, of_which=which)


_WRITTEN = frozenset(
    {"name", "first_name", "last_name", "code", "id", "digits", "phone", "email", "iban", "birth"}
    | {"address", "postcode"}
)
"""Kinds of data that are typed, and chosen from nothing that stands before the question."""


def _listed(
    text: str, lines: list[str], parts: Sequence[str], *, is_menu: bool
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """The items of the list of a reply, their marks, and those numbered within a sentence.

    None of a list that is only to be read; `is_menu` if the reply has buttons.
    """
    items, marks = list_items(lines), list_marks(lines)
    inline: tuple[str, ...] = ()
    if not items:
        # "Please come 10 minutes early. Reply 1 for the main menu or 2 to end the chat."
        within = (text, *reversed(parts))
        numbered = (find(part) for part in within for find in (inline_numbered, inline_lettered))
        inline, inline_marks = next((pair for pair in numbered if pair[0]), ((), ()))
        items, marks = inline or bare_lines(lines), inline_marks or marks
    if items and not is_menu and _is_read_only(parts, lines, items):
        return (), (), ()
    return items, marks, inline


def _own_options(sentence: str, kind: QuestionKind) -> tuple[str, ...]:
    """The options that a question names itself; "Anything else, or was that all?" names none.

    "When is it? (day, month and year)" says what the answer consists of.
    """
    words = folded(sentence)
    counting = words.startswith(tuple(map(folded, asking_words().how_many)))
    describing = counting or (says(words, "describing") and kind == "open")
    if yes_and_no(sentence) is not None:
        return ()  # "LIFT (Y/N)?" asks whether, and offers no Y
    if kind == "more" or describing or _PARTS_OF_ANSWER.search(sentence) or asks_for_any(sentence):
        return ()  # "Please describe the damage or what is missing" names none either
    ways = alternatives(stated_request(sentence) or sentence)
    options = ways or true_options(sentence, inline_options(sentence, asking=True))
    return () if all(map(_DATE_PART.fullmatch, options)) else options


_DATE_PART = re.compile(r"[dmyjta]{1,4}", re.IGNORECASE)
"""A part of "dd/mm/yyyy", which is no option."""


_PARTS_OF_ANSWER = re.compile(r"\([^()]{1,80} (?:and|und|y|et) [^()]{1,40}\)\W*$", re.IGNORECASE)
""""When do you come? (day, month and year)" lists parts of one answer, and no options."""


def _is_read_only(parts: Sequence[str], lines: Sequence[str], items: Sequence[str]) -> bool:
    """Whether a list is information: it stands above "Anything else?", as opening hours do."""
    more = next((part for part in parts if _asks_for_more(part)), None)
    place = next((at for at, line in enumerate(lines) if more is not None and more in line), -1)
    if place < 0:
        return False
    above = "\n".join(lines[:place])
    below = "\n".join(lines[place + 1 :])
    asked = any(question_kind(part, last=False) for part in parts if part in above)
    return not asked and not any(item in below for item in items)


def _asks_for_more(sentence: str) -> bool:
    kind = question_kind(sentence, last=False)
    return kind == "more" and has_cue(folded(sentence), "more")


def _offers_list(text: str, lines: Sequence[str], items: Sequence[str]) -> bool:
    """Whether a text that asks nothing has a list to choose from, and not to be read only."""
    words = folded(text)
    by_mark = bool(list_marks(list(lines))) and (by_letter(words) or has_cue(words, "number_reply"))
    return bool(items) and (has_cue(words, "options") or by_mark or _ends_in_menu(lines, items))


def _ends_in_menu(lines: Sequence[str], items: Sequence[str]) -> bool:
    """Whether a text ends with a numbered list of short items: "1 Send, 2 Change, 0 Discard"."""
    last = next((line for line in reversed(lines) if line.strip()), "")
    numbered = bool(list_marks(list(lines))) and bool(
        BULLET.match(last) or PLAIN_NUMBER.match(last)
    )
    return numbered and all(len(item.split()) <= _MENU_WORDS for item in items)


def are_marks(choices: tuple[Choice, ...]) -> bool:
    """Return whether buttons only have the marks of a list on them."""
    return all(len(choice.label.strip(" .)")) <= _MARK for choice in choices)


_MARK = 2  # "A", "12": characters of a button that bears the mark of a list


def _labels(choices: tuple[Choice, ...]) -> tuple[str, ...]:
    return tuple(plain(choice.label)[:200] or choice.label[:200] for choice in choices)


def _asking_sentences(parts: Sequence[str], *, is_list: bool) -> list[tuple[str, QuestionKind]]:
    """The sentences of a reply that ask something, with what each asks for; one for a list."""
    kinds: list[QuestionKind | None] = [
        question_kind(sentence, last=index == len(parts) - 1)
        for index, sentence in enumerate(parts)
    ]
    asking: list[tuple[str, QuestionKind]] = [
        (part, kind) for part, kind in zip(parts, kinds, strict=True) if kind is not None
    ]
    if not asking and not is_list:
        return _announced(parts) or _left_to_choose(parts)
    if not asking:
        return _left_to_choose(parts)
    if is_list and len(asking) > 1:  # the list's heading, and how to choose from it
        return [(" ".join(part for part, _ in asking), asking[-1][1])]
    return asking if is_list else [each for pair in asking for each in _split(*pair)]


def _announced(parts: Sequence[str]) -> list[tuple[str, QuestionKind]]:
    """The statement that waits for a yes in a reply that asks nothing; none after "Done!"."""
    for place, sentence in enumerate(parts):
        others = " ".join((*parts[:place], *parts[place + 1 :]))
        if announces(sentence) and not has_cue(folded(others), "done"):
            return [(sentence, "confirm")]
    return []


def _left_to_choose(parts: Sequence[str]) -> list[tuple[str, QuestionKind]]:
    """The last statement if it leaves a choice: "Ida is free, or you choose another day"."""
    last = parts[-1] if parts else ""
    return [(last, "select")] if _or_you_choose().search(folded(last)) else []


@lru_cache(maxsize=1)
def _or_you_choose() -> re.Pattern[str]:
    lists = asking_words()
    choosing, either = any_of(lists.choosing), any_of(lists.either)
    return re.compile(rf"\b{either} (?:you|du|sie|tu|usted|vous|lei)(?: \w+)?? {choosing}\b")


def _split(sentence: str, kind: QuestionKind) -> list[tuple[str, QuestionKind]]:
    """The questions of a sentence that asks: one, or several that "and" joins."""
    parts = asked_parts(sentence)
    if len(parts) == 1 or kind in ("more", "helped", "smalltalk"):
        return [(sentence, kind)]
    return [(part, question_kind(part, last=True) or kind) for part in parts]


def _app_question(
    text: str, kind: QuestionKind, options: tuple[str, ...], marks: tuple[str, ...]
) -> AppQuestion:
    """A question of the kind that its options make it: "Yes" and "No" buttons ask to confirm."""
    if is_way_on(options, text):
        return AppQuestion(text, "more", options, marks)
    if len(options) >= 2 or (options and marks):
        if all(is_yes(option) or is_no(option) for option in options):
            if kind == "open" and starts_with_cue(folded(text), "polar"):
                kind = "fact"  # "Do you have a preferred day?" with "Yes" and "No" to press
            kind = kind if kind in ("offer", "fact", "more", "helped") else "confirm"
        else:
            kind = kind if kind in ("more", "confirm", "helped") else "select"
    return AppQuestion(text, kind, options, marks)


def is_yes(label: str) -> bool:
    """Whether an option's label agrees."""
    words = folded(label).removeprefix("i ")  # "I accept"
    return starts_with_cue(words, "positive") and len(words.split()) <= 4 and not is_no(label)


def is_no(label: str) -> bool:
    """Whether an option's label declines."""
    words = folded(label)
    if _LACK.fullmatch(label.strip()) and concepts(label):
        return False
    return starts_with_cue(words, "negative") and len(words.split()) <= 4


# --- Options: buttons, lists, "a, b or c"


def _all_options(text: str, parts: Sequence[str], choices: tuple[Choice, ...]) -> tuple[str, ...]:
    """All options that a reply names, wherever."""
    options = [choice.label[:200] for choice in choices]
    options += list_items(text.split("\n"))
    for sentence in parts:
        asking = question_kind(sentence, last=False) is not None
        named = inline_options(sentence, asking=asking)
        options += true_options(sentence, named) if asking else named
    return tuple(dict.fromkeys(options))


def _stated_options(parts: Sequence[str]) -> tuple[str, ...]:
    """The options of the last statement that names any: "We have coke and water available."."""
    named = (
        inline_options(sentence, asking=False)
        for sentence in reversed(parts)
        if question_kind(sentence, last=False) is None
    )
    return next((options for options in named if options), ())
