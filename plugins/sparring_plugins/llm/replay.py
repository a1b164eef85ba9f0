"""Answers from a run that was recorded: no service is asked."""

from pathlib import Path
from typing import ClassVar

from pydantic import Field, field_validator

from sparring.errors import ConfigurationError, StoredRunError
from sparring.interfaces.llm_backend import LLMBackend
from sparring.interfaces.plugin import BuildContext, PluginConfig
from sparring.llm.recordings import Recording
from sparring.model.chat import ChatReply, ChatRequest
from sparring.store import StoredRun, find_run


class ReplayConfig(PluginConfig):
    """Settings of the backend `replay`."""

    run: str = Field(
        min_length=1,
        description="the folder of a stored run, its id among the suite's runs, or last: the "
        "newest of them that played cases",
    )

    @field_validator("run")
    @classmethod
    def _names_one(cls, value: str) -> str:
        if "\0" in value:
            raise ValueError("has a zero byte, which no path can have")
        return value


class ReplayBackend(LLMBackend[ReplayConfig]):
    """Answers as the models of a stored run did, whichever services they were; costs nothing.

    The k-th of equal questions in a case gets the k-th recorded answer. A question that was not
    recorded is a ModelError that shows the nearest one and where they differ.
    """

    Config: ClassVar[type[PluginConfig]] = ReplayConfig
    free = True
    source = "recording"

    def __init__(self, config: ReplayConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        try:
            stored = self._stored()
            self._run_id = stored.manifest.id
            self._recording = Recording.of(stored)
        except (StoredRunError, OSError) as err:
            raise ConfigurationError(str(err)) from err

    def _stored(self) -> StoredRun:
        """The run: beside the suite, as a path, or among the runs where this one is stored."""
        context, name = self.context, self.config.run
        beside = context.base_dir / Path(name).expanduser()
        runs = context.run_dir.parent if context.run_dir else context.base_dir / "runs"
        if name == "last":
            return self._newest(runs)
        return find_run(str(beside) if beside.is_dir() else name, runs)

    def _newest(self, runs: Path) -> StoredRun:
        """The newest run that played cases, but for the one that is being written."""
        own = self.context.run_dir
        stored = [path for path in runs.glob("*/run.json") if path.parent != own]
        stored.sort(key=lambda path: (path.stat().st_mtime_ns, path.parent.name))
        for path in reversed(stored):
            run = StoredRun(path.parent)
            if run.manifest.kind == "run":
                return run
        raise StoredRunError(f"no run that played cases is stored in {runs}")

    async def complete(self, request: ChatRequest) -> ChatReply:
        reply = self._recording.answer(request)
        return reply.model_copy(update={"cost_usd": 0.0})

    def identity(self) -> str:
        return f"replay {self._run_id}"
