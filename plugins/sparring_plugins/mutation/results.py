"""A mutation run on disk: what it is, written once, and a line per mutant that is through."""

import os
import shutil
from collections.abc import Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from pydantic import ValidationError

from sparring.errors import StoredRunError
from sparring.model.base import SCHEMA_VERSION
from sparring.store import StoredRun
from sparring_plugins.mutation.derived_mutants import Shown
from sparring_plugins.mutation.model import Fate, MutantResult, MutationRun

MANIFEST = "mutation.json"
LOG = "results.jsonl"
REPORT = "report.json"
ORIGINAL = "original"
PICTURES = "pictures"

_COUNTED = (Fate.KILLED, Fate.NOTICED, Fate.LIVE)


def create(folder: Path, run: MutationRun) -> None:
    """Make the folder with its manifest; raises StoredRunError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(folder / MANIFEST, run.model_dump_json(indent=1) + "\n")
    except OSError as err:
        raise StoredRunError(f"the run cannot be stored in {folder}: {err.strerror}") from err


def write_whole(path: Path, text: str) -> None:
    """Write a file so that it is never seen half written."""
    temporary = path.with_name(f"{path.name}.new")
    temporary.write_text(text, encoding="utf-8")
    temporary.replace(path)


def read(folder: Path) -> MutationRun:
    """A stored run with the results it has; raises StoredRunError."""
    try:
        run = MutationRun.model_validate_json((folder / MANIFEST).read_bytes())
    except (OSError, ValidationError) as err:
        raise StoredRunError(f"{folder} is no mutation run: {err}") from err
    if run.schema_version > SCHEMA_VERSION:
        raise StoredRunError(f"{folder} was written by a newer sparring")
    return with_results(run, _results(folder / LOG))


def _results(log: Path) -> list[MutantResult]:
    """The results in a log; a torn last line is passed over."""
    if not log.is_file():
        return []
    by_id: dict[str, MutantResult] = {}
    for number, line in enumerate(log.read_bytes().split(b"\n")[:-1], 1):
        try:
            result = MutantResult.model_validate_json(line)
        except ValidationError as err:
            raise StoredRunError(f"{log} is damaged in line {number}") from err
        by_id[result.id] = result
    return list(by_id.values())


def append(folder: Path, result: MutantResult) -> None:
    """Add a result, and see that it is on the disk; a torn line before it is cut off."""
    descriptor = os.open(folder / LOG, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
    try:
        whole = (folder / LOG).read_bytes().rfind(b"\n") + 1
        if whole < os.fstat(descriptor).st_size:
            os.ftruncate(descriptor, whole)
        os.write(descriptor, result.model_dump_json().encode() + b"\n")
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def with_results(run: MutationRun, results: Sequence[MutantResult]) -> MutationRun:
    """A run with results in the order of its mutants, its score, and whether it is complete."""
    by_id = {result.id: result for result in results}
    ordered = tuple(by_id[mutant.id] for mutant in run.mutants if mutant.id in by_id)
    complete = run.original is not None and len(ordered) == len(run.mutants)
    update = {"results": ordered, "score": score(ordered), "complete": complete}
    return run.model_copy(update=update)


def score(results: Sequence[MutantResult]) -> float | None:
    """The share of killed ones among killed, noticed and live mutants; None without any."""
    counted = [result for result in results if result.fate in _COUNTED]
    killed = sum(mutant_result.fate is Fate.KILLED for mutant_result in counted)
    return killed / len(counted) if counted else None


def pictures(
    folder: Path, mutant: str, original: StoredRun, played: StoredRun, shown: Shown | None
) -> dict[str, str]:
    """Keep the pictures of a fault's effect: where `before` and `after` lie in the folder."""
    if shown is None:
        return {}
    pictures: dict[str, str] = {}
    for key, run, name in (
        ("before", original, shown.effect.before),
        ("after", played, shown.effect.after),
    ):
        source = (run.folder / name).resolve() if name else None
        if source is None or not source.is_relative_to(run.folder.resolve()):
            continue
        goal = folder / PICTURES / f"{mutant}-{key}.png"
        goal.parent.mkdir(exist_ok=True)
        with suppress(OSError):
            shutil.copyfile(source, goal)
            pictures[key] = goal.relative_to(folder).as_posix()
    return pictures


def find(name: str, runs: Path) -> Path:
    """The folder of a mutation run: a path, an id, or ``last``; raises StoredRunError."""
    if (Path(name) / MANIFEST).is_file():
        return Path(name)
    stored = sorted(runs.glob(f"*/{MANIFEST}"), key=lambda path: path.stat().st_mtime_ns)
    if name == "last" and stored:
        return stored[-1].parent
    if (runs / name / MANIFEST).is_file():
        return runs / name
    names = ", ".join(path.parent.name for path in stored[-5:]) or "none"
    raise StoredRunError(f"no mutation run is called {name!r} in {runs}. The newest: {names}.")


def changed_since(run: StoredRun, base_dir: Path) -> str | None:
    """A file that shaped a run and is another by now, or None if all are the same."""
    for name, digest in run.manifest.inputs.items():
        path = base_dir / name
        if not path.is_file() or sha256(path.read_bytes()).hexdigest() != digest:
            return name
    return None
