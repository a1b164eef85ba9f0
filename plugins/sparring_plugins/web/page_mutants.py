"""The mutator `pages`: faults for web apps, derived from what a suite did when it was played.

It needs no source of the app: faults are settings of the connector `browser` (``app.faults``).
Most are about what the suite touched, and show whether its assertions look at the effect; those in
texts that no assertion mentions show what it never looks at.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain

from pydantic import JsonValue

from sparring.model.page import PageEvent, PageEventKind
from sparring.model.talk import Trace
from sparring_plugins.mutation.model import Effect, RunMutator, RunOperator, SuiteChange
from sparring_plugins.web.played_pages import (
    OTHER_TEXT,
    LocatedElement,
    PageText,
    Touch,
    acting_turns,
    asserted,
    asserted_texts,
    increment_number,
    locate,
    path_pattern,
    touches,
    unasserted_texts,
    views,
)
from sparring_plugins.web.survivors import explain

_PRESSES = frozenset({"click", "double_click", "right_click", "press", "check", "uncheck"})
_BOXES = frozenset({"checkbox", "radio", "switch"})
_FIELDS = frozenset({"fill", "type"})
_SUBMITS = frozenset({"click", "press", "double_click"})

Find = Callable[[Sequence[Trace]], Iterable[SuiteChange]]


def _change(where: str, target: str, **fault: JsonValue) -> SuiteChange:
    faults: list[JsonValue] = [{name: value for name, value in fault.items() if value is not None}]
    return SuiteChange(where, target, {"app.faults": faults})


def _fault_on(
    located: LocatedElement, kind: str, description: str, value: str | None = None
) -> SuiteChange:
    """Return a fault of an element; ``{}`` in the description is its name."""
    on: JsonValue = located.locator
    target = description.format(located.words)
    return _change(located.page, target, kind=kind, on=on, page=located.page, value=value)


def _on_touched(kind: str, description: str, applies: Callable[[Touch], bool]) -> Find:
    """Find faults of the elements that were acted upon, for the acts to which it `applies`."""

    def find(traces: Sequence[Trace]) -> Iterator[SuiteChange]:
        for touch in touches(traces):
            if applies(touch):
                yield _fault_on(touch.located, kind, description)

    return find


def _is_pressed(touch: Touch) -> bool:
    return touch.act.action in _PRESSES


def _is_submitted(touch: Touch) -> bool:
    """Return whether a form may have been sent: no link was followed, but a request was made."""
    return (
        touch.act.action in _SUBMITS
        and touch.located.element.role != "link"
        and any(request.details.get("resource") for request in touch.requests)
    )


def _is_entered(touch: Touch) -> bool:
    return touch.act.action in _FIELDS and bool(touch.act.value)


def _is_chosen(touch: Touch) -> bool:
    element = touch.located.element
    return touch.act.action == "select" and element.tag == "select" and len(element.options) > 1


def _is_box(touch: Touch) -> bool:
    return touch.located.element.role in _BOXES and touch.act.action in _PRESSES


def _is_on_element(touch: Touch) -> bool:
    return touch.act.action not in ("scroll", "hover")


def _links(traces: Sequence[Trace]) -> Iterator[SuiteChange]:
    for touch in touches(traces):
        element = touch.located.element
        if _is_pressed(touch) and element.role == "link" and element.url:
            description = "{} leads to another address"
            yield _fault_on(touch.located, "link_elsewhere", description, "/no-such-page#elsewhere")


def _on_asserted(kind: str, description: str) -> Find:
    """Find faults of the elements that showed that an assertion holds."""

    def find(traces: Sequence[Trace]) -> Iterator[SuiteChange]:
        for _, snapshot, elements in asserted(traces):
            for element in elements:
                if element.role != "text" and element.name:
                    yield _fault_on(locate(snapshot, element), kind, description)

    return find


def _on_touched_or_asserted(kind: str, description: str) -> Find:
    on_touched = _on_touched(kind, description, _is_on_element)
    on_asserted = _on_asserted(kind, description)
    return lambda traces: chain(on_touched(traces), on_asserted(traces))


def _text_fault(shown: PageText, new: str, description: str) -> SuiteChange:
    target = f"{shown.text!r}{description}"
    return _change(shown.page, target, kind="text", text=shown.text, value=new, page=shown.page)


def _wrong_texts(traces: Sequence[Trace]) -> Iterator[SuiteChange]:
    for shown in asserted_texts(traces):
        yield _text_fault(shown, OTHER_TEXT, f" reads {OTHER_TEXT!r}")


def _missing_texts(traces: Sequence[Trace]) -> Iterator[SuiteChange]:
    for shown in asserted_texts(traces):
        yield _text_fault(shown, "", " is missing")


def _wrong_numbers(traces: Sequence[Trace]) -> Iterator[SuiteChange]:
    for shown in asserted_texts(traces):
        if (new := increment_number(shown.text)) is not None:
            yield _text_fault(shown, new, f" reads {new!r}")


def _other_texts(traces: Sequence[Trace]) -> Iterator[SuiteChange]:
    for shown in unasserted_texts(traces):
        if increment_number(shown.text) is None:
            description = f", which no assertion names, reads {OTHER_TEXT!r}"
            yield _text_fault(shown, OTHER_TEXT, description)


def _other_numbers(traces: Sequence[Trace]) -> Iterator[SuiteChange]:
    for shown in unasserted_texts(traces):
        if (new := increment_number(shown.text)) is not None:
            yield _text_fault(shown, new, f", which no assertion names, reads {new!r}")


def _events(traces: Sequence[Trace], kind: PageEventKind) -> Iterator[PageEvent]:
    for trace in traces:
        for view in views(trace):
            yield from (event for event in view.events if event.kind is kind)


def _messages(traces: Sequence[Trace]) -> Iterator[SuiteChange]:
    for event in _events(traces, PageEventKind.MESSAGE):
        if event.text.strip():
            target = f"the message {event.text!r} never appears"
            yield _change("messages", target, kind="message_missing", text=event.text)


def _dialogs(traces: Sequence[Trace]) -> Iterator[SuiteChange]:
    for trace in traces:
        before: set[str] = set()
        for view in views(trace):
            for event in view.events:
                if event.kind is PageEventKind.DIALOG:
                    target = f"the dialog {event.text!r} never appears"
                    text = event.text.strip() or None
                    yield _change("dialogs", target, kind="native_dialog_missing", text=text)
            dialogs = [e for e in view.snapshot.elements if "dialog" in e.role and e.visible]
            for element in dialogs:
                if element.id not in before:
                    located = locate(view.snapshot, element)
                    yield _fault_on(located, "dialog_missing", "{} never appears")
            before = {element.id for element in dialogs}


def _answers(kind: str, description: str, **more: JsonValue) -> Find:
    """Find faults in the answer to each request of the suite to its app."""

    def find(traces: Sequence[Trace]) -> Iterator[SuiteChange]:
        for event in _events(traces, PageEventKind.REQUEST):
            # "POST /orders" that leads on to "GET /orders/7": browsers follow such an answer
            # without asking who stands in between; the fault in the first request breaks both.
            if event.details.get("redirected"):
                continue
            method, path = str(event.details.get("method")), path_pattern(event.text)
            endpoint = f"{method} {path}"
            target = f"{endpoint} {description}"
            yield _change(endpoint, target, kind=kind, method=method, path=path, **more)

    return find


def _page_errors(traces: Sequence[Trace]) -> Iterator[SuiteChange]:
    for touch in touches(traces):
        if touch.act.action in _SUBMITS:
            yield _fault_on(touch.located, "page_error", "{} ends in a script error")


def effect(original: Trace, mutant: Trace) -> Effect | None:
    """Return the first effect of a fault in a case: the pictures after the act, on both sides."""
    turns = acting_turns(mutant)
    for number, turn in enumerate(mutant.turns):
        page = turn.observation.page if turn.observation is not None else None
        if page is None or not any(event.kind is PageEventKind.FAULT for event in page.events):
            continue
        acts = sum(acting <= number for acting in turns)
        return Effect(_picture(original, acts), _picture(mutant, acts))
    return None


def _picture(trace: Trace, acts: int) -> str | None:
    """Return the last picture after this many acts and before the next one."""
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
        _on_touched("dead", "pressing {} does nothing", _is_pressed),
    ),
    (
        "DroppedSubmit",
        "a form that is never sent",
        _on_touched("submit_dropped", "the form of {} is not sent", _is_submitted),
    ),
    (
        "LostValue",
        "a field whose value is not kept",
        _on_touched("value_lost", "what is entered in {} is lost", _is_entered),
    ),
    (
        "AlteredValue",
        "a field whose value is changed on the way",
        _on_touched("value_altered", "what is entered in {} is altered", _is_entered),
    ),
    (
        "SwappedOption",
        "a list that takes another option",
        _on_touched("option_swapped", "{} takes another option", _is_chosen),
    ),
    (
        "IgnoredBox",
        "a box that is ignored",
        _on_touched("box_ignored", "{} is taken the other way round", _is_box),
    ),
    ("WrongText", "a text that an assertion is about: another", _wrong_texts),
    ("WrongNumber", "a number that an assertion is about: one more", _wrong_numbers),
    ("MissingText", "a text that an assertion is about: missing", _missing_texts),
    ("OtherText", "a heading that no assertion names: another", _other_texts),
    ("OtherNumber", "a number that no assertion names: one more", _other_numbers),
    (
        "RemovedElement",
        "an element that is not there",
        _on_touched_or_asserted("removed", "{} is not there"),
    ),
    (
        "HiddenElement",
        "an element that cannot be seen",
        _on_touched_or_asserted("hidden", "{} cannot be seen"),
    ),
    (
        "DisabledElement",
        "an element that is disabled",
        _on_touched("disabled", "{} is disabled", _is_on_element),
    ),
    (
        "CoveredElement",
        "an element that something covers",
        _on_touched("covered", "{} is covered", _is_on_element),
    ),
    (
        "DuplicatedElement",
        "an element that is there twice",
        _on_touched_or_asserted("duplicated", "{} is there twice"),
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
    explain=explain,
)
