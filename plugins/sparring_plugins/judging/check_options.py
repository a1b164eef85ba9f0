"""What stored conversations are judged by, and by whom."""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sparring.engine.conduct import Decides
from sparring.interfaces.plugin import Use
from sparring.model.run import Inconclusive
from sparring.store import StoredRun
from sparring.suite.model import ExecutionUse, LLMUse, OracleUse


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """What to judge stored conversations by, and where to put the result.

    `recorded` is a run whose recorded answers of models are taken if the question is the same;
    up to `concurrency` conversations are judged side by side if there is a model to wait for.
    `decide` sets the exit code by a suite's repeats or baseline. `execution` says who judges.
    """

    oracles: tuple[OracleUse, ...]
    base_dir: Path
    runs: Path
    name: str = "check"
    outputs: tuple[Use, ...] = ()
    llm: LLMUse | None = None
    seed: int = 0
    judge_timeout_s: float = 600.0
    part_timeout_s: float = 600.0
    inconclusive: Inconclusive = "error"
    suite: dict[str, Any] = field(default_factory=dict[str, Any])
    suite_path: Path | None = None
    disabled: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    recorded: StoredRun | None = None
    concurrency: int = 10
    decide: Decides | None = None
    execution: ExecutionUse | None = None

    def for_workers(self) -> "CheckOptions":
        """Return what workers need of it, to be sent to them."""
        return replace(self, recorded=None, decide=None, outputs=())
