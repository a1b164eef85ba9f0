"""Who is meant by "you": goals are written to the user, and what it says goes to the app."""

import re
from collections.abc import Mapping, Sequence

_OBJECT = re.compile(
    r"\b(to|for|with|from|about|of|at|by|on|without|like|than|help|helps|tell|tells|told|give|gives"
    r"|gave|call|calls|called|contact|charge|charges|charged|show|shows|send|sends|sent|lets?|makes?"
    r"|understands?|hears?|loves?|hates?|ignores?|bothers?) you\b|\byou(?=\s*(?:[.,;!?]|$))",
    re.IGNORECASE,
)
_USER_DOES = re.compile(
    r"\byou(?= (?:should|must|have to|need|ought|(?:(?:can|could|may|might|will|would|are able to"
    r"|are allowed to|also|still) )*(?:pay|bring|get|cancel|order|book|use|see|take|come|buy|return"
    r"|exchange|change|reserve|choose|park|enter|visit|eat|sit|speak|talk|wait|apply|check|access"
    r"|log|reschedule|move|rent|borrow|renew|register|receive|collect|pick|reach|contact|find|want"
    r"|expect|owe|qualify|leave|stay|travel|upgrade|subscribe|unsubscribe|track|start)\b))",
    re.IGNORECASE,
)
_POSSESSIVE = re.compile(r"\byour\b", re.IGNORECASE)
_FAMILIAR = re.compile(r"\b(?:tu|t'|du)\b", re.IGNORECASE)
_APP = r"the (?:(?:chat|voice|virtual)[ -]?)?(?:bot|assistant|agent)"
_OWN = re.compile(rf"\b{_APP}['\u2019]s\b", re.IGNORECASE)
_ASKED = re.compile(rf"\b(is|was|has|does|isn't|doesn't|hasn't) {_APP}\b", re.IGNORECASE)
_AFTER = re.compile(rf"\b(to|with|from|about|of|for|at|by|on) {_APP}\b", re.IGNORECASE)
_SUBJECT = re.compile(rf"\b{_APP}(?: (\w+))?\b", re.IGNORECASE)
_PLURAL = {"is": "are", "was": "were", "has": "have", "does": "do", "isn't": "aren't",
           "doesn't": "don't", "hasn't": "haven't"}  # fmt: skip
_BASE = (("ies", "y"), ("sses", "ss"), ("ches", "ch"), ("shes", "sh"), ("xes", "x"), ("goes", "go"))


def first_person(text: str, persons: Mapping[str, str], *, english: bool) -> str:
    """What the user is to say of itself, as it says it: ``you are sad`` is ``I am sad``."""
    padded = f" {text} "
    if " thank you " in padded.lower():  # that "you" is the app
        return text
    if english:
        padded = f" {_OBJECT.sub(_me, text)} "
    for other, own in persons.items():
        padded = padded.replace(f" {other} ", f" {own} ")
    return padded.strip()


def asked_by_user(text: str, persons: Mapping[str, str], *, english: bool) -> str:
    """A question that a goal tells to ask, in the user's own person where the user is meant.

    ``whether you can pay by card`` is asked of the user, ``what time you close`` of the app.
    """
    if not english:
        return first_person(text, persons, english=False) if _FAMILIAR.search(text) else text
    said = _OBJECT.sub(_me, text) if " thank you" not in text.lower() else text
    if _USER_DOES.search(said):
        said = _POSSESSIVE.sub("my", _USER_DOES.sub("I", said))
    return said


def may_i(text: str, modals: Mapping[str, str], acts: Sequence[str]) -> str:
    """What the user may do, in its own person: ``puedes pagar`` becomes ``puedo pagar``."""
    done = "|".join(re.escape(act) for act in acts)
    for modal, own in modals.items() if acts else ():
        text = re.sub(rf"\b{re.escape(modal)}(?= (?:{done})\b)", own, text)
    return text


def same_owner(asked: str, told: str) -> str:
    """What is asked after something was told, with the same owner for the same thing."""
    for thing in re.findall(r"\byour (\w+)", told):
        asked = re.sub(rf"\byour (?={re.escape(thing)}\b)", "my ", asked)
    return asked


def _me(found: re.Match[str]) -> str:
    return f"{found[1]} me" if found[1] else "me"


def to_the_app(text: str) -> str:
    """English words on the app, as one says them to it: ``what the bot likes``, what you like."""
    said = _OWN.sub("your", text)
    said = _ASKED.sub(lambda found: f"{_PLURAL[found[1].lower()]} you", said)
    said = _AFTER.sub(r"\1 you", said)
    return _SUBJECT.sub(_you, said)


def _you(found: re.Match[str]) -> str:
    verb = found[1]
    return f"you {_PLURAL.get(verb.lower(), _base(verb))}" if verb else "you"


def _base(verb: str) -> str:
    """A verb without the ending of its third person."""
    for ending, base in _BASE:
        if verb.endswith(ending):
            return f"{verb[: -len(ending)]}{base}"
    return verb[:-1] if verb.endswith("s") and not verb.endswith(("ss", "us", "is")) else verb
