"""Patterns of how goals are put: when and to whom something is said, and clauses beside it."""

import re

PREPOSED_OUTPUT = re.compile(
    r"(the )(?:for|in|about|until|by|at|from|within|to|on|with) (?:how|what|which|when|whom)\b"
)
"""A question behind its preposition: "for how long the table is yours"."""


MOMENT_FIRST = re.compile(
    r"^(?:before|when|once|after|as soon as|at the end)\b[^,]{0,60},\s"
    r"(?=(?:say|tell|ask|mention|correct|change)\b)",
    re.IGNORECASE,
)
"""When something is to be said: "before it is sent off, say that ..." says what follows."""


TELL_WHOM = re.compile(
    r"^(?:tell|inform|let) (?:them|him|her|it|somebody|someone|(?:the|your) [\w' -]{2,30}?)"
    r"(?: know)? that "
    r"(?=you\b|your\b|there\b|the\b|it\b)",
    re.IGNORECASE,
)
"""Whom something is told: "tell the clinic that you will be late" says what follows."""


TO_USER = re.compile(r"\b(for|to|with|from) you(?=\s*(?:[.,;!?]|$)| (?:at|on|in|by|if|as|and)\b)")
"""The user as an object: "have it sent to you by Friday" is "to me" in the user's own words."""


PARTY_CLAUSE = re.compile(
    r"([,;]) you are (?=(?:\d+|two|three|four|five|six|seven|eight|nine|ten)\b)(\w+)", re.IGNORECASE
)
"""How many the user's party is, in a clause of its own: "..., you are 3 people"."""


THINKING = re.compile(
    r"([,;]) you (think|guess|believe|want|need|have|would|will|can|prefer|like)\b"
)
"""What the user does in a clause of its own: "..., you need it on Friday" is "I need it"."""
