"""Steps that choose: options of lists, boxes, radio buttons."""

import re

from sparring_plugins.web.grammar.actions.click import listed_clicks
from sparring_plugins.web.grammar.phrases.forms import (
    Alternatives,
    Match,
    Plan,
    coordinated,
    form,
    one,
    read_value,
)
from sparring_plugins.web.grammar.phrases.nouns import DETERMINERS, EVERY
from sparring_plugins.web.grammar.phrases.places import read_place
from sparring_plugins.web.grammar.phrases.targets import bare_text, read_targets
from sparring_plugins.web.grammar.words.control_nouns import BOXES, FIELDS, LISTS
from sparring_plugins.web.grammar.words.tokens import Token, Tokens
from sparring_plugins.web.grammar.words.vocabulary import words
from sparring_plugins.web.roles.step import Target

_CLICKED = frozenset({"link", "button", "tab", "menuitem", "icon", "image", "row", "cell",
    "section",
                      "heading", "treeitem", "columnheader", "slider"})  # fmt: skip
_NOTHING = words("nothing none no any neither")
_OPTION = words("option options choice choices value values entry item items")


@form(
    "Choose nothing",
    "<select> {nothing}",
    "<check> {nothing}",
    examples=("Select nothing and click Submit.",),
)
def _nothing(match: Match) -> Plan | None:
    part = match.part("nothing")
    words = [t.low for t in part]
    if not words or words[0] not in _NOTHING or any(t.quoted for t in part) or len(words) > 4:
        return None
    return ()


@form(
    "Select all text",
    "select|highlight|mark all|everything [the] [text|content|contents] [in|of] [{target}]",
    "select|highlight|mark the [whole|entire|complete] text|content [in|of] [{target}]",
    examples=("Select all text in the field 'Name'",),
)
def _everything(match: Match) -> Plan | None:
    if not match.has("target"):
        words = {t.low for t in match.tokens}
        texts = bool(words & {"text", "content", "contents", "everything"})
        return (one("press", value="ControlOrMeta+A"),) if texts else None
    targets = match.targets()
    if not targets or targets[0].role not in FIELDS:
        return None
    return (one("press", targets, "ControlOrMeta+A"),)


@form(
    "Accept terms",
    "accept|agree_to|agree_with|agree|decline|reject|allow|deny [the] {what}",
    examples=("Accept the terms and conditions", "Accept all cookies"),
)
def _accepted(match: Match) -> Plan | None:
    part = match.part("what")
    if any(t.quoted for t in part) or len(part) > 6:
        return None
    if match.tokens[0].low in ("accept", "agree") and any(t.low in _TERMS for t in part):
        text = bare_text([t for t in part if t.low not in ("to", "with", "the")])
        return (one("check", (Target(text=text, quoted=False),)),)
    if part[-1].low not in ("cookies", "cookie", "all", "notifications", "invitation", "request"):
        return None
    whole = bare_text(match.tokens).lower()
    return (one("click", (Target(text=whole, quoted=False),)),)


_TERMS = frozenset({"terms", "conditions", "policy", "agreement", "license", "rules", "licence"})


@form(
    "Choose an option of a list",
    "<select> {values} <from> {target}",
    "<select> {values} <as> {target}",
    "<select> {values} <into> {target}",
    "<select> {values} <with> {target}",
    examples=(
        "Select 'France' from the list 'Country'",
        'Choose 5ft 9in from the dropdown, then click the button labeled "No".',
        "Pick the option 'Red' in the 'Colour' dropdown",
        "Choose 'Express' as the delivery method",
    ),
)
def _from_list(match: Match) -> Plan | None:
    part = match.part("values")
    lists = _lists(match)
    offered = any(t.low == "or" and not t.quoted for t in match.part("target"))
    if not lists or offered or _has_other_role(part):
        return None
    if not any(t.quoted for t in part):
        ordinals = [t for t in read_targets(part) if t.role == "option" and t.ordinal]
        if ordinals:
            return (
                one("select", (ordinals[0].model_copy(update={"region": lists[0].text or None}),)),
            )
    if _way(part):
        return listed_clicks(part)
    if lists[0].role == "combobox" and lists[0].region in ("table", "grid"):
        where = lists[0].region
        return tuple(
            one("click", tuple(t.model_copy(update={"region": where}) for t in read_targets(p)))
            for p in coordinated(part)
        )
    values = _values(part)
    if not values:
        return None
    return tuple(_chosen(lists, value) for value in values)


_FILLED = frozenset({"textbox", "textarea", "searchbox", "spinbutton", "slider"})
_DATED = re.compile(r"\d+([./:-]\d+)+(\s?[ap]m)?|[a-z]+ \d{1,2},? \d{4}", re.I)


def _chosen(lists: tuple[Target, ...], value: str) -> Alternatives:
    """An option; what has none is filled in."""
    if lists[0].role in _FILLED:
        return one("fill", lists, value)
    chosen = one("select", lists, value)
    dated = len(value) < 30 and _DATED.fullmatch(value)
    if lists[0].role in ("field", "input") or (lists[0].role == "combobox" and dated):
        fields = tuple(t.model_copy(update={"role": "field"}) for t in lists)
        return (*chosen, *one("fill", fields, value))
    return chosen


def _way(tokens: Tokens) -> bool:
    return any(t.text in (">", "→", "»") and not t.quoted for t in tokens)


def _lists(match: Match) -> tuple[Target, ...]:
    """The list that is named; or any list in the row or section that is named."""
    start = match.spans["target"][0] - 1
    place = read_place(match.tokens[start:], has_core=True)
    named = match.targets()
    if place is not None and place.kind == "row" and (not named or named[0].role == "row"):
        return (Target(role="combobox", row=place.text, row_kind=place.called),)
    if place is not None and place.kind in ("page", "nth_row"):
        return ()
    if place is not None and named and named[0].role in ("section", "form", "dialog", "table"):
        return (Target(role="combobox", region=place.text),)
    kept = tuple(t for t in named if t.role is None or t.role in (FIELDS | LISTS | BOXES))
    return tuple(t if t.role else t.model_copy(update={"role": "combobox"}) for t in kept)


def _has_other_role(tokens: Tokens) -> bool:
    for part in (tokens, *coordinated(tokens)):
        found = read_targets(part)
        if found and found[0].role in (BOXES | _CLICKED):
            return True
    return False


def _values(tokens: Tokens) -> list[str]:
    """The values that are listed, without the word "option"."""
    rest = list(tokens)
    while rest and (rest[0].low in DETERMINERS or rest[0].low in _OPTION or rest[0].mark == ":"):
        rest.pop(0)
    while len(rest) > 1 and rest[-1].low in _OPTION and any(t.quoted for t in rest):
        rest.pop()
    if len(rest) > 1 and rest[0].low in _VALUE_NOUNS and rest[1].text[:1].isdigit():
        rest.pop(0)
    if rest and rest[0].low in EVERY and not rest[0].quoted:
        return []
    found = [_value(part) for part in coordinated(rest)]
    values = [value for value in found if value is not None]
    return values if len(values) == len(found) else []


_VALUE_NOUNS = words("date time number year month day size amount quantity value")


def _value(tokens: Tokens) -> str | None:
    quotes = [t for t in tokens if t.quoted]
    words = [t for t in tokens if not t.quoted]
    plain = len(words) <= 3 and all(t.kind == "word" and t.low not in ("or", "not") for t in words)
    if len(quotes) == 1 and plain:
        return quotes[0].text
    return None if any(t.low == "or" for t in words) else read_value(tokens)


@form(
    "Tick boxes and radio buttons",
    "turn|switch|toggle|set {boxes} on",
    "<check> {boxes}",
    "<select> {boxes}",
    examples=(
        "Check the box 'I agree'",
        "Tick 'Remember me'",
        "Check the boxes 'Tea', 'Milk' and 'Sugar'",
        "Choose the radio button 'Express'",
        "Turn on 'Notifications'",
    ),
)
def _checked(match: Match) -> Plan | None:
    return _boxes(match, "check")


@form(
    "Untick boxes",
    "turn|switch|toggle|set {boxes} off",
    "<uncheck> {boxes}",
    examples=("Uncheck 'Newsletter'", "Deselect the checkbox 'Remember me'"),
)
def _unchecked(match: Match) -> Plan | None:
    return _boxes(match, "uncheck")


def _plain_box(target: Target, match: Match) -> Target:
    """``Enable notifications``, ``Uncheck the "News" option``: what is ticked goes by its text."""
    if target.role == "alert" and not target.text:
        text = bare_text(match.part("boxes"))
        return target.model_copy(update={"text": text, "quoted": False, "role": None})
    return target.model_copy(update={"role": None}) if target.text else target


_STRICTLY = words(
    "check tick mark uncheck untick unmark unselect deselect turn_on switch turn toggle"
    "un-check un-tick de-select enable disable activate deactivate remove unset"
)


def _boxes(match: Match, action: str) -> Plan | None:
    named = _targets(match.part("boxes"))
    if not named:
        return None
    sure = match.tokens[0].low in _STRICTLY
    if sure and named[0][0].role in ("alert", "option"):
        named = [tuple(_plain_box(t, match) for t in targets) for targets in named]
    role = named[0][0].role
    if not sure and role not in BOXES:
        return None
    if role is not None and role not in (BOXES | {"option", "menuitem", "row", "field", "image"}):
        return None
    if action == "check":
        return tuple(one("check", targets) for targets in named)
    return tuple(one("uncheck", targets) for targets in named)


def _targets(tokens: Tokens) -> list[tuple[Target, ...]]:
    """Targets that are listed; a role said once holds for all of them."""
    tokens = _with_boxes(_without_mark(tokens))
    if any(t.low in ("from", "with", "or") and not t.quoted for t in tokens):
        return []
    listed = [read_targets(part) for part in coordinated(tokens)]
    if len(listed) > 1 and all(len(found) for found in listed):
        role = next((found[0].role for found in listed if found[0].role), None)
        return [
            tuple(t if t.role else t.model_copy(update={"role": role}) for t in found)
            for found in listed
        ]
    whole = read_targets(tokens)
    return [whole] if whole else []


_OTHER_BOXES = words("text combo list select search check tick radio dialog input edit")


def _with_boxes(tokens: Tokens) -> Tokens:
    """``the box 'x'`` is a box to tick."""
    found = list(tokens)
    for at, token in enumerate(tokens):
        plain = at == 0 or tokens[at - 1].low not in _OTHER_BOXES
        if token.low in ("box", "boxes") and plain:
            found[at] = Token("word", token.text, token.start, token.end, "checkbox")
    return found


def _without_mark(tokens: Tokens) -> Tokens:
    """``'x' as done`` and ``the box 'x'`` without what says but that it is ticked."""
    words = [token.low for token in tokens]
    if len(words) > 2 and words[-2] == "as" and not tokens[-1].quoted:
        tokens = tokens[:-2]
    if len(words) > 2 and words[-1] in ("on", "off") and tokens[-2].quoted:
        tokens = tokens[:-1]
    return tokens


@form(
    "Select something that is no option",
    "<select> {target}",
    examples=("Select the tab 'Settings'", "Choose the link 'Details'"),
)
def _other(match: Match) -> Plan | None:
    targets = match.targets()
    if targets and targets[0].role in _CLICKED:
        return (one("click", targets),)
    if targets and targets[0].role == "option" and targets[0].ordinal:
        return (one("select", targets),)
    return None


@form(
    "Select a value wherever it can be",
    "<select> {values}",
    examples=('Select "Red" and click Submit.', "Select x, y and click Submit."),
)
def _anywhere(match: Match) -> Plan | None:
    part = match.part("values")
    if _way(part):
        return listed_clicks(part)
    if any(t.low in ("if", "that", "whether", "file") for t in part if not t.quoted):
        return None
    placed = read_targets(part)
    if placed and (placed[0].row or placed[0].region):
        where = Target(role="combobox", row=placed[0].row, row_kind=placed[0].row_kind,
                       region=placed[0].region)  # fmt: skip
        return (one("select", (where,), placed[0].text),)
    if placed and placed[0].role and placed[0].role not in ("option",):
        return (one("click", placed),)
    values = _values(part)
    return tuple(one("select", (None,), value) for value in values) if values else None
