"""No sentence of the published suites stands in the product: they are read by general rules.

The sentences themselves are not kept here, only their hashes.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[4]
_WEB = "plugins/sparring_plugins/web"
_WORD = re.compile(r"\w+")
_KINDS = frozenset({".py", ".yaml", ".js"})


@cache
def _published_hashes() -> Mapping[int, frozenset[str]]:
    """Return the hashes of the suites' texts by how many words they have."""
    data = yaml.safe_load(Path(__file__).with_name("published_hashes.yaml").read_text("utf-8"))
    return {int(length): frozenset(hashes) for length, hashes in data.items()}


def _hash(passage: str) -> str:
    return sha256(passage.encode()).hexdigest()[:16]


def _passages(text: str, hashes: Mapping[int, frozenset[str]]) -> Iterator[str]:
    """Yield the passages of a text whose hashes are among those of their length."""
    words = [word.lower() for word in _WORD.findall(text)]
    for length, wanted in hashes.items():
        for start in range(len(words) - length + 1):
            passage = " ".join(words[start : start + length])
            if _hash(passage) in wanted:
                yield passage


def test_a_passage_is_found_whatever_is_around_it() -> None:
    hashes = {3: frozenset({_hash("open the timetable")})}
    assert list(_passages("forms: [\"Open the 'Timetable' now\"]", hashes)) == [
        "open the timetable"
    ]
    assert not list(_passages("Open this timetable", hashes))


@pytest.mark.parametrize(
    "source",
    [
        f"{_WEB}/pages",
        pytest.param(_WEB, marks=pytest.mark.thorough),
        pytest.param("connectors/sparring_connectors/browser", marks=pytest.mark.thorough),
    ],
)
def test_no_sentence_of_the_published_suites_stands_in_the_product(source: str) -> None:
    assert sum(map(len, _published_hashes().values())) > 100
    passages = {
        f"{path.relative_to(ROOT)}: {passage}"
        for path in sorted((ROOT / source).rglob("*"))
        if path.suffix in _KINDS
        for passage in _passages(path.read_text("utf-8"), _published_hashes())
    }
    assert not passages
