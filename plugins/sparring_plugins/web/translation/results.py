"""What became of the sentences of a test case that was translated."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pydantic import JsonValue

from sparring.cli.output import plain
from sparring.documents.reading import Document, dotted
from sparring.suite.environment import expand
from sparring_plugins.language.text import one_line
from sparring_plugins.web.runner.frozen_steps import FrozenStep
from sparring_plugins.web.runner.records import StepRecord
from sparring_plugins.web.suites.case import MARK, SentencePlace, TestCase
from sparring_plugins.web.translation.run import StepTranslation

_REFERENCES = re.compile(r"(?<!\$)\$\{[^{}]*\}")


def place_name(case: TestCase, place: SentencePlace) -> str:
    """Return what messages call a sentence's place: ``cases.yaml:tests[0].steps[2]``."""
    return f"{case.file}:{dotted(place.at)}"


@dataclass(frozen=True)
class SentenceResult:
    """What became of a sentence in a run.

    `means` are its canonical sentences as they are to stand in the file, `filled` the same with the
    values of this run. `is_over` says that all its steps were tried. `is_lost` means that a
    translation which it had could not be carried out.
    """

    text: str
    place: str
    is_wanted: bool
    is_over: bool = False
    is_lost: bool = False
    means: tuple[str, ...] = ()
    filled: tuple[str, ...] = ()
    frozen: tuple[FrozenStep | None, ...] = ()
    doubts: tuple[str, ...] = ()
    reason: str = ""

    def as_json(self) -> dict[str, JsonValue]:
        """Return it for the trace."""
        return {
            "sentence": self.text,
            "place": self.place,
            "means": list[JsonValue](self.means),
            "review": list[JsonValue](self.doubts),
            "reason": self.reason,
        }


def is_lost(place: SentencePlace, records: Sequence[StepRecord]) -> bool:
    """Return whether the translation of a sentence could not be carried out any more."""
    if not (place.is_translated and place.by):
        return False
    return any(
        r.frozen == "lost" or (r.outcome == "inconclusive" and not r.asserts) for r in records
    )


def translated(
    base: SentenceResult,
    case: TestCase,
    place: SentencePlace,
    steps: Sequence[StepTranslation | None],
) -> SentenceResult:
    """Return the result of a sentence, of whose steps None was not tried."""
    tried = [step for step in steps if step is not None]
    failed = next((step.reason for step in tried if step.reason), "")
    if failed:
        return replace(base, is_over=True, reason=f"not translated: {failed}")
    if len(tried) < len(steps):
        return replace(base, reason="not reached")
    filled = tuple(sentence for step in tried for sentence in step.sentences)
    if not filled:
        return replace(base, is_over=True, reason="not translated: it was done without an act")
    means = tuple(unfilled(sentence, case, place) for sentence in filled)
    kept = [frozen for step in tried for frozen in step.frozen]
    frozen = tuple(map(_as_written, kept, filled, means))
    doubts = tuple(dict.fromkeys(doubt for step in tried for doubt in step.doubts))
    return replace(base, is_over=True, means=means, filled=filled, frozen=frozen, doubts=doubts)


def _as_written(frozen: FrozenStep | None, filled: str, meant: str) -> FrozenStep | None:
    """Return a frozen step under its text in the file, without the values of names in it."""
    if frozen is None or filled == meant:
        return frozen
    acts = tuple(act.model_copy(update={"value": None}) for act in frozen.acts)
    return frozen.model_copy(update={"text": meant, "acts": acts})


def unfilled(sentence: str, case: TestCase, place: SentencePlace) -> str:
    """Return a canonical sentence with the names of variables that the sentence in the file has.

    ``%user%`` and ``${USER_NAME}`` stand in the file, their values only in the run.
    """
    text = sentence.replace("${", "$${")
    values = {f"%{name}%": case.variables.get(name, "") for name in _names_in(place.text)}
    for reference in dict.fromkeys(_REFERENCES.findall(place.text)):
        document = Document({"value": reference}, str(case.file))
        values[reference] = str(expand(document).data["value"])
    for name, value in sorted(values.items(), key=lambda item: -len(item[1])):
        if value and value != name:
            text = re.sub(rf"(?<!\w){re.escape(value)}(?!\w)", name.replace("\\", "\\\\"), text)
    return text


def _names_in(text: str) -> Iterator[str]:
    return (mark[1] for mark in MARK.finditer(text))


def report_lines(
    name: str, results: Sequence[SentenceResult], problems: Sequence[str]
) -> Iterator[str]:
    """Yield what people see of a case: each sentence with what it means, or why it has nothing.

    ``=`` is translated, ``~`` translated and to be reviewed, ``?`` not translated.
    """
    wanted = [result for result in results if result.is_wanted]
    count = sum(bool(result.means) for result in wanted)
    yield f"{plain(name)}: {count} of {len(wanted)} sentences translated"
    for result in wanted:
        sign = "~" if result.means and result.doubts else "=" if result.means else "?"
        yield f"  {sign} {plain(one_line(result.text, 160))}"
        yield from (f"      {plain(one_line(sentence, 200))}" for sentence in result.means)
        doubts = result.doubts or ((result.reason,) if result.reason else ())
        yield from (f"      review: {plain(one_line(doubt, 200))}" for doubt in doubts)
    yield from (f"  not written: {plain(problem)}" for problem in problems)
