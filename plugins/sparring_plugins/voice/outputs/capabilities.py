"""What an app tells of what it can do: topics and services that a user may ask for."""

import re

from sparring_plugins.language.text import folded
from sparring_plugins.voice.outputs.listed_choices import MOST

HELPING = ("help", "what can you do", "ayuda")
"""Words to which an app tells everything that it can do."""

_CAN = re.compile(
    r"\b(?:i|we|this skill|this bot|it)\s+(?:can|could|am able to|are able to|"
    r"will)\s+(?:also\s+)?(?:help (?:you )?(?:with|to)?|"
    r"assist (?:you )?(?:with|in)|tell you (?:about)?|answer (?:your )?questions (?:about|on)|"
    r"give you|show you|provide)\s+(.+)$"
    r"|\b(?:i|we)\s+(?:can|could)\s+(.+)$|\bhelp you (?:with|to)?\s*(.+)$|\b(?:i|we)\s+((?:arrange|"
    r"take|sell|offer|book|lend|rent|repair)\s.+)$"
    r"|\b(?:questions?|information|info|details|something|anything) (?:about|on)\s+(.+)$",
    re.IGNORECASE,
)
_SPLIT = re.compile(r"\s*[,;]\s*(?:and |or )?|\s+(?:and|or)\s+")
_ME = (
    (" you want ", " I want "),
    (" you like ", " I like "),
    (" you need ", " I need "),
    (" you have ", " I have "),
    (" your ", " my "),
    (" our ", " your "),
    (" you ", " me "),
    (" yourself ", " myself "),
    (" yours ", " mine "),
)
_LEAD = re.compile(r"^(?:with|for|to|in|about|on|also|you)\s+", re.IGNORECASE)
_LONGEST = 8


def capabilities(sentence: str) -> list[str]:
    """The services and topics that a statement names, as the user says them."""
    match = _CAN.search(sentence.strip(" .!?"))
    if match is None:
        return []
    tail = next(group for group in match.groups() if group is not None)
    found: list[str] = []
    for part in _SPLIT.split(tail)[:MOST]:
        text = _LEAD.sub("", part.strip(" .,;:!?"))
        if 0 < len(text.split()) <= _LONGEST and len(folded(text)) > 2:
            found.append(_mine(text))
    return list(dict.fromkeys(found))


def _mine(text: str) -> str:
    said = f" {text} "
    for yours, mine in _ME:
        said = said.replace(yours, mine)
    return said.strip()
