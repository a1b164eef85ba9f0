"""Links that lead nowhere, as far as their texts tell: `broken_links`.

Nothing is requested here; the variant `requested` does that (see `links_requested`).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

from sparring.interfaces.rule_function import Explained, rule_function
from sparring.model.talk import Trace
from sparring_plugins.rules.functions.plain_values import short

MOST = 20
_LONGEST = 20_000
# Browsers and servers refuse longer addresses; so it is a fault of the app's.
_LONGEST_URL = 2_000
# "![menu](menu.png)" is a picture and no link.
_MARKDOWN = re.compile(
    r"(?<!!)\[(?P<label>[^\]\[\n]{0,300})\]\((?P<url>[^()\s]{0,2000})[^()\n]{0,100}\)"
)
_HTML = re.compile(
    r"<a\b(?P<attributes>[^<>]{0,3000})>(?P<label>.{0,300}?)</a\s*>", re.IGNORECASE | re.DOTALL
)
_HREF = re.compile(r"""\bhref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.IGNORECASE)
# An address behind a quote or "=" belongs to a tag that is broken off.
_BARE = re.compile(r"""(?<![\w"'=])https?://[^\s<>"'()\[\]]{0,2000}""", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]{0,300}>")
# "https://intranet/x" has no host that a user could reach; "localhost" and "[::1]" are for tests.
_HOST = re.compile(r"(?:[\w-]{1,63}\.){1,10}[\w-]{2,63}\.?\Z|localhost\Z|[\d.]+\Z|[0-9a-f:.]+\Z")
# Names that RFC 2606 keeps for examples: an app that links to them has forgotten to fill them in.
_EXAMPLE = re.compile(r"(?:.*\.)?example\.(?:com|org|net)\Z|.*\.(?:example|invalid|test)\Z")
# "mailto:a@b" and "tel:112" need no host, but something behind the colon.
_PLAIN = ("mailto", "tel", "sms", "geo", "whatsapp")


@dataclass(frozen=True, slots=True)
class Link:
    """A link of an answer: where it stands, what it shows, where it leads; None for no label."""

    turn: int
    label: str | None
    url: str


def links_of(trace: Trace) -> Iterator[Link]:
    """The links of all answers: choices, Markdown, HTML and plain addresses, in this order."""
    for number, turn in enumerate(trace.turns):
        if turn.observation is None:
            continue
        for choice in turn.observation.choices:
            if choice.url is not None:
                yield Link(number, choice.label, choice.url)
        yield from _in_text(turn.observation.text[:_LONGEST], number)


def _in_text(text: str, turn: int) -> Iterator[Link]:
    for match in _MARKDOWN.finditer(text):
        yield Link(turn, match["label"], match["url"])
    for match in _HTML.finditer(text):
        href = _HREF.search(match["attributes"])
        target = next((group for group in href.groups() if group is not None), "") if href else ""
        yield Link(turn, _TAG.sub("", match["label"]), target)
    rest = _HTML.sub(" ", _MARKDOWN.sub(" ", text))
    for match in _BARE.finditer(rest):
        yield Link(turn, None, match[0].rstrip(".,;:!?"))


def fault_of(link: Link) -> str:
    """The fault of a link; empty if nothing can be seen."""
    if link.label is not None and not link.label.strip():
        return f"a link without a text to {short(link.url, 60)}"
    label = short(link.label, 40) if link.label is not None else "an address"
    url = link.url.strip()
    if not url or url in ("#", "/", "?"):
        return f"the link {label} leads nowhere"
    why = _wrong_address(url)
    return f"the link {label} to {short(url, 60)} {why}" if why else ""


def _wrong_address(url: str) -> str:
    if len(url) > _LONGEST_URL:
        return "is too long"
    if re.search(r"[\s{}<>|\\^]", url):
        return "has characters that no address has"
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").lower()
        _ = parts.port
    except ValueError:
        return "is no valid address"
    if parts.scheme == "javascript":
        return "runs a script"
    if parts.scheme in _PLAIN:
        return "" if parts.path else "has no address"
    if parts.scheme not in ("http", "https"):
        return "" if parts.scheme or url.startswith(("/", "#")) else "has no scheme such as https:"
    if not host or not _HOST.match(host):
        return "has no host"
    return "leads to a host for examples" if _EXAMPLE.match(host) else ""


def links_cost(trace: Trace, *_: object, **__: object) -> int:
    """The work of reading all links."""
    observations = (turn.observation for turn in trace.turns if turn.observation is not None)
    return 10 + sum(
        10 + 4 * len(observation.choices) + min(len(observation.text), _LONGEST)
        for observation in observations
    )


def explain_faults(faults: list[tuple[str, int]], note: str = "") -> Explained:
    """The faults as a value, with the turns that show them."""
    texts = list(dict.fromkeys(text for text, _ in faults))[:MOST]
    turns = tuple(dict.fromkeys(turn for _, turn in faults))
    return Explained(texts, "; ".join([*texts[:3], *([note] if note else [])]), turns)


@rule_function(conversation=True, cost=links_cost)
def broken_links(trace: Trace) -> Explained:
    """What is wrong with the links in answers, as far as can be seen without following them.

    A link without a text, without a target, to a script, to a host for examples, or with an
    address that is none. Links are choices with an address, and those in Markdown, in HTML and
    as plain addresses in texts.
    """
    return explain_faults(
        [(fault, link.turn) for link in links_of(trace) if (fault := fault_of(link))]
    )
