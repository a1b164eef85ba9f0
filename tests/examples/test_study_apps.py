"""The three assistants of examples/study: how they read, what they do, and how often they fail."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from diary.assistant import DiaryAssistant
from home.assistant import HomeAssistant
from kitchen.finder import RecipeFinder
from kitchen.recipes import all_recipes, as_csv
from tests.servers.example_server import EXAMPLES, ask, serving

from sparring.cli.app import invoke
from sparring.model.verdict import Outcome
from sparring.store import find_run
from sparring.testing import hostile

STUDY = EXAMPLES / "study"
APPS = {"kitchen": RecipeFinder, "home": HomeAssistant, "diary": DiaryAssistant}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I am looking for an easy Italian soup with tofu for four people in half an hour.",
         {"dish": "soup", "cuisine": "italian", "wanted": ["tofu"], "difficulty": ["easy"],
          "servings": 4, "minutes": 30}),
        ("A quiche without nuts, within three quarters of an hour.",
         {"dish": "pie", "unwanted": ["nuts"], "minutes": 45}),
        ("Garlic I would rather avoid. What about a vegn stir fry?",
         {"dish": "stir fry", "unwanted": ["garlic"], "diet": "vegan"}),
        ("We do not eat any meat. A curry that is not too difficult, in two hours, just me.",
         {"dish": "curry", "diet": "vegetarian", "difficulty": ["easy"], "minutes": 120,
          "servings": 1}),
    ],
)  # fmt: skip
def test_the_recipe_finder_understands_what_people_say(text: str, expected: dict[str, Any]) -> None:
    assert RecipeFinder().answer(text).data["query"] == expected


def test_the_recipe_finder_finds_only_what_meets_all_wishes_and_says_so() -> None:
    answer = RecipeFinder().answer("A French curry with chicken and without cheese in 60 minutes.")
    assert answer.data["items"]
    for item in answer.data["items"]:
        assert (item["dish"], item["cuisine"]) == ("curry", "french")
        assert "chicken" in item["ingredients"]
        assert "cheese" in item["free_from"]
        assert item["minutes"] <= 60
    assert "French curries with chicken without cheese in 60 minutes" in answer.text
    assert "could not find" in RecipeFinder().answer("A vegan pie with beef.").text
    assert RecipeFinder().answer("Thank you so much.").data["intent"] == "thanks"


def test_the_catalogue_beside_the_suite_has_the_recipes_of_the_finder() -> None:
    assert (STUDY / "kitchen" / "recipes.csv").read_text(encoding="utf-8") == as_csv()
    assert len(all_recipes()) == 900


@pytest.mark.parametrize(
    ("text", "device", "where", "share", "after"),
    [
        ("Turn off the lights in the kitchen.", "lights", "kitchen", 0, 0),
        ("In ten minutes, please set the heating upstairs to nineteen.",
         "heating", "upstairs", 50, 10),
        ("The neighbours can look in. Move the blinds everywhere but in the bedroom a quarter up.",
         "blinds", "everywhere but the bedroom", 25, 0),
        ("Put the fan in the hall, no, wait, in the bathroom to step 3 in half an hour.",
         "fan", "bathroom", 75, 30),
        ("Turn the lamps off in the study, sorry, I mean in the hall.", "lights", "hall", 0, 0),
        ("It is so cold in the bathroom.", "heating", "bathroom", 87.5, 0),
        ("You know the lights in the hall. Put them to full brightness.",
         "lights", "hall", 100, 0),
    ],
)  # fmt: skip
def test_the_house_is_different_as_was_wished_and_in_nothing_else(
    text: str, device: str, where: str, share: float, after: int
) -> None:
    answer = HomeAssistant().answer(text)
    wished = {"device": device, "where": where, "share": share, "after": after}
    assert answer.data["difference"] == [wished]
    assert answer.data["intent"] == "command"


def test_the_house_does_nothing_where_it_is_asked_or_does_not_understand() -> None:
    for text, said in (
        ("Are the lights on in the kitchen?", "35 percent"),
        ("Set the lights in the kitchen.", "What shall I set it to?"),
        ("Turn it off.", "Which device do you mean"),
        ("blah", "didn't get that"),
    ):
        answer = HomeAssistant().answer(text)
        assert said in answer.text
        assert answer.data["difference"][0]["device"] == "nothing"


def test_the_house_remembers_what_was_done() -> None:
    house = HomeAssistant()
    house.answer("Turn on the lights in the kitchen.")
    last = house.answer("Close the blinds in the kitchen.").data["difference"][0]
    assert (last["device"], last["where"], last["share"]) == ("blinds and lights", "kitchen", None)


MADE = {"status": "made", "kind": "lunch", "person": "Anna", "date": "2027-04-16"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Book a lunch with Anna on Friday at half past three for 45 minutes.",
         {**MADE, "time": "15:30", "minutes": 45}),
        ("On the sixteenth at a quarter to five I am having a lunch with Anna in the cafe.",
         {**MADE, "time": "16:45", "place": "cafe"}),
        (("Schedule a lunch with Ana on Tuesday, no, wait, on April 16th at 8 pm, weekly. "
         "Remind me half an hour before."),
         {**MADE, "time": "20:00", "repeat": "weekly", "reminder": 30}),
        (("Forget my coffee with Frank. Put a lunch with Anna in my diary the day after tomorrow "
         "at noon."),
         {**MADE, "time": "12:00", "cancelled": "coffee with Frank"}),
        ("Move my lunch with Anna, in a week at 9:30.",
         {"status": "moved", "kind": "lunch", "date": "2027-04-21", "time": "09:30"}),
        ("Am I free for a call with Boris on Friday next week at four forty-five?",
         {"status": "asked", "kind": "call", "date": "2027-04-23", "time": "16:45"}),
        ("When is my lunch with Anna?", {"status": "found", "date": "2027-05-03"}),
        ("Cancel my lunch with Anna.", {"status": "cancelled", "kind": "lunch"}),
        ("What do I have on the 16th?", {"status": "listed", "date": "2027-04-16"}),
        ("A lunch with Anna, please.", {"status": "nothing"}),
        ("Put a lunch on Friday in my diary.", {"status": "nothing"}),
    ],
)  # fmt: skip
def test_the_diary_does_what_people_say(text: str, expected: dict[str, Any]) -> None:
    outcome = DiaryAssistant().answer(text).data["outcome"][0]
    assert {name: outcome[name] for name in expected} == expected


def test_the_diary_keeps_what_was_put_in() -> None:
    diary = DiaryAssistant()
    assert "You are free" in diary.answer("Am I free for a coffee on April 25th at 6 pm?").text
    diary.answer("Book a coffee with Carla on April 25th at 6 pm.")
    assert "not free" in diary.answer("Am I free for a lunch on April 25th at 6 pm?").text
    assert "coffee with Carla at 18:00" in diary.answer("What do I have on April 25th?").text
    assert "Which appointment" in diary.answer("Cancel my coffee with Carla.").text


ODD = ["9" * 5_000, "at 99:99 on the 99th of april", "٢٣:٣٠ ٣ minutes", "quarter to 0 in 99 days",
       "not " * 500, "cancel " * 300 + "with anna", "on the 31st of april at 25 pm"]  # fmt: skip


@pytest.mark.parametrize("app", APPS)
def test_they_answer_anything(app: str) -> None:
    for text in (*hostile.TEXTS, *ODD):
        answer = APPS[app]().answer(text)
        assert answer.text.strip()
        assert json.loads(json.dumps(answer.shown()))["text"] == answer.text


@pytest.mark.parametrize(
    ("app", "text"),
    [
        ("kitchen", "A soup for two people."),
        pytest.param("home", "Turn off the lights in the hall.", marks=pytest.mark.thorough),
        ("diary", "When is my lunch with Anna?"),
    ],
)
def test_the_server_answers_as_the_assistant_in_this_process(app: str, text: str) -> None:
    with serving("study", "--app", app) as server:
        status, data = ask(server, "POST", "/ask", json.dumps({"text": text}).encode())
        assert (status, data) == (200, APPS[app]().answer(text).shown())
        assert ask(server, "GET", "/health") == (200, {"status": "ok"})
        for method, path, body, refused in (
            ("POST", "/ask", b'{"text": 7}', 400),
            ("POST", "/ask", b"x" * 70_000, 413),
            ("GET", "/ask", b"", 405),
            ("GET", "/nowhere", b"", 404),
        ):
            status, data = ask(server, method, path, body)
            assert (status, list(data)) == (refused, ["error"])


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("app", "least", "most", "kinds"),
    [
        ("kitchen", 0.13, 0.34, 10),
        pytest.param("home", 0.11, 0.3, 6, marks=pytest.mark.thorough),
        ("diary", 0.01, 0.12, 1),
    ],
)
def test_random_requests_fail_as_often_as_is_told_and_all_are_judged(
    app: str,
    least: float,
    most: float,
    kinds: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """From the folder above a suite, its templates are found all the same."""
    monkeypatch.chdir(STUDY)
    command = ["run", f"{app}/suite.yaml", "--runs", str(tmp_path), "--exit-zero",
               "--set", "reporters=[]", "--set", "budget.cases=100"]  # fmt: skip
    assert invoke(command) == 0
    found: Counter[Any] = Counter()
    for case in find_run("last", tmp_path).judged():
        last = next(v for v in case.verdicts if v.gating)
        assert last.outcome in (Outcome.PASS, Outcome.FAIL)
        found[tuple(last.details["kind"]) if last.outcome is Outcome.FAIL else None] += 1
    failing = found.total() - found[None]
    assert least <= failing / found.total() <= most
    assert len(found) > kinds


@pytest.mark.thorough  # covering arrays of strength 4 over 20 features
def test_the_study_is_sound(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(STUDY)
    assert invoke(["study", "--dry-run"]) == 0
    told = capsys.readouterr().out
    assert "4 strategies x 3 apps x 6 seeds" in told


@pytest.mark.thorough
def test_runs_of_a_study_import_what_is_in_the_folder_that_it_is_started_from(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pytest.importorskip("sklearn")
    monkeypatch.chdir(STUDY)
    suite = json.dumps(str(STUDY / "diary" / "suite.yaml"))
    written = f"name: small\nsuite: {suite}\nstrategies: [random]\nseeds: 1\nbudget: {{cases: 3}}\n"
    (tmp_path / "study.yaml").write_text(written, encoding="utf-8")
    assert invoke(["study", str(tmp_path / "study.yaml")]) == 0
    runs = next((tmp_path / "studies" / "small" / "cells").rglob("runs"))
    assert len(list(find_run("last", runs).judged())) == 3
