"""Profiles proposed from a chatbot's modules: what is in them, and that they load and run."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner
from sparring import ConfigurationError
from sparring.cli.app import sparring
from sparring_plugins.users.drafts import Drafts
from taskyto_server import CINEMA

from sparring_taskyto.drafting import drafts_of
from sparring_taskyto.modules import read_chatbot


def drafted(folder: Path) -> Drafts:
    return drafts_of(read_chatbot(folder))


def proposed(folder: Path) -> dict[str, dict[str, Any]]:
    return {draft.name: dict(draft.data) for draft in drafted(folder).profiles}


def inputs(profile: dict[str, Any]) -> dict[str, Any]:
    goals = profile["user"]["goals"]
    return {name: given for goal in goals if isinstance(goal, dict) for name, given in goal.items()}


def outputs(profile: dict[str, Any]) -> dict[str, str]:
    listed = profile["chatbot"]["output"]
    return {name: given["type"] for one in listed for name, given in one.items()}


def run(*arguments: str, code: int = 0) -> str:
    done = CliRunner().invoke(sparring, arguments, standalone_mode=False)
    if done.exception is not None:
        raise done.exception
    assert (done.return_value or 0) == code, done.output
    return done.output


@pytest.fixture
def suite(tmp_path: Path, taskyto: Any) -> Path:
    """A suite proposed from the cinema's modules, for the server that plays them."""
    run("profiles", "new", "--from", "taskyto", str(CINEMA), "--to", str(tmp_path))
    file = tmp_path / "suite.yaml"
    file.write_text(file.read_text().replace("http://localhost:5000", taskyto.url))
    return file


def test_what_is_proposed_is_valid(suite: Path) -> None:
    shown = run("validate", str(suite))
    assert "3 scenarios" in shown
    assert "valid" in shown


def test_what_is_proposed_runs_and_reaches_its_goals(suite: Path) -> None:
    assert "6 conversations, 6 pass" in run("run", str(suite))


def test_a_module_that_gathers_data_becomes_a_profile() -> None:
    booking = proposed(CINEMA)["book_tickets"]
    assert booking["user"]["goals"][0] == "book tickets"
    found = inputs(booking)
    assert found["film"]["data"] == ["Metropolis", "Nosferatu"]
    assert found["seats"] == {"function": "forward()", "type": "int", "data": [1, 2, 3]}
    assert found["show_time"]["data"] == ["10:00", "16:30"]
    assert outputs(booking) == {"film": "string", "show_time": "time", "customer_name": "string"}
    assert booking["chatbot"]["fallback"].startswith("Sorry, it is noisy")


def test_a_sequence_becomes_one_profile_with_what_it_works_out() -> None:
    snack = proposed(CINEMA)["order_a_snack"]
    assert snack["user"]["goals"][:2] == [
        "order a snack",
        "{{snack}} as the snack and {{num_portions}} as the number of portions",
    ]
    assert inputs(snack)["num_portions"]["data"] == [1, 2]
    assert outputs(snack) == {"snack": "string", "price": "money"}


def test_answers_and_questions_become_questions_with_typed_outputs() -> None:
    questions = proposed(CINEMA)["questions"]
    assert questions["user"]["goals"] == [
        "ask about the opening hours",
        "How much is a ticket?",
        "Is there a discount for students?",
        "Can I bring my own food?",
    ]
    assert outputs(questions) == {"hours": "time", "ticket": "money"}


def test_other_languages_and_made_up_values_are_noted() -> None:
    drafts = drafted(CINEMA)
    assert "also speaks Spanish" in drafts.notes[0]
    (booking,) = [draft for draft in drafts.profiles if draft.name == "book_tickets"]
    assert "the values of show_time are made up: the module has none" in booking.notes


def write(folder: Path, text: str) -> Path:
    (folder / "top.yaml").write_text(text)
    return folder


def test_a_module_that_is_missing_is_noted(tmp_path: Path) -> None:
    write(
        tmp_path,
        "modules:\n- {name: t, kind: menu, presentation: p, items: [{title: Q, kind: module, "
        "reference: nowhere}, {title: When. , kind: answer, answer: now}]}\n",
    )
    assert "the module nowhere is named, and is in no file" in drafted(tmp_path).notes


HOSTILE = {
    "a circle": "modules:\n- {name: a, kind: sequence, references: [b]}\n"
    "- {name: b, kind: sequence, references: [a]}\n"
    "- {name: m, kind: menu, items: [{title: Go, references: [a, b]}, {title: Why, answer: b}]}\n",
    "menus in a circle": "modules:\n"
    "- {name: a, kind: menu, items: [{title: b, reference: b}, {title: Why, answer: so}]}\n"
    "- {name: b, kind: menu, items: [{title: a, reference: a}]}\n"
    "- {name: c, kind: menu, items: [{title: a, reference: a}]}\n",
    "wrong kinds of values": "modules:\n"
    "- {name: 5, kind: menu, presentation: [x], items: [3, {}, {title: 7, references: [d, q]}]}\n"
    "- {name: d, kind: data_gathering, data: [3, {x: 4}, {y: {type: 5, values: 6}}, {z: null}]}\n"
    "- {name: e, kind: data_gathering, data: {a: b}}\n"
    "- {name: q, kind: question_answering, questions: [3, {question: 4, answer: {a: b}}]}\n",
    "braces": "modules:\n- {name: q, kind: question_answering, questions: "
    "[{question: 'what is {{x}}?', answer: 5 euros}]}\n",
    "odd names": "modules:\n- {name: ../../x, kind: data_gathering, data: "
    "[{'?!': string}, {'1st': {type: enum, values: ['{{a}}', \"b\\u0007\"]}}]}\n",
    "many": "modules:\n- name: q\n  kind: question_answering\n  questions:\n"
    + "".join(f"  - {{question: what is {n}?, answer: {n} euros}}\n" for n in range(2_000)),
}  # fmt: skip


@pytest.mark.parametrize("sort", HOSTILE)
def test_odd_chatbots_make_valid_profiles(tmp_path: Path, sort: str) -> None:
    chatbot, target = tmp_path / "chatbot", tmp_path / "suite"
    chatbot.mkdir()
    write(chatbot, HOSTILE[sort])
    run("profiles", "new", "--from", "taskyto", str(chatbot), "--to", str(target))
    assert "valid" in run("validate", str(target / "suite.yaml"))
    files = [path for path in target.rglob("*") if path.is_file()]
    assert all(path.resolve().is_relative_to(target) for path in files)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: b\n", "no Taskyto chatbot: no file has a module with a kind"),
        ("kind: other\n", "no Taskyto chatbot"),
        ("modules: [a\n", r"top\.yaml:\d+"),
    ],
)
def test_what_is_no_chatbot_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        read_chatbot(write(tmp_path, text))


def test_what_is_proposed_does_not_change() -> None:
    first, second = (yaml.safe_dump(proposed(CINEMA)) for _ in range(2))
    assert first == second
