"""How alike texts and cases are, at any number of them."""

from collections.abc import Sequence
from random import Random
from time import process_time
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.errors import StorageError
from sparring_plugins.search.archive_tables import BLOCK, KeyTable, Postings, VectorTables
from sparring_plugins.search.deduplication import _add
from sparring_plugins.search.similarity import (
    LETTERS,
    MINILM,
    VALUES,
    WORDS,
    Similarity,
    VectorIndex,
    vectors,
)

ALL = [WORDS, VALUES, LETTERS, pytest.param(MINILM, marks=pytest.mark.slow)]


@pytest.mark.parametrize("measure", ALL, ids=["words", "values", "letters", "minilm"])
def test_the_same_is_as_alike_as_can_be_and_nothing_is_like_nothing(measure: Similarity) -> None:
    index = measure.index()
    assert index.nearest("find a cafe") is None
    index.add("a", "find a cafe")
    index.add("b", "what is the time in Paris")
    found = index.nearest("find a cafe")
    assert found is not None
    assert found == ("a", pytest.approx(1, abs=1e-3))
    assert index.nearest("find a cafe", among=[]) is None
    other = index.nearest("find a cafe", among=["b"])
    assert other is not None
    assert other[0] == "b"
    assert other[1] < 0.7


@pytest.mark.parametrize("text", ["", " ", "?!", "\udc80", "x" * 100_000, "名前"])
def test_any_text_is_borne(text: str) -> None:
    index = WORDS.index()
    index.add("a", text)
    found = index.nearest(text)
    assert found is not None
    assert found[1] == pytest.approx(1, abs=1e-3)


def test_values_count_in_how_many_two_cases_agree() -> None:
    index = VALUES.index()
    index.add("a", "s\nsize=1\nextra=2\ntone=3")
    found = index.nearest("s\nsize=1\nextra=2\ntone=4")
    assert found == ("a", 0.75)
    for size in range(2_000):  # with 1,024 places, two of these would share one
        assert index.nearest(f"s\nsize={size + 5}\nextra=2\ntone=3") == ("a", 0.75)


WORD = st.sampled_from(["a", "cafe", "in", "Rome", "with", "parking", "ten"])


@given(st.lists(st.lists(WORD, max_size=8).map(" ".join), min_size=2, max_size=12), st.data())
def test_few_places_are_compared_as_whole_vectors_are(
    texts: list[str], data: st.DataObject
) -> None:
    few, whole = WORDS.index(), VectorIndex(vectors)
    for number, text in enumerate(texts[1:]):
        few.add(str(number), text)
        whole.add(str(number), text)
    among = data.draw(st.none() | st.sets(st.sampled_from([str(n) for n in range(len(texts))])))
    found, expected = few.nearest(texts[0], among), whole.nearest(texts[0], among)
    assert (found is None) == (expected is None)
    if found is not None and expected is not None:
        assert found[1] == pytest.approx(expected[1], abs=2e-4)


def random_vectors(texts: Sequence[str]) -> Any:
    """Vectors of length 1, of which that of a text is always the same."""
    rows = [np.random.default_rng(int(text)).standard_normal(8) for text in texts]
    return [(row / np.linalg.norm(row)).astype(np.float32) for row in rows]


@pytest.mark.parametrize("kind", ["vectors", "letters"])
def test_archives_in_files_find_the_same_as_in_memory(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def index() -> Any:
        return VectorIndex(random_vectors) if kind == "vectors" else LETTERS.index()

    in_memory = index()
    for kept in (KeyTable, VectorTables, Postings):
        monkeypatch.setattr(kept.__init__, "__defaults__", (1,))
    in_files = index()
    keys = [f"case-{number}" for number in range(2 * BLOCK + 500)] + ["case-7", "\ud800"]
    for number, key in enumerate(keys):
        for archive in (in_memory, in_files):
            archive.add(key, str(number % 2_000))  # some are the same: the first of them is found
    random = Random(0)
    for number in range(0, 5_000, 97):
        assert in_files.nearest(str(number)) == in_memory.nearest(str(number))
        few = [*random.sample(keys, 20), "unknown"]
        assert in_files.nearest(str(number), few) == in_memory.nearest(str(number), few)
    assert in_files.nearest("7", ["unknown"]) is None


def test_an_archive_that_finds_no_room_names_what_helps() -> None:
    class Full(VectorIndex):
        def add(self, key: str, text: str) -> None:
            raise OSError(28, "No space left on device")

    with pytest.raises(StorageError, match="No space left on device; set TMPDIR"):
        _add(Full(random_vectors), "case-1", "1")


def test_twenty_thousand_cases_cost_little() -> None:
    index = WORDS.index()
    for number in range(20_000):
        index.add(str(number), f"w{number % 977} x{number % 31} y{number}")
    started = process_time()
    for number in range(20):
        index.nearest(f"w{number} z")
    assert (process_time() - started) / 20 < 0.005


def test_letters_see_inflected_words_and_texts_without_blanks() -> None:
    for first, alike, other in (
        ("Ich suche zwei Häuser", "Ich suche ein Haus", "Wo tanken wir hier?"),
        ("我想订一张明天去北京的票", "我想订两张明天去北京的票", "附近有什么好吃的餐厅"),
    ):
        index = LETTERS.index()
        index.add("alike", alike)
        index.add("other", other)
        key, likeness = index.nearest(first) or ("", 0.0)
        assert key == "alike"
        assert likeness > 0.4
        assert (index.nearest(first, ["other"]) or ("", 1.0))[1] < 0.2
    words = WORDS.index()
    words.add("alike", "我想订两张明天去北京的票")
    assert words.nearest("我想订一张明天去北京的票") == ("alike", 0.0)
