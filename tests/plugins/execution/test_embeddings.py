"""Vectors of many texts: workers make them, and they are the same to the last bit."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.search_shop import write_shop

from sparring.cli.app import invoke
from sparring.errors import PartError
from sparring.store import StoredRun
from sparring_plugins.execution import workers
from sparring_plugins.language import embeddings
from sparring_plugins.search import similarity
from sparring_plugins.search.diversity import text_embedding
from sparring_plugins.search.remote_embeddings import embed_in_worker, embed_parts
from sparring_plugins.search.similarity import MeaningIndex
from sparring_plugins.study import measures

from .conftest import Cluster

np = pytest.importorskip("numpy")
pytest.importorskip(embeddings.PACKAGE)

TEXTS = [f"I would like {n} cups of {what}." for n in range(4) for what in ("tea", "cocoa", "")]


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Few texts count as many here."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(embeddings, "MANY", 2)
    monkeypatch.setattr(measures, "PART", 4)
    monkeypatch.setattr(similarity, "PART", 4)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What workers were asked for besides cases."""
    noted: list[str] = []
    call = workers.Workers.call

    async def note(self: workers.Workers, function: Any, payload: bytes) -> Any:
        noted.append(function.__name__)
        return await call(self, function, payload)

    monkeypatch.setattr(workers.Workers, "call", note)
    return noted


class NoWorker:
    """Workers without the model: each answers with an error."""

    async def call(self, *_: Any) -> Any:
        raise PartError("executor", "dask", "play", "MissingExtra")


def test_a_part_that_no_worker_can_do_is_done_here() -> None:
    likeness, parts = text_embedding("words"), [TEXTS[:5], TEXTS[5:], ["", " "]]
    nobody: Any = NoWorker()
    rows = asyncio.run(embed_parts(nobody, likeness, parts))
    assert [block.shape[0] for block in rows] == [5, 7, 2]
    assert not rows[2].any()
    assert (np.concatenate(rows[:2]) == likeness.vectors(TEXTS)).all()


def test_an_index_takes_the_vectors_of_a_part() -> None:
    embedded: list[list[str]] = []

    def embed(texts: Sequence[str]) -> Any:
        embedded.append(list(texts))
        return similarity.vectors(texts)

    index, other = MeaningIndex(embed), MeaningIndex(similarity.vectors)
    for part in index.parts([*TEXTS, *TEXTS]):
        index.take(part, similarity.vectors(part))
    other.prepare(TEXTS)
    for number, text in enumerate(TEXTS[:-1]):
        index.add(str(number), text)
        other.add(str(number), text)
    assert index.nearest(TEXTS[-1]) == other.nearest(TEXTS[-1])
    assert embedded == []
    assert index.parts(["new", *TEXTS[:2]]) == [["new"]], "those that are known stay"
    index.nearest("something else")
    index.add("else", "something else")
    assert embedded == [["something else"]], "each text is embedded once"


def vectors_of(folder: Path) -> Any:
    (file,) = folder.glob("two/*vectors.npz")
    with np.load(file) as data:
        return data["keys"], data["vectors"]


def table_of(folder: str) -> list[str]:
    """The measures of each run, without its folder."""
    lines = Path(folder, "two", "runs.csv").read_text("utf-8").splitlines()
    return [line.rpartition(",")[0] for line in lines]


@pytest.mark.thorough
def test_a_study_has_the_same_tables(cluster: Cluster, tmp_path: Path, asked: list[str]) -> None:
    write_shop(tmp_path)
    study = {
        "name": "two",
        "strategies": ["random"],
        "seeds": "1",
        "budget": {"cases": 24},
        "repetitions": 1,
        "likeness": "minilm",
    }
    (tmp_path / "study.yaml").write_text(yaml.safe_dump(study), encoding="utf-8")
    assert invoke(["study", "--results", "there"]) == 0
    keys, vectors = vectors_of(tmp_path / "there")
    table = table_of("there")
    next((tmp_path / "there").glob("two/*vectors.npz")).unlink()
    options = ["--executor", cluster.address, "--no-play", "--results", "there"]
    assert invoke(["study", *options]) == 0
    assert set(asked) == {embed_in_worker.__name__}
    assert len(asked) > 1, "several parts, so that several workers have something to do"
    others = vectors_of(tmp_path / "there")
    assert (keys == others[0]).all()
    assert (vectors == others[1]).all()
    assert table_of("there") == table


@pytest.mark.thorough
def test_duplicates_are_the_same_if_workers_compare(
    cluster: Cluster, tmp_path: Path, asked: list[str]
) -> None:
    suite = write_shop(tmp_path)
    data = yaml.safe_load(suite.read_text("utf-8"))
    data["strategy"] = {
        "use": "random",
        "number": 12,
        "duplicates": {"by": "minilm", "threshold": 0.97},
    }
    suite.write_text(yaml.safe_dump(data), encoding="utf-8")
    runs: list[StoredRun] = []
    for where, options in (("here", []), ("there", ["--executor", cluster.address])):
        invoke(["run", str(suite), "--runs", where, *options])
        (folder,) = (path.parent for path in Path(where).glob("*/run.json"))
        runs.append(StoredRun(folder))
    assert embed_in_worker.__name__ in asked
    one, other = runs
    assert one.case_ids == other.case_ids
    assert [case.verdicts for case in one.judged()] == [case.verdicts for case in other.judged()]
    assert one.summary
    assert other.summary
    assert one.summary.usage.refused == other.summary.usage.refused
