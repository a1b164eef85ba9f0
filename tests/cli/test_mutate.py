"""``sparring mutate`` against a tiny bot that is a real server."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from sparring_plugins.mutation.model import Fate, MutationRun

from .conftest import Program, Ran

BOT = '''
"""A shop that answers every question with its price, as its definition says."""
import json, sys, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
import yaml

told = yaml.safe_load(open(sys.argv[1]))
if told["refuses"]:
    raise SystemExit("the definition is refused")
if told["sleeps"]:
    time.sleep(600)

class Shop(BaseHTTPRequestHandler):
    def do_GET(self):
        self.answer({"ok": True})
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        if told["hangs"]:
            time.sleep(600)
        self.answer({"text": f"It costs ${told['price']} and weighs {told['weight']} kg."})
    def answer(self, data):
        body = json.dumps(data).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_):
        pass

ThreadingHTTPServer(("127.0.0.1", int(sys.argv[2])), Shop).serve_forever()
'''
DEFINITION = {"price": 10, "weight": 3, "refuses": False, "sleeps": False, "hangs": False}
PROFILE = {
    "test_name": "asks",
    "user": {"goals": ["How much does it cost?"]},
    "chatbot": {
        "is_starter": False,
        "output": [{"price": {"type": "money", "description": "the price"}}],
    },
    "conversation": {"number": 1, "goal_style": {"steps": 1}},
}
SUITE: dict[str, Any] = {
    "name": "shop",
    "app": {
        "use": "rest",
        "url": "${SHOP_URL:-http://127.0.0.1:9}",
        "path": "/chat",
        "body": {"text": "{text}"},
        "reply": {"text": "$.text"},
        "timeout": {"turn_s": 60},
    },
    "agent": {"use": "user-simulator", "profiles": "profiles/*.yml"},
    "oracles": ["generic-failures", {"use": "rules", "files": "rules/*.yaml"}],
    "reporters": ["console"],
}
RULE = {
    "name": "price",
    "oracle": "extract_float(price) == 10",
    "yields": "f'it costs {price}'",
}
PLAN: dict[str, Any] = {
    "definition": "bot.yaml",
    "beside": "bot.py",
    "app": {
        "command": ["{python}", "{folder}/bot.py", "{folder}/bot.yaml", "{port}"],
        "ready": "http://127.0.0.1:{port}/health",
        "within": 60,
        "stop_within": 1,
        "env": {"SHOP_URL": "http://127.0.0.1:{port}"},
    },
    "operators": ["tables"],
    "timeout": 120,
    "jobs": 4,
}

Lay = Callable[..., Path]


@pytest.fixture
def lay(tmp_path: Path) -> Lay:
    """Lay out the shop's folder, with changes to its mutation file and definition."""

    def _lay(
        bot: Mapping[str, Any] | None = None,
        rule: Mapping[str, Any] | None = None,
        **plan: Any,
    ) -> Path:
        (tmp_path / "bot.py").write_text(BOT, encoding="utf-8")
        for name, data in {
            "bot.yaml": {**DEFINITION, **(bot or {})},
            "suite.yaml": SUITE,
            "profiles/asks.yml": PROFILE,
            "rules/price.yaml": {**RULE, **(rule or {})},
            "mutation.yaml": {**PLAN, **plan},
        }.items():
            path = tmp_path / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(yaml.safe_dump(data, sort_keys=False), encoding="utf-8")
        return tmp_path

    return _lay


def stored(folder: Path) -> MutationRun:
    (report,) = folder.glob("runs/*/report.json")
    return MutationRun.model_validate_json(report.read_text())


def fates(run: MutationRun) -> dict[str, str]:
    targets = {mutant.id: mutant.target for mutant in run.mutants}
    return {targets[one.id]: one.fate.value for one in run.results}


def chosen(program: Program, *targets: str) -> list[str]:
    """The options that choose the one mutant of each target."""
    listed = program("mutate", "--list").out.splitlines()
    names = [line.split()[0] for target in targets for line in listed if line.endswith(target)]
    assert len(names) == len(targets)
    return [part for name in names for part in ("-m", name)]


def test_every_fate_is_told_apart_and_the_score_counts_killed_and_live(
    lay: Lay, program: Program
) -> None:
    folder = lay()
    options = chosen(program, "price: 10 is 15", "weight: 3 is 4", "refuses: on")
    ran = program("mutate", *options)
    assert ran.code == 0, ran.err
    run = stored(folder)
    assert fates(run) == {
        "price: 10 is 15": "killed",
        "weight: 3 is 4": "live",
        "refuses: on": "invalid",
    }
    assert run.score == 0.5
    assert run.complete
    killed = next(one for one in run.results if one.fate is Fate.KILLED)
    assert [(one.oracle, one.check) for one in killed.killers] == [("rules", "price")]
    assert "it costs $15" in killed.killers[0].reason
    refused = next(one for one in run.results if one.fate is Fate.INVALID)
    assert "the definition is refused" in refused.reason
    _shows(ran, folder)


def _shows(ran: Ran, folder: Path) -> None:
    assert "live mutants:" in ran.out
    assert "    -weight: 3\n    +weight: 4" in ran.out
    assert re.search(r"ChangeNumber +2 +1 +1", ran.out)
    assert re.search(r"rules/price +1 +1", ran.out)
    assert "score    50.0 %" in ran.out
    (page,) = folder.glob("runs/*/report.html")
    text = page.read_text()
    assert "weight: 3 is 4" in text
    assert "rules/price" in text
    assert not re.search(r"(src|href)=\"https?:", text)
    assert not list(folder.glob("runs/*/apps/*"))


def test_a_score_is_only_given_where_the_original_passes(lay: Lay, program: Program) -> None:
    folder = lay(bot={"price": 11}, limit=1)
    ran = program("mutate")
    assert ran.code == 1
    assert "the original does not pass, so no score can be given" in ran.err
    assert "rules/price (1x: it costs $11" in ran.err
    assert "score  " not in ran.out
    assert not list(folder.glob("runs/*/report.json"))


@pytest.mark.thorough  # it waits for both limits, which leave a busy machine time to start the bot
def test_a_mutant_that_never_starts_or_never_answers_ends_as_timeout(
    lay: Lay, program: Program
) -> None:
    folder = lay(app={**PLAN["app"], "within": 15}, timeout=30)
    ran = program("mutate", *chosen(program, "sleeps: on", "hangs: on"))
    assert fates(stored(folder)) == {"sleeps: on": "timeout", "hangs: on": "timeout"}, ran.err


def test_a_run_without_a_score_is_no_success(lay: Lay, program: Program) -> None:
    lay(operators=[{"use": "tables", "but": ["SwapValues", "DeleteEntry"]}])
    ran = program("mutate", *chosen(program, "refuses: on"))
    assert ran.code == 5, ran.out
    assert "sparring: there is no score: no mutant counts (exit code 5)" in ran.err


@pytest.mark.thorough
def test_mutants_that_the_suite_cannot_judge_are_errors(lay: Lay, program: Program) -> None:
    broken = "extract_float(price) == 10 or [][0]"
    folder = lay(rule={"oracle": broken}, operators=[{"use": "tables", "only": ["ChangeNumber"]}])
    ran = program("mutate")
    assert fates(stored(folder))["price: 10 is 15"] == "error"
    assert ran.code == 3, ran.out
    assert "sparring: the suite could not judge 1 of 2 mutants (exit code 3)" in ran.err


@pytest.mark.thorough
def test_a_known_weak_spot_lets_the_original_pass_and_kills_nothing(
    lay: Lay, program: Program
) -> None:
    numbers = [{"use": "tables", "only": ["ChangeNumber"]}]
    folder = lay(bot={"price": 11}, known=["price", "old"], operators=numbers)
    ran = program("mutate")
    assert ran.code == 0, ran.err
    assert set(fates(stored(folder)).values()) == {"live"}
    assert "known    rules/price" in ran.out
    assert "'known' names 'old', which does not fail on the original" in ran.err


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"bot": {"refuses": True}}, "the definition is refused"),
        (
            {"bot": {"sleeps": True}, "app": {**PLAN["app"], "within": 1}},
            "was not ready within 1 second",
        ),
        (
            {"app": {"command": ["no-such-program"]}},
            "cannot start no-such-program",
        ),
        ({"rule": {"oracle": "nonsense("}}, "'sparring run' ended with exit code 2"),
    ],
)
def test_an_original_that_cannot_be_played_is_told(
    lay: Lay, program: Program, changes: dict[str, Any], message: str
) -> None:
    lay(**changes)
    ran = program("mutate")
    assert ran.code == 2
    assert message in ran.err
    assert "Traceback" not in ran.err


def test_the_same_seed_lists_the_same_mutants(lay: Lay, program: Program) -> None:
    lay(limit=3)
    first, again = program("mutate", "--list"), program("mutate", "--list")
    assert first == again
    assert first.code == 0
    assert first.out.endswith("3 mutants of 6\n")
    others = {program("mutate", "--list", "--seed", seed).out for seed in range(4)}
    assert len(others) > 1


def test_mutants_can_be_chosen_by_name(lay: Lay, program: Program) -> None:
    lay()
    ran = program("mutate", "--list", "-m", "Switch")
    assert ran.out.endswith("3 mutants of 6\n")


@pytest.mark.thorough
def test_marked_mutants_are_not_counted_and_wrong_marks_are_told(
    lay: Lay, program: Program
) -> None:
    numbers = [{"use": "tables", "only": ["ChangeNumber"]}]
    folder = lay(operators=numbers, equivalent="equivalent.yaml")
    marks = folder / "equivalent.yaml"
    marks.write_text("[]")
    names = re.findall(r"^(ChangeNumber-\w+)", program("mutate", "--list").out, re.MULTILINE)
    marks.write_text(
        yaml.safe_dump([{"mutant": name, "why": "nobody cares"} for name in [*names, "Gone-1"]])
    )
    ran = program("mutate")
    assert fates(stored(folder)) == {"price: 10 is 15": "killed", "weight: 3 is 4": "equivalent"}
    assert "score    100.0 %" in ran.out
    assert f"{names[0]} is marked as equivalent, and was killed by rules/price" in ran.err
    assert "the mutant 'Gone-1' is marked as equivalent, and none is called so" in ran.err


@pytest.mark.thorough
def test_a_score_below_the_least_one_fails(lay: Lay, program: Program) -> None:
    lay(operators=[{"use": "tables", "only": ["ChangeNumber"]}])
    ran = program("mutate", "--min-score", "80")
    assert ran.code == 1
    assert "the score is below 80 %" in ran.err


@pytest.mark.thorough  # marks of a file of their own are tried above
def test_marks_may_stand_in_the_mutation_file_itself(lay: Lay, program: Program) -> None:
    weight = [{"use": "tables", "only": ["ChangeNumber"]}]
    folder = lay(operators=weight)
    listed = program("mutate", "--list").out
    name = re.findall(r"^(ChangeNumber-\w+)  weight", listed, re.MULTILINE)[0]
    mark = {"mutant": name, "why": "nobody asks for the weight"}
    lay(operators=weight, equivalent=[mark])
    assert program("mutate").code == 0
    assert fates(stored(folder)) == {"price: 10 is 15": "killed", "weight: 3 is 4": "equivalent"}
    lay(operators=weight, equivalent=[mark, mark])
    ran = program("mutate")
    assert ran.code == 2
    assert f"the mutant '{name}' is marked twice" in ran.err


@pytest.mark.thorough  # the next but one stops mutants too, with a known failure and a rule over all
def test_a_mutant_may_be_stopped_at_its_first_kill(lay: Lay, program: Program) -> None:
    """The known failure comes in every conversation: only what is new stops a mutant."""
    folder = lay(
        bot={"weight": 4},
        operators=[{"use": "tables", "only": ["ChangeNumber"]}],
        known=["weight"],
    )
    many = {**PROFILE, "conversation": {"number": 6, "goal_style": {"steps": 1}}}
    (folder / "profiles" / "asks.yml").write_text(yaml.safe_dump(many))
    (folder / "rules" / "weight.yaml").write_text(
        yaml.safe_dump(
            {"name": "weight", "oracle": "any('weighs 3' in c for c in chatbot_phrases)"}
        )
    )
    (folder / "suite.yaml").write_text(yaml.safe_dump({**SUITE, "concurrency": 1}))
    ran = program("mutate", "--first-kill", "--keep")
    assert ran.code == 0, ran.err
    run = stored(folder)
    assert run.first_kill
    assert run.original is not None
    assert run.original.failed_cases == run.original.cases == 6
    assert fates(run) == {"price: 10 is 15": "killed", "weight: 4 is 6": "live"}


@pytest.mark.thorough
def test_an_ignored_check_kills_nothing_and_need_not_pass(lay: Lay, program: Program) -> None:
    numbers = [{"use": "tables", "only": ["ChangeNumber"]}]
    folder = lay(operators=numbers, ignore=["rules/price"])
    assert program("mutate").code == 0
    assert set(fates(stored(folder)).values()) == {"live"}
    lay(bot={"price": 11}, operators=numbers, ignore=["price"])
    assert program("mutate", "--limit", "1").code == 0


@pytest.mark.thorough
def test_what_is_true_of_all_conversations_is_not_asked_of_a_part_of_them(
    lay: Lay, program: Program
) -> None:
    """The known failure stops the quick look, and a rule over all would fail on its part."""
    folder = lay(
        operators=[{"use": "tables", "only": ["ChangeNumber"]}], known=["odd"], first_kill=True
    )
    many = {**PROFILE, "conversation": {"number": 6, "goal_style": {"steps": 1}}}
    (folder / "profiles" / "asks.yml").write_text(yaml.safe_dump(many))
    odd = {"name": "odd", "oracle": "price == '$10' and serial is None"}
    six = {"name": "six", "conversations": "all", "oracle": "len(conv) == 6"}
    for rule in (odd, six):
        (folder / "rules" / f"{rule['name']}.yaml").write_text(yaml.safe_dump(rule))
    assert program("mutate").code == 0
    assert fates(stored(folder)) == {"price: 10 is 15": "killed", "weight: 3 is 4": "live"}


@pytest.mark.thorough
def test_the_first_kill_ends_the_conversations_of_a_mutant(lay: Lay, program: Program) -> None:
    folder = lay(operators=[{"use": "tables", "only": ["ChangeNumber"]}], first_kill=True)
    many = {**PROFILE, "conversation": {"number": 6, "goal_style": {"steps": 1}}}
    (folder / "profiles" / "asks.yml").write_text(yaml.safe_dump(many))
    (folder / "suite.yaml").write_text(yaml.safe_dump({**SUITE, "concurrency": 1}))
    assert program("mutate").code == 0
    killed = next(one for one in stored(folder).results if one.fate is Fate.KILLED)
    assert [1 <= one.count < 6 for one in killed.killers] == [True]
    (page,) = folder.glob("runs/*/report.html")
    assert "stopped at the first conversation that failed" in page.read_text()


HOSTILE = "<script>alert(1)</script> \x1b[31m \u202e {x}"


@pytest.mark.thorough
def test_what_a_definition_holds_is_shown_as_text(lay: Lay, program: Program) -> None:
    folder = lay(bot={"note": HOSTILE}, operators=[{"use": "tables", "only": ["DeleteData"]}])
    ran = program("mutate")
    assert ran.code == 0, ran.err
    assert "\x1b" not in ran.out
    assert "\u202e" not in ran.out
    (page,) = folder.glob("runs/*/report.html")
    assert "<script>" not in page.read_text()


def start(folder: Path) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "sparring", "mutate", "--jobs", "1"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )


def bots_of(folder: Path) -> list[int]:
    """The processes that still serve a definition of this folder."""
    found: list[int] = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = path.read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
        except OSError:
            continue
        if str(folder) in line and "bot.py" in line:
            found.append(int(path.parent.name))
    return found


def all_gone(folder: Path, within_s: float = 120.0) -> bool:
    until = time.monotonic() + within_s
    while time.monotonic() < until:
        if not bots_of(folder):
            return True
        time.sleep(0.05)
    return False


@pytest.mark.thorough
@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks for processes in /proc")
@pytest.mark.parametrize(
    "how",
    [
        *(pytest.param(s, marks=pytest.mark.thorough) for s in (signal.SIGINT, signal.SIGTERM)),
        signal.SIGKILL,
    ],
)
def test_an_interrupted_run_leaves_no_process_and_is_gone_on_with(
    lay: Lay, program: Program, how: signal.Signals
) -> None:
    folder = lay(operators=[{"use": "tables", "only": ["ChangeNumber", "SwapValues"]}])
    process = start(folder)
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith("[1/"):
            break
    process.send_signal(how)
    _, told = process.communicate(timeout=120)
    assert process.returncode == (-9 if how is signal.SIGKILL else 130), told
    assert all_gone(folder)
    (log,) = folder.glob("runs/*/results.jsonl")
    before = log.read_text().splitlines()
    assert 1 <= len(before) < 5
    if how is not signal.SIGKILL:
        assert "resume with: sparring mutate --resume" in told
    ran = program("mutate", "--resume", "last")
    assert ran.code == 0, ran.err
    assert log.read_text().splitlines()[: len(before)] == before
    run = stored(folder)
    assert run.complete
    assert len({json.loads(line)["id"] for line in log.read_text().splitlines()}) == len(
        log.read_text().splitlines()
    )


@pytest.mark.thorough
def test_a_run_is_not_gone_on_with_where_something_changed(lay: Lay, program: Program) -> None:
    folder = lay(limit=1)
    assert program("mutate").code == 0
    (folder / "rules" / "price.yaml").write_text(yaml.safe_dump({**RULE, "oracle": "True == True"}))
    ran = program("mutate", "--resume", "last")
    assert ran.code == 2
    assert "rules/price.yaml changed since. Begin a new run." in ran.err
    lay(limit=1, bot={"weight": 4})
    assert "bot.yaml changed since" in program("mutate", "--resume", "last").err


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"operators": ["tabels"]}, "Did you mean 'tables'?"),
        ({"operators": []}, "operators: tuple should have at least 1 item"),
        ({"operators": [{"use": "tables", "only": ["swich"]}]}, "no operator 'swich'"),
        ({"definitoin": "x"}, "Did you mean 'definition'?"),
        ({"definition": "nothing.yaml"}, "no file matches 'nothing.yaml'"),
        ({"app": {"command": ["{folder}", "{prot}"]}}, "unknown placeholder 'prot'"),
        ({"app": {"command": []}}, "app.command"),
        ({"app": "python bot.py"}, "app"),
        ({"jobs": 0}, "jobs"),
        ({"equivalent": "none.yaml"}, "none.yaml: cannot be read"),
        ({"suite": "none.yaml"}, "none.yaml"),
    ],
)
def test_a_wrong_mutation_file_is_told_before_anything_runs(
    lay: Lay, program: Program, changes: dict[str, Any], message: str
) -> None:
    folder = lay(**changes)
    ran = program("mutate")
    assert ran.code == 2
    assert message in ran.err
    assert "Traceback" not in ran.err
    assert not (folder / "runs").exists()


def test_a_missing_mutation_file_is_told(program: Program, tmp_path: Path) -> None:
    (tmp_path / "suite.yaml").write_text(yaml.safe_dump(SUITE))
    ran = program("mutate")
    assert ran.code == 2
    assert "no mutation.yaml lies beside the suite" in ran.err


def test_nothing_to_change_is_told(lay: Lay, program: Program) -> None:
    lay(operators=["botkit"])
    ran = program("mutate")
    assert ran.code == 5
    assert "the operators find nothing to change" in ran.err
