"""What connectors have in common when the app is described in YAML."""

from itertools import count
from uuid import uuid4, uuid5

from sparring.interfaces.app_connector import AppConnector
from sparring.interfaces.plugin import BuildContext, ConfigT
from sparring.model.case import Case
from sparring_connectors.described.reply import TextPathMisses


class DescribedConnector(AppConnector[ConfigT]):
    """Gives each session an id of its own, and warns once of what is wrong in all of them."""

    def __init__(self, config: ConfigT, context: BuildContext) -> None:
        super().__init__(config, context)
        self._run = uuid4()  # so that two runs never share sessions on a server that lives on
        self._numbers = count(1)
        self._has_warned = False
        self._misses = TextPathMisses()

    async def close(self) -> None:
        for problem in self._misses.problems():
            self.context.warn(problem)
        self._misses = TextPathMisses()

    def _new_id(self, case: Case) -> str:
        return str(uuid5(self._run, f"{case.id}/{case.seed}/{next(self._numbers)}"))

    def _warn_once(self, problem: str | None) -> None:
        """Warn of the first session that could not be closed; the others fail alike."""
        if problem and not self._has_warned:
            self._has_warned = True
            self.context.warn(f"a session could not be closed: {problem}")
