"""Who logs in, and with which secret, in the words of a sentence."""

import re
from dataclasses import dataclass

from sparring_plugins.web.grammar.free.words import FREE

_ARTICLE = r"(?:the |a |an |its |his |her |their |your |my )?"
# "as mia", "with username mia", "with the e-mail mia@example.org".
_USER = re.compile(
    rf"(?:\b(?:as|with|user(?: ?name)?|for|account|e-?mail(?: address)?)\s+)+{_ARTICLE}"
    r"(?:user(?: ?name)? |e-?mail(?: address)? |account )?([^\s,()/]+)"
)
# "with password secret", "password: secret".
_PASSWORD = re.compile(rf"\b(?:pass ?word|pass|pwd)(?: is|:|=)?\s+({_ARTICLE})(\S+)", re.I)
# "mia/secret", "mia, secret", "mia (secret)": the second word is the password.
_SECOND = re.compile(r"(?:\s*/\s*|\s*,\s*|\s+and\s+|\s+with\s+|\s*\()(?:the )?([^\s,()/]+)")
_LEAD = re.compile(r"(?:try to )?(?:log|sign) (?:in|on)\s*", re.I)
# "log in again, this time as tom".
_AGAIN = re.compile(r"(?:again|back in)?,?\s*(?:this time )?")
_JOINT = re.compile(r"(?:^|\s)(?:as|with|using|by|and|to)\s|[,(]")
#: "with the right password, which is x": what it is like is no part of it.
_WHICH_ONE = re.compile(
    r"\b(?:right|correct|wrong|new|old|same|proper|valid) (?=(?:pass|user|code|pin|credential))",
    re.I,
)
# "with the password, which is secret".
_WHICH_IS = re.compile(r"(?<=word|code),? which is(?= )", re.I)
_IN_BRACKETS = re.compile(r"[(,:–—-]+\s*(?P<both>[^()]{3,100}?)\s*\)?")
# "as the guest": the article is no part of the name.
_OWNER = re.compile(r"(?:the|a|an|your|my|his|her|their|our|this) ")


@dataclass(frozen=True)
class Credentials:
    """What a sentence gives to log in with, as it is written, literals still masked.

    `only` is the one value of a sentence that does not say which it is ("Log in with 4711"): the
    page decides. All are empty if the sentence gives none.
    """

    user: str = ""
    secret: str = ""
    only: str = ""


def names_both(rest: str) -> bool:
    """Return whether a text gives a user and a password: "the user name ada with password x"."""
    return bool(_USER.search(rest) and _PASSWORD.search(rest))


def read_credentials(rest: str) -> Credentials:
    """Read "as mary with the password 'x'", "with mary / x", "as mary (x)", "with the code 7"."""
    rest = _LEAD.sub("", rest.strip(), count=1) if _LEAD.match(rest.strip()) else rest.strip()
    rest = _AGAIN.sub("", rest, count=1)
    rest = _WHICH_IS.sub("", _WHICH_ONE.sub("", rest))
    if inner := _IN_BRACKETS.fullmatch(rest):
        rest = inner["both"]  # "Log in (mary / x)"
    user = _USER.search(rest) or re.match(r"([^\s,()/]+)", rest)
    if user is None:
        return Credentials()
    if _is_secret_word(user[1]) or user[1].lower() in FREE.distinguishing:
        return _read_labelled(rest)  # "with its private code (oar)": nobody is called "private"
    behind = rest[user.end() :]
    password = _PASSWORD.search(rest) or _PASSWORD.search(behind)
    secret = password[2] if password else ""
    if not secret and (second := _SECOND.match(behind)) and not _is_secret_word(user[1]):
        secret = second[1]
    if secret:
        return Credentials(user=user[1], secret=secret.strip(".,;()"))
    return _read_labelled(rest)


def _read_labelled(rest: str) -> Credentials:
    """Read values by the words before them: "to the club rowers with the private code oar".

    A part without a value only says where ("to the shop"); one bare value may be either.
    """
    given = {"user": "", "secret": "", "only": ""}
    is_labelled = False
    for part in filter(None, (part.strip(" .;()") for part in _JOINT.split(rest))):
        kind, value = _read_part(part)
        if kind == "only" and is_labelled:
            kind = "secret"  # "with its private code (oar)"
        elif kind == "only" and _is_identifier(given["only"]) and not given["user"]:
            given["user"] = given["only"]  # "to rowers (oar)"
        is_labelled = not kind and _is_secret_word(part.split()[-1])
        if kind:
            given[kind] = value
    if given["user"] and not given["secret"]:
        return Credentials(given["user"], given["only"])
    if given["secret"]:
        return Credentials(given["user"] or given["only"], given["secret"])
    return Credentials(only=given["only"])


def _read_part(part: str) -> tuple[str, str]:
    """Return what a part gives ("the code 4711": the secret 4711); empty if it gives nothing."""
    owned = _OWNER.match(part)
    words = part[owned.end() :].split() if owned else part.split()
    if not words or _is_place(words[-1]) or _is_secret_word(words[-1]):
        return "", ""
    if len(words) > 1 and words[-1].lower() in FREE.with_members:
        before = words[-2].lower()
        if before in FREE.distinguishing:  # "the existing club" names none
            return "", ""
        if before not in FREE.with_members:  # "the rowers club", but "the club family"
            return "user", words[-2]
    if len(words) > 1:
        return "secret" if any(map(_is_secret_word, words[:-1])) else "user", words[-1]
    return ("", "") if owned else ("only", words[0])


def _is_secret_word(word: str) -> bool:
    return word.strip(":=").lower() in FREE.secrets


def _is_identifier(word: str) -> bool:
    """Return whether a word is written as no name of an application is: "to rowers with oar"."""
    return bool(word) and word[:1].islower()


def _is_place(word: str) -> bool:
    return word.lower() in FREE.log_in_places
