"""A run of a test case that finds out what its sentences mean, in canonical steps."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

from sparring.errors import AnswerInvalid
from sparring.model.page import PageView
from sparring.model.talk import Act, GuiAction
from sparring.model.verdict import Owner
from sparring_plugins.language.text import one_line
from sparring_plugins.web.grammar.canonical import write_sentence
from sparring_plugins.web.pages.conditions import holds
from sparring_plugins.web.pages.layout import Layout
from sparring_plugins.web.pages.text_fit import plain
from sparring_plugins.web.roles import Judged, Navigation, PageTask
from sparring_plugins.web.runner.algorithm import Run
from sparring_plugins.web.runner.error_pages import doubt_error_page
from sparring_plugins.web.runner.frozen_steps import FrozenStep, freeze
from sparring_plugins.web.runner.misreadings import conditions_of
from sparring_plugins.web.runner.model_steps import await_content, is_left_undone, settle
from sparring_plugins.web.runner.records import Outcome, StepRecord
from sparring_plugins.web.runner.weak_steps import act_weakly, is_final
from sparring_plugins.web.step import Counted, Displayed, Reading, Step, Target
from sparring_plugins.web.suites.translations import canonical_fault, how_read
from sparring_plugins.web.translation.act_sentences import act_sentence, as_step, nameable_act
from sparring_plugins.web.translation.check_sentences import count_clauses, missing_values
from sparring_plugins.web.translation.model_translator import TranslatedCheck

_OUTCOMES: Mapping[bool | None, Outcome] = {True: "true", False: "false", None: "inconclusive"}
_LONGEST_QUOTE = 120
_NAMELESS = "an element that no sentence can name"
#: Acts after which an assertion may have been true before: they only show the first page.
_OPENING = frozenset({"open", "wait", "listen", "screenshot"})
_VACUOUS = {
    "before": "it was true before the last act, too",
    "everywhere": "it was true on every page of the test case",
}


class Translator(Protocol):
    """Who says what a sentence means."""

    @property
    def by(self) -> str:
        """What reports call the translator."""
        ...

    async def acts(self, task: PageTask) -> tuple[str, ...] | None:
        """Return canonical sentences for an act; None leaves it to the run's own agents."""
        ...

    async def check(self, task: PageTask, judged: Judged) -> TranslatedCheck:
        """Return canonical conditions for a check; `judged` is what plain rules say of it."""
        ...


@dataclass(frozen=True)
class StepTranslation:
    """The canonical sentences of a step, each with its frozen grounding if it acts.

    `doubts` are what a person should look at. Without sentences, `reason` says why there are none.
    """

    sentences: tuple[str, ...] = ()
    frozen: tuple[FrozenStep | None, ...] = ()
    doubts: tuple[str, ...] = ()
    reason: str = ""


@dataclass(frozen=True)
class _SeenAct:
    """An act, with the page and the acts before it."""

    act: GuiAction
    view: PageView
    before: tuple[GuiAction, ...]


@dataclass
class TranslatingRun(Run):
    """Carries out a test case and notes for each step of `wanted` what it became.

    Steps that are read exactly are left to plain rules; only what these cannot carry out or decide
    is asked for. `translations` grows step by step, so that a run that is cut short keeps them.
    `asked` are steps outside of `wanted` for which the model had to be asked: acts that only it
    could carry out, checks whose words may mean something else.
    """

    translator: Translator | None = None
    wanted: frozenset[int] = frozenset()
    translations: dict[int, StepTranslation] = field(default_factory=dict[int, StepTranslation])
    seen_acts: list[_SeenAct] = field(default_factory=list[_SeenAct])
    asked: set[int] = field(default_factory=set[int])

    async def _do(self, act: GuiAction) -> None:
        repeated = bool(self.seen_acts) and self.seen_acts[-1].act is act
        if self.views.last is not None and not repeated:
            self.seen_acts.append(_SeenAct(act, self.views.last, tuple(self.acts)))
        await super()._do(act)

    async def _send(self, act: Act) -> None:
        if isinstance(act, GuiAction) and act.action == "answer_dialog" and self.views.last:
            self.seen_acts.append(_SeenAct(act, self.views.last, tuple(self.acts)))
        await super()._send(act)

    async def _carry_out(self, base: StepRecord, navigation: Navigation) -> StepRecord:
        count = len(self.seen_acts)
        record = await super()._carry_out(base, navigation)
        if record.outcome != "done" and len(self.seen_acts) > count:
            # The act that failed is no part of the translation: a column that was clicked again,
            # because the page was drawn anew, would be sorted the other way round.
            self.seen_acts.pop()
        return record

    async def _ask_navigator(self, base: StepRecord, tried: tuple[str, ...] = ()) -> StepRecord:
        # what plain rules did in vain is no part of what the sentence means
        self.seen_acts.clear()
        return await super()._ask_navigator(base, tried)

    async def _act_otherwise(self, base: StepRecord, readiness: Judged) -> StepRecord | None:
        """Ask the model about what plain rules only read weakly, even if they find something.

        "Submit the changes" is weakly a button 'submit', which may be that of a search form. A
        translation is kept for ever, so that a guess costs more than a question.
        """
        step = base.step
        is_guess = step.number in self.wanted and not step.by and how_read(step) != "exact"
        if is_guess and self.agents.navigators[1:]:
            return await self._ask_navigator(base)
        return await super()._act_otherwise(base, readiness)

    async def _navigate(self, step: Step) -> StepRecord:
        self.seen_acts.clear()
        if self.translator is None:
            return await super()._navigate(step)
        if step.number not in self.wanted:
            return self._note_exact(step, await super()._navigate(step))
        texts = None
        if how_read(step) != "exact":
            await self._view()
            texts = await self.translator.acts(self._task(step, step.reading))
        if texts is None:
            record = await super()._navigate(step)
        else:
            record = await self._carry_out_sentences(step, texts)
        if (weak := await self._act_by_weak_reading(step, record)) is not None:
            return weak
        if record.outcome == "done" and record.reason and not self.seen_acts:
            # it was done together with an earlier part of its sentence
            self.translations[step.number] = StepTranslation()
        elif record.outcome == "done":
            self.translations[step.number] = self._translate_acts(step, record)
        else:
            reason = f"could not be carried out: {record.reason}"
            self.translations[step.number] = StepTranslation(reason=reason)
        return record

    async def _act_by_weak_reading(self, step: Step, record: StepRecord) -> StepRecord | None:
        """Carry a step out as a run without a model would, if the model knew no way.

        Else what comes after it could not be translated. The sentence stays as it is.
        """
        is_open = is_left_undone(record) and not record.turns and self.agents.navigators[1:]
        if not is_open:
            return None
        weak = await act_weakly(step, record, self._hands(step))
        if weak.outcome != "done":
            return None
        reason = f"was left to the weak readings, because {record.reason}"
        self.translations[step.number] = StepTranslation(reason=reason)
        self.guesses.append(step)
        return weak

    async def _carry_out_sentences(self, step: Step, texts: tuple[str, ...]) -> StepRecord:
        """Carry out the canonical sentences that a person gave for a step."""
        record = StepRecord(step=step, outcome="inconclusive", reason="nobody said what it means")
        for text in texts:
            record = await super()._navigate(as_step(text, step.number))
            if record.outcome != "done":
                break
        return record.model_copy(update={"step": step})

    def _note_exact(self, step: Step, record: StepRecord) -> StepRecord:
        """Note what became of a step that is read exactly: a model may have had to do it.

        "Choose the kind Tea, the size 'big'" is exactly `Select 'big'`, but nothing is called so.
        """
        if record.outcome == "done":
            is_covered = bool(record.reason) and not self.seen_acts
            translation = StepTranslation() if is_covered else self._translate_acts(step, record)
            self.translations[step.number] = translation
            if self._is_by_model(record):
                self.asked.add(step.number)
        return record

    def _is_by_model(self, record: StepRecord) -> bool:
        is_strict = record.navigation is None or record.navigation.strict
        return bool(self.agents.navigators[1:] and self.seen_acts) and not is_strict

    def _translate_acts(self, step: Step, record: StepRecord) -> StepTranslation:
        """Return the canonical sentences of the acts that carried a step out."""
        sentences: list[str] = []
        frozen: list[FrozenStep | None] = []
        doubts: list[str] = []
        is_exact = how_read(step) == "exact" and step.reading is not None
        if is_exact and not self._is_by_model(record):
            return StepTranslation((step.text,), (self.kept.get(step.number),))
        for seen in self.seen_acts:
            act = nameable_act(seen.act, seen.view, step.text)
            sentence = act_sentence(act, seen.view, seen.before)
            if sentence is None:
                continue
            if not sentence.text:
                return StepTranslation(reason=f"was done by an act ({act.action}) on {_NAMELESS}")
            by = self.translator.by if self.translator is not None else ""
            canonical = as_step(sentence.text, step.number).model_copy(update={"by": by})
            kept = freeze(canonical, (act,), Layout(seen.view.snapshot), changes=False)
            sentences.append(sentence.text)
            frozen.append(kept)
            doubts += [f"'{sentence.text}': {sentence.doubt}"] if sentence.doubt else []
        if not sentences and (text := self._awaited(record.target)):
            return StepTranslation((text,), (None,), ("the page showed that it was done already",))
        if not sentences:
            return StepTranslation(reason="was done without an act that could be written down")
        missing = missing_values(step.text, sentences)
        if missing:
            doubts.append(f"the translation does not have {_join_texts(missing)} of the sentence")
        return StepTranslation(tuple(sentences), tuple(frozen), tuple(doubts))

    def _awaited(self, quote: str) -> str:
        """Return the act that waits for a text which showed that nothing was to be done."""
        condition = Displayed(target=Target(text=one_line(quote, _LONGEST_QUOTE)))
        if not quote or holds(condition, self._page()).truth is not True:
            return ""
        text = write_sentence(Reading(action="wait", condition=condition))
        return text if canonical_fault(as_step(text, 1)) is None else ""

    async def _assert(self, step: Step) -> StepRecord:
        is_wanted = step.number in self.wanted
        await self._view()
        await await_content(self._page, self._patience, self._wait)
        record = await super()._assert(step)
        if self.translator is None or not (is_wanted or self._is_open(step, record)):
            self.translations[step.number] = StepTranslation((step.text,), (None,))
            return record
        if is_wanted and how_read(step) == "exact" and record.outcome != "inconclusive":
            self.translations[step.number] = StepTranslation((step.text,), (None,))
            return record
        judged = record.assertion or Judged()
        try:
            answer = await self.translator.check(self._task(step, step.reading), judged)
        except AnswerInvalid as err:
            answer = TranslatedCheck(
                judged=Judged(reason=str(err), strict=False, owner=Owner.SIMULATED_USER)
            )
        if answer.means and not is_wanted:
            self.asked.add(step.number)
        if is_wanted or answer.means:
            return self._record_check(step, record, answer)
        self.translations[step.number] = StepTranslation((step.text,), (None,))
        return _with_judgement(record, settle(judged, answer.judged))

    def _is_open(self, step: Step, record: StepRecord) -> bool:
        """Return whether a model has to be asked about a check that has one exact reading."""
        if step.by or step.reading is None or not self.agents.navigators[1:]:
            return False
        return record.outcome == "inconclusive" or is_loosely_read(step)

    def _record_check(self, step: Step, record: StepRecord, answer: TranslatedCheck) -> StepRecord:
        expected = self.expected.get(step.number, True)
        judged = answer.judged
        if not answer.means or answer.condition is None:
            judged = judged.model_copy(update={"truth": None})
            self.translations[step.number] = StepTranslation(reason=judged.reason)
        else:
            if error := self.views.error_page():
                judged = doubt_error_page(step, judged, error, self._page(), expected=expected)
            doubts = [*answer.doubts, *self._doubts(step, judged, answer)]
            frozen = (None,) * len(answer.means)
            self.translations[step.number] = StepTranslation(answer.means, frozen, tuple(doubts))
        vacuous = self._vacuous_reading(judged, answer)
        target = ", ".join(self._words(judged.elements))
        return _with_judgement(record, judged).model_copy(
            update={"target": target, "vacuous": vacuous, "owner": judged.owner}
        )

    def _vacuous_reading(
        self, judged: Judged, answer: TranslatedCheck
    ) -> Literal["before", "everywhere"] | None:
        """Return whether a translated check was true before; opening the app is no act to test."""
        has_acted = any(act.action not in _OPENING for act in self.acts)
        if judged.truth is not True or answer.condition is None or not has_acted:
            return None
        return self.views.vacuous(answer.condition, self.acts)

    def _doubts(self, step: Step, judged: Judged, answer: TranslatedCheck) -> list[str]:
        """Return what a person should look at before a translation is taken for the sentence."""
        doubts: list[str] = []
        if judged.truth is False:
            doubts.append(f"was false on the app when it was translated: {judged.reason}")
        if judged.truth is None:
            doubts.append(f"could not be decided when it was translated: {judged.reason}")
        missing = missing_values(step.text, answer.means)
        if missing:
            doubts.append(f"the translation does not have {_join_texts(missing)} of the sentence")
        vacuous = self._vacuous_reading(judged, answer)
        if vacuous is not None:
            doubts.append(_VACUOUS[vacuous])
        if judged.weak:
            doubts.append(f"holds by a weaker match: {judged.weak}")
        return doubts


def is_loosely_read(step: Step) -> bool:
    """Return whether a check has one reading, but in words that may mean something else.

    "Check that its entries are hidden" may speak of a menu, and not of fields for text; of "a note
    with 'Draft' is shown and that it can be closed" the second half may be lost. What is quoted
    and has no more clauses than conditions, or stands there in canonical words, is certain.
    """
    if step.reading is None or _same_words(step.text, write_sentence(step.reading)):
        return False
    conditions = conditions_of(step.reading)
    is_sure = is_final(step) or all(isinstance(condition, Counted) for condition in conditions)
    return not is_sure or count_clauses(step.text) > len(conditions)


def _same_words(text: str, other: str) -> bool:
    return plain(text).rstrip(".") == plain(other).rstrip(".")


def _with_judgement(record: StepRecord, judged: Judged) -> StepRecord:
    update = {"outcome": _OUTCOMES[judged.truth], "reason": judged.reason, "assertion": judged}
    return record.model_copy(update=update)


def _join_texts(texts: list[str]) -> str:
    return ", ".join(f"'{text}'" for text in texts[:3])
