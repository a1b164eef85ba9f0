"""Words that every bot knows, and how text is folded before it is compared."""

import re
import unicodedata

YES = re.compile(
    r"\b(yes|yeah|yep|sure|ok|okay|correct|right|exactly|of course|please do|go ahead|confirm)\b"
)
NO = re.compile(r"\b(no|nope|not|don't|do not|wrong|incorrect|nothing)\b")
CANCEL = re.compile(r"\b(cancel|never mind|forget it|call it off|stop this)\b")
CORRECTS = re.compile(
    r"\b(i meant|i mean|sorry|instead|rather|actually|change|changed my mind|make it|correct that"
    r"|not .{1,30} but)\b"
)
QUESTION = re.compile(
    r"\?|^(what|which|how|when|where|who|why|do|does|are|is|can|could)\b|\b(tell me|know)\b"
)
TOKEN = re.compile(r"<\w+>|[a-z0-9]+(?:'[a-z]+)?")


def folded(text: str) -> str:
    """Lower case, without accents and doubled blanks, and with plain apostrophes."""
    flat = unicodedata.normalize("NFKD", text.casefold())
    kept = "".join(c for c in flat if not unicodedata.combining(c))
    return " ".join(kept.replace("\u2019", "'").split())
