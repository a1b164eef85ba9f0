"""The mutator `pages`: faults for web apps, derived from what a suite did when it was played.

It needs no source of the app: faults are settings of the connector `browser` (``app.faults``).
Most are about what the suite touched, and show whether its assertions look at what came of it;
those on texts that no assertion mentions show what it never looks at.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence

from pydantic import JsonValue

from sparring.model.page import PageEventKind
from sparring.model.talk import Trace
from sparring_plugins.mutation.model import Effect, RunMutator, RunOperator, SuiteChange
from sparring_plugins.web.mutants.page_texts import (
    OTHER_TEXT,
    asserted_texts,
    number_changed,
    unasserted,
)
from sparring_plugins.web.mutants.touched import (
    Seen,
    Touch,
    acting_turns,
    asserted,
    path_pattern,
    seen_in,
    touches,
    views,
)

_PRESSES = frozenset({"click", "double_click", "right_click", "press", "check", "uncheck"})
_BOXES = frozenset({"checkbox", "radio", "switch"})
_FIELDS = frozenset({"fill", "type"})
_SUBMITS = frozenset({"click", "press", "double_click"})

Find = Callable[[Sequence[Trace]], Iterable[SuiteChange]]


def _change(where: str, target: str, **fault: JsonValue) -> SuiteChange:
    faults: list[JsonValue] = [{name: value for name, value in fault.items() if value is not None}]
    return SuiteChange(where, target, {"app.faults": faults})


def _on(seen: Seen, kind: str, says: str, value: str | None = None) -> SuiteChange:
    on: JsonValue = seen.on
    return _change(
        seen.page, says.format(seen.words), kind=kind, on=on, page=seen.page, value=value
    )


def _at_touched(kind: str, says: str, wanted: Callable[[Touch], bool]) -> Find:
    """A kind of fault at the elements that were acted upon, if they are such."""

    def find(traces: Sequence[Trace]) -> Iterator[SuiteChange]:
        for touch in touches(traces):
            if wanted(touch):
                yield _on(touch.seen, kind, says)

    return find


def _is_pressed(touch: Touch) -> bool:
    return touch.act.action in _PRESSES


def _is_submitted(touch: Touch) -> bool:
    """Whether a form may have been sent: something was asked of the app that is no link."""
    return (
        touch.act.action in _SUBMITS
        and touch.seen.element.role != "link"
        and any(one.details.get("resource") for one in touch.requests)
    )


def _is_entered(touch: Touch) -> bool:
    return touch.act.action in _FIELDS and bool(touch.act.value)


def _is_chosen(touch: Touch) -> bool:
    element = touch.seen.element
    return touch.act.action == "select" and element.tag == "select" and len(element.options) > 1


def _is_box(touch: Touch) -> bool:
    return touch.seen.element.role in _BOXES and touch.act.action in _PRESSES


def _is_any(touch: Touch) -> bool:
    return touch.act.action not in ("scroll", "hover")


def _links(traces: Sequence[Trace]) -> Iterator[SuiteChange]:
    for touch in touches(traces):
        if _is_pressed(touch) and touch.seen.element.role == "link" and touch.seen.element.url:
            says = "{} leads to another address"
            yield _on(touch.seen, "link_elsewhere", says, "/no-such-page#elsewhere")


def _elements_asserted(kind: str, says: str) -> Find:
    def find(traces: Sequence[Trace]) -> Iterator[SuiteChange]:
        for _, snapshot, elements in asserted(traces):
            for element in elements:
                if element.role != "text" and element.name:
                    yield _on(seen_in(snapshot, element), kind, says)

    return find


def _both(*finds: Find) -> Find:
    def find(traces: Sequence[Trace]) -> Iterator[SuiteChange]:
        for one in finds:
            yield from one(traces)

    return find


def _text(page: str, old: str, new: str, says: str) -> SuiteChange:
    return _change(page, says, kind="text", text=old, value=new, page=page)


def _wrong_texts(traces: Sequence[Trace]) -> Iterator[SuiteChange]:
    for one in asserted_texts(traces):
        yield _text(one.page, one.text, OTHER_TEXT, f"{one.text!r} reads {OTHER_TEXT!r}")


def _missing_texts(traces: Sequence[Trace]) -> Iterator[SuiteChange]:
    for one in asserted_texts(traces):
        yield _text(one.page, one.text, "", f"{one.text!r} is missing")


def _wrong_numbers(traces: Sequence[Trace]) -> Iterator[SuiteChange]:
    for one in asserted_texts(traces):
        if (new := number_changed(one.text)) is not None:
            yield _text(one.page, one.text, new, f"{one.text!r} reads {new!r}")


def _other_texts(traces: Sequence[Trace]) -> Iterator[SuiteChange]:
    for one in unasserted(traces):
        if number_changed(one.text) is None:
            says = f"{one.text!r}, which no assertion names, reads {OTHER_TEXT!r}"
            yield _text(one.page, one.text, OTHER_TEXT, says)


def _other_numbers(traces: Sequence[Trace]) -> Iterator[SuiteChange]:
    for one in unasserted(traces):
        if (new := number_changed(one.text)) is not None:
            says = f"{one.text!r}, which no assertion names, reads {new!r}"
            yield _text(one.page, one.text, new, says)


def _messages(traces: Sequence[Trace]) -> Iterator[SuiteChange]:
    for trace in traces:
        for view in views(trace):
            for one in view.events:
                if one.kind is PageEventKind.MESSAGE and one.text.strip():
                    says = f"the message {one.text!r} never appears"
                    yield _change("messages", says, kind="message_missing", text=one.text)


def _dialogs(traces: Sequence[Trace]) -> Iterator[SuiteChange]:
    for trace in traces:
        before: set[str] = set()
        for view in views(trace):
            for one in view.events:
                if one.kind is PageEventKind.DIALOG:
                    says = f"the dialog {one.text!r} never appears"
                    text = one.text.strip() or None
                    yield _change("dialogs", says, kind="native_dialog_missing", text=text)
            shown = [e for e in view.snapshot.elements if "dialog" in e.role and e.visible]
            for element in shown:
                if element.id not in before:
                    says = "{} never appears"
                    yield _on(seen_in(view.snapshot, element), "dialog_missing", says)
            before = {element.id for element in shown}


def _answers(kind: str, says: str, **more: JsonValue) -> Find:
    """A fault in the answer to each request of the suite to its app."""

    def find(traces: Sequence[Trace]) -> Iterator[SuiteChange]:
        for trace in traces:
            for view in views(trace):
                for one in view.events:
                    if one.kind is PageEventKind.REQUEST:
                        method, path = str(one.details.get("method")), path_pattern(one.text)
                        where = f"{method} {path}"
                        yield _change(
                            where, f"{where} {says}", kind=kind, method=method, path=path, **more
                        )

    return find


def _page_errors(traces: Sequence[Trace]) -> Iterator[SuiteChange]:
    for touch in touches(traces):
        if touch.act.action in _SUBMITS:
            yield _on(touch.seen, "page_error", "{} ends in a script error")


def effect(original: Trace, mutant: Trace) -> Effect | None:
    """Where a fault showed first in a case: the pictures after the act, on both sides."""
    turns = acting_turns(mutant)
    for number, turn in enumerate(mutant.turns):
        page = turn.observation.page if turn.observation is not None else None
        if page is None or not any(one.kind is PageEventKind.FAULT for one in page.events):
            continue
        acts = sum(acting <= number for acting in turns)
        return Effect(_picture(original, acts), _picture(mutant, acts))
    return None


def _picture(trace: Trace, acts: int) -> str | None:
    """The last picture before the next act, when so many acts were done."""
    turns = acting_turns(trace)
    end = turns[acts] if acts < len(turns) else len(trace.turns)
    for turn in reversed(trace.turns[:end]):
        page = turn.observation.page if turn.observation is not None else None
        if page is not None and page.screenshot is not None:
            return page.screenshot
    return None


_OPERATORS = (
    (
        "DeadClick",
        "a click that does nothing",
        _at_touched("dead", "pressing {} does nothing", _is_pressed),
    ),
    (
        "DroppedSubmit",
        "a form that is never sent",
        _at_touched("submit_dropped", "the form of {} is not sent", _is_submitted),
    ),
    (
        "LostValue",
        "a field whose value is not kept",
        _at_touched("value_lost", "what is entered in {} is lost", _is_entered),
    ),
    (
        "AlteredValue",
        "a field whose value is changed on the way",
        _at_touched("value_altered", "what is entered in {} is altered", _is_entered),
    ),
    (
        "SwappedOption",
        "a list that takes another option",
        _at_touched("option_swapped", "{} takes another option", _is_chosen),
    ),
    (
        "IgnoredBox",
        "a box that is ignored",
        _at_touched("box_ignored", "{} is taken the other way round", _is_box),
    ),
    ("WrongText", "a text that an assertion is about: another", _wrong_texts),
    ("WrongNumber", "a number that an assertion is about: one more", _wrong_numbers),
    ("MissingText", "a text that an assertion is about: missing", _missing_texts),
    ("OtherText", "a heading that no assertion names: another", _other_texts),
    ("OtherNumber", "a number that no assertion names: one more", _other_numbers),
    (
        "RemovedElement",
        "an element that is not there",
        _both(
            _at_touched("removed", "{} is not there", _is_any),
            _elements_asserted("removed", "{} is not there"),
        ),
    ),
    (
        "HiddenElement",
        "an element that cannot be seen",
        _both(
            _at_touched("hidden", "{} cannot be seen", _is_any),
            _elements_asserted("hidden", "{} cannot be seen"),
        ),
    ),
    (
        "DisabledElement",
        "an element that is disabled",
        _at_touched("disabled", "{} is disabled", _is_any),
    ),
    (
        "CoveredElement",
        "an element that something covers",
        _at_touched("covered", "{} is covered", _is_any),
    ),
    (
        "DuplicatedElement",
        "an element that is there twice",
        _both(
            _at_touched("duplicated", "{} is there twice", _is_any),
            _elements_asserted("duplicated", "{} is there twice"),
        ),
    ),
    ("LinkElsewhere", "a link to another address", _links),
    ("MissingMessage", "a message that never appears", _messages),
    ("MissingDialog", "a dialog that never appears", _dialogs),
    ("ServerError", "an answer with status 500", _answers("status", "answers 500", status=500)),
    ("NotFound", "an answer with status 404", _answers("status", "answers 404", status=404)),
    ("EmptyAnswer", "an answer with nothing in it", _answers("empty", "answers nothing")),
    (
        "SlowAnswer",
        "an answer that takes six seconds longer",
        _answers("slow", "takes six seconds longer", seconds=6),
    ),
    ("PageError", "an error in the page's script", _page_errors),
)

PAGES = RunMutator(
    about="Web apps in the connector `browser`: pages, what is entered, and answers to requests.",
    recording={"app.requests": True, "app.screenshots": "every"},
    operators=tuple(RunOperator(name, about, find) for name, about, find in _OPERATORS),
    effect=effect,
)
