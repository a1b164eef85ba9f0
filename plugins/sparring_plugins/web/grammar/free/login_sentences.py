"""Instructions to log in, read from sentences on who logs in or is logged in."""

import re
from collections.abc import Callable
from functools import cache

from sparring_plugins.web.grammar.free.words import FREE

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
#: "Use the code oar to open the club rowers", "With the code oar, log in to the club rowers"
_SECRET_FIRST = re.compile(
    r"(?:use|with|using|take) (?:the |its |our |my )?"
    rf"(?P<secret>(?:[a-z]+ )?(?:{'|'.join(sorted(FREE.secrets))}) (?:⟦\d+⟧|[^\s(),;]+?))"
    rf"(?:,| to| and) (?P<act>(?:{'|'.join((*FREE.log_in, *FREE.entering_by_secret))}) [^,;]+?)\.?",
    re.I,
)


def read_login_sentence(text: str, begins_acting: Callable[[str], str]) -> str:
    """Return the instruction to log in of "Given I am logged in as ...", "Ida logs in with ..."."""
    if given := _LOGGED_IN.match(text):
        return f"Log in {given['rest']}"
    if using := _SECRET_FIRST.fullmatch(text):
        # "Use the code oar to open the club rowers"
        text = f"{using['act']} with the {using['secret']}"
        if using["act"].lower().startswith(FREE.log_in):
            return text
    if entering := _entering().fullmatch(text):
        names = entering.groupdict()
        kind, name = names["kind"] or names["noun"], names["name"] or names["named"]
        return f"Log in to the {kind} {name} with the {names['label']} {names['secret']}"
    login = _LOGS_IN.fullmatch(text)
    if login is None:
        acting = _ACTS_AS.fullmatch(text)
        if acting is None or not begins_acting(acting["rest"]):
            return ""
        name, secret, rest = acting.group("name", "secret", "rest")
        return f"Log in as {name} with the password {secret}, then {rest}"
    name, secret = login["name"] or login["other"], login["secret"] or login["code"]
    return f"Log in as {name} with the password {secret}"


@cache
def _entering() -> re.Pattern[str]:
    """Return the form of "Open the club rowers with the code oar", "Enter club rowers (PIN 47)".

    What has members is entered with a secret. What has none may have a code of its own, by which
    it is found: "Open the product lamp with the code 4711" logs in nowhere.
    """
    verbs = "|".join(FREE.entering_by_secret)
    kinds = "|".join(sorted(FREE.with_members, key=len, reverse=True))
    secrets = "|".join(sorted(FREE.secrets, key=len, reverse=True))
    name = r"(?:⟦\d+⟧|(?!(?:to|in|into|the)\b)[\w.@-]+)"
    return re.compile(
        rf"(?:{verbs}) (?:(?:the|an?|our|my|your|their) )?(?:[a-z]+ )?"
        rf"(?:(?P<kind>{kinds}) (?:called |named )?(?P<name>(?!with|using|by|via){name})"
        rf"|(?P<named>{name}) (?P<noun>{kinds}))"
        r"(?:,? (?:with|using|by|via)| ?[,(:;]| [-–—]) ?(?:with )?"
        rf"(?:(?:the|an?|its|our|my|your|their) )?(?P<label>(?:[a-z]+ )?(?:{secrets}))"
        r"(?: is|:|,)? (?P<secret>⟦\d+⟧|[^\s(),;]*[^\s(),;.])\)?\.?",
        re.I,
    )
