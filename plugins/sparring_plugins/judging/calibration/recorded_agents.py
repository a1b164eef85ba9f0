"""Measuring agents on a stored run whose right answers are known: nothing is asked again.

Which agents said what is told by listeners (`sparring_labelled_answers`), conversation by
conversation. The repeats of a case are the runs that are compared.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sparring.discovery import hooks
from sparring.discovery.hookspecs import hookspec
from sparring.engine.exit_codes import FAILED, NOTHING, PASSED
from sparring.errors import ConfigurationError, StoredRunError
from sparring.model.talk import Trace
from sparring.store import StoredRun
from sparring.suite.environment import Redactor
from sparring.suite.model import LLMUse
from sparring_plugins.judging.calibration import measures, reports
from sparring_plugins.judging.calibration.calibrate import (
    PAGE,
    Calibrated,
    CalibrateOptions,
    shortfalls,
)
from sparring_plugins.judging.calibration.judge_call import JudgeCall
from sparring_plugins.judging.calibration.judge_calls import Answer, Asked, Question
from sparring_plugins.judging.calibration.judge_measures import measured
from sparring_plugins.judging.calibration.judges import Item, Judge, JudgeAnswer
from sparring_plugins.judging.calibration.model import JudgeUse
from sparring_plugins.judging.calibration.reports import page
from sparring_plugins.judging.calibration.results import (
    CALIBRATION,
    Calibration,
    JudgeResult,
    LabelledAnswer,
    PerAnswer,
)

TABLE = "agents.csv"
_UNSAFE = ("=", "+", "-", "@", "\t", "\r")
_POSITIVE = "false"


class RecordedAgent(Judge):
    """An agent whose answers are all there."""

    kind = "agent"

    @property
    def target(self) -> str:
        """See `Judge`."""
        return self.use.target

    async def _ask(self, item: Item, judge_call: JudgeCall, *, reverse: bool) -> JudgeAnswer:
        raise NotImplementedError("its answers are recorded")


@hookspec
def sparring_labelled_answers(trace: Trace) -> Iterable[LabelledAnswer] | None:
    """What agents said in a conversation whose right answers are known, for ``sparring calibrate``.

    None if the listener knows no such agents in this conversation.
    """


@dataclass(slots=True)
class Said:
    """All that one agent said: by question, and in which repeat."""

    role: str
    strict: bool
    answers: dict[str, list[tuple[int, LabelledAnswer]]] = field(
        default_factory=lambda: defaultdict(list)
    )

    @property
    def name(self) -> str:
        """What reports call it."""
        return f"{self.role} (strict)" if self.strict else self.role

    def by_run(self) -> tuple[float, ...]:
        """The accuracy in each repeat, of the answers that decided."""
        right: dict[int, list[bool]] = defaultdict(list)
        for answer in self.answers.values():
            for repeat, labelled in answer:
                if labelled.answer is not None:
                    right[repeat].append(labelled.answer == labelled.expected)
        return tuple(sum(right[run]) / len(right[run]) for run in sorted(right))

    def wrongly(self, answer: str) -> int:
        """How often it gave an answer where another one is right."""
        labelled_answers = [labelled for each in self.answers.values() for _, labelled in each]
        return sum(labelled.answer == answer != labelled.expected for labelled in labelled_answers)


def calibrate_run(stored: StoredRun, options: CalibrateOptions) -> Calibrated:
    """Measure the agents of a stored run, and store the result in its folder.

    Raises ConfigurationError if no agent said anything whose right answer is known,
    StoredRunError if the run cannot be read or the result not be written.
    """
    listeners = hooks.load(frozenset(options.disabled), [sparring_labelled_answers])
    said = gathered(stored.traces(), listeners)
    names = [judge_answers.name for judge_answers in said]
    for name in options.judges:
        if name not in names:
            raise ConfigurationError(f"no agent is called {name!r}: {', '.join(names) or 'none'}")
    said = [
        judge_answers
        for judge_answers in said
        if not options.judges or judge_answers.name in options.judges
    ]
    if not said:
        raise ConfigurationError(
            f"the run {stored.manifest.id} has no agents whose right answers are known"
        )
    result = _result(stored, said)
    short = shortfalls(result, options)
    ended: dict[str, Any] = {"exit_code": FAILED if short else PASSED, "reason": "; ".join(short)}
    if not short and not any(judge.decided for judge in result.judges):
        ended = {"exit_code": NOTHING, "reason": "nothing was measured: no agent decided anything"}
    cleaned: Calibration = Redactor().cleaned(result.model_copy(update=ended))
    return Calibrated(
        cleaned, stored.folder, _store_result(cleaned, stored.folder), listeners.problems
    )


def gathered(traces: Iterable[Trace], listeners: hooks.Listeners) -> list[Said]:
    """What the agents of several conversations said, those of plain rules apart."""
    by_judge: dict[tuple[str, bool], Said] = {}
    seen: dict[str, int] = defaultdict(int)
    for trace in traces:
        key = f"{trace.case.scenario}/{sorted(trace.case.params.items())!r}"
        repeat = seen[key]
        seen[key] += 1
        for labelled in _list_labelled_answers(trace, listeners):
            agent = by_judge.setdefault(
                (labelled.role, labelled.strict), Said(labelled.role, labelled.strict)
            )
            agent.answers[labelled.item].append((repeat, labelled))
    return [by_judge[key] for key in sorted(by_judge)]


def _list_labelled_answers(trace: Trace, listeners: hooks.Listeners) -> Iterator[LabelledAnswer]:
    for answers in listeners.manager.hook.sparring_labelled_answers(trace=trace):
        yield from answers


def _result(stored: StoredRun, said: Sequence[Said]) -> Calibration:
    run = stored.manifest
    llm = _llm(run.suite)
    judges = tuple(_measure(one, llm, run.seed) for one in said)
    items = {(one.role, item): told[0][1] for one in said for item, told in one.answers.items()}
    labels = [one.expected for one in items.values()]
    return Calibration(
        id=run.id,
        name=run.name,
        created=run.created,
        file=run.suite_path,
        seed=run.seed,
        repeats=max(judge.repeats for judge in judges),
        examples=len(items),
        labels={label: labels.count(label) for label in sorted(set(labels))},
        judges=judges,
        usage=stored.summary.usage if stored.summary else Calibration.model_fields["usage"].default,
        inputs=run.inputs,
        versions=run.versions,
    )


def _llm(suite: Mapping[str, Any]) -> LLMUse | None:
    llm_settings = suite.get("llm")
    return LLMUse.model_validate(llm_settings) if llm_settings else None


def _measure(said: Said, llm: LLMUse | None, seed: int) -> JudgeResult:
    judge = RecordedAgent(
        JudgeUse(name=said.name, role=said.role, use="strict" if said.strict else "model")
    )
    asked_examples = [
        _ask_item(item, labelled_answers, number)
        for number, (item, labelled_answers) in enumerate(said.answers.items())
    ]
    runs = said.by_run()
    result = measured(judge, asked_examples, repeats=len(runs), positive=_POSITIVE, seed=seed)
    asks = llm is not None and not said.strict
    name = llm.for_role(said.role).settings.get("model") if llm is not None else None
    return result.model_copy(
        update={
            "settings": {"strict": said.strict},
            "per_answer": PerAnswer(cost_usd=None),
            "runs": runs,
            "false_pass": said.wrongly("true"),
            "false_fail": said.wrongly("false"),
            "llm": llm.model_dump(mode="json", exclude_unset=True) if llm and asks else None,
            "model": name if asks and isinstance(name, str) else None,
        }
    )


def _ask_item(
    item: str, labelled_answers: Sequence[tuple[int, LabelledAnswer]], number: int
) -> Asked:
    first = labelled_answers[0][1]
    asked = Asked(Item(id=item, shown=first.shown, expected=first.expected), first.expected)
    for repeat, answer in labelled_answers:
        asked.given.append(
            Answer(
                question=Question(0, number, repeat),
                outcome="undecided" if answer.answer is None else "answered",
                label=answer.answer,
                right=None if answer.answer is None else answer.answer == answer.expected,
                reason=answer.reason,
            )
        )
    return asked


def _store_result(result: Calibration, folder: Path) -> list[Path]:
    texts = {
        f"calibration-{PAGE}": page(result),
        TABLE: table(result),
        CALIBRATION: result.model_dump_json(indent=2) + "\n",
    }
    try:
        for name, text in texts.items():
            new = folder / f".{name}.new"
            new.write_text(text, encoding="utf-8", newline="")
            new.replace(folder / name)
    except OSError as err:
        raise StoredRunError(f"{folder} cannot be written: {err.strerror or err}") from err
    return [folder / name for name in texts]


def table(result: Calibration) -> str:
    """The agents as CSV: a row each, with the five numbers of the box plot."""
    import csv
    import io

    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(
        ["agent", "role", "by", "model", "questions", "answers", "decided", "p", "low", "high",
         "sigma", "sigma_level", "weight", "false_pass", "false_fail", "dont_know", "runs",
         "least", "lower_quartile", "median", "upper_quartile", "most", "mean"]
    )  # fmt: skip
    for judge in result.judges:
        box = reports.box(judge.runs) or ("",) * 5
        row: list[Any] = [
            judge.name, judge.role, judge.use, judge.model, judge.examples, judge.answers,
            judge.decided, judge.accuracy.value, judge.accuracy.low, judge.accuracy.high,
            judge.sigma, judge.level.value, judge.weight, judge.false_pass, judge.false_fail,
            judge.undecided, len(judge.runs), *box, measures.mean(judge.runs),
        ]  # fmt: skip
        writer.writerow([_cell(value) for value in row])
    return out.getvalue()


def _cell(value: Any) -> str:
    """A cell that no spreadsheet takes for a formula."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.6f}"
    text = str(value)
    return f"'{text}" if isinstance(value, str) and text.startswith(_UNSAFE) else text
