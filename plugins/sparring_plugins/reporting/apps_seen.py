"""What a run saw of each of its apps: one pass over its conversations."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from pydantic import JsonValue

from sparring.model.confirmation import Confirmation, Fault
from sparring.model.events import CaseJudged
from sparring.model.talk import LINES, AppFacts, Listen, Trace, line_ranges
from sparring_plugins.reproduction.failure_identity import faults_of

# Many apps may fail in ways of their own: a table shows no more than a person looks at.
_MOST_FAULTS = 2_000
# Distinct sentences are counted per app; a bot that answers with numbers never repeats one.
_MOST_SENTENCES = 20_000
KIND_ORDER = ("intents", "slots", "samples", "handlers", LINES)


@dataclass(slots=True)
class Tally:
    """The parts of one kind: those reached and all; lines count singly."""

    reached: set[str] = field(default_factory=set[str])
    whole: set[str] = field(default_factory=set[str])

    @property
    def share(self) -> float:
        """The share that was reached, in [0, 1]; 0 if there is nothing to reach."""
        return len(self.reached & self.whole) / len(self.whole) if self.whole else 0.0

    @property
    def missing(self) -> list[str]:
        """What was never reached; lines of a file as ranges."""
        left = self.whole - self.reached
        if not left or not all(_is_line(part) for part in left):
            return sorted(left)
        files: dict[str, list[int]] = {}
        for part in left:
            file, _, line = part.rpartition(":")
            files.setdefault(file, []).append(int(line))
        return [line_ranges(file, lines) for file, lines in sorted(files.items())]


@dataclass(slots=True)
class Problem:
    """A fault of an app, each once: the conversations that show it, and the first turn of all."""

    fault: Fault
    cases: list[str]
    turn: int

    def is_same(self, other: Fault) -> bool:
        """Whether another fault is this one."""
        mine = self.fault
        if mine.oracle != other.oracle:
            return False
        if (mine.check, mine.key) == (other.check, other.key):
            return True
        # one exception may show as a crash in a conversation and at the opening
        return _is_voice(mine) and _is_voice(other) and _same_problem(mine.key, other.key)


@dataclass(slots=True)
class AppSeen:
    """What was seen of one app. `turns` counts inputs, `seconds` the time of conversations."""

    name: str
    category: str = ""
    title: str = ""
    conversations: int = 0
    turns: int = 0
    seconds: float = 0.0
    spoke: bool = False
    broken: str = ""
    notes: dict[str, None] = field(default_factory=dict[str, None])
    parts: dict[str, Tally] = field(default_factory=dict[str, Tally])
    sentences: dict[str, None] = field(default_factory=dict[str, None])
    problems: list[Problem] = field(default_factory=list[Problem])

    def add(self, judged: CaseJudged, *, sentences: bool = True) -> None:
        """Take in one more conversation, after those before it."""
        trace = judged.trace
        self.conversations += 1
        self.seconds += trace.duration_s
        if trace.app is not None:
            self._facts(trace.app)
        for fault in faults_of(judged.verdicts, trace):
            self._problem(fault, trace)
        for turn in trace.turns:
            self.turns += not isinstance(turn.act, Listen)
            if turn.observation is None:
                continue
            self.spoke = self.spoke or speaks(turn.observation.text, turn.observation.payload)
            if sentences and len(self.sentences) < _MOST_SENTENCES:
                self.sentences.update(dict.fromkeys(_sentences(turn.observation.text)))
        if not self.spoke and trace.incidents:
            self.broken = self.broken or trace.incidents[0].message

    def _facts(self, facts: AppFacts) -> None:
        self.title = self.title or facts.name
        self.category = self.category or facts.category
        self.notes.update(dict.fromkeys(facts.notes))
        for part in facts.parts:
            tally = self.parts.setdefault(part.kind, Tally())
            tally.reached.update(part_names(part.kind, part.reached))
            tally.whole.update(part_names(part.kind, part.whole))

    def _problem(self, fault: Fault, trace: Trace) -> None:
        """Count a fault, once for all conversations that show it."""
        problem_before = next(
            (problem for problem in self.problems if problem.is_same(fault)), None
        )
        if problem_before is not None:
            problem_before.cases.append(trace.case.id)
        elif len(self.problems) < _MOST_FAULTS:
            acts = trace.turns if fault.turn is None else trace.turns[: fault.turn + 1]
            before = self.turns + sum(not isinstance(turn.act, Listen) for turn in acts)
            self.problems.append(Problem(fault, [trace.case.id], before))

    def count(self, check: str) -> int:
        """How many different problems of a check it has."""
        return sum(problem.fault.check == check for problem in self.problems)

    def kinds(self) -> list[tuple[str, Tally]]:
        """The parts by kind, those that everybody knows first."""
        order = {kind: place for place, kind in enumerate(KIND_ORDER)}
        counted = ((kind, tally) for kind, tally in self.parts.items() if tally.whole)
        return sorted(counted, key=lambda item: (order.get(item[0], len(order)), item[0]))


def apps_seen(judged: Iterable[CaseJudged], *, sentences: bool = True) -> list[AppSeen]:
    """What was seen of each app, in the order in which they were first asked.

    Without `sentences`, what was said is not kept count of.
    """
    apps: dict[str, AppSeen] = {}
    for case_judged in judged:
        name = app_of(case_judged.trace)
        is_described = sentences and bool(name or case_judged.trace.app)
        apps.setdefault(name, AppSeen(name)).add(case_judged, sentences=is_described)
    return list(apps.values())


def app_of(trace: Trace) -> str:
    """The app that a conversation was with, where the connector reaches several."""
    name = trace.case.params.get("app")
    return name if isinstance(name, str) else ""


def speaks(text: str, payload: JsonValue) -> bool:
    """Whether the app itself said something, and not who stands between it and the user."""
    speaker = payload.get("speaker", "skill") if isinstance(payload, dict) else "skill"
    return bool(text.strip()) and speaker == "skill"


def checks_of(apps: Sequence[AppSeen]) -> list[str]:
    """The checks of which there are problems; the five of voice apps in their own order first."""
    faults = [problem.fault for app in apps for problem in app.problems]
    checks = {fault.check for fault in faults}
    voice = (
        [kind for kind in _voice_kinds() if kind in checks] if any(map(_is_voice, faults)) else []
    )
    return [*voice, *sorted(checks - set(voice))]


def of_fault(
    confirmations: Sequence[Confirmation], oracle: str, check: str, case_ids: Iterable[str]
) -> list[Confirmation]:
    """What became of the faults of a check that some of these conversations show."""
    ids = frozenset(case_ids)
    return [
        confirmation
        for confirmation in confirmations
        if (confirmation.fault.oracle, confirmation.fault.check) == (oracle, check)
        and not ids.isdisjoint(confirmation.case_ids)
    ]


# What follows is imported when it is needed: most runs have no problem of a voice app.


def _is_voice(fault: Fault) -> bool:
    """Whether a fault's key is one of the oracle `voice-problems`."""
    return fault.key.startswith(f"{fault.check}: ")


def _same_problem(first: str, second: str) -> bool:
    from sparring_plugins.voice.problem_detection import same_problem

    return same_problem(first, second)


def _voice_kinds() -> Sequence[str]:
    from sparring_plugins.voice.problem_detection import PROBLEM_CLASSES

    return PROBLEM_CLASSES


def _sentences(text: str) -> Sequence[str]:
    from sparring_plugins.voice.coverage import sentence_states

    return sentence_states(text)


def part_names(kind: str, names: Iterable[str]) -> Iterator[str]:
    """The names of parts as they are told; lines singly, as ``main.py:4``."""
    if kind != LINES:
        yield from names
        return
    for ranges in names:
        file, lines = lines_of(ranges)
        yield from (f"{file}:{line}" for line in lines)


# Lines that ran, as coverage writes them: "3-17" or "20".
_RANGE = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")
# "1-999999999" may come from a stored run of somebody else, and is made into numbers.
_MOST_LINES = 1_000_000


def lines_of(ranges: str) -> tuple[str, frozenset[int]]:
    """The file and the lines that a text of `line_ranges` names; what is no range is left out."""
    file, _, listed = ranges.rpartition(":")
    numbers: set[int] = set()
    for part in listed.split(","):
        match = _RANGE.fullmatch(part.strip())
        if match is not None:
            first, last = int(match[1]), int(match[2] or match[1])
            numbers.update(range(first, min(last, first + _MOST_LINES) + 1))
        if len(numbers) > _MOST_LINES:
            break
    return file, frozenset(numbers)


def _is_line(name: str) -> bool:
    file, _, line = name.rpartition(":")
    return bool(file) and line.isdigit() and line.isascii()
