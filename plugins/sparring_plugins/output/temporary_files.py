"""Files for what does not fit into memory; they have no name, and are gone with the process."""

import os
import sqlite3
import tempfile
from io import FileIO
from pathlib import Path

# SQLite's own cache of 2 MB makes a million cases read the file again and again.
_PAGES_KB = 8_000


def temporary_database() -> sqlite3.Connection:
    """Open a database in a file that SQLite deletes when it is closed."""
    database = sqlite3.connect("", isolation_level=None, check_same_thread=False)
    database.execute("PRAGMA journal_mode = OFF")
    database.execute(f"PRAGMA cache_size = -{_PAGES_KB}")
    database.execute("BEGIN")
    return database


def temporary_file() -> FileIO:
    """Open a file that is deleted when it is closed, in ``TMPDIR`` or where SQLite has its own.

    On many systems ``/tmp`` is in memory, and what is put there is no longer out of it.
    """
    place = Path("/var/tmp")
    usable = "TMPDIR" not in os.environ and os.access(place, os.W_OK | os.X_OK)
    return tempfile.TemporaryFile(dir=place if usable else None, buffering=0)
