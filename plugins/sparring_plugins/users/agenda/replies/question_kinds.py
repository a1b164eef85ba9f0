"""What a sentence of the app asks for: more, a datum, one of some options, yes or no."""

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from sparring_plugins.language.text import folded
from sparring_plugins.language.vocabulary import (
    cue_phrases,
    has_cue,
    starts_with_cue,
)
from sparring_plugins.users.agenda.profile.personal_details import asked_details
from sparring_plugins.users.agenda.replies.asked_clauses import (
    asking_words,
    asks_for_case,
    is_embedded,
    is_inverted,
    needs_something_else,
    stated_request,
    without_condition,
    without_preposition,
)
from sparring_plugins.users.agenda.replies.read_backs import asks_to_check, names_value, states
from sparring_plugins.users.agenda.words.goal_verbs import is_verb
from sparring_plugins.users.agenda.words.knowledge import (
    knowledge,
    says,
    starts_with_any,
    without_lead,
)
from sparring_plugins.users.agenda.words.phrase_book import any_of, word_lists

QuestionKind = Literal["more", "helped", "smalltalk", "confirm", "offer", "fact", "select", "open"]
"""What a question asks for.

``more``: the next thing the user wants. ``helped``: whether that was the answer. ``confirm``: that
what was said is right. ``offer``: whether the user wants something. ``fact``: yes or no about the
user. ``select``: one of its options. ``open``: anything else.
"""


_BY_CUE: tuple[tuple[str, QuestionKind], ...] = (
    ("more", "more"),
    ("help", "more"),
    ("helped", "helped"),
    ("smalltalk", "smalltalk"),
)


# "Your full postal address including the postcode:" names a datum; whole sentences do not.
_DATUM_WORDS = 14


def question_kind(sentence: str, *, last: bool) -> QuestionKind | None:
    """What a sentence asks for; None if it asks nothing. `last` is the last one of a reply."""
    if _names_field(sentence):
        return "open"
    kind = _question_kind(sentence, last=last)
    if kind != "more":
        return kind
    if _LISTED_AFTER.search(sentence):
        return "select"  # "What do you want to change: name, date, time?"
    # "Any allergy or anything else to note? (optional)" is no "Anything else?"
    asides = _ASIDE.findall(sentence)
    return "fact" if any(starts_with_any(folded(a), "optional_asides") for a in asides) else kind


def _names_field(sentence: str) -> bool:
    """Whether a question is a field's name with its format: "Zone (A-F)?", "Date (dd/mm/yyyy)?"."""
    named = _FIELD_AND_FORMAT.fullmatch(sentence)
    if named is None:
        return False
    words = folded(named[1])
    return not starts_with_cue(words, "wh") and not starts_with_cue(words, "polar")


_FIELD_AND_FORMAT = re.compile(r"\W*((?:[\w'-]+ ){1,3})\((?!.*\b(?:and|or)\b)[^(),]{1,40}\)\W*\?")
_LISTED_AFTER = re.compile(r"\w: [^:?.!]{2,40}(?:, [^:?.!,]{2,40}){2,}\?$")
_ASIDE = re.compile(r"\(([^()]*)")


def _question_kind(sentence: str, *, last: bool) -> QuestionKind | None:
    marked = sentence.rstrip("\"')* ").endswith("?") or "¿" in sentence
    words, rest = _asking_words(sentence, marked=marked)
    is_data = sentence.lstrip().startswith(("{", "["))
    if is_data or (not rest and not marked):
        return None
    if (told := _kind_of_instruction(sentence)) is not None:
        return told
    instructs = _instructs(sentence, rest)
    listed = not marked and _lists_data(sentence, words)
    if marked or instructs or listed or (last and _is_open_end(sentence, words, rest)):
        kind = _kind_of_question(words, rest, instructs=instructs)
        # "You want it at 9?" is a statement but for its mark
        return _kind_of_statement(sentence) if kind == "open" and marked else kind
    return "more" if _invites(words) else None


def _invites(words: str) -> bool:
    """Whether folded words ask what is next without a mark: "If you have any questions, ask"."""
    invites = has_cue(words, "inviting") and not has_cue(words, "sorry")
    return invites and (has_cue(words, "help") or has_cue(words, "more"))


def _kind_of_instruction(sentence: str) -> QuestionKind | None:
    """The kind of an instruction to type, choose or check something; None for other sentences."""
    if asks_for_case(sentence) or _asks_which_of(sentence):
        return "open"
    if asks_to_check(sentence) or AGREED.search(sentence) or _OK_TO.match(folded(sentence)):
        return "confirm"
    if finishing_word(sentence) is not None:
        return "more"
    return "confirm" if sending_word(sentence) is not None else None


def _asks_which_of(sentence: str) -> bool:
    """Whether a question names alternatives first: "This tour or another: which is it?"."""
    head, colon, tail = sentence.rpartition(": ")
    either = bool(colon) and tail.rstrip().endswith("?") and has_cue(folded(head), "or")
    return either and starts_with_cue(folded(tail), "wh")


def sending_word(text: str) -> str | None:
    """Return the word to type that sends what was read back: 'Type "submit", or edit it'."""
    for word in (_typed_word().search(text), _typed_capitals().search(text)):
        words = folded(word[1]) if word is not None else ""
        if word is not None and starts_with_any(words, "sending") and words not in _VAGUE:
            return word[1]
    return None


@lru_cache(maxsize=1)
def _typed_capitals() -> re.Pattern[str]:
    """What a text wants to be typed, in capitals: "Type SUBMIT to send this"."""
    return re.compile(rf"\b(?i:{any_of(word_lists().reply_verbs)})(?: with)? ([A-Z]{{3,12}})\b")


@lru_cache(maxsize=1)
def _typed_word() -> re.Pattern[str]:
    """What a text wants to be typed, in quotation marks."""
    verbs = any_of(word_lists().reply_verbs)
    return re.compile(
        rf"\b{verbs}(?: with)? [\"'\u201c\u201e\u2018«*](\w[\w ]{{0,19}})[\"'\u201d\u201c\u2019»*]",
        re.IGNORECASE,
    )


_VAGUE = frozenset({"continue", "proceed", "done", "finish"})
"""Words that also go on within a form: 'Type "continue" to see more'."""


def _kind_of_statement(sentence: str) -> QuestionKind:
    """The kind of a question that has the order of a statement; ``open`` if it has not."""
    if not states(sentence):
        return "open"
    return "confirm" if names_value(sentence) else "fact"


def _asking_words(sentence: str, *, marked: bool) -> tuple[str, str]:
    """The folded words of a sentence that ask, and what is left of them without their lead."""
    request = stated_request(sentence)
    wanted = folded(request or "")
    if is_embedded(wanted) or starts_with_cue(wanted, "wh"):
        return wanted, wanted
    head, colon, tail = sentence.rpartition(": ")
    if marked and colon and "?" not in head and _begins_asking(folded(tail)):
        sentence = tail  # "So that I can look: for how many nights will you stay?"
    words = folded(sentence[sentence.rfind("¿") + 1 :] if "¿" in sentence else sentence)
    rest = without_courtesy(words)
    return words, without_condition(rest, sentence) if marked else rest


def _begins_asking(words: str) -> bool:
    """Whether folded words begin as a question of their own does."""
    rest = without_preposition(words)
    return (starts_with_cue(rest, "wh") or starts_with_cue(words, "polar")) and len(
        words.split()
    ) > 3


def _instructs(sentence: str, rest: str) -> bool:
    """Whether a sentence wants something to be typed, also by saying what is needed."""
    if stated_request(sentence) is not None:
        return True
    instructs = starts_with_cue(rest, "imperative") or _instructs_later(sentence)
    return instructs and not needs_something_else(sentence)


def _is_unmarked(rest: str) -> bool:
    """Whether folded words have the order of a question: "do you want", "when are you leaving"."""
    if is_inverted(rest):
        return True
    parts = without_preposition(rest).split()
    if not starts_with_cue(" ".join(parts), "wh"):
        return False
    lists = asking_words()
    return any(
        verb in lists.auxiliaries and subject in lists.subjects
        for verb, subject in pairwise(parts[1:_UNMARKED])
    )


# "Would you like a bag" without a mark asks if verb and subject change places at its beginning.
_UNMARKED = 6


def _is_open_end(sentence: str, words: str, rest: str) -> bool:
    """Whether a reply ends with a question without its mark: "Your name:", "What size"."""
    if _is_unmarked(rest):
        return True
    end = sentence.rstrip()
    if end.endswith(":") and len(words.split()) <= 6:
        return True
    if _names_datum(sentence, words) or _lists_data(sentence, words) or _shows_format(sentence):
        return True
    begins = starts_with_cue(rest, "wh") or (starts_with_cue(rest, "polar") and " you" in words)
    return begins and not end.endswith((".", "!", "…"))


def _instructs_later(sentence: str) -> bool:
    """Whether an instruction follows a lead: "For your security, please enter your e-mail".

    Without "please" it must ask to be told something: "Whenever you're ready, tell me which club
    suits you" does, and "If it is late, try the other line" does not.
    """
    _, comma, rest = sentence.partition(", please ")
    if comma and starts_with_cue(without_courtesy(folded(rest)), "imperative"):
        return True
    clauses = (without_courtesy(folded(clause)) for clause in _CLAUSES.split(sentence)[1:])
    return any(starts_with_cue(words, "imperative") and _asks_for_datum(words) for words in clauses)


_CLAUSES = re.compile(r"(?:,|;|:|\s[\u2013\u2014-])\s+")


def _asks_for_datum(words: str) -> bool:
    """Whether an instruction goes on with a question or a datum: "tell me which room"."""
    parts = words.split()
    later = (" ".join(parts[at:]) for at in range(1, min(4, len(parts))))
    return any(
        starts_with_cue(rest, "wh") or is_embedded(rest) or bool(asked_details(rest))
        for rest in later
    )


def _shows_format(sentence: str) -> bool:
    """Whether a sentence without a verb names a datum, and shows how to write it.

    "Amount in pounds, digits only (e.g. 850)." asks; "Digits only, e.g. 850." only complains.
    """
    if not _FORMAT.search(sentence):
        return False
    head = folded(_BEFORE_FORMAT.split(sentence)[0])
    if not head or knowledge().finite & set(head.split()) or len(head.split()) > _DATUM_WORDS:
        return False
    cues = (cue for cues in knowledge().asks.values() for cue in cues)
    return bool(asked_details(head)) or any(f" {folded(cue)} " in f" {head} " for cue in cues)


_FORMAT = re.compile(
    r"\b(?:e\.g\.|for example|digits only|DD|YYYY|z\. ?B\.|por ejemplo|par exemple)", re.I
)
"""How an answer is to be written: "Amount in pounds, digits only (e.g. 850)"."""
_BEFORE_FORMAT = re.compile(r"[,(:;]")


def _names_datum(sentence: str, words: str) -> bool:
    """Whether a sentence without a verb names a datum to be given: "Your street, please."."""
    words = _with_one_word_for_mail(without_lead(words, "sequencers"))
    first = without_lead(folded(sentence.partition(",")[0]), "sequencers")
    if asked_details(first):
        words = first  # "A phone number too please, in case the boat is late."
    parts = words.split()
    if len(parts) > _DATUM_WORDS or any(char.isdigit() for char in sentence):
        return False
    if not starts_with_any(words, "determiners") or knowledge().finite & set(parts[:6]):
        return False
    return words.endswith((" please", " por favor", " bitte")) or bool(asked_details(words))


def _with_one_word_for_mail(words: str) -> str:
    """Folded words with "e mail" as one word, whose "e" is a verb in Italian."""
    return re.sub(r"\be mail\b", "email", words)


def _lists_data(sentence: str, words: str) -> bool:
    """Whether a sentence without a verb asks for data: "Street, number and town, please."."""
    words = _with_one_word_for_mail(words)
    parts = words.split()
    if len(parts) > _DATUM_WORDS or knowledge().finite & set(parts):
        return False
    kinds = asked_details(words)
    return bool(kinds) and any(f" {word} " in f" {words} " for word in asking_words().pleas)


AGREED = re.compile(
    r"\b(?i:type|text|reply|reply with|say|send|write|enter|answer|respond with|must read|"
    r"escriba|responda|schreiben sie|antworten sie|tapez|répondez)[: ]+[\"'\u201c\u2018*]?"
    r"((?:I )?(?:AGREE|OK|OKAY|CONFIRM|ACCEPT|APPROVE|ACEPTO|CONFIRMO))\b"
)
"""A word in capitals that agrees: "Text OK and it is yours.", "... type I AGREE"."""
# "Ok to go ahead?" asks for a yes; "Good to see you" greets.
_OK_TO = re.compile(r"(?:is it |are we |all )?(?:ok|okay|fine|good|ready) to (?!see|hear|meet)\w+")


def finishing_word(sentence: str) -> str | None:
    """Return what is to be typed once nothing more is wanted; None if nothing is.

    "Keep going, or say 'checkout' when you're done." ends with "checkout".
    """
    match = _FINISHING.search(sentence)
    return match[1] if match is not None else None


# "Send 'done' when you have all items".
_FINISHING = re.compile(
    r"\b(?:say|type|reply|reply with|send|write|enter|press|answer) "
    r"[\"'\u201c\u2018*]?([\w ]{2,20}?)"
    r"[\"'\u201d\u2019*]? (?:when|once|if|as soon as) (?:[\w'\u2019]+ ){1,4}?"
    r"(?:done|finished|complete|completed|ready|everything|all|over|through)\b",
    re.IGNORECASE,
)


def _kind_by_cue(words: str) -> QuestionKind | None:
    """The kind of a general question that its phrases show: "Anything else?", "How are you?"."""
    if words in cue_phrases(words, "what_else") or _WHAT_TO_DO.search(words):
        return "more"
    return next((kind for cue, kind in _BY_CUE if has_cue(words, cue)), None)


def _kind_of_question(words: str, rest: str, *, instructs: bool) -> QuestionKind:
    """The kind of a folded question; `rest` is without the polite words in front.

    The order counts: "Would you like to proceed?" is to confirm before it is an offer, and "Can
    you provide the order number?" asks for data before it asks yes or no.
    """
    general = _kind_by_cue(words)
    if general is not None:
        return general
    if words in asking_words().bare_offers:
        return "offer"
    confirms_whole = _confirms_whole(words)
    if starts_with_cue(rest, "wh") or _has_early_question_word(rest) or _asks_what_is_known(rest):
        return "confirm" if confirms_whole else "open"
    polar = _is_polar(rest, instructs=instructs)
    if (polar or instructs) and not confirms_whole and _requests_data(words, rest):
        return "open"
    if _asks_to_confirm(words, rest, polar=polar) or _is_brief_proposal(words):
        return "confirm"
    if polar or rest.startswith("no "):
        return _kind_of_polar(rest)
    return "open"


def _is_polar(rest: str, *, instructs: bool) -> bool:
    """Whether a question wants a yes or no, also an indirect one: "whether you eat meat"."""
    if starts_with_cue(rest, "polar") or (is_embedded(rest) and not _goes_on_to_ask(rest)):
        return True
    words = rest.split()
    if len(words) <= _VERB_AND_SUBJECT:
        return False
    # any verb before its subject: "Nimmst du", "Souhaitez-vous"
    # "Please say a number" proposes nothing
    return words[1] in asking_words().inverted_subjects or (not instructs and _proposes_deed(words))


def _proposes_deed(words: Sequence[str]) -> bool:
    """Whether an English question begins with what is to be done: "Pay now from ...?"."""
    return is_verb(words[0]) and words[1] in asking_words().after_deeds


_VERB_AND_SUBJECT = 2


def _goes_on_to_ask(rest: str) -> bool:
    """Whether a condition comes before the question: "If you met a bear would you run or hide?"."""
    words, lists = rest.split(), asking_words()
    if words[0] in lists.only_indirect:
        return False
    return any(
        verb in lists.auxiliaries and subject in lists.subjects
        for verb, subject in pairwise(words[2:])
    )


def _asks_what_is_known(rest: str) -> bool:
    """Whether a question asks for what the user knows: "Do you remember where you sat?"."""
    if not starts_with_cue(rest, "polar"):
        return False
    knowing = re.search(rf"\b{any_of(knowledge().knowing)} (?=\w)", rest)
    if knowing is None:
        return False
    known = without_preposition(rest[knowing.end() :])
    return starts_with_cue(known, "wh") and len(known.split()) > 1


_WHAT_TO_DO = re.compile(
    r"\bwhat (?:can|may|could|shall) (?:i|we) \w+ (?:for|with) you\b"
    r"|^what (?:can|may|could|shall) (?:i|we) \w+ (?:in|on|to|into|down)\b"
    r"|\bwas (?:kann|darf) ich fur sie\b"
    r"|^(?:¿ ?)?(?:alguna )?otra (?:gestion|consulta|cosa|operacion|pregunta)$"
    r"|^(?:une )?autre (?:demarche|demande|question)$|^noch (?:ein|eine|etwas)(?: \w+)?$"
    r"|^un altra (?:operazione|richiesta|domanda)$"
    r"|^(?:outra|mais alguma) (?:coisa|questao|operacao)$"
    r"|^(?:another|any other|one more) (?:\w+ )?(?:request|question|service|task|matter|query)$"
)
"""How an app asks what the user wants in its trade's words: "What can I bake for you?"."""


def asks_what_to_do(text: str) -> bool:
    """Return whether a question asks for a service: "Hire or return: what can I do for you?"."""
    words = folded(text)
    return _WHAT_TO_DO.search(words) is not None or has_cue(words, "help")


_PROPOSING = (["shall", "i"], ["shall", "we"], ["should", "i"], ["should", "we"])


_PRONOUNS = ("it", "them", "this", "that")


def _is_brief_proposal(words: str) -> bool:
    """Whether a question is a verb and a pronoun: "Issue it?", "Shall I send that?"."""
    parts = words.removeprefix("really ").split()
    if parts[-1:] and parts[-1] in _PRONOUNS and parts[:2] in _PROPOSING and len(parts) <= 4:
        return True
    return len(parts) == 2 and parts[1] in _PRONOUNS and not starts_with_cue(words, "wh")


def _asks_to_confirm(words: str, rest: str, *, polar: bool) -> bool:
    """Whether what was said is to be confirmed: "Just to confirm, ...?", "Is that right?"."""
    return (
        (starts_with_cue(words, "lead") and not polar) or has_cue(rest, "confirm") or _tagged(words)
    )


_KEEPING_IN_MIND = re.compile(r"\b(?:keep|bear) in mind\b")


def _kind_of_polar(rest: str) -> QuestionKind:
    """Whether a yes-or-no question offers something or asks about the user."""
    # "Do you have a day in mind?" asks which; "... anything we should keep in mind?" does not
    prefers = says(_KEEPING_IN_MIND.sub(" ", rest), "preferring")
    if prefers and not has_cue(rest, "or"):
        return "open"
    wanting = has_cue(rest, "wanting") or starts_with_cue(rest, "some")
    return "offer" if wanting else "fact"


def _requests_data(words: str, rest: str) -> bool:
    """Whether a question asks for something to be given, not for a "yes" to what is done next."""
    if starts_with_any(rest, "shall_we"):
        return False  # "Shall we write something on it?" does not ask the user to write
    expects_yes = any(f" {cue} " in f" {words} " for cue in ("yes", "si o no", "y n"))
    return has_cue(words, "request") and not has_cue(rest, "serving") and not expects_yes


def _confirms_whole(words: str) -> bool:
    """Whether an order or the like is to be confirmed as a whole: ``confirm your booking``."""
    return any(
        f"{verb} {whole}" in words or f"{whole} {verb}" in words
        for verb in word_lists().confirming_verbs
        for whole in cue_phrases(words, "whole")
    )


def asks_for_yes(words: str) -> bool:
    """Whether an instruction says that "yes" confirms: ``type YES to confirm or NO to cancel``."""
    return bool(_say_yes().search(words))


@lru_cache(maxsize=1)
def _say_yes() -> re.Pattern[str]:
    lists = word_lists()
    return re.compile(rf"\b{any_of(lists.reply_verbs)} (?:with )?{any_of(lists.yes_words)}\b")


def _has_early_question_word(rest: str) -> bool:
    """Whether a question word stands among the first words: "for what time", "and in which"."""
    question_words = cue_phrases(rest, "wh")
    return any(word in question_words for word in rest.split()[:4]) and "what else" not in rest


def _tagged(words: str) -> bool:
    """Whether a sentence ends with a tag, or is one: "A small pizza, right?", "Correct?"."""
    tags = cue_phrases(words, "tag")
    count = len(words.split())
    if count <= 2:
        return count > 0 and words in tags
    return any(words.endswith(f" {tag}") for tag in tags)


@lru_cache(maxsize=1)
def _assents() -> tuple[str, ...]:
    return tuple(map(folded, asking_words().assents))


def without_courtesy(words: str) -> str:
    """A folded sentence without the polite words in front: "Great! And what is ...?"."""
    rest = words
    for _ in range(6):
        leads = (*cue_phrases(words, "courtesy"), *cue_phrases(words, "lead"), *_assents())
        cue = next((lead for lead in leads if f"{rest} ".startswith(f"{lead} ")), None)
        if cue is None:
            return rest
        rest = rest[len(cue) :].strip()
    return rest


# --- The word or number that an app wants to be typed for yes and no


@lru_cache(maxsize=1)
def _compile_typed_word() -> re.Pattern[str]:
    """The word to type in "Type 'confirm' to book"."""
    verbs, purposes = any_of(word_lists().reply_verbs), any_of(knowledge().typed_for)
    return re.compile(
        rf"\b{verbs}(?: with)? [\"'\u201c\u2018*]?(\w+)[\"'\u201d\u2019*]?"
        rf" (?:to|for|if|para|um|pour|per|se) {purposes}",
        re.IGNORECASE,
    )


@lru_cache(maxsize=1)
def _compile_quoted_word() -> re.Pattern[str]:
    """The words in quotation marks of 'Say "book it" and I will save you the chair'."""
    verbs = any_of(word_lists().reply_verbs)
    return re.compile(
        rf"\b{verbs}(?: with)? [\"\u201c\u201e«*](\w[\w ]{{0,19}})[\"\u201d\u201c»*]"
        r" (?:and|und|y|et|e) ",
        re.IGNORECASE,
    )


# "(1) Yes or (2) No" is answered by the number.
_NUMBERED_YES = re.compile(
    r"[\[(]?\b(\d)\b[\])]?\s?[.:=-]?\s?(?:for |para |pour )?(?:yes|ja|oui|s[ií]|sim)\b",
    re.IGNORECASE,
)


_NUMBERED_NO = re.compile(
    r"[\[(]?\b(\d)\b[\])]?\s?[.:=-]?\s?(?:for |para |pour )?(?:no|nein|non|n[aã]o)\b", re.IGNORECASE
)


def typed_yes(text: str) -> str | None:
    """The word or number that a text wants for a yes: "Type 'confirm' to book", "(1) Yes"."""
    agreed = AGREED.search(text) or _LETTERS.search(text)
    if agreed is not None:
        return agreed[1].strip()
    typed = _compile_typed_word().search(text)
    # "say 'skip' to go on" wants that word for leaving out, not for a yes
    if typed is not None and folded(typed[1]) not in map(folded, knowledge().skips):
        return typed[1]
    quoted = _compile_quoted_word().search(text)
    leaving = (*knowledge().skips, *knowledge().dropping, *knowledge().main_menu)
    if quoted is not None and folded(quoted[1]) not in map(folded, leaving):
        return quoted[1]
    sends = sending_word(text)
    if sends is not None:
        return sends
    numbered = _NUMBERED_YES.search(text)
    return numbered[1] if numbered is not None and _NUMBERED_NO.search(text) else None


def typed_no(text: str) -> str | None:
    """The letter or number that a text wants for a no: "(1) Yes or (2) No"."""
    letters = _LETTERS.search(text)
    if letters is not None:
        return letters[2]
    numbered = _NUMBERED_NO.search(text)
    return numbered[1] if numbered is not None and _NUMBERED_YES.search(text) else None


_LETTERS = re.compile(
    r"\b(?i:reply|type|enter|answer|press|send)(?i: with)? [\"']?([YJS])[\"']? ?"
    r"(?:/|or|oder|o|ou) ?[\"']?(N)\b"
)
"""Yes and no by a letter: "Reply Y or N"."""
