"""Hosts for the skills of conversations: a process each, one for all, or an endpoint."""

import asyncio
import os
import shutil
import ssl
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sparring.errors import EnvironmentFailure
from sparring.interfaces.plugin import BuildContext
from sparring_connectors.alexa.config import AlexaConfig
from sparring_connectors.alexa.consents import Consents
from sparring_connectors.alexa.hosting.host import (
    AttributeStore,
    HandlerAnswer,
    HandlerFailure,
    Host,
    LineRecord,
)
from sparring_connectors.alexa.hosting.isolation import (
    Box,
    Isolation,
    find_isolation,
    readable_paths,
)
from sparring_connectors.alexa.hosting.process import IdleProcesses, Launch, ProcessHost
from sparring_connectors.alexa.hosting.recordings import Recorder, RecordingHosts
from sparring_connectors.alexa.hosting.services import ServiceStandIn
from sparring_connectors.alexa.hosting.stubs import Stub, StubbedHosts
from sparring_connectors.alexa.requests import API_HOST
from sparring_connectors.alexa.skill_folder import Handler, node_root
from sparring_connectors.alexa.skills import InstalledSkill

# How the process of a handler is started, by its language.

_HERE = Path(__file__).parent / "runners"
#: What of our own environment a handler gets: never keys.
_INHERITED = frozenset({
    "PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "USERPROFILE",
    "APPDATA", "LOCALAPPDATA", "LD_LIBRARY_PATH", "NVM_DIR", "VIRTUAL_ENV", "COMSPEC", "PATHEXT",
})  # fmt: skip
_CLOUD = {
    "AWS_REGION": "us-east-1",
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_ACCESS_KEY_ID": "sparring",
    "AWS_SECRET_ACCESS_KEY": "sparring",
    "AWS_EC2_METADATA_DISABLED": "true",
    "AWS_SDK_JS_SUPPRESS_MAINTENANCE_MODE_MESSAGE": "1",
    "AWS_LAMBDA_FUNCTION_NAME": "sparring",
    "DYNAMODB_PERSISTENCE_TABLE_NAME": "sparring",
    "DYNAMODB_PERSISTENCE_REGION": "us-east-1",
    "S3_PERSISTENCE_BUCKET": "sparring",
    "S3_PERSISTENCE_REGION": "us-east-1",
}


@dataclass(frozen=True, slots=True)
class HandlerSetup:
    """What is around a handler: seed, clock, network, the stand-in for Alexa's service API.

    `now` is in seconds since 1970; None leaves the real clock. `service_port` is on the loopback;
    if `stubbed`, what is there answers for all hosts.
    """

    seed: int | None
    now: float | None
    cut: bool
    service_host: str
    service_port: int | None
    environment: Mapping[str, str]
    start_timeout_s: float
    timeout_s: float
    isolation: Isolation
    memory: int
    readable: tuple[Path, ...] = ()
    python: str | None = None
    node: str | None = None
    coverage: bool = False
    stubbed: bool = False
    reuses: bool = False


def make_launch(handler: Handler, folder: Path, around: HandlerSetup, label: str) -> Launch:
    """How to start a handler; raises HandlerFailure if its language is not installed."""
    place = handler.file.parent.resolve()
    start: dict[str, Any] = {
        "file": str(handler.file.resolve()),
        "folder": str(place),
        "function": handler.function,
        "runner": str(_HERE),
        "seed": around.seed,
        "now": around.now,
        "network": "cut" if around.cut else "allow",
        "service": (
            {"host": around.service_host, "port": around.service_port, "all": around.stubbed}
            if around.service_port
            else None
        ),
        "timeout": around.timeout_s,
        "coverage": around.coverage,
        "guarded": around.isolation.is_guarded,
        "isolated": around.isolation.mode != "none",
        "memory": around.memory,
        "reuse": around.reuses and (handler.language == "node" or around.isolation.mode != "none"),
    }
    environment = {name: value for name, value in os.environ.items() if name in _INHERITED}
    environment |= _CLOUD | dict(around.environment)
    if handler.language == "python":
        command = [around.python or sys.executable, "-u", str(_HERE / "python_runner.py")]
        environment = {"PYTHONHASHSEED": "0", "PYTHONIOENCODING": "utf-8",
                       "PYTHONDONTWRITEBYTECODE": "1"} | environment  # fmt: skip
    else:
        root = node_root(handler, folder.resolve())
        start["root"] = str(root.resolve())
        start["folder"] = start["root"]
        command = [_find_node(around.node, label), str(_HERE / "node_runner.js")]
    cwd = Path(start["folder"])
    box = None
    if around.isolation.is_guarded:
        more = (cwd, *around.readable)
        box = Box(
            around.isolation.mode,
            cwd,
            readable_paths(command[0], folder, place, more),
            around.memory,
            cut=around.cut,
        )
        environment = box.environment(environment)
    return Launch(
        command,
        start,
        cwd,
        environment,
        label,
        around.start_timeout_s,
        box,
        reuses=bool(start["reuse"]),
    )


def _find_node(named: str | None, label: str) -> str:
    program = named or shutil.which("node")
    if program is None:
        raise HandlerFailure(
            EnvironmentFailure(
                f"{label}: the skill needs Node.js, and there is no program 'node': install it, or "
                "name it as `skill.node`"
            ),
            "load",
        )
    return program


class ServedHost(Host):
    """A process with the service API beside it; both begin with the first request."""

    def __init__(
        self,
        config: AlexaConfig,
        skill: InstalledSkill,
        store: AttributeStore,
        seed: int | None,
        context: BuildContext,
        consents: Consents,
        stubs: StubbedHosts | None = None,
        idle: IdleProcesses | None = None,
    ) -> None:
        self._idle = idle
        self._config = config
        self._stubs = stubs
        self._context = context
        self._skill = skill
        self._store = store
        self._seed = seed
        self._services = ServiceStandIn(config.services, config.device.timezone, consents, stubs)
        self._label = f"skill {skill.name!r}"
        self._host: ProcessHost | None = None
        self._starting = asyncio.Lock()
        self._turn = asyncio.Lock()
        self.lines = LineRecord() if config.coverage == "lines" else None

    async def start(self) -> ProcessHost:
        """Load the handler; raises HandlerFailure if that does not work."""
        async with self._starting:
            if self._host is None:
                self._host = self._make_process_host(await self._service_port())
        try:
            await self._host.start()
        except HandlerFailure as failure:
            self._take_calls(failure)
            raise
        return self._host

    def _take_calls(self, failure: HandlerFailure) -> None:
        """Add what stubs were asked; raises HandlerFailure if one was left without an answer."""
        if self._stubs is not None:
            failure.calls = self._stubs.take(self._label, failure.calls, failure.log)

    async def _service_port(self) -> int:
        try:
            return await self._services.start()
        except OSError as err:
            why = f"no port for the stand-in for Alexa's service API: {err.strerror or err}"
            raise HandlerFailure(EnvironmentFailure(why), "load") from err

    async def ask(self, request: Mapping[str, Any], timeout_s: float) -> HandlerAnswer:
        async with self._turn:  # what stubs were asked belongs to this request
            host = await self.start()
            try:
                answer = await host.ask(request, timeout_s)
            except HandlerFailure as failure:
                self._take_calls(failure)
                raise
            if self._stubs is None:
                return answer
            return replace(answer, calls=self._stubs.take(self._label, answer.calls, answer.log))

    async def aclose(self) -> None:
        host, self._host = self._host, None
        try:
            if host is not None:
                await host.aclose()
        finally:
            await self._services.aclose()

    def _make_process_host(self, port: int) -> ProcessHost:
        config, skill = self._config, self._skill
        assert skill.handler is not None
        label = self._label
        isolation = self._find_isolation(label)
        around = HandlerSetup(
            seed=self._seed,
            now=config.now.timestamp() if config.now else None,
            cut=config.network != "allow",
            service_host=API_HOST,
            service_port=port,
            environment=skill.config.environment,
            start_timeout_s=config.start_timeout_s,
            timeout_s=config.timeout_s,
            isolation=isolation,
            memory=config.memory_mb << 20,
            readable=tuple(
                self._context.base_dir / Path(path).expanduser() for path in config.readable
            ),
            python=skill.config.python,
            node=skill.config.node,
            coverage=self.lines is not None,
            stubbed=self._stubs is not None,
            reuses=self._idle is not None and config.process == "session",
        )
        launch = make_launch(skill.handler, skill.folder, around, label)
        if self.lines is not None:
            self.lines.folder = str(launch.folder)
        return ProcessHost(launch, self._store, self.lines, self._services.serve, self._idle)

    def _find_isolation(self, label: str) -> Isolation:
        """Return what isolates handlers here; raises HandlerFailure if that is too little.

        That there is nothing is a warning, unless the suite wants it so.
        """
        choice = self._config.isolation
        isolation = find_isolation(choice)
        if isolation.mode == "none" and choice == "auto":
            self._context.warn(isolation.describe())
        elif isolation.mode == "none" and choice != "none":
            why = (
                f"{label}: this machine cannot isolate handlers as 'isolation: {choice}' asks "
                f"({isolation.why}); `sparring docs alexa` says what that takes"
            )
            raise HandlerFailure(EnvironmentFailure(why), "load")
        return isolation


class HostPool:
    """Makes the hosts of a run, and keeps those that conversations share."""

    def __init__(
        self,
        config: AlexaConfig,
        context: BuildContext,
        stubs: Sequence[Stub] = (),
        idle: IdleProcesses | None = None,
    ) -> None:
        self._config = config
        self._idle = idle
        self._context = context
        self._stubs = tuple(stubs)
        #: What the users of conversations have given to skills.
        self.consents = Consents(config.services)
        self._recorder: Recorder | None = None
        self._shared: dict[str, Host] = {}
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def shares(self) -> bool:
        """Whether conversations share a handler's process."""
        return self._config.process == "run"

    def make_host(self, skill: InstalledSkill, store: AttributeStore, seed: int) -> Host:
        """A host for one conversation."""
        if skill.handler is None:
            return self._endpoint(skill)
        chance = seed if self._config.seeded else None
        stubs = self._stubbed_hosts()
        return ServedHost(
            self._config, skill, store, chance, self._context, self.consents, stubs, self._idle
        )

    def _stubbed_hosts(self) -> StubbedHosts | None:
        """Return what answers for other hosts in one conversation, if the suite says so."""
        network = self._config.network
        if network == "record":
            return RecordingHosts(self._make_recorder())
        if network in ("stub", "replay"):
            return StubbedHosts(self._stubs, replays=network == "replay")
        return None

    def _make_recorder(self) -> Recorder:
        if self._recorder is None:
            path = self._context.base_dir / Path(self._config.answers or "").expanduser()
            self._recorder = Recorder(path, self._config.timeout_s)
        return self._recorder

    def shared_host(self, skill: InstalledSkill, store: AttributeStore) -> Host:
        """The host that all conversations have for a skill."""
        loop = asyncio.get_running_loop()
        if loop is not self._loop:
            self._loop, self._shared = loop, {}
        key = f"{skill.application_id} {skill.folder}"
        if key not in self._shared:
            self._shared[key] = self.make_host(skill, store, self._context.seed)
        return self._shared[key]

    async def aclose(self) -> None:
        """Give back what conversations shared."""
        shared, self._shared = self._shared, {}
        if self._loop is asyncio.get_running_loop():
            for host in shared.values():
                await host.aclose()

    def _endpoint(self, skill: InstalledSkill) -> Host:
        from sparring_connectors.alexa.hosting.endpoint import EndpointHost
        from sparring_connectors.described.tls import tls_context

        url = skill.config.endpoint or ""
        tls: ssl.SSLContext | None = None
        if url.startswith("https://"):
            tls = tls_context(skill.config.tls, self._context)
        return EndpointHost(url, skill.config.headers, tls)
