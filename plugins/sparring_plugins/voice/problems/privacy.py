"""What private things an app asks its user for.

What is asked for, whether the sentence is a request to the user, and whether the app has declared
the permission for it, are three questions. Words count as wholes, and paraphrases count too; what
is said about others, or told rather than asked, does not.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from sparring_plugins.voice.problems.session_view import plain_words
from sparring_plugins.voice.problems.words import words

_PATTERNS = {
    entity: tuple(re.compile(rf"\b(?:{pattern})\b") for pattern in patterns)
    for entity, patterns in words().private.items()
}
_EMAIL = "e-mail address"
#: Words that ask for no other address.
_EMAILS = re.compile(r"\be ?mail address\b")
#: A request to the user that is no question: an instruction.
_REQUEST = re.compile(rf"\b(?:{'|'.join(words().requests)})\b")
_ASKS = re.compile(
    r"^(?:(?:so|and|now|first|next|then|ok|okay|great|hi|hello|alright|well|thanks|please|also) )*"
    r"(?:what|whats|when|where|who|how|which|may|can|could|are|is|whose)\b"
)
#: What is told, not asked, or asked about others.
_TOLD = re.compile(rf"\b(?:{'|'.join(words().told)})\b")
_SENTENCE = re.compile(r"(?<=[.!?…])[\"')\]]*\s+|\n+")

#: Alexa's permissions, and what they allow an app to know.
PERMISSIONS = {
    "alexa::profile:name:read": ("name",),
    "alexa::profile:given_name:read": ("name",),
    "alexa::profile:email:read": ("e-mail address",),
    "alexa::profile:mobile_number:read": ("phone number",),
    "alexa::devices:all:address:full:read": ("address", "postal code"),
    "read::alexa:device:all:address": ("address", "postal code"),
    "alexa::devices:all:address:country_and_postal_code:read": ("postal code",),
    "read::alexa:device:all:address:country_and_postal_code": ("postal code",),
    "alexa::devices:all:geolocation:read": ("address",),
    "alexa::person_id:read": ("name",),
    "alexa:devices:all:payments": ("payment card",),
    "payments:autopay_consent": ("payment card",),
}


@dataclass(frozen=True)
class Asked:
    """Something private that a sentence asks for."""

    entity: str
    sentence: str


def asks_for(output: str) -> list[Asked]:
    """What private things an output asks its user for, each once, in order."""
    found: dict[str, Asked] = {}
    for sentence in _SENTENCE.split(output[:20_000]):
        said = plain_words(sentence)
        if not said or not _is_request(sentence, said):
            continue
        for entity, patterns in _PATTERNS.items():
            words_left = said if entity == _EMAIL else _EMAILS.sub(" ", said)
            if any(pattern.search(words_left) for pattern in patterns):
                found.setdefault(entity, Asked(entity, sentence.strip()[:300]))
    return list(found.values())


def _is_request(sentence: str, said: str) -> bool:
    question = sentence.rstrip(" \"')").endswith("?") or bool(_ASKS.match(said))
    if _TOLD.search(said) and not _ASKS.match(said):
        return False
    return question or bool(_REQUEST.search(said))


def allowed(permissions: Iterable[str]) -> frozenset[str]:
    """What an app with these permissions may know without asking for it."""
    return frozenset(entity for one in permissions for entity in PERMISSIONS.get(one, ()))
