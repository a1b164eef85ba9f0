"""Instructions to log in, read from sentences on who logs in or is logged in."""

import re
from collections.abc import Callable

# "Given I am logged in as mia".
_LOGGED_IN = re.compile(
    r"(?:(?:given|assuming|suppose|provided) )?(?:that )?(?:(?:the )?user |[a-z]+ )(?:am|is|are)"
    r" (?:now |already )?(?:logged|signed) (?:in|on) (?P<rest>(?:as|to|into|at|with|using) .*"
    r"(?:password|passphrase|pin|code|secret)\b.*)$",
    re.I | re.S,
)
#: "mira logs in with her password beans-22", "As mira (beans-22), log in"
_LOGS_IN = re.compile(
    r"(?:the )?(?:(?:user|member|customer|admin|visitor) )?"
    r"(?P<name>(?!user|member|visitor|I\b|we\b|she\b|he\b)[\w.@-]+) "
    r"(?:logs|signs) (?:back )?(?:in|on),?(?: again,?)? (?:with|using) "
    r"(?:(?:the|her|his|their) )?(?:password )?(?P<secret>⟦\d+⟧|\S+?)"
    r"|(?:as|being) (?P<other>[\w.@-]+) \((?:password:? )?(?P<code>⟦\d+⟧|[^\s()]+)\),? "
    r"(?:log|sign) (?:in|on)",
    re.I,
)
#: "As mira (beans-22), open the orders": who does the rest logs in first.
_ACTS_AS = re.compile(
    r"as (?P<name>[\w.@-]+) \((?:(?:with )?(?:the )?password:? )?(?P<secret>⟦\d+⟧|[^\s()]+)\),? "
    r"(?P<rest>[a-z].*)",
    re.I | re.S,
)


def read_login_sentence(text: str, begins_acting: Callable[[str], str]) -> str:
    """Return the instruction to log in of "Given I am logged in as ...", "Ida logs in with ..."."""
    if given := _LOGGED_IN.match(text):
        return f"Log in {given['rest']}"
    login = _LOGS_IN.fullmatch(text)
    if login is None:
        acting = _ACTS_AS.fullmatch(text)
        if acting is None or not begins_acting(acting["rest"]):
            return ""
        name, secret, rest = acting.group("name", "secret", "rest")
        return f"Log in as {name} with the password {secret}, then {rest}"
    name, secret = login["name"] or login["other"], login["secret"] or login["code"]
    return f"Log in as {name} with the password {secret}"
