"""Profiles proposed from a project: what is in them, and that they load and run."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner
from rasa_server import HOTEL
from sparring import ConfigurationError
from sparring.cli.app import sparring
from sparring_plugins.users.drafts import Drafts

from sparring_rasa.drafting import drafts_of
from sparring_rasa.nlu import example_of
from sparring_rasa.project import read_project


def proposed(folder: Path) -> dict[str, dict[str, Any]]:
    drafts: Drafts = drafts_of(read_project(folder))
    return {draft.name: dict(draft.data) for draft in drafts.profiles}


def run(*arguments: str, code: int = 0) -> str:
    done = CliRunner().invoke(sparring, arguments, standalone_mode=False)
    if done.exception is not None:
        raise done.exception
    assert (done.return_value or 0) == code, done.output
    return done.output


@pytest.fixture
def suite(tmp_path: Path, rasa: Any) -> Path:
    """A suite proposed from the hotel's files, for the server that plays them."""
    run("profiles", "new", "--from", "rasa", str(HOTEL), "--to", str(tmp_path))
    file = tmp_path / "suite.yaml"
    file.write_text(file.read_text().replace("http://localhost:5005", rasa.url))
    return file


def test_what_is_proposed_is_valid(suite: Path) -> None:
    shown = run("validate", str(suite))
    assert "4 scenarios, 6 cases" in shown
    assert "valid" in shown


def test_what_is_proposed_runs_and_reaches_its_goals(suite: Path, rasa: Any) -> None:
    shown = run("run", str(suite))
    assert "6 conversations, 6 pass" in shown
    said = {message for _, message in rasa.assistant.said}
    assert {"How much is the parking?", "My heating does not work."} <= said


def test_a_form_becomes_a_profile_with_its_slots() -> None:
    form = proposed(HOTEL)["room_form"]
    goals = form["user"]["goals"]
    assert goals[:5] == [
        "I need a {{room_type}} for {{nights}} nights",
        "{{arrival}} as the arrival",
        "I want breakfast",
        "{{guest_name}} as the guest name",
        {
            "room_type": {
                "function": "forward()",
                "type": "string",
                "data": ["single", "double", "suite"],
            }
        },
    ]
    variables = {name: given for goal in goals[4:] for name, given in goal.items()}
    assert variables["nights"] == {"function": "forward()", "type": "int", "data": [2, 4, 3]}
    assert variables["arrival"]["data"] == ["Friday", "Monday"]
    assert form["chatbot"]["fallback"] == "Sorry, I did not understand that."
    listed = form["chatbot"]["output"]
    outputs = {name: given["type"] for one in listed for name, given in one.items()}
    assert outputs == {
        "room_type": "string", "arrival": "string", "guest_name": "string"
    }  # fmt: skip
    assert form["conversation"]["number"] == 3


def test_stories_become_profiles_without_their_small_talk() -> None:
    found = proposed(HOTEL)
    followed = found["complaint_that_is_followed_up"]["user"]
    assert followed["goals"] == ["my heating does not work"]
    question = "I am sorry to hear that. Shall I call somebody?"
    assert followed["context"] == [f'When the assistant asks "{question}", you answer "yes".']
    assert found["complaint_that_is_not"]["user"]["context"][0].endswith('you answer "no".')


def test_what_is_left_becomes_questions() -> None:
    assert proposed(HOTEL)["questions"]["user"]["goals"] == [
        "how much is the parking?",
        "when do I have to check out?",
        "can I bring my dog?",
    ]


@pytest.mark.parametrize(
    ("line", "text", "entities"),
    [
        ("for [4](number) people", "for 4 people", [("number", "4", None)]),
        ("to [NYC](city:New York)", "to NYC", [("city", "New York", None)]),
        (
            'from [Rome]{"entity": "city", "role": "departure", "value": "ROM"} please',
            "from Rome please",
            [("city", "ROM", "departure")],
        ),
        ("[a] b (c)", "[a] b (c)", []),
        ("[a]{not json}", "[a]{not json}", []),
        ("[a](b)[c](d)", "ac", [("b", "a", None), ("d", "c", None)]),
        ("", "", []),
    ],
)
def test_annotations_are_read(line: str, text: str, entities: list[Any]) -> None:
    example = example_of(line)
    assert example.text == text
    assert [(one.entity, one.value, one.role) for one in example.mentions] == entities


def write(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        (folder / f"{name}.yml").write_text(text)
    return folder


def test_a_domain_may_be_split_and_written_the_old_way(tmp_path: Path) -> None:
    folder = write(
        tmp_path,
        intents="intents: [order: {use_entities: true}]\n",
        slots="slots: {size: {type: text}, size2: {type: text, mappings: [{type: from_text}]}}\n",
        forms="forms:\n  order_form:\n    size: [{entity: kind, type: from_entity}]\n"
        "    extra: [{type: from_intent, intent: affirm, value: true}]\n",
        nlu="nlu: [{intent: order, examples: ['I want a [big](kind) one']}]\n",
        rules="rules:\n- rule: r\n  steps: [{intent: order}, {action: order_form}, "
        "{active_loop: order_form}]\n",
    )
    goals = proposed(folder)["order_form"]["user"]["goals"]
    assert goals[0] == "I want a {{size}} one"
    assert goals[1] == "I want extra"
    assert goals[2]["size"]["data"] == ["big"]


def test_examples_are_read_however_they_are_listed(tmp_path: Path) -> None:
    folder = write(
        tmp_path,
        domain="intents: [a]\n",
        nlu="nlu:\n- {intent: a, examples: 'who are you?\n\n  and you?'}\n"
        "- {lookup: x, examples: data/x.txt}\n",
    )
    project = read_project(folder)
    assert [one.text for one in project.training.examples["a"]] == ["who are you?", "and you?"]
    assert "the lookup table x is in a file that is not read" in project.notes[0]


def test_roles_tell_slots_of_one_entity_apart(tmp_path: Path) -> None:
    mapping = "mappings: [{type: from_entity, entity: city, role: %s}]"
    folder = write(
        tmp_path,
        domain="intents: [fly]\nslots:\n"
        f"  start: {{type: text, {mapping % 'from'}}}\n  goal: {{type: text, {mapping % 'to'}}}\n",
        nlu="nlu:\n- intent: fly\n  examples: |\n"
        '    - I fly from [Rome]{"entity": "city", "role": "from"} '
        'to [Oslo]{"entity": "city", "role": "to"}\n',
    )
    goals = proposed(folder)["questions"]["user"]["goals"]
    assert goals[0] == "I fly from {{start}} to {{goal}}"
    assert [next(iter(goal.values()))["data"] for goal in goals[1:]] == [["Rome"], ["Oslo"]]


HOSTILE = {
    "braces": "nlu: [{intent: a, examples: ['what is {{x}} {{ y }}?']}]\nintents: [a]\n",
    "odd names": "nlu: [{intent: '../../x y/\\u0007', examples: [who are you?]}]\nintents: [a]\n",
    "numbers": "nlu: [{intent: 5, examples: [1, 2.5, null, {text: 7}]}]\nintents: [5, 6]\n",
    "wrong kinds": "intents: 7\nslots: [a, {b: 3}]\nforms: {f: 3, g: [x], h: {required_slots: a}}\n"
    "responses: {u: 3, v: [4, null, {text: null, buttons: 5}]}\nnlu: {a: b}\nrules: 5\n"
    "stories: [3, {steps: 4}, {steps: [3, {intent: null}, {or: []}]}]\n"
    "nlu: [3, {intent: a, examples: {b: c}}, {intent: a, examples: [who?]}]\n",
    "many": "intents: [a]\nnlu:\n"
    + "".join(f"- {{intent: i{n}, examples: [can you do {n}?]}}\n" for n in range(1_000)),
    "long": "intents: [a]\nnlu: [{intent: a, examples: ['can you "
    + "really " * 2_000
    + "do it?']}]\n",
    "control characters": 'intents: [a]\nnlu: [{intent: a, examples: ["can \\u001b[2J you?"]}]\n',
}


@pytest.mark.parametrize("sort", HOSTILE)
def test_odd_projects_make_valid_profiles(tmp_path: Path, sort: str) -> None:
    project, target = tmp_path / "project", tmp_path / "suite"
    project.mkdir()
    write(project, domain=HOSTILE[sort])
    run("profiles", "new", "--from", "rasa", str(project), "--to", str(target))
    assert "valid" in run("validate", str(target / "suite.yaml"))
    files = [path for path in target.rglob("*") if path.is_file()]
    assert all(path.resolve().is_relative_to(target) for path in files)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: b\n", "no Rasa project: no file has intents, slots, responses or forms"),
        ("intents: [a\n", r"domain\.yml:\d+"),
    ],
)
def test_what_is_no_project_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        read_project(write(tmp_path, domain=text))


def test_a_project_without_examples_makes_no_profile(tmp_path: Path) -> None:
    write(tmp_path, domain="intents: [a]\n")
    with pytest.raises(ConfigurationError, match="nothing in it makes a profile"):
        run("profiles", "new", "--from", "rasa", str(tmp_path), "--to", str(tmp_path / "to"))


def test_tests_of_the_project_and_hidden_folders_are_left_out(tmp_path: Path) -> None:
    for name in ("tests", ".rasa", "models"):
        (tmp_path / name).mkdir()
        write(tmp_path / name, odd="nlu: [{intent: odd, examples: [who is odd?]}]\n")
    write(tmp_path, domain="intents: [a]\nnlu: [{intent: a, examples: [who are you?]}]\n")
    assert list(proposed(tmp_path)["questions"]["user"]["goals"]) == ["who are you?"]


def test_the_language_is_named(tmp_path: Path) -> None:
    write(
        tmp_path,
        domain="intents: [a]\nnlu: [{intent: a, examples: [wer bist du?]}]\n",
        config="language: de\npipeline: []\n",
    )
    assert proposed(tmp_path)["questions"]["user"]["language"] == "German"


def test_what_is_proposed_does_not_change(tmp_path: Path) -> None:
    first, second = (yaml.safe_dump(proposed(HOTEL)) for _ in range(2))
    assert first == second
    assert yaml.safe_load(first)
