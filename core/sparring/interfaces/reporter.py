"""The interface `Reporter`: tells a person or a machine what happened."""

from abc import abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from sparring.interfaces.plugin import ConfigT, Plugin
from sparring.model.events import Event


class Reporter(Plugin[ConfigT]):
    """Is told of each event as it happens, and writes something.

    Called on the event loop's thread: it returns at once. Everything that an event says of
    the app is hostile and must be escaped for the medium. On `RunFinished`, a reporter that
    writes a file may read the whole run again with `sparring.store.StoredRun`, whose folder
    `RunStarted.folder` named: that is how a report stays in constant memory, and how
    `sparring report` makes the same report later, telling it only of the first and last event.
    """

    #: File endings by which ``-o FILE`` chooses this reporter; its Config then has a `path`.
    suffixes: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def handle(self, event: Event) -> None:
        """Take note of an event."""

    def written(self) -> Sequence[Path]:
        """The files written, for the end of the run's output."""
        return ()
