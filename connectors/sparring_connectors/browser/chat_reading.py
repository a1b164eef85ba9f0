"""Reading a chat: what the chatbot said since the last time, and what it offers to press."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from sparring.model.page import Element, PageSnapshot
from sparring.model.talk import Choice

_ASIDE = re.compile(
    r"(\d{1,2}[:.]\d{2}(:\d{2})?\s*([ap]\.?m\.?)?|just now|now|today|yesterday|delivered|sent"
    r"|read|seen|\d+\s*(s|sec\w*|m|min\w*|h|hour\w*|days?)( ago)?|you|me|bot|assistant|chatbot"
    r"|user)[,:]?",
    re.IGNORECASE,
)
_WAITING = re.compile(r"[.…•·\s]+|(\S+ ){0,3}(is )?(typing|thinking|writing)\s*(\.{2,}|…)?", re.I)
_TOOLS = re.compile(
    r"(copy|copied|like|dislike|thumbs|good response|bad response|regenerate|retry|share|read aloud"
    r"|listen|edit|delete|close|minimi[sz]e|maximi[sz]e|expand|send|submit|stop|menu|more|emoji"
    r"|attach|upload|microphone|voice|settings|new chat|scroll)\b",
    re.IGNORECASE,
)
_FIGURE = re.compile(r"[~\d.,:]+\s*(tokens?|ms|s|sec\w*|min|t/s|tokens?/s|[kmg]b|%)")
_PRESSED = frozenset({"button", "link", "radio", "option", "menuitem", "generic", "listitem"})


@dataclass(frozen=True, slots=True)
class Side:
    """Who says something (``bot``, ``user``, or nobody knows), and where it stands."""

    speaker: str = ""
    is_in_log: bool = False
    is_beside_field: bool = False


NOBODY = Side()
Sides = Mapping[str, Side]


@dataclass(slots=True)
class Heard:
    """What was there when something was said: the texts by id, and the ids of all else."""

    texts: dict[str, str] = field(default_factory=dict[str, str])
    ids: frozenset[str] = frozenset()

    @classmethod
    def of(cls, snapshot: PageSnapshot) -> "Heard":
        """Everything that a page shows."""
        return cls(
            {one.id: one.text for one in pieces(snapshot)},
            frozenset(one.id for one in snapshot.elements if one.visible),
        )


def pieces(snapshot: PageSnapshot) -> list[Element]:
    """The pieces of text that can be seen."""
    return [one for one in snapshot.elements if one.role == "text" and one.visible and one.text]


def fresh(snapshot: PageSnapshot, before: Heard) -> list[tuple[Element, str]]:
    """The pieces that are new, with what is new of them."""
    found: list[tuple[Element, str]] = []
    for one in pieces(snapshot):
        old = before.texts.get(one.id)
        if old is None:
            found.append((one, one.text))
        elif one.text != old:
            found.append((one, one.text[len(old) :] if one.text.startswith(old) else one.text))
    return found


def answer(
    new: Iterable[tuple[Element, str]], said: str | None, sides: Sides, buttons: frozenset[str]
) -> str:
    """What the chatbot said, without what the user did, times, names and buttons."""
    lines: list[str] = []
    echo = _plain(said) if said else ""
    for one, text in new:
        side = sides.get(one.id, NOBODY).speaker
        plain = _plain(text)
        if side == "user" or one.parent in buttons or not plain or is_aside(plain):
            continue
        if echo and side != "bot" and _echoes(plain, echo):
            echo = ""
            continue
        lines.append(text.strip())
    return "\n".join(lines)


def pressed(snapshot: PageSnapshot) -> frozenset[str]:
    """The ids of all buttons, whose texts are no answers."""
    return frozenset(
        one.id
        for one in snapshot.elements
        if one.interactive and one.role not in ("link", "listitem", "option")
    )


def is_aside(text: str) -> bool:
    """Whether a piece says when or who, or that somebody is writing."""
    return bool(_ASIDE.fullmatch(text.strip()) or _WAITING.fullmatch(text.strip()))


def _echoes(plain: str, echo: str) -> bool:
    return plain == echo or (plain.endswith(echo) and len(plain) <= len(echo) + 15)


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()


def choices(snapshot: PageSnapshot, before: Heard, said: str | None) -> list[Element]:
    """What has come up to be pressed since then: what shows a text, and is no tool."""
    found: list[Element] = []
    labels: set[str] = {_plain(said)} if said else set()
    for one in snapshot.elements:
        label = _plain(one.text)
        if one.id in before.ids or not _can_be_pressed(one) or not label or len(label) > 200:
            continue
        if _TOOLS.match(label) or _FIGURE.fullmatch(label) or is_aside(label) or label in labels:
            continue
        labels.add(label)
        found.append(one)
    return found


def choice_of(one: Element) -> Choice:
    """An element as a choice."""
    url = one.url if one.role == "link" and is_elsewhere(one.url) else None
    return Choice(label=" ".join((one.name or one.text).split()), url=url)


def _can_be_pressed(one: Element) -> bool:
    return (
        one.interactive and one.visible and not one.disabled and not one.editable
        and one.role in _PRESSED and one.tag != "label"
    )  # fmt: skip


def is_elsewhere(url: str | None) -> bool:
    """Whether a link leads to another page."""
    return bool(url) and not str(url).split("#")[0].endswith(("javascript:void(0)", "javascript:;"))
