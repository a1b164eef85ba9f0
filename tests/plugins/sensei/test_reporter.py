"""The reporter `sensei`: the run in SENSEI's folders, with safe names, nothing written over."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from sparring.errors import SparringError
from sparring.model.events import RunFinished, RunStarted
from sparring.model.talk import (
    Choice,
    Incident,
    IncidentKind,
    Observation,
    Output,
    Press,
    Trace,
)
from sparring.model.verdict import Owner
from sparring.testing.conversations import run_events, store, trace_of
from sparring.testing.fakes import FakeContext
from sparring_plugins.sensei.conversations import documents_of, read_conversations
from sparring_plugins.sensei.reporter import SenseiReporter, safe_name

SERIAL = "2024-01-01-12-00-00"


def export(tmp_path: Path, traces: list[Trace], name: str = "run", path: str = "out") -> Path:
    """What ``sparring report RUN --use sensei -o FOLDER`` writes."""
    folder = tmp_path / name
    events = run_events(traces, folder=folder)
    store(folder, events)
    reporter = FakeContext(base_dir=tmp_path).build(SenseiReporter, path=path)
    for event in events:
        if isinstance(event, (RunStarted, RunFinished)):
            reporter.handle(event)
    return tmp_path / path


def files(folder: Path) -> list[str]:
    found = (file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file())
    return sorted(found)


def said(text: str, scenario: str = "order", profile: str | None = None, **more: Any) -> Trace:
    meta = {"profile": profile} if profile is not None else {}
    return trace_of([(text, "ok")], scenario=scenario, meta=meta, text=text, **more)


def test_conversations_lie_where_sensei_puts_them(tmp_path: Path) -> None:
    folder = export(tmp_path, [said("a"), said("b"), said("c", "ask")])
    assert files(folder) == [
        f"__report__/report_{SERIAL}.yml",
        f"ask/{SERIAL}/0_ask_{SERIAL}.yml",
        f"order/{SERIAL}/0_order_{SERIAL}.yml",
        f"order/{SERIAL}/1_order_{SERIAL}.yml",
    ]


def test_a_conversation_of_ours_is_written_as_sensei_would_have_stored_it(tmp_path: Path) -> None:
    trace = trace_of(
        [
            (None, "welcome"),
            ("a pizza", Observation(text="which size?", choices=(Choice(label="big"),))),
            (Press(label="big", value="B"), Observation(choices=(Choice(label="a"),))),
            ("bye", None),
        ],
        scenario="order",
        latencies=[0.5, 1.0, 2.0, 4.0],
        outputs=[Output(name="day", value="2024-10-29", type="date"), Output(name="price")],
        incidents=[
            Incident(kind=IncidentKind.TIMEOUT, message="too slow", owner=Owner.APP),
            Incident(kind=IncidentKind.PLAYER_ERROR, message="oops", owner=Owner.TEST),
        ],
        meta={
            "profile": "pizza",
            "language": "English",
            "role": "r",
            "context": ["be brief"],
            "goals": ["order a {{size}} pizza"],
            "conversation": [{"number": 1}],
        },
        size=["big"],
    )
    folder = export(tmp_path, [trace])
    text = (folder / "pizza" / SERIAL / f"0_pizza_{SERIAL}.yml").read_text(encoding="utf-8")
    metadata, times, talk = yaml.safe_load_all(text)
    assert list(metadata) == [
        *("serial", "language", "context", "ask_about", "conversation", "data_output", "errors")
    ]
    assert metadata["serial"] == SERIAL
    assert metadata["ask_about"] == ["order a {{size}} pizza", {"size": ["big"]}]
    assert [str(value) for each in metadata["data_output"] for value in each.values()] == [
        "2024-10-29",
        "None",
    ]
    assert metadata["errors"] == [{504: "too slow"}, {"player_error": "oops"}]
    assert times["assistant response time"] == [1.0, 2.0, 4.0]
    assert times["response time report"] == {"average": 2.333333, "max": 4.0, "min": 1.0}
    assert talk["interaction"] == [
        {"Assistant": "welcome"},
        {"User": "a pizza"},
        {"Assistant": "which size?\n- big"},
        {"User": "big"},
        {"Assistant": "- a"},
        {"User": "bye"},
    ]


def test_what_was_exported_is_read_again(tmp_path: Path) -> None:
    incidents = [
        Incident(kind=kind, message="x", owner=Owner.APP, turn=None)
        for kind in (IncidentKind.LOOP, IncidentKind.GOAL_NOT_REACHED)
    ]
    before = [
        said("a", "order", "pizza", incidents=incidents),
        said("b", "order", "pizza", latencies=[1.5]),
    ]
    after = list(read_conversations(export(tmp_path, before)))
    assert len(after) == 2
    for old, new in zip(before, after, strict=True):
        assert isinstance(new, Trace)
        assert (new.turns, new.incidents) == (old.turns, old.incidents)
        assert new.case.params == old.case.params
        assert new.meta["profile"] == "pizza"


def test_conversations_read_from_files_keep_serial_number_and_content(tmp_path: Path) -> None:
    first = export(tmp_path, [said(str(n)) for n in range(12)])
    traces = [trace for trace in read_conversations(first) if isinstance(trace, Trace)]
    second = export(tmp_path, traces, "again", "second")
    names = [name for name in files(first) if "__report__" not in name]
    assert len(names) == 12
    for name in names:
        assert (second / name).read_bytes() == (first / name).read_bytes()


def test_two_profiles_of_one_test_name_never_write_over_each_other(tmp_path: Path) -> None:
    folder = export(
        tmp_path, [said("a", "one", "same"), said("b", "two", "same"), said("c", "one", "same")]
    )
    assert files(folder)[1:] == [
        f"same/{SERIAL}/0_same_{SERIAL}.yml",
        f"same/{SERIAL}/1_same_{SERIAL}.yml",
        f"two/{SERIAL}/0_two_{SERIAL}.yml",
    ]


def test_names_that_a_file_system_takes_for_one_are_told_apart(tmp_path: Path) -> None:
    names = ["Pizza", "pizza", "a/b", "a:b", "a_b", "pizza "]
    folder = export(tmp_path, [said("x", f"{n}-{name}", name) for n, name in enumerate(names)])
    tests = {name.split("/")[0].casefold() for name in files(folder)} - {"__report__"}
    assert len(tests) == len(names)


def test_a_second_export_writes_over_nothing_of_another_run(tmp_path: Path) -> None:
    export(tmp_path, [said("a")], "one")
    export(tmp_path, [said("a")], "one-again")
    folder = export(tmp_path, [said("b")], "two")
    assert files(folder)[1:] == [
        f"order/{SERIAL}/0_order_{SERIAL}.yml",
        f"order/{SERIAL}/1_order_{SERIAL}.yml",
    ]


HOSTILE = [
    "../../etc/passwd",
    "/etc/passwd",
    "..",
    ".",
    "",
    " ",
    ".hidden",
    "-rf",
    "~root",
    "con",
    "COM1.txt",
    "a\x00b\x1b[31m\nc",
    "\u202egnp.exe",
    'a<b>c:"d|e?f*g\\h',
    "trailing. . .",
    "__report__",
    "x__stats_reports__",
    "ñ" * 200,
    "😀" * 100,
    "lone \ud800",
]


@pytest.mark.parametrize("name", HOSTILE, ids=[f"name {n}" for n in range(len(HOSTILE))])
def test_a_hostile_name_is_one_safe_component(name: str) -> None:
    safe = safe_name(name)
    assert 0 < len(safe.encode()) <= 80
    assert safe.isprintable()
    assert not set(safe) & set('<>:"/\\|?*')
    assert safe not in (".", "..")
    assert safe == safe.strip(" ")
    assert safe[0] not in ".-~"
    assert safe[-1] not in ". "
    assert "__report__" not in safe
    assert safe.split(".")[0].upper() not in {"CON", "COM1"}


def test_hostile_names_stay_inside_the_folder_and_are_read_again(tmp_path: Path) -> None:
    traces = [
        said(str(n), f"s{n}", name).model_copy(update={"meta": {"profile": name, "serial": name}})
        for n, name in enumerate(HOSTILE[:-1])
    ]
    folder = export(tmp_path, traces, path="deep/out")
    inside = set(tmp_path.rglob("*.yml"))
    assert inside == set(folder.rglob("*.yml"))
    assert len([t for t in read_conversations(folder) if isinstance(t, Trace)]) == len(traces)


def test_different_long_names_stay_different() -> None:
    assert safe_name("x" * 200 + "a") != safe_name("x" * 200 + "b")


def test_the_report_counts_every_conversation_once(tmp_path: Path) -> None:
    crash = Incident(kind=IncidentKind.CRASH, message="x", owner=Owner.APP)
    folder = export(
        tmp_path,
        [
            said("a", latencies=[1.0]),
            said("b", incidents=[crash, crash], latencies=[2.0]),
            said("c", "ask", incidents=[crash], latencies=[6.0]),
        ],
    )
    text = (folder / "__report__" / f"report_{SERIAL}.yml").read_text(encoding="utf-8")
    whole, order, ask = yaml.safe_load_all(text)
    names = [f"1_order_{SERIAL}.yml", f"1_order_{SERIAL}.yml", f"0_ask_{SERIAL}.yml"]
    assert whole == {
        "Global report": {
            "Average assistant response time": 3.0,
            "Maximum assistant response time": 6.0,
            "Mínimum assistant response time": 1.0,
            "Errors": [{"error": 500, "count": 3, "conversations": names}],
        }
    }
    assert (order["Test name"], order["Average assistant response time"]) == ("order", 1.5)
    assert (ask["Test name"], ask["Errors"][0]["count"]) == ("ask", 1)


def test_a_run_without_conversations_writes_nothing(tmp_path: Path) -> None:
    assert not export(tmp_path, []).exists()


def test_text_of_any_kind_is_written_so_that_it_is_read_the_same(tmp_path: Path) -> None:
    texts = [
        "",
        " a ",
        "yes",
        "2024-10-29",
        "14:00",
        "- x",
        "{a: b}",
        "=",
        "\x85\u2028\x07",
        "😀\n\n ",
    ]
    folder = export(tmp_path, [trace_of([(text, text) for text in texts])])
    (trace,) = read_conversations(folder)
    assert isinstance(trace, Trace)
    assert [turn.observation and turn.observation.text for turn in trace.turns] == texts
    assert documents_of(trace)[2]["interaction"][0] == {"User": ""}


@pytest.mark.parametrize(
    "kept",
    [
        *(None, 5, [], "x", {"absent": 5, "metadata": [], "times": 3, "talk": "x", "more": {}}),
        {"absent": [1, [], ["metadata"], ["nobody", "x"], ["metadata", "errors"]]},
        {"metadata": {"errors": 7}, "times": {"assistant response time": "x"}},
        {"metadata": {"!date": 5}, "!pairs": [1]},
    ],
)
def test_what_was_kept_of_a_file_may_be_damaged(tmp_path: Path, kept: Any) -> None:
    folder = export(tmp_path, [trace_of([("hi", "hello")], meta={"sensei": kept})])
    assert len(files(folder)) == 2


def test_a_place_that_is_taken_by_a_folder_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "out" / "order" / SERIAL / f"0_order_{SERIAL}.yml").mkdir(parents=True)
    assert files(export(tmp_path, [said("a")]))[1:] == [f"order/{SERIAL}/1_order_{SERIAL}.yml"]


def test_a_folder_that_is_a_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "order").write_text("", encoding="utf-8")
    with pytest.raises(SparringError, match="cannot be written"):
        export(tmp_path, [said("a")])


def checked(*checks: dict[str, Any], export: bool = True, text: str = "a") -> Trace:
    meta = {
        "conversation": [{"number": 1}, {"all_answered": {"export": export, "limit": 3}}],
        "goal_checks": list(checks),
    }
    return trace_of([(text, "ok")], scenario="order", meta=meta, text=text)


def test_goals_that_were_checked_stand_in_a_table_beside_the_conversation(tmp_path: Path) -> None:
    met = {"goal": "a small pizza", "met": True, "quotation": 'It is "done"; bye', "turn": 0}
    unmet = {"goal": "opening hours", "met": False, "quotation": None, "turn": None}
    evil = {"goal": "=cmd|x", "met": True, "quotation": "@SUM(1)\n\x1b[2J;=1", "turn": 0}
    folder = export(tmp_path, [checked(met, unmet, evil)])
    table = folder / "order" / SERIAL / f"0_order_{SERIAL}.csv"
    assert table.read_text("utf-8").splitlines() == [
        ";verification;data",
        'a_small_pizza;True;"It is ""done""; bye"',
        "opening_hours;False;",
        "'=cmd|x;True;\"'@SUM(1) \\x1b[2J;=1\"",
    ]


def test_without_a_goal_checker_the_users_own_word_is_in_the_table(tmp_path: Path) -> None:
    meta = {
        "goals": ["a {{size}} pizza with {{ toppings }}", "the {{unknown}} price"],
        "goals_met": [0],
        "conversation": [{"all_answered": {"export": True}}],
    }
    told = trace_of([("a", "ok")], scenario="order", meta=meta, size="big", toppings=["ham", 2])
    folder = export(tmp_path, [told])
    table = folder / "order" / SERIAL / f"0_order_{SERIAL}.csv"
    assert table.read_text("utf-8").splitlines() == [
        ";verification;data",
        "a_big_pizza_with_ham,_2;True;",
        "the_{{unknown}}_price;False;",
    ]


def test_no_table_of_goals_is_written_where_none_is_asked_for(tmp_path: Path) -> None:
    met = {"goal": "a", "met": True, "quotation": "b", "turn": 0}
    folder = export(tmp_path, [checked(met, export=False), said("b")])
    assert not [name for name in files(folder) if name.endswith(".csv")]


def test_a_table_of_goals_is_written_again_as_it_was(tmp_path: Path) -> None:
    traces = [checked({"goal": "a", "met": True, "quotation": "b", "turn": 0})]
    folder = export(tmp_path, traces)
    before = files(folder)
    assert files(export(tmp_path, traces, name="again")) == before


def test_costs_are_written_and_summed_up_by_test(tmp_path: Path) -> None:
    def paid(scenario: str, cost: Any) -> Trace:
        return trace_of([("a", "ok")], scenario=scenario, meta={"cost_usd": cost}, text=str(cost))

    traces = [paid("order", 0.25), paid("order", 0.5), paid("ask", 0.125), said("free", "free")]
    folder = export(tmp_path, traces)
    metadata = next(
        iter(yaml.safe_load_all((folder / f"order/{SERIAL}/0_order_{SERIAL}.yml").read_text()))
    )
    assert metadata["total_cost($)"] == 0.25
    whole, *tests = yaml.safe_load_all((folder / f"__report__/report_{SERIAL}.yml").read_text())
    assert whole["Global report"]["Total Cost"] == 0.875
    assert [(one["Test name"], one.get("Total Cost")) for one in tests] == [
        ("order", 0.75), ("ask", 0.125), ("free", None),
    ]  # fmt: skip


@pytest.mark.parametrize("cost", [True, "1", -1.0, 1e12, float("nan"), None, []])
def test_a_cost_that_is_none_is_left_out(tmp_path: Path, cost: Any) -> None:
    trace = trace_of([("a", "ok")], scenario="t", meta={"cost_usd": cost})
    assert "total_cost($)" not in documents_of(trace)[0]


def test_the_report_names_the_conversations_of_each_error(tmp_path: Path) -> None:
    def broken(text: str, kind: IncidentKind) -> Trace:
        return said(text, incidents=[Incident(kind=kind, message="x", owner=Owner.APP)])

    folder = export(
        tmp_path,
        [said("a"), broken("b", IncidentKind.CRASH), broken("c", IncidentKind.CRASH)],
    )
    whole, order = yaml.safe_load_all((folder / f"__report__/report_{SERIAL}.yml").read_text())
    error = {
        "error": 500,
        "count": 2,
        "conversations": [f"1_order_{SERIAL}.yml", f"2_order_{SERIAL}.yml"],
    }
    assert whole["Global report"]["Errors"] == [error]
    assert order["Errors"] == [error]
