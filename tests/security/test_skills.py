"""Handlers of skills, which are foreign code, reach nothing of the machine that runs them."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sparring.errors import ConfigurationError
from sparring.testing.fakes import FakeContext
from sparring_connectors.alexa.connector import AlexaConnector
from sparring_connectors.alexa.hosting import isolation as isolating
from sparring_connectors.alexa.hosting.isolation import Box, find_isolation, readable_paths

from .skill_attacks import GREED, OF_LANGUAGE, Machine, end_daemons

MODES = ["namespaces", "bubblewrap"]

linux = pytest.mark.skipif(sys.platform != "linux", reason="namespaces are Linux's")


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    with Machine(tmp_path) as victim:
        yield victim
        end_daemons(victim)


@pytest.fixture(params=MODES)
def mode(request: pytest.FixtureRequest) -> str:
    """A way to isolate handlers; where CI promises both, none may be missing."""
    chosen = find_isolation(request.param)
    if chosen.mode == "none":
        assert "SPARRING_TEST_ISOLATION" not in os.environ, chosen.why
        pytest.skip(chosen.why)
    return chosen.mode


@pytest.fixture(params=list(OF_LANGUAGE))
def language(request: pytest.FixtureRequest) -> str:
    if request.param == "node" and shutil.which("node") is None:
        pytest.skip("there is no Node.js here")
    return str(request.param)


@linux
def test_no_attack_reaches_the_machine(machine: Machine, language: str, mode: str) -> None:
    attacks = [name for name in OF_LANGUAGE[language] if name not in GREED]
    outcomes = machine.attack(language, *attacks, isolation=mode)
    assert {name: why for name, (state, why) in outcomes.items() if state == "escaped"} == {}
    assert len(outcomes) == len(attacks)


@linux
@pytest.mark.thorough
@pytest.mark.parametrize("attack", GREED)
def test_greed_is_bounded(machine: Machine, language: str, mode: str, attack: str) -> None:
    if attack not in OF_LANGUAGE[language]:
        pytest.skip("not tried in this language")
    state, why = machine.attack(language, attack, isolation=mode)[attack]
    assert state == "held", why


SAMPLED = ["python", pytest.param("node", marks=pytest.mark.thorough)]


@linux
@pytest.mark.parametrize("language", SAMPLED, indirect=True)
def test_memory_is_bounded(machine: Machine, language: str) -> None:
    """The processes of a handler share what it may have; that needs no namespace."""
    state, why = machine.attack(language, "memory", isolation="none", memory_mb=300)["memory"]
    assert state == "held", why


@linux
@pytest.mark.parametrize("language", SAMPLED, indirect=True)
def test_daemons_end_with_the_session_without_namespaces(machine: Machine, language: str) -> None:
    outcomes = machine.attack(language, "daemons", "parent_environment", isolation="none")
    assert outcomes["daemons"] == ("held", "started")
    assert outcomes["parent_environment"][0] == "escaped"  # as the warning says


ENDLESS = """
import asyncio, sys
from pathlib import Path
from sparring.model.case import Case
from sparring.model.talk import Listen
from sparring.testing.fakes import FakeContext
from sparring_connectors.alexa.connector import AlexaConnector

async def main():
    context = FakeContext(base_dir=Path(sys.argv[1]))
    connector = context.build(AlexaConnector, skill=sys.argv[1], isolation=sys.argv[2])
    async with connector.open(Case.of("voice", {}, run_seed=1)) as session:
        await session.send(Listen())

asyncio.run(main())
"""
HANDLER = """
import subprocess, sys, time
def lambda_handler(event, context):
    command = [sys.executable, "-S", "-c", "import time; time.sleep(600)", MARK]
    subprocess.Popen(command, start_new_session=True)
    time.sleep(600)
"""


def _skill(folder: Path, handler: str) -> Path:
    model = Path(__file__).parent / "attacking_skills" / "python" / "en-US.json"
    shutil.copy(model, folder)
    (folder / "lambda_function.py").write_text(handler)
    return folder


def _processes(mark: str) -> int:
    lines = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            lines.append(path.read_bytes())
        except OSError:
            continue
    return sum(line.rstrip(b"\0").endswith(mark.encode()) for line in lines)


def _eventually(condition: Any) -> bool:
    """Whether a condition comes true while a slow machine gets round to it."""
    until = time.monotonic() + 120
    while not condition():
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


@linux
@pytest.mark.parametrize("chosen", ["auto", pytest.param("none", marks=pytest.mark.thorough)])
def test_nothing_outlives_a_sparring_that_is_killed(tmp_path: Path, chosen: str) -> None:
    mark = f"sparring-orphan-{os.getpid()}"
    skill = _skill(tmp_path, f"MARK = {mark!r}\n{HANDLER}")
    process = subprocess.Popen([sys.executable, "-c", ENDLESS, str(skill), chosen])
    try:
        assert _eventually(lambda: _processes(mark) == 1)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert _eventually(lambda: _processes(mark) == 0)


SERVICE = {
    "python": """
import http.client, json
def lambda_handler(event, context):
    connection = http.client.HTTPSConnection("api.amazonalexa.com")
    connection.request("GET", "/v2/accounts/~current/settings/Profile.name")
    name = json.loads(connection.getresponse().read())
    return {"version": "1.0", "response": {"outputSpeech": {"type": "PlainText", "text": name}}}
""",
    "node": """
exports.handler = async () => {
  const answer = await fetch('https://api.amazonalexa.com/v2/accounts/~current/settings/Profile.name');
  return { version: '1.0', response: { outputSpeech: { type: 'PlainText', text: await answer.json() } } };
};
""",
}


@linux
def test_the_service_api_is_there_in_a_private_network(
    machine: Machine, language: str, mode: str
) -> None:
    file = {"python": "lambda_function.py", "node": "index.js"}[language]
    (machine.suite / "skills" / language / file).write_text(SERVICE[language])
    settings = {"isolation": mode, "network": "cut", "services": {"granted": "all"}}
    assert machine.converse(language, **settings) == "Jo Doe"


@linux
def test_a_machine_without_isolation_says_so(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    (machine.suite / "skills" / "python" / "lambda_function.py").write_text(SERVICE["python"])
    settings: dict[str, Any] = {"services": {"granted": "all"}}
    find_isolation.cache_clear()
    monkeypatch.setattr(isolating, "_try_mode", lambda mode: "it is refused here")
    try:
        assert machine.converse("python", isolation="auto", **settings) == "Jo Doe"
        (warning,) = machine.warnings
        assert "run WITHOUT isolation (bubblewrap: it is refused here" in warning
        assert "'network: cut'" in warning
        error = str(machine.converse("python", isolation="required", **settings))
        assert "cannot isolate handlers as 'isolation: required' asks" in error
        assert machine.converse("python", isolation="none", **settings) == "Jo Doe"
        assert machine.warnings == []
    finally:
        find_isolation.cache_clear()


def test_an_isolation_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="namespaces"):
        FakeContext(base_dir=tmp_path).build(AlexaConnector, skill=".", isolation="jail")


# What stays visible


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path.resolve() / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    return folder


def _program(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def test_a_program_in_the_home_does_not_show_the_home(home: Path) -> None:
    program = _program(home / "bin" / "python3")
    paths = readable_paths(str(program), home / "skill", home / "skill" / "lambda", ())
    assert program in paths
    assert home not in paths


def test_an_environment_shows_what_it_is_made_from(home: Path) -> None:
    base = _program(home / ".pyenv" / "versions" / "3.12" / "bin" / "python3")
    program = home / "skill" / ".venv" / "bin" / "python"
    program.parent.mkdir(parents=True)
    program.symlink_to(base)
    paths = readable_paths(str(program), home / "skill", home / "skill", ())
    assert {home / "skill" / ".venv", home / ".pyenv" / "versions" / "3.12"} <= set(paths)


def test_an_environment_cannot_ask_for_a_secret_folder(home: Path) -> None:
    """A skill brings its `pyvenv.cfg` along: a stranger wrote it."""
    (home / ".ssh").mkdir()
    program = _program(home / "skill" / ".venv" / "bin" / "python")
    (program.parent.parent / "pyvenv.cfg").write_text(f"home = {home / '.ssh'}\n")
    paths = readable_paths(str(program), home / "skill", home / "skill", ())
    assert not any(path == home or ".ssh" in path.parts for path in paths)


def test_packages_of_a_workspace_are_shown(home: Path) -> None:
    handler = home / "shop" / "skills" / "one"
    handler.mkdir(parents=True)
    (home / "shop" / "packages" / "texts").mkdir(parents=True)
    modules = home / "shop" / "node_modules"
    modules.mkdir()
    (modules / "texts").symlink_to(home / "shop" / "packages" / "texts")
    paths = readable_paths("no-such-program", handler, handler, ())
    assert {modules, home / "shop" / "packages" / "texts"} <= set(paths)


def test_what_is_shown_with_its_folder_is_not_shown_twice(home: Path) -> None:
    (home / "skill" / "node_modules").mkdir(parents=True)
    paths = (home / "skill", home / "skill" / "node_modules")
    box = Box("namespaces", home / "skill", paths, 1 << 30, cut=True)
    command = " ".join(box.command(["node"], 9))
    assert str(paths[0]) in command
    assert str(paths[1]) not in command
