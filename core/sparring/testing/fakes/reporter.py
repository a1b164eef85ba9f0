"""A reporter that keeps what it hears."""

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from sparring.interfaces.plugin import BuildContext, PluginConfig
from sparring.interfaces.reporter import Reporter
from sparring.model.events import Event, RunFinished, RunStarted


class FakeReporterConfig(PluginConfig):
    """Where to write: `file`, in the run's folder, gets the exit code of the run."""

    file: str | None = None


class FakeReporter(Reporter[FakeReporterConfig]):
    """Keeps all events in `events`; writes a file only if the settings name one."""

    Config: ClassVar[type[PluginConfig]] = FakeReporterConfig

    def __init__(self, config: FakeReporterConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        self.events: list[Event] = []
        self._folder = context.run_dir
        self._written: list[Path] = []

    @property
    def kinds(self) -> list[str]:
        """The kinds of the events, in order."""
        return [event.kind for event in self.events]

    def handle(self, event: Event) -> None:
        """Keep the event."""
        self.events.append(event)
        if isinstance(event, RunStarted) and event.folder:
            self._folder = Path(event.folder)
        if isinstance(event, RunFinished) and self.config.file and self._folder:
            path = self._folder / self.config.file
            self._folder.mkdir(parents=True, exist_ok=True)
            path.write_text(f"exit code {event.summary.exit_code}\n", encoding="utf-8")
            self._written = [path]

    def written(self) -> Sequence[Path]:
        """The file of the settings, once the run is finished."""
        return tuple(self._written)
