"""How far the extractor `patterns` agrees with what a model read from SENSEI's conversations.

SENSEI stored, with each conversation, the values that gpt-4o-mini read from it. The extractor without a
model reads the same conversations, for the outputs that their profiles declare. What agreement means,
by the form of the value that is sought:

- money: the same amounts, all of them; dates: the same day; times: the same time of day;
- numbers, phone numbers, e-mail addresses, identifiers: the same digits or characters;
- texts: `same` where they are equal but for case and punctuation, and `within` where one says what the
  other does: four fifths of the content words of the shorter text, and all its numbers, are in the longer.
  The extractor gives the sentences of the chatbot, and the model often a phrase of them.

No value on either side is agreement. ``python tests/evaluation/test_extraction_agreement.py`` prints the
figures and every disagreement.
"""

import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from sparring.errors import Problem, SparringError
from sparring.interfaces.roles import ExtractTask, OutputSpec
from sparring.model.talk import Trace
from sparring_plugins.language.loose_values import find_spoken_times, loose_date, loose_dates
from sparring_plugins.language.numbers import find_money, number
from sparring_plugins.language.text import folded
from sparring_plugins.language.vocabulary import concepts
from sparring_plugins.sensei.conversations import read_conversations
from sparring_plugins.users.extraction.extractor import find_outputs
from sparring_plugins.users.extraction.output_form import output_form
from sparring_plugins.users.profiles.profile import Profile
from sparring_plugins.users.profiles.profile_files import read_profiles

VARIABLE = "SPARRING_SENSEI_EVALUATION"
ENOUGH = 0.8
CLOCK = re.compile(r"(\d{1,2})(?:[:.h](\d\d))?(?::\d\d)?\s*([ap])?", re.IGNORECASE)
AGREEING = ("absent", "same", "within")
EXPLAINED = (*AGREEING, "other order", "user's words")
"""Outcomes where a person reads what the extractor does, or the model took what the user said.

`other order` is the same written date with day and month exchanged. In those that were read, a day
named in words ("tomorrow") shows that the extractor's order is the right one; not all were read.
"""


@dataclass(frozen=True)
class Pair:
    """What the model and the extractor read for one output of one conversation."""

    chatbot: str
    file: str
    spec: OutputSpec
    model: Any
    ours: Any
    said: bool = True
    today: date = date(2024, 10, 28)

    @property
    def form(self) -> str:
        return output_form(self.spec).form

    @property
    def outcome(self) -> str:
        """`absent`, `same`, `within`, `different`, `only ours` or `only the model`."""
        given, found = _present(self.form, self.model), _present(self.form, self.ours)
        if given is not None and not self.said:
            return "user's words" if found is None else "not said"
        if given is None or found is None:
            one = "only ours" if found is not None else "only the model"
            return "absent" if given is found else one
        if self.form == "date" and not isinstance(given, date) and not ISO.match(str(given)):
            return "same" if found in days_in(str(given), self.today) else "different"
        if self.form == "time" and len(str(given)) > 12:  # the sentence that has the time in it
            spans = find_spoken_times(str(given))
            return "same" if any(_same_clock(span.text, found) for span in spans) else "different"
        outcome = compared(self.form, given, found)
        swapped = self.form == "date" and outcome == "different" and _swapped(given, found)
        return "other order" if swapped else outcome


def _same_clock(text: str, found: Any) -> bool:
    return bool(_value("time", text) == _value("time", found))


ISO = re.compile(r"\d{4}-\d\d-\d\d")


def _swapped(given: Any, found: Any) -> bool:
    """Whether two dates differ by the order of day and month only."""
    first, second = _value("date", given), _value("date", found)
    return sorted((first[5:7], first[8:10])) == sorted((second[5:7], second[8:10]))


def compared(form: str, given: Any, found: Any) -> str:
    """How two values of a form that are both there compare."""
    if form in ("statement", "name", "duration"):
        return _texts(str(given), str(found))
    return "same" if _value(form, given) == _value(form, found) else "different"


def _present(form: str, value: Any) -> Any:
    """A value that is there; a sentence without an amount is no price, whatever the model stored."""
    if value is None or str(value).strip() in ("", "None"):
        return None
    wordless = form in ("money", "date", "time") and not re.search(r"\d|noon|tomorrow", str(value))
    return None if wordless else value


def days_in(text: str, today: date) -> set[date]:
    """The days that the dates in a text may mean, in both orders of day and month."""
    return {
        day
        for span in loose_dates(text)
        for order in (True, False)
        if (day := loose_date(span.text, today, "English", order)) is not None
    }


def was_said(form: str, value: Any, replies: list[str], today: date) -> bool:
    """Whether the chatbot itself said a typed value, and not only the user."""
    if form == "date":
        days = {value} if isinstance(value, date) else days_in(str(value), today)
        return any(days & days_in(reply, today) for reply in replies)
    if form == "time" and len(str(value)) <= 12:
        spans = [span for reply in replies for span in find_spoken_times(reply)]
        return any(_same_clock(span.text, value) for span in spans)
    return True


def _value(form: str, value: Any) -> Any:
    text = str(value).strip()
    if form == "money":
        return amounts(text)
    if form == "date":
        return value.isoformat()[:10] if isinstance(value, date) else text[:10]
    if form == "time" and (match := CLOCK.search(text)):
        hour = int(match[1]) % 12 + 12 * (match[3].lower() == "p") if match[3] else int(match[1])
        return hour, int(match[2] or 0)
    if form in ("int", "float"):
        return float(number(text) or 0)
    return re.sub(r"\W", "", text).casefold()


def amounts(text: str) -> list[float]:
    """The amounts of money in a text; where no currency stands there, its numbers."""
    found = [one.text for one in find_money(text)] or [text]
    digits = [part for one in found for part in re.findall(r"\d+(?:[.,]\d+)*", one)]
    return [float(value) for part in digits if (value := number(part)) is not None]


def _texts(given: str, found: str) -> str:
    if folded(given) == folded(found):
        return "same"
    shorter, longer = sorted((given, found), key=lambda text: len(concepts(text)))
    if not set(re.findall(r"\d+", shorter)) <= set(re.findall(r"\d+", longer)):
        return "different"
    words = concepts(shorter)
    share = len(words & concepts(longer)) / len(words) if words else 0.0
    return "within" if share >= ENOUGH else "different"


def pairs(root: Path) -> Iterator[Pair]:
    """Every output of every stored conversation whose profile is there."""
    for conversation in conversations(root):
        for spec, found in zip(
            conversation.task.outputs, find_outputs(conversation.task), strict=True
        ):
            yield conversation.pair(spec, found.value)


def tasks(root: Path) -> Iterator[tuple[str, ExtractTask, OutputSpec, Any]]:
    """Every output of every stored conversation, with what the model read."""
    for conversation in conversations(root):
        for spec in conversation.task.outputs:
            yield conversation.chatbot, conversation.task, spec, conversation.values[spec.name]


@dataclass(frozen=True)
class Stored:
    """A stored conversation with the outputs that a model read."""

    chatbot: str
    file: str
    task: ExtractTask
    values: dict[str, Any]

    def pair(self, spec: OutputSpec, ours: Any) -> Pair:
        """What both read for one output."""
        value, today = self.values[spec.name], self.task.today
        replies = [turn.observation.text for turn in self.task.turns if turn.observation]
        said = value is None or was_said(output_form(spec).form, value, replies, today)
        return Pair(self.chatbot, self.file, spec, value, ours, said, today)


def conversations(root: Path) -> Iterator[Stored]:
    """The stored conversations whose profiles are there."""
    profiles = _profiles(root)
    for trace in _conversations(root):
        outputs = {one.name: one for one in trace.outputs}
        fitting = (
            profile
            for profile in profiles[str(trace.meta["profile"])]
            if set(outputs) <= {spec.name for spec in profile.outputs}
        )
        profile = next(fitting, None)
        if profile is None:
            continue
        task = ExtractTask(
            turns=trace.turns,
            outputs=tuple(spec for spec in profile.outputs if spec.name in outputs),
            inputs=trace.case.params,
            domains={one.name: one.domain for one in profile.variables},
            language=profile.language,
            today=trace.started.date(),
        )
        source = Path(str(trace.meta["source"]))
        place = f"/{source.as_posix()}"
        chatbot = next((name for name in CHATBOTS if f"/{name}/" in place), "other")
        values = {name: output.value for name, output in outputs.items()}
        yield Stored(chatbot, source.name, task, values)


CHATBOTS = ("ada", "catalina", "financial-bot", "genion", "julie", "kuki", "lola", "millie",
            "saic_malaga", "serviceform", "bikeshop", "photography", "photography-test",
            "veterinary", "veterinary-test", "pizzashop-test", "pizza")  # fmt: skip


def _profiles(root: Path) -> dict[str, list[Profile]]:
    found: dict[str, list[Profile]] = defaultdict(list)
    for path in sorted(root.rglob("*.yml")):
        folders = path.relative_to(root).parts[:-1]
        if not {"profiles", "conversations"} & set(folders) or {"results_data", "output"} & set(
            folders
        ):
            continue
        try:
            profiles = read_profiles([path], base_dir=root, seed=0, keep_unresolved=True)
        except SparringError:
            continue
        for profile in profiles:
            found[profile.test_name].append(profile)
    return found


def _conversations(root: Path) -> Iterator[Trace]:
    for part in ("chatbots-wild-analysis/output", "mutation-analysis"):
        for found in read_conversations(root / part):
            if not isinstance(found, Problem):
                yield found


@dataclass(frozen=True)
class Figure:
    """How many of how many values agree."""

    agree: int
    of: int

    @property
    def share(self) -> float:
        return self.agree / self.of

    def __str__(self) -> str:
        return f"{self.agree} of {self.of} ({100 * self.share:.1f} %)"


def figure(measured: list[Pair], *forms: str) -> Figure:
    chosen = [pair for pair in measured if not forms or pair.form in forms]
    return Figure(sum(pair.outcome in AGREEING for pair in chosen), len(chosen))


ROOT = Path(os.environ.get(VARIABLE) or "-")
here = pytest.mark.skipif(
    not (ROOT / "mutation-analysis").is_dir(), reason=f"{VARIABLE} names no checkout"
)


@pytest.fixture(scope="module")
def measured() -> list[Pair]:
    return list(pairs(ROOT))


@here
@pytest.mark.parametrize("form", ["money", "date", "time"])
def test_values_with_a_form_agree(measured: list[Pair], form: str) -> None:
    found = figure(measured, form)
    assert found.of >= 50
    assert found.share >= 0.95, found


@here
def test_all_outputs_agree(measured: list[Pair]) -> None:
    found = figure(measured)
    assert found.of >= 1_000
    assert found.share >= 0.85, found


@here
@pytest.mark.parametrize("chatbot", CHATBOTS)
def test_no_chatbot_is_left_behind(measured: list[Pair], chatbot: str) -> None:
    """Two of three values at least, of every chatbot with enough of them."""
    found = figure([pair for pair in measured if pair.chatbot == chatbot])
    if found.of < 20:
        pytest.skip(f"only {found.of} values")
    assert found.share >= 0.66, found


@pytest.mark.parametrize(
    ("form", "given", "found", "outcome"),
    [
        ("money", "€449", "449€", "same"),
        ("money", "$50 to $100", "$50", "different"),
        ("money", "10", "$10.00", "same"),
        ("money", "$10", "$10.50", "different"),
        ("date", date(2024, 10, 29), "2024-10-29", "same"),
        ("time", "14:00:00", "2 pm", "same"),
        ("time", "2:30 pm", "14:00", "different"),
        ("phone", "+34 611", "+34611", "same"),
        ("statement", "A small pizza.", "a small pizza", "same"),
        ("statement", "small pizza with ham", "Perfect, your small pizza has ham.", "within"),
        ("statement", "small pizza with ham", "Perfect, your small pizza has corn.", "different"),
        ("statement", "15 minutes", "It takes around 20 minutes", "different"),
    ],
)
def test_the_comparison_tells_values_apart(form: str, given: Any, found: Any, outcome: str) -> None:
    assert compared(form, given, found) == outcome


def report(measured: list[Pair]) -> Iterator[str]:
    """The figures, and every disagreement, most frequent outputs first."""
    for form in sorted({pair.form for pair in measured}):
        kinds = Counter(pair.outcome for pair in measured if pair.form == form)
        yield f"{form:10} {figure(measured, form)}  {dict(kinds)}"
    for chatbot in CHATBOTS:
        chosen = [pair for pair in measured if pair.chatbot == chatbot]
        if chosen:
            yield f"{chatbot:15} {figure(chosen)}"
    present = [pair for pair in measured if pair.outcome != "absent"]
    yield f"all {figure(measured)}; where either has a value {figure(present)}"
    wrong = [pair for pair in measured if pair.outcome not in AGREEING]
    often = Counter((pair.chatbot, pair.spec.name) for pair in wrong)
    for pair in sorted(wrong, key=lambda one: (-often[one.chatbot, one.spec.name], one.spec.name)):
        yield f"{pair.outcome}: {pair.chatbot} {pair.spec.name} ({pair.spec.description})"
        yield f"    model {pair.model!r}\n    ours  {pair.ours!r}\n    {pair.file}"


if __name__ == "__main__":
    print("\n".join(report(list(pairs(ROOT)))))  # noqa: T201 - this is its purpose
