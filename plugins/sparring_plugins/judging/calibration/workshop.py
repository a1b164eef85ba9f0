"""From a calibration file to judges and examples that are ready to be asked and judged."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar, overload

from sparring.discovery import hooks
from sparring.documents.checking import located
from sparring.errors import ConfigurationError
from sparring.interfaces.agent import Agent
from sparring.interfaces.oracle import Oracle
from sparring.interfaces.plugin import LLMBackend, Use
from sparring.suite.building import SuiteContext, Wrap
from sparring.suite.model import LLMUse
from sparring_plugins.judging.calibration.examples import Conversations, Examples, unused_names
from sparring_plugins.judging.calibration.file_loading import LoadedCalibration, function_name
from sparring_plugins.judging.calibration.functions import prepared
from sparring_plugins.judging.calibration.judge_call import Witness
from sparring_plugins.judging.calibration.judges import (
    AgentJudge,
    FunctionJudge,
    Item,
    Judge,
    OracleJudge,
)
from sparring_plugins.judging.calibration.model import JudgeUse
from sparring_plugins.judging.calibration.roles import ROLES

PartT = TypeVar("PartT")

_ASKER = "judge"


class Copies(Sequence[PartT]):
    """A part for each asking, built when it is needed."""

    def __init__(self, make: Callable[[], PartT]) -> None:
        self._make = make
        self._made = [make()]

    @overload
    def __getitem__(self, index: int) -> PartT: ...
    @overload
    def __getitem__(self, index: slice) -> list[PartT]: ...
    def __getitem__(self, index: int | slice) -> PartT | list[PartT]:
        if isinstance(index, slice):
            return self._made[index]
        while len(self._made) <= index:
            self._made.append(self._make())
        return self._made[index]

    def __len__(self) -> int:
        return len(self._made)


def _make_context(_number: int, *arguments: Any, **options: Any) -> SuiteContext:
    return SuiteContext(*arguments, **options)


class Workshop:
    """Builds the judges of a calibration; judges that ask one model share its connection.

    `make_context` gets the number of a context before what a `SuiteContext` gets.
    """

    def __init__(
        self,
        loaded: LoadedCalibration,
        folder: Path,
        wrap: Wrap,
        make_context: Callable[..., SuiteContext] | None = None,
    ) -> None:
        self.loaded = loaded
        self._make_context = make_context or _make_context
        self._folder = folder
        self._wrap = wrap
        self._contexts: dict[str, SuiteContext] = {}
        self.context = self._context(loaded.file.llm)

    @property
    def contexts(self) -> list[SuiteContext]:
        """All contexts that parts were built in; the first is `context`."""
        return list(self._contexts.values())

    def llm_of(self, use: JudgeUse) -> LLMUse | None:
        """The language model that a judge may ask."""
        return use.llm or self.loaded.file.llm

    def judges(self, wanted: Sequence[str] = ()) -> list[Judge]:
        """The judges, or those that are wanted; raises ConfigurationError or PluginError."""
        judges: list[Judge] = []
        for index, use in enumerate(self.loaded.file.judges):
            if not wanted or use.label in wanted:
                with located(self.loaded.document, ("judges", index)):
                    judges.append(self._judge(use))
        return judges

    def items(self, judges: Sequence[Judge], listeners: hooks.Listeners) -> list[Item]:
        """The examples; raises ConfigurationError with all problems found in them."""
        file = self.loaded.file
        if isinstance(file.examples, str):
            self.context.files(file.examples)
        runs = self.loaded.base_dir / file.runs
        conversations = Conversations(self.context, runs, listeners)
        items = Examples(judges, file.task, conversations).prepared(self.loaded.examples)
        wrong = unused_names(judges, items, file.positive) if items else []
        if wrong:
            document = self.loaded.document
            raise ConfigurationError(*(document.problem(said, at) for at, said in wrong))
        return items

    def model_of(self, use: JudgeUse) -> str | None:
        """The name of the model that a judge asks, if its settings have one."""
        llm = self.llm_of(use)
        name = None if llm is None else llm.for_role(use.role or _ASKER).settings.get("model")
        return name if isinstance(name, str) else None

    def _context(self, llm: LLMUse | None) -> SuiteContext:
        key = json.dumps(llm.model_dump() if llm else None, sort_keys=True, default=str)
        if key not in self._contexts:
            self._contexts[key] = self._make_context(
                len(self._contexts),
                self.loaded.base_dir,
                seed=self.loaded.file.seed,
                run_dir=self._folder,
                llm=llm,
                wrap=self._watched,
            )
        return self._contexts[key]

    def _watched(self, backend: LLMBackend[Any], use: LLMUse, asker: str) -> LLMBackend[Any]:
        return Witness(self._wrap(backend, use, asker))

    def _judge(self, use: JudgeUse) -> Judge:
        context = self._context(self.llm_of(use))
        if use.function is not None:
            function = prepared(context.functions()[function_name(use)], use.settings)
            backend: LLMBackend[Any] | None = context.llm(_ASKER) if function.model else None
            return FunctionJudge(use, function, backend)
        named = Use(use=use.use or use.oracle or "", **use.settings)
        if use.role is not None:
            role = use.role
            agents = Copies(lambda: context.part(Agent[Any, Any, Any], named, role=role))
            return AgentJudge(use, role, ROLES[role], agents)
        return OracleJudge(use, Copies(lambda: context.part(Oracle[Any], named)))
