"""How a chatbot talks, by word lists: `insults`, `slang` and `shouting`.

Word lists see little, and only whole words; what is meant kindly or quoted counts, too.
"""

import re

from sparring.interfaces.rule_function import rule_function
from sparring_plugins.rules.functions.lengths import texts_cost, texts_of

_MOST = 20

_LISTED = (
    "idiot idiots stupid moron morons dumb dumbass imbecile loser jerk bastard "
    "bitch asshole shit bullshit crap fuck fucking fucked wtf stfu idiota idiotas "
    "imbécil imbéciles estúpido estúpida tonto tonta gilipollas cabrón mierda joder "
    "imbécile connard connasse débile merde putain dummkopf blödmann arschloch "
    "scheiße scheisse depp vollidiot stronzo cretino coglione cazzo merda "
    "idioti estupido porra caralho "
)
INSULTS = frozenset(_LISTED.split())
"""Words that insult or swear, in English, Spanish, French, German, Italian and Portuguese."""

_PHRASES = re.compile(
    r"\b(?:shut up|screw you|get lost|what the hell|you people|go to hell|cállate|ta gueule"
    r"|halt die klappe|stai zitto|cala a boca)\b",
    re.IGNORECASE,
)
_SLANG = re.compile(
    r"""\b(?:gonna|wanna|gotta|kinda|sorta|ain['\u2019]t|y['\u2019]all|yeah|yep|yup|nope|nah|dude|bro|bruh
    |lol|lmao|rofl|omg|btw|imho|tbh|idk|thx|plz|pls|u|ur|r|gimme|lemme|dunno|sup|yo|hey
    |whatcha|gotcha|cuz|coz|tío|tía|guay|mola|xfa|tqm|mdr|ptdr|jajaja+|hahaha+)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_WORD = re.compile(r"[^\W\d_]+", re.UNICODE)
_SHOUT = re.compile(r"(?:\b[^\W\d_a-z]{2,}\b[\s,;:'\u2019-]*){3,}[!.]*", re.UNICODE)


@rule_function(cost=texts_cost)
def insults(texts: str | list[str]) -> list[str]:
    """The insults and swear words in a text or several, in six languages of Western Europe."""
    every = texts_of(texts)
    words = (word for text in every for word in _WORD.findall(text.casefold()) if word in _KNOWN)
    phrases = (match[0].casefold() for text in every for match in _PHRASES.finditer(text))
    return list(dict.fromkeys([*words, *phrases]))[:_MOST]


@rule_function(cost=texts_cost)
def slang(texts: str | list[str]) -> list[str]:
    """The colloquial words and chat abbreviations in a text or several; mostly English."""
    hits = (match[0].casefold() for text in texts_of(texts) for match in _SLANG.finditer(text))
    return list(dict.fromkeys(hits))[:_MOST]


@rule_function(cost=texts_cost)
def shouting(texts: str | list[str]) -> list[str]:
    """What is written in capitals, from three words in a row on, and rows of exclamation marks."""
    found: list[str] = []
    for text in texts_of(texts):
        found += [match[0].strip() for match in _SHOUT.finditer(text) if _is_loud(match[0])]
        found += re.findall(r"!{3,}", text)
    return list(dict.fromkeys(found))[:_MOST]


def _is_loud(text: str) -> bool:
    words = _WORD.findall(text)
    return len(words) >= 3 and text.upper() == text and text.lower() != text


_KNOWN = frozenset(word.casefold() for word in INSULTS)
