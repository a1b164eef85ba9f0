"""Answers to several questions at once: each says what it answers.

"3. No." answers "How many helmets? And do you want the insurance?" for nobody but a person; "3
helmets. No, I don't want the insurance." does for anybody.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from sparring_plugins.language.candidates import date_spans, find_times
from sparring_plugins.language.number_words import spelled_numbers
from sparring_plugins.language.text import folded
from sparring_plugins.language.vocabulary import cue_phrases
from sparring_plugins.users.agenda.profile.asked_kinds import asked_kinds
from sparring_plugins.users.agenda.profile.facts import names_per_head
from sparring_plugins.users.agenda.profile.roles import roles_in
from sparring_plugins.users.agenda.profile.stances import own_question
from sparring_plugins.users.agenda.replies.app_reply import AppQuestion, AppReply, is_no, is_yes
from sparring_plugins.users.agenda.replies.asked_clauses import (
    asking_words,
    asks_for_case,
    without_joint,
    without_preposition,
)
from sparring_plugins.users.agenda.state.dialogue_state import Answer, DialogueState
from sparring_plugins.users.agenda.state.known_values import KnownValue
from sparring_plugins.users.agenda.words.knowledge import knowledge, says
from sparring_plugins.users.agenda.words.phrase_book import any_of

_MOST_WORDS = 2
"""Words of an answer that is bare: "3", "No", "Yes, please"."""

_WORD = r"[^\W\d_][\w'-]*"


_DAY_AND_TIME = re.compile(
    r"\b(?:day|date|tag|datum|dia|fecha|jour|date|giorno|data) (?:and|und|y|et|e) "
    r"(?:the |die |la |le |l |a )?(?:time|hour|uhrzeit|hora|heure|ora)\b"
)
_ENDS_OF_SPAN = re.compile(
    r"\b(?:from|von|vom|ab|desde|del|du|de|dal|da) (?P<begin>.{6,60}?),? "
    r"(?:to|until|till|bis|hasta|al|au|jusqu'au|fino al?|até) (?P<end>.{6,60})$",
    re.IGNORECASE,
)


def whole_moment(state: DialogueState, question: AppQuestion, reply: AppReply) -> Answer | None:
    """Return the day and the time of one end of a span, if an app asks for both at once, or None.

    "Give me date and hour of the handing back." for "from Monday 3 June, 9 am, to Thursday
    6 June, 20:00".
    """
    if not _DAY_AND_TIME.search(folded(reply.text)):
        return None
    ends = roles_in(question.text) & {"begin", "end"}
    for goal in state.goals:
        match = _ENDS_OF_SPAN.search(goal.words)
        text = match[next(iter(ends))].strip(" ,.") if match is not None and len(ends) == 1 else ""
        if text and date_spans(text) and find_times(text) and not state.memory.said(text):
            return Answer(text, "gives what is asked for", exact=True)
    return None


def self_describing(
    state: DialogueState, pairs: Sequence[tuple[AppQuestion, Answer]], reply: AppReply
) -> list[Answer]:
    """Return answers that say what each of them answers, if there are several.

    Args:
        state: the conversation.
        pairs: the questions of a reply, each with the answer to it.
        reply: the reply.
    """
    answers = [answer for _, answer in pairs]
    # one answer to one question needs no subject, and a button says it itself
    if len(pairs) < 2 or any(answer.press is not None for answer in answers):
        return answers
    return [_with_subject(state, question, answer, reply) for question, answer in pairs]


def _with_subject(
    state: DialogueState, question: AppQuestion, answer: Answer, reply: AppReply
) -> Answer:
    text = answer.text.rstrip(" .!")
    if _is_number(text):
        return replace(answer, text=_counted(state, question.text, text, reply))
    # "No, thank you" is bare; "No, but my sister does" says what it is about
    bare = len(text.split()) <= _MOST_WORDS + 1
    if bare and (is_yes(text) or is_no(text)) and not question.options:
        said = _in_full(state, question.text, yes=is_yes(text))
        return replace(answer, text=said) if said else answer
    return answer


def _is_number(text: str) -> bool:
    return text.isdigit() or (len(text.split()) == 1 and bool(spelled_numbers(text)))


def _counted(state: DialogueState, question: str, number: str, reply: AppReply) -> str:
    """A number with what it counts: "3 helmets", "58 years old"; alone if that is not known."""
    years = asking_words().years.get(state.style.language.title())
    # "How old are you?" counts years, though it names none
    if years and any(f" {cue} " in f" {folded(question)} " for cue in asking_words().how_old):
        return years.replace("{x}", number)
    thing = counted_thing(question, reply.text)
    return f"{number} {thing}" if thing else number


def counted_thing(question: str, text: str) -> str:
    """Return what a question wants to be counted: helmets of "How many helmets do you need?".

    Of "Helmets are free. How many should we set aside?" it is what stands right before; empty if
    nothing does.
    """
    match = _how_many().search(question)
    if match is None:
        return ""
    thing = _leading_thing(question[match.end() :])
    if thing:
        return thing
    before = text[: max(0, text.find(question))]
    sentence = re.split(r"(?<=[.!?])\s+", before.strip())[-1] if before.strip() else ""
    # "Great! How many will you be?" counts nothing that is great
    return "" if sentence.endswith("!") else _leading_thing(sentence).lower()


def with_counted_thing(question: str, text: str) -> str:
    """Return a question for a count with what it counts, if only what stands before it says so."""
    match, thing = _how_many().search(question), counted_thing(question, text)
    if match is None or not thing or thing in question:
        return question
    return f"{question[: match.end()]}{thing} {question[match.end() :]}"


def _leading_thing(text: str) -> str:
    """The words that a text begins with before its verb; empty for none, or too many."""
    lists = asking_words()
    ends = lists.auxiliaries | lists.subjects | lists.inflected | lists.thing_ends
    words: list[str] = []
    for word in re.findall(_WORD, re.split(r"[?(]", text)[0])[: _MOST_WORDS + 2]:
        if folded(word) in ends or (words and words[-1][0].isupper() and word[0].islower()):
            break  # "Personen kommen" of a German question: nouns alone begin with a capital
        words.append(word)
    return " ".join(words) if len(words) <= _MOST_WORDS else ""


@lru_cache(maxsize=1)
def _how_many() -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){any_of(asking_words().how_many)}\s+", re.IGNORECASE)


# --- Yes and no in full


def _in_full(state: DialogueState, question: str, *, yes: bool) -> str:
    """Yes or no with what it is about; empty if the question's form is unclear."""
    # "Before we go on, do you smoke?" asks what stands last
    clause = re.split(r"[,:;]\s", own_question(question).strip(" ?!.¿"))[-1].strip()
    word = state.phrases.yes[0] if yes else state.phrases.no[0]
    if state.phrases.verbs:
        own = _declared(clause, yes=yes)
        return f"{word}, {own}" if own else ""
    words = folded(clause)
    cue = max(cue_phrases(words, "wanting"), key=lambda c: len(c) * words.startswith(f"{c} "))
    rest = " ".join(clause.split()[len(cue.split()) :])
    return f"{rest}: {word.lower()}" if rest and words.startswith(f"{cue} ") else ""


def _declared(clause: str, *, yes: bool) -> str:
    """An English question as the user's own statement: "I would like a bag", "it is not new"."""
    lists = asking_words()
    words = without_joint(without_preposition(clause)).split()
    if words and folded(words[0]) in lists.whether:
        words = words[1:]
        if len(words) > 1 and folded(words[1]) in lists.auxiliaries:
            words[:2] = [words[1], words[0]]
        elif words:
            words = ["do", *words]
    if len(words) <= _MOST_WORDS or folded(words[0]) not in lists.auxiliaries:
        return ""
    verb, subject, rest = folded(words[0]), folded(words[1]), " ".join(words[2:])
    if subject in lists.app_persons:
        return f"please {rest}" if yes else f"please don't {rest}"
    if subject not in lists.plain_subjects:
        return ""
    rest = re.sub(r"\byou\b", "me", re.sub(r"\byour\b", "my", rest))
    # "I would not like a bag" is stiff; people say that they don't want one
    if not yes and rest.startswith("like "):
        return f"I don't want {rest.removeprefix('like ')}"
    return _put_together(verb, subject, rest, yes=yes)


def _put_together(verb: str, subject: str, rest: str, *, yes: bool) -> str:
    own = "I" if subject == "you" else subject
    # "Are you a member?" becomes "I am a member"
    verb = {"are": "am", "were": "was"}.get(verb, verb) if own == "I" else verb
    if yes:
        return f"{own} {rest}" if verb in ("do", "did") else f"{own} {verb} {rest}"
    article = re.match(r"an? ", rest)
    if own == "there" and article is not None:
        return f"there {verb} no {rest[article.end() :]}"  # nobody says "there is not a lift"
    return f"{own} {verb} not {rest}"


def without_idle_cases(
    pairs: list[tuple[AppQuestion, Answer]],
) -> list[tuple[AppQuestion, Answer]]:
    """Return the questions without those for a case that does not apply: "If you diet, say so"."""
    telling = [
        (question, answer)
        for question, answer in pairs
        if not (asks_for_case(question.text) and answer.reason == "skips what is optional")
    ]
    return telling or pairs


def without_unmet_cases(
    pairs: list[tuple[AppQuestion, Answer]],
) -> list[tuple[AppQuestion, Answer]]:
    """Return the questions without those that only go on from a yes to what got a no.

    "Would you like to be told? Then give us your e-mail address." is answered by the no alone.
    """
    denied = [
        question.kind in ("offer", "fact") and is_no(answer.label) for question, answer in pairs
    ]
    leads = tuple(map(folded, asking_words().in_that_case))
    return [
        pair
        for at, pair in enumerate(pairs)
        if not (
            at and denied[at - 1] and f"{pair[0].words} ".startswith(tuple(f"{w} " for w in leads))
        )
    ]


def ages_of_all(state: DialogueState, question: str) -> str | None:
    """Return the ages of everybody that a question asks for: "How old are they?"; else None."""
    words = folded(question)
    if "age" not in asked_kinds(words) or not (says(words, "everybody") or says(words, "of_all")):
        return None
    ages = [value for value in state.values if "age" in value.kinds]
    # "aged 9 and 11" belongs together, the age of the dog in another clause does not
    alike = [value.text for value in ages if value.names == ages[0].names]
    return ", ".join(alike) if len(alike) > 1 else None


def count_per_head(state: DialogueState, question: str, kinds: frozenset[str]) -> str | None:
    """How many people there are, if each has one of what is counted; None for other things."""
    if not kinds & {"people", "how_many", "number"} or is_code(kinds):
        return None
    things = set(folded(counted_thing(question, question)).split()) or {"you"}
    acting = any(thing.endswith("ing") for thing in things)  # "How many getting in?"
    if not acting and not things & knowledge().per_head:
        return None
    counts = [v.text for v in state.values if "number" in v.kinds and _counts_heads(v)]
    return counts[0] if len(set(counts)) == 1 else None


def _counts_heads(value: KnownValue) -> bool:
    words = {word for name in (*value.names, *value.near) for word in name.split()}
    return "people" in words or not words.isdisjoint(names_per_head())


def is_code(kinds: frozenset[str]) -> bool:
    """Return whether kinds of data that are asked for include a code, which nobody counts."""
    return bool(kinds & {"code", "id", "digits"})
