"""Conversation files of SENSEI: all variants are read, bad ones are problems, all are written back."""

import os
import shutil
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml

from sparring.errors import Problem
from sparring.model.case import Case
from sparring.model.talk import (
    Attachment,
    Choice,
    Ended,
    IncidentKind,
    Listen,
    Observation,
    Say,
    Trace,
    Turn,
)
from sparring.model.verdict import Owner
from sparring_plugins.sensei.conversations import (
    conversation_files,
    documents_of,
    error_codes,
    holds_conversations,
    read_conversation,
    read_conversations,
)

METADATA = """\
serial: 2024-10-28-09-31-55
language: English
context:
- Use short phrases.
ask_about:
- An appointment for {{ap_date}} at {{hour}}
- hour:
  - '14:00'
- ap_date: tomorrow
conversation:
- number: 4
- goal_style:
    all_answered:
      export: true
      limit: 5
- interaction_style:
  - default
data_output:
- confirmed_date: 2024-10-29
- confirmed_time: '14:00:00'
- price: null
errors: []
"""
TIMES = """\
conversation time: 19.83847
assistant response time:
- 7.969588
response time report:
  average: 7.969588
  max: 7.969588
  min: 7.969588
"""
TALK = """\
interaction:
- User: Can I come tomorrow at 14:00?
- Assistant: 'Ok.

    See you then!'
"""
CONVERSATION = "---\n".join([METADATA, TIMES, TALK])
NAME = "1_appointment_2024-10-28-09-31-55.yml"


def conversation(metadata: str = METADATA, times: str = TIMES, talk: str = TALK) -> str:
    return "---\n".join([metadata, times, talk])


def read(tmp_path: Path, text: str | bytes = CONVERSATION, name: str = NAME) -> Trace:
    found = attempt(tmp_path, text, name)
    assert isinstance(found, Trace), found
    return found


def attempt(tmp_path: Path, text: str | bytes, name: str = NAME) -> Trace | Problem | None:
    file = tmp_path / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_conversation(file)


def as_pyyaml_reads(text: str) -> list[Any]:
    return list(yaml.safe_load_all(text))


def test_a_conversation_becomes_a_trace(tmp_path: Path) -> None:
    trace = read(tmp_path)

    assert trace.case.scenario == "appointment"
    assert trace.case.params == {"hour": ["14:00"], "ap_date": "tomorrow"}
    (turn,) = trace.turns
    assert turn.act == Say(text="Can I come tomorrow at 14:00?")
    assert turn.observation is not None
    assert turn.observation.text == "Ok.\nSee you then!"
    assert turn.latency_s == 7.969588
    assert [(o.name, o.value, o.type) for o in trace.outputs] == [
        ("confirmed_date", date(2024, 10, 29), "date"),
        ("confirmed_time", "14:00:00", "str"),
        ("price", None, "str"),
    ]
    assert trace.started == datetime(2024, 10, 28, 9, 31, 55, tzinfo=UTC)
    assert trace.duration_s == 19.83847
    assert trace.ended is Ended.GOALS_REACHED
    assert trace.incidents == ()


def test_what_rules_need_is_in_the_traces_meta(tmp_path: Path) -> None:
    assert read(tmp_path).meta == {
        "profile": "appointment",
        "language": "English",
        "role": "",
        "context": ["Use short phrases."],
        "goals": ["An appointment for {{ap_date}} at {{hour}}"],
        "conversation": [
            {"number": 4},
            {"goal_style": {"all_answered": {"export": True, "limit": 5}}},
            {"interaction_style": ["default"]},
        ],
        "serial": "2024-10-28-09-31-55",
        "source": NAME,
    }


def test_the_newer_block_without_goal_style_is_kept_as_written(tmp_path: Path) -> None:
    block = "- interaction_style:\n  - default\n- number: 3\n- all_answered:\n    limit: 6\n"
    start, end = METADATA.index("- number: 4"), METADATA.index("data_output")
    trace = read(tmp_path, conversation(METADATA[:start] + block + METADATA[end:]))
    assert trace.meta["conversation"] == [
        {"interaction_style": ["default"]},
        {"number": 3},
        {"all_answered": {"limit": 6}},
    ]


def test_a_conversation_of_a_number_of_steps_ended_at_their_limit(tmp_path: Path) -> None:
    text = METADATA.replace("all_answered:\n      export: true\n      limit: 5", "steps: 5")
    assert read(tmp_path, conversation(text)).ended is Ended.TURN_LIMIT


def test_the_two_oldest_files_are_read(tmp_path: Path) -> None:
    oldest = METADATA.replace("errors: []\n", "")
    text = conversation(oldest, "conversation time: 0:01:07.141398\n")
    trace = read(tmp_path, text, "normal/credit card balance/2024-10-14-10-00-00/0 x.yml")
    assert trace.duration_s == pytest.approx(67.141398)
    assert trace.turns[0].latency_s == 0
    assert trace.incidents == ()
    assert trace.case.scenario == "0 x"
    assert documents_of(trace) == as_pyyaml_reads(text)


@pytest.mark.parametrize(
    ("code", "kind", "turn", "ended"),
    [
        (500, IncidentKind.CRASH, 0, Ended.INCIDENT),
        (504, IncidentKind.TIMEOUT, 0, Ended.INCIDENT),
        (1000, IncidentKind.LOOP, None, Ended.LOOP),
        (1001, IncidentKind.GOAL_NOT_REACHED, None, Ended.TURN_LIMIT),
        (404, IncidentKind.PROTOCOL, None, Ended.INCIDENT),
    ],
)
def test_an_error_code_is_an_incident(
    tmp_path: Path, code: int, kind: IncidentKind, turn: int | None, ended: Ended
) -> None:
    text = conversation(METADATA.replace("errors: []", f"errors:\n- {code}: Server error"))
    trace = read(tmp_path, text)
    (incident,) = trace.incidents
    assert (incident.kind, incident.turn, trace.ended) == (kind, turn, ended)
    assert incident.message.endswith("Server error")
    assert error_codes(trace) == [code]
    assert documents_of(trace) == as_pyyaml_reads(text)


@pytest.mark.parametrize(
    ("text", "owner"),
    [
        ("Goal not completed", Owner.APP),  # as SENSEI writes it, which blames the app
        ("'not met: tea (the app broke off)'", Owner.APP),
        ("'not met: tea (the user may take 3 turns, which were too few)'", Owner.TEST),
        (
            "'not met: tea (the user gave up, or does not know that it is done)'",
            Owner.SIMULATED_USER,
        ),
    ],
)
def test_an_unmet_goal_that_we_wrote_keeps_its_owner(
    tmp_path: Path, text: str, owner: Owner
) -> None:
    metadata = METADATA.replace("errors: []", f"errors:\n- 1001: {text}")
    (incident,) = read(tmp_path, conversation(metadata)).incidents
    assert incident.owner is owner


def test_only_the_first_code_of_an_error_counts_for_sensei(tmp_path: Path) -> None:
    trace = read(
        tmp_path, conversation(METADATA.replace("errors: []", "errors:\n- {500: a, 1001: b}\n- x"))
    )
    assert error_codes(trace) == [500]
    assert [i.kind for i in trace.incidents] == [
        IncidentKind.CRASH,
        IncidentKind.GOAL_NOT_REACHED,
        IncidentKind.PROTOCOL,
    ]


def test_entries_pair_up_to_turns_whatever_their_order(tmp_path: Path) -> None:
    talk = "interaction:\n" + "".join(
        f"- {speaker}: {text}\n"
        for speaker, text in [
            ("Assistant", "welcome"),
            ("Assistant", "how can I help?"),
            ("User", "a pizza"),
            ("User", "hello?"),
            ("Assistant", "which one?"),
            ("User", "any"),
        ]
    )
    text = conversation(talk=talk)
    trace = read(tmp_path, text)
    assert [
        (
            "listen" if isinstance(t.act, Listen) else t.act.text,  # type: ignore[union-attr]
            t.observation and t.observation.text,
        )
        for t in trace.turns
    ] == [
        ("listen", "welcome"),
        ("listen", "how can I help?"),
        ("a pizza", None),
        ("hello?", "which one?"),
        ("any", None),
    ]
    assert documents_of(trace) == as_pyyaml_reads(text)


def test_a_timeout_has_a_response_time_and_no_answer(tmp_path: Path) -> None:
    times = "conversation time: 12.0\nassistant response time:\n- 1.5\n- 10.0\n"
    trace = read(tmp_path, conversation(times=times, talk=TALK + "- User: still there?\n"))
    assert [turn.latency_s for turn in trace.turns] == [1.5, 10.0]
    assert trace.turns[1].observation is None


@pytest.mark.parametrize("speaker", ["assistant", "Chatbot", "chatbot", "ASSISTANT"])
def test_other_spellings_of_the_speakers_are_understood_and_kept(
    tmp_path: Path, speaker: str
) -> None:
    text = conversation(talk=f"interaction:\n- user: hi\n- {speaker}: hello\n")
    trace = read(tmp_path, text)
    (turn,) = trace.turns
    assert turn.act == Say(text="hi")
    assert turn.observation is not None
    assert turn.observation.text == "hello"
    assert documents_of(trace) == as_pyyaml_reads(text)


@pytest.mark.parametrize(
    ("metadata", "times", "talk"),
    [
        pytest.param(METADATA.replace("errors: []", "errors: null"), TIMES, TALK, id="errors null"),
        pytest.param(
            METADATA[: METADATA.index("data_output")] + "data_output: null\nerrors: []\n",
            TIMES,
            TALK,
            id="data_output null",
        ),
        pytest.param(
            METADATA[: METADATA.index("data_output")] + "data_output: {a: 1, b: no}\n",
            TIMES,
            TALK,
            id="outputs as one map",
        ),
        pytest.param(
            METADATA[: METADATA.index("data_output")]
            + "data_output:\n- {a: 1, b: 2024-01-01 10:00:00}\n- 7: .nan\n- l: [1, {x: 2}]\n",
            TIMES,
            TALK,
            id="odd outputs",
        ),
        pytest.param(METADATA.replace("English", "null"), TIMES, TALK, id="language null"),
        pytest.param(METADATA.replace("language: English\n", ""), TIMES, TALK, id="no language"),
        pytest.param(METADATA.replace("English", "[en, es]"), TIMES, TALK, id="language a list"),
        pytest.param(METADATA.replace("- Use short", "- 5\n- Use"), TIMES, TALK, id="context 5"),
        pytest.param(
            METADATA.replace("context:\n- Use short phrases.", "context: {personality: x}"),
            TIMES,
            TALK,
            id="context a map",
        ),
        pytest.param(METADATA.replace("2024-10-28-09-31-55", "20241028"), TIMES, TALK, id="serial"),
        pytest.param(METADATA + "total_cost($): 0.0012\n", TIMES + "more: 1\n", TALK, id="cost"),
        pytest.param(METADATA + "1: {2: [3]}\n", TIMES, TALK, id="keys that are numbers"),
        pytest.param(
            METADATA.replace(
                "- ap_date: tomorrow", "- {ap_date: 2024-10-29, from: x}\n- late goal"
            ),
            TIMES,
            TALK,
            id="picks and goals mixed",
        ),
        pytest.param(
            METADATA.replace("- ap_date: tomorrow", "- hour: again\n- 12\n- null"),
            TIMES,
            TALK,
            id="a variable twice",
        ),
        pytest.param(
            METADATA.replace("- number: 4", "- number: '4'\n- 2024-01-01: .inf\n- text"),
            TIMES,
            TALK,
            id="odd conversation block",
        ),
        pytest.param(METADATA, "conversation time: '19.8'\n", TALK, id="time as text"),
        pytest.param(METADATA, "conversation time: 20\n", TALK, id="time as int"),
        pytest.param(METADATA, "conversation time: 2 days, 1:00:00\n", TALK, id="time as days"),
        pytest.param(METADATA, "assistant response time: null\n", TALK, id="times null"),
        pytest.param(METADATA, "assistant response time: [1, '2.5']\n", TALK, id="times mixed"),
        pytest.param(METADATA, "{}\n", TALK, id="no times"),
        pytest.param(METADATA, TIMES.replace("max: 7.969588", "max: 8"), TALK, id="another report"),
        pytest.param(METADATA, "response time report: 4\n", TALK, id="4"),
        pytest.param(METADATA, TIMES, "interaction: []\n", id="nothing said"),
        pytest.param(METADATA, TIMES, "interaction: null\n", id="interaction null"),
        pytest.param(
            METADATA,
            TIMES,
            "interaction:\n- User: 5\n- Assistant: {a: [1, 2024-01-01]}\n- User: null\n"
            "- Assistant: yes\n- {User: a, Assistant: b}\nextra: 1\n",
            id="what was said is no text",
        ),
        pytest.param(METADATA, TIMES, TALK + "---\nmore: [1]\n", id="a fourth document"),
        pytest.param(
            METADATA.replace("errors: []", "errors:\n- '1001': 2 goals\n- {}\n- [1]\n- 500: 7"),
            TIMES,
            TALK,
            id="odd errors",
        ),
        pytest.param(
            METADATA.replace("- default", "- {'!date': x}\n  - {'!pairs': 1}"),
            TIMES,
            TALK,
            id="marks of our own",
        ),
    ],
)
def test_an_unusual_file_is_read_and_written_back_unchanged(
    tmp_path: Path, metadata: str, times: str, talk: str
) -> None:
    text = conversation(metadata, times, talk)
    trace = read(tmp_path, text)
    stored = Trace.model_validate_json(trace.model_dump_json())
    assert repr(documents_of(trace)) == repr(as_pyyaml_reads(text))
    assert repr(documents_of(stored)) == repr(as_pyyaml_reads(text))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("", "is empty: expected the three documents of a conversation", id="empty"),
        pytest.param(
            METADATA,
            ":1: expected a document with the times: found 1 of the three documents",
            id="one document",
        ),
        pytest.param(
            conversation(talk=""),
            "expected keys and values (interaction), found None",
            id="empty third document",
        ),
        pytest.param(
            "- a\n- b\n", ":1: expected keys and values (meta-data), found ['a', 'b']", id="a list"
        ),
        pytest.param("hello\n", "expected keys and values (meta-data), found 'hello'", id="text"),
        pytest.param(
            "a: 1\nb: 2\n", "is no conversation of SENSEI's: it has the keys a, b", id="?"
        ),
        pytest.param(
            conversation(METADATA.replace("serial", "cereal")),
            "'serial' is missing: when the run began",
            id="no serial",
        ),
        pytest.param(
            conversation(METADATA.replace("ask_about", "asked")),
            "'ask_about' is missing",
            id="no ask_about",
        ),
        pytest.param(
            conversation(METADATA.replace("conversation:\n- num", "conversation: 4\nx:\n- num")),
            ":10: conversation: expected a list of number, goal style and interaction style, found 4",
            id="conversation a number",
        ),
        pytest.param(
            conversation(METADATA.replace("conversation:", "conversatoin:")),
            "'conversation' is missing",
            id="no conversation",
        ),
        pytest.param(
            conversation(METADATA.replace("ask_about:\n", "ask_about: buy\nx:\n")),
            ":5: ask_about: expected a list of goals and picked values, found 'buy'",
            id="ask_about a text",
        ),
        pytest.param(
            conversation(METADATA.replace("- price: null", "- price")),
            ":21: data_output[2]: expected an output's name and value, found 'price'",
            id="an output without value",
        ),
        pytest.param(
            conversation(METADATA.replace("errors: []", "errors: none")),
            ":22: errors: expected a list of errors, each a code and a text, found 'none'",
            id="errors a text",
        ),
        pytest.param(
            conversation(times="conversation time: long\n"),
            ":24: conversation time: expected a time in seconds, found 'long'",
            id="time is no time",
        ),
        pytest.param(
            conversation(times="assistant response time: [1.0, .nan]\n"),
            "assistant response time[1]: expected a time in seconds, found nan",
            id="a response time that is no number",
        ),
        pytest.param(
            conversation(times="assistant response time: 5\n"),
            "assistant response time: expected a list of seconds, found 5",
            id="response times a number",
        ),
        pytest.param(
            conversation(talk="interaction:\n- User: hi\n- Narrator: enters\n"),
            ":34: interaction[1]: expected 'User' or 'Assistant', found 'Narrator'",
            id="another speaker",
        ),
        pytest.param(
            conversation(talk="interaction:\n- hi\n"),
            "interaction[0]: expected 'User' or 'Assistant' and what was said, found 'hi'",
            id="an entry without speaker",
        ),
        pytest.param(
            conversation(talk="interaction: hi\n"),
            "interaction: expected a list of what was said, found 'hi'",
            id="interaction a text",
        ),
        pytest.param(
            conversation(talk="talk: []\n"), "'interaction' is missing: who said what", id="no talk"
        ),
        pytest.param("serial: [1\n", "is not valid YAML: ", id="broken"),
        pytest.param("serial: 2024-13-45\n", ":1: is not valid YAML: month must be", id="date"),
        pytest.param("serial: !!python/object:os.system x\n", "could not determine a", id="tag"),
        pytest.param("serial: !!binary aGk=\n", "expected a text, a number or a date", id="binary"),
        pytest.param("serial: !!set {a, b}\n", "expected a plain value, found tag:", id="set"),
        pytest.param("serial: !!str [a]\n", "expected a plain value, found tag:", id="false text"),
        pytest.param("? [a]\n: b\n", ":1: is not valid YAML: expected a plain value", id="key"),
        pytest.param("serial: *nobody\n", "found undefined alias", id="alias"),
        pytest.param("serial: " + "9" * 5000, "is not valid YAML: ", id="digits"),
        pytest.param("[" * 100_000, "nested deeper than 60 levels", id="brackets"),
        pytest.param("- " * 100_000, "nested deeper than 60 levels", id="dashes"),
        pytest.param(b"serial: \xff\xfe\n", "is not valid YAML", id="no UTF-8"),
        pytest.param(b"serial: \x00\n", "is not valid YAML", id="control character"),
    ],
)
def test_a_bad_file_is_a_problem_that_names_file_line_and_what_was_expected(
    tmp_path: Path, text: str | bytes, message: str
) -> None:
    found = attempt(tmp_path, text)
    assert isinstance(found, Problem), found
    assert str(tmp_path / NAME) in str(found)
    assert message in str(found)


def test_aliases_of_aliases_are_refused_before_they_grow(tmp_path: Path) -> None:
    lines = ["serial: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10)]
    found = attempt(tmp_path, "\n".join(lines))
    assert isinstance(found, Problem)
    assert "expands to too much data (aliases of aliases?)" in str(found)


def test_an_alias_that_contains_itself_is_a_problem(tmp_path: Path) -> None:
    found = attempt(tmp_path, "serial: &a [*a]\n")
    assert isinstance(found, Problem)


def test_harmless_aliases_and_merge_keys_are_read_as_pyyaml_reads_them(tmp_path: Path) -> None:
    text = conversation(
        METADATA.replace("- default", "- &d default\n  - *d").replace(
            "      export: true\n", "      <<: {export: true, limit: 9}\n"
        )
    )
    trace = read(tmp_path, text)
    assert documents_of(trace) == as_pyyaml_reads(text)


def test_a_file_that_is_too_large_is_a_problem(tmp_path: Path) -> None:
    file = tmp_path / NAME
    with file.open("wb") as opened:
        opened.truncate(10_000_001)
    assert str(read_conversation(file)) == f"{file}: larger than 10,000,000 bytes"


def test_a_file_that_cannot_be_read_is_a_problem(tmp_path: Path) -> None:
    found = read_conversation(tmp_path / "gone.yml")
    assert str(found) == f"{tmp_path / 'gone.yml'}: cannot be read: No such file or directory"


def test_a_byte_order_mark_and_windows_line_ends_do_no_harm(tmp_path: Path) -> None:
    text = CONVERSATION.replace("\n", "\r\n").encode()
    assert read(tmp_path, b"\xef\xbb\xbf" + text).turns == read(tmp_path).turns


OTHERS = {
    "__report__/report_2024-10-28-09-31-55.yml": "Global report:\n  Errors: []\n---\n"
    "Test name: a\nErrors: []\n",
    "reports/__stats_reports__/stats.yml": "Global report: {Total Cost: 1}\n",
    "reports/__stats_reports__/broken.yml": "a: [\n",
    "profiles/p.yml": "test_name: a\nllm: {model: x}\n",
    "profiles/flat.yaml": "test_name: a\nask_about: [x]\nconversations: []\n",
    "rules/r.yaml": "name: r\ndescription: d\noracle: 'True'\n",
    "personalities/formal.yml": "context:\n- Be formal.\n",
    "run.yml": "project_folder: x\nuser_profile: y\n",
    "rasa-connector.yml": "api_url: http://x\nconfig: {}\n",
    "botium.json": "{}",
    "a/2024-10-28-09-31-55/0_a_2024-10-28-09-31-55.csv": ";verification;data\n",
    ".hidden.yml": "nonsense: [",
    ".git/x.yml": "nonsense: [",
}


def test_other_files_beside_conversations_are_passed_over(tmp_path: Path) -> None:
    for name, text in OTHERS.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    folder = tmp_path / "credit card" / "2024-10-28-09-31-55"
    folder.mkdir(parents=True)
    (folder / "0_credit card_2024-10-28-09-31-55.yml").write_text(CONVERSATION, encoding="utf-8")

    (trace,) = read_conversations(tmp_path)

    assert isinstance(trace, Trace)
    assert trace.case.scenario == "credit card"


def test_a_conversation_is_read_even_below_a_folder_called_like_a_report(tmp_path: Path) -> None:
    assert read(tmp_path, name=f"my__report__study/{NAME}").turns
    assert read(tmp_path, name=f"__report__/{NAME}").turns


def test_one_bad_file_stops_nobody(tmp_path: Path) -> None:
    for index in range(5):
        text = "serial: [" if index == 2 else CONVERSATION
        (tmp_path / f"{index}_a_2024-10-28-09-31-55.yml").write_text(text, encoding="utf-8")
    found = list(read_conversations(tmp_path))
    assert [type(item) for item in found] == [Trace, Trace, Problem, Trace, Trace]


def test_files_come_in_sorted_order_whatever_their_ending(tmp_path: Path) -> None:
    names = ["b/0_b_2024-10-28-09-31-55.yml", "a/1_a.yaml", "a/0_a.yml", "c.YML", "a b/x.yaml"]
    for name in reversed(names):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(CONVERSATION, encoding="utf-8")
    files = [file for file in conversation_files(tmp_path) if isinstance(file, Path)]
    found = [file.relative_to(tmp_path).as_posix() for file in files]
    assert found == ["a/0_a.yml", "a/1_a.yaml", "a b/x.yaml", "b/" + names[0][2:], "c.YML"]


def test_a_cases_id_depends_on_content_and_relative_path_only(tmp_path: Path) -> None:
    for copy in ("here", "there"):
        read(tmp_path, name=f"{copy}/a/{NAME}")
        read(tmp_path, name=f"{copy}/b/{NAME}")
    here, there = (list(read_conversations(tmp_path / copy)) for copy in ("here", "there"))
    ids = [trace.case.id for trace in here if isinstance(trace, Trace)]
    assert ids == [trace.case.id for trace in there if isinstance(trace, Trace)]
    assert len(set(ids)) == 2
    assert all(name.startswith("1_appointment_2024-10-28-09-31-55-") for name in ids)


def test_a_cases_id_is_plain_text_whatever_the_file_is_called(tmp_path: Path) -> None:
    trace = read(tmp_path, name='0_"a" \\ ñ\n=1_2024-10-28-09-31-55.yml')
    assert trace.case.id.isascii()
    assert not set(trace.case.id) & set('"\\\n =')


def test_a_file_whose_name_is_no_text_is_read(tmp_path: Path) -> None:
    file = tmp_path / "0_caf\udce9_2024-10-28-09-31-55.yml"
    try:
        file.write_text(CONVERSATION, encoding="utf-8")
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    (trace,) = read_conversations(tmp_path)
    assert isinstance(trace, Trace)
    assert Trace.model_validate_json(trace.model_dump_json()).meta == trace.meta


def test_a_renamed_file_takes_its_tests_name_from_the_folder(tmp_path: Path) -> None:
    trace = read(tmp_path, name="appointment/2024-10-28-09-31-55/renamed.yml")
    found = read_conversation(
        tmp_path / "appointment/2024-10-28-09-31-55/renamed.yml",
        source="appointment/2024-10-28-09-31-55/renamed.yml",
    )
    assert isinstance(found, Trace)
    assert (trace.case.scenario, found.case.scenario) == ("renamed", "appointment")


@pytest.mark.parametrize("named", [".", "./", "below", "./below/", "below/../below"])
def test_the_folder_may_be_named_in_any_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: str
) -> None:
    read(tmp_path, name=f"below/a/{NAME}")
    monkeypatch.chdir(tmp_path)
    (trace,) = read_conversations(Path(named))
    assert isinstance(trace, Trace)
    expected = f"a/{NAME}" if "below" in named else f"below/a/{NAME}"
    assert trace.meta["source"] == expected


def test_links_to_folders_are_not_followed_round_and_round(tmp_path: Path) -> None:
    read(tmp_path, name=f"a/{NAME}")
    (tmp_path / "a" / "loop").symlink_to(tmp_path, target_is_directory=True)
    assert len(list(conversation_files(tmp_path))) == 1


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_what_is_no_regular_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.yml")
    (tmp_path / "zero.yml").symlink_to("/dev/zero")
    (tmp_path / "gone.yml").symlink_to(tmp_path / "nowhere")
    (tmp_path / "folder.yml").mkdir()
    assert not holds_conversations(tmp_path)
    found = [str(item).rpartition("/")[2] for item in read_conversations(tmp_path)]
    assert found == [
        "gone.yml: cannot be read: No such file or directory",
        "pipe.yml: is not a regular file",
        "zero.yml: is not a regular file",
    ]


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="this user may read everything")
def test_a_folder_that_cannot_be_read_is_a_problem(tmp_path: Path) -> None:
    read(tmp_path, name=f"a/{NAME}")
    (tmp_path / "closed").mkdir(mode=0)
    _, problem = read_conversations(tmp_path)
    assert str(problem) == f"{tmp_path / 'closed'}: cannot be read: Permission denied"


def test_a_problem_can_be_stored_and_shown_whatever_the_file_holds(tmp_path: Path) -> None:
    file = tmp_path / "\x1b[31m\udce9.yml"
    try:
        file.write_text('serial: 1\n"\\e[2J\u202e": 2\n', encoding="utf-8")
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    (problem,) = read_conversations(tmp_path)
    assert isinstance(problem, Problem)
    assert str(problem).isprintable()
    assert str(problem).endswith(
        "expected a document with the times: found 1 of the three documents of a conversation"
    )


def test_whether_a_folder_holds_conversations_is_seen_at_the_heads_of_its_files(
    tmp_path: Path,
) -> None:
    for name, text in OTHERS.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert not holds_conversations(tmp_path)
    assert not holds_conversations(tmp_path / "botium.json")
    assert not holds_conversations(tmp_path / "nowhere")
    read(tmp_path, name=f"z/{NAME}")
    assert holds_conversations(tmp_path)
    assert holds_conversations(tmp_path / "z" / NAME)
    shutil.rmtree(tmp_path / "z")
    assert not holds_conversations(tmp_path)


def test_pictures_and_choices_stand_below_the_text_that_they_came_with() -> None:
    seen = Observation(
        text="Which one?",
        choices=(Choice(label="red", value="r"),),
        attachments=(
            Attachment(media_type="image/png", description="Two kayaks"),
            Attachment(media_type="application/pdf"),
        ),
    )
    trace = Trace(
        case=Case(id="hire-1", scenario="hire"),
        turns=(Turn(act=Say(text="A kayak"), observation=seen),),
        ended=Ended.USER_LEFT,
        started=datetime(2026, 5, 4, tzinfo=UTC),
    )
    told = documents_of(trace)[2]["interaction"]
    shown = "Which one?\n(Two kayaks)\n(application/pdf)\n- red"
    assert told == [{"User": "A kayak"}, {"Assistant": shown}]
