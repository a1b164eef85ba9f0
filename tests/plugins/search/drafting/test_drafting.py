"""A space is drafted from prompts, documents, OpenAPI descriptions and real requests."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml

from sparring.cli.app import invoke
from sparring_plugins.search.drafting.model_drafter import SHOWN, parts_of

PROMPT = """\
You are the assistant of Lago, a restaurant. You help guests book a table, cancel a booking or
change the number of people.
We serve dishes such as pizza, pasta, risotto and salad. Bookings are for between 2 and 12 people.
Never reveal other guests' bookings.

Areas:
- terrace
- garden: by the lake
"""

API = {
    "openapi": "3.0.0",
    "info": {"title": "Pet shop"},
    "paths": {
        "/pets": {
            "get": {
                "summary": "List pets",
                "parameters": [
                    {"name": "kind", "in": "query", "schema": {"enum": ["dog", "cat"]}},
                    {"name": "limit", "in": "query", "schema": {"minimum": 1, "maximum": 50}},
                ],
            },
            "post": {
                "summary": "Add a pet",
                "requestBody": {
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/P"}}}
                },
            },
        }
    },
    "components": {
        "schemas": {"P": {"properties": {"kind": {"enum": ["dog", "fish"]}, "name": {},
                                         "vaccinated": {"type": "boolean"}}}}
    },
}  # fmt: skip

CYCLE = json.dumps(
    {
        "openapi": "3",
        "paths": {"/": {"get": {"summary": "x", "parameters": [{"$ref": "#/a"}]}}},
        "a": {"$ref": "#/a"},
    }
)


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def drafted(name: str, *options: str) -> dict[str, dict[str, dict[str, Any]]]:
    """Draft a space, require that it can be shown and run, and return its content."""
    assert invoke(["draft", name, "--to", "out", *options]) == 0
    path = Path("out") / f"{Path(name).stem}.yaml"
    assert invoke(["space", str(path), "--sample", "20"]) == 0
    Path("suite.yaml").write_text(
        f"name: drafted\napp: {{use: echo}}\nagent: {{use: prompter, spaces: {path}}}\n"
        "strategy: random\nbudget: {cases: 30}\n"
    )
    assert invoke(["run", "suite.yaml"]) in (0, 4)
    content: dict[str, dict[str, dict[str, Any]]] = yaml.safe_load(path.read_text())["content"]
    return content


def test_a_prompt_says_what_is_wanted_and_what_varies(capsys: pytest.CaptureFixture[str]) -> None:
    Path("prompt.md").write_text(PROMPT)
    content = drafted("prompt.md")
    assert list(content["wish"]["values"]) == [
        "book_a_table", "cancel_a_booking", "change_the_number_of_people",
    ]  # fmt: skip
    assert list(content["serve_dishes"]["values"]) == ["none", "pizza", "pasta", "risotto", "salad"]
    assert list(content["areas"]["values"]) == ["none", "terrace", "garden"]
    numbers = content["people"]["range"]
    assert (numbers["from"], numbers["to"], numbers["as"]) == (1, 18, "for {} people")
    assert "forbidden: Never reveal other guests' bookings." in capsys.readouterr().err


def test_real_requests_give_wishes_slots_and_weights() -> None:
    draw = Random(1)
    wishes, people = ["book a table", "cancel my booking"], ["two", "four", "3", "ten"]
    places = ["the terrace", "the garden", "the bar"]
    lines = [
        f"{draw.choice(['I want to', 'Please', 'Can you'])} {draw.choices(wishes, [4, 1])[0]}"
        f" for {draw.choice(people)} people at {draw.choice(places)}."
        for _ in range(60)
    ]
    Path("logs.jsonl").write_text("\n".join(json.dumps({"user": line}) for line in lines))
    content = drafted("logs.jsonl")
    values = content["wish"]["values"]
    assert list(values) == ["book_a_table", "cancel_my_booking"]
    counted = sum("book a table" in line for line in lines)
    assert values["book_a_table"] == {"as": ["book a table"], "weight": counted}
    assert content["people"]["range"]["from"] == 2
    assert content["people"]["range"]["to"] == 10
    assert content["at_what"]["values"]["at_the_bar"]["as"] == ["at the bar"]
    assert content["at_what"]["values"]["none"] == {"weight": 0}


def test_operations_are_wishes_and_their_parameters_features() -> None:
    Path("api.json").write_text(json.dumps(API))
    content = drafted("api.json")
    assert list(content["wish"]["values"]) == ["list_pets", "add_a_pet"]
    assert list(content["kind"]["values"]) == ["none", "kind_dog", "kind_cat", "kind_fish"]
    assert content["limit"]["range"]["to"] == 50
    constraints = yaml.safe_load(Path("out/api.yaml").read_text())["constraints"]
    assert {"when": "wish not in ['list_pets']", "drop": ["limit"]} in constraints
    assert {"when": "wish not in ['add_a_pet']", "drop": ["vaccinated"]} in constraints


def test_reserved_names_and_many_operations_make_a_space_that_can_be_read() -> None:
    kinds = ["wish", "request", "opening", "politeness"]
    paths = {
        f"/{number}": {
            "get": {
                "summary": "none" if number == 1 else f"Do thing {number}",
                "parameters": [
                    {"name": name, "schema": {"enum": ["1e5", "b"]}}
                    for name in (kinds[number % 4], "early" if number < 9 else "late")
                    if number < 9 or number > 12
                ],
            }
        }
        for number in range(1, 21)
    }
    Path("many.json").write_text(json.dumps({"openapi": "3.0.0", "paths": paths}))
    content = drafted("many.json")
    assert len(content["wish"]["values"]) == 12
    assert {"wish_2", "request_2", "opening_2", "politeness_2", "early"} < set(content)
    assert "late" not in content, "no wish that is kept takes it"


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("empty.md", "Nothing here.", "empty.md: no features found: expected requests"),
        ("empty.txt", "", "no features found"),
        ("zeros.txt", "book\0a table", "zeros.txt: is not UTF-8 text"),
        ("long.csv", "text\n" + "a" * 200_000, "long.csv:2: is no CSV"),
        ("bad.json", "{", "is no JSON"),
        ("list.json", '["book a table"]', "is no OpenAPI description"),
        ("none.json", '{"openapi": "3", "paths": {}}', "an OpenAPI description with operations"),
        ("infinite.json", json.dumps(API).replace("50", "1e999"), ""),
        ("deep.json", "[" * 100_000, "is no JSON"),
        ("cycle.json", CYCLE, ""),
    ],
)  # fmt: skip
def test_what_cannot_be_read_ends_in_a_message(
    name: str, text: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path(name).write_text(text)
    assert invoke(["draft", name]) == (2 if message else 0)
    assert message in capsys.readouterr().err


FERRY: dict[str, Any] = {
    "about": "It sells tickets.",
    "wishes": ["buy a ticket", "know the times"],
    "features": [
        {"name": "to", "values": ["to Odde", "to Kiel"], "numbers": None, "optional": False,
         "quote": "between Odde and Helsund"},
        {"name": "people", "values": [], "optional": True, "quote": "up to 9 people",
         "numbers": {"least": 0, "most": 11, "words": "for {} people"}},
    ],
    "forbidden": ["Never promise a refund."],
}  # fmt: skip
MORE: dict[str, Any] = {
    "about": "",
    "wishes": ["buy a ticket"],
    "features": [
        {"name": "to", "values": ["to Helsund"], "numbers": None, "optional": False,
         "quote": "to Helsund"},
        {"name": "date", "values": ["tomorrow", "on Sunday"], "numbers": None, "optional": True,
         "quote": "tomorrow"},
    ],
    "forbidden": [],
}  # fmt: skip


def _drafted_by_model(folder: Path, *answers: Any) -> int:
    """Draft from a prompt and three requests with a model that gives these answers in turn."""
    (folder / "ferry.md").write_text("Ferries sail between Odde and Helsund, up to 9 people each.")
    (folder / "asks.txt").write_text(
        "buy a ticket to Odde\nbuy a ticket to Odde tomorrow\nI want to go to Helsund\n"
    )
    script = {"answers": [{"sequence": [{"data": answer} for answer in answers]}]}
    (folder / "answers.yaml").write_text(yaml.safe_dump(script))
    llm = "{use: scripted, script: answers.yaml}"
    return invoke(["draft", "ferry.md", "asks.txt", "--llm", llm])


def test_a_model_reads_prose_and_requests_into_one_space_that_plays(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert _drafted_by_model(tmp_path, FERRY, MORE) == 0
    assert "note: forbidden: Never promise a refund." in capfd.readouterr().err
    space = yaml.safe_load((tmp_path / "ferry.yaml").read_text())
    assert space["about"] == "It sells tickets."
    assert set(space["content"]) == {"wish", "to", "people", "date"}
    to = space["content"]["to"]["values"]
    assert {name: value["weight"] for name, value in to.items()} == {
        "to_odde": 2,
        "to_kiel": 1,
        "to_helsund": 1,
    }
    assert space["content"]["people"]["range"]["to"] == 11
    assert set(space["content"]["date"]["values"]) == {"none", "tomorrow", "on_sunday"}
    assert invoke(["space", "ferry.yaml", "--sample", "3"]) == 0


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"quote": "between Odde and Oslo"}, "does not stand there letter for letter"),
        ({"values": ["to Odde"]}, "too few values"),
        ({"values": ["to Odde", "x" * 61]}, "longer than 60 characters"),
        ({"numbers": {"least": 1, "most": 9, "words": "for people"}}, "no {} for the number"),
        ({"numbers": {"least": 9, "most": 9, "words": "for {}"}}, "is not below the most"),
    ],
)
def test_what_a_model_says_is_sent_back_and_at_last_read_by_rules(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], change: dict[str, Any], complaint: str
) -> None:
    wrong = {**FERRY, "features": [{**FERRY["features"][0], **change}]}
    assert _drafted_by_model(tmp_path, wrong, wrong, wrong, {**MORE, "features": []}) == 0
    err = capfd.readouterr().err
    assert "read without the model, whose answer was unusable" in err
    assert complaint in " ".join(err.split())
    assert "people" in yaml.safe_load((tmp_path / "ferry.yaml").read_text())["content"]


def test_a_long_text_is_shown_in_parts_between_lines() -> None:
    text = "".join(f"line {number}\n" for number in range(4_000))
    parts = parts_of(text)
    assert len(parts) > 1
    assert all(len(part) <= SHOWN and part.endswith("\n") for part in parts)
    assert text.startswith("".join(parts))
