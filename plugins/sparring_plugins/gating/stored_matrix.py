"""What is stored of a suite's variants, to resume them and to compare them."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from pydantic import BaseModel, JsonValue, ValidationError

from sparring.errors import StoredRunError
from sparring.store import StoredRun
from sparring.store.log import MANIFEST
from sparring_plugins.gating.matrix import Variant
from sparring_plugins.gating.records import read_record
from sparring_plugins.output.files import written_whole

MATRIX = "matrix.json"
"""The file in a folder beside the folders of the runs."""

_VERSION = 1
# The file is somebody else's: it is not read into memory whatever its size.
_LARGEST = 5_000_000


class StoredVariant(BaseModel):
    """A variant: what it changes in the suite, by dotted key, and the folder's name of its run."""

    name: str
    changes: dict[str, JsonValue]
    run: str | None = None


class StoredMatrix(BaseModel):
    """The variants of a suite in the order in which they are played; `suite_path` is its file."""

    schema_version: int = _VERSION
    id: str
    name: str
    suite_path: str
    created: datetime
    variants: list[StoredVariant]


def read_matrix(folder: Path) -> StoredMatrix:
    """Return what is stored in a matrix's folder; raises StoredRunError."""
    path = folder / MATRIX
    try:
        if path.stat().st_size > _LARGEST:
            raise StoredRunError(f"{path} is too large for a list of variants")
        matrix = StoredMatrix.model_validate_json(path.read_bytes())
    except OSError as err:
        raise StoredRunError(f"{path} cannot be read: {err.strerror}") from err
    except ValidationError as err:
        raise StoredRunError(f"{path} is no list of variants: {err.errors()[0]['msg']}") from err
    if matrix.schema_version > _VERSION:
        raise StoredRunError(f"{path} was written by a newer sparring")
    return matrix


def write_matrix(folder: Path, matrix: StoredMatrix) -> None:
    """Store a matrix in its folder; raises ReportError."""
    with written_whole(folder / MATRIX) as file:
        file.write(matrix.model_dump_json(indent=1) + "\n")


def find_matrix(name: str, runs: Path) -> Path | None:
    """Return the folder of the matrix that is called so: a path, or a name below `runs`."""
    for folder in (Path(name), runs / name):
        if (folder / MATRIX).is_file():
            return folder
    return None


def run_of(folder: Path, variant: StoredVariant) -> StoredRun | None:
    """Return the run of a variant of the matrix in `folder`; `None` if it is not there."""
    # Only the name: the file may come from elsewhere, and its paths lead nowhere here.
    run = folder.parent / Path(variant.run).name if variant.run else None
    return StoredRun(run) if run is not None and (run / MANIFEST).is_file() else None


def played_variants(folder: Path, variants: Sequence[StoredVariant]) -> list[Variant]:
    """Return the variants that have a run, with what it found."""
    runs = ((variant.name, run_of(folder, variant)) for variant in variants)
    return [Variant(name, read_record(run), run.folder) for name, run in runs if run is not None]
