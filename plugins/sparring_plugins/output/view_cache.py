"""Where the viewer keeps what it has indexed of a stored run, and how that is forgotten.

An index repeats what conversations say. It lies in the user's cache folder and not in the run's: a
folder of runs may be a stranger's, and a database from there is nothing to open.
"""

from contextlib import suppress
from hashlib import sha256
from pathlib import Path


def view_index_path(run_folder: Path) -> Path:
    """Return the file of a run's index; neither it nor its folder need be there."""
    from platformdirs import user_cache_path

    digest = sha256(str(run_folder.resolve()).encode("utf-8", "surrogateescape")).hexdigest()
    return user_cache_path("sparring") / "view" / f"{digest[:32]}.sqlite"


def forget_view_index(run_folder: Path) -> None:
    """Remove a run's index, so that nothing outlives there what was taken out of the run."""
    for file in index_files(view_index_path(run_folder)):
        with suppress(OSError):
            file.unlink(missing_ok=True)


def index_files(path: Path) -> list[Path]:
    """Return the file of an index, and those that SQLite keeps beside it."""
    return [path, *(path.with_name(f"{path.name}-{kind}") for kind in ("wal", "shm", "journal"))]
