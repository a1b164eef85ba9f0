"""Steps that press something: clicks, double and right clicks, expanding, closing."""

from itertools import pairwise

from sparring_plugins.web.grammar.phrases.forms import (
    Alternatives,
    Match,
    Plan,
    coordinated,
    form,
    one,
)
from sparring_plugins.web.grammar.phrases.targets import read_targets
from sparring_plugins.web.grammar.words.control_nouns import ACTIVE
from sparring_plugins.web.grammar.words.keys import ON_BUTTONS, key, single
from sparring_plugins.web.grammar.words.numbers import TIMES, cardinal
from sparring_plugins.web.grammar.words.tokens import Tokens
from sparring_plugins.web.grammar.words.vocabulary import words
from sparring_plugins.web.roles.step import Displayed, InState, Target


@form(
    "Double click",
    "<double> [on|at] {target}",
    "click twice [on] {target}",
    "click two_times [on] {target}",
    "click|double_click|clic|left-click [on] {target} twice",
    "click [on] {target} two_times",
    examples=("Double-click on 'Report.txt'", "Click twice on 'Report.txt'"),
)
def _double(match: Match) -> Plan | None:
    targets = match.targets()
    if not targets:
        return None
    if match.tokens[0].low in ("double", "double-click", "doubleclick", "double-tap", "dblclick"):
        return (one("double_click", targets),)
    return (one("double_click", targets),)


@form(
    "Right click",
    "<right> [on|at] {target}",
    "<click> [on] {target} with_the_right_button|with_the_right_mouse_button|with_right_button",
    "<click> with_the_right_button|with_the_right_mouse_button|with_right_button [on] {target}",
    "open|show|display <the> context_menu|contextmenu of|on|for|over {target}",
    examples=("Right-click on the row 'Invoice'",),
)
def _right(match: Match) -> Plan | None:
    targets = match.targets()
    return (one("right_click", targets),) if targets else None


@form(
    "Press a key",
    "<press> [the] [key|keys|keyboard_key] {keys} [key|keys|on_the_keyboard|key_on_the_keyboard]",
    "<press> [the] [key|keys] {keys} [key] in|inside|within|on|into|while_in {target}",
    "send|use|strike|hold [the] [key|keys|keyboard_shortcut|shortcut] {keys} [key|keys]",
    "press_down [the] [key] {keys} [key]",
    "<press> [the] {keys} {times} times",
    "<press> [the] {keys} twice|thrice|once",
    examples=(
        "Press 'enter'",
        "Press Ctrl+A",
        "Hit the Tab key",
        "Press Enter in the field 'Search'",
    ),
)
def _key(match: Match) -> Plan | None:
    part = match.part("keys")
    named = any(t.low in ("key", "keys", "keyboard") for t in match.tokens if not t.quoted)
    part = [t for t in part if t.low not in ("key", "keys", "the", "keyboard", "combination")]
    said = " ".join(t.text for t in part)
    found = single(said, named=True) if named else key(said)
    if not part or found is None:
        return None
    targets: tuple[Target | None, ...] = (None,)
    if match.has("target"):
        targets = match.targets()
        if not targets or targets[0].role in ("button", "link"):
            return None
    return (_pressed(match, part, found, targets, named=named),) * _times(match)


def _times(match: Match) -> int:
    if match.has("times"):
        return max(1, min(cardinal(match.part("times")[0]) or 1, 50))
    return TIMES.get(match.tokens[-1].low, 1)


def _pressed(
    match: Match, part: Tokens, found: str, targets: tuple[Target | None, ...], *, named: bool
) -> Alternatives:
    pressed = one("press", targets, found)
    if named or match.has("target") or "+" in found or found.startswith("Arrow"):
        return pressed
    if not part[0].quoted and found not in ON_BUTTONS:
        return pressed
    clicked = one("click", read_targets(part))
    return (*clicked, *pressed) if found in ON_BUTTONS else (*pressed, *clicked)


@form(
    "Expand and collapse",
    "<expand> {target}",
    "<collapse> {target}",
    examples=("Expand the section 'Details'", "Expand the section below and click submit",
              "Collapse 'Filters'"),
)  # fmt: skip
def _expanded(match: Match) -> Plan | None:
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
            return (one("click", targets),) if opening else None
    state = "expanded" if opening else "collapsed"
    return tuple(
        one("click", targets, condition=InState(target=target, state=state))
        for target in targets[:1]
    )  # fmt: skip


@form(
    "Close a dialog, menu or message",
    "<close> {target} by|via|using|with clicking|pressing|tapping|hitting|selecting {how}",
    "<close> {target} by|via|using|with {how}",
    "<close> {target}",
    examples=("Close the dialog", 'Close the dialog box by clicking the "x".'),
)
def _closed(match: Match) -> Plan | None:
    if match.has("how"):
        how = match.targets("how")
        return (one("click", how),) if how else None
    targets = match.targets()
    places = ("dialog", "alert", "menu", "tooltip", "iframe", "section")
    if not targets or (targets[0].role not in places and not _closes(targets[0])):
        return None
    where = targets[0].text or targets[0].role
    return (one("click", (Target(text="close", quoted=False, region=where),)),)


_CLOSING = words(
    "banner box bar panel window message overlay sidebar drawer popup notice widget card"
)


def _closes(target: Target) -> bool:
    """Whether unquoted words name something that can be closed ("the cookie banner")."""
    return (
        not target.quoted
        and target.text.casefold().split()[-1:] != []
        and (target.text.casefold().split()[-1] in _CLOSING)
    )


@form(
    "Submit",
    "<submit> [the] {what}",
    "<submit> [it|everything|all|your|changes|the]",
    "<login>",
    "log_out|logout|sign_out|log_off of|from [the] {place}",
    "log_out|logout|sign_out|log-out|signout|log_off|sign-out|sign_up|signup|register|check_out"
    "|checkout|continue|proceed|next|cancel|accept|agree|apply|finish|login|done|reset",
    examples=("Submit the form", "Log out"),
)
def _submitted(match: Match) -> Plan | None:
    word = match.tokens[0]
    if match.has("place"):
        text = " ".join(t.low for t in match.tokens[: match.spans["place"][0]] if t.low in _OUT)
        return (one("click", (Target(text=text, quoted=False),)),)
    if match.has("what"):
        what = [t.low for t in match.part("what")]
        if any(t.quoted for t in match.part("what")) or len(what) > 4:
            return None
        if what[-1] not in (
            "form",
            "it",
            "data",
            "changes",
            "entry",
            "order",
            "page",
            "answer",
            "information",
            "details",
            "request",
            "settings",
            "values",
            "message",
            "query",
            "search",
            "everything",
            "all",
            "application",
            "response",
        ):
            return None  # fmt: skip
        text = word.text.lower()
    else:
        words = [t.text for t in match.tokens if t.low not in ("it", "everything", "the", "all")]
        text = " ".join(words).lower()
    return (one("click", (Target(text=text, quoted=False, role="button" if match.has("what")
                                 else None),)),)  # fmt: skip


_OUT = frozenset({"log", "out", "sign", "logout", "off"})


@form(
    "Sign in by another service",
    "<login> with|using|via {service}",
    "sign_up|register|continue with|using|via {service}",
    examples=("Sign in with Google",),
)
def _by_service(match: Match) -> Plan | None:
    part = match.part("service")
    if len(part) > 2 or any(t.quoted for t in part) or not part[0].text[:1].isupper():
        return None
    text = " ".join(t.text for t in match.tokens)
    return (one("click", (Target(text=text, quoted=False),)),)


@form(
    "Click",
    "<click> [on] {times} times [on] {target}",
    "<click> [on] {target} {times} times",
    "<press> [on] {target} twice|thrice",
    "<click> [on|onto|at|in|into|over] {targets}",
    "toggle {targets}",
    "<focus> [on|into|in|at|onto] {targets}",
    "press [on|onto|at|down_on] {targets}",
    "do_a_click|perform_a_click|make_a_click on {targets}",
    "use [the] {targets}",
    "<login> [with|by|via|using|through] {targets}",
    "send {targets}",
    examples=(
        "Click on 'Accept all'",
        "Click on the link 'Courses'",
        "Click on the 'D' button for Customer 'tutu'",
        "Click on the second 'Add' button in the row of 'Groups'",
        "Click on Vendors",
        "Click on Tab #2.",
        'Click the button in the dialog box labeled "Cancel".',
        "Tap 'File' and 'Save'",
    ),
)
def _clicked(match: Match) -> Plan | None:
    if match.has("target"):
        if match.has("times"):
            number = cardinal(match.part("times")[0]) if len(match.part("times")) == 1 else None
        else:
            number = TIMES[match.tokens[-1].low]
        targets = match.targets()
        return (one("click", targets),) * min(number, 50) if targets and number else None
    if match.tokens[0].low in ("use", "send", "log", "login", "sign"):
        found = match.targets("targets")
        if not found or found[0].role not in ACTIVE:
            return None
        return (one("click", found),)
    return listed_clicks(match.part("targets"))


def listed_clicks(tokens: Tokens) -> Plan | None:
    """A click on each of several, or on each step of a way through menus."""
    way = [read_targets(part) for part in _path(tokens)]
    if way and all(way):
        menus = (opened(targets, following[0]) for targets, following in pairwise(way))
        return (*menus, one("click", way[-1]))
    whole = read_targets(tokens)
    parts = coordinated(tokens)
    listed = [read_targets(part) for part in parts]
    quoted = any(t.quoted for t in tokens)
    if len(parts) > 1 and all(listed) and (quoted or not whole):
        return tuple(one("click", targets) for targets in listed)
    return (one("click", whole),) if whole else None


def opened(targets: tuple[Target, ...], shown: Target) -> Alternatives:
    """A part of a menu is pointed at until the next one can be seen."""
    return one("hover", targets, condition=Displayed(target=shown))


def _path(tokens: Tokens) -> list[Tokens]:
    """``File > Save``: a way through menus."""
    cuts = [n for n, t in enumerate(tokens) if t.text in (">", "→", "»") and not t.quoted]
    if not cuts or cuts[0] == 0 or cuts[-1] == len(tokens) - 1:
        return []
    edges = [-1, *cuts, len(tokens)]
    return [tokens[a + 1 : b] for a, b in pairwise(edges)]
