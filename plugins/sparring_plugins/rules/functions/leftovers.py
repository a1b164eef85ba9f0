"""What a program forgot to fill in or to clean up: `leftovers`, `debris` and `error_traces`."""

import re

from sparring.interfaces.rule_function import rule_function
from sparring_plugins.rules.functions.lengths import texts_cost, texts_of

_MOST = 20
_LONGEST = 80

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
    | ^\s*File\ "[^"\n]{1,200}",\ line\ \d+
    | ^\s*at\ [\w$.<>]{1,200}\([\w$. ]{1,100}:\d{1,6}(?::\d{1,6})?\)
    | \b[A-Za-z]\w{0,60}(?:Error|Exception)(?::|\b(?=\s+at\b))
    | \bFatal\ error:\ | \bsegmentation\ fault\b | \bcore\ dumped\b
    | \bSQLSTATE\b | \bORA-\d{5}\b | \bsyntax\ error\ at\ or\ near\b
    | \b(?:500\ Internal\ Server\ Error|502\ Bad\ Gateway|503\ Service\ Unavailable)\b
    """,
    re.VERBOSE | re.MULTILINE,
)


def _found(pattern: re.Pattern[str], texts: object) -> list[str]:
    """What a pattern finds in a text or several, each once, clipped."""
    hits = (
        match[0].strip()[:_LONGEST] for one in texts_of(texts) for match in pattern.finditer(one)
    )
    return list(dict.fromkeys(hits))[:_MOST]


@rule_function(cost=texts_cost)
def leftovers(texts: str | list[str]) -> list[str]:
    """Places that a program forgot to fill: ``{{name}}``, ``${price}``, ``undefined``, ``null``...

    ``null`` and ``None`` count where they stand in the place of a value, at the end of a phrase or
    after a word like *is*: *none* in a sentence is a word.
    """
    found = _found(_PLACEHOLDERS, texts)
    values = (match[1] for one in texts_of(texts) for match in _AFTER_WORDS.finditer(one))
    return list(dict.fromkeys([*found, *values]))[:_MOST]


@rule_function(cost=texts_cost)
def debris(texts: str | list[str]) -> list[str]:
    r"""Markup and escapes that people should not see: ``<br>``, ``&amp;``, ``\n``, ``â€™`` ..."""
    return _found(_DEBRIS, texts)


@rule_function(cost=texts_cost)
def error_traces(texts: str | list[str]) -> list[str]:
    """Signs of a program that failed: stack traces, names of exceptions, database errors."""
    return _found(_ERRORS, texts)
