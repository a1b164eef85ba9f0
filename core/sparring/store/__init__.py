"""Runs on disk: `RunLog` writes one, `StoredRun` reads it."""

from sparring.store.log import RunLog, StateReader, StateWriter
from sparring.store.stored_run import StoredRun, StoredTraces, find_run

__all__ = ["RunLog", "StateReader", "StateWriter", "StoredRun", "StoredTraces", "find_run"]
