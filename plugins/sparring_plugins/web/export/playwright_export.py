"""A test case in plain language as a test of Playwright's own.

An act is written with the element that was frozen beside the case (role and name, label,
placeholder, test id: what Playwright advises, in its order); without a frozen act, with what the
sentence names. An assertion becomes ``expect(...)``. What Playwright has no words for ("the
subtotal is less than the total") is not left out silently: the test fails there and says why.
"""

import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urljoin

from sparring_plugins.web.export.playwright_code import (
    Chain,
    Comment,
    Environment,
    Expectation,
    LatestTab,
    Missing,
    NextDialog,
    Pattern,
    Stable,
    Statement,
)
from sparring_plugins.web.runner.frozen_steps import Fingerprint, FrozenAct, FrozenStep
from sparring_plugins.web.step import (
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
    Step,
    Target,
)
from sparring_plugins.web.suites.case import MARK, TestCase

#: Roles that a sentence may name and Playwright does not know; any field is found by its label.
_FIELDS: Final = frozenset(
    {"field", "input", "textbox", "searchbox", "spinbutton", "date", "combobox", "listbox"}
)
#: Roles of a snapshot that are no ARIA roles, or that hold text only.
_NO_ROLES: Final = frozenset({"text", "generic", "paragraph", "iframe", "none", "presentation"})
#: What a row, a list item or a card is in HTML: "in the row of 'Hand mill'".
_ROWS: Final = "tr, li, article, [role=row], [role=listitem]"
#: The attributes that people give elements for their tests.
_TEST_IDS: Final = ("data-testid", "data-test")
_STATES: Final[dict[str, tuple[str, tuple[object, ...]]]] = {
    "checked": ("to_be_checked", ()),
    "enabled": ("to_be_enabled", ()),
    "disabled": ("to_be_disabled", ()),
    "focused": ("to_be_focused", ()),
    "editable": ("to_be_editable", ()),
    "empty": ("to_be_empty", ()),
    "expanded": ("to_have_attribute", ("aria-expanded", "true")),
    "collapsed": ("to_have_attribute", ("aria-expanded", "false")),
    "pressed": ("to_have_attribute", ("aria-pressed", "true")),
    "selected": ("to_have_attribute", ("aria-selected", "true")),
    "readonly": ("to_have_attribute", ("readonly", Pattern(""))),
    "required": ("to_have_attribute", ("required", Pattern(""))),
    "invalid": ("to_have_attribute", ("aria-invalid", "true")),
}
#: Acts on what a sentence may name without its kind: "Click on 'Cart'".
_CLICKS: Final = frozenset({"click", "double_click", "right_click"})
_MILLISECONDS: Final = 1000


@dataclass(frozen=True)
class ExportedTest:
    """A test case as statements; `missing` are the steps that could not be written, with reasons.

    The steps are numbered as in the test case.
    """

    title: str
    statements: tuple[Statement, ...]
    missing: tuple[tuple[int, str], ...] = ()


def export_case(
    case: TestCase,
    frozen: Mapping[int, FrozenStep],
    *,
    base_url: str = "",
    secrets: Mapping[str, str] | None = None,
    accepts_dialogs: bool = True,
) -> list[ExportedTest]:
    """Return a test case as tests of Playwright's: one for each combination of what it varies.

    Args:
        case: the test case, as it was loaded.
        frozen: its frozen steps, by number; those whose sentence has changed since are not used.
        base_url: the address of the app; addresses in the case are relative to it.
        secrets: the environment variable of each secret, by the secret's name.
        accepts_dialogs: whether dialogs are accepted that no step answers; Playwright itself
            dismisses them.
    """
    tests: list[ExportedTest] = []
    for values in itertools.product(*case.vary.values()):
        chosen = dict(zip(case.vary, values, strict=True))
        filled = case.with_values(chosen) if chosen else case
        title = " ".join([case.name, *values])
        exporter = _Exporter(base_url, dict(secrets or {}), {} if chosen else dict(frozen))
        exporter.accepts_dialogs = accepts_dialogs
        tests.append(exporter.export(filled, title))
    return tests


class CannotExport(Exception):
    """A step, or a part of it, for which Playwright has no words."""


@dataclass
class _Exporter:
    """Writes the steps of one test case."""

    base_url: str
    secrets: dict[str, str]
    frozen: dict[int, FrozenStep]
    accepts_dialogs: bool = True
    statements: list[Statement] = field(default_factory=list[Statement])
    missing: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])

    def export(self, case: TestCase, title: str) -> ExportedTest:
        """Return the whole test case."""
        answers = any(
            step.reading and step.reading.action == "answer_dialog" for step in case.steps
        )
        if self.accepts_dialogs and not answers:
            self.statements.append(NextDialog(accepted=True, every=True))
        self.statements.append(Chain().call("goto", self._address(case.start)))
        expected = dict(zip((step.number for step in case.steps), case.expected, strict=False))
        for steps, used in ((case.setup, {}), (case.steps, expected), (case.teardown, {})):
            for step in steps:
                own = steps is case.steps
                self._add(step, own=own, wanted=used.get(step.number) is not False)
        return ExportedTest(title, tuple(self.statements), tuple(self.missing))

    def _add(self, step: Step, *, own: bool, wanted: bool) -> None:
        """Add the statements of one step, after its sentence as a comment."""
        comment = Comment(step.text)
        try:
            new = list(self._step(step, self.frozen.get(step.number) if own else None, wanted))
        except CannotExport as err:
            self.missing.append((step.number, str(err)))
            new = [Missing(f"{step.text}: {err}")]
        dialogs = [statement for statement in new if isinstance(statement, NextDialog)]
        rest = [statement for statement in new if not isinstance(statement, NextDialog)]
        # Playwright dismisses a dialog that nobody waits for: the answer of "Accept the alert" has
        # to be given before the act that opened the alert, which is the last one before this step.
        before = next(
            (n for n in reversed(range(len(self.statements))) if _acts(self.statements[n])),
            len(self.statements),
        )
        self.statements[before:before] = dialogs
        self.statements += [comment, *rest]
        if any(map(_acts, new)):
            self.statements.append(Stable())

    def _step(self, step: Step, frozen: FrozenStep | None, wanted: bool) -> Iterator[Statement]:
        reading = step.reading
        if frozen is not None and frozen.text == step.text:
            for act in frozen.acts:
                yield from self._frozen_act(act, reading)
        elif reading is None:
            raise CannotExport("the sentence is not understood without a page")
        elif step.asserts and reading.condition is not None:
            yield from self._expect(reading.condition, wanted)
        else:
            yield from self._act(reading)

    # acts

    def _frozen_act(self, act: FrozenAct, reading: Reading | None) -> Iterator[Statement]:
        target = reading.target if reading else None
        element = self._fingerprint(act.target, target) if act.target else None
        destination = self._fingerprint(act.destination, None) if act.destination else None
        native = act.target is not None and act.target.tag == "select"
        yield from self._write(act.action, element, act.value, destination, native=native)

    def _act(self, reading: Reading) -> Iterator[Statement]:
        if reading.action == "wait" and reading.condition is not None:
            yield from self._expect(reading.condition, wanted=True)
            return
        value, target = _choice(reading) if reading.action == "select" else (None, reading.target)
        element = self._acted_upon(reading.action, target) if target else None
        destination = self._target(reading.destination) if reading.destination else None
        yield from self._write(reading.action, element, value or reading.value, destination)

    def _acted_upon(self, action: str, target: Target) -> Chain:
        if action in _CLICKS and target.role is None and target.text:
            return _clickable(target)
        return self._target(target)

    def _write(
        self,
        action: str,
        element: Chain | None,
        value: str | None,
        destination: Chain | None = None,
        *,
        native: bool = True,
    ) -> Iterator[Statement]:
        if element is None:
            yield self._on_page(action, value)
        elif action in _ON_ELEMENT:
            yield from _ON_ELEMENT[action](element, self._value(value or ""))
        elif action == "select" and native:
            yield element.call("select_option", self._value(value or ""))
        elif action == "select":
            yield element.call("click")
            yield Chain().call("get_by_role", "option", name=value, exact=True).call("click")
        elif action == "drag" and destination is not None:
            yield element.call("drag_to", destination)
        elif action == "scroll":
            yield element.call("scroll_into_view_if_needed")
        else:
            raise CannotExport(f"Playwright has no call for '{action}' of an element")

    def _on_page(self, action: str, value: str | None) -> Statement:
        """Return what acts upon the page itself."""
        if action in _ON_PAGE:
            return _ON_PAGE[action](value)
        if action in ("open", "goto"):
            return Chain().call("goto", self._address(value))
        raise CannotExport(f"Playwright has no call for '{action}' without an element")

    def _value(self, value: str) -> object:
        """Return a value; a secret as its environment variable, never as what it is."""
        mark = MARK.fullmatch(value)
        if mark is not None:
            name = mark[1]
            return Environment(self.secrets.get(name, re.sub(r"\W", "_", name).upper()))
        if MARK.search(value):
            raise CannotExport("a secret stands in the middle of a text")
        return value

    def _address(self, address: str | None) -> str:
        return urljoin(self.base_url, address) if address else self.base_url or "/"

    # elements

    def _fingerprint(self, wanted: Fingerprint, target: Target | None) -> Chain:
        """Return a frozen element, within the row that the sentence names."""
        scope = _row_of(target)
        for name in _TEST_IDS:
            if value := wanted.attributes.get(name):
                found = scope.call("locator", f"[{name}={_css_string(value)}]")
                return _nth(found, target)
        role_known = wanted.role not in _NO_ROLES
        if role_known and wanted.name:
            found = scope.call("get_by_role", wanted.role, name=wanted.name, exact=True)
        elif wanted.label:
            found = scope.call("get_by_label", wanted.label, exact=True)
        elif wanted.placeholder:
            found = scope.call("get_by_placeholder", wanted.placeholder, exact=True)
        elif wanted.text:
            found = scope.call("get_by_text", wanted.text, exact=True)
        elif wanted.attributes.get("id"):
            found = scope.call("locator", f"[id={_css_string(wanted.attributes['id'])}]")
        elif role_known:
            found = scope.call("get_by_role", wanted.role)
        else:
            raise CannotExport("the frozen element has neither a name nor a role")
        return _nth(found, target)

    def _target(self, target: Target) -> Chain:
        """Return what a sentence names."""
        scope = _row_of(target)
        text, role, exact = target.text, target.role, {"exact": True}
        if not text and role == "form":
            found = scope.call("locator", "form")  # without a name it has no role in ARIA
        elif not text and role and role not in _FIELDS:
            found = scope.call("get_by_role", role)
        elif not text:
            raise CannotExport("the sentence names no text to find the element by")
        elif role == "choices":
            found = scope.call("get_by_label", text)
        elif role in _FIELDS:
            found = scope.call("get_by_label", text, **exact)
        elif role:
            found = scope.call("get_by_role", role, name=text, **exact)
        else:
            found = scope.call("get_by_text", text, **({"exact": True} if target.exact else {}))
        return _nth(found, target)

    # assertions

    def _expect(self, condition: Condition, wanted: bool) -> Iterator[Statement]:
        """Write that a condition holds, or with `wanted` false that it does not."""
        match condition:
            case Not():
                yield from self._expect(condition.condition, not wanted)
            case AllOf() if wanted:
                for part in condition.conditions:
                    yield from self._expect(part, wanted=True)
            case AnyOf() if not wanted:
                for part in condition.conditions:
                    yield from self._expect(part, wanted=False)
            case AnyOf() if all(isinstance(part, Displayed) for part in condition.conditions):
                yield _visible(self._any_of(condition.conditions), wanted=True)
            case AllOf() | AnyOf():
                raise CannotExport("Playwright has no words for this combination of conditions")
            case _:
                yield self._expect_one(condition, wanted)

    def _any_of(self, parts: Sequence[Condition]) -> Chain:
        first, *rest = [self._target(part.target) for part in parts if isinstance(part, Displayed)]
        for other in rest:
            first = first.call("or_", other)
        return first

    def _expect_one(self, condition: Condition, wanted: bool) -> Expectation:
        match condition:
            case Displayed():
                return _visible(self._target(condition.target), wanted=wanted)
            case InState():
                name, arguments = _STATES[condition.state]
                return _expect(self._target(condition.target), name, *arguments, wanted=wanted)
            case FieldHolds():
                whole = condition.mode == "equals"
                value = self._value(condition.text) if whole else Pattern.of(condition.text)
                element = self._target(condition.target.model_copy(update={"role": "field"}))
                return _expect(element, "to_have_value", value, wanted=wanted)
            case PageIs():
                whole = condition.mode == "equals"
                at = {"start": whole or condition.mode == "starts"}
                pattern = Pattern.of(condition.text, **at, end=whole or condition.mode == "ends")
                name = "to_have_url" if condition.property == "url" else "to_have_title"
                return _expect(Chain(), name, pattern, wanted=wanted)
            case Counted(comparison="==", unit="element" | "text"):
                seen = _show_element(self._target(condition.target))
                return _expect(seen, "to_have_count", condition.number, wanted=wanted)
            case Compared(comparison="==", number=str(number)):
                # The amount stands beside its label: in the innermost block that holds the label.
                block = Chain().call("locator", "tr, li, dl, dd, p, div, td, label")
                block = block.call("filter", has_text=condition.target.text).call("last")
                return _expect(block, "to_contain_text", number, wanted=wanted)
            case _:
                raise CannotExport("Playwright compares no numbers that it reads from a page")


def _acts(statement: Statement) -> bool:
    return isinstance(statement, Chain | LatestTab)


def _expect(subject: Chain, name: str, *arguments: object, wanted: bool) -> Expectation:
    return Expectation(subject, Chain().call(name, *arguments).calls[0], negated=not wanted)


def _visible(element: Chain, *, wanted: bool) -> Expectation:
    """Expect that at least one is visible, or that none is.

    ``expect(locator).not_to_be_visible()`` fails if two match, even if both are hidden.
    """
    if wanted:
        return _expect(_show_element(element).call("first"), "to_be_visible", wanted=True)
    return _expect(_show_element(element), "to_have_count", 0, wanted=True)


def _show_element(element: Chain) -> Chain:
    return element.call("filter", visible=True)


def _row_of(target: Target | None) -> Chain:
    """Return the row, list item or card that a sentence names, else the page."""
    if target is None or target.row is None:
        return Chain()
    return Chain().call("locator", _ROWS).call("filter", has_text=target.row)


def _nth(element: Chain, target: Target | None) -> Chain:
    """Return the one that an ordinal means: the second, the last."""
    if target is None or not target.ordinal:
        return element
    return element.call("nth", target.ordinal - 1 if target.ordinal > 0 else target.ordinal)


def _clickable(target: Target) -> Chain:
    """Return the link or button whose name begins with the words of a sentence.

    "Click on 'Cart'" means the link 'Cart 2' and not the button 'Add to cart', which
    ``get_by_text`` would find as well.
    """
    scope = _row_of(target)
    name = Pattern(f"{Pattern.of(target.text, start=True).text}(?!\\w)")
    link = scope.call("get_by_role", "link", name=name)
    return _nth(scope.call("get_by_role", "button", name=name).call("or_", link), target)


def _choice(reading: Reading) -> tuple[str | None, Target | None]:
    """Return the option to select, and the list: any field with choices of this label.

    A label around its field has the options in its text, so that its exact text is not found.
    """
    value, target = reading.value, reading.target
    if value is None and target is not None:
        # "Select 'Blue' from 'Colour'" names the option as the target and the list as region.
        value, target = target.text, Target(text=target.region) if target.region else None
    return value, target.model_copy(update={"role": "choices"}) if target else None


def _css_string(text: str) -> str:
    escaped = "".join(
        f"\\{ord(char):x} " if char in '"\\' or not char.isprintable() else char for char in text
    )
    return f'"{escaped}"'


def _append(element: Chain, value: object) -> Iterator[Statement]:
    yield element.call("press", "End")
    yield element.call("press_sequentially", value)


def _once(name: str, **options: object) -> Callable[[Chain, object], Iterator[Statement]]:
    """Return what writes a call that takes no value."""

    def write(element: Chain, value: object) -> Iterator[Statement]:
        del value
        yield element.call(name, **options)

    return write


def _with_value(name: str) -> Callable[[Chain, object], Iterator[Statement]]:
    """Return what writes a call that takes the step's value."""

    def write(element: Chain, value: object) -> Iterator[Statement]:
        yield element.call(name, value)

    return write


_ON_ELEMENT: Final[dict[str, Callable[[Chain, object], Iterator[Statement]]]] = {
    "click": _once("click"),
    "double_click": _once("dblclick"),
    "right_click": _once("click", button="right"),
    "check": _once("check"),
    "uncheck": _once("uncheck"),
    "hover": _once("hover"),
    "fill": _with_value("fill"),
    "type": _with_value("fill"),
    "press": _with_value("press"),
    "upload": _with_value("set_input_files"),
    "append": _append,
}


def _seconds(value: str | None) -> Chain:
    if not value:
        return Chain().call("wait_for_load_state")
    return Chain().call("wait_for_timeout", round(float(value) * _MILLISECONDS))


def _answer(value: str | None) -> NextDialog:
    if value in (None, "accept", "dismiss"):
        return NextDialog(accepted=value != "dismiss")
    return NextDialog(accepted=True, text=value)


def _wheel(value: str | None) -> Chain:
    return Chain().call("mouse").call("wheel", 0, -10_000 if value in ("top", "up") else 10_000)


_ON_PAGE: Final[dict[str, Callable[[str | None], Statement]]] = {
    "scroll": _wheel,
    "press": lambda key: Chain().call("keyboard").call("press", key or "Enter"),
    "back": lambda _: Chain().call("go_back"),
    "forward": lambda _: Chain().call("go_forward"),
    "reload": lambda _: Chain().call("reload"),
    "wait": _seconds,
    "answer_dialog": _answer,
    "switch_tab": lambda _: LatestTab(),
    "close_tab": lambda _: LatestTab(closing=True),
}
