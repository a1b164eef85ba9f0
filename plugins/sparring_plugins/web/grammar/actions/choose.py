"""Steps that choose: options of lists, boxes, radio buttons."""

import re

from sparring_plugins.web.grammar.actions.click import click_each
from sparring_plugins.web.grammar.phrases.nouns import EVERY
from sparring_plugins.web.grammar.phrases.patterns import (
    Alternatives,
    ClausePlan,
    PatternMatch,
    read_value,
    reader,
    readings,
    split_list,
)
from sparring_plugins.web.grammar.phrases.targets import (
    bare_text,
    read_place,
    read_targets,
    with_default_role,
    with_role,
)
from sparring_plugins.web.grammar.phrases.tokens import (
    Token,
    Tokens,
    has_quotes,
    quotes_in,
    words_in,
)
from sparring_plugins.web.grammar.phrases.vocabulary import BOXES, FIELDS, LISTS, WORDS
from sparring_plugins.web.step import Target

_CLICKED = frozenset(
    {"link", "button", "tab", "menuitem", "icon", "image", "row", "cell", "section", "heading",
     "treeitem", "columnheader", "slider"}
)  # fmt: skip
_NOTHING = frozenset({"nothing", "none", "no", "any", "neither"})
_OPTION = frozenset(
    {"option", "options", "choice", "choices", "value", "values", "entry", "item", "items"}
)


@reader
def choose_nothing(match: PatternMatch) -> ClausePlan | None:
    """Read ``Select nothing and click Submit``."""
    part = match.part("nothing")
    words = [t.low for t in part]
    if not words or words[0] not in _NOTHING or has_quotes(part) or len(words) > 4:
        return None
    return ()


@reader
def select_all_text(match: PatternMatch) -> ClausePlan | None:
    """Read ``Select all text in the field 'Name'``."""
    if not match.has("target"):
        words = {t.low for t in match.tokens}
        texts = bool(words & {"text", "content", "contents", "everything"})
        return (readings("press", value="ControlOrMeta+A"),) if texts else None
    targets = match.targets()
    if not targets or targets[0].role not in FIELDS:
        return None
    return (readings("press", targets, "ControlOrMeta+A"),)


@reader
def accept_terms(match: PatternMatch) -> ClausePlan | None:
    """Read ``Accept the terms and conditions``."""
    part = match.part("what")
    if has_quotes(part) or len(part) > 6:
        return None
    if match.tokens[0].low in ("accept", "agree") and any(t.low in _TERMS for t in part):
        text = bare_text([t for t in part if t.low not in ("to", "with", "the")])
        return (readings("check", (Target(text=text, quoted=False),)),)
    if part[-1].low not in ("cookies", "cookie", "all", "notifications", "invitation", "request"):
        return None
    whole = bare_text(match.tokens).lower()
    return (readings("click", (Target(text=whole, quoted=False),)),)


_TERMS = frozenset({"terms", "conditions", "policy", "agreement", "license", "rules", "licence"})


@reader
def choose_from_list(match: PatternMatch) -> ClausePlan | None:
    """Read ``Select 'France' from the list 'Country'``."""
    part = match.part("values")
    lists = _read_lists(match)
    offered = "or" in words_in(match.part("target"))
    if not lists or offered or _has_other_role(part):
        return None
    if nth_option := _nth_option(part):
        return (
            readings("select", (nth_option.model_copy(update={"region": lists[0].text or None}),)),
        )
    if _is_path(part):
        return click_each(part)
    if lists[0].role == "combobox" and lists[0].region in ("table", "grid"):
        return _click_in_region(lists[0].region, part)
    return tuple(_choose(lists, value) for value in _read_values(part)) or None


def _nth_option(tokens: Tokens) -> Target | None:
    """``the second option``."""
    if has_quotes(tokens):
        return None
    return next((t for t in read_targets(tokens) if t.role == "option" and t.ordinal), None)


def _click_in_region(region: str, tokens: Tokens) -> ClausePlan:
    """What is selected in a table is clicked on."""
    return tuple(
        readings(
            "click", tuple(t.model_copy(update={"region": region}) for t in read_targets(part))
        )
        for part in split_list(tokens)
    )


_FILLED = frozenset({"textbox", "textarea", "searchbox", "spinbutton", "slider"})
# "choose 12.05.2026", "choose 10:30" and "choose May 5, 2026" name a day or time, not an option's
# text.
_DATED = re.compile(r"\d+([./:-]\d+)+(\s?[ap]m)?|[a-z]+ \d{1,2},? \d{4}", re.I)


def _choose(lists: tuple[Target, ...], value: str) -> Alternatives:
    """An option; what has none is filled in."""
    if lists[0].role in _FILLED:
        return readings("fill", lists, value)
    chosen = readings("select", lists, value)
    dated = len(value) < 30 and _DATED.fullmatch(value)
    if lists[0].role in ("field", "input") or (lists[0].role == "combobox" and dated):
        return (*chosen, *readings("fill", tuple(with_role(t, "field") for t in lists), value))
    return chosen


def _is_path(tokens: Tokens) -> bool:
    """Whether it is a way through menus: ``File > Save``."""
    return any(t.text in (">", "→", "»") and not t.quoted for t in tokens)


def _read_lists(match: PatternMatch) -> tuple[Target, ...]:
    """The list that is named; or any list in the row or section that is named."""
    start = match.spans["target"][0] - 1
    place = read_place(match.tokens[start:], has_core=True)
    named = match.targets()
    if place is not None:
        if place.kind == "row" and (not named or named[0].role == "row"):
            return (Target(role="combobox", row=place.text, row_kind=place.called),)
        if place.kind in ("page", "nth_row"):
            return ()
        if named and named[0].role in ("section", "form", "dialog", "table"):
            return (Target(role="combobox", region=place.text),)
    lists = tuple(t for t in named if t.role is None or t.role in FIELDS | LISTS | BOXES)
    return with_default_role(lists, "combobox")


def _has_other_role(tokens: Tokens) -> bool:
    for part in (tokens, *split_list(tokens)):
        targets = read_targets(part)
        if targets and targets[0].role in (BOXES | _CLICKED):
            return True
    return False


def _read_values(tokens: Tokens) -> list[str]:
    """The values that are listed, without the word "option"; empty if they are not plain."""
    rest = _strip_option(tokens)
    if rest and rest[0].low in EVERY and not rest[0].quoted:
        return []
    values = [_read_plain_value(part) for part in split_list(rest)]
    plain = [value for value in values if value is not None]
    return plain if len(plain) == len(values) else []


def _strip_option(tokens: Tokens) -> list[Token]:
    rest = list(tokens)
    while rest and (
        rest[0].low in WORDS.determiners or rest[0].low in _OPTION or rest[0].mark == ":"
    ):
        rest.pop(0)
    while len(rest) > 1 and rest[-1].low in _OPTION and has_quotes(rest):
        rest.pop()
    if len(rest) > 1 and rest[0].low in WORDS.number_nouns and rest[1].text[:1].isdigit():
        rest.pop(0)
    return rest


def _read_plain_value(tokens: Tokens) -> str | None:
    quotes = quotes_in(tokens)
    words = [t for t in tokens if not t.quoted]
    plain = len(words) <= 3 and all(t.kind == "word" and t.low not in ("or", "not") for t in words)
    if len(quotes) == 1 and plain:
        return quotes[0].text
    return None if any(t.low == "or" for t in words) else read_value(tokens)


@reader
def check_boxes(match: PatternMatch) -> ClausePlan | None:
    """Read ``Check the box 'I agree'``."""
    return _set_boxes(match, "check")


@reader
def uncheck_boxes(match: PatternMatch) -> ClausePlan | None:
    """Read ``Uncheck 'Newsletter'``."""
    return _set_boxes(match, "uncheck")


def _as_box(target: Target, match: PatternMatch) -> Target:
    """``Enable notifications``, ``Uncheck the "News" option``: what is ticked goes by its text."""
    if target.role == "alert" and not target.text:
        text = bare_text(match.part("boxes"))
        return target.model_copy(update={"text": text, "quoted": False, "role": None})
    return target.model_copy(update={"role": None}) if target.text else target


def _set_boxes(match: PatternMatch, action: str) -> ClausePlan | None:
    named = _read_boxes(match.part("boxes"))
    if not named:
        return None
    sure = match.tokens[0].low in WORDS.box_verbs
    if sure and named[0][0].role in ("alert", "option"):
        named = [tuple(_as_box(t, match) for t in targets) for targets in named]
    role = named[0][0].role
    if not sure and role not in BOXES:
        return None
    if role is not None and role not in (BOXES | {"option", "menuitem", "row", "field", "image"}):
        return None
    if action == "check":
        return tuple(readings("check", targets) for targets in named)
    return tuple(readings("uncheck", targets) for targets in named)


def _read_boxes(tokens: Tokens) -> list[tuple[Target, ...]]:
    """Targets that are listed; a role said once holds for all of them."""
    tokens = _mark_boxes(_strip_mark(tokens))
    if any(t.low in ("from", "with", "or") and not t.quoted for t in tokens):
        return []
    listed = [read_targets(part) for part in split_list(tokens)]
    if len(listed) > 1 and all(len(targets) for targets in listed):
        role = next((targets[0].role for targets in listed if targets[0].role), None)
        return [
            tuple(t if t.role else t.model_copy(update={"role": role}) for t in targets)
            for targets in listed
        ]
    whole = read_targets(tokens)
    return [whole] if whole else []


def _mark_boxes(tokens: Tokens) -> Tokens:
    """``the box 'x'`` is a box to tick."""
    marked = list(tokens)
    for at, token in enumerate(tokens):
        plain = at == 0 or tokens[at - 1].low not in WORDS.box_kinds
        if token.low in ("box", "boxes") and plain:
            marked[at] = Token("word", token.text, token.start, token.end, "checkbox")
    return marked


def _strip_mark(tokens: Tokens) -> Tokens:
    """``'x' as done`` and ``the box 'x'`` without what says but that it is ticked."""
    words = [token.low for token in tokens]
    if len(words) > 2 and words[-2] == "as" and not tokens[-1].quoted:
        tokens = tokens[:-2]
    if len(words) > 2 and words[-1] in ("on", "off") and tokens[-2].quoted:
        tokens = tokens[:-1]
    return tokens


@reader
def choose_control(match: PatternMatch) -> ClausePlan | None:
    """Read ``Select the tab 'Settings'``."""
    targets = match.targets()
    if targets and targets[0].role in _CLICKED:
        return (readings("click", targets),)
    if targets and targets[0].role == "option" and targets[0].ordinal:
        return (readings("select", targets),)
    return None


@reader
def choose_value(match: PatternMatch) -> ClausePlan | None:
    """Read ``Select "Red" and click Submit``."""
    part = match.part("values")
    if _is_path(part):
        return click_each(part)
    if any(t.low in ("if", "that", "whether", "file") for t in part if not t.quoted):
        return None
    placed = read_targets(part)
    if placed and (placed[0].row or placed[0].region):
        where = Target(role="combobox", row=placed[0].row, row_kind=placed[0].row_kind,
                       region=placed[0].region)  # fmt: skip
        return (readings("select", (where,), placed[0].text),)
    if placed and placed[0].role and placed[0].role not in ("option",):
        return (readings("click", placed),)
    values = _read_values(part)
    return tuple(readings("select", (None,), value) for value in values) if values else None
