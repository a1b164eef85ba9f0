"""Which element of a page a step means: the strict navigator's grounding.

Every element that may be meant gets a score: how well the step's words fit one of the texts it
is called by, times how far that text is a name. Elements that are one control to a person count
once. If several are equally good, none is chosen and all are named.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from sparring.model.page import Element
from sparring_plugins.web.pages.choice import Choice
from sparring_plugins.web.pages.controls import VOCABULARY, in_words, is_a, resembles
from sparring_plugins.web.pages.layout import Layout, placed
from sparring_plugins.web.pages.located import explain_located, find_located
from sparring_plugins.web.pages.text_fit import COUNTED, FOLDED, contains, fit, plain
from sparring_plugins.web.roles import Candidate
from sparring_plugins.web.step import Target

#: Scores nearer than this are equal; a text that only contains the words is less certain.
MARGIN = 0.015
# Names that fit in part differ by accident of their length: they need a larger lead than whole
# ones.
MARGIN_OF_PARTS = 0.13
#: A lower score names nothing.
ENOUGH = 0.45

#: Signs that are drawn or written on a button that closes something: "Click on 'x'".
_CROSSES = ("x", "\u00d7", "\u2715", "\u2716", "\u2a2f")
#: Input types that name a field: "the date field", "the password".
_TELLING_TYPES = frozenset(
    {"date", "time", "month", "week", "color", "email", "password", "tel", "url", "number"}
)

Fits = Callable[[Element], bool]


@dataclass(frozen=True)
class Grounding:
    """The elements that a target may mean, best first, and the one that it does mean.

    `chosen` is None if nothing fits, or if several fit equally well (`tied`); `reason` says which.
    `unusable` is the element that is meant but can't be used now (hidden, disabled, covered).
    `all` are the chosen elements if a target means every one that fits.
    """

    candidates: tuple[Candidate, ...] = ()
    chosen: Element | None = None
    unusable: Element | None = None
    reason: str = ""
    tied: tuple[Candidate, ...] = ()
    all: tuple[Element, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether nothing at all fits."""
        return self.chosen is None and self.unusable is None and not self.tied


class Match(NamedTuple):
    """An element with its score, the channel that has it, and whether the words are all of it."""

    element: Element
    score: float
    channel: str
    is_whole: bool


def channels(element: Element) -> Iterable[tuple[str, float, str]]:
    """Yield the texts that an element is called by, each with its weight and its channel."""
    yield element.name, 1.0, "name"
    yield element.label, 1.0, "label"
    if not element.editable:
        yield element.text, 0.98, "text"
    if element.role in ("button", "option") or element.input_type in ("submit", "button", "reset"):
        yield element.value or "", 0.98, "value"
    yield element.placeholder, 0.96, "placeholder"
    yield element.alternative, 0.95, "alternative text"
    yield element.title, 0.9, "title"
    yield element.adjacent, 0.88, "text beside it"
    yield element.column, 0.8, "column"
    yield element.description, 0.75, "description"
    yield from _identifiers(element)
    if element.input_type in _TELLING_TYPES:
        yield element.input_type or "", 0.7, "type"
    yield from _drawn_names(element)
    if element.url:
        yield element.url.rstrip("/").rsplit("/", 1)[-1], 0.55, "address"


def _drawn_names(element: Element) -> Iterator[tuple[str, float, str]]:
    """What a control is called by what is drawn on it: a cross, "three dots", "trash"."""
    if element.role == "button" and plain(element.name or element.title) in VOCABULARY.close_names:
        yield from ((sign, 0.9, "sign") for sign in _CROSSES)
    # "Click on 'trash'": a drawn icon with the classes "icon icon-trash" has no other name.
    if is_nameless_icon(element):
        yield from ((_without_kind(name), 0.6, "class") for name in _css_classes(element))
    for sign in signs_of(element):
        yield from ((name, 0.9, "sign") for name in (sign, f"{sign} icon", f"{sign} sign"))


def signs_of(element: Element) -> tuple[str, ...]:
    """Return what people call the sign that an element is: "three dots" of '⋮' or `more_vert`."""
    shown = "".join((element.name or element.text or element.value or "").split())
    if element.editable or len(shown) > _LONGEST_SIGN:
        return ()
    if not shown:
        names = _icon_names(element) if element.interactive else set[str]()
        return tuple(dict.fromkeys(sign for name in names for sign in _BY_ICON.get(name, ())))
    # a font draws the icon instead of the word `more_vert`
    ligature = _BY_ICON.get(_spelled_out(shown).lower(), ()) if "_" in shown else ()
    return (*_BY_CHARACTER.get(shown.strip("\ufe0e\ufe0f"), ()), *ligature)


def _turned(table: Mapping[str, Sequence[str]]) -> Mapping[str, tuple[str, ...]]:
    """Return by each entry of a table the keys that have it."""
    turned: dict[str, tuple[str, ...]] = {}
    for key, entries in table.items():
        for entry in entries:
            turned[entry] = (*turned.get(entry, ()), key)
    return turned


_BY_CHARACTER = _turned(VOCABULARY.characters)
_BY_ICON = _turned(VOCABULARY.icons)
_LONGEST_SIGN = 30
"""Characters of the longest name of an icon that a font draws instead of it."""


def _icon_names(element: Element) -> set[str]:
    """Return what the classes or the drawing of an icon call it, without its kind."""
    classes = f"{element.attributes.get('class', '')} {element.attributes.get('icon', '')}"
    return {_without_kind(name).lower() for name in classes.split()[:12]}


def _identifiers(element: Element) -> Iterator[tuple[str, float, str]]:
    for key in ("name", "id", "data-testid", "data-test", "aria-label"):
        identifier = element.attributes.get(key, "")
        if not _is_index(identifier, element):
            yield identifier, 0.86, key
            yield _spelled_out(identifier), 0.84, key


def _is_index(identifier: str, element: Element) -> bool:
    """Return whether an identifier has a number that its element's own name does not have.

    Frameworks count from 0: the radio button '4' of a status has the id ``status-3``.
    """
    name = f"{element.name} {element.label}"
    numbers = set(_NUMBER.findall(identifier)) if name.strip() else set[str]()
    return not numbers <= set(_NUMBER.findall(name))


_NUMBER = re.compile(r"\d+")


def is_nameless_icon(element: Element) -> bool:
    """Return whether it is a clickable that has no words of its own."""
    names = (element.name, element.text, element.label, element.title, element.alternative)
    return element.interactive and not element.editable and not any(names)


def _without_kind(name: str) -> str:
    """Return what a class says beyond the kind: "archive" of ``btn-archive``, ``icon-archive``."""
    words = _spelled_out(name).split()
    return " ".join(word for word in words if word.lower() not in _KINDS) or " ".join(words)


_KINDS = frozenset(
    {"btn", "button", "icon", "ico", "fa", "fas", "far", "bi", "mdi", "ti", "link", "feather",
     "lucide", "octicon", "glyphicon"}
)  # fmt: skip


def _css_classes(element: Element) -> list[str]:
    icon = element.attributes.get("icon", "").split()
    return [*element.attributes.get("class", "").split()[:8], *icon[:4]]


@lru_cache(maxsize=4_000)
def _spelled_out(identifier: str) -> str:
    """Write ``first_name`` and ``firstName`` as words."""
    spaced = "".join(f" {c}" if c.isupper() else c for c in identifier)
    return " ".join(spaced.replace("_", " ").replace("-", " ").replace(".", " ").split())


def score(words: str, element: Element, *, exact: bool = False) -> tuple[float, str, bool]:
    """Return how well `words` name `element`, by which channel, and whether they are all of it.

    A number behind a name ("Inbox 3") does not count as text, unless the fit must be `exact`.
    """
    best, channel, is_whole = 0.0, "", False
    for text, weight, name in channels(element):
        if text and (value := fit(words, text)) * weight > best:
            best, channel = value * weight, name
            is_whole = value >= (FOLDED if exact else COUNTED)
    return best, channel, is_whole


def ground(
    target: Target,
    layout: Layout,
    fits: Fits,
    *,
    prefer: Callable[[Element], float] = lambda _: 0.0,
    usable: Fits | None = None,
    choice: Choice | None = None,
) -> Grounding:
    """Find the element that `target` means among those that `fits` accepts.

    `prefer` breaks ties (higher is better) by what the case did before, `choice` those that are
    left by what lies where. `usable` says what can be acted upon now; if only others fit, the best
    of them is `unusable`.
    """
    if target.by:
        return _ground_located(target, layout, fits, usable or _is_usable)
    possible = [e for e in layout.snapshot.elements if is_a(e, target.role) and fits(e)]
    target, possible = _prefer_name_with_all(target, possible)
    matches = _matching(target, possible) or _resembling(target, layout, fits)
    in_place, reason = placed([match.element for match in matches], target, layout)
    if not in_place:
        return Grounding(reason=reason or _describe_nearest(target, layout, fits))
    ids = {element.id for element in in_place}
    matches = _merge_controls([match for match in matches if match.element.id in ids], layout)
    ready, unusable = _split_by_usability(matches, usable or _is_usable)
    return _unusable(unusable) if unusable else _choose(target, ready, layout, prefer, choice)


def _prefer_name_with_all(target: Target, elements: list[Element]) -> tuple[Target, list[Element]]:
    """Return the one thing called so with its "all": 'All orders' for "open all orders"."""
    name = f"all {plain(target.text)}"
    whole = [e for e in elements if e.visible and plain(e.name or e.text) == name]
    if not target.every or target.quoted or not whole:
        return target, elements
    return target.model_copy(update={"every": False}), whole


def _ground_located(target: Target, layout: Layout, fits: Fits, can_use: Fits) -> Grounding:
    """Choose the one element that has an attribute; none or several are not guessed at."""
    located = find_located(target, layout.snapshot.elements)
    located = [element for element in located if fits(element)] or located
    matches = [Match(element, 1.0, target.by or "", True) for element in located]
    visible = [match for match in matches if match.element.visible] or matches
    if target.every and visible:
        return _choose_every(visible)
    if target.ordinal is not None and visible:
        return _choose_nth(target.ordinal, visible)
    if len(visible) != 1:
        reason = explain_located(target, len(visible))
        return Grounding(_candidates(visible), reason=reason)
    if not can_use(visible[0].element):
        return _unusable(visible)
    reason = f"{in_words(visible[0].element)} by its {target.by}"
    return Grounding(_candidates(visible), chosen=visible[0].element, reason=reason)


def _split_by_usability(
    matches: Sequence[Match], can_use: Fits
) -> tuple[Sequence[Match], Sequence[Match]]:
    """Return the usable matches; and the others if one of them is meant instead of these."""
    ready = [match for match in matches if can_use(match.element)]
    blocked = [match for match in matches if match.element.visible and not can_use(match.element)]
    # "Click on 'Pay'": the disabled 'Pay' is meant, not 'Pay later' beside it, which is enabled.
    if not ready or (blocked and blocked[0].score > ready[0].score + MARGIN):
        return ready, blocked or matches
    return ready, ()


def _is_usable(element: Element) -> bool:
    return element.visible and not element.disabled and not element.covered


def _matching(target: Target, elements: Sequence[Element]) -> list[Match]:
    if not target.text.strip():
        return [Match(element, 1.0, "kind", True) for element in elements]
    matches = [Match(e, *score(target.text, e, exact=target.exact)) for e in elements]
    return [m for m in matches if m.score >= ENOUGH and (m.is_whole or not target.exact)]


def _resembling(target: Target, layout: Layout, fits: Fits) -> list[Match]:
    """Return what has exactly this name, and is of the wanted kind by its looks alone."""
    if not target.text.strip():
        return []
    possible = [e for e in layout.snapshot.elements if resembles(e, target.role) and fits(e)]
    return [match for match in _matching(target, possible) if match.is_whole]


def _merge_controls(matches: Sequence[Match], layout: Layout) -> list[Match]:
    """Keep one match of each control: of a link and the text within it, the one that fits best."""
    kept: list[Match] = []

    def rank(match: Match) -> tuple[float, bool, int, int]:
        # A card's picture and its title are one link; the picture may not have loaded.
        element = match.element
        return -match.score, not element.visible, -_worth(element), layout.order[element.id]

    for match in sorted(matches, key=rank):
        if not any(_is_same_control(match.element, other.element, layout) for other in kept):
            kept.append(match)
    return kept


def _worth(element: Element) -> int:
    return 2 * (element.role not in ("text", "generic", "")) + element.interactive


def _is_same_control(element: Element, other: Element, layout: Layout) -> bool:
    if layout.holds(element, other) or layout.holds(other, element):
        return True
    # Two 'Home' links to "/" are one; two 'Like' links to "#" have a script behind each.
    both_links = element.role == other.role == "link" and element.url == other.url
    same_name = (element.name or element.text) == (other.name or other.text)
    return both_links and _leads_elsewhere(element.url) and same_name


def _leads_elsewhere(url: str | None) -> bool:
    """Return whether a link goes to its address: links with a script behind them may differ."""
    return bool(url) and "#" not in str(url) and not str(url).startswith("javascript:")


def _unusable(matches: Sequence[Match]) -> Grounding:
    element = matches[0].element
    states = [
        word
        for holds, word in (
            (not element.visible, "hidden"),
            (element.disabled, "disabled"),
            (element.covered, "covered by something else"),
        )
        if holds
    ]
    return Grounding(
        candidates=_candidates(matches),
        unusable=element,
        reason=f"the {in_words(element)} is {' and '.join(states) or 'not to be used'}",
    )


def _choose(
    target: Target,
    matches: Sequence[Match],
    layout: Layout,
    prefer: Callable[[Element], float],
    choice: Choice | None,
) -> Grounding:
    """Choose among the usable elements that match, or say which are tied."""
    ranked = sorted(matches, key=lambda match: -match.score)
    tied = _list_tied(target, ranked)
    in_order = sorted(tied, key=lambda match: layout.order[match.element.id])
    if target.every:
        return _choose_every(in_order)
    if target.ordinal is not None:
        return _choose_nth(target.ordinal, in_order)
    winner, note = _break_tie(target, tied, prefer)
    if winner is None and choice is not None:
        winner, tied, note = _by_place(choice, tied)
    if winner is None:
        candidates = _candidates([*tied, *(match for match in ranked if match not in tied)])
        names = ", ".join(in_words(match.element) for match in tied[:5])
        more = f" and {len(tied) - 5} more" if len(tied) > 5 else ""
        return Grounding(
            candidates,
            tied=candidates[: len(tied)],
            reason=f"{len(tied)} fit equally well: {names}{more}",
        )
    element, value, channel, _ = winner
    return Grounding(
        _candidates([winner, *(match for match in ranked if match is not winner)]),
        chosen=element,
        reason=f"{in_words(element)} by its {channel} ({value:.2f}){note}",
    )


def _list_tied(target: Target, ranked: Sequence[Match]) -> list[Match]:
    """Return the best matches that are equally good."""
    # "Click on 'Save'" is not sure with 'Save as' and 'Save all': 'Save' is a part of both.
    margin = MARGIN if ranked[0].is_whole else MARGIN_OF_PARTS
    tied = [match for match in ranked if match.score >= ranked[0].score - margin]
    if target.quoted:
        # "Click on 'urna,'" on a page with the links 'urna,' and 'urna'.
        return [match for match in tied if _is_literal(target, match.element)] or tied
    return tied


def _break_tie(
    target: Target, tied: Sequence[Match], prefer: Callable[[Element], float]
) -> tuple[Match | None, str]:
    """Return the one match that is likelier than those it is tied with, and what to add."""
    if len(tied) == 1:
        return tied[0], ""
    preference = max(prefer(match.element) for match in tied)
    preferred = [match for match in tied if prefer(match.element) >= preference - 1e-9]
    if len(preferred) == 1 and preference > 0:
        return preferred[0], f"; of {len(tied)} that fit, the likeliest after the steps before"
    titled = _find_titled(target, tied)
    return (titled[0] if len(titled) == 1 else None), ""


def _by_place(choice: Choice, tied: Sequence[Match]) -> tuple[Match | None, list[Match], str]:
    """Return the match that lies where it is likeliest meant, with a note; else those left."""
    names = {plain(match.element.name or match.element.text) for match in tied}
    if len(names) > 1 and not all(match.is_whole for match in tied):
        return None, list(tied), ""  # 'Save' is a part of both 'Save as' and 'Save all'
    pick = choice.pick([match.element for match in tied])
    left = [match for match in tied if any(match.element is element for element in pick.left)]
    if pick.element is None:
        return None, left, ""
    return left[0], left, f"; of {len(tied)} that fit equally well, {pick.reason}"


def _is_literal(target: Target, element: Element) -> bool:
    """Return whether an element has the words to the letter: 'urna,' and not 'urna'."""
    words = " ".join(target.text.split())
    return any(words == " ".join(text.split()) for text in (element.name, element.text) if text)


def _find_titled(target: Target, tied: Sequence[Match]) -> list[Match]:
    """Return the elements named by their kind: for "the section", the one called "Section 3"."""
    if target.text or not target.role:
        return []
    return [m for m in tied if contains(target.role, m.element.name or m.element.text)]


def _choose_every(tied: Sequence[Match]) -> Grounding:
    return Grounding(
        _candidates(tied),
        chosen=tied[0].element,
        all=tuple(match.element for match in tied),
        reason=f"all {len(tied)} that fit",
    )


def _choose_nth(ordinal: int, tied: Sequence[Match]) -> Grounding:
    """Choose the n-th of equally good elements in reading order; negative from the end."""
    number = ordinal or 1
    index = number - 1 if number > 0 else len(tied) + number
    if not 0 <= index < len(tied):
        return Grounding(
            _candidates(tied), reason=f"only {len(tied)} fit, so there is no number {number}"
        )
    match = tied[index]
    return Grounding(
        _candidates([match, *tied[:index], *tied[index + 1 :]]),
        chosen=match.element,
        reason=f"{in_words(match.element)}, number {index + 1} of {len(tied)} "
        f"by its {match.channel}",
    )


def _candidates(matches: Sequence[Match]) -> tuple[Candidate, ...]:
    return tuple(
        Candidate(element=e.id, score=round(value, 4), reason=f"{in_words(e)} by its {channel}")
        for e, value, channel, _ in matches[:20]
    )


def _describe_nearest(target: Target, layout: Layout, fits: Fits) -> str:
    """Return the reason why nothing fits, with the elements that come nearest."""
    visible = [e for e in layout.snapshot.elements if e.visible and fits(e)]
    kind = target.role or "control"
    if not visible:
        return f"there is no {kind} on the page"
    if not target.text:
        return f"there is no {kind} on the page that could be meant"
    nearest = sorted(visible, key=lambda e: -_similarity(target.text, e))[:3]
    names = ", ".join(in_words(e) for e in nearest)
    return f"no {kind} on the page is called '{target.text}'; there are {names}"


def _similarity(words: str, element: Element) -> float:
    from rapidfuzz import fuzz  # only if nothing fits

    texts = (element.name, element.label, element.text[:200], element.placeholder)
    return max((fuzz.WRatio(words, text) for text in texts if text), default=0.0)
