"""What of a skill is reached: intents, slots, samples; handlers and lines where wanted."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from sparring.model.case import Case
from sparring.model.talk import AppFacts, Listen, Say
from sparring.testing.fakes import FakeContext
from sparring_connectors.alexa.connector import AlexaConnector
from sparring_connectors.alexa.coverage import HandlerPlace, find_handlers
from sparring_connectors.alexa.hosting.host import LineRecord
from sparring_plugins.reporting.apps_seen import lines_of

MODEL = {
    "interactionModel": {
        "languageModel": {
            "invocationName": "small shop",
            "intents": [
                {
                    "name": "BuyIntent",
                    "slots": [
                        {"name": "count", "type": "AMAZON.NUMBER"},
                        {"name": "thing", "type": "AMAZON.Food"},
                    ],
                    "samples": ["buy {thing}", "buy {count} {thing}"],
                },
                {"name": "AskIntent", "samples": ["what is there"]},
                {"name": "AMAZON.StopIntent", "samples": []},
            ],
        }
    }
}
PYTHON = '''
"""A shop."""

from ask_sdk_core.skill_builder import SkillBuilder
from ask_sdk_core.dispatch_components import AbstractRequestHandler
from ask_sdk_core.utils import is_intent_name, is_request_type

sb = SkillBuilder()


class BuyHandler(AbstractRequestHandler):
    def can_handle(self, handler_input):
        return is_intent_name("BuyIntent")(handler_input)

    def handle(self, handler_input):
        return handler_input.response_builder.speak("Sold. What else?").ask("What?").response


class AskHandler(AbstractRequestHandler):
    def can_handle(self, handler_input):
        return is_intent_name("AskIntent")(handler_input)

    def handle(self, handler_input):
        text = "Bread."
        return handler_input.response_builder.speak(text).response


@sb.request_handler(can_handle_func=is_request_type("LaunchRequest"))
def launched(handler_input):
    return handler_input.response_builder.speak("Welcome. What?").ask("What?").response


sb.add_request_handler(BuyHandler())
sb.add_request_handler(AskHandler())
lambda_handler = sb.lambda_handler()
'''
PLAIN = """
def lambda_handler(event, context):
    speech = {"type": "PlainText", "text": "What else?"}
    return {"version": "1.0", "response": {"outputSpeech": speech, "shouldEndSession": False}}
"""
NODE = """// A shop, without an SDK.
const LaunchHandler = {
  canHandle(kind) {
    return kind === 'LaunchRequest';
  },
  handle() {
    return ['Welcome. What?', false];
  },
};
/* What
   is sold. */
const BuyHandler = {
  canHandle: (kind) => kind === 'BuyIntent',
  handle: async function () {
    return ['Sold. What else?', false];
  },
};
class AskHandler {
  canHandle(kind) { return kind === 'AskIntent'; }
  handle() {
    const text = 'Bread.';
    return [text, true];
  }
}
const handlers = [LaunchHandler, BuyHandler, new AskHandler()];
exports.handler = async (event) => {
  const { type, intent } = event.request;
  const found = handlers.find((one) => one.canHandle(intent ? intent.name : type));
  if (!found) return { version: '1.0', response: {} };
  const [text, shouldEndSession] = await found.handle();
  return { version: '1.0', response: { outputSpeech: { type: 'PlainText', text }, shouldEndSession } };
};
"""


def reached(folder: Path, *said: str, **settings: Any) -> AppFacts:
    async def talk() -> AppFacts | None:
        context = FakeContext(base_dir=folder)
        connector = context.build(AlexaConnector, skill=str(folder), **settings)
        try:
            async with connector.open(Case.of("voice", {}, run_seed=1)) as session:
                await session.send(Listen())
                for text in said:
                    await session.send(Say(text=text))
            return session.facts()
        finally:
            await context.close()

    found = asyncio.run(talk())
    assert found is not None
    return found


def shop(folder: Path, name: str, source: str) -> Path:
    (folder / "models").mkdir(parents=True, exist_ok=True)
    (folder / "models" / "en-US.json").write_text(json.dumps(MODEL), encoding="utf-8")
    manifest = {
        "manifest": {
            "publishingInformation": {"category": "SHOPPING"},
            "permissions": [{"name": "alexa::profile:email:read"}],
        }
    }
    (folder / "skill.json").write_text(json.dumps(manifest), encoding="utf-8")
    (folder / name).write_text(source, encoding="utf-8")
    return folder


def by_kind(facts: AppFacts) -> dict[str, tuple[set[str], set[str]]]:
    return {one.kind: (set(one.reached), set(one.whole)) for one in facts.parts}


def test_intents_slots_and_samples_are_counted(tmp_path: Path) -> None:
    facts = reached(shop(tmp_path, "lambda_function.py", PLAIN), "buy two apples")
    found = by_kind(facts)
    assert found["intents"] == ({"BuyIntent"}, {"BuyIntent", "AskIntent", "AMAZON.StopIntent"})
    assert found["slots"][0] == {"BuyIntent.count", "BuyIntent.thing"}
    assert found["samples"][0] == {"BuyIntent: buy {count} {thing}"}
    assert set(found) == {"intents", "slots", "samples"}
    assert (facts.category, facts.permissions) == ("SHOPPING", ("alexa::profile:email:read",))


def test_nothing_is_counted_where_nothing_is_wanted(tmp_path: Path) -> None:
    folder = shop(tmp_path, "lambda_function.py", PLAIN)
    assert reached(folder, "buy bread", coverage="none").parts == ()


@pytest.mark.parametrize("language", ["python", "node"])
def test_handlers_and_lines_that_ran_are_known(
    tmp_path: Path, language: str, request: pytest.FixtureRequest
) -> None:
    if language == "node":
        request.getfixturevalue("node")
        folder = shop(tmp_path, "index.js", NODE)
        source, launch, buy, ask = NODE, "LaunchHandler", "BuyHandler", "AskHandler"
    else:
        folder = shop(tmp_path, "lambda_function.py", PYTHON)
        source, launch, buy, ask = PYTHON, "launched", "BuyHandler", "AskHandler"
    facts = reached(folder, "buy bread", coverage="lines")
    found = by_kind(facts)
    assert facts.notes == ()
    assert found["handlers"] == ({launch, buy}, {launch, buy, ask})
    _, ran = lines_of(next(iter(found["lines"][0])))
    _, whole = lines_of(next(iter(found["lines"][1])))
    lines = source.splitlines()
    sold = next(n for n, line in enumerate(lines, 1) if "Sold. What else?" in line)
    bread = next(n for n, line in enumerate(lines, 1) if "Bread." in line)
    assert sold in ran
    assert {bread, bread + 1} <= whole - ran
    assert whole >= ran
    blank = {n for n, line in enumerate(lines, 1) if not line.strip() or line.startswith("//")}
    assert not blank & whole


def test_a_python_without_coverage_says_so(tmp_path: Path) -> None:
    folder = shop(tmp_path, "lambda_function.py", PLAIN)
    hidden = tmp_path / "hidden"
    hidden.mkdir()
    (hidden / "coverage.py").write_text("raise ImportError('not here')", encoding="utf-8")
    skill = {"folder": str(folder), "environment": {"PYTHONPATH": str(hidden)}}
    context = FakeContext(base_dir=folder)

    async def talk() -> AppFacts | None:
        connector = context.build(AlexaConnector, skill=skill, coverage="lines")
        try:
            async with connector.open(Case.of("voice", {}, run_seed=1)) as session:
                await session.send(Listen())
            return session.facts()
        finally:
            await context.close()

    facts = asyncio.run(talk())
    assert facts is not None
    assert "no lines are counted: the skill's Python has no coverage.py" in facts.notes[0]
    assert "handlers" not in by_kind(facts)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("const handlers = {\n  'LaunchRequest': function () {\n    this.emit(':ask');\n  },\n};",
         [HandlerPlace("LaunchRequest", 3, 3)]),
        ("const A = {\n  canHandle() { return true; },\n  handle(input) {\n    x();\n  }\n};",
         [HandlerPlace("A", 4, 4)]),
        ("class B extends C {\n  async handle(i) {\n    return 1;\n  }\n}", [HandlerPlace("B", 3, 3)]),
        ("function handle(x) {\n}", []),
        ("", []),
    ],
)  # fmt: skip
def test_handlers_of_javascript_are_found(source: str, expected: list[HandlerPlace]) -> None:
    assert find_handlers("index.js", source) == expected


@pytest.mark.parametrize(
    "source", ["def (", "\0", "(" * 5000, "class A:\n  def handle(self): pass"]
)
def test_any_python_is_looked_through(source: str) -> None:
    assert len(find_handlers("x.py", source)) == (1 if source.startswith("class") else 0)


@pytest.mark.parametrize(
    "told", [None, 3, [], {"files": 3}, {"files": {"a": 1}}, {"files": {"a": {"ran": ["x", -1]}}}]
)
def test_what_a_runner_should_not_tell_is_passed_over(told: object) -> None:
    record = LineRecord()
    record.add(told)
    assert all(not file.ran for file in record.files.values())
