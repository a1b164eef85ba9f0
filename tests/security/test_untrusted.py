"""Suites from strangers: none does harm, and each is told file, line, key and what is forbidden."""

import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from sparring.documents.reading import Document
from sparring_plugins.trust.addresses import why_not_public
from sparring_plugins.trust.confinement import Forbidden, confined
from sparring_plugins.trust.suite_policy import Untrusted

from .conftest import Program
from .planted_secrets import parrots

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="paths are POSIX")

BASE: dict[str, Any] = {
    "name": "stranger",
    "app": {
        "use": "rest",
        "url": "http://<host>/chat",
        "body": {"text": "{text}"},
        "reply": {"text": "$.reply"},
    },
    "agent": {"use": "user-simulator", "profiles": "p.yaml"},
    "strategy": "selectors",
    "oracles": ["generic-failures"],
    "reporters": ["console"],
}
PROFILE = """
test_name: plain
user: {goals: ["say {{k}}", {k: {function: forward(), data: [a]}}]}
chatbot: {is_starter: false}
conversation: {number: 1, goal_style: {steps: 1}, interaction_style: [default]}
"""
EVIL = "from pathlib import Path\nPath('harm').write_text('done')\nclass Part: pass\n"

Hostile = tuple[str, Any, str]
"""Which key of the suite, its value, and what is said after the place."""

HOSTILE: dict[str, Hostile] = {
    "code-as-app": ("app", {"use": "evil:Part"}, "forbidden: 'evil:Part' would import and run"),
    "code-as-role": ("agent.user", "evil:Part", "forbidden: 'evil:Part' would import and run"),
    "code-as-oracle": ("oracles.0", "evil:Part", "forbidden: 'evil:Part' would import and run"),
    "code-as-reporter": ("reporters.0", {"use": "os:system"}, "forbidden: 'os:system' would"),
    "code-in-profiles": ("agent.allow_python", True, "forbidden: 'allow_python' would run Python"),
    "reset-command": ("app.reset", {"command": "touch harm"}, "forbidden: 'reset' would change"),
    "skill": ("app", {"use": "alexa", "skill": "evil"}, "forbidden: 'alexa' would run the code"),
    "python-app": ("app", {"use": "python", "target": "evil.py:Part"}, "forbidden: 'python' would"),
    "browser": ("app", {"use": "browser", "url": "http://x.example"}, "forbidden: 'browser' would"),
    "synthesiser": (
        "agent.user.synthesiser", ["touch", "harm"], "forbidden: 'synthesiser' would start",
    ),
    "recogniser-of-app": (
        "app",
        {
            "use": "websocket", "url": "ws://<host>/",
            "audio": {
                "speaker": "llm",
                "recogniser": {"use": "pocketsphinx", "recogniser": ["touch", "harm"]},
            },
        },
        "forbidden: 'recogniser' would start",
    ),
    "speaker-of-app": (
        "app",
        {"use": "websocket", "url": "ws://<host>/", "audio": {"speaker": "program"}},
        "forbidden: 'program' would start a program",
    ),
    "speaker-of-app-spelt-out": (
        "app",
        {"use": "websocket", "url": "ws://<host>/", "audio": {"speaker": {"use": "program"}}},
        "forbidden: 'program' would start a program",
    ),
    "speaker-of-app-by-default": (
        "app",
        {"use": "websocket", "url": "ws://<host>/", "audio": {"rate": 16_000}},
        "forbidden: without 'speaker' it is 'program', which would start a program",
    ),
    "workers": ("execution", "processes", "forbidden: 'processes' would play cases in processes"),
    "cluster": (
        "execution", {"use": "dask", "address": "tcp://127.0.0.1:1"}, "forbidden: 'dask' would play",
    ),
    "read-absolute": ("agent.profiles", "/etc/passwd", "forbidden: '/etc/passwd' leads out"),
    "read-parent": ("agent.profiles", "../outside.yaml", "forbidden: '../outside.yaml' leads out"),
    "read-home": ("agent.profiles", "~/.ssh/*", "forbidden: '~/.ssh/*' leads out"),
    "read-by-link": ("agent.profiles", "link.yaml", "forbidden: 'link.yaml' leads out"),
    "read-by-link-in-pattern": ("agent.profiles", "l*.yaml", "forbidden: 'link.yaml' is a link"),
    "write-report": (
        "reporters.0", {"use": "html", "path": "../harm.html"}, "forbidden: '../harm.html' leads",
    ),
    "write-runs": ("runs", "/tmp/harm", "forbidden: '/tmp/harm' leads out"),
    "key-file": ("app.tls", {"ca_file": "/etc/shadow"}, "forbidden: '/etc/shadow' leads out"),
    "environment": (
        "app.headers", {"X-A": "${DEPLOY_KEY}"}, "forbidden: the environment variable 'DEPLOY_KEY'",
    ),
    "environment-home": (
        "app.headers", {"X-A": "${HOME}"}, "forbidden: the environment variable 'HOME'",
    ),
    "metadata-service": (
        "app.url", "http://169.254.169.254/latest", "forbidden: '169.254.169.254' is a link-local",
    ),
    "loopback": ("app.url", "http://localhost:22/", "forbidden: 'localhost' is a name of this"),
    "loopback-as-number": ("app.url", "http://2130706433/", "forbidden: '2130706433' is a loopback"),
    "private-network": ("app.open", {"url": "http://10.0.0.8/x"}, "forbidden: '10.0.0.8' is a"),
    "loopback-v6": ("app.url", "http://[::ffff:127.0.0.1]/", "is a loopback address"),
    "file-address": ("app.url", "file:///etc/passwd", "forbidden: 'file:///etc/passwd' would read"),
}  # fmt: skip


@pytest.fixture(scope="module")
def hosts() -> Iterator[dict[str, str]]:
    with parrots() as running:
        yield running


def write(folder: Path, suite: dict[str, Any], host: str) -> None:
    home = folder / "suite"
    home.mkdir()
    (home / "suite.yaml").write_text(yaml.safe_dump(suite).replace("<host>", host))
    (home / "p.yaml").write_text(PROFILE)
    (home / "evil.py").write_text(EVIL)
    (folder / "outside.yaml").write_text(PROFILE)
    (home / "link.yaml").symlink_to(folder / "outside.yaml")


def changed(key: str, value: Any) -> dict[str, Any]:
    suite: dict[str, Any] = yaml.safe_load(yaml.safe_dump(BASE))
    *keys, last = key.split(".")
    place: Any = suite
    for name in keys:
        place = place[int(name)] if isinstance(place, list) else place.setdefault(name, {})
    place[int(last) if isinstance(place, list) else last] = value
    return suite


def test_no_hostile_suite_does_harm(
    tmp_path: Path, here: Program, hosts: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One test for all, which names each that is not refused as it should be."""
    wrong: list[str] = []
    for number, (name, (key, value, message)) in enumerate(HOSTILE.items()):
        folder = tmp_path / name
        folder.mkdir()
        write(folder, changed(key, value), hosts["HTTP"])
        monkeypatch.chdir(folder / "suite")
        monkeypatch.syspath_prepend(str(folder / "suite"))
        environment = {"DEPLOY_KEY": "deploy-key-0815"}
        options = ("--untrusted", "--allow-address", hosts["HTTP"])
        command = ("run", "validate")[number % 2]
        done = here(command, *options, environment=environment)
        first = key.partition(".")[0]
        place = rf"suite\.yaml:\d+: {first}[\w.\[\]-]*: .*{re.escape(message)}"
        if done.code != 2 or not re.search(place, done.err):
            wrong.append(f"{name}, {command}: {done.code} {done.err[:300]}")
        if [*folder.rglob("harm*"), *Path("/tmp").glob("harm")] or "evil" in sys.modules:
            wrong.append(f"{name}: did harm")
    assert wrong == []


def test_the_part_that_hears_an_app_is_no_command(tmp_path: Path) -> None:
    """`recogniser` names a part there; as the setting of a part it is a program."""
    suite: dict[str, Any]
    suite = {"app": {"audio": {"recogniser": "pocketsphinx", "speaker": "of_a_package"}}}
    document = Document(suite, "suite.yaml")
    assert Untrusted().problems(document, suite, tmp_path / "suite.yaml") == []
    for audio in ({"synthesiser": "touch"}, {"recogniser": ["touch", "harm"]}):
        suite = {"app": {"audio": {"speaker": "of_a_package", **audio}}}
        assert Untrusted().problems(Document(suite, "suite.yaml"), suite, tmp_path / "suite.yaml")


def test_a_harmless_suite_runs_as_untrusted(
    tmp_path: Path, here: Program, hosts: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    suite = changed("app.headers", {"X-Shop": "${SHOP_NO}"})
    suite["reporters"] = ["console", "html", "junit", {"use": "jsonl", "path": "out/r.jsonl"}]
    write(tmp_path, suite, hosts["HTTP"])
    monkeypatch.chdir(tmp_path / "suite")
    allowed = ("--untrusted", "--allow-address", hosts["HTTP"], "--allow-env", "SHOP_NO")
    environment = {"SHOP_NO": "shop-17", "OTHER_KEY": "other-key-1"}
    done = here("run", *allowed, "-o", str(tmp_path / "o.xml"), environment=environment)
    assert done.code == 0, done.said
    assert (tmp_path / "o.xml").is_file()
    assert here("check", *allowed, environment=environment).code == 0


def test_no_name_leads_to_this_machine(
    tmp_path: Path, here: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What counts is the address of the connection, also of one that a redirect asks for."""
    write(tmp_path, changed("app.url", "http://chat.example.com:<host>/chat"), "9")
    monkeypatch.chdir(tmp_path / "suite")
    info = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", 9))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_args, **_more: info)
    done = here("run", "--untrusted")
    assert done.code == 3
    assert "connecting to 127.0.0.1:9, a loopback address" in done.said


def test_nothing_leaves_the_folder_at_run_time(tmp_path: Path) -> None:
    """The second line, behind what the suite's text shows."""
    inside = tmp_path / "suite"
    inside.mkdir()
    (inside / "link").symlink_to("/etc/passwd")
    with confined([inside], (), ()) as confinement:
        (inside / "mine").write_text("x")
        for act in (
            lambda: (inside / "link").read_text(),
            lambda: (tmp_path / "theirs").write_text("x"),
            lambda: (tmp_path / "folder").mkdir(),
            lambda: subprocess.run(["touch", str(inside / "harm")], check=False),
            lambda: socket.create_connection(("127.0.0.1", 9), timeout=1),
            lambda: (inside / "mine").rename(tmp_path / "mine"),
        ):
            with pytest.raises(Forbidden, match=r"forbidden \(--untrusted\)"):
                act()
    assert len(confinement.refused) == 6
    (tmp_path / "theirs").write_text("nothing is forbidden any more")


@pytest.mark.parametrize(
    ("host", "why"),
    [
        ("127.1", "a loopback address"),
        ("0x7f.1", "a loopback address"),
        ("0.0.0.0", "a loopback address"),
        ("[::1]", "a loopback address"),
        ("fe80::1%eth0", "a link-local address"),
        ("192.168.1.1", "a private or reserved address"),
        ("100.64.0.1", "a private or reserved address"),
        ("fd00::1", "a private or reserved address"),
        ("printer", "a name of the local network"),
        ("shop.internal", "a name of this machine or its network"),
        ("8.8.8.8", None),
        ("chat.example.com", None),
    ],
)
def test_addresses(host: str, why: str | None) -> None:
    assert why_not_public(host) == why


def test_validate_imports_no_code_by_its_path_without_consent(
    tmp_path: Path, here: Program, hosts: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, changed("app", "evil:Part"), hosts["HTTP"])
    monkeypatch.chdir(tmp_path / "suite")
    monkeypatch.syspath_prepend(str(tmp_path / "suite"))
    done = here("validate")
    assert done.code == 2
    assert "suite.yaml:4: app.use: 'evil:Part' names code by its path" in done.err
    assert not (tmp_path / "suite" / "harm").exists()
    assert here("validate", "--allow-code").code == 2  # it is no connector
    assert (tmp_path / "suite" / "harm").exists()
    sys.modules.pop("evil")


STUDY = {
    "name": "s",
    "suite": "suite.yaml",
    "apps": [{"name": "a", "app": "evil:Part"}],
    "strategies": ["random"],
    "seeds": "1-2",
    "budget": {"cases": 1},
}
MUTATION = {
    "suite": "suite.yaml",
    "definition": "p.yaml",
    "app": {"command": ["touch", "harm"], "ready": "http://127.0.0.1:{port}/"},
    "operators": ["tables"],
}

LOADING: dict[str, tuple[str, ...]] = {
    "calibrate": ("suite.yaml",),
    "check": ("last",),
    "confirm": ("last",),
    "explore": ("suite.yaml",),
    "export playwright": ("suite.yaml",),
    "lint": ("suite.yaml",),
    "merge": ("last", "--suite", "suite.yaml"),
    "mutate": ("suite.yaml",),
    "prompts render": ("judge", "last", "--case", "plain"),
    "record": ("suite.yaml", "-o", "new.yaml"),
    "replay": ("last",),
    "run": (),
    "shrink": ("last",),
    "space": ("suite.yaml",),
    "study": ("study.yaml",),
    "talk": (),
    "translate": ("suite.yaml",),
    "validate": (),
}
"""The commands that load suites, and how each is called."""


def test_every_command_that_loads_a_suite_can_be_told_not_to_trust_it(
    tmp_path: Path, here: Program, hosts: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, BASE, hosts["HTTP"])
    home = tmp_path / "suite"
    monkeypatch.chdir(home)
    monkeypatch.syspath_prepend(str(home))
    assert here("run").code == 0
    hostile = changed("app", {"use": "evil:Part"})
    (home / "suite.yaml").write_text(yaml.safe_dump(hostile))
    (home / "study.yaml").write_text(yaml.safe_dump(STUDY))
    (home / "mutation.yaml").write_text(yaml.safe_dump(MUTATION))
    wrong: list[str] = []
    for command, arguments in LOADING.items():
        done = here(*command.split(), *arguments, "--untrusted")
        if done.code == 0 or "forbidden" not in done.said:
            wrong.append(f"{command}: {done.code} {done.said[-300:]}")
        if [*tmp_path.rglob("harm*")] or "evil" in sys.modules:
            wrong.append(f"{command}: did harm")
    assert wrong == []


def _with_subcommands(name: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
    """Yield a command, and those of a group as ``group command``."""
    yield name, command
    if isinstance(command, click.Group):
        for own, member in command.commands.items():
            yield from _with_subcommands(f"{name} {own}", member)


def test_no_command_that_loads_suites_lacks_the_option() -> None:
    """A new command that names `load_suite` shows up here."""
    commands = {entry.name: entry for entry in entry_points(group="sparring.commands")}
    having = {
        name
        for entry in commands.values()
        for name, command in _with_subcommands(entry.name, entry.load())
        if "untrusted" in {option.name for option in command.params}
    }
    naming = {
        name
        for name, entry in commands.items()
        if hasattr(import_module(entry.module), "load_suite")
    }
    # `profiles new` reads a chatbot's files; it loads no suite
    assert having - {"profiles new"} == set(LOADING)
    # `doctor` and `scrub` build nothing of a suite; the others only share a module with those.
    assert naming - having == {"doctor", "init", "plugins", "schema", "scrub", "view"}
