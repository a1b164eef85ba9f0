"""Answers kept for later runs, in one sqlite file that several runs may share."""

import os
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path

from platformdirs import user_cache_path
from pydantic import ValidationError

from sparring.model.chat import ChatReply, ChatRequest

_APPLICATION = 0x53505247  # "SPRG" in the file's header
_VERSION = 1
_PATIENCE_S = 10.0  # for another process that sets the same file up
_PATIENCE_MS = 500  # for another process's write: later, the answer is not kept
_PARTIAL = {"length", "refusal", "content_filter"}

_TABLE = """
CREATE TABLE IF NOT EXISTS answers (
    key TEXT PRIMARY KEY, asker TEXT NOT NULL, prompt TEXT NOT NULL, reply TEXT NOT NULL
)
"""


def default_path() -> Path:
    """Where answers are kept when a suite says ``cache: true``."""
    return user_cache_path("sparring", appauthor=False) / "answers.sqlite"


class Cache:
    """Answers by key. A cache is a convenience: it never raises, it says once why it is off.

    Several processes may use one file. Values are JSON. The file is the user's alone (mode
    0600) if it is created here.
    """

    def __init__(self, path: Path | None, warn: Callable[[str], None]) -> None:
        self._path = path if path is not None else default_path()
        self._warn = warn
        self._lock = threading.Lock()
        self._database: sqlite3.Connection | None = None
        try:
            self._database = _open(self._path)
        except (sqlite3.Error, OSError, ValueError) as err:
            self._say(str(err))

    def get(self, key: str) -> ChatReply | None:
        """The answer kept under a key (see `key_of`); `None` if there is none."""
        with self._lock:
            rows = self._run("SELECT reply FROM answers WHERE key = ?", key)
        try:
            return ChatReply.model_validate_json(rows[0][0]) if rows else None
        except ValidationError:
            return None  # as good as none: the next answer takes its place

    def put(self, key: str, request: ChatRequest, reply: ChatReply) -> None:
        """Keep an answer, unless it is empty, refused or cut off."""
        if reply.finish_reason in _PARTIAL or not (reply.text or reply.parsed is not None):
            return
        values = (key, request.asker, request.prompt, reply.model_dump_json())
        with self._lock:
            self._run("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?)", *values)

    def close(self) -> None:
        """Close the file; afterwards nothing is found and nothing is kept."""
        with self._lock:
            database, self._database = self._database, None
            if database is not None:
                database.close()

    def _run(self, statement: str, *values: str) -> list[tuple[str]]:
        if self._database is None:
            return []
        try:
            return self._database.execute(statement, values).fetchall()
        except sqlite3.Error as err:
            if _is_busy(err):
                return []
            self._database.close()
            self._database = None
            self._say(str(err))
            return []

    def _say(self, reason: str) -> None:
        self._warn(f"the response cache {self._path} is not used: {reason}")


def _open(path: Path) -> sqlite3.Connection:
    """The database, set up; raises sqlite3.Error, OSError or ValueError if it cannot be used."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if path.exists() and not path.is_file():
        raise ValueError("it is not a file")
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    database = sqlite3.connect(
        path, timeout=_PATIENCE_S, isolation_level=None, check_same_thread=False
    )
    try:
        _set_up(database)
        database.execute(f"PRAGMA busy_timeout = {_PATIENCE_MS}")
    except BaseException:
        database.close()
        raise
    return database


def _set_up(database: sqlite3.Connection) -> None:
    with database:
        database.execute("BEGIN")  # all that is read is of one moment: another process may set up
        ours = _is_ours(database)
    if not ours:
        with database:
            database.execute("BEGIN IMMEDIATE")
            if not _is_ours(database):  # else another process was faster
                database.execute(_TABLE)
                database.execute(f"PRAGMA application_id = {_APPLICATION}")
                database.execute(f"PRAGMA user_version = {_VERSION}")
    try:
        database.execute("PRAGMA journal_mode = WAL")  # readers never wait for a writer
    except sqlite3.OperationalError as err:
        if not _is_busy(err):
            raise
    database.execute("PRAGMA synchronous = NORMAL")
    database.execute("SELECT key, asker, prompt, reply FROM answers LIMIT 1").fetchall()


def _is_ours(database: sqlite3.Connection) -> bool:
    """Whether the file is set up (False: it is empty); raises ValueError for anybody else's."""
    (application,) = database.execute("PRAGMA application_id").fetchone()
    (version,) = database.execute("PRAGMA user_version").fetchone()
    if application == _APPLICATION:
        if version > _VERSION:
            raise ValueError("it was written by a newer version of Sparring")
        return True
    if database.execute("SELECT count(*) FROM sqlite_master").fetchone() != (0,):
        raise ValueError("it is a database of some other program")
    return False


def _is_busy(err: sqlite3.Error) -> bool:
    code = getattr(err, "sqlite_errorcode", None)
    return isinstance(code, int) and code & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
