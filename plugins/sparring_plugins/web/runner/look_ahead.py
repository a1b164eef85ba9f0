"""Look-ahead: of several equal candidates, the one with which the rest of a case can be done.

Each candidate is tried in a copy of the page: a fresh browser context in which the case is played
from its start. What is tried changes nothing in the app, as far as the page shows that (links are
followed, fields filled in, nothing is sent), unless the suite puts the app's data back and says
that anything may be tried. The acts of the trials stand in the trace between two acts `rehearse`.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple
from urllib.parse import urlsplit

from sparring.errors import AppError, SparringError
from sparring.interfaces.app_connector import AppSession
from sparring.model.page import Element, PageSnapshot
from sparring.model.talk import Act, GuiAction, Listen, Observation
from sparring_plugins.web.grammar.assertions import is_assertion
from sparring_plugins.web.pages.controls import VOCABULARY, in_words
from sparring_plugins.web.pages.plans import Planner
from sparring_plugins.web.rehearsals import REHEARSE
from sparring_plugins.web.roles import Navigation, PageTask
from sparring_plugins.web.runner.records import StepRecord, TestVerdict
from sparring_plugins.web.runner.run_state import DialogAnswers, Views
from sparring_plugins.web.step import Reading, Step

LookAheadMode = Literal["harmless", "any", "off"]

#: How many candidates are tried at most: each costs the steps of the case once more.
MOST_CANDIDATES = 4
#: Acts that send nothing to a server, or ask it only for pages.
_HARMLESS = frozenset(
    {"append", "back", "fill", "forward", "hover", "open", "reload", "screenshot", "scroll",
     "switch_tab", "type", "wait"}
)  # fmt: skip
_WORD = re.compile(r"[a-z]+")


class Withheld(SparringError):
    """An act that may change something for good was not tried out."""


class Trial(NamedTuple):
    """What came of a candidate: the verdict of the case, `None` if it was not played to its end.

    `place` is its place among the candidates; `goes_on` means that all acts could be carried out.
    """

    place: int
    words: str
    verdict: TestVerdict | None
    goes_on: bool


class Decision(NamedTuple):
    """The trial to go by, with why."""

    trial: Trial | None
    note: str


def decide(trials: Sequence[Trial]) -> Decision:
    """Choose among candidates, which come in reading order, by what came of each.

    If the verdicts differ, nothing is taken: a case that passes only with one of several equal
    candidates shows which one its author may have meant, and not that the app is right. Without a
    trial and without a note nothing was learnt.
    """
    able = [trial for trial in trials if trial.goes_on]
    if not able:
        return Decision(None, "")
    if len(able) == 1:
        return Decision(able[0], f"the only one of {len(trials)} with which the case goes on")
    verdicts = {trial.verdict for trial in able}
    if None in verdicts:
        return Decision(None, "")  # what comes after it changes something, and was not tried
    if len(verdicts) == 1:
        return Decision(able[0], f"each of the {len(able)} leads to the same verdict")
    outcomes = ", ".join(f"{trial.verdict} with {trial.words}" for trial in able)
    return Decision(None, f"the verdict depends on which is meant: {outcomes}")


@dataclass
class LookAhead:
    """Chooses between equal candidates by trying them.

    `choices` are the places of what was chosen at earlier steps, by their numbers. The run of a
    trial (`is_trial`) tries nothing itself: it takes what they say.
    """

    mode: LookAheadMode = "harmless"
    is_trial: bool = False
    choices: dict[int, int] = field(default_factory=dict[int, int])

    async def choose(self, run: Any, task: PageTask) -> Navigation | None:
        """Return what to do for the step of `task` in `run`, which is a `Run`.

        Returns None if no candidates are equal or the trials taught nothing, and a navigation
        without acts if the verdict depends on which is meant.
        """
        reading, tied = _find_tied(task)
        if reading is None or self.mode == "off" or len(tied) > MOST_CANDIDATES:
            return None
        number = task.step.number
        if self.is_trial:
            place = self.choices.get(number)
            return None if place is None else _navigation(task, place, "")
        trials = await self._try_all(run, task, tied)
        if not trials:
            return None
        decision = decide(trials)
        if decision.trial is None:
            return _navigation(task, None, decision.note) if decision.note else None
        self.choices[number] = decision.trial.place
        if self.mode == "any":
            await self._start_over(run, number)
            task = task.model_copy(
                update={"view": run.views.last, "before": tuple(run.views.earlier)}
            )
        return _navigation(task, decision.trial.place, decision.note)

    async def _try_all(self, run: Any, task: PageTask, tied: Sequence[str]) -> list[Trial]:
        """Try each candidate; returns nothing if the connector opens no copies of a page."""
        trials: list[Trial] = []
        if self.mode != "any" and not _was_harmless(run):
            return trials
        for place, element in enumerate(tied):
            if not await self._begin(run):
                return []
            words = _in_words(task.view.snapshot, element)
            choices = {**self.choices, task.step.number: place}
            records, verdict = await self._play(run, run.setup, run.steps, choices)
            await _send(run, "end")
            acts = [record for record in records if not is_assertion(record.step)]
            goes_on = bool(acts) and all(record.outcome == "done" for record in acts)
            trials.append(Trial(place, words, verdict, goes_on))
        return trials

    async def _start_over(self, run: Any, number: int) -> None:
        """Play the steps before `number` in a fresh copy, and go on in it: trials left traces."""
        if not await self._begin(run):
            return
        setup = [step for step in run.setup if step.number < number]
        steps = [step for step in run.steps if step.number < number]
        await self._play(run, setup, steps, self.choices, keeps=True)
        await _send(run, "stay")
        if run.views.last is None:  # the first step of the case: the copy shows no page yet
            observation = await run.session.send(Listen())
            run.turns += 1
            run.views.add(observation.page, again=True)

    async def _begin(self, run: Any) -> bool:
        observation = await _send(run, "afresh" if self.mode == "any" else "begin")
        return observation.page is not None and observation.page.hit is not False

    async def _play(
        self,
        run: Any,
        setup: Sequence[Step],
        steps: Sequence[Step],
        choices: dict[int, int],
        *,
        keeps: bool = False,
    ) -> tuple[Sequence[StepRecord], TestVerdict | None]:
        """Play steps in the copy; returns the records, and the verdict if all was played."""
        session = GuardedSession(run.session, allows_all=self.mode == "any")
        trial = replace(
            run,
            session=session,
            setup=setup,
            steps=steps,
            teardown=(),
            frozen={},
            pictures=False,
            records=[],
            kept={},
            views=Views(),
            acts=[],
            turns=0,
            answers=DialogAnswers(),
            guesses=[],
            patiences=[],
            covered={},
            following=(),
            look_ahead=LookAhead(self.mode, is_trial=True, choices=choices),
        )
        verdict: TestVerdict | None = None
        try:
            verdict, _ = await trial.play()
        except (Withheld, AppError):
            verdict = None
        run.turns += session.turns
        if keeps:
            run.views, run.acts = trial.views, trial.acts
        return trial.records, verdict


class GuardedSession(AppSession):
    """A session in which acts that may change something for good raise `Withheld`."""

    def __init__(self, session: AppSession, *, allows_all: bool) -> None:
        self._session = session
        self._allows_all = allows_all
        self._page: PageSnapshot | None = None
        self.turns = 0

    async def send(self, act: Act) -> Observation:
        if isinstance(act, GuiAction) and not (self._allows_all or is_harmless(act, self._page)):
            raise Withheld(f"{act.action} {act.described or ''} was not tried out")
        self.turns += 1
        observation = await self._session.send(act)
        if observation.page is not None:
            self._page = observation.page.snapshot
        return observation

    def upcoming(self) -> tuple[Act, ...] | None:
        return self._session.upcoming()


def is_harmless(act: GuiAction, page: PageSnapshot | None) -> bool:
    """Return whether an act changes nothing in the app, as far as the page shows that."""
    if act.action in _HARMLESS:
        return True
    element = page.element(act.target) if page is not None and act.target else None
    return act.action == "click" and element is not None and _only_shows(element)


def _only_shows(element: Element) -> bool:
    """Return whether a click on an element only opens a page, or a part of this one."""
    if element.role == "tab" or (element.role == "button" and element.expanded is not None):
        return True
    if element.role != "link" or not element.url:
        return False
    parts = urlsplit(element.url)
    words = " ".join((element.name, element.text, parts.path, parts.query)).casefold()
    grave = VOCABULARY.grave | VOCABULARY.changing
    return parts.scheme in ("http", "https", "") and not grave & set(_WORD.findall(words))


def _was_harmless(run: Any) -> bool:
    """Return whether the case so far may be played again without changing anything in the app."""
    pages = [view.snapshot for view in (*run.views.earlier, run.views.last) if view is not None]
    return all(
        any(is_harmless(act, page) for page in pages if not act.target or page.element(act.target))
        for act in run.acts
    )


async def _send(run: Any, value: str) -> Observation:
    observation: Observation = await run.session.send(GuiAction(action=REHEARSE, value=value))
    run.turns += 1
    return observation


def _find_tied(task: PageTask) -> tuple[Reading | None, tuple[str, ...]]:
    """Return the first reading for which several candidates are equal, with their ids."""
    for reading in task.step.readings:
        tied = Planner(task.model_copy(update={"reading": reading})).plan().tied
        if tied:
            return reading, tied
    return None, ()


def _navigation(task: PageTask, place: int | None, note: str) -> Navigation | None:
    """Return the acts of the step on the candidate at a place, or none if it has no place."""
    reading, tied = _find_tied(task)
    if reading is None or (place is not None and place >= len(tied)):
        return None
    twin = None if place is None else tied[place]
    plan = Planner(task.model_copy(update={"reading": reading}), twin=twin).plan()
    reason = f"{plan.reason}; {note}" if note else plan.reason
    return Navigation(acts=plan.acts, candidates=plan.candidates, reason=reason)


def _in_words(page: PageSnapshot, identifier: str) -> str:
    element = page.element(identifier)
    return in_words(element) if element is not None else identifier
