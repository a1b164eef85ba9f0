"""Steps that press something: clicks, double and right clicks, expanding, closing."""

from itertools import pairwise

from sparring_plugins.web.grammar.phrases.numbers import (
    ON_BUTTONS,
    TIMES,
    read_cardinal,
    read_key,
    read_single_key,
)
from sparring_plugins.web.grammar.phrases.patterns import (
    Alternatives,
    ClausePlan,
    PatternMatch,
    reader,
    readings,
    split_list,
)
from sparring_plugins.web.grammar.phrases.targets import read_targets
from sparring_plugins.web.grammar.phrases.tokens import Tokens, has_quotes
from sparring_plugins.web.grammar.phrases.vocabulary import ACTIVE, WORDS
from sparring_plugins.web.step import Displayed, InState, Target


@reader
def double_click(match: PatternMatch) -> ClausePlan | None:
    """Read ``Double-click on 'Report.txt'``."""
    targets = match.targets()
    return (readings("double_click", targets),) if targets else None


@reader
def right_click(match: PatternMatch) -> ClausePlan | None:
    """Read ``Right-click on the row 'Invoice'``."""
    targets = match.targets()
    return (readings("right_click", targets),) if targets else None


@reader
def press_key(match: PatternMatch) -> ClausePlan | None:
    """Read ``Press 'enter'``."""
    part = match.part("keys")
    named = any(t.low in ("key", "keys", "keyboard") for t in match.tokens if not t.quoted)
    part = [t for t in part if t.low not in ("key", "keys", "the", "keyboard", "combination")]
    text = " ".join(t.text for t in part)
    key = read_single_key(text, named=True) if named else read_key(text)
    if not part or key is None:
        return None
    targets: tuple[Target | None, ...] = (None,)
    if match.has("target"):
        targets = match.targets()
        if not targets or targets[0].role in ("button", "link"):
            return None
        if not named and _names_a_control(part, targets[0]):
            return None
    return (_press(match, part, key, targets, named=named),) * _count_times(match)


#: Keys that controls of rows and cards are called by, too.
_KEYS_ON_CONTROLS = frozenset({"delete", "home", "end", "insert", "space", "escape", "up", "down"})


def _names_a_control(part: Tokens, target: Target) -> bool:
    """Return whether "Press delete in the row of Oak" is a click: no row takes a key."""
    is_word = len(part) == 1 and not part[0].quoted and part[0].low in _KEYS_ON_CONTROLS
    return is_word and (target.role == "row" or target.row is not None)


def _count_times(match: PatternMatch) -> int:
    if match.has("times"):
        return max(1, min(read_cardinal(match.part("times")[0]) or 1, 50))
    return TIMES.get(match.tokens[-1].low, 1)


def _press(
    match: PatternMatch,
    part: Tokens,
    key: str,
    targets: tuple[Target | None, ...],
    *,
    named: bool,
) -> Alternatives:
    pressed = readings("press", targets, key)
    if named or match.has("target") or "+" in key or key.startswith("Arrow"):
        return pressed
    if not part[0].quoted and key not in ON_BUTTONS:
        return pressed
    clicked = readings("click", read_targets(part))
    return (*clicked, *pressed) if key in ON_BUTTONS else (*pressed, *clicked)


@reader
def expand_or_collapse(match: PatternMatch) -> ClausePlan | None:
    """Read ``Expand the section 'Details'``."""
    word = match.tokens[0].low
    targets = match.targets()
    opening = word in ("expand", "unfold", "uncollapse", "extend")
    if not targets:
        return None
    if not opening and word not in ("collapse", "fold"):
        if targets[0].role not in ("section", "combobox", "menu", "treeitem", "row", "list"):
            return None
        opening = word not in ("close", "hide", "minimize", "minimise")
        if targets[0].role not in ("section", "treeitem"):
            return (readings("click", targets),) if opening else None
    state = "expanded" if opening else "collapsed"
    return tuple(
        readings("click", targets, condition=InState(target=target, state=state))
        for target in targets[:1]
    )  # fmt: skip


@reader
def close_part(match: PatternMatch) -> ClausePlan | None:
    """Read ``Close the dialog``."""
    if match.has("how"):
        how = match.targets("how")
        return (readings("click", how),) if how else None
    targets = match.targets()
    places = ("dialog", "alert", "menu", "tooltip", "iframe", "section")
    if not targets or (targets[0].role not in places and not _is_closable(targets[0])):
        return None
    where = targets[0].text or targets[0].role
    return (readings("click", (Target(text="close", quoted=False, region=where),)),)


def _is_closable(target: Target) -> bool:
    """Whether unquoted words name something that can be closed ("the cookie banner")."""
    return (
        not target.quoted
        and target.text.casefold().split()[-1:] != []
        and (target.text.casefold().split()[-1] in WORDS.closable)
    )


@reader
def submit_form(match: PatternMatch) -> ClausePlan | None:
    """Read ``Submit the form``."""
    word = match.tokens[0]
    if match.has("place"):
        text = " ".join(t.low for t in match.tokens[: match.spans["place"][0]] if t.low in _OUT)
        return (readings("click", (Target(text=text, quoted=False),)),)
    if match.has("what"):
        what = [t.low for t in match.part("what")]
        if has_quotes(match.part("what")) or len(what) > 4:
            return None
        if what[-1] not in WORDS.submitted:
            return None
        text = word.text.lower()
    else:
        words = [t.text for t in match.tokens if t.low not in ("it", "everything", "the", "all")]
        text = " ".join(words).lower()
    return (readings("click", (Target(text=text, quoted=False, role="button" if match.has("what")
                                 else None),)),)  # fmt: skip


_OUT = frozenset({"log", "out", "sign", "logout", "off"})


@reader
def log_in_by_service(match: PatternMatch) -> ClausePlan | None:
    """Read ``Sign in with Google``."""
    part = match.part("service")
    if len(part) > 2 or has_quotes(part) or not part[0].text[:1].isupper():
        return None
    text = " ".join(t.text for t in match.tokens)
    return (readings("click", (Target(text=text, quoted=False),)),)


@reader
def click(match: PatternMatch) -> ClausePlan | None:
    """Read ``Click on 'Show all'``."""
    if match.has("target"):
        if match.has("times"):
            number = (
                read_cardinal(match.part("times")[0]) if len(match.part("times")) == 1 else None
            )
        else:
            number = TIMES[match.tokens[-1].low]
        targets = match.targets()
        return (readings("click", targets),) * min(number, 50) if targets and number else None
    if match.tokens[0].low in ("use", "send", "log", "login", "sign"):
        named = match.targets("targets")
        if not named or named[0].role not in ACTIVE:
            return None
        return (readings("click", named),)
    return click_each(match.part("targets"))


def click_each(tokens: Tokens) -> ClausePlan | None:
    """A click on each of several, or on each step of a way through menus."""
    path = [read_targets(part) for part in _split_path(tokens)]
    if path and all(path):
        menus = (hover_until(targets, following[0]) for targets, following in pairwise(path))
        return (*menus, readings("click", path[-1]))
    whole = read_targets(tokens)
    parts = split_list(tokens)
    listed = [read_targets(part) for part in parts]
    quoted = has_quotes(tokens)
    if len(parts) > 1 and all(listed) and (quoted or not whole):
        return tuple(readings("click", targets) for targets in listed)
    return (readings("click", whole),) if whole else None


def hover_until(targets: tuple[Target, ...], shown: Target) -> Alternatives:
    """A part of a menu is pointed at until the next one can be seen."""
    return readings("hover", targets, condition=Displayed(target=shown))


def _split_path(tokens: Tokens) -> list[Tokens]:
    """``File > Save``: a way through menus."""
    cuts = [n for n, t in enumerate(tokens) if t.text in (">", "→", "»") and not t.quoted]
    if not cuts or cuts[0] == 0 or cuts[-1] == len(tokens) - 1:
        return []
    edges = [-1, *cuts, len(tokens)]
    return [tokens[a + 1 : b] for a, b in pairwise(edges)]
