"""The tables of SENSEI's evaluation, from the data that its authors published."""

from collections.abc import Iterator
from pathlib import Path

from sparring_plugins.sensei.tables.model import DataTable, TableMaker


def _make(data: Path) -> Iterator[DataTable]:
    from sparring_plugins.sensei.tables.botium import botium_table
    from sparring_plugins.sensei.tables.data import Evaluation
    from sparring_plugins.sensei.tables.mutants import mutant_tables
    from sparring_plugins.sensei.tables.times import times_table
    from sparring_plugins.sensei.tables.wild import wild_table

    evaluation = Evaluation.of(data)
    yield wild_table(evaluation)
    yield from mutant_tables(evaluation)
    yield botium_table(evaluation)
    yield times_table(evaluation)


SENSEI = TableMaker(
    "SENSEI: chatbots in the wild, mutants of Taskyto and Rasa chatbots, response times"
    " (data: satori-chatbots/user-simulator-evaluation)",
    _make,
)
