r"""Which characters of a foreign text must not reach a prompt as they are.

They become ``\uXXXX``: what opens or closes markup, what nobody sees, and what some model's
tokenizer takes for the end of a message.
"""

import re

_MARKUP = "<>\ufe64\ufe65\uff1c\uff1e\u2039\u203a\u2329\u232a\u27e8\u27e9\u3008\u3009\u02c2\u02c3"
_ORNAMENTS = "\u276c-\u2771\u1438\u1433\u29fc\u29fd\u2a9e\u2a9d\u227a\u227b\u22d6\u22d7"
_INVISIBLE = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters but tab and line feed
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2"  # number and verse signs that reorder
    "\U000110bd\U000110cd\U00013430-\U0001345f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\ud800-\udfff\ue000-\uf8ff"  # surrogates, private use
    "\U000e0000-\U0010ffff"  # tags: text that nobody sees; private use
)
_SIGNS = frozenset("<>[")
_UNSEEN = re.compile(f"[{_INVISIBLE}]")
_FOREIGN = re.compile(
    f"[{_MARKUP}{_ORNAMENTS}{_INVISIBLE}]"
    r"|\[(?=\s*/?\s*[A-Z_]{3,40}\s*\])"  # [INST], [/INST], [TOOL_RESULTS] are tokens to some models
)
_DELIMITERS = re.compile(
    f"[{_MARKUP}](?=\\s*[/\u2044\u2215\uff0f]?\\s*data\\b|\\|)"
    r"|\[(?=/?[A-Z_]{3,40}\])",
    re.IGNORECASE,
)


def escaped(text: str) -> str:
    r"""A text in which what could be markup or is invisible is written as ``\uXXXX``.

    Inside a JSON string this changes nothing of its meaning.
    """
    return text if _plain(text) else _FOREIGN.sub(_escape, text)


def undelimited(text: str) -> str:
    """A text that opens and closes no data block and hides nothing; other markup stays."""
    if _plain(text):
        return text
    return _DELIMITERS.sub(_escape, _UNSEEN.sub(_escape, text))


def _plain(text: str) -> bool:
    return text.isascii() and text.isprintable() and not _SIGNS.intersection(text)


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x10000:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"
