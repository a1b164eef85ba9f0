"""The executors `processes` (all cores of this machine) and `dask` (a cluster)."""

import logging
import os
import re
import sys
from importlib import import_module
from importlib.util import find_spec
from math import ceil
from pathlib import Path
from typing import Any, ClassVar

from pydantic import Field, JsonValue, model_validator

from sparring.errors import ConfigurationError
from sparring.format_error import describe_error
from sparring.interfaces.plugin import PluginConfig, Settings
from sparring.suite.policy import require_code_allowed
from sparring_plugins.execution.cluster_executor import ClusterExecutor
from sparring_plugins.execution.dask_library import connected, require_dask
from sparring_plugins.execution.fork_server import keep_preloaded_modules, start_fork_server


class ProcessesConfig(PluginConfig):
    """Settings of the executor `processes`."""

    silent_s: float = Field(
        default=60,
        ge=5,
        le=86_400,
        description="Seconds without a sign of life after which a process is replaced.",
    )


class ProcessesExecutor(ClusterExecutor[ProcessesConfig]):
    """Plays on all cores of this machine, in as many processes as ``workers`` says.

    Together they play as many cases at once as the suite's ``concurrency`` says, at least one each.
    """

    Config: ClassVar[type[PluginConfig]] = ProcessesConfig
    _cluster: Any = None

    async def connect(self, workers: int | None, concurrency: int) -> Any:
        """See `ClusterExecutor.connect`."""
        forked = find_spec("distributed") is not None and start_fork_server()
        distributed = require_dask(
            {
                "scheduler.worker-ttl": f"{self.config.silent_s}s",
                "worker.multiprocessing-method": "forkserver" if forked else "spawn",
            }
        )
        keep_preloaded_modules()
        workers = workers or os.cpu_count() or 1
        self._cluster = await distributed.LocalCluster(
            n_workers=workers,
            threads_per_worker=max(1, ceil(concurrency / workers)),
            processes=True,
            asynchronous=True,
            dashboard_address="127.0.0.1:0",
            memory_limit=0,
            silence_logs=logging.CRITICAL,
            host="127.0.0.1",
            env=dict(os.environ),
        )
        client = await connected(distributed, self._cluster)
        await client.wait_for_workers(workers, timeout=120)
        return client

    def has_dashboard(self) -> bool:
        return find_spec("bokeh") is not None  # without it, the page only says so

    def import_path(self) -> tuple[str, ...]:
        return tuple(entry or str(Path.cwd()) for entry in sys.path)

    async def disconnect(self) -> None:
        cluster, self._cluster = self._cluster, None
        if cluster is not None:
            await cluster.close()


_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*://\S+")


class Tls(Settings):
    """Certificates, as files in the PEM format, for a scheduler whose address begins with tls://."""

    ca_file: str
    cert_file: str
    key_file: str | None = None


class DaskConfig(PluginConfig):
    """Settings of the executor `dask`: a running scheduler, or a cluster that is started."""

    address: str | None = Field(
        default=None, description="The running scheduler, such as tcp://10.0.0.5:8786."
    )
    cluster: str | None = Field(
        default=None,
        description="A cluster class by import path, such as dask_jobqueue:SLURMCluster.",
    )
    settings: dict[str, JsonValue] = Field(
        default={}, description="Keyword arguments of the cluster class."
    )
    tls: Tls | None = None
    connect_timeout_s: float = Field(
        default=5, gt=0, le=86_400, description="Seconds until the scheduler must have answered."
    )
    timeout_s: float = Field(
        default=60, gt=0, le=86_400, description="Seconds until the first worker must be there."
    )

    @model_validator(mode="after")
    def _one_of_them(self) -> "DaskConfig":
        if (self.address is None) == (self.cluster is None):
            raise ValueError("say either 'address', of a running scheduler, or 'cluster'")
        if self.address is None:
            return self
        if not _ADDRESS.fullmatch(self.address):
            raise ValueError(
                f"address: {self.address!r} is no address; write tcp://HOST:PORT or tls://HOST:PORT"
            )
        # Dask itself would only say that it misses an SSLContext.
        if self.address.startswith("tls://") and self.tls is None:
            raise ValueError(
                "an address tls:// needs certificates: tls: {ca_file, cert_file, key_file}"
            )
        return self


class DaskExecutor(ClusterExecutor[DaskConfig]):
    """Plays on the workers of a Dask cluster, as many cases on each as it has threads."""

    Config: ClassVar[type[PluginConfig]] = DaskConfig
    _cluster: Any = None

    async def connect(self, workers: int | None, concurrency: int) -> Any:
        """See `ClusterExecutor.connect`."""
        distributed = require_dask()
        security = self._security(distributed)
        where = self.config.address or self.config.cluster
        target: Any = self.config.address
        try:
            if self.config.cluster is not None:
                target = await self._start_cluster(self.config.cluster, workers)
            client = await connected(
                distributed, target, security=security, timeout=self._connect_timeout()
            )
        except MemoryError as err:  # what Dask makes of an HTTP server's answer
            raise ConfigurationError(
                f"execution: what answers at {where} is no Dask scheduler; look at the port "
                "(8786, if 'dask scheduler' was not told another)"
            ) from err
        except (OSError, ValueError, TypeError, RuntimeError) as err:
            raise ConfigurationError(
                f"execution: the scheduler {where} cannot be reached: {describe_error(err)}; "
                "start it with 'dask scheduler', and look at the address and certificates "
                f"(it has {self.config.connect_timeout_s:g} s to answer: connect_timeout_s)"
            ) from err
        try:
            await client.wait_for_workers(workers or 1, timeout=self.config.timeout_s)
        except TimeoutError as err:
            await client.close()
            many = workers is not None and workers > 1
            lacking = f"has fewer than {workers} workers" if many else "has no worker"
            raise ConfigurationError(
                f"execution: the scheduler {where} {lacking} after "
                f"{self.config.timeout_s:g} seconds; start them with 'dask worker {where}'"
            ) from err
        return client

    def _connect_timeout(self) -> float:
        """A scheduler that runs answers at once; that of a cluster of our own has to start."""
        own = self.config.cluster is not None
        return self.config.timeout_s if own else self.config.connect_timeout_s

    def _security(self, distributed: Any) -> Any:
        tls = self.config.tls
        if tls is None:
            return None
        files = {
            "tls_ca_file": tls.ca_file,
            "tls_client_cert": tls.cert_file,
            "tls_client_key": tls.key_file or tls.cert_file,
        }
        paths = {key: str(self.context.base_dir / Path(path)) for key, path in files.items()}
        for key, path in paths.items():
            if not Path(path).is_file():
                raise ConfigurationError(f"execution.tls: there is no file {files[key]}")
        return distributed.Security(require_encryption=True, **paths)

    async def _start_cluster(self, path: str, workers: int | None) -> Any:
        module, _, name = path.partition(":")
        require_code_allowed(path)
        try:
            make: Any = getattr(import_module(module), name)
        except (ImportError, AttributeError, ValueError) as err:
            raise ConfigurationError(
                f"execution.cluster: {path!r} cannot be imported: {describe_error(err)}"
            ) from err
        self._cluster = await make(**self.config.settings, asynchronous=True)
        if workers is not None:
            self._cluster.scale(workers)
        return self._cluster

    async def disconnect(self) -> None:
        cluster, self._cluster = self._cluster, None
        if cluster is not None:
            await cluster.close()
