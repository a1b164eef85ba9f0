"""What sentences of many kinds are read as: the tables in ``sentences/``."""

import pytest
from tests.plugins.web.grammar.sentence_tables import rows

from sparring_plugins.web.grammar.examples import all_examples
from sparring_plugins.web.grammar.steps import read_steps


@pytest.mark.parametrize("table", ["actions", "assertions"])
def test_every_sentence_of_a_table_is_read_as_it_says(table: str) -> None:
    wrong = [
        (row.sentence, row.steps, said)
        for row in rows(table)
        if (said := [[r.explanation for r in s.readings] for s in read_steps(row.sentence)])
        != row.steps
    ]
    assert wrong == []


@pytest.mark.parametrize("table", ["actions", "assertions"])
def test_a_canonical_sentence_is_read_back_as_the_same_reading(table: str) -> None:
    lost: list[tuple[str, str]] = []
    for row in rows(table):
        for step in read_steps(row.sentence):
            for reading in step.readings:
                back = read_steps(reading.explanation)
                if len(back) != 1 or _quoted(back[0].readings[0]) != _quoted(reading):
                    lost.append((row.sentence, reading.explanation))
    assert lost == []


def _quoted(reading: object) -> str:
    """A reading with all targets as if they were quoted: canonical sentences quote."""
    return reading.model_dump_json().replace('"quoted":false', '"quoted":true')  # type: ignore[attr-defined]


@pytest.mark.parametrize("sentence", all_examples())
def test_every_example_of_the_reference_is_understood(sentence: str) -> None:
    steps = read_steps(sentence)
    assert all(step.readings for step in steps), sentence
