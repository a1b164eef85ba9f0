"""The tables of SENSEI's evaluation, on a small copy of its folders and on the published data."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
import yaml

from sparring.errors import ConfigurationError
from sparring_plugins.sensei.tables.data import _rasa
from sparring_plugins.sensei.tables.evaluation import SENSEI
from sparring_plugins.sensei.tables.model import Cell, DataTable, Source
from sparring_plugins.sensei.tables.mutants import Claim, totals

HEADER = "rule,checks,pass,fail,not_applicable,fail_rate\n"
SERIAL = "2024-10-28-12-17-14"
PRICED = "name: priced\ndescription: d\nactive: false\noracle: extract_float(price) > 1\n"
REPEATS = "name: chatbot_does_not_repeat\ndescription: d\noracle: not repeated_answers()\n"
ASKED = "name: only_talks_about\ndescription: d\noracle: only_talks_about(['pizza'])\n"


def conversation(
    folder: Path, *, price: str | None = "$5", errors: Iterable[dict[int, str]] = (), number: int = 0,
    test: str = "order", said: Iterable[str] = ("Hello",), **more: Any,
) -> None:  # fmt: skip
    first = {
        "serial": SERIAL, "language": "English", "context": [], "ask_about": ["order"],
        "conversation": [{"number": 1}], "data_output": [{"price": price}],
        "errors": list(errors), **more,
    }  # fmt: skip
    seconds = [0.5 for _ in said]
    times = {"conversation time": 3.0, "assistant response time": seconds,
             "response time report": {"average": 0.5, "max": 0.5, "min": 0.5}}  # fmt: skip
    talk = [entry for text in said for entry in ({"User": "hi"}, {"Assistant": text})]
    place = folder / test / SERIAL / f"{number}_{test}_{SERIAL}.yml"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(yaml.safe_dump_all([first, times, {"interaction": talk}]))


def rules(folder: Path, *texts: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for number, text in enumerate(texts):
        (folder / f"{number}.yaml").write_text(text)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    root = tmp_path / "data"
    wild = root / "chatbots-wild-analysis"
    rules(wild / "chatbots" / "ada" / "rules", PRICED, REPEATS, ASKED)
    ada = wild / "output" / "ada"
    conversation(ada / "normal", said=("Hello", "Hello"))
    conversation(ada / "normal", number=1, price=None, errors=[{1001: "1 goals left"}, {504: "t"}])
    (ada / "ada_test_results.csv").write_text(
        f"{HEADER}only_talks_about,2,1,1,0,50.00%\nchatbot_does_not_repeat,2,2,0,0,0.00%\n"
    )
    mutation = root / "mutation-analysis"
    rules(mutation / "checking_rules" / "bike-shop", PRICED)
    bikes = mutation / "results_data" / "bikeshop"
    for name, price in (("original", "$5"), ("ChangeRephrase_1", "$5"), ("SwapStep_1", "$0")):
        conversation(bikes / name / "conversations", price=price)
    conversation(bikes / "mutant_SwapStep_2" / "conversations", errors=[{500: "Server error"}])
    conversation(bikes / "mutant_Delete_1" / "conversations")
    (bikes / "mutant_Delete_1" / "results.csv").write_text(f"{HEADER}spoken,1,0,1,0,100.00%\n")
    rasa = mutation / "profiles-rasa-new" / "pizza"
    rules(
        rasa / "rules",
        "name: greets\ndescription: d\noracle: chatbot_returns('Good day')\n",
        PRICED,
    )
    conversation(rasa / "executions" / "DA_001", **{"total_cost($)": 0.25})
    conversation(rasa / "executions" / "DF_002", price="$1")
    conversation(rasa / "executions" / "DF_002_bis")
    (rasa / "executions" / "SO_003").mkdir()
    return root


def made(data: Path) -> dict[str, DataTable]:
    return {table.name: table for table in SENSEI.make(data)}


def row(table: DataTable, first: str) -> dict[str, Cell]:
    found = next(one for one in table.rows if one[0].value == first)
    return dict(zip(table.columns, found, strict=True))


def test_a_chatbot_in_the_wild_has_its_failures_and_their_sources(data: Path) -> None:
    table = made(data)["wild"]
    ada = row(table, "ada")
    values = {column: cell.value for column, cell in ada.items()}
    assert values == {
        "chatbot": "ada", "profiles": 1, "conversations": 2, "turns": 3,
        "G unreached goals": 1, "no response": 0, "time-out": 1, "loop": 0,
        "GR1 off-topic": 1, "GR2 repeats": 1, "GR3 language": None, "GR4 empty links": None,
        "own rules": 0,
    }  # fmt: skip
    assert ada["GR1 off-topic"].source is Source.STORED
    assert ada["GR2 repeats"].source is Source.RAW
    assert any(
        "chatbot_does_not_repeat: stored with 0 failures of 2, 1 of 2" in n for n in table.notes
    )


def test_a_mutant_is_killed_by_what_the_original_does_not_show(data: Path) -> None:
    table = made(data)["taskyto-mutants"]
    assert {one[0].value: one[-1].value for one in table.rows} == {
        "bikeshop ChangeRephrase_1": "live",
        "bikeshop Delete_1": "killed",
        "bikeshop SwapStep_1": "killed",
        "bikeshop SwapStep_2": "killed",
    }
    assert row(table, "bikeshop Delete_1")["is"].source is Source.STORED
    assert row(table, "bikeshop SwapStep_1")["rules"].value == "priced"
    assert row(table, "bikeshop SwapStep_2")["generic failures"].value == "no_response"
    assert row(table, "bikeshop SwapStep_2")["rules with a model"].source is Source.ABSENT


def test_operators_and_scores_are_summed_up(data: Path) -> None:
    tables = made(data)
    swap = row(tables["taskyto-operators"], "SwapStep")
    assert [swap[key].value for key in ("mutants", "killed", "live", "score %")] == [2, 2, 0, 100.0]
    assert swap["equivalent"] == Cell(source=Source.MANUAL)
    assert row(tables["scores"], "bikeshop (taskyto)")["score %"].value == 75.0
    assert row(tables["scores"], "all mutants")["mutants"].value == 6
    assert row(tables["scores"], "mean of chatbots")["score %"].value == pytest.approx(62.5)


def test_what_fails_on_every_mutant_says_nothing_without_the_original(data: Path) -> None:
    table = made(data)["rasa-mutants"]
    assert row(table, "pizza DA_001")["is"].value == "live"
    again = row(table, "pizza DF_002")
    assert again["conversations"].value == 2
    assert again["rules"].value == "priced"
    assert row(table, "pizza SO_003")["is"].source is Source.ABSENT
    assert any("the run of the original is not in the data" in note for note in table.notes)


def test_times_and_costs_are_those_of_the_conversations(data: Path) -> None:
    pizza = row(made(data)["times"], "pizza (rasa)")
    assert pizza["mean conversation s"].value == 3.0
    assert pizza["cost $"].value == 0.25
    assert pizza["reported mean s"].source is Source.ABSENT


def test_rules_that_cannot_be_read_are_said(data: Path) -> None:
    rules(data / "chatbots-wild-analysis" / "chatbots" / "ada" / "rules", "name: r\noracle: x.y(\n")
    assert any("cannot be judged again: " in note for note in made(data)["wild"].notes)


def test_results_of_botium_are_read_where_they_are(data: Path) -> None:
    assert made(data)["botium"].notes == ("no results of Botium are in the data",)
    place = data / "mutation-analysis" / "botium" / "bikeshop.json"
    place.parent.mkdir()
    place.write_text('{"stats": {"tests": 5, "passes": 3, "failures": 2}}')
    (place.parent / "other.json").write_text("[1]")
    table = made(data)["botium"]
    assert [cell.value for cell in table.rows[0]] == ["botium/bikeshop.json", 5, 3, 2]
    assert table.notes == ("1 JSON files are no results of Botium, or of an unknown form",)


def test_another_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="expected chatbots-wild-analysis/output or"):
        list(SENSEI.make(tmp_path))


@pytest.mark.parametrize(
    ("claim", "sentence"),
    [
        (
            Claim("81.25", live=1),
            "fits no number of mutants; 13 of 16 mutants have that score, with 3",
        ),
        (Claim("92.85", live=2), "that takes 28 mutants; 13 of 14 mutants have that score, with 1"),
        (Claim("88.67", other="92.5"), "88.67 % in one place, 92.5 % in another"),
        (Claim("50.00", live=3), "that takes 6 mutants"),
    ],
)
def test_published_scores_are_held_against_their_counts(claim: Claim, sentence: str) -> None:
    assert sentence in totals(claim)


PUBLISHED = Path(os.environ.get("SPARRING_SENSEI_EVALUATION") or "-")


@pytest.mark.skipif(not PUBLISHED.is_dir(), reason="no checkout of the evaluation is named")
def test_the_published_data_give_their_stored_counts() -> None:
    """Counted from the conversations, without reading the stored tables."""
    tables = made(PUBLISHED)
    stored = {
        "ada": (8, 11),
        "catalina": (7, 3),
        "genion": (7, 6),
        "kuki": (7, 0),
        "millie": (3, 1),
    }
    for chatbot, counts in stored.items():
        ours = row(tables["wild"], chatbot)
        assert (ours["G unreached goals"].value, ours["no response"].value) == counts
    bikes = row(tables["scores"], "bikeshop (taskyto)")
    assert [bikes[key].value for key in ("mutants", "killed")] == [13, 11]
    pizza = row(tables["scores"], "pizza (taskyto)")
    assert [pizza[key].value for key in ("mutants", "killed")] == [20, 17]


def test_rasa_mutants_may_be_called_mutants_and_their_original_base(tmp_path: Path) -> None:
    runs = tmp_path / "profiles-rasa-new" / "florist" / "executions"
    for name in ("base", "mutant_DA_003", "SO_001", "notes"):
        (runs / name).mkdir(parents=True)
    chatbot = next(iter(_rasa(runs.parents[1])))
    assert {mutant.name for mutant in chatbot.mutants} == {"DA_003", "SO_001"}
    assert chatbot.original is not None
    assert chatbot.original.name == "base"
