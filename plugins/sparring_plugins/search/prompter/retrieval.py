"""Real utterances similar to the requested one, found by meaning or by words."""

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

from pydantic import Field

from sparring.documents.checking import shown
from sparring.documents.reading import read_document
from sparring.errors import ConfigurationError, MissingExtra, Problem
from sparring.interfaces.plugin import BuildContext, PluginConfig
from sparring_plugins.search.roles import WriteTask

KEYS = ("utterance", "text", "user", "question", "query", "request")
"""The keys of a record that may have its utterance, in this order."""

SUFFIXES = (".txt", ".jsonl", ".csv", ".yaml", ".yml")

_LONGEST = 1_000
# The nearest examples are looked up among all for each request.
_MOST = 50_000
_WORD = re.compile(r"\w+")


class RetrievalConfig(PluginConfig):
    """Settings of the retrieval of examples."""

    number: int = Field(default=3, ge=0, le=20, description="How many examples a writer is shown.")
    by: Literal["auto", "minilm", "tf-idf"] = Field(
        default="auto",
        description="What similarity is measured by: meaning (all-MiniLM-L6-v2), or words; auto"
        " takes meaning if the model is installed.",
    )


class Index(Protocol):
    """Finds texts similar to a query."""

    def nearest(self, query: str, number: int) -> list[int]:
        """Return the numbers of the most similar texts, the most similar first."""
        ...


class WordIndex:
    """Texts by their words: cosine of tf-idf vectors, weighted over all texts."""

    def __init__(self, texts: Sequence[str]) -> None:
        counts = [Counter(_words(text)) for text in texts]
        containing = Counter(word for count in counts for word in count)
        self._idf = {
            word: log((1 + len(texts)) / (1 + frequency)) + 1
            for word, frequency in containing.items()
        }
        self._vectors = [self._vector(count) for count in counts]

    def nearest(self, query: str, number: int) -> list[int]:
        wanted = self._vector(Counter(_words(query)))
        scores = [sum(weight * vector.get(word, 0.0) for word, weight in wanted.items())
                  for vector in self._vectors]  # fmt: skip
        return _best(scores, number)

    def _vector(self, counts: Counter[str]) -> dict[str, float]:
        weights = {
            word: frequency * self._idf[word]
            for word, frequency in counts.items()
            if word in self._idf
        }
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
        return _best([round(float(wanted @ vector), 6) for vector in self._vectors], number)


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
        """Return the examples of files and folders; None if there are none.

        Raises ConfigurationError for files that cannot be read, MissingExtra if `minilm` is
        requested and not installed.
        """
        paths = [path for pattern in patterns for path in _files(pattern, context)]
        texts = list(dict.fromkeys(text for path in paths for text in read_utterances(path)))
        if len(texts) > _MOST:
            raise ConfigurationError(f"more than {_MOST:,} examples: {len(texts):,}")
        if not texts or not config.number:
            return None
        return cls(tuple(texts), _index(config.by, texts, context), config.number)

    def like(self, task: WriteTask) -> tuple[str, ...]:
        """Return the examples most similar to the content of a task."""
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
    """Return the content of a task as plain words."""
    content = [
        feature for feature in task.features if not feature.none and feature.group == "content"
    ]
    return " ".join((expressed.words or (expressed.label,))[0] for expressed in content)


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
        message = f"has no examples: no file ends with {', '.join(SUFFIXES)}"
        raise ConfigurationError(Problem(message, pattern))
    return context.files(usable)


def read_utterances(path: Path) -> Iterator[str]:
    """Yield the utterances of a file, shortened if necessary; raises ConfigurationError.

    A text file has one per line, JSON lines and CSV one per record, YAML a list of texts or
    records. A record's utterance is under one of `KEYS`.
    """
    if path.suffix in (".yaml", ".yml"):
        data: Any = read_document(path).data
        records = cast("list[Any]", data) if isinstance(data, list) else [data]
    else:
        text = _text(path)
        if path.suffix == ".jsonl":
            records = [
                _json(line, path, at)
                for at, line in enumerate(text.splitlines(), 1)
                if line.strip()
            ]
        elif path.suffix == ".csv":
            records = _csv(text, path)
        else:
            records = text.splitlines()
    for number, record in enumerate(records, 1):
        utterance = " ".join(_utterance(record, path, number).split())
        if utterance:
            yield utterance[:_LONGEST]


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig", "replace")
    except OSError as err:
        raise ConfigurationError(Problem(f"cannot be read: {err.strerror}", str(path))) from err


def _csv(text: str, path: Path) -> list[Any]:
    reader = csv.DictReader(StringIO(text))
    try:
        return list(reader)
    except csv.Error as err:
        raise ConfigurationError(
            Problem(f"is no CSV: {err}", str(path), reader.line_num + 1)
        ) from err


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
    message = f"record {number} has no utterance, but {shown(record)} (keys: {', '.join(KEYS)})"
    raise ConfigurationError(Problem(message, str(path)))
