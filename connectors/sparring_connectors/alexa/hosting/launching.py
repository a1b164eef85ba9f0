"""How the process of a handler is started, by its language."""

import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sparring.errors import EnvironmentFailure
from sparring_connectors.alexa.hosting.host import Failure
from sparring_connectors.alexa.hosting.process import Launch
from sparring_connectors.alexa.shapes import listed
from sparring_connectors.alexa.skill.folder import Handler, node_root

_HERE = Path(__file__).parent / "runners"
#: What of our own environment a handler gets: never keys.
_INHERITED = frozenset(
    listed(
        "PATH HOME LANG LC_ALL TZ TMPDIR TEMP TMP SYSTEMROOT USERPROFILE APPDATA LOCALAPPDATA "
        "LD_LIBRARY_PATH NVM_DIR VIRTUAL_ENV COMSPEC PATHEXT"
    )
)
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
class Surroundings:
    """What is around a handler: seed, clock, network, the stand-in for Alexa's service API.

    `now` is in seconds since 1970; None leaves the real clock. `service_port` is on the loopback.
    """

    seed: int | None
    now: float | None
    cut: bool
    service_host: str
    service_port: int | None
    environment: Mapping[str, str]
    start_timeout_s: float
    timeout_s: float
    python: str | None = None
    node: str | None = None
    coverage: bool = False


def launch_of(handler: Handler, folder: Path, around: Surroundings, label: str) -> Launch:
    """How to start a handler; raises Failure if its language is not installed."""
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
            {"host": around.service_host, "port": around.service_port}
            if around.service_port
            else None
        ),
        "timeout": around.timeout_s,
        "coverage": around.coverage,
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
        command = [_node(around.node, label), str(_HERE / "node_runner.js")]
    return Launch(command, start, Path(start["folder"]), environment, label, around.start_timeout_s)


def _node(named: str | None, label: str) -> str:
    found = named or shutil.which("node")
    if found is None:
        raise Failure(
            EnvironmentFailure(
                f"{label}: the skill needs Node.js, and there is no program 'node': install it, or "
                "name it as `skill.node`"
            ),
            "load",
        )
    return found
