"""The tables of sentences in ``sentences/``."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

FOLDER = Path(__file__).parent / "sentences"


@dataclass
class Row:
    """A sentence and what it must be read as: per step its readings, in canonical words."""

    sentence: str
    steps: list[list[str]] = field(default_factory=list)


def rows(name: str) -> Iterator[Row]:
    row: Row | None = None
    for line in (FOLDER / f"{name}.txt").read_text(encoding="utf-8").split("\n"):
        if line.startswith("#") or not line:
            continue
        if line.startswith("=> "):
            assert row is not None
            if line != "=> nothing":
                row.steps.append([] if line == "=> ?" else [line[3:]])
        elif line.startswith("or "):
            assert row is not None
            row.steps[-1].append(line[3:])
        else:
            if row is not None:
                yield row
            row = Row(line)
    if row is not None:
        yield row
