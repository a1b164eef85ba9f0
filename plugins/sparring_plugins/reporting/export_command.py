"""``sparring export``: test cases and results in the forms of other tools.

A stored run becomes three Parquet files: its cases, their turns, and all verdicts.
"""

import json
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from sparring.cli.output import shown
from sparring.engine.budget import worst
from sparring.errors import ConfigurationError, MissingExtra, Problem
from sparring.model.events import CaseJudged
from sparring.model.talk import Trace, Turn, act_text
from sparring.model.verdict import Verdict
from sparring.store import StoredRun
from sparring_plugins.output import arguments
from sparring_plugins.output.stored_runs import find_run
from sparring_plugins.web.export.command import playwright

# --- Tables of a stored run


_ROWS = 5_000
"""Rows that are in memory at once; each such piece is a row group of the file."""

COLUMNS: dict[str, dict[str, str]] = {
    "cases": {
        "run": "string",
        "case_id": "string",
        "scenario": "string",
        "repeat": "int64",
        "seed": "string",
        "params": "string",
        "outcome": "string",
        "ended": "string",
        "started": "timestamp",
        "duration_s": "double",
        "turns": "int64",
        "incidents": "strings",
        "model_calls": "int64",
        "tokens": "int64",
        "cost_usd": "double",
    },
    "turns": {
        "run": "string",
        "case_id": "string",
        "turn": "int64",
        "act": "string",
        "said": "string",
        "answer": "string",
        "choices": "strings",
        "started_s": "double",
        "latency_s": "double",
    },
    "verdicts": {
        "run": "string",
        "case_id": "string",
        "case_ids": "strings",
        "oracle": "string",
        "check": "string",
        "outcome": "string",
        "owner": "string",
        "score": "double",
        "gating": "bool",
        "count": "int64",
        "reason": "string",
        "details": "string",
    },
}
"""The columns of each file; ``strings`` is a list of texts, `params` and `details` are JSON."""


def export_run(run: StoredRun, folder: Path) -> dict[Path, int]:
    """Write a run's files into a folder, and return them with their numbers of rows.

    Only some thousand rows are in memory at once. Raises ConfigurationError if a file cannot be
    written, and MissingExtra.
    """
    try:
        arrow: Any = import_module("pyarrow")
        parquet: Any = import_module("pyarrow.parquet")
    except ImportError as err:
        raise MissingExtra("pyarrow is not installed; pip install 'sparring[parquet]'") from err
    name = run.manifest.id
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tables = {kind: _Table(arrow, parquet, folder, kind) for kind in COLUMNS}
        try:
            for judged in run.judged():
                trace = judged.trace
                tables["cases"].add(_case_row(name, judged))
                for index, turn in enumerate(trace.turns):
                    tables["turns"].add(_turn_row(name, trace, index, turn))
                _add_verdicts(tables["verdicts"], name, judged.verdicts)
            _add_verdicts(tables["verdicts"], name, run.concluded)
        finally:
            for table in tables.values():
                table.close()
    except OSError as err:
        raise ConfigurationError(
            Problem(f"cannot be written: {err.strerror or err}", str(folder))
        ) from err
    return {table.path: table.count for table in tables.values()}


class _Table:
    """Writes one file, some thousand rows at a time."""

    def __init__(self, arrow: Any, parquet: Any, folder: Path, kind: str) -> None:
        types = {
            "string": arrow.string(),
            "strings": arrow.list_(arrow.string()),
            "int64": arrow.int64(),
            "double": arrow.float64(),
            "bool": arrow.bool_(),
            "timestamp": arrow.timestamp("us", tz="UTC"),
        }
        self.path = folder / f"{kind}.parquet"
        self.count = 0
        self._arrow = arrow
        self._schema = arrow.schema([(name, types[of]) for name, of in COLUMNS[kind].items()])
        self._rows: list[dict[str, Any]] = []
        self._writer = parquet.ParquetWriter(self.path, self._schema, compression="zstd")

    def add(self, row: dict[str, Any]) -> None:
        """Add a row."""
        self._rows.append(row)
        self.count += 1
        if len(self._rows) >= _ROWS:
            self._flush()

    def _flush(self) -> None:
        rows, self._rows = self._rows, []
        self._writer.write_table(self._arrow.Table.from_pylist(rows, schema=self._schema))

    def close(self) -> None:
        """Write what is left, and the end of the file."""
        if self._rows:
            self._flush()
        self._writer.close()


def _case_row(run: str, judged: CaseJudged) -> dict[str, Any]:
    trace, spent = judged.trace, judged.spent
    return {
        "run": run,
        "case_id": trace.case.id,
        "scenario": trace.case.scenario,
        "repeat": trace.case.repeat,
        "seed": str(trace.case.seed),  # it may have more bits than a column of numbers
        "params": json.dumps(trace.case.params, ensure_ascii=False),
        # As the exit code counts: a check that does not gate makes no case a failure.
        "outcome": worst(v for v in judged.verdicts if v.gating).value,
        "ended": trace.ended.value,
        "started": trace.started,
        "duration_s": trace.duration_s,
        "turns": len(trace.turns),
        "incidents": [incident.kind.value for incident in trace.incidents],
        "model_calls": spent.calls if spent else 0,
        "tokens": spent.tokens if spent else 0,
        "cost_usd": spent.cost_usd if spent else 0.0,
    }


def _turn_row(run: str, trace: Trace, index: int, turn: Turn) -> dict[str, Any]:
    answer = turn.observation
    return {
        "run": run,
        "case_id": trace.case.id,
        "turn": index,
        "act": turn.act.kind,
        "said": act_text(turn.act),
        "answer": None if answer is None else answer.text,
        "choices": [] if answer is None else [choice.label for choice in answer.choices],
        "started_s": turn.started_s,
        "latency_s": turn.latency_s,
    }


def _add_verdicts(table: _Table, run: str, verdicts: Iterable[Verdict]) -> None:
    for verdict in verdicts:
        table.add(
            {
                "run": run,
                "case_id": verdict.case_ids[0] if len(verdict.case_ids) == 1 else None,
                "case_ids": list(verdict.case_ids),
                "oracle": verdict.oracle,
                "check": verdict.check,
                "outcome": verdict.outcome.value,
                "owner": verdict.owner.value if verdict.owner else None,
                "score": verdict.score,
                "gating": verdict.gating,
                "count": verdict.count,
                "reason": verdict.reason,
                "details": json.dumps(verdict.details, ensure_ascii=False),
            }
        )


# --- The command


HELP_SECTION = "write"


@click.group()
def export() -> None:
    """Write test cases as Playwright tests, or a stored run as Parquet."""


export.add_command(playwright)


@export.command()
@arguments.run_argument
@click.option(
    "-o", "--output", metavar="FOLDER", type=click.Path(path_type=Path, file_okay=False),
    help="Where the files are written (else the folder 'parquet' of the run).",
)  # fmt: skip
@arguments.salvage_option
@arguments.runs_option
def parquet(run: str, output: Path | None, runs: Path | None) -> int:
    """Write a stored run as Parquet: cases, turns and verdicts, to be asked with SQL.

    RUN is a stored run: an id, a folder, or 'last' (the default).
    """
    stored = find_run(run, runs or Path("runs"))
    written = export_run(stored, output or stored.folder / "parquet")
    for path, count in written.items():
        click.echo(f"wrote {shown(path)}: {count:,} row{'' if count == 1 else 's'}")
    return 0
