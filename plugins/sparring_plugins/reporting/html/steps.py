"""A test case in plain language as the page shows it: a table of its steps, with pictures."""

from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from pydantic import JsonValue, ValidationError

from sparring.model.talk import Trace
from sparring_plugins.language.quantities import duration
from sparring_plugins.language.text import one_line
from sparring_plugins.reporting.findings import TEST_CASE_META

if TYPE_CHECKING:
    from sparring_plugins.web.roles import Judged
    from sparring_plugins.web.runner.records import GuiRecord, StepRecord

# A step over all pages of a list may be hundreds of acts.
MOST_STEPS = 400
# A reason may quote what stands on the page; a row of the table has room for a paragraph.
_TEXT = 500
_FACT = 160
_MOST_FACTS = 12
# A page with a hundred pictures of 4 MB is one that no browser opens.
_LARGEST = 4_000_000
_PNG = b"\x89PNG\r\n\x1a\n"
_BADGES = {
    "done": ("pass", "done"),
    "true": ("pass", "holds"),
    "false": ("fail", "does not hold"),
    "inconclusive": ("inconclusive", "inconclusive"),
    "not_reached": ("skipped", "not reached"),
}
_VACUOUS = {
    "before": "It was true before the last action, too, so it shows little.",
    "everywhere": "It was true on every page of this test case, so it shows nothing.",
}
_TRUTHS = {True: "yes", False: "no", None: "don't know"}


@dataclass(frozen=True, slots=True)
class Shot:
    """A screenshot: its address beside the report, and its data if the page has it."""

    address: str
    data: str


@dataclass(frozen=True, slots=True)
class Said:
    """What one of the agents said of a step."""

    role: str
    truth: str
    reason: str
    by: str


@dataclass(frozen=True, slots=True)
class StepView:
    """A row of the table; `badge` is the class of its outcome, `word` what it is called."""

    number: str
    phase: str
    text: str
    badge: str
    word: str
    target: str
    reason: str
    evidence: tuple[str, ...]
    said: tuple[Said, ...]
    vacuous: str
    weak: str
    translated: str
    candidates: tuple[tuple[str, str], ...]
    frozen: str
    took: str
    address: str
    shot: Shot | None
    fault: int | None = None


@dataclass(frozen=True, slots=True)
class StepsView:
    """A test case: its verdict by Algorithm 1, who decided, and its steps."""

    verdict: str
    reason: str
    decided: str
    numbering: str
    steps: tuple[StepView, ...]
    left_out: int


@dataclass
class Pictures:
    """Reads screenshots into the page until `room` (bytes) is used up; each once per case."""

    folder: Path | None
    room: int = 24_000_000
    _seen: set[str] = field(default_factory=set[str])

    def begin(self) -> None:
        """Another case: its pictures are shown again."""
        self._seen.clear()

    def shot(self, path: str | None) -> Shot | None:
        """The picture at a path in the run's folder, or None if there is none, or it was shown."""
        if not path or path in self._seen or self.folder is None:
            return None
        relative = Path(path)
        # A log from elsewhere could have any file of this machine put into the page.
        if relative.is_absolute() or ".." in relative.parts or "\0" in path:
            return None
        self._seen.add(path)
        file = self.folder / relative
        try:
            if file.is_symlink() or not file.is_file():
                return None
            size = file.stat().st_size
            data = file.read_bytes() if size <= min(self.room, _LARGEST) else b""
        except OSError:
            return None
        self.room -= len(data)
        whole = data.startswith(_PNG)
        inside = f"data:image/png;base64,{b64encode(data).decode()}" if whole else ""
        return Shot("./" + quote(relative.as_posix()), inside)

    def named(self, listed: JsonValue) -> Iterator[tuple[str, Shot]]:
        """Yield the pictures that a verdict names, with their captions."""
        for entry in listed[:6] if isinstance(listed, list) else ():
            if isinstance(entry, dict) and isinstance(entry.get("path"), str):
                self._seen.discard(str(entry["path"]))
                if (shot := self.shot(str(entry["path"]))) is not None:
                    yield one_line(str(entry.get("caption") or "picture"), 40), shot


def steps_view(trace: Trace, pictures: Pictures) -> StepsView | None:
    """The view of a test case; None for conversations of other kinds."""
    if TEST_CASE_META not in trace.meta:
        return None
    # Only pages with test cases pay for the sentences' models.
    from sparring_plugins.web.assertion_oracle import record_of

    try:
        record = record_of(trace)
    except ValidationError:
        return None
    if record is None:
        return None
    pictures.begin()
    return StepsView(
        verdict=record.verdict,
        reason=one_line(record.reason, _TEXT),
        decided=_describe_decision(record),
        numbering=record.numbering,
        steps=tuple(_step(step, pictures) for step in record.steps[:MOST_STEPS]),
        left_out=max(0, len(record.steps) - MOST_STEPS),
    )


def _describe_decision(record: "GuiRecord") -> str:
    if record.strict:
        return "no model was asked"
    asked_steps = sum(
        any(not decision.strict for decision in _iterate_judged(step)) for step in record.steps
    )
    return f"a model was asked at {asked_steps} of {len(record.steps)} steps"


def _iterate_judged(record: "StepRecord") -> "Iterator[Judged]":
    for decision in (record.readiness, record.navigation, record.observed, record.assertion):
        if decision is not None:
            yield decision


def _step(record: "StepRecord", pictures: Pictures) -> StepView:
    badge, word = _badge(record)
    observed = record.observed
    facts = tuple(dict.fromkeys(observed.facts)) if observed is not None else ()
    more = len(facts) - _MOST_FACTS
    shown = tuple(one_line(fact, _FACT) for fact in facts[:_MOST_FACTS])
    return StepView(
        number=str(record.step.number) if record.phase == "test" else "",
        phase="" if record.phase == "test" else record.phase,
        text=one_line(record.step.text, _TEXT),
        badge=badge,
        word=word,
        target=one_line(record.target, _TEXT),
        reason=one_line(record.reason, _TEXT),
        evidence=(*shown, f"and {more} more") if more > 0 else shown,
        said=tuple(_iterate_said(record)),
        vacuous=_VACUOUS.get(record.vacuous or "", ""),
        weak=one_line("; ".join(j.weak for j in _iterate_judged(record) if j.weak), _TEXT),
        translated=one_line(_describe_translation(record), _TEXT),
        candidates=tuple(
            (f"{candidate.score:.2f}", one_line(candidate.reason, _FACT))
            for candidate in record.candidates[:8]
        ),
        frozen=record.frozen or "",
        took=duration(record.duration_s) if record.duration_s > 0 else "",
        address=one_line(record.url, 300),
        shot=pictures.shot(record.screenshot),
    )


def _describe_translation(record: "StepRecord") -> str:
    step = record.step
    return f"By {step.by}, from '{step.sentence}'" if step.by else ""


def _badge(record: "StepRecord") -> tuple[str, str]:
    """An assertion that a test case expects to be false passes by being so."""
    badge, word = _BADGES[record.outcome]
    if record.expected is False and record.outcome in ("true", "false"):
        as_expected = record.outcome == "false"
        badge = "pass" if as_expected else "fail"
        return badge, f"{word}, {'as' if as_expected else 'not as'} expected"
    return badge, word


def _iterate_said(record: "StepRecord") -> Iterator[Said]:
    roles = (
        ("ready", record.readiness),
        ("navigation", record.navigation),
        ("observed", record.observed),
        ("assertion", record.assertion),
    )
    for role, text in roles:
        if text is not None:
            by = "plain rules" if text.strict else "model"
            yield Said(role, _TRUTHS[text.truth], one_line(text.reason, _TEXT), by)
