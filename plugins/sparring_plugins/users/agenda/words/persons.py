"""Whom words mean: the user, the app or somebody else; "your" as "my", "the bot" as "you"."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from sparring_plugins.users.agenda.words.phrase_book import (
    any_of,
    word_lists,
)

_POSSESSIVE = re.compile(r"\byour\b", re.IGNORECASE)
_FAMILIAR = re.compile(r"\b(?:tu|t'|du)\b", re.IGNORECASE)
"""A goal that speaks to the user as to a friend: "du bleibst 5 Stunden"."""
_APP = r"the (?:(?:chat|voice|virtual)[ -]?)?(?:bot|assistant|agent)"
_APP_OWNS = re.compile(rf"\b{_APP}['\u2019]s\b", re.IGNORECASE)
""""ask about the assistant's hobbies" asks for "your hobbies"."""
# "ask whether the chatbot is able to help" becomes "are you able to help".
_APP_ASKED = re.compile(rf"\b(is|was|has|does|isn't|doesn't|hasn't) {_APP}\b", re.IGNORECASE)
_APP_AFTER = re.compile(rf"\b(to|with|from|about|of|for|at|by|on) {_APP}\b", re.IGNORECASE)
_APP_DOES = re.compile(rf"\b{_APP}(?: (\w+))?\b", re.IGNORECASE)
_PLURAL = {
    "is": "are",
    "was": "were",
    "has": "have",
    "does": "do",
    "isn't": "aren't",
    "doesn't": "don't",
    "hasn't": "haven't",
}
_BASE_ENDINGS = {"ies": "y", "sses": "ss", "ches": "ch", "shes": "sh", "xes": "x", "goes": "go"}


@lru_cache(maxsize=1)
def _you_as_object() -> re.Pattern[str]:
    """The "you" that is "me": after a preposition or a verb, or at the end of a clause."""
    leads = any_of(word_lists().object_leads)
    return re.compile(rf"\b({leads}) you\b|\byou(?=\s*(?:[.,;!?]|$))", re.IGNORECASE)


@lru_cache(maxsize=1)
def _you_as_subject() -> re.Pattern[str]:
    """The "you" of a question that is "I": before what users do, such as to pay by card."""
    lists = word_lists()
    holds = rf"have(?: \w+)? {any_of(lists.of_account)}"
    does = rf"(?:{any_of(lists.permissions)} )*{any_of(lists.user_actions)}\b"
    may = (
        rf"(?:can|could|may|might) (?!{any_of(lists.permissions)} |{any_of(lists.app_actions)}\b)\w"
    )
    return re.compile(
        rf"\byou(?= (?:{any_of(lists.obligations)}|{does}|{may}|{holds}))", re.IGNORECASE
    )


def first_person(text: str, persons: Mapping[str, str], *, english: bool) -> str:
    """What the user is to say of itself, as it says it: ``you are sad`` is ``I am sad``."""
    padded = f" {text} "
    if any(f" {phrase} " in padded.lower() for phrase in word_lists().said_to_app):
        return text  # that "you" is the app
    if english:
        padded = f" {_you_as_object().sub(_me, text)} "
    for other, own in persons.items():
        padded = padded.replace(f" {other} ", f" {own} ")
    return padded.strip()


def asked_by_user(text: str, persons: Mapping[str, str], *, english: bool) -> str:
    """A question that a goal tells to ask, in the user's own person if the user is meant.

    ``whether you can pay by card`` is asked of the user, ``what time you close`` of the app.
    """
    if not english:
        return first_person(text, persons, english=False) if _FAMILIAR.search(text) else text
    words = _you_as_object().sub(_me, text) if " thank you" not in text.lower() else text
    if _you_as_subject().search(words):
        words = _POSSESSIVE.sub("my", _you_as_subject().sub("I", words))
    return words


def may_i(text: str, modals: Mapping[str, str], acts: Sequence[str]) -> str:
    """What the user may do, in its own person: ``puedes pagar`` becomes ``puedo pagar``."""
    actions = "|".join(re.escape(act) for act in acts)
    for modal, own in modals.items() if acts else ():
        text = re.sub(rf"\b{re.escape(modal)}(?= (?:{actions})\b)", own, text)
    return text


def same_owner(question: str, statement: str) -> str:
    """What is asked after a statement, with the same owner for the same thing."""
    for thing in re.findall(r"\byour (\w+)", statement):
        question = re.sub(rf"\byour (?={re.escape(thing)}\b)", "my ", question)
    return question


def _me(match: re.Match[str]) -> str:
    return f"{match[1]} me" if match[1] else "me"


def to_the_app(text: str) -> str:
    """English words on the app, as one says them to it: ``what the bot likes``, what you like."""
    words = _APP_OWNS.sub("your", text)
    words = _APP_ASKED.sub(lambda match: f"{_PLURAL[match[1].lower()]} you", words)
    words = _APP_AFTER.sub(r"\1 you", words)
    return _APP_DOES.sub(_you, words)


def _you(match: re.Match[str]) -> str:
    verb = match[1]
    return f"you {_PLURAL.get(verb.lower(), _base_form(verb))}" if verb else "you"


def _base_form(verb: str) -> str:
    """A verb without the ending of its third person."""
    for ending, base in _BASE_ENDINGS.items():
        if verb.endswith(ending):
            return f"{verb[: -len(ending)]}{base}"
    return verb[:-1] if verb.endswith("s") and not verb.endswith(("ss", "us", "is")) else verb
