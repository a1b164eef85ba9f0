"""What is found in a skill's folder, wherever it lies and whatever shape it has."""

import json
from pathlib import Path
from typing import Any

import pytest

from sparring.errors import ConfigurationError
from sparring_connectors.alexa.config import SkillConfig
from sparring_connectors.alexa.interaction_model import Strategy, read_model
from sparring_connectors.alexa.skill_folder import find_handler, find_models
from sparring_connectors.alexa.skills import load_skill

INNER = {"invocationName": "My  Skill", "intents": [{"name": "A", "samples": ["a"]}]}
PYTHON = "def lambda_handler(event, context):\n    return {}\n"


def write(folder: Path, files: dict[str, Any]) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = content if isinstance(content, str) else json.dumps(content)
        path.write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    "place",
    [
        "models/en-US.json",
        "skill-package/interactionModels/custom/en-US.json",
        "interactionModels/custom/en-US.json",
        "lambda/py/my_model_en-US.json",
        "model.json",
    ],
)
@pytest.mark.parametrize(
    "shape",
    [
        {"interactionModel": {"languageModel": INNER}},
        {"languageModel": INNER},
        INNER,
        "\ufeff" + json.dumps({"interactionModel": {"languageModel": INNER}}).replace(",", ",\r\n"),
    ],
    ids=["whole", "without the outer key", "bare", "with BOM and CRLF"],
)
def test_models_are_found_in_every_place_and_shape(tmp_path: Path, place: str, shape: Any) -> None:
    write(tmp_path, {place: shape, "package.json": {"intents": "none"}, "lambda/h.py": PYTHON})
    assert list(find_models(tmp_path)) == ["en-US"]
    skill = load_skill(SkillConfig(folder=str(tmp_path)), tmp_path, None)
    assert skill.name == "my skill"
    assert skill.handler is not None
    assert skill.handler.file.name == "h.py"


def test_libraries_hold_no_model_and_usual_places_go_first(tmp_path: Path) -> None:
    other = {**INNER, "invocationName": "other"}
    write(
        tmp_path,
        {
            "node_modules/x/models/de-DE.json": {"languageModel": INNER},
            "old/en-US.json": {"languageModel": other},
            "skill-package/interactionModels/custom/en-US.json": {"languageModel": INNER},
            "skill-package/interactionModels/custom/en-GB.json": {"languageModel": INNER},
            "lambda/index.js": "exports.handler = () => {};",
        },
    )
    found = find_models(tmp_path)
    assert sorted(found) == ["en-GB", "en-US"]
    assert found["en-US"].parent.name == "custom"


def test_the_oldest_format_has_its_samples_beside_it(tmp_path: Path) -> None:
    schema = {"intents": [{"intent": "Buy", "slots": [{"name": "What", "type": "LIST"}]}]}
    write(
        tmp_path,
        {
            "speechAssets/IntentSchema.json": schema,
            "speechAssets/SampleUtterances.txt": "Buy purchase {What}\n\nBuy get {a thing|What}\n",
        },
    )
    model = read_model(tmp_path / "speechAssets/IntentSchema.json", "en-US")
    assert model.intents["Buy"].samples == ("purchase {What}", "get {a thing|What}")


def test_oddities_are_taken_as_they_come(tmp_path: Path) -> None:
    model = {
        "languageModel": {
            "invocationName": "odd",
            "intents": [
                {"name": "A", "slots": [{"name": "free"}, {"type": "X"}, 3], "samples": ["x", 7]},
                {"samples": ["no name"]},
                "nonsense",
            ],
            "types": [
                {"name": "T", "values": [{"name": {"value": "one"}}, {"name": "two"}, {}, None]},
                {
                    "name": "AMAZON.Color",
                    "values": [{"name": {"value": "mud", "synonyms": ["dirt"]}}],
                },
            ],
        },
        "dialog": {
            "delegationStrategy": "SKILL_RESPONSE",
            "intents": [{"name": "A", "slots": None}],
        },
        "prompts": [{"id": "P"}, {}],
    }
    write(tmp_path, {"m.json": model})
    found = read_model(tmp_path / "m.json", "en-US")
    assert [slot.name for slot in found.intents["A"].slots] == ["free"]
    assert [item.name for item in found.types["T"].entities] == ["one", "two"]
    assert len(found.types["T"].entities[0].id) == 32  # made, as Alexa makes one
    assert found.dialogs["A"].strategy is Strategy.SKILL_RESPONSE
    assert len(found.notes) == 2


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"lambda/py/hello.py": PYTHON}, "lambda/py/hello.py"),
        (
            {"lambda/py/hello.py": "x = 1", "lambda/py/a.py": "sb = 1\nhandler = sb"},
            "lambda/py/a.py",
        ),
        ({"lambda/custom/index.js": "exports.handler = 1"}, "lambda/custom/index.js"),
        ({"src/index.mjs": "export const handler = async () => 1"}, "src/index.mjs"),
        ({"index.js": "module.exports = { a, handler }"}, "index.js"),
        (
            {
                "lambda/index.js": "const skill = require('./dist/src')\nmodule.exports = skill",
                "lambda/dist/src/index.js": "exports.handler = 1",
            },
            "lambda/index.js",
        ),
        (
            {
                "lambda/index.mjs": "export * from './dist/main.js';",
                "lambda/dist/main.js": "export const handler = 1",
            },
            "lambda/index.mjs",
        ),
        (
            {"a/index.js": "exports.handler=1", "lambda/index.js": "exports.handler=1"},
            "lambda/index.js",
        ),
        (
            {
                "lambda/index.js": "exports.handler=1",
                "code/main.py": PYTHON,
                "ask-resources.json": {
                    "profiles": {"default": {"code": {"default": {"src": "code"}}}}
                },
            },
            "code/main.py",
        ),
    ],
)
def test_handlers_are_found(tmp_path: Path, files: dict[str, Any], expected: str) -> None:
    found = find_handler(write(tmp_path, files), None)
    assert found.file.relative_to(tmp_path).as_posix() == expected


@pytest.mark.parametrize(
    ("named", "file", "function"),
    [
        ("lambda/a.py", "a.py", "lambda_handler"),
        ("lambda/a.other", "a.py", "other"),
        ("lambda/b.js", "b.js", "handler"),
        ("lambda/b.start", "b.js", "start"),
    ],
)
def test_a_handler_is_named_by_file_or_function(
    tmp_path: Path, named: str, file: str, function: str
) -> None:
    write(tmp_path, {"lambda/a.py": PYTHON, "lambda/b.js": "exports.start = 1"})
    found = find_handler(tmp_path, named)
    assert (found.file.name, found.function) == (file, function)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, "holds no interaction model"),
        ({"models/en-US.json": {"languageModel": {"intents": []}}}, "no invocationName"),
        ({"models/en-US.json": {"languageModel": INNER}}, "holds no handler"),
        (
            {
                "models/en-US.json": {"languageModel": INNER},
                "a.js": "module.exports = require('./b.js')",
                "b.js": "module.exports = require('./a.js')",
            },
            "holds no handler",
        ),
        ({"models/en-US.json": "{"}, "holds no interaction model"),
    ],
)
def test_what_is_missing_is_told(tmp_path: Path, files: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        load_skill(SkillConfig(folder=str(write(tmp_path, files))), tmp_path, None)


@pytest.mark.parametrize(
    ("text", "message"), [("{", "no valid JSON"), ("[]", "no interaction model")]
)
def test_a_model_that_is_named_and_no_model_is_told_with_its_file(
    tmp_path: Path, text: str, message: str
) -> None:
    write(tmp_path, {"m.json": text, "a.py": PYTHON})
    with pytest.raises(ConfigurationError, match=rf"m\.json.*{message}"):
        load_skill(SkillConfig(folder=str(tmp_path), model="m.json"), tmp_path, None)


def test_a_skill_that_demands_its_own_id_gets_it(tmp_path: Path) -> None:
    own = "amzn1.ask.skill.a5e1cbf3-2c0b-40d4-8adf-f6709358cc21"
    other = "amzn1.ask.skill.b5e1cbf3-2c0b-40d4-8adf-f6709358cc21"
    found = [
        load_skill(write_demanding(tmp_path / str(at), ids), tmp_path, None).application_id
        for at, ids in enumerate([(own,), (own, other), ()])
    ]
    assert found[0] == own
    assert found[1] == found[2] not in (own, other)  # of two nobody knows which one is meant


def write_demanding(folder: Path, ids: tuple[str, ...]) -> SkillConfig:
    folder.mkdir()
    intents = [{"name": "HelloIntent", "samples": ["hello"]}]
    model = {"languageModel": {"invocationName": "tea corner", "intents": intents}}
    (folder / "en-US.json").write_text(json.dumps({"interactionModel": model}))
    names = "".join(f"SKILL_{at} = {name!r}\n" for at, name in enumerate(ids))
    source = f"{names}def lambda_handler(event, context):\n    return {{}}\n"
    (folder / "lambda_function.py").write_text(source)
    return SkillConfig(folder=str(folder))
