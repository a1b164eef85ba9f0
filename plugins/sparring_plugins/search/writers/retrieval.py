"""Real utterances like the wanted one, found by meaning or by words."""

import csv
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import StringIO
from math import log, sqrt
from pathlib import Path
from typing import Any, Literal, Protocol, cast

from pydantic import BaseModel, ConfigDict, Field

from sparring.documents.checking import shown
from sparring.documents.reading import read
from sparring.errors import ConfigurationError, MissingExtra, Problem
from sparring.interfaces.plugin import BuildContext
from sparring_plugins.search.roles.writing import WriteTask

KEYS = ("utterance", "text", "user", "question", "query", "request")
"""Keys of records under which an utterance is looked for, in this order."""

SUFFIXES = (".txt", ".jsonl", ".csv", ".yaml", ".yml")

_LONGEST = 1_000
_MOST = 50_000
_WORD = re.compile(r"\w+")


class RetrievalConfig(BaseModel):
    """Settings of the retrieval of examples."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    number: int = Field(default=3, ge=0, le=20, description="How many examples a writer is shown.")
    by: Literal["auto", "minilm", "tf-idf"] = Field(
        default="auto",
        description="What likeness is measured by: meaning (all-MiniLM-L6-v2), or words; auto"
        " takes meaning where the model is installed.",
    )


class Index(Protocol):
    """Finds texts like a query."""

    def nearest(self, query: str, number: int) -> list[int]:
        """The numbers of the texts that are most like it, the most alike first."""
        ...


class WordIndex:
    """Texts by their words: cosine of tf-idf vectors, weighed on all of them."""

    def __init__(self, texts: Sequence[str]) -> None:
        counts = [Counter(_words(text)) for text in texts]
        holding = Counter(word for one in counts for word in one)
        self._idf = {word: log((1 + len(texts)) / (1 + n)) + 1 for word, n in holding.items()}
        self._vectors = [self._vector(one) for one in counts]

    def nearest(self, query: str, number: int) -> list[int]:
        wanted = self._vector(Counter(_words(query)))
        scores = [sum(weight * one.get(word, 0.0) for word, weight in wanted.items())
                  for one in self._vectors]  # fmt: skip
        return _best(scores, number)

    def _vector(self, counts: Counter[str]) -> dict[str, float]:
        weights = {word: n * self._idf[word] for word, n in counts.items() if word in self._idf}
        norm = sqrt(sum(weight * weight for weight in weights.values())) or 1.0
        return {word: weight / norm for word, weight in weights.items()}


class MeaningIndex:
    """Texts by their meaning: cosine of sentence embeddings; raises MissingExtra."""

    def __init__(self, texts: Sequence[str]) -> None:
        from sparring_plugins.language.embeddings import embedder

        self._embedder = embedder()
        self._vectors: Any = self._embedder.vectors(texts)

    def nearest(self, query: str, number: int) -> list[int]:
        (wanted,) = self._embedder.vectors([query])
        return _best([round(float(wanted @ one), 6) for one in self._vectors], number)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _best(scores: Sequence[float], number: int) -> list[int]:
    order = sorted(range(len(scores)), key=lambda at: (-scores[at], at))
    return order[:number]


@dataclass(frozen=True)
class Retrieval:
    """Examples for writers' tasks, from the author's files."""

    texts: tuple[str, ...]
    index: Index
    number: int

    @classmethod
    def of(
        cls, config: RetrievalConfig, patterns: Sequence[str], context: BuildContext
    ) -> "Retrieval | None":
        """The examples of files and folders; None where there are none.

        Raises ConfigurationError for files that cannot be read, MissingExtra where `minilm` is
        asked for and not installed.
        """
        paths = [path for pattern in patterns for path in _files(pattern, context)]
        found = list(dict.fromkeys(text for path in paths for text in utterances(path)))
        if len(found) > _MOST:
            raise ConfigurationError(f"more than {_MOST:,} examples: {len(found):,}")
        if not found or not config.number:
            return None
        return cls(tuple(found), _index(config.by, found, context), config.number)

    def like(self, task: WriteTask) -> tuple[str, ...]:
        """The examples that are most like what a task wants said."""
        return tuple(self.texts[at] for at in self.index.nearest(query_of(task), self.number))


def _index(by: str, texts: Sequence[str], context: BuildContext) -> Index:
    if by == "tf-idf":
        return WordIndex(texts)
    try:
        return MeaningIndex(texts)
    except MissingExtra as err:
        if by == "minilm":
            raise
        context.warn(f"examples are looked up by words, not by meaning: {err}")
        return WordIndex(texts)


def query_of(task: WriteTask) -> str:
    """What a task wants said, as plain words."""
    said = [one for one in task.features if not one.none and one.group == "content"]
    return " ".join((one.words or (one.label,))[0] for one in said)


def _files(pattern: str, context: BuildContext) -> list[Path]:
    folder = context.base_dir / Path(pattern).expanduser()
    try:
        inside = sorted(folder.rglob("*")) if folder.is_dir() else None
    except (OSError, ValueError):
        inside = None
    if inside is None:
        return context.files(pattern)
    usable = [str(path) for path in inside if path.suffix in SUFFIXES and path.is_file()]
    if not usable:
        told = f"has no examples: no file ends with {', '.join(SUFFIXES)}"
        raise ConfigurationError(Problem(told, pattern))
    return context.files(usable)


def utterances(path: Path) -> Iterator[str]:
    """The utterances of a file, each once and short enough; raises ConfigurationError.

    A text file has one per line, JSON lines and CSV one per record, YAML a list of texts or
    records. A record's utterance is under one of `KEYS`.
    """
    if path.suffix in (".yaml", ".yml"):
        found: Any = read(path).data
        records = cast("list[Any]", found) if isinstance(found, list) else [found]
    else:
        text = _text(path)
        if path.suffix == ".jsonl":
            records = [
                _json(line, path, at)
                for at, line in enumerate(text.splitlines(), 1)
                if line.strip()
            ]
        elif path.suffix == ".csv":
            records = list(csv.DictReader(StringIO(text)))
        else:
            records = text.splitlines()
    for number, record in enumerate(records, 1):
        said = " ".join(_utterance(record, path, number).split())
        if said:
            yield said[:_LONGEST]


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig", "replace")
    except OSError as err:
        raise ConfigurationError(Problem(f"cannot be read: {err.strerror}", str(path))) from err


def _json(line: str, path: Path, number: int) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as err:
        raise ConfigurationError(Problem(f"is no JSON: {err}", str(path), number)) from err


def _utterance(record: Any, path: Path, number: int) -> str:
    if isinstance(record, str):
        return record
    if isinstance(record, dict):
        fields = cast("dict[str, Any]", record)
        for key in KEYS:
            value = fields.get(key)
            if isinstance(value, str):
                return value
    told = f"record {number} has no utterance, but {shown(record)} (keys: {', '.join(KEYS)})"
    raise ConfigurationError(Problem(told, str(path)))
