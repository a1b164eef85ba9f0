"""Skills that misbehave end as errors of the app; nothing hangs, and no process is left."""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from sparring.errors import AppError, ConfigurationError, EnvironmentFailure
from sparring.model.talk import Observation
from sparring.testing.fakes import FakeContext
from sparring_connectors.alexa.config import ServicesConfig
from sparring_connectors.alexa.connector import AlexaConnector
from sparring_connectors.alexa.skills import read_skill_list

from .conftest import SKILLS, talked, texts

PYTHON: dict[str, Any] = {"folder": "trouble_python"}
NODE: dict[str, Any] = {"folder": "trouble_node", "handler": "lambda/callback/index.js"}

#: What is said, how it ends in Python, how in Node.
WAYS = [
    ("raise an error", "AppCrash: .*LookupError: the drawer is empty .*line 14",
     "AppCrash: .*RangeError: the drawer is empty .*index.js:16"),
    ("never answer", "AppTimeout: .*did not answer within 5 s", "AppTimeout: .*within 5 s"),
    ("print a lot", "^Hello.$", "^Hello.$"),
    ("end the process", "AppCrash: .*ended .exit code 3", "AppCrash: .*exit code 3"),
    ("return a set", "AppProtocolError: .*no JSON", "AppProtocolError: .*no JSON"),
    ("return nothing", "AppProtocolError: .*null", "AppProtocolError: .*null"),
    ("return text", "AppProtocolError: .*not an object", "AppProtocolError: .*not an object"),
    ("break the markup", "AppProtocolError: .*not well-formed", "AppProtocolError: .*not well-f"),
    ("talk too long", "AppProtocolError: .*8,001", "AppProtocolError: .*8,001"),
    ("ask the internet", "EnvironmentFailure: .*network is cut", "EnvironmentFailure: .*network is"),
    ("throw later", "^Hello.$", "AppCrash: .*Error: too late"),
    ("return a huge answer", "AppProtocolError: .*bytes", "AppProtocolError: .*bytes"),
    ("delegate forever", "AppProtocolError: .*COMPLETED", "AppProtocolError: .*COMPLETED"),
    ("write without end", "AppTimeout", "AppTimeout"),
]  # fmt: skip


def children() -> list[str]:
    """The command lines of handlers' processes that this one has started."""
    found: dict[int, tuple[int, str]] = {}
    for place in Path("/proc").glob("[0-9]*"):
        try:
            stat = (place / "stat").read_text()
            line = (place / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        found[int(place.name)] = (int(stat.rpartition(")")[2].split()[1]), line)
    return [line for parent, line in found.values() if parent == os.getpid() and "_runner." in line]


#: Ways that a time limit ends, after five seconds.
ENDLESS = {"never answer", "write without end"}


@pytest.mark.parametrize("language", ["python", "node"])
@pytest.mark.parametrize(
    ("said", "in_python", "in_node"),
    [  # those that wait for a limit take five seconds each
        pytest.param(*way, id=way[0], marks=pytest.mark.thorough if way[0] in ENDLESS else ())
        for way in WAYS
    ],
)
def test_misbehaviour_is_told_and_the_skill_can_be_opened_again(
    said: str, in_python: str, in_node: str, language: str, request: pytest.FixtureRequest
) -> None:
    if language == "node":
        request.getfixturevalue("node")
    skill, expected = (PYTHON, in_python) if language == "python" else (NODE, in_node)
    name = "trouble maker" if language == "python" else "trouble brewer"
    again = f"open {name}"
    # What answers at all has the time that a busy machine takes for it.
    timeout_s = 5 if in_node.startswith("AppTimeout") else 60
    heard = talked(skill, None, said, again, "say hello", timeout_s=timeout_s, network="cut")
    assert re.search(expected, texts(heard)[1].replace("\n", " ")), texts(heard)[1]
    assert texts(heard)[2:] == ["Hello.", "Hello."]
    assert not children()


@pytest.mark.parametrize("handler", ["promise/index.mjs", "context/index.js"])
def test_node_handlers_answer_in_every_way_that_lambda_knows(node: str, handler: str) -> None:
    skill = {**NODE, "handler": f"lambda/{handler}"}
    heard = talked(skill, None, "raise an error", "open trouble brewer")
    assert texts(heard)[0].startswith("Hello from")
    assert "RangeError: the drawer is empty" in texts(heard)[1]
    assert texts(heard)[2] == texts(heard)[0]


def test_a_second_answer_is_noted_and_shifts_nothing(node: str) -> None:
    heard = talked(NODE, None, "answer twice", "say hello")
    assert texts(heard)[1:] == ["First.", "Hello."]
    assert isinstance(heard[2], Observation)
    assert heard[2].payload["problems"] == ["it answered a second time"]  # type: ignore[index, call-overload]


def test_what_a_skill_prints_and_asks_for_is_in_the_trace(node: str) -> None:
    for skill in (PYTHON, NODE):
        printed = talked(skill, None, "print a lot")[1]
        assert isinstance(printed, Observation)
        exchange: Any = printed.payload["exchanges"][0]  # type: ignore[index, call-overload]
        assert "no end of line" in exchange["log"] or "1999" in exchange["log"] or exchange["log"]
        heard = talked(skill, None, "ask the internet", "open it again", "raise an error",
                       failures="speak", network="cut")  # fmt: skip
        assert isinstance(heard[1], EnvironmentFailure)
        assert "nowhere.invalid" in str(heard[1])
        assert isinstance(heard[2], Observation)
        lost: Any = heard[2].payload["exchanges"][0]  # type: ignore[index, call-overload]
        assert any("nowhere.invalid" in call for call in lost["calls"])


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("def lambda_handler(e, c: pass", "SyntaxError"),
        ("lambda_handler = 3", "no function 'lambda_handler'"),
        ("import sys; sys.exit(4)\ndef lambda_handler(e, c): pass", "SystemExit"),
        ("import os; os._exit(5)\ndef lambda_handler(e, c): pass", "exit code 5"),
        ("while True: pass\ndef lambda_handler(e, c): pass", "did not load within 1"),
    ],
)
def test_a_handler_that_cannot_be_loaded_is_told(tmp_path: Path, source: str, message: str) -> None:
    model = SKILLS / "trouble_python" / "models" / "en-US.json"
    (tmp_path / "en-US.json").write_bytes(model.read_bytes())
    (tmp_path / "lambda_function.py").write_text(source.replace("; ", "\n") + "\n")
    patience = 1 if "did not load" in message else 60
    (heard,) = talked({"folder": str(tmp_path)}, None, start_timeout_s=patience)
    assert isinstance(heard, AppError)
    assert message in str(heard)
    assert not children()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"skill": "nowhere"}, "there is no such folder"),
        ({"skill": "corner/lambda"}, "holds no interaction model"),
        ({"skill": "trouble_python/models"}, "holds no handler"),
        ({"skill": "corner", "locale": "de-DE"}, "does not speak de-DE, only en-US"),
        ({"skill": "corner", "locale": "german"}, "looks like en-US"),
        ({"skill": {"folder": "corner", "model": "x.json"}}, "no such interaction model"),
        ({"skill": {"folder": "corner", "handler": "x.py"}}, "no handler 'x.py'"),
        ({"skill": {"folder": "corner", "endpoint": "ftp://x"}}, "https:// or http://"),
        ({"skill": "corner", "device": {"profile": "watch"}}, "headless"),
        ({"skill": "corner", "device": {"timezone": "Mars/Base"}}, "no time zone 'Mars/Base'"),
        ({"skill": "corner", "timeout_s": 0}, "greater than 0"),
        ({"skil": "corner"}, "skill"),
    ],
)
def test_wrong_settings_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        FakeContext(base_dir=SKILLS).build(AlexaConnector, **settings)


REQUIRED = "import ask_sdk_nothing.core\ndef lambda_handler(e, c): pass\n"


@pytest.mark.parametrize(
    ("source", "requirements", "error"),
    [
        (REQUIRED, "ask-sdk-nothing==1.0\n", ConfigurationError),
        (REQUIRED, "# none\n", AppError),
        (REQUIRED, None, ConfigurationError),
        ("import botocore.nothing\n", None, ConfigurationError),
        ("from . import texts\n", "texts\n", AppError),
    ],
)
def test_a_library_that_a_skill_declares_is_missing_on_the_machine(
    tmp_path: Path, source: str, requirements: str | None, error: type[Exception]
) -> None:
    model = SKILLS / "trouble_python" / "models" / "en-US.json"
    (tmp_path / "en-US.json").write_bytes(model.read_bytes())
    (tmp_path / "lambda_function.py").write_text(f"{source}\ndef lambda_handler(e, c): pass\n")
    if requirements is not None:
        (tmp_path / "requirements.txt").write_text(requirements)
    (heard,) = talked({"folder": str(tmp_path)}, None)
    assert isinstance(heard, error)
    if error is ConfigurationError:
        assert "is unstartable" in str(heard)
        assert "is not installed here" in str(heard)


def test_a_package_that_a_node_skill_declares_is_missing_on_the_machine(
    node: str, tmp_path: Path
) -> None:
    model = SKILLS / "trouble_python" / "models" / "en-US.json"
    (tmp_path / "en-US.json").write_bytes(model.read_bytes())
    (tmp_path / "index.js").write_text("require('left-pad/x'); exports.handler = async () => 1;\n")
    for declared, error in (({"left-pad": "1"}, ConfigurationError), ({}, AppError)):
        (tmp_path / "package.json").write_text(json.dumps({"dependencies": declared}))
        (heard,) = talked({"folder": str(tmp_path), "handler": "index.js"}, None)
        assert isinstance(heard, error)


def loaded(folder: Path, **files: str) -> Any:
    """What is heard of a skill of these files, by name with ``__`` for the dot."""
    model = SKILLS / "trouble_python" / "models" / "en-US.json"
    (folder / "en-US.json").write_bytes(model.read_bytes())
    for name, content in files.items():
        path = folder / name.replace("__", ".")
        path.write_text(content)
    handler = "index.js" if "index__js" in files else "lambda_function.py"
    (heard,) = talked({"folder": str(folder), "handler": handler}, None)
    return heard


def test_a_skill_that_is_not_built_is_unstartable_and_told_how(node: str, tmp_path: Path) -> None:
    source = "const { texts } = require('./dist/texts'); exports.handler = async () => 1;\n"
    package = json.dumps({"scripts": {"build": "tsc"}})
    heard = loaded(tmp_path, index__js=source, package__json=package)
    assert isinstance(heard, ConfigurationError)
    assert "build it first (npm run build" in str(heard)
    assert isinstance(loaded(tmp_path, index__js=source, package__json="{}"), AppError)


def test_a_skill_for_another_python_or_node_is_unstartable_and_told_which(
    node: str, tmp_path: Path
) -> None:
    for name, declares in (
        ("py", {"pyproject__toml": "[project]\nrequires-python = '>=3.99'\n"}),
        ("js", {"package__json": json.dumps({"engines": {"node": ">=99"}})}),
    ):
        broken = {"index__js": "const a = ;"} if name == "js" else {"lambda_function__py": "a = ;"}
        folder, plain = tmp_path / name, tmp_path / f"plain_{name}"
        folder.mkdir()
        plain.mkdir()
        heard = loaded(folder, **broken, **declares)
        assert isinstance(heard, ConfigurationError)
        assert "is unstartable: it declares" in str(heard)
        assert "99, and" in str(heard)
        assert isinstance(loaded(plain, **broken), AppError)


@pytest.mark.parametrize(
    ("declared", "error"),
    [
        ("1.4.0", AppError),
        ("^1.0.2", AppError),
        ("~1.4.9", AppError),
        ("1.5.0", ConfigurationError),
        ("^2.0.0", ConfigurationError),
        (">=1 <3", ConfigurationError),
    ],
)
def test_a_file_that_the_declared_version_of_a_library_does_not_offer_is_the_skills_fault(
    node: str, tmp_path: Path, declared: str, error: type[Exception]
) -> None:
    library = tmp_path / "node_modules" / "tea"
    library.mkdir(parents=True)
    offered = {"name": "tea", "version": "1.4.0", "exports": {".": "./index.js"}}
    (library / "package.json").write_text(json.dumps(offered))
    (library / "index.js").write_text("module.exports = 1;\n")
    (library / "cups.js").write_text("module.exports = 2;\n")
    source = "require('tea/cups.js'); exports.handler = async () => 1;\n"
    package = json.dumps({"dependencies": {"tea": declared}})
    assert isinstance(loaded(tmp_path, index__js=source, package__json=package), error)


def test_a_library_that_raises_while_loading_says_nothing_of_the_skill(tmp_path: Path) -> None:
    own = "import os\nKEY = os.environ['NOTHING_LIKE_THAT']\ndef lambda_handler(e, c): pass\n"
    heard = loaded(tmp_path, lambda_function__py=own)
    assert isinstance(heard, ConfigurationError)
    assert "skill.environment" in str(heard)
    bug = "WORDS = {}['greeting']\ndef lambda_handler(e, c): pass\n"
    assert isinstance(loaded(tmp_path, lambda_function__py=bug), AppError)


def test_a_python_is_found_from_the_file_that_names_it(tmp_path: Path) -> None:
    (tmp_path / "skills").mkdir()
    listed = tmp_path / "skills" / "skills.csv"
    listed.write_text("folder,python\nquiz,../envs/quiz/bin/python\ntea,python3\n")
    quiz, tea = read_skill_list(listed)
    assert Path(quiz.config.python or "").resolve() == tmp_path / "envs/quiz/bin/python"
    assert tea.config.python == "python3"


def test_all_in_a_list_of_permissions_means_all() -> None:
    assert ServicesConfig(granted=("all",)).granted == "all"
    assert ServicesConfig(granted=("alexa::profile:name:read",)).granted != "all"


def test_a_process_that_the_machine_kills_is_no_crash_of_the_skill(tmp_path: Path) -> None:
    model = SKILLS / "trouble_python" / "models" / "en-US.json"
    (tmp_path / "en-US.json").write_bytes(model.read_bytes())
    killed = "import os, signal\ndef lambda_handler(e, c): os.kill(os.getpid(), signal.SIGKILL)\n"
    (tmp_path / "lambda_function.py").write_text(killed)
    (heard,) = talked({"folder": str(tmp_path)}, None)
    assert isinstance(heard, EnvironmentFailure)
    assert "signal 9" in str(heard)
