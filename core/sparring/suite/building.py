"""Builds the parts that a checked suite names."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from hashlib import file_digest
from pathlib import Path
from typing import Any, Protocol, cast, get_origin

from pydantic import ValidationError

from sparring.discovery import catalog, drivers
from sparring.discovery.groups import FUNCTIONS, SERVICES, group_of
from sparring.documents.checking import located, placed
from sparring.documents.reading import Document
from sparring.errors import (
    ConfigurationError,
    MissingExtra,
    ModelError,
    PartError,
    PluginError,
    Problem,
    SparringError,
)
from sparring.format_error import describe_error, error_text
from sparring.interfaces.abilities import ReachesSeveralApps
from sparring.interfaces.agent import Player
from sparring.interfaces.app_connector import AppConnector
from sparring.interfaces.oracle import Oracle
from sparring.interfaces.plugin import (
    BuildContext,
    LLMBackend,
    Plugin,
    PluginConfig,
    PluginT,
    Use,
    UseOf,
)
from sparring.interfaces.reporter import Reporter
from sparring.interfaces.rule_function import RuleFunction
from sparring.interfaces.search_strategy import SearchStrategy
from sparring.model.base import storable
from sparring.model.chat import ChatReply, ChatRequest
from sparring.model.run import MeasuredJudge
from sparring.model.space import Space, with_apps
from sparring.suite.containment import Limits, contained, part_name
from sparring.suite.model import LLMUse, OracleUse, Suite
from sparring.suite.reading import load_part
from sparring.time_limits import guarded

Wrap = Callable[["LLMBackend[Any]", LLMUse, str], "LLMBackend[Any]"]
"""Puts manners, meter and log around a language model for one asker."""


_MOST_ENTRIES = 100_000
_MOST_NOTES = 20
_CLOSING_S = 60.0
"""Seconds that one part may take to close, such as a browser that saves its files."""


class Functions(Mapping[str, RuleFunction]):
    """The installed rule functions; each is imported when it is asked for."""

    def __init__(self) -> None:
        self._names = frozenset(catalog.names(FUNCTIONS))

    def __getitem__(self, name: str) -> RuleFunction:
        if name not in self._names:
            raise KeyError(name)
        return drivers.load_function(name)

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._names))

    def __len__(self) -> int:
        return len(self._names)


class AbsentModel(LLMBackend[PluginConfig]):
    """Stands for a model that cannot be built here, if its answers may all be recorded."""

    free = True

    def __init__(self, why: str, context: BuildContext) -> None:
        super().__init__(PluginConfig(), context)
        self._why = why

    def identity(self) -> str:
        """Unknown."""
        return ""

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Raise ModelError with the reason."""
        raise ModelError(f"this answer is not recorded, and no model can be asked: {self._why}")


class SuiteContext(BuildContext):
    """Builds parts for one suite, and remembers what files they used and what they warned of.

    `recorded` says that answers of models are recorded, so that a service that cannot be built
    here (no key, no library) is no error. `limits` end calls of parts that block.
    """

    def __init__(
        self,
        base_dir: Path,
        *,
        seed: int = 0,
        run_dir: Path | None = None,
        llm: LLMUse | None = None,
        wrap: Wrap | None = None,
        recorded: bool = False,
        limits: Limits | None = None,
    ) -> None:
        self._limits = limits
        self.base_dir = base_dir
        self.seed = seed
        self.run_dir = run_dir
        self.names: frozenset[str] = frozenset()
        self.inputs: dict[str, str] = {}
        self.warnings: list[str] = []
        self.measured: dict[str, MeasuredJudge] = {}
        self.built: list[Plugin[Any]] = []
        self._llm = llm
        self._wrap = wrap
        self._recorded = recorded
        self._backends: dict[str, LLMBackend[Any]] = {}
        self.askers: set[str] = set()
        self._functions = Functions()
        self.document: Document | None = None
        self.tell: Callable[[str, str], None] | None = None
        self._noted: set[str] = set()

    def part(self, interface: type[PluginT], use: Use, *, role: str | None = None) -> PluginT:
        """See `BuildContext.part`."""
        plain: type[PluginT] = get_origin(interface) or interface
        group = group_of(plain)
        plugin = load_part(UseOf(group.namespace, role), use.use)
        try:
            config = plugin.Config.model_validate(use.settings)
        except ValidationError as err:
            first = err.errors()[0]
            where = ".".join(str(part) for part in first["loc"])
            raise ConfigurationError(f"{group.label} {use.use!r}: {where}: {first['msg']}") from err
        part = self._instance(plugin, config, group.label, use.use)
        if not isinstance(part, plain):
            raise PluginError(f"{group.label} {use.use!r} is not a {plain.__name__}")
        self.built.append(part)
        return part

    def _instance(self, plugin: type[PluginT], config: Any, group: str, name: str) -> PluginT:
        """Build a part whose calls are contained; raises PartError if its constructor breaks."""
        wrapped: Any = contained(plugin, group, name, self._limits)
        try:
            with self._limits.call(f"{group} {name!r}") if self._limits else nullcontext():
                return cast("PluginT", wrapped(config, self))
        except SparringError:
            raise
        except BaseException as err:
            raise PartError(group, name, "constructor", describe_error(err)) from err

    def files(self, patterns: str | Sequence[str]) -> list[Path]:
        """See `BuildContext.files`."""
        paths: dict[Path, None] = {}
        for pattern in [patterns] if isinstance(patterns, str) else patterns:
            matches = self._matches(pattern)
            if not matches:
                raise ConfigurationError(
                    Problem(f"no file matches {pattern!r} (looked in {self.base_dir})")
                )
            paths.update(dict.fromkeys(matches))
        for path in paths:
            self._note(path)
        return list(paths)

    def _matches(self, pattern: str) -> list[Path]:
        try:
            wanted = Path(pattern).expanduser()
            path = self.base_dir / wanted
            if path.is_dir():
                return _yaml_below(path)
            if path.is_file():
                return [path]
            root = Path(wanted.anchor) if wanted.is_absolute() else self.base_dir
            parts = wanted.relative_to(wanted.anchor) if wanted.is_absolute() else wanted
            return sorted(item for item in root.glob(str(parts)) if item.is_file())
        except (ValueError, NotImplementedError, RuntimeError) as err:  # ~nobody has no home
            raise ConfigurationError(f"{pattern!r} is not a file pattern: {err}") from err
        except OSError as err:
            raise ConfigurationError(
                Problem(f"cannot be looked through: {err.strerror or err}", pattern)
            ) from err

    def _note(self, path: Path) -> None:
        try:
            shown = path.absolute().relative_to(self.base_dir.absolute()).as_posix()
        except ValueError:
            shown = str(path)
        shown = storable(shown)  # a name need not be UTF-8
        try:
            with path.open("rb") as file:
                self.inputs[shown] = file_digest(file, "sha256").hexdigest()
        except OSError as err:
            raise ConfigurationError(
                Problem(f"cannot be read: {err.strerror or err}", shown)
            ) from err

    def functions(self) -> Mapping[str, RuleFunction]:
        """See `RuleContext.functions`."""
        return self._functions

    def llm(self, asker: str) -> LLMBackend[Any] | None:
        """See `BuildContext.llm`."""
        if self._llm is None:
            return None
        self.askers.add(asker)
        use = self._llm.for_role(asker)
        key = json.dumps([use.use, use.settings], sort_keys=True, default=str)
        if key not in self._backends:  # roles of one model share its connection and its pace
            self._backends[key] = self._model(use)
        backend = self._backends[key]
        return self._wrap(backend, use, asker) if self._wrap else backend

    def _model(self, use: LLMUse) -> LLMBackend[Any]:
        try:
            with located(self.document, ("llm",)):
                return self.part(LLMBackend[Any], use)
        except (ConfigurationError, MissingExtra) as err:
            if not self._recorded:
                raise
            self.warn(f"no model can be asked, only recorded answers count: {err}")
            return AbsentModel(str(err), self)

    @property
    def llm_use(self) -> LLMUse | None:
        """What the suite says of its language model; None if it has none."""
        return self._llm

    def warn(self, message: str) -> None:
        """See `BuildContext.warn`."""
        if message not in self.warnings:
            self.warnings.append(message)

    def note(self, message: str) -> None:
        """See `BuildContext.note`: by `tell`, as long as a run goes on."""
        if message in self._noted or len(self._noted) >= _MOST_NOTES:
            return
        self._noted.add(message)
        if self.tell is None:
            self.warn(message)
        else:
            self.tell("app", message)

    async def close(self) -> list[str]:
        """Close every part built, the last first; the problems met, for the user."""
        problems: list[str] = []
        for part in reversed(self.built):
            group, name = part_name(part)
            ended = await guarded(part.close(), _CLOSING_S, f"{group} {name!r}: close")
            if ended.expired:
                problems.append(f"{group} {name!r}: close: not done after {_CLOSING_S:g} seconds")
            elif ended.error is not None:  # closing one must not keep others open
                problems.append(error_text(ended.error))
        self.built.clear()
        return problems


def _yaml_below(folder: Path) -> list[Path]:
    """The YAML files below a folder, sorted; raises ConfigurationError for the root of a disk."""
    paths: list[Path] = []
    for number, item in enumerate(folder.rglob("*")):
        if number >= _MOST_ENTRIES:
            message = f"holds more than {_MOST_ENTRIES:,} files and folders; name a smaller one"
            raise ConfigurationError(Problem(message, str(folder)))
        if item.suffix in (".yaml", ".yml") and item.is_file():
            paths.append(item)
    return sorted(paths)


@dataclass(frozen=True, slots=True)
class Judge:
    """An oracle with its label and gating from the suite.

    `use` is what the suite says of it, so that another process can build the same oracle; `None`
    if nothing says how it was built.
    """

    oracle: Oracle[Any]
    label: str
    gating: bool = True
    use: OracleUse | None = None


@dataclass(frozen=True, slots=True)
class Parts:
    """The live parts of a suite."""

    connector: AppConnector[Any]
    player: Player[Any]
    strategy: SearchStrategy[Any]
    judges: tuple[Judge, ...]
    reporters: tuple[Reporter[Any], ...] = ()

    def space(self) -> Space:
        """What the player leaves open, with the apps if the connector reaches several."""
        connector = self.connector
        apps = connector.apps() if isinstance(connector, ReachesSeveralApps) else ()
        return with_apps(self.player.space(), apps)

    def checks(self) -> frozenset[str] | None:
        """What verdicts may be of, as ``check`` and ``oracle/check``; None if one cannot say."""
        names: set[str] = set()
        for judge in self.judges:
            own = judge.oracle.checks()
            if own is None:
                return None
            names |= {*own, *(f"{judge.label}/{check}" for check in own)}
        return frozenset(names)


def build(suite: Suite, context: SuiteContext, document: Document | None = None) -> Parts:
    """Build all parts of a suite; raises ConfigurationError or PluginError.

    A player that needs what the connector does not offer is refused here. With the suite's
    `document`, problems name the place in it.
    """
    context.document = document
    with located(document, ("app",)):
        connector = context.part(AppConnector[Any], suite.app)
    with located(document, ("agent",)):
        player = context.part(Player[Any], suite.agent, role="player")
        _require_fit(suite, connector, player)
    with located(document, ("strategy",)):
        strategy = context.part(SearchStrategy[Any], suite.strategy)
    judges = build_judges(suite.oracles, context, document)
    judges += build_judges(default_oracles(suite.oracles, type(player)), context)
    with located(document, ("reporters",)):
        reporters = tuple(context.part(Reporter[Any], use) for use in suite.reporters)
    return Parts(connector, player, strategy, judges, reporters)


def _require_fit(suite: Suite, connector: AppConnector[Any], player: Player[Any]) -> None:
    missing = player.needs - connector.offers
    if missing:
        raise ConfigurationError(
            f"the agent {suite.agent.use!r} needs an app with {', '.join(sorted(missing))}, "
            f"which the connector {suite.app.use!r} does not offer "
            f"(it offers {', '.join(sorted(connector.offers)) or 'nothing'})"
        )


class Calibrating(Protocol):
    """The suite key ``calibration`` of an oracle: reads what was measured of it."""

    def __call__(
        self, use: OracleUse, oracle: Oracle[Any], parts: Sequence[object], context: SuiteContext
    ) -> MeasuredJudge | None:
        """Return what was measured of the oracle's judge, `None` if the oracle has taken it.

        `parts` are the parts that the oracle is made of. Raises ConfigurationError if there is no
        such calibration.
        """


def default_oracles(uses: Sequence[OracleUse], player: type[Player[Any]]) -> tuple[OracleUse, ...]:
    """Return the oracles that a player brings and `uses` does not name."""
    named = {use.use for use in uses} | {use.label for use in uses}
    return tuple(OracleUse(use=name) for name in player.oracles if name not in named)


def build_judges(
    uses: Sequence[OracleUse], context: SuiteContext, document: Document | None = None
) -> tuple[Judge, ...]:
    """Build the oracles of a suite."""
    context.document = context.document or document
    judges: list[Judge] = []
    for index, use in enumerate(uses):
        with located(document, ("oracles", index)):
            before = len(context.built)
            oracle = context.part(Oracle[Any], use)
            judges.append(Judge(oracle, use.label, use.gating, use))
        if use.calibration is not None:
            with located(document, ("oracles", index, "calibration")):
                calibrate: Calibrating = drivers.load_value(SERVICES, "calibration")
                measured = calibrate(use, oracle, context.built[before:], context)
                if measured is not None:
                    context.measured[use.label] = measured
    return tuple(judges)


def oracle_errors(judges: Sequence[Judge], space: Space, document: Document) -> list[Problem]:
    """Return what oracles name that no case of a space has: such a check would end in an error."""
    return [
        placed(problem, document, ("oracles", number))
        for number, judge in enumerate(judges)
        for problem in judge.oracle.validation_errors(space)
    ]
