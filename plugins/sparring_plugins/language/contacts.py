"""E-mail addresses, phone numbers and web addresses in a text."""

import re

from sparring_plugins.language.candidate import MAX_CANDIDATES, Candidate

_EMAIL = re.compile(
    r"(?<![\w.+%-])[A-Za-z0-9][\w.+%-]{0,63}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,6}"
    r"\.[A-Za-z]{2,24}\b"
)
_URL = re.compile(r"\b(?:https?://|www\.)[^\s<>\"'()\[\]]{3,400}", re.IGNORECASE)
_DIGITS = re.compile(r"(?<![\w.,$€£#/])\(?\+?\d[\d \-./()]{5,20}\d(?![\w%€$£])")
_NEAR = re.compile(
    r"phone|tel[eé]?f?o?n?o?\b|\btel\b|call|dial|llam|m[oó]vil|mobile|whatsapp|fax|n[uú]mero|number",
    re.IGNORECASE,
)
_REGIONS = {
    "english": ("US", "GB"),
    "spanish": ("ES", "MX"),
    "french": ("FR",),
    "german": ("DE",),
    "italian": ("IT",),
    "portuguese": ("PT", "BR"),
}


def find_emails(text: str) -> list[Candidate]:
    """E-mail addresses."""
    return [
        Candidate(match.group(), match.group(), match.start(), match.end())
        for match in _EMAIL.finditer(text)
    ][:MAX_CANDIDATES]


def find_urls(text: str) -> list[Candidate]:
    """Web addresses, without the punctuation after them."""
    found: list[Candidate] = []
    for match in _URL.finditer(text):
        url = match.group().rstrip(".,;:!?")
        found.append(Candidate(url, url, match.start(), match.start() + len(url)))
    return found[:MAX_CANDIDATES]


def find_phones(text: str, language: str = "English") -> list[Candidate]:
    """Phone numbers as written: valid ones of the language's regions, or digits after "phone"."""
    import phonenumbers

    found: list[Candidate] = []
    for match in _DIGITS.finditer(text):
        written = match.group().strip(" .-/")
        written = written if written.count("(") == written.count(")") else written.strip("()")
        near = bool(_NEAR.search(text[max(0, match.start() - 40) : match.start()]))
        valid = any(
            _valid(phonenumbers, written, region)
            for region in _REGIONS.get(language.lower(), ("US", "GB", "ES"))
        )
        digits = sum(char.isdigit() for char in written)
        if valid or (near and 7 <= digits <= 15):
            start = match.start() + match.group().find(written)
            sure = 1.0 if valid else 0.6
            found.append(Candidate(written, written, start, start + len(written), sure))
    return found[:MAX_CANDIDATES]


def _valid(library: object, written: str, region: str) -> bool:
    import phonenumbers

    try:
        return phonenumbers.is_valid_number(phonenumbers.parse(written, region))
    except phonenumbers.NumberParseException:
        return False
