import json
from pathlib import Path
from typing import Any

import pytest

from sparring.errors import ConfigurationError
from sparring.testing.fakes import FakeContext
from sparring_plugins.search.prompter.retrieval import Retrieval, RetrievalConfig
from sparring_plugins.search.roles import Feature, WriteTask

SAID = ["find a cheap hotel", "what is the weather", "book a table for two", "an inexpensive inn"]


def task(*words: str) -> WriteTask:
    features = tuple(
        Feature(name=f"f{n}", group="content", value=word, words=(word,))
        for n, word in enumerate(words)
    )
    return WriteTask(space="s", features=features)


def retrieval(folder: Path, *patterns: str, **settings: Any) -> Retrieval | None:
    config = RetrievalConfig.model_validate(settings)
    return Retrieval.of(config, patterns, FakeContext(base_dir=folder))


def test_examples_are_found_by_words_in_files_of_every_kind(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(f"{SAID[0]}\n\n{SAID[1]}\n")
    (tmp_path / "b.jsonl").write_text(json.dumps({"utterance": SAID[2], "x": 1}) + "\n")
    (tmp_path / "c.csv").write_text(f"id,text\n1,{SAID[3]}\n2,{SAID[0]}\n")
    (tmp_path / "d.yaml").write_text("- stay  over\n  night\n- {user: hello}\n")
    (tmp_path / "other.bin").write_bytes(b"\x00")
    found = retrieval(tmp_path, ".", by="tf-idf", number=2)
    assert found is not None
    assert set(found.texts) == {*SAID, "stay over night", "hello"}
    assert found.like(task("hotel", "cheap"))[0] == SAID[0]
    assert found.like(task("a table"))[0] == SAID[2]
    assert found.like(task("hotel")) == found.like(task("hotel"))


def test_examples_are_found_by_meaning(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("\n".join(SAID))
    found = retrieval(tmp_path, "a.txt", by="minilm", number=2)
    assert found is not None
    assert set(found.like(task("a low-priced place to stay"))) == {SAID[0], SAID[3]}


def test_no_files_are_no_examples(tmp_path: Path) -> None:
    assert retrieval(tmp_path) is None
    (tmp_path / "a.txt").write_text("x")
    assert retrieval(tmp_path, "a.txt", number=0) is None


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.jsonl", '{"utterance": 1}\n', "record 1 has no utterance"),
        ("a.jsonl", "{broken\n", "a.jsonl:1: is no JSON"),
        ("a.yaml", "- [1]\n", "record 1 has no utterance, but [1]"),
        ("a.csv", "id\n3\n", "record 1 has no utterance"),
        ("empty/x.md", "hi", "has no examples: no file ends with .txt"),
    ],
)
def test_files_that_cannot_be_used_are_named(
    tmp_path: Path, name: str, text: str, message: str
) -> None:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    with pytest.raises(ConfigurationError) as caught:
        retrieval(tmp_path, name.partition("/")[0], by="tf-idf")
    assert message in str(caught.value)
