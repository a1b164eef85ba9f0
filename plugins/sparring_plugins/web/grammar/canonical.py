"""A reading in plain words: the canonical sentence, which is read back as the same reading."""

from typing import Final

from sparring_plugins.web.grammar.words.control_nouns import CONTROLS
from sparring_plugins.web.grammar.words.quotes import CLOSERS
from sparring_plugins.web.roles.step import (
    AllOf,
    AnyOf,
    Compared,
    Condition,
    Counted,
    Displayed,
    FieldHolds,
    InState,
    Not,
    PageIs,
    Reading,
    Target,
)

_PAIRS = (("'", "'"), ('"', '"'), ("“", "”"), ("«", "»"), ("„", "“"), ("「", "」"))
_PLACES = [
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
]
_NOUNS: Final[dict[str, str]] = {role: " ".join(p) for p, role in reversed(CONTROLS.items())} | {
    role: role for role in CONTROLS.values() if (role,) in CONTROLS and CONTROLS[(role,)] == role
}  # fmt: skip
_COMPARED: Final[dict[str, str]] = {
    "==": "equal to", "!=": "different from", ">=": "at least", ">": "greater than",
    "<=": "at most", "<": "less than",
}  # fmt: skip
_COUNTED: Final[dict[str, str]] = {
    "==": "exactly", ">=": "at least", ">": "more than", "<=": "at most", "<": "fewer than",
}  # fmt: skip
_MODES: Final[dict[str, str]] = {
    "equals": "is", "contains": "contains", "starts": "starts with", "ends": "ends with",
}  # fmt: skip


def quoted(text: str) -> str:
    """`text` in quotes that it does not hold itself."""
    for opening, closing in _PAIRS:
        if not set(text) & {opening, closing, "\\", *CLOSERS[opening]}:
            return f"{opening}{text}{closing}"
    return f"'{text}'"


def described(target: Target) -> str:
    """A target as people name it: ``the second 'Add' button in the row of 'Groups'``."""
    words = ["every" if target.every else "the", _place(target.ordinal)]
    words += ["exactly"] if target.exact else []
    words += [quoted(target.text)] if target.text else []
    words += [_NOUNS.get(target.role, target.role)] if target.role else []
    if not target.text and not target.role:
        words += ["one"] if target.ordinal else []
    if target.row is not None:
        kind = f"for {target.row_kind}" if target.row_kind else "in the row of"
        words.append(f"{kind} {quoted(target.row)}")
    if target.region is not None:
        words.append(f"in the section {quoted(target.region)}")
    said = " ".join(word for word in words if word)
    plain = target.text and not (target.ordinal or target.role or target.exact or target.every)
    return said.removeprefix("the ") if plain else said


def _place(ordinal: int | None) -> str:
    if not ordinal:
        return ""
    if ordinal == -1:
        return "last"
    if ordinal < 0:
        return f"{_place(-ordinal)}-to-last"
    return _PLACES[ordinal - 1] if ordinal <= len(_PLACES) else f"{ordinal}{_suffix(ordinal)}"


def _suffix(number: int) -> str:
    if 10 < number % 100 < 14:
        return "th"
    return {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")


def sentence(reading: Reading) -> str:
    """The canonical sentence of a reading."""
    target = described(reading.target) if reading.target else ""
    value = quoted(reading.value) if reading.value is not None else ""
    match reading.action:
        case "open":
            return f"Open the website {value}" if value else "Open the start page"
        case "fill" | "type":
            return _entered(reading, target, value)
        case "press":
            return f"Press the key {value}" + (f" in {target}" if target else "")
        case "select":
            return _selected(reading, target, value)
        case "upload":
            return f"Upload the file {value}" + (f" to {target}" if target else "")
        case "drag":
            return _dragged(reading, target)
        case "scroll":
            return _scrolled(reading, target)
        case "wait":
            return _waited(reading)
        case "switch_tab" | "close_tab":
            return _tab(reading)
        case "answer_dialog":
            return _answered(reading.value or "accept")
        case "assert":
            return f"Assert that {stated(reading.condition)}" if reading.condition else "Assert"
        case "click" if isinstance(reading.condition, InState):
            verb = "Expand" if reading.condition.state == "expanded" else "Collapse"
            return f"{verb} {target}"
        case "hover" if isinstance(reading.condition, Displayed):
            return f"Hover over {target} until {stated(reading.condition)}"
        case _:
            return f"{_VERBS[reading.action]} {target}".strip()


_VERBS: Final[dict[str, str]] = {
    "click": "Click on", "double_click": "Double-click on", "right_click": "Right-click on",
    "check": "Check", "uncheck": "Uncheck", "hover": "Hover over", "back": "Go back",
    "forward": "Go forward", "reload": "Reload the page",
}  # fmt: skip


def _entered(reading: Reading, target: str, value: str) -> str:
    if not target:
        return f"Type {value}" if reading.action == "type" else f"Fill in {value}"
    if reading.action == "type":
        return f"Type {value} into {target}"
    return f"Clear {target}" if not reading.value else f"Fill {target} with {value}"


def _selected(reading: Reading, target: str, value: str) -> str:
    if not value:
        where = reading.target.region if reading.target else None
        if reading.target and where:
            plain = described(reading.target.model_copy(update={"region": None}))
            return f"Select {plain} from {quoted(where)}"
        return f"Select {target}"
    return f"Select {value}" + (f" from {target}" if reading.target else "")


def _dragged(reading: Reading, target: str) -> str:
    if reading.destination is not None:
        return f"Drag {target} to {described(reading.destination)}"
    way, _, amount = (reading.value or "").partition(" ")
    return (
        f"Drag {target} by {amount} pixels to the {way}"
        if amount
        else f"Drag {target} to the {way}"
    )


def _scrolled(reading: Reading, target: str) -> str:
    way, _, amount = (reading.value or "").partition(" ")
    said = {"bottom": "to the bottom", "top": "to the top"}.get(way, way)
    said += f" by {amount} pixels" if amount else ""
    if not target:
        return f"Scroll {said}"
    return f"Scroll {said} in {target}" if way else f"Scroll to {target}"


def _waited(reading: Reading) -> str:
    if reading.condition is not None:
        atmost = f" up to {reading.value} seconds" if reading.value else ""
        return f"Wait{atmost} until {stated(reading.condition)}"
    return f"Wait {reading.value} seconds" if reading.value else "Wait for the page to load"


def _tab(reading: Reading) -> str:
    if reading.action == "close_tab":
        return "Close the tab"
    value = reading.value or "-1"
    if value == "-1":
        return "Switch to the new tab"
    if value.removeprefix("-").isdigit():
        place = int(value)
        return f"Switch to the {_place(place + 1 if place >= 0 else place)} browser tab"
    return f"Switch to the browser tab {quoted(value)}"


def _answered(value: str) -> str:
    if value in ("accept", "dismiss"):
        return f"{value.capitalize()} the alert"
    return f"Answer the prompt with {quoted(value)}"


def stated(condition: Condition) -> str:
    """A condition in plain words."""
    match condition:
        case Displayed():
            return f"{described(condition.target)} is displayed"
        case Counted():
            return _count(condition)
        case InState():
            return f"{described(condition.target)} is {condition.state}"
        case FieldHolds():
            verb = "is" if condition.mode == "equals" else "contains"
            if condition.target.role is None:
                return f"{described(condition.target)} {verb} {quoted(condition.text)}"
            return f"the value of {described(condition.target)} {verb} {quoted(condition.text)}"
        case PageIs():
            return f"the {condition.property} {_MODES[condition.mode]} {quoted(condition.text)}"
        case Compared():
            other = condition.number or (described(condition.other) if condition.other else "")
            return f"{described(condition.target)} is {_COMPARED[condition.comparison]} {other}"
        case Not():
            return f"it is false that {_inside(condition.condition)}"
        case AllOf():
            return " and ".join(_inside(one, condition) for one in condition.conditions)
        case AnyOf():
            return " or ".join(_inside(one, condition) for one in condition.conditions)


def _inside(condition: Condition, around: Condition | None = None) -> str:
    said = stated(condition)
    loose = isinstance(condition, AnyOf) or (
        isinstance(condition, AllOf) and not isinstance(around, AnyOf)
    )
    return f"({said})" if loose else said


def _count(condition: Counted) -> str:
    number = f"{_COUNTED.get(condition.comparison, 'not')} {condition.number}"
    if condition.unit == "sentence":
        return f"the page has {number} sentences containing {quoted(condition.target.text)}"
    if condition.unit == "text":
        return f"{described(condition.target)} is displayed {number} times"
    target = condition.target
    bare = target.text and target.role is None and not target.quoted
    return f"the number of {target.text if bare else described(target)} is {number}"
