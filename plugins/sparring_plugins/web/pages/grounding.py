"""Which element of a page a step means: the strict navigator's grounding.

Every element that may be meant gets a score: how well the step's words fit one of the texts it
goes by, times how far that text is a name. Elements that are one control to a person count
once. Where several are equally good nothing is chosen, and they are all named.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from sparring.model.page import Element
from sparring_plugins.web.pages.control_kinds import in_words, is_a, resembles
from sparring_plugins.web.pages.places import Layout, placed
from sparring_plugins.web.pages.text_fit import COUNTED, FOLDED, contains, fit, plain
from sparring_plugins.web.roles.page_agents import Candidate
from sparring_plugins.web.roles.step import Target

#: Scores nearer than this are equal; a text that only has the words as a part of it is less sure.
MARGIN = 0.015
MARGIN_OF_PARTS = 0.13
#: What is less than this names nothing.
ENOUGH = 0.45

#: What a cross stands for, and the signs that are drawn or written for it.
_CLOSES = frozenset({"close", "dismiss", "close dialog", "close window", "close modal"})
_CROSSES = ("x", "\u00d7", "\u2715", "\u2716", "\u2a2f")
#: Fields that go by what they take: the date, the password.
_TELLING_TYPES = frozenset(
    {"date", "time", "month", "week", "color", "email", "password", "tel", "url", "number"}
)

Fits = Callable[[Element], bool]


@dataclass(frozen=True)
class Grounding:
    """The elements that a target may mean, best first, and the one that it does mean.

    `chosen` is None where nothing fits, or several fit equally well (`tied`); `reason` tells which.
    `unusable` is the element that is meant but can't be used now (hidden, disabled, covered).
    `all` are the chosen elements where a target means every one that fits.
    """

    candidates: tuple[Candidate, ...] = ()
    chosen: Element | None = None
    unusable: Element | None = None
    reason: str = ""
    tied: tuple[Candidate, ...] = ()
    all: tuple[Element, ...] = ()


def channels(element: Element) -> Iterable[tuple[str, float, str]]:
    """The texts that `element` goes by, with how far each is a name, and what it is called."""
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
    for key in ("name", "id", "data-testid", "data-test", "aria-label"):
        written = element.attributes.get(key, "")
        yield written, 0.86, key
        yield _spelled_out(written), 0.84, key
    if element.input_type in _TELLING_TYPES:
        yield element.input_type or "", 0.7, "type"
    if element.role == "button" and plain(element.name or element.title) in _CLOSES:
        yield from ((sign, 0.9, "sign") for sign in _CROSSES)
    if _is_a_bare_sign(element):
        yield from ((_spelled_out(one), 0.6, "class") for one in _classes(element))
    if element.url:
        yield element.url.rstrip("/").rsplit("/", 1)[-1], 0.55, "address"


def _is_a_bare_sign(element: Element) -> bool:
    """Whether it takes clicks and has nothing to be called by: a drawn icon."""
    said = (element.name, element.text, element.label, element.title, element.alternative)
    return element.interactive and not element.editable and not any(said)


def _classes(element: Element) -> list[str]:
    return element.attributes.get("class", "").split()[:8]


def _spelled_out(written: str) -> str:
    """``first_name`` and ``firstName`` as words."""
    spaced = "".join(f" {c}" if c.isupper() else c for c in written)
    return " ".join(spaced.replace("_", " ").replace("-", " ").replace(".", " ").split())


def score(words: str, element: Element, *, exact: bool = False) -> tuple[float, str, bool]:
    """How well `words` name `element`, by what of it, and whether they are all of that text.

    A number behind a name ("Inbox 3") is not counted as text, unless it must be `exact`.
    """
    best, by, whole = 0.0, "", False
    for text, weight, called in channels(element):
        if text and (value := fit(words, text)) * weight > best:
            best, by, whole = value * weight, called, value >= (FOLDED if exact else COUNTED)
    return best, by, whole


def ground(
    target: Target,
    layout: Layout,
    fits: Fits,
    *,
    prefer: Callable[[Element], float] = lambda _: 0.0,
    usable: Fits | None = None,
) -> Grounding:
    """Find the element that `target` means among those that `fits` accepts.

    `prefer` breaks ties (higher is better) by what the case did before. `usable` says what can
    be acted upon now; where only others fit, the best of them is `unusable`.
    """
    can_use = usable or _usable
    possible = [e for e in layout.snapshot.elements if is_a(e, target.role) and fits(e)]
    scored = _scored(target, possible) or _resembling(target, layout, fits)
    kept, why = placed([row[0] for row in scored], target, layout)
    if not kept:
        return Grounding(reason=why or _nothing(target, layout, fits))
    ids = {e.id for e in kept}
    scored = _once([row for row in scored if row[0].id in ids], layout)
    ready = [row for row in scored if can_use(row[0])]
    in_the_way = [row for row in scored if row[0].visible and not can_use(row[0])]
    if not ready or (in_the_way and in_the_way[0][1] > ready[0][1] + MARGIN):
        return _unusable(in_the_way or scored)
    return _choose(target, ready, layout, prefer)


def _usable(element: Element) -> bool:
    return element.visible and not element.disabled and not element.covered


Scored = tuple[Element, float, str, bool]


def _scored(target: Target, elements: Sequence[Element]) -> list[Scored]:
    if not target.text.strip():
        return [(e, 1.0, "kind", True) for e in elements]
    rows = [(e, *score(target.text, e, exact=target.exact)) for e in elements]
    return [row for row in rows if row[1] >= ENOUGH and (row[3] or not target.exact)]


def _resembling(target: Target, layout: Layout, fits: Fits) -> list[Scored]:
    """What is called exactly so, and is of the wanted kind by its looks alone."""
    if not target.text.strip():
        return []
    possible = [e for e in layout.snapshot.elements if resembles(e, target.role) and fits(e)]
    return [row for row in _scored(target, possible) if row[3]]


def _once(scored: Sequence[Scored], layout: Layout) -> list[Scored]:
    """One of each control: of a link and the button or text within it, the one that fits best."""
    kept: list[Scored] = []
    for row in sorted(scored, key=lambda r: (-r[1], -_worth(r[0]), layout.order[r[0].id])):
        if not any(_same_control(row[0], other[0], layout) for other in kept):
            kept.append(row)
    return kept


def _worth(element: Element) -> int:
    return 2 * (element.role not in ("text", "generic", "")) + element.interactive


def _same_control(one: Element, other: Element, layout: Layout) -> bool:
    if layout.holds(one, other) or layout.holds(other, one):
        return True
    same_link = one.role == other.role == "link" and one.url == other.url and _leads(one.url)
    return same_link and (one.name or one.text) == (other.name or other.text)


def _leads(url: str | None) -> bool:
    """Whether a link goes to its address: with a script behind it, equal ones may differ."""
    return bool(url) and "#" not in str(url) and not str(url).startswith("javascript:")


def _unusable(scored: Sequence[Scored]) -> Grounding:
    element = scored[0][0]
    states = [
        word
        for holds, word in (
            (not element.visible, "hidden"),
            (element.disabled, "disabled"),
            (element.covered, "covered by something else"),
        )
        if holds
    ]
    why = " and ".join(states) or "not to be used"
    return Grounding(
        candidates=_candidates(scored),
        unusable=element,
        reason=f"the {in_words(element)} is {why}",
    )


def _choose(
    target: Target, scored: Sequence[Scored], layout: Layout, prefer: Callable[[Element], float]
) -> Grounding:
    ranked = sorted(scored, key=lambda row: -row[1])
    margin = MARGIN if ranked[0][3] else MARGIN_OF_PARTS
    tied = [row for row in ranked if row[1] >= ranked[0][1] - margin]
    if target.quoted and (to_the_letter := [row for row in tied if _is_said(target, row[0])]):
        tied = to_the_letter
    note = ""
    if target.every:
        return _every(sorted(tied, key=lambda row: layout.order[row[0].id]))
    if target.ordinal is not None:
        return _nth(target, sorted(tied, key=lambda row: layout.order[row[0].id]))
    if len(tied) > 1:
        liked = max(prefer(row[0]) for row in tied)
        nearer = [row for row in tied if prefer(row[0]) >= liked - 1e-9]
        if len(nearer) == 1 and liked > 0:
            note = f"; of {len(tied)} that fit, the likeliest after the steps before"
            rest = [row for row in ranked if row is not nearer[0]]
            ranked, tied = [*nearer, *rest], nearer
        elif len(titled := _titled(target, tied)) == 1:
            rest = [row for row in ranked if row is not titled[0]]
            ranked, tied = [*titled, *rest], titled
    candidates = _candidates(ranked)
    if len(tied) > 1:
        names = ", ".join(in_words(row[0]) for row in tied[:5])
        more = f" and {len(tied) - 5} more" if len(tied) > 5 else ""
        return Grounding(
            candidates,
            tied=candidates[: len(tied)],
            reason=f"{len(tied)} fit equally well: {names}{more}",
        )
    element, value, by, _ = ranked[0]
    return Grounding(
        candidates, chosen=element, reason=f"{in_words(element)} by its {by} ({value:.2f}){note}"
    )


def _is_said(target: Target, element: Element) -> bool:
    """Whether something is called by the words to the letter: 'urna,' beside 'urna'."""
    said = " ".join(target.text.split())
    return any(said == " ".join(text.split()) for text in (element.name, element.text) if text)


def _titled(target: Target, tied: Sequence[Scored]) -> list[Scored]:
    """Of what goes by its kind alone ("the section"), what says that it is one ("Section 3")."""
    if target.text or not target.role:
        return []
    return [row for row in tied if contains(target.role, row[0].name or row[0].text)]


def _every(tied: Sequence[Scored]) -> Grounding:
    return Grounding(
        _candidates(tied),
        chosen=tied[0][0],
        all=tuple(row[0] for row in tied),
        reason=f"all {len(tied)} that fit",
    )


def _nth(target: Target, tied: Sequence[Scored]) -> Grounding:
    """The n-th of equally good elements, in the order in which the page is read."""
    number = target.ordinal or 1
    index = number - 1 if number > 0 else len(tied) + number
    if not 0 <= index < len(tied):
        return Grounding(
            _candidates(tied), reason=f"only {len(tied)} fit, so there is no number {number}"
        )
    element, _, by, _ = tied[index]
    return Grounding(
        _candidates([tied[index], *tied[:index], *tied[index + 1 :]]),
        chosen=element,
        reason=f"{in_words(element)}, number {index + 1} of {len(tied)} by its {by}",
    )


def _candidates(scored: Sequence[Scored]) -> tuple[Candidate, ...]:
    return tuple(
        Candidate(element=e.id, score=round(value, 4), reason=f"{in_words(e)} by its {by}")
        for e, value, by, _ in scored[:20]
    )


def _nothing(target: Target, layout: Layout, fits: Fits) -> str:
    """Nothing fits: say what comes nearest."""
    shown = [e for e in layout.snapshot.elements if e.visible and fits(e)]
    kind = target.role or "control"
    if not shown:
        return f"there is no {kind} on the page"
    if not target.text:
        return f"there is no {kind} on the page that could be meant"
    near = sorted(shown, key=lambda e: -_likeness(target.text, e))[:3]
    names = ", ".join(in_words(e) for e in near)
    return f"no {kind} on the page is called '{target.text}'; there are {names}"


def _likeness(words: str, element: Element) -> float:
    from rapidfuzz import fuzz  # only where nothing was found

    texts = (element.name, element.label, element.text[:200], element.placeholder)
    return max((fuzz.WRatio(words, text) for text in texts if text), default=0.0)
