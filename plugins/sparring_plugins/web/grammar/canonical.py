"""Write readings as canonical sentences, which are read back as the same readings."""

from collections.abc import Callable
from functools import cache
from typing import Any, Final

from sparring_plugins.web.grammar.phrases.tokens import CLOSERS, Tokens
from sparring_plugins.web.grammar.phrases.vocabulary import WORDS
from sparring_plugins.web.step import (
    AllOf,
    AnyOf,
    CellHolds,
    ColumnTotal,
    Compared,
    Condition,
    Counted,
    Displayed,
    Downloaded,
    FieldHolds,
    InState,
    Matching,
    Measured,
    Not,
    Ordered,
    PageIs,
    Reading,
    Recalled,
    SortedBy,
    Target,
)

_PAIRS = (("'", "'"), ('"', '"'), ("“", "”"), ("«", "»"), ("„", "“"), ("「", "」"))
_PLACES = ("first", "second", "third", "fourth", "fifth",
           "sixth", "seventh", "eighth", "ninth", "tenth")  # fmt: skip


@cache
def _noun_by_role() -> dict[str, str]:
    """The first noun of each role; the role itself if it is a noun for it."""
    nouns = {role: " ".join(phrase) for phrase, role in reversed(WORDS.controls.items())}
    return nouns | {role: role for phrase, role in WORDS.controls.items() if phrase == (role,)}


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


def quote(text: str) -> str:
    """Return `text` in quotes that it does not hold itself."""
    for opening, closing in _PAIRS:
        if not set(text) & {opening, closing, "\\", *CLOSERS[opening]}:
            return f"{opening}{text}{closing}"
    return f"'{text}'"


def spell(tokens: Tokens) -> str:
    """Return tokens as a text, with blanks between them and quotations in quotes."""
    return " ".join(quote(token.text) if token.quoted else token.text for token in tokens)


def describe_target(target: Target) -> str:
    """Describe a target: ``the second 'Add' button in the row of 'Groups'``."""
    if target.by:
        return _describe_located(target)
    words = ["every" if target.every else "the", _write_ordinal(target.ordinal)]
    words.append("exactly" if target.exact else "")
    words.append(quote(target.text) if target.text else "")
    if target.role:
        words.append(_noun_by_role().get(target.role, target.role))
    elif target.ordinal and not target.text:
        words.append("one")
    words += _describe_place(target)
    phrase = " ".join(word for word in words if word)
    plain = target.text and not (target.ordinal or target.role or target.exact or target.every)
    return phrase.removeprefix("the ") if plain else phrase


def _describe_located(target: Target) -> str:
    """Describe an element named by an attribute: ``the second button with the css '.buy'``."""
    noun = _noun_by_role().get(target.role, target.role) if target.role else "element"
    words = ["every" if target.every else "the", _write_ordinal(target.ordinal), noun]
    return " ".join(
        [*(word for word in words if word), f"with the {target.by} {quote(target.text)}"]
    )


def _describe_place(target: Target) -> list[str]:
    words: list[str] = []
    if target.row is not None:
        kind = f"for {target.row_kind}" if target.row_kind else "in the row of"
        words.append(f"{kind} {quote(target.row)}")
    if target.row_number is not None:
        words.append(f"in the {_write_ordinal(target.row_number)} row")
    if target.region is not None:
        words.append(f"in the section {quote(target.region)}")
    return words


def _write_ordinal(ordinal: int | None) -> str:
    if not ordinal:
        return ""
    if ordinal == -1:
        return "last"
    if ordinal < 0:
        return f"{_write_ordinal(-ordinal)}-to-last"
    return (
        _PLACES[ordinal - 1] if ordinal <= len(_PLACES) else f"{ordinal}{_ordinal_suffix(ordinal)}"
    )


def _ordinal_suffix(number: int) -> str:
    if 10 < number % 100 < 14:
        return "th"
    return {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")


def write_sentence(reading: Reading) -> str:
    """Return the canonical sentence of a reading."""
    target = describe_target(reading.target) if reading.target else ""
    value = quote(reading.value) if reading.value is not None else ""
    written = _WRITERS.get(reading.action, _write_plain)(reading, target, value)
    if reading.only_if is None:
        return written
    return f"If {describe_condition(reading.only_if)}, {written[:1].lower()}{written[1:]}"


def _write_plain(reading: Reading, target: str, value: str) -> str:
    """A step that does something to a target and has no value."""
    match reading.action, reading.condition:
        case "click", InState(state=state):
            return f"{'Expand' if state == 'expanded' else 'Collapse'} {target}"
        case "hover", Displayed() as condition:
            return f"Hover over {target} until {describe_condition(condition)}"
        case _:
            return f"{_VERBS[reading.action]} {target}".strip()


def _write_open(reading: Reading, target: str, value: str) -> str:
    return f"Open the website {value}" if value else "Open the start page"


def _write_press(reading: Reading, target: str, value: str) -> str:
    return f"Press the key {value}" + (f" in {target}" if target else "")


def _write_upload(reading: Reading, target: str, value: str) -> str:
    return f"Upload the file {value}" + (f" to {target}" if target else "")


def _write_remember(reading: Reading, target: str, value: str) -> str:
    return f"Remember {target}" + (f" as {value}" if value else "")


def _write_frame(reading: Reading, target: str, value: str) -> str:
    return f"Switch to the frame {value}" if value else "Switch to the main page"


def _write_assert(reading: Reading, target: str, value: str) -> str:
    if reading.value and reading.condition:
        condition = describe_condition(reading.condition)
        return f"Assert that {condition} within {reading.value} seconds"
    return f"Assert that {describe_condition(reading.condition)}" if reading.condition else "Assert"


_VERBS: Final[dict[str, str]] = {
    "click": "Click on", "double_click": "Double-click on", "right_click": "Right-click on",
    "check": "Check", "uncheck": "Uncheck", "hover": "Hover over", "back": "Go back",
    "forward": "Go forward", "reload": "Reload the page", "new_tab": "Open a new tab",
    "screenshot": "Take a screenshot",
}  # fmt: skip


def _write_enter(reading: Reading, target: str, value: str) -> str:
    if not target:
        return f"Type {value}" if reading.action == "type" else f"Fill in {value}"
    if reading.action == "type":
        return f"Type {value} into {target}"
    if reading.action == "append":
        return f"Append {value} to {target}"
    return f"Clear {target}" if not reading.value else f"Fill {target} with {value}"


def _write_select(reading: Reading, target: str, value: str) -> str:
    if not value:
        where = reading.target.region if reading.target else None
        if reading.target and where:
            plain = describe_target(reading.target.model_copy(update={"region": None}))
            return f"Select {plain} from {quote(where)}"
        return f"Select {target}"
    return f"Select {value}" + (f" from {target}" if reading.target else "")


def _write_drag(reading: Reading, target: str, value: str) -> str:
    if reading.destination is not None:
        return f"Drag {target} to {describe_target(reading.destination)}"
    direction, _, amount = (reading.value or "").partition(" ")
    by = f" by {amount} pixels" if amount else ""
    return f"Drag {target}{by} to the {direction}"


def _write_scroll(reading: Reading, target: str, value: str) -> str:
    direction, _, amount = (reading.value or "").partition(" ")
    where = {"bottom": "to the bottom", "top": "to the top"}.get(direction, direction)
    where += f" by {amount} pixels" if amount else ""
    if not target:
        return f"Scroll {where}"
    return f"Scroll {where} in {target}" if direction else f"Scroll to {target}"


def _write_wait(reading: Reading, target: str, value: str) -> str:
    if reading.condition is not None:
        limit = f" up to {reading.value} seconds" if reading.value else ""
        return f"Wait{limit} until {describe_condition(reading.condition)}"
    return f"Wait {reading.value} seconds" if reading.value else "Wait for the page to load"


def _write_tab(reading: Reading, target: str, value: str) -> str:
    if reading.action == "close_tab":
        return "Close the tab"
    which = reading.value or "-1"
    if which == "-1":
        return "Switch to the new tab"
    if which.removeprefix("-").isdigit():
        place = int(which)
        return f"Switch to the {_write_ordinal(place + 1 if place >= 0 else place)} browser tab"
    return f"Switch to the browser tab {quote(which)}"


def _write_answer(reading: Reading, target: str, value: str) -> str:
    answer = reading.value or "accept"
    if answer in ("accept", "dismiss"):
        return f"{answer.capitalize()} the alert"
    return f"Answer the prompt with {quote(answer)}"


_WRITERS: Final[dict[str, Callable[[Reading, str, str], str]]] = {
    "open": _write_open, "fill": _write_enter, "type": _write_enter, "append": _write_enter,
    "press": _write_press,
    "select": _write_select, "upload": _write_upload, "drag": _write_drag,
    "scroll": _write_scroll, "wait": _write_wait, "switch_tab": _write_tab,
    "close_tab": _write_tab, "answer_dialog": _write_answer, "assert": _write_assert,
    "remember": _write_remember, "switch_frame": _write_frame,
}  # fmt: skip


def describe_condition(condition: Condition) -> str:
    """Describe a condition in plain words."""
    match condition:
        case Displayed():
            return f"{describe_target(condition.target)} is displayed"
        case Counted():
            return _describe_count(condition)
        case InState():
            return f"{describe_target(condition.target)} is {condition.state}"
        case FieldHolds():
            owner = "" if condition.target.role is None else "the value of "
            verb = "is" if condition.mode == "equals" else "contains"
            return f"{owner}{describe_target(condition.target)} {verb} {quote(condition.text)}"
        case PageIs():
            return f"the {condition.property} {_MODES[condition.mode]} {quote(condition.text)}"
        case Compared() | Ordered():
            return _describe_compared(condition)
        case Not():
            return f"it is false that {_describe_part(condition.condition)}"
        case AllOf() | AnyOf():
            joint = " and " if isinstance(condition, AllOf) else " or "
            return joint.join(_describe_part(part, condition) for part in condition.conditions)
        case _:
            return _EVERYDAY[condition.kind](condition)


def _describe_cell(condition: CellHolds) -> str:
    place = (
        f"the row of {quote(condition.row)}"
        if condition.row
        else f"the {_write_ordinal(condition.row_number)} row"
    )
    compared = "" if condition.comparison == "==" else f"{_COMPARED[condition.comparison]} "
    return f"{quote(condition.column)} in {place} is {compared}{quote(condition.text)}"


def _describe_total(condition: ColumnTotal) -> str:
    compared = f"{_COMPARED[condition.comparison]} {condition.number}"
    return f"the {condition.of} of the column {quote(condition.column)} is {compared}"


def _describe_order(condition: SortedBy) -> str:
    order = "descending" if condition.descending else "ascending"
    return f"the table is sorted by {quote(condition.column)} in {order} order"


def _describe_matching(condition: Matching) -> str:
    if condition.target is None:
        return f"a text matching {quote(condition.pattern)} is displayed"
    return f"{describe_target(condition.target)} matches the pattern {quote(condition.pattern)}"


def _describe_measured(condition: Measured) -> str:
    compared = _COUNTED.get(condition.comparison, "not").replace("fewer", "less")
    return f"there are {compared} {condition.number} {condition.unit} of {condition.words}"


def _describe_download(condition: Downloaded) -> str:
    name = f" {quote(condition.name)}" if condition.name else ""
    if condition.rows is not None:
        return f"the downloaded file{name} has {condition.rows} rows"
    if condition.text:
        return f"the downloaded file{name} contains {quote(condition.text)}"
    return f"the file{name} was downloaded"


def _describe_recalled(condition: Recalled) -> str:
    target, name = describe_target(condition.target), condition.name
    if condition.plus:
        sign = "plus" if condition.plus > 0 else "minus"
        if name:
            return f"{target} is now {quote(name)} {sign} {abs(condition.plus):g}"
        changed = "increased" if condition.plus > 0 else "decreased"
        return f"{target} has {changed} by {abs(condition.plus):g}"
    if condition.comparison in ("==", "!="):
        compared = "the same as" if condition.comparison == "==" else "changed since"
        return f"{target} is {compared} {quote(name) if name else 'before'}"
    return f"{target} is {_COMPARED[condition.comparison]} before"


_EVERYDAY: Final[dict[str, Callable[[Any], str]]] = {
    "cell_holds": _describe_cell,
    "column_total": _describe_total,
    "sorted_by": _describe_order,
    "leads_to": lambda c: f"{describe_target(c.target)} leads to {quote(c.address)}",
    "matching": _describe_matching,
    "measured": _describe_measured,
    "downloaded": _describe_download,
    "page_sound": lambda c: (
        "all images are loaded" if c.part == "images" else "there are no errors in the console"
    ),
    "recalled": _describe_recalled,
}


def _describe_compared(condition: Compared | Ordered) -> str:
    target = describe_target(condition.target)
    if isinstance(condition, Ordered):
        return f"{target} is displayed before {describe_target(condition.other)}"
    other = condition.number or (describe_target(condition.other) if condition.other else "")
    if condition.by_place:
        return f"{target} is {'above' if condition.comparison == '>' else 'below'} {other}"
    return f"{target} is {_COMPARED[condition.comparison]} {other}"


def _describe_part(condition: Condition, around: Condition | None = None) -> str:
    text = describe_condition(condition)
    loose = isinstance(condition, AnyOf) or (
        isinstance(condition, AllOf) and not isinstance(around, AnyOf)
    )
    return f"({text})" if loose else text


def _describe_count(condition: Counted) -> str:
    number = f"{_COUNTED.get(condition.comparison, 'not')} {condition.number}"
    if condition.unit == "sentence":
        return f"the page has {number} sentences containing {quote(condition.target.text)}"
    if condition.unit == "text":
        return f"{describe_target(condition.target)} is displayed {number} times"
    target = condition.target
    bare = target.text and target.role is None and not target.quoted
    return f"the number of {target.text if bare else describe_target(target)} is {number}"
