"""What the page asks of a run's index: cases by filter and by words, findings, a matrix, a pair."""

import json
import re
import sqlite3
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

MOST_ROWS = 500
"""Rows of one answer; the page asks for more as somebody scrolls."""

_MOST_COLUMNS = 12
"""Values of an input that still make the columns of a matrix."""

# 1,000 cases and 20 checks; a larger table makes the browser stop answering.
_MOST_CELLS = 20_000
# Which input makes the best columns is seen in the first cases, and is looked for at each request.
_SAMPLE = 2000
_VARIANTS = ("variant", "app")
"""What is a variant by its name."""

# `"no refund" late`: a quoted phrase stays together, other words may stand anywhere.
_PHRASE = re.compile(r'"([^"]+)"|(\S+)')
# "?!" alone is no term: SQLite's full-text search refuses it.
_WORD = re.compile(r"\w")


@dataclass(frozen=True, slots=True)
class Filter:
    """Which cases are wanted; an empty value wants all."""

    words: str = ""
    outcomes: tuple[str, ...] = ()
    scenario: str = ""
    oracle: str = ""
    finding: int | None = None

    def conditions(self, *, with_outcomes: bool = True) -> tuple[str, list[Any]]:
        """The WHERE clause for the table ``cases``, and its values."""
        clauses: list[str] = ["1"]
        values: list[Any] = []
        if self.words.strip():
            clauses.append("nr IN (SELECT rowid FROM words WHERE words MATCH ?)")
            values.append(match_expression(self.words))
        if self.outcomes and with_outcomes:
            clauses.append(f"outcome IN ({', '.join('?' * len(self.outcomes))})")
            values += self.outcomes
        if self.scenario:
            clauses.append("scenario = ?")
            values.append(self.scenario)
        if self.oracle:
            clauses.append("id IN (SELECT case_id FROM shows WHERE oracle = ?)")
            values.append(self.oracle)
        if self.finding is not None:
            clauses.append(
                "id IN (SELECT case_id FROM shows JOIN findings USING (finding) WHERE number = ?)"
            )
            values.append(self.finding)
        return " AND ".join(clauses), values


def match_expression(text: str) -> str:
    """Return what somebody typed as an expression of FTS5: all words, each as a beginning.

    What stands between double quotes is a phrase. No character of the text has a meaning of FTS5's
    own, so that no text is a mistake.
    """
    terms: list[str] = []
    for match in _PHRASE.finditer(text.replace("\0", " ")):
        phrase, word = match[1], match[2]
        term = (phrase or word).replace('"', "")
        if _WORD.search(term):
            terms.append(f'"{term}"' if phrase else f'"{term}"*')
    return " AND ".join(terms) or '""'


def find_cases(
    connection: sqlite3.Connection, wanted: Filter, start: int, limit: int
) -> dict[str, Any]:
    """Return the rows `start` to `start + limit`, and how many there are by outcome."""
    where, values = wanted.conditions()
    rows = connection.execute(
        "SELECT id, scenario, outcome, brief, headline, turns, seconds FROM cases"
        f" WHERE {where} ORDER BY place, nr LIMIT ? OFFSET ?",
        (*values, min(max(1, limit), MOST_ROWS), max(0, start)),
    )
    hits = [dict(row) for row in rows]
    without, others = wanted.conditions(with_outcomes=False)
    counts: dict[str, int] = {
        row["outcome"]: row["n"]
        for row in connection.execute(
            f"SELECT outcome, COUNT(*) AS n FROM cases WHERE {without} GROUP BY outcome", others
        )
    }
    chosen = wanted.outcomes or tuple(counts)
    return {"rows": hits, "counts": counts, "total": sum(counts.get(o, 0) for o in chosen)}


def overview(connection: sqlite3.Connection) -> dict[str, Any]:
    """Return what the run's page shows above its cases: findings, scenarios, progress."""
    meta = {row["key"]: row["value"] for row in connection.execute("SELECT * FROM meta")}
    findings = connection.execute("SELECT shown FROM findings ORDER BY number")
    scenarios = connection.execute(
        "SELECT scenario, COUNT(*) AS n FROM cases GROUP BY scenario ORDER BY scenario LIMIT 500"
    )
    oracles = connection.execute(
        "SELECT DISTINCT oracle FROM shows WHERE oracle != '' ORDER BY oracle"
    )
    counts = connection.execute("SELECT outcome, COUNT(*) AS n FROM cases GROUP BY outcome")
    playing = connection.execute("SELECT id, scenario, turns FROM playing ORDER BY id LIMIT 100")
    return {
        "findings": [json.loads(row["shown"]) for row in findings],
        "scenarios": [[row["scenario"], row["n"]] for row in scenarios],
        "oracles": [row["oracle"] for row in oracles],
        "counts": {row["outcome"]: row["n"] for row in counts},
        "playing": [dict(row) for row in playing],
        "noun": meta.get("noun") or "conversation",
        "asked": int(meta.get("asked") or 0),
        "expected": json.loads(meta.get("expected") or "null"),
        "summary": json.loads(meta.get("summary") or "null"),
        "problems": json.loads(meta.get("problems") or "[]"),
        "damaged": int(meta.get("damaged") or 0),
    }


def neighbours(connection: sqlite3.Connection, wanted: Filter, case_id: str) -> list[str | None]:
    """Return the ids of the cases before and after one, among those that a filter leaves."""
    row = connection.execute("SELECT place, nr FROM cases WHERE id = ?", (case_id,)).fetchone()
    if row is None:
        return [None, None]
    where, values = wanted.conditions()
    ids: list[str | None] = []
    for sign, order in (("<", "DESC"), (">", "ASC")):
        other = connection.execute(
            f"SELECT id FROM cases WHERE {where} AND (place, nr) {sign} (?, ?)"
            f" ORDER BY place {order}, nr {order} LIMIT 1",
            (*values, row["place"], row["nr"]),
        ).fetchone()
        ids.append(other["id"] if other else None)
    return ids


# Cases by variants.


def matrix(connection: sqlite3.Connection, by: str, wanted: Filter) -> dict[str, Any]:
    """Return the cases as rows, and the values of one input (or the app) as columns.

    Cases that are alike but for that input stand in one row. `choices` are the inputs that can be
    columns: those with at least two and at most twelve values. An empty `by` takes the first.
    """
    where, values = wanted.conditions()
    cases = [
        (row["id"], row["scenario"], row["outcome"], _dimensions(row))
        for row in connection.execute(
            f"SELECT id, scenario, outcome, app, params FROM cases WHERE {where}"
            " ORDER BY place, nr LIMIT ?",
            (*values, _MOST_CELLS),
        )
    ]
    choices = _choices([(scenario, dimensions) for _, scenario, _, dimensions in cases])
    chosen = by if by in choices else next(iter(choices), "")
    columns = choices.get(chosen, [])
    rows: dict[tuple[str, str], dict[str, list[list[str]]]] = {}
    for case_id, scenario, outcome, dimensions in cases:
        column = dimensions.get(chosen)
        if column is None:
            continue
        rest = " · ".join(f"{n} {v}" for n, v in dimensions.items() if n != chosen)
        cells = rows.setdefault((scenario, rest), {})
        cells.setdefault(column, []).append([case_id, outcome])
    shown = [
        {"scenario": scenario, "rest": rest, "cells": [cells.get(c, []) for c in columns]}
        for (scenario, rest), cells in list(rows.items())[:MOST_ROWS]
    ]
    return {
        "choices": list(choices),
        "by": chosen,
        "columns": columns,
        "rows": shown,
        "more": max(0, len(rows) - MOST_ROWS),
        "sums": [_column_sum(rows.values(), column) for column in columns],
    }


def _dimensions(row: sqlite3.Row) -> dict[str, str]:
    app = {"app": row["app"]} if row["app"] else {}
    return {**app, **json.loads(row["params"])}


def _choices(cases: Sequence[tuple[str, dict[str, str]]]) -> dict[str, list[str]]:
    """The inputs that may be columns, those first that put the most cases into shared rows."""
    values: dict[str, Counter[str]] = {}
    for _, dimensions in cases:
        for name, value in dimensions.items():
            values.setdefault(name, Counter())[value] += 1
    usable = {n: sorted(c) for n, c in values.items() if 2 <= len(c) <= _MOST_COLUMNS}
    sample = cases[:_SAMPLE]
    names = sorted(usable, key=lambda n: (n not in _VARIANTS, -_shared_rows(sample, n), n))
    return {name: usable[name] for name in names}


def _shared_rows(cases: Sequence[tuple[str, dict[str, str]]], by: str) -> int:
    """How many cases stand in a row with another value of an input."""
    rows: dict[tuple[str, ...], set[str]] = {}
    for scenario, dimensions in cases:
        if by in dimensions:
            rest = (f"{name}={value}" for name, value in dimensions.items() if name != by)
            rows.setdefault((scenario, *rest), set()).add(dimensions[by])
    return sum(len(values) for values in rows.values() if len(values) > 1)


def _column_sum(rows: Any, column: str) -> dict[str, int]:
    return dict(Counter(outcome for cells in rows for _, outcome in cells.get(column, ())))


# Two runs side by side.

_CHANGES = """
SELECT id, scenario, brief, a_outcome, b_outcome, a_headline, b_headline,
  CASE WHEN b_outcome IS NULL THEN 'missing' WHEN a_outcome IS NULL THEN 'new'
       WHEN a_outcome = b_outcome THEN 'same ' || b_outcome
       ELSE a_outcome || ' to ' || b_outcome END AS change
FROM (
  SELECT b.id, b.scenario, b.brief, a.outcome AS a_outcome, b.outcome AS b_outcome,
    a.headline AS a_headline, b.headline AS b_headline, b.place
  FROM cases AS b LEFT JOIN before.cases AS a USING (id)
  UNION ALL
  SELECT a.id, a.scenario, a.brief, a.outcome, NULL, a.headline, NULL, a.place
  FROM before.cases AS a WHERE a.id NOT IN (SELECT id FROM cases)
) ORDER BY place, id
"""


def compare_cases(
    connection: sqlite3.Connection, before: str, change: str, start: int, limit: int
) -> dict[str, Any]:
    """Return the cases of two runs by id, with what came of each in both.

    `connection` is open on the later run, `before` the address of the earlier index.
    """
    connection.execute("ATTACH DATABASE ? AS before", (before,))
    counts = {
        row["change"]: row["n"]
        for row in connection.execute(
            f"SELECT change, COUNT(*) AS n FROM ({_CHANGES}) GROUP BY change"
        )
    }
    where = "change = ?" if change else "change NOT LIKE 'same %'"
    values = (change,) if change else ()
    rows = connection.execute(
        f"SELECT * FROM ({_CHANGES}) WHERE {where} LIMIT ? OFFSET ?",
        (*values, min(max(1, limit), MOST_ROWS), max(0, start)),
    )
    hits = [dict(row) for row in rows]
    total = (
        counts.get(change, 0)
        if change
        else sum(n for name, n in counts.items() if not name.startswith("same "))
    )
    return {"counts": counts, "rows": hits, "total": total}
