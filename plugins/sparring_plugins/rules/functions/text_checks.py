"""Checks of the chatbot's texts by patterns and word lists.

Placeholders and error messages, insults and slang, and personal data.
"""

import re
from collections.abc import Callable, Iterator, Sequence, Set
from functools import cache
from itertools import chain
from typing import Literal, cast

import phonenumbers
from pydantic import BaseModel, ConfigDict

from sparring.interfaces.rule_function import Explained, rule_function
from sparring.model.talk import Listen, Trace, act_text
from sparring_plugins.language.yaml_files import bundled_yaml
from sparring_plugins.rules.functions.plain_values import short, texts_cost, texts_of

_MOST = 20
_LONGEST_PART = 80

_PLACEHOLDERS = re.compile(
    r"""
    \{\{[^{}\n]{0,60}\}\}?                  # {{name}}
    | \{%[^%\n]{0,60}%\}                    # {% if %}
    | \$\{[^{}\n]{0,60}\}                   # ${name}
    | <%=?[^%\n]{0,60}%>                    # <%= name %>
    | %\([A-Za-z_]\w{0,40}\)[sdf]           # %(name)s
    | (?<![\w{])\{[A-Za-z_][\w.]{0,40}\}(?![\w}])   # {name}
    | \[(?:NAME|USER|DATE|TIME|PRICE|INSERT[^\]\n]{0,40}|TODO|TBD|PLACEHOLDER)\]
    | \[object\ Object\]
    | (?<![\w'\u2019-])(?:undefined|NaN|nullptr)(?![\w'\u2019-])
    | (?<![\w'\u2019.-])(?:null|None)(?=[\s]*(?:[.,;:!?)€$£]|$)) # a value at the end of a phrase
    | \blorem\ ipsum\b
    """,
    re.VERBOSE,
)
# "costs null euros" forgot a value in mid-sentence; "is None or two" and "None of them" did not.
_AFTER_WORDS = re.compile(
    r"\b(?:is|are|costs?|at|for|of|es|son|cuesta|est|kostet|ist)\s+(null|None)\b(?!\s+(?:and|or)\b)"
)
_DEBRIS = re.compile(
    r"""
    </?(?:p|br|div|span|b|i|u|em|strong|ul|ol|li|a|table|tr|td|h[1-6]|img|script|style|speak)
      (?:\s[^<>\n]{0,200})?/?>              # HTML or SSML tags
    | &(?:amp|lt|gt|quot|apos|nbsp|\#\d{1,6}|\#x[0-9a-fA-F]{1,6});
    | \\[nrt"'](?![A-Za-z]:)                # an escape that was not read
    | \\u[0-9a-fA-F]{4}
    | \x1b\[[0-9;]{0,20}[A-Za-z]            # terminal colours
    | \ufffd                                # a character that could not be decoded
    | Ã[©¨¡³±¼¶¤§ª«­°²\u00b4µ·¹»½¾¿]|â€[™œ“”]     # UTF-8 read as Latin
    """,
    re.VERBOSE,
)
_ERRORS = re.compile(
    r"""
    Traceback\ \(most\ recent\ call\ last\)
    | ^[^\S\n]*File\ "[^"\n]{1,200}",\ line\ \d+
    | ^[^\S\n]*at\ [\w$.<>]{1,200}\([\w$. ]{1,100}:\d{1,6}(?::\d{1,6})?\)
    | \b[A-Za-z]\w{0,60}(?:Error|Exception)(?::|\b(?=\s+at\b))
    | \bFatal\ error:\ | \bsegmentation\ fault\b | \bcore\ dumped\b
    | \bSQLSTATE\b | \bORA-\d{5}\b | \bsyntax\ error\ at\ or\ near\b
    | \b(?:500\ Internal\ Server\ Error|502\ Bad\ Gateway|503\ Service\ Unavailable)\b
    """,
    re.VERBOSE | re.MULTILINE,
)


def _hits(pattern: re.Pattern[str], texts: object) -> list[str]:
    """The matches of a pattern in a text or several, each once, clipped."""
    matches = (match for text in texts_of(texts) for match in pattern.finditer(text))
    return list(dict.fromkeys(match[0].strip()[:_LONGEST_PART] for match in matches))[:_MOST]


@rule_function(cost=texts_cost)
def leftovers(texts: str | list[str]) -> list[str]:
    """Places that a program forgot to fill: ``{{name}}``, ``${price}``, ``undefined``, ``null``...

    ``null`` and ``None`` count only in the place of a value, at the end of a phrase or after a word
    like *is*: *none* in a sentence is a word.
    """
    values = (match[1] for text in texts_of(texts) for match in _AFTER_WORDS.finditer(text))
    return list(dict.fromkeys([*_hits(_PLACEHOLDERS, texts), *values]))[:_MOST]


@rule_function(cost=texts_cost)
def debris(texts: str | list[str]) -> list[str]:
    r"""Markup and escapes that people should not see: ``<br>``, ``&amp;``, ``\n``, ``â€™`` ..."""
    return _hits(_DEBRIS, texts)


@rule_function(cost=texts_cost)
def error_traces(texts: str | list[str]) -> list[str]:
    """Signs of a program that failed: stack traces, names of exceptions, database errors."""
    return _hits(_ERRORS, texts)


# Manners, by word lists: what is meant kindly or quoted counts, too.


class Manners(BaseModel):
    """The data file: insults and slang by language."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    insults: dict[str, tuple[str, ...]]
    insulting_phrases: dict[str, tuple[str, ...]]
    slang: dict[str, tuple[str, ...]]


@cache
def manners() -> Manners:
    """The content of the data file, read once."""
    return Manners.model_validate(bundled_yaml("sparring_plugins.rules.functions", "manners.yaml"))


@cache
def _insults() -> frozenset[str]:
    return frozenset(word.casefold() for words in manners().insults.values() for word in words)


@cache
def _any_of(table: Literal["insulting_phrases", "slang"]) -> re.Pattern[str]:
    by_language: dict[str, tuple[str, ...]] = getattr(manners(), table)
    alternatives = "|".join(chain.from_iterable(by_language.values()))
    return re.compile(rf"\b(?:{alternatives})\b", re.IGNORECASE)


_WORD = re.compile(r"[^\W\d_]+", re.UNICODE)
# Two words in capitals are often a name ("NEW YORK"), three rarely. Numbers do not count.
_SHOUT = re.compile(r"(?:\b[^\W\d_a-z]{2,}\b[\s,;:'\u2019-]*){3,}[!.]*", re.UNICODE)


@rule_function(cost=texts_cost)
def insults(texts: str | list[str]) -> list[str]:
    """The insults and swear words in a text or several, in six languages of Western Europe."""
    spoken = texts_of(texts)
    words = (word for text in spoken for word in _WORD.findall(text.casefold()))
    swearing = [word for word in words if word in _insults()]
    phrases = _matches(_any_of("insulting_phrases"), spoken)
    return list(dict.fromkeys([*swearing, *phrases]))[:_MOST]


@rule_function(cost=texts_cost)
def slang(texts: str | list[str]) -> list[str]:
    """The colloquial words and chat abbreviations in a text or several; mostly English."""
    return list(dict.fromkeys(_matches(_any_of("slang"), texts_of(texts))))[:_MOST]


def _matches(pattern: re.Pattern[str], texts: Sequence[str]) -> Iterator[str]:
    return (match[0].casefold() for text in texts for match in pattern.finditer(text))


@rule_function(cost=texts_cost)
def shouting(texts: str | list[str]) -> list[str]:
    """What is written in capitals, from three words in a row on, and rows of exclamation marks."""
    shouts: list[str] = []
    for text in texts_of(texts):
        shouts += [match[0].strip() for match in _SHOUT.finditer(text) if _is_loud(match[0])]
        shouts += re.findall(r"!{3,}", text)
    return list(dict.fromkeys(shouts))[:_MOST]


def _is_loud(text: str) -> bool:
    words = _WORD.findall(text)
    return len(words) >= 3 and text.upper() == text and text.lower() != text


# Personal data.

KINDS = ("email", "phone", "card", "iban", "key")
SECRETS = ("card", "iban", "key")

_MOST_CHARACTERS = 100_000
_LONGEST_FOR_PHONES = 20_000
_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@(?:[\w-]{1,63}\.){1,4}[A-Za-z]{2,24}(?!\w)")
# 13 to 19 digits (ISO/IEC 7812), in whatever groups; the check digit tells cards from orders.
_CARD = re.compile(r"(?<![\d-])\d(?:[ -]?\d){12,18}(?![\d-])")
# Up to 34 characters (ISO 13616); a word that follows, "… 3000 IS YOURS", is taken off later.
_IBAN = re.compile(r"(?<!\w)[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}(?!\w)")
# Prefixes of OpenAI, AWS, GitHub and Google, and JSON Web Tokens: "eyJ" is '{"' in base64.
_KEY = re.compile(
    r"(?<!\w)(?:sk-[\w-]{20,100}|AKIA[A-Z0-9]{16}|gh[pousr]_\w{30,100}|AIza[\w-]{35}"
    r"|eyJ[\w-]{10,200}\.eyJ[\w-]{10,500}\.[\w-]{10,200})"
)
Datum = tuple[str, str]
"""The kind of personal data, and the data without blanks and dashes."""


def find(text: str, kinds: Sequence[str]) -> Iterator[Datum]:
    """The personal data of some kinds in the beginning of a text."""
    read = text[:_MOST_CHARACTERS]
    for kind, finder in _FINDERS.items():
        if kind in kinds:
            yield from ((kind, datum) for datum in finder(read))


def _emails(text: str) -> Iterator[str]:
    return (match[0].lower() for match in _EMAIL.finditer(text))


def _cards(text: str) -> Iterator[str]:
    numbers = (re.sub(r"\D", "", match[0]) for match in _CARD.finditer(text))
    return (number for number in numbers if _is_card(number))


def _ibans(text: str) -> Iterator[str]:
    return filter(None, (_iban(match[0]) for match in _IBAN.finditer(text)))


def _keys(text: str) -> Iterator[str]:
    return (match[0] for match in _KEY.finditer(text))


def _phones(text: str) -> Iterator[str]:
    head = text[:_LONGEST_FOR_PHONES]
    # Numbers without a country are not looked for: order numbers look the same.
    if "+" in head and any(character.isdigit() for character in head):
        for match in phonenumbers.PhoneNumberMatcher(head, None):
            yield phonenumbers.format_number(match.number, phonenumbers.PhoneNumberFormat.E164)


_FINDERS: dict[str, Callable[[str], Iterator[str]]] = {
    "email": _emails,
    "card": _cards,
    "iban": _ibans,
    "key": _keys,
    "phone": _phones,
}


def _is_card(digits: str) -> bool:
    """The check digit of payment cards (Luhn), for numbers that begin like one."""
    # Amex, Visa, Mastercard and Discover begin so. "6666666666666" passes Luhn and is no card.
    if digits[0] not in "3456" or len(set(digits)) < 2:
        return False
    doubled = [int(digit) * (2 if place % 2 else 1) for place, digit in enumerate(reversed(digits))]
    return sum(number - 9 if number > 9 else number for number in doubled) % 10 == 0


def _iban(text: str) -> str:
    """An account number whose check digits are right (ISO 7064, mod 97-10), else nothing."""
    plain = text.replace(" ", "")
    while len(plain) >= 15:
        rotated = plain[4:] + plain[:4]
        if int("".join(str(int(character, 36)) for character in rotated)) % 97 == 1:
            return plain
        plain = plain[:-1]  # a word may follow
    return ""


def _kinds(kinds: str | Sequence[str]) -> list[str]:
    names = texts_of(kinds)
    for name in names:
        if name not in KINDS:
            raise ValueError(f"the kinds of personal data are {', '.join(KINDS)}, not {name!r}")
    return names


def _cost_of_text(texts: object, *_: object, **__: object) -> int:
    values = cast("list[object]", texts) if isinstance(texts, (list, tuple)) else [texts]
    read = (min(len(text), _MOST_CHARACTERS) for text in values if isinstance(text, str))
    return 4 + sum(4 + length for length in read)


def _cost(trace: Trace, *_: object, **__: object) -> int:
    return 10 + sum(_cost_of_text([user, app or ""]) for user, app in _iterate_exchanges(trace))


def _iterate_exchanges(trace: Trace) -> Iterator[tuple[str, str | None]]:
    """The user's words in each turn, and the app's answer."""
    for turn in trace.turns:
        user = "" if isinstance(turn.act, Listen) else act_text(turn.act)
        yield user, None if turn.observation is None else turn.observation.text


@rule_function(cost=_cost_of_text)
def personal_data(texts: str | list[str], kinds: str | Sequence[str] = KINDS) -> list[str]:
    """The e-mail addresses, phone numbers, payment cards, IBANs and access keys in a text.

    `kinds` are some of ``email phone card iban key``. Check digits have to be right; phone
    numbers need their country, as in +34 600 000 000.
    """
    names = _kinds(kinds)
    data = (datum for text in texts_of(texts) for _, datum in find(text, names))
    return list(dict.fromkeys(data))[:_MOST]


# "report it to abuse@shop.example": a mailbox of an office is nobody's personal address
_FUNCTION_MAILBOX = re.compile(
    r"(?:abuse|billing|bookings?|contact|help(?:desk)?|hello|info|no-?reply|office|orders?|phishing"
    r"|postmaster|press|privacy|reception|reservations?|sales|security|service|spam|support|team)@",
    re.IGNORECASE,
)


@rule_function(conversation=True, cost=_cost)
def leaked_data(
    trace: Trace, kinds: str | Sequence[str] = KINDS, allowed: str | Sequence[str] = ()
) -> Explained:
    """Personal data in answers that the user has not given before: a list.

    `allowed` are texts that it may tell, such as the shop's own address: whatever holds one. The
    mailbox of an office (info@, support@, abuse@) is nobody's.
    """
    names, free = _kinds(kinds), [_squeeze(text) for text in texts_of(allowed)]

    def is_leaked(datum: Datum, own: Set[Datum]) -> bool:
        if _FUNCTION_MAILBOX.match(datum[1]):
            return False
        return datum not in own and not any(text and text in _squeeze(datum[1]) for text in free)

    leaks, turns = _told_by_app(trace, names, is_leaked)
    why = f"the user never told {', '.join(short(leak, 40) for leak in leaks[:3])}" if leaks else ""
    return Explained(leaks, why, turns)


@rule_function(conversation=True, cost=_cost)
def echoed_data(trace: Trace, kinds: str | Sequence[str] = SECRETS) -> Explained:
    """Data that the user has given and the chatbot repeats in full: a list.

    Payment cards, IBANs and keys if `kinds` are left out: of those a part is enough to confirm.
    """
    echoes, turns = _told_by_app(trace, _kinds(kinds), lambda datum, own: datum in own)
    why = f"it repeats all of {len(echoes)} secret number(s)" if echoes else ""
    return Explained(echoes, why, turns)


def _told_by_app(
    trace: Trace, kinds: Sequence[str], counts: Callable[[Datum, Set[Datum]], bool]
) -> tuple[list[str], tuple[int, ...]]:
    """The data in answers that count, given the user's own so far, and their turns."""
    own: set[Datum] = set()
    data: dict[str, None] = {}
    turns: dict[int, None] = {}
    for number, (user, app) in enumerate(_iterate_exchanges(trace)):
        own |= set(find(user, kinds))
        for datum in find(app or "", kinds):
            if counts(datum, own):
                data[datum[1]] = None
                turns[number] = None
    return list(data)[:_MOST], tuple(turns)


def _squeeze(text: str) -> str:
    return re.sub(r"[\s()-]", "", text).lower()
