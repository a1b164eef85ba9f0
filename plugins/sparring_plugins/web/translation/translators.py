"""Who says what a sentence means: a model, the person at the terminal, or the weak readings."""

import asyncio
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from sparring_plugins.language.text import one_line
from sparring_plugins.web.grammar.canonical import write_sentence
from sparring_plugins.web.grammar.examples import nearest_form
from sparring_plugins.web.grammar.steps import iter_targets, read_steps
from sparring_plugins.web.pages.conditions import holds
from sparring_plugins.web.roles import Judged, PageTask
from sparring_plugins.web.step import Condition, Displayed, Reading
from sparring_plugins.web.suites.translations import canonical_fault
from sparring_plugins.web.translation.check_sentences import (
    canonical,
    check_fault,
    missing_values,
    read_checks,
)
from sparring_plugins.web.translation.model_translator import ModelTranslator, TranslatedCheck

_WORDS = {True: "true", False: "false", None: "unknown"}
# A person who mistypes is asked again; a script at the other end of a pipe not for ever.
_MOST_QUESTIONS = 5

Show = Callable[[str], None]
Answer = Callable[[str], str | None]


@dataclass(frozen=True)
class ByModel:
    """A language model: the run's navigator finds the acts, `agent` translates checks."""

    by: str
    agent: ModelTranslator

    async def acts(self, task: PageTask) -> tuple[str, ...] | None:
        """Leave acts to the run's own agents."""
        return None

    async def check(self, task: PageTask, judged: Judged) -> TranslatedCheck:
        """Ask the model."""
        return await self.agent.act(task)


@dataclass(frozen=True)
class ByRules:
    """The weak readings: a check is translated only if its own reading says the same in quotes."""

    by: str = "rules"

    async def acts(self, task: PageTask) -> tuple[str, ...] | None:
        """Leave acts to the weak readings of the run."""
        return None

    async def check(self, task: PageTask, judged: Judged) -> TranslatedCheck:
        """Return the sentence's reading with its names in quotes, if that comes out the same."""
        condition = task.reading.condition if task.reading else None
        if judged.truth is None or condition is None or len(task.step.readings) != 1:
            why = "no canonical form says it" if judged.truth is not None else judged.reason
            return TranslatedCheck(judged=Judged(reason=f"the rules cannot translate it: {why}"))
        reading = read_checks([canonical(_quote_condition(condition))])
        if reading.condition is None:
            return TranslatedCheck(
                judged=Judged(reason=f"the rules cannot translate it: {reading.fault}")
            )
        exact = holds(reading.condition, task.view, task.acts)
        fault = check_fault(reading.condition, exact, task.view, task.before)
        missing = missing_values(task.step.text, reading.sentences)
        if exact.truth is not judged.truth or fault or missing:
            reason = "the rules read it weakly, and no canonical form says just that"
            return TranslatedCheck(judged=Judged(reason=reason))
        return TranslatedCheck(judged=exact, means=reading.sentences, condition=reading.condition)


def _quote_condition(condition: Condition) -> Condition:
    """Return a condition of one target with its name in quotes."""
    targets = list(iter_targets(Reading(action="assert", condition=condition)))
    if len(targets) != 1 or not hasattr(condition, "target"):
        return condition
    target = targets[0].model_copy(update={"quoted": True})
    if isinstance(condition, Displayed):
        return Displayed(target=target)
    return condition.model_copy(update={"target": target})


def read_line(prompt: str) -> str | None:
    """Ask for a line at the terminal; None at the end of the input."""
    sys.stdout.write(prompt)
    sys.stdout.flush()
    line = sys.stdin.readline()
    return line.rstrip("\r\n") if line else None


def show_line(text: str) -> None:
    """Show a line at the terminal."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


@dataclass
class ByPerson:
    """The person at the terminal, who writes canonical sentences with the page in view.

    `ask` shows a prompt and returns a line, None when there is nobody any more: then nothing else
    is asked.
    """

    by: str = "a person"
    ask: Answer = read_line
    show: Show = show_line
    is_gone: bool = field(default=False, init=False)

    async def acts(self, task: PageTask) -> tuple[str, ...] | None:
        """Ask for the steps of an act; an empty line leaves the sentence out."""
        self._introduce(task, "What is done? Canonical steps, with ; between them.")
        for _ in range(_MOST_QUESTIONS):
            line = await self._ask("steps> ")
            if not line:
                return ()
            faults, texts = _read_acts(line)
            if not faults:
                return texts
            self.show(f"  {faults}")
        return ()

    async def check(self, task: PageTask, judged: Judged) -> TranslatedCheck:
        """Ask for the conditions of a check, and whether they are meant as they come out."""
        self._introduce(task, "What must hold? Canonical conditions, with ; between them.")
        for _ in range(_MOST_QUESTIONS):
            line = await self._ask("conditions> ")
            if not line:
                break
            reading = read_checks(_parts(line))
            if reading.condition is None:
                self.show(f"  {reading.fault}{_nearest(line)}")
                continue
            exact = holds(reading.condition, task.view, task.acts)
            fault = check_fault(reading.condition, exact, task.view, task.before)
            if fault:
                self.show(f"  refused: {fault}")
                continue
            self.show(f"  it is {_WORDS[exact.truth]} on this page: {one_line(exact.reason, 300)}")
            if (await self._ask("keep it? [Y/n] ") or "y").strip().casefold() in ("y", "yes"):
                return TranslatedCheck(
                    judged=exact, means=reading.sentences, condition=reading.condition
                )
        return TranslatedCheck(judged=Judged(reason="nobody said what it means"))

    def _introduce(self, task: PageTask, question: str) -> None:
        if self.is_gone:
            return
        snapshot = task.view.snapshot
        self.show("")
        self.show(f"step {task.step.number}: {one_line(task.step.text, 300)}")
        self.show(f"  page: '{one_line(snapshot.title, 80)}' {one_line(snapshot.url, 120)}")
        if near := nearest_form(task.step.text):
            self.show(f"  the nearest known form is: {near}")
        self.show(f"  {question} An empty line leaves it out.")

    async def _ask(self, prompt: str) -> str | None:
        if self.is_gone:
            return None
        line = await asyncio.to_thread(self.ask, prompt)
        self.is_gone = line is None
        return line


def _parts(line: str) -> tuple[str, ...]:
    """Split a line at semicolons outside of quotes."""
    parts, quote, part = list[str](), "", ""
    for sign in line:
        if sign in "'\"" and quote in ("", sign):
            quote = "" if quote else sign
        if sign == ";" and not quote:
            parts.append(part)
            part = ""
        else:
            part += sign
    return tuple(text.strip() for text in (*parts, part) if text.strip())


def _nearest(line: str) -> str:
    near = nearest_form(line)
    return f"; the nearest known form is: {near}" if near else ""


def _read_acts(line: str) -> tuple[str, tuple[str, ...]]:
    """Return what is wrong with steps that a person wrote, and the steps."""
    texts: list[str] = []
    for part in _parts(line):
        steps = read_steps(part, number=1)
        for step in steps:
            fault = canonical_fault(step)
            if fault:
                return f"'{part}' {fault}", ()
            if step.asserts:
                return f"'{part}' is a check, and the sentence asks for an act", ()
            texts.append(part if len(steps) == 1 else write_sentence(step.readings[0]))
    return "", tuple(texts)


def listed(texts: Sequence[str]) -> str:
    """Return sentences in one line."""
    return "; ".join(texts)
