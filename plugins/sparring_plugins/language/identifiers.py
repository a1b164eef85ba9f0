"""Identifiers in a text: order numbers, booking codes, references."""

import re

from sparring_plugins.language.candidate import MAX_CANDIDATES, Candidate

_TOKEN = re.compile(
    r"(?<![\w\-/.@$€£])#?\s?([A-Za-z0-9](?:[A-Za-z0-9]|[-_/](?=[A-Za-z0-9])){1,40})"
)
_LABEL = re.compile(
    r"\b(?:ids?|identifier|numbers?|no|nr|code|reference|ref|ticket|tracking|confirmation|booking"
    r"|pin|n[uú]mero|num[eé]ro|[a-zß-ü]{0,20}nummer|kennung|codice|c[oó]digo|r[eé]f[eé]rence|riferimento|refer[eê]ncia|referencia|identificador|localizador|folio)\b\.?|#|№|nº",
    re.IGNORECASE,
)
_NEAR = 40
_HEX = frozenset("abcdef")


def find_identifiers(text: str) -> list[Candidate]:
    """Codes right after a word such as "id", "number" or "reference", or after ``#``.

    A code has a digit in it, is written in capitals, or is hexadecimal; units, prices and times are
    none.
    """
    found: list[Candidate] = []
    labels = [match.end() for match in _LABEL.finditer(text)][:MAX_CANDIDATES]
    for end in labels:
        for match in _TOKEN.finditer(text, end, min(len(text), end + _NEAR + 42)):
            if match.start() > end + _NEAR or re.search(
                r"[.;!?]\s|\n\s*\n", text[end : match.start()]
            ):
                break
            code = match.group(1)
            if _is_code(code, text, match.end()):
                gap = text[end : match.start(1)]
                sure = (
                    1.0
                    if len(gap) <= 8 or re.search(r"[:#=]|\b(?:is|es|est|ist|lautet)\b|è|é", gap)
                    else 0.7
                )
                found.append(Candidate(code, code, match.start(1), match.end(1), sure))
                break
    return found


def _is_code(code: str, text: str, end: int) -> bool:
    if any(char.isdigit() for char in code):
        after = text[end : end + 12]
        unit = re.match(
            r"\s?(?:[$€£%]|[.,:]\d|min|hour|day|am\b|pm\b|dollar|euro|item|pizza)", after
        )
        clock = re.fullmatch(r"\d{1,2}(?:am|pm|h|st|nd|rd|th)", code, re.IGNORECASE)
        return not (unit or clock) and len(code) >= 2
    if len(code) >= 6 and set(code) <= _HEX:
        return True
    return len(code) >= 4 and code.isupper() and "-" not in code[:1]
