"""Whose "its price" is: that of the thing which an earlier sentence of the case names."""

import re
from collections.abc import Sequence

from sparring_plugins.web.grammar.free.sentences import find_lead, kind_of, mask
from sparring_plugins.web.grammar.free.words import FREE

#: A name further back than this is probably no longer spoken of.
_MOST_SENTENCES = 4
_VERBS = "|".join(sorted(map(re.escape, FREE.statements)))
# "its price is 5" after a sentence about a lamp is "the price of the lamp is 5".
_POSSESSIVE = re.compile(
    rf"(?:its|their|his|her) ([a-z][\w-]*(?: [a-z][\w-]*){{0,2}}?)"
    rf"((?: (?:in|on) (?:the|this) [a-z]+)?)(?= (?:{_VERBS})\b)",
    re.I,
)
_SUBJECT = re.compile(
    r"(?:it|he|she) (?=(?:costs|weighs|belongs|has|lies|carries)\b"
    # "Add 'Oak'", "it is at the end of the list"
    r"|(?:is|comes|stands) (?:now )?(?:at the (?:end|top|bottom|beginning)|on top|first\b|last\b))",
    re.I,
)
_SAID = re.compile(rf"\b(?:{_VERBS})\b", re.I)
_NAME = re.compile(
    r"⟦(\d+)⟧|(?<=[a-z,] )[A-Z][\w'-]*(?: [A-Z\d][\w'-]*)*"
    # "oak-table", "ring_no": written as nobody writes a word of English
    r"|\b(?=\w*[a-z])\w+[_/-]\w+\b"
)


_ENTERS = re.compile(
    rf"(?:(?:in|into|as|for) .{{1,40}}? )?(?:{'|'.join(sorted(FREE.acts['fill']))})\b", re.I
)
# "Enter Mia as its name" names the thing that later pronouns mean; other values name nothing.
_NAMES_IT = re.compile(r"\b(?:name|title|called|named|titled)\b", re.I)


def name_pronoun(sentence: str, earlier: Sequence[str]) -> str:
    """Return a check with the name of what its pronoun stands for; as it is if that is not clear.

    "Check that its price is still 5" after "Edit the Dogwood" is "Check that the price of Dogwood
    is still 5". `earlier` are the sentences before it, the latest last.
    """
    text, quotes = mask(sentence)
    lead = find_lead(text.lower())
    head, rest = text[: len(lead)], text[len(lead) :].lstrip(" ,:")
    possessive = _POSSESSIVE.match(rest)
    match = possessive or _SUBJECT.match(rest)
    if match is None:
        return sentence
    name = _last_name(earlier)
    if not name:
        return sentence
    # "its price in the list": that of the thing, wherever it is looked for
    named = f"the {possessive[1]} of {name}{possessive[2]}" if possessive else f"{name} "
    whole = f"{head} {named}{rest[match.end() :]}".strip()
    return re.sub(r"⟦(\d+)⟧", lambda mark: f'"{quotes[int(mark[1])]}"', whole)


def drop_reason(sentence: str) -> str:
    """Return the check of a sentence that begins with its reason, about what the reason is about.

    '"Oak" has been felled, and so make sure it is missing' checks that "Oak" is missing; that it
    has been felled is no claim about the page.
    """
    text, quotes = mask(sentence)
    match = _REASON.match(text)
    rest = text[match.end() :] if match else ""
    lead = find_lead(rest.lower())
    if match is None or not lead or find_lead(text.lower()):
        return sentence  # "Check that it is full, and so make sure ..." checks both
    stated = _PRONOUN.sub(lambda m: f"{m[1] or ''}{match['subject']}", rest[len(lead) :], count=1)
    whole = f"{rest[: len(lead)]}{stated}"
    return re.sub(r"⟦(\d+)⟧", lambda mark: f'"{quotes[int(mark[1])]}"', whole)


_REASON = re.compile(
    r"(?P<subject>⟦\d+⟧|[\w'-]+(?: [\w'-]+){0,5}?) (?:has|have|had|is|are|was|were) [^⟦]+?"
    r"(?:, (?:and )?| and )(?:so|therefore|hence|thus|that is why),? ",
)
_PRONOUN = re.compile(r"^( (?:that )?)(?:it|this|that|they)(?= )", re.I)


def drop_possessive(sentence: str) -> str:
    """Return "the price is 5" for "its price is 5", as the page of a single thing says it."""
    return _OWN.sub("the ", sentence, count=1)


_OWN = re.compile(r"\b(?:its|their|his|her) (?!address|url|title|name|text)(?=[a-z])")
_IT = frozenset({"it", "this", "that", "this one", "that one", "on it", "on that"})
_MOST_SUBJECT_WORDS = 4


def points_to_last(words: str) -> bool:
    """Return whether all that an instruction names is "it"."""
    return words.strip().lower() in _IT


def name_last(earlier: Sequence[str]) -> str:
    """Return what "tick it" means behind "Make sure Read isn't ticked": the thing just spoken of.

    That is the only quotation of the sentence before, or what that sentence is about; "" if it is
    about nothing short.
    """
    if not earlier:
        return ""
    text, quotes = mask(earlier[-1])
    if len(quotes) == 1:
        return quotes[0]
    lead = find_lead(text.lower())
    subject = re.split(rf"(?<=\S) (?:{_VERBS})\b", text[len(lead) :].strip(" ,:"), maxsplit=1)[0]
    subject = re.sub(r"^(?:that )?(?:the |an? )?", "", subject, flags=re.I).strip()
    is_short = 0 < len(subject.split()) <= _MOST_SUBJECT_WORDS and subject != text
    return subject if is_short and not points_to_last(subject) and not quotes else ""


def _last_name(earlier: Sequence[str]) -> str:
    """Return the only name of the latest sentence that has any, in quotes if it had them."""
    for sentence in list(reversed(earlier))[:_MOST_SENTENCES]:
        text, quotes = mask(sentence)
        if _ENTERS.match(text) and not _NAMES_IT.search(text):
            continue  # "Write 'Only in spring.'": a value is no name of a thing
        # 'The remark says "Sold"': what is said of a thing is no name of it
        text = _SAID.split(text, maxsplit=1)[0] if kind_of(text) == "check" else text
        names = {
            f'"{quotes[int(match[1])]}"' if match[1] else match[0] for match in _NAME.finditer(text)
        }
        if names:
            return names.pop() if len(names) == 1 else ""
    return ""
