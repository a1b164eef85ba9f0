"""What ``sparring show`` prints of a page, and of the steps of a test case in plain language."""

from collections.abc import Iterator
from urllib.parse import urlsplit

from pydantic import ValidationError

from sparring.cli.output import plain
from sparring.model.page import PageEventKind, PageView
from sparring.model.talk import Trace
from sparring_plugins.language.text import one_line
from sparring_plugins.web.assertion_oracle import record_of
from sparring_plugins.web.runner.records import META, StepRecord

_WIDTH = 160
_QUIET_EVENTS = frozenset({PageEventKind.REQUEST, PageEventKind.URL, PageEventKind.NOT_SETTLED})


def page_line(view: PageView) -> str:
    """Return a page in one line: its title and path, and what happened on it."""
    parts = urlsplit(view.snapshot.url)
    path = f"{parts.path or '/'}{'?' + parts.query if parts.query else ''}"
    events = [
        f"{event.kind.value.replace('_', ' ')} '{one_line(event.text, 60)}'"
        for event in view.events
        if event.kind not in _QUIET_EVENTS
    ]
    more = f"; and {len(events) - 4} more" if len(events) > 4 else ""
    happened = f"; {'; '.join(events[:4])}{more}" if events else ""
    return plain(f"page '{one_line(view.snapshot.title, 60)}' {one_line(path, 80)}{happened}")


def step_lines(trace: Trace) -> Iterator[str]:
    """Yield what each step of a test case did and saw; nothing for other conversations."""
    if META not in trace.meta:
        return
    try:
        record = record_of(trace)
    except ValidationError:
        return
    for step in record.steps if record is not None else ():
        yield plain(f"{step.step.number:>3} {step.outcome:<12} {one_line(step.step.text, _WIDTH)}")
        yield from (f"      {plain(one_line(line, _WIDTH))}" for line in _details(step))


def _details(step: StepRecord) -> Iterator[str]:
    if step.target:
        yield f"{'shown by' if step.asserts else 'on'} {step.target}"
    if step.step.by:
        yield f"translated by {step.step.by} from '{step.step.sentence}'"
    if step.reason:
        yield step.reason
    if step.observed is not None and step.observed.facts:
        yield f"saw {'; '.join(step.observed.facts[:4])}"
    for judged in (step.navigation, step.assertion):
        if judged is not None and judged.weak:
            yield f"weaker match: {judged.weak}"
