"""Real chatbots that nobody here wrote: conversations of ten turns without loops of the user's.

They are skipped where they are not installed: ALICE needs ``pip install python-aiml``, ELIZA node
and ``npm install elizabot`` (SPARRING_ELIZABOT names the folder with its node_modules).
"""

import asyncio
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from sparring.interfaces.roles import Goal, UserTask
from sparring.model.talk import Observation, Say, Turn, meant_by
from sparring.testing.fakes import FakeContext
from sparring_plugins.language.text import folded
from sparring_plugins.users.agenda.agents import AgendaUser
from sparring_plugins.users.profiles.character import persona_file

ALICE = """
import importlib.resources, json, os, sys
import aiml
os.chdir(importlib.resources.files("aiml") / "botdata" / "alice")
kernel = aiml.Kernel()
kernel.verbose(False)
kernel.bootstrap(learnFiles="startup.xml", commands="LOAD ALICE")
for line in sys.stdin:
    asked = json.loads(line)
    print(json.dumps(kernel.respond(asked["text"], asked["session"])), flush=True)
"""
ELIZA = """
const Eliza = require('elizabot'), bots = {};
require('readline').createInterface({input: process.stdin}).on('line', line => {
  const {session, text} = JSON.parse(line);
  const bot = bots[session] || (bots[session] = new Eliza());
  console.log(JSON.stringify(bot.transform(text)));
});
"""
GOALS = {
    "English": ["say that you are sad", "ask whether the bot can help you", "ask about music",
                "talk about your dreams"],
    "German": ["sage dass du traurig bist", "frage nach dem Wetter", "frage wie der Bot heißt"],
    "Spanish": ["di que estás triste", "pregunta qué tiempo hace", "pregunta cómo se llama"],
    "French": ["dis que tu es triste", "demande comment s'appelle le bot"],
}  # fmt: skip
PEOPLE: list[tuple[str, str | None, str]] = [
    ("English", None, "default"), ("English", None, "long phrases"),
    ("English", None, "short phrases"), ("English", None, "make spelling mistakes"),
    ("English", None, "all questions"), ("English", "elderly", "default"),
    ("English", "rude", "default"), ("English", "child", "default"),
    ("German", None, "default"), ("Spanish", None, "default"), ("French", None, "default"),
]  # fmt: skip


def traits(persona: str | None) -> dict[str, Any]:
    """The traits of a bundled persona."""
    path = persona_file(persona) if persona else None
    return dict(yaml.safe_load(path.read_text("utf-8"))["traits"]) if path else {}


class Bot:
    """A chatbot that reads and writes lines of JSON."""

    def __init__(self, command: list[str], folder: Path | None = None) -> None:
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            cwd=folder,
        )

    def answer(self, session: str, text: str) -> str:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"session": session, "text": text}) + "\n")
        self._process.stdin.flush()
        while line := self._process.stdout.readline():
            if line.startswith('"'):
                return str(json.loads(line))
        pytest.fail("the chatbot ended")

    def stop(self) -> None:
        self._process.kill()
        self._process.communicate(timeout=60)


@pytest.fixture(scope="module", params=["alice", "eliza"])
def bot(request: pytest.FixtureRequest) -> Iterator[Bot]:
    started = _alice() if request.param == "alice" else _eliza()
    yield started
    started.stop()


def _alice() -> Bot:
    if importlib.util.find_spec("aiml") is None:
        pytest.skip("python-aiml is not installed")
    return Bot([sys.executable, "-c", ALICE])


def _eliza() -> Bot:
    folder, node = os.environ.get("SPARRING_ELIZABOT"), shutil.which("node")
    if not folder or node is None:
        pytest.skip("SPARRING_ELIZABOT names no folder with elizabot, or there is no node")
    return Bot([node, "-e", ELIZA], Path(folder))


def converse(bot: Bot, task: UserTask, session: str) -> list[Turn]:
    """Ten turns, or fewer where the user leaves."""
    user = FakeContext().build(AgendaUser)
    turns: list[Turn] = []
    while len(turns) < 10:
        now: dict[str, Any] = {"turns": tuple(turns), "situation": "normal" if turns else "start"}
        act = asyncio.run(user.act(task.model_copy(update=now))).act
        if act is None:
            break
        assert isinstance(act, Say)
        turns.append(Turn(act=act, observation=Observation(text=bot.answer(session, act.text))))
    return turns


@pytest.mark.parametrize(("language", "persona", "style"), PEOPLE)
@pytest.mark.thorough
def test_ten_turns_without_a_loop_of_the_users(
    bot: Bot, language: str, persona: str | None, style: str
) -> None:
    goals = tuple(Goal(phrase=phrase, template=phrase) for phrase in GOALS[language])
    for seed in (1, 2):
        task = UserTask(
            goals=goals,
            language=language,
            style=(style,),
            traits=traits(persona),
            seed=seed,
        )
        turns = converse(bot, task, f"{language}/{persona}/{style}/{seed}")
        said = [folded(meant_by(turn.act)) for turn in turns]
        assert len(turns) >= 3
        often = {words: count for words, count in Counter(said).items() if len(words.split()) > 2}
        assert max(often.values(), default=0) <= 2, often
        assert not any(words.count("{") or words.endswith(" i") for words in said)
        greeted = [index for index, words in enumerate(said) if "goodbye" in words.split()]
        assert not greeted or greeted == [len(said) - 1], "says goodbye in the middle"
