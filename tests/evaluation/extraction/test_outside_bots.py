"""How many outputs the extractor `patterns` reads as a person does, on bots that it was not made with.

`outside.yaml` was written and labelled by reading before the extractor was run on it. ``python
tests/evaluation/extraction/test_outside_bots.py`` prints the figures by kind and every miss.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from sparring.interfaces.roles import ExtractTask, OutputSpec
from sparring.model.talk import Observation, Say, Turn
from sparring_plugins.language.numbers import find_money, number
from sparring_plugins.language.text import folded
from sparring_plugins.users.extraction.extractor import find_outputs
from sparring_plugins.users.extraction.output_form import output_form

OUTSIDE = Path(__file__).with_name("outside.yaml")


@dataclass(frozen=True)
class Reading:
    """One output: what a person and what the extractor read."""

    bot: str
    spec: OutputSpec
    person: Any
    ours: Any

    @property
    def agrees(self) -> bool:
        if self.person is None or self.ours is None:
            return self.person is self.ours
        return _agrees(self.spec, self.person, self.ours)


def _agrees(spec: OutputSpec, person: Any, ours: Any) -> bool:
    kind = spec.type
    if kind == "money":
        amounts = [number(re.sub(r"[^\d.,]", "", found.text)) for found in find_money(str(ours))]
        return float(person) in [*amounts, number(str(ours))]
    if kind == "date":
        return str(person) == str(ours)
    if kind == "time":
        return _clock(str(person)) == _clock(str(ours))
    if kind in ("int", "float"):
        return float(person) == float(ours)
    if output_form(spec).form in ("phone", "id"):
        return re.sub(r"\W", "", str(person)) == re.sub(r"\W", "", str(ours))
    return folded(str(person)) in folded(str(ours))


def _clock(text: str) -> tuple[int, int] | str:
    """Hours and minutes; a time in words is compared as the clock time that it names."""
    words = {"half past nine": (9, 30), "half past six": (18, 30), "five": (17, 0)}
    if text.casefold() in words:
        return words[text.casefold()]
    match = re.search(r"(\d{1,2})(?:\s?[:.h]\s?(\d\d))?\s*([ap])?", text, re.IGNORECASE)
    if match is None:
        return text
    hour = int(match[1]) % 12 + 12 * (match[3].lower() == "p") if match[3] else int(match[1])
    return hour, int(match[2] or 0)


def measure() -> Iterator[Reading]:
    """Every labelled output with what the extractor reads."""
    for bot in yaml.safe_load(OUTSIDE.read_text(encoding="utf-8"))["bots"]:
        for conversation in bot["conversations"]:
            said = conversation["turns"]
            turns = tuple(
                Turn(act=Say(text=user), observation=Observation(text=reply))
                for user, reply in zip(said[::2], said[1::2], strict=True)
            )
            specs = tuple(
                OutputSpec(**{key: text for key, text in output.items() if key != "value"})
                for output in conversation["outputs"]
            )
            task = ExtractTask(
                turns=turns, outputs=specs, language=bot["language"], today=bot["today"]
            )
            for spec, output, ours in zip(
                specs, conversation["outputs"], find_outputs(task), strict=True
            ):
                yield Reading(bot["bot"], spec, output["value"], ours.value)


def shares(readings: list[Reading]) -> dict[str, tuple[int, int]]:
    """Agreeing and all outputs by declared type, and of all together."""
    counts: dict[str, list[bool]] = defaultdict(list)
    for reading in readings:
        counts[reading.spec.type].append(reading.agrees)
        counts["all"].append(reading.agrees)
    return {kind: (sum(agreeing), len(agreeing)) for kind, agreeing in counts.items()}


@pytest.mark.parametrize("kind", ["money", "date", "time", "all"])
def test_values_are_read_as_a_person_reads_them(kind: str) -> None:
    agreeing, count = shares(list(measure()))[kind]
    assert count >= 20
    assert agreeing / count >= 0.9, (agreeing, count)


if __name__ == "__main__":
    measured = list(measure())
    for reading in measured:
        if not reading.agrees:
            row = (reading.bot, reading.spec.name, reading.spec.type, reading.person, reading.ours)
            print(*row, sep=" | ")  # noqa: T201 - this is its purpose
    print(shares(measured))  # noqa: T201
