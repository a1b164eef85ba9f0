"""Runs on disk: `RunLog` writes one, `StoredRun` reads it."""

from sparring.store.log import RunLog
from sparring.store.stored_run import SALVAGE, StoredRun, StoredTraces, find_run

__all__ = ["SALVAGE", "RunLog", "StoredRun", "StoredTraces", "find_run"]
