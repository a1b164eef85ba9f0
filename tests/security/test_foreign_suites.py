"""Suites and profiles from somebody else: no code, no file outside, no key in any artefact."""

import html
import json
import os
import sys
from base64 import b64encode
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest
import yaml

from sparring.store import StoredRun

from .conftest import Program
from .hostile_app import HostileApp

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="limits of processes are POSIX")

PLAYED = """
name: foreign
app: echo
agent: {use: user-simulator, profiles: p.yaml}
oracles: [generic-failures]
reporters: [console, html, junit, csv, jsonl, sensei]
"""
PROFILE = """
test_name: plain
user: {goals: ["say {{k}}", {k: {function: forward(), data: [a, b]}}]}
chatbot: {is_starter: false}
conversation: {number: 2, goal_style: {steps: 1}, interaction_style: [default]}
"""


def written(folder: Path, *, suite: str = PLAYED, profile: str = PROFILE) -> None:
    (folder / "suite.yaml").write_text(suite)
    (folder / "p.yaml").write_text(profile)


def profile(**changes: object) -> str:
    return yaml.safe_dump({**yaml.safe_load(PROFILE), **changes}, allow_unicode=False)


# Keys

KEYS = (
    "sk-plain-0123456789",
    'sk-a/b+c=d&e"f\\g <x>',
    "sk with  two blanks",
    "sk-line\nbreak-key",
    "sk-padded-0123456789\n",
    "sk-\u00e9\u00fc-\u65e5\u672c\u8a9e-\U0001f511",
)
MIRRORED = """
name: secrets
app:
  use: rest
  url: {url}
  query: {{k: "${{FOO_API_KEY}}"}}
  body: {{text: "{{text}}", key: "${{FOO_API_KEY}}"}}
  reply: {{text: $.reply, choices: "$.buttons[*]", payload: $}}
agent: {{use: user-simulator, profiles: p.yaml}}
oracles: [generic-failures, {{use: rules, files: r.yaml}}]
reporters: [console, html, junit, csv, jsonl, sensei]
"""
SAYS_ALL = "name: x\noracle: 1 == 2\nyields: str(turns)\n---\nname: y\nconversations: all\noracle: str([c.turns for c in conv])\n"


def forms(key: str) -> set[str]:
    """A key in every form in which somebody could read it."""
    plain = key.strip()
    found = {key, plain, " ".join(key.split()), quote(plain), quote(plain, safe="")}
    found |= {quote_plus(plain), html.escape(plain), json.dumps(plain)[1:-1]}
    found |= {
        json.dumps(plain, ensure_ascii=False)[1:-1],
        json.dumps(json.dumps(plain)[1:-1])[1:-1],
    }
    found |= {b64encode(b"x" * n + plain.encode()).decode()[4 : 4 + 20] for n in range(3)}
    return found


def leaked(folder: Path, key: str, *texts: str) -> list[str]:
    """Where any form of a key is found."""
    found = [f"output: {form}" for form in forms(key) for text in texts if form in text]
    for path in folder.rglob("*"):
        if path.is_file():
            text = path.read_text("utf-8")
            found += [f"{path.name}: {form}" for form in forms(key) if form in text]
    return found


@pytest.mark.parametrize("key", KEYS, ids=range(len(KEYS)))
def test_a_key_is_in_no_artefact(
    key: str, tmp_path: Path, hostile_app: HostileApp, here: Program
) -> None:
    """The app gives back everything it was sent: query, body and headers, in many forms."""
    written(tmp_path, suite=MIRRORED.format(url=hostile_app.url.replace("/chat", "/mirror")))
    (tmp_path / "r.yaml").write_text(SAYS_ALL)
    environment = {"FOO_API_KEY": key}
    done = here("run", environment=environment)
    assert done.code == 1
    (run,) = (tmp_path / "runs").iterdir()
    trace = next(StoredRun(run).judged()).trace
    assert trace.turns[0].observation is not None
    assert "[FOO_API_KEY]" in trace.turns[0].observation.text
    assert leaked(tmp_path, key, done.said) == []
    for command in (("show", "last", "plain", "--all"), ("report", "-o", "x.html"), ("check",)):
        said = here(*command, environment=environment).said
        assert leaked(tmp_path, key, said) == []


def test_a_key_in_headers_and_address_is_in_no_artefact(
    tmp_path: Path, hostile_app: HostileApp, here: Program
) -> None:
    """Also not as the base64 that a user and password in an address become."""
    key = "sk-plain-0123456789"
    url = hostile_app.url.replace("//", "//somebody:${FOO_API_KEY}@").replace("/chat", "/mirror")
    suite = yaml.safe_load(MIRRORED.format(url=url + "/${FOO_API_KEY}?token=${FOO_API_KEY}"))
    suite["app"]["headers"] = {"X-Key": "Bearer ${FOO_API_KEY}"}
    suite["app"]["cookies"] = {"sid": "${FOO_API_KEY}"}
    suite["app"]["reply"]["session"] = "$.session"
    written(tmp_path, suite=yaml.safe_dump(suite))
    (tmp_path / "r.yaml").write_text(SAYS_ALL)
    done = here("run", environment={"FOO_API_KEY": key})
    assert done.code == 1
    assert leaked(tmp_path, key, done.said) == []
    coded = b64encode(f"somebody:{key}".encode()).decode()
    assert not any(
        coded in path.read_text("utf-8") for path in tmp_path.rglob("*") if path.is_file()
    )


@pytest.mark.parametrize(
    "place",
    [
        *("app.timeout.turn_s", "app.url", "app.method", "app.headers.X-A", "app.reply.text"),
        *("app.nope", "app.use", "agent.starts", "agent.user", "strategy.number", "seed"),
        *("budget.cases", "budget.cost", "oracles", "concurrency", "runs", "app.preset"),
        *("agent.profiles", "app.tls.ca_file", "app.poll.every_s", "agent.today"),
    ],
)
def test_a_key_in_the_wrong_place_is_not_shown(
    place: str, tmp_path: Path, hostile_app: HostileApp, here: Program
) -> None:
    written(tmp_path, suite=MIRRORED.format(url=hostile_app.url))
    (tmp_path / "r.yaml").write_text(SAYS_ALL)
    key = "sk-x\r\n" + "0123456789" * 12
    reference = f"{place}=${{FOO_API_KEY}}"
    done = here("validate", "--set", reference, environment={"FOO_API_KEY": key})
    assert key[6:40] not in done.said
    assert key.strip()[-40:] not in done.said


def test_a_key_that_the_shell_wrote_into_the_suite_is_not_stored(
    tmp_path: Path, here: Program
) -> None:
    key = "sk-plain-0123456789"
    written(tmp_path)
    setting = f"description='my key is {key}'"
    assert here("run", "--set", setting, environment={"FOO_API_KEY": key}).code == 0
    assert leaked(tmp_path, key) == []
    resumed = here("run", "--resume", "last", environment={"FOO_API_KEY": key})
    assert resumed.code == 0, resumed.err


@pytest.mark.parametrize("word", ["complete", "case_judged", "goals_reached", "2026-1", "foreign"])
def test_a_secret_that_is_a_plain_word_breaks_nothing(
    word: str, tmp_path: Path, here: Program
) -> None:
    written(tmp_path)
    assert here("run", environment={"MY_TOKEN": word}).code == 0
    assert here("show", "--all", environment={"MY_TOKEN": word}).code == 0


def test_the_names_of_people_are_no_secrets(tmp_path: Path, here: Program) -> None:
    written(tmp_path)
    done = here("run", environment={"GIT_AUTHOR_NAME": "foreign"})
    assert "[GIT_AUTHOR_NAME]" not in done.out


# Names and paths

NAMES = {
    "up": "../../../../evil",
    "root": "/evil",
    "dots": "..",
    "escapes": "\x1b]0;x\x07\x1b[31m\u202e<script>",
    "zero byte": "a\0b",
    "lines": "a\nb\rc\x85d",
    "long": "n" * 100_000,
    "device": "CON",
    "pattern": "[!a]*",
    "option": "--help",
    "home": "~root",
    "formula": "=cmd|'/c calc'!A0",
}


@pytest.mark.parametrize("name", NAMES)
def test_a_hostile_name_stays_inside_the_run(name: str, tmp_path: Path, here: Program) -> None:
    outside = tmp_path / "outside" / "inside"
    outside.mkdir(parents=True)
    suite = yaml.safe_load(PLAYED) | {"name": NAMES[name][:100]}
    written(tmp_path, suite=yaml.safe_dump(suite), profile=profile(test_name=NAMES[name]))
    before = {path for path in tmp_path.rglob("*") if "runs" not in path.parts}
    assert here("run").code == 0
    assert {path for path in tmp_path.rglob("*") if "runs" not in path.parts} == before
    (run,) = (tmp_path / "runs").iterdir()
    for path in run.rglob("*"):
        assert path.name.isprintable()
        assert len(path.name.encode()) < 256
    assert len(list((run / "sensei").rglob("*_*.yml"))) == 3
    assert here("show", "--all").code == 0


@pytest.mark.parametrize(
    "pattern",
    [
        *("/dev/zero", "/dev/stdin", "pipe", "loop", "loop/x.yaml", "dangling", "nothing*"),
        *("~nobody-here/x.yaml", "z" * 300, "**x", "[", "a\0b", "\ud800"),
        pytest.param("../" * 200, marks=pytest.mark.slow),
    ],
)
def test_a_pattern_that_names_no_file_is_refused(
    pattern: str, tmp_path: Path, here: Program
) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "dangling").symlink_to("nowhere.yaml")
    suite = yaml.safe_load(PLAYED) | {"agent": {"use": "user-simulator", "profiles": pattern}}
    if pattern == "\ud800":
        suite["agent"]["profiles"] = "\\ud800"
    written(tmp_path, suite=yaml.safe_dump(suite))
    assert here("validate", patience=20).code == 2


def test_folders_that_contain_themselves_are_looked_through_once(
    tmp_path: Path, here: Program
) -> None:
    inside = tmp_path / "profiles" / "deeper"
    inside.mkdir(parents=True)
    (inside / "again").symlink_to(tmp_path / "profiles")
    (inside / "endless.yaml").symlink_to("/dev/zero")
    os.mkfifo(inside / "pipe.yaml")
    (inside / "p.yaml").write_text(PROFILE)
    for pattern in ("profiles", "profiles/**/*.yaml"):
        suite = yaml.safe_load(PLAYED) | {"agent": {"use": "user-simulator", "profiles": pattern}}
        written(tmp_path, suite=yaml.safe_dump(suite))
        done = here("validate", patience=20)
        assert done.code == 0
        assert "files     1 read" in done.out


@pytest.mark.parametrize("suite", ["/dev/zero", "/dev/null", "/proc/self/mem", "/", "loop"])
def test_what_is_no_suite_is_refused(suite: str, tmp_path: Path, here: Program) -> None:
    (tmp_path / "loop").symlink_to("loop")
    assert here("validate", suite, patience=20).code == 2


@pytest.mark.parametrize("place", ["reporters", "runs"])
def test_escapes_in_a_path_reach_no_terminal(place: str, tmp_path: Path, here: Program) -> None:
    hostile = "a\x1b]0;x\x07b\u202e"
    change = (
        {"runs": hostile} if place == "runs" else {"reporters": [{"use": "html", "path": hostile}]}
    )
    written(tmp_path, suite=yaml.safe_dump(yaml.safe_load(PLAYED) | change))
    assert here("run").code == 0


def test_files_whose_names_are_no_text_can_be_used(tmp_path: Path, here: Program) -> None:
    odd = tmp_path / b"p\xff.yaml".decode("utf-8", "surrogateescape")
    rule = tmp_path / b"r\xff.yaml".decode("utf-8", "surrogateescape")
    suite = yaml.safe_load(PLAYED)
    suite["agent"]["profiles"] = "p*.yaml"
    suite["oracles"].append({"use": "rules", "files": "r*.yaml"})
    written(tmp_path, suite=yaml.safe_dump(suite))
    try:
        odd.write_text("\n".join(PROFILE.splitlines()[2:]))
        rule.write_text("name: x\noracle: 1 == 2\n")
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    assert here("run").code == 1
    assert here("run", "--resume", "last").code == 1
    assert here("check").code == 1


# Code

EVIL = "import pathlib\npathlib.Path('ran').touch()\ndef f(*a): return ['x']\n"


@pytest.mark.parametrize(
    "data",
    [
        {"file": "evil.py", "function_name": "f", "args": [1]},
        {"file": "./evil.py", "function_name": "__class__"},
        {"file": "../" * 20 + "etc/passwd", "function_name": "f"},
    ],
)
def test_no_python_of_a_profile_runs_unasked(
    data: dict[str, object], tmp_path: Path, here: Program
) -> None:
    goals = ["say {{k}}", {"k": {"function": "forward()", "data": data}}]
    written(tmp_path, profile=profile(user={"goals": goals}))
    (tmp_path / "evil.py").write_text(EVIL)
    done = here("run")
    assert done.code in (2, 3)
    assert "allow_python" in done.err or "not there" in done.err
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    "use",
    [
        *("evil:f", "evil", "./evil:f", "evil.py:f", ":f", "evil:", ":", "..evil:f", "os:system"),
        *(
            "os:path..join",
            "builtins:eval",
            "sys:exit",
            "__main__:x",
            "this:\0",
            "a b:c",
            "\x1b[31m:x",
        ),
        *("sparring.errors:SparringError", "sparring.interfaces.agent:Player", "x" * 100_000),
    ],
)
def test_an_odd_import_path_is_told_of(use: str, tmp_path: Path, here: Program) -> None:
    """A suite may name code that is installed; the suite's own folder is not."""
    suite = yaml.safe_load(PLAYED) | {"oracles": [{"use": use}]}
    written(tmp_path, suite=yaml.safe_dump(suite))
    (tmp_path / "evil.py").write_text(EVIL)
    done = here("validate")
    assert done.code == 2
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("file", ["suite.yaml", "p.yaml"])
@pytest.mark.parametrize(
    "text",
    [
        "!!python/object/apply:os.system [touch ran]",
        "a: !!python/object/new:os.system [touch ran]",
        "a: !!python/module:os",
        "? !!python/tuple [a]\n: b",
        "a: !!bool maybe",
        "a: !!timestamp x",
        "a: !!int ''",
        "a: !!float ''",
        "? !!set x\n: 1",
        "a: 1" + ":1" * 500_000,
        "a: 0x" + "f" * 500_000,
        "a: &a [*a]",
        "<<: 5",
        "<<: [&a {k: v}, "
        + ", ".join(
            f"&{n} {{<<: [{','.join([f'*{b}'] * 10)}]}}"
            for b, n in zip("abcdefg", "bcdefgh", strict=True)
        )
        + "]",
        "[" * 20_000,
        "a:\n" + "".join(f"{' ' * n}b:\n" for n in range(1, 500)),
        "\ufeff\ufeffa: 1",
        "a: \x1b[31m",
        "- " * 5_000 + "x",
        "%YAML 9.9\n---\na: 1",
        "a: 1\n--- \nb: 2",
    ],
    ids=range(21),
)
def test_hostile_yaml_is_refused(file: str, text: str, tmp_path: Path, here: Program) -> None:
    written(tmp_path)
    (tmp_path / file).write_text(text)
    done = here("validate", patience=20)
    assert done.code == 2
    assert file in done.err
    assert not (tmp_path / "ran").exists()


# Work without end

HUNDRED = "{function: forward(), data: [" + ", ".join(map(str, range(100))) + "]}"
WORK: dict[str, tuple[str, str, int]] = {
    "combinations": (
        ", ".join(f"k{n}: {HUNDRED}" for n in range(6)), "all_combinations", 4
    ),
    "a share of combinations": (
        ", ".join(f"k{n}: {HUNDRED}" for n in range(6)), "sample(0.5)", 4
    ),
    "a chain": (
        ", ".join(f"k{n}: {HUNDRED.replace('()', f'(k{n + 1})')}" for n in range(6)) + f", k6: {HUNDRED}",
        "all_combinations",
        4,
    ),
    "a number": ("k0: {function: random(), data: [a, b]}", "1" + "0" * 30, 4),
    "a circle": ("k0: {function: forward(k1), data: [a]}, k1: {function: forward(k0), data: [b]}", "2", 2),
    "oneself": ("k0: {function: forward(k0), data: [a]}", "2", 2),
    "a range": ("k0: {function: forward(), type: int, data: {min: 0, max: 1000000000000, step: 1}}", "2", 2),
    "small steps": ("k0: {function: forward(), type: float, data: {min: 0, max: 1, step: 1e-300}}", "2", 2),
    "no steps": ("k0: {function: forward(), type: int, data: {min: 0, max: 5, step: 0}}", "2", 2),
    "no number": ("k0: {function: forward(), type: float, data: {min: .nan, max: .inf, step: 1}}", "2", 2),
    "a draw": ("k0: {function: random(99999999999999999999), data: [a, b]}", "2", 2),
    "a function": ("k0: {function: '__import__(\"os\").system(\"touch ran\")', data: [a]}", "2", 2),
}  # fmt: skip


@pytest.mark.parametrize("name", WORK)
def test_work_without_end_is_planned_or_refused_at_once(
    name: str, tmp_path: Path, here: Program
) -> None:
    variables, number, code = WORK[name]
    text = PROFILE.replace("k: {function: forward(), data: [a, b]}", variables)
    text = text.replace("{{k}}", "{{k0}}").replace("number: 2", f"number: {number}")
    written(tmp_path, profile=text)
    done = here("run", "--budget", "cases=2", patience=30)
    assert done.code == code, done.err
    assert not (tmp_path / "ran").exists()
