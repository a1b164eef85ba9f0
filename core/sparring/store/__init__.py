"""Runs on disk: `RunLog` writes one, `StoredRun` reads it."""

from sparring.store.log import RunLog
from sparring.store.stored_run import StoredRun, StoredTraces, find_run

__all__ = ["RunLog", "StoredRun", "StoredTraces", "find_run"]
