"""Answers are read from what models write: reasoning apart, one fitting value or none."""

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.errors import ModelError
from sparring.model.chat import ChatReply
from sparring_plugins.prompting.complaints import complaints
from sparring_plugins.prompting.reading import read

VERDICT: dict[str, Any] = {
    "title": "Verdict",
    "type": "object",
    "properties": {
        "answer": {"enum": ["pass", "fail"]},
        "reason": {"type": "string"},
        "turns": {"type": "array", "items": {"type": "integer", "minimum": 0}, "maxItems": 3},
        "score": {"anyOf": [{"type": "number"}, {"type": "null"}]},
    },
    "required": ["answer"],
    "additionalProperties": False,
}
PASS, FAIL = '{"answer": "pass"}', '{"answer": "fail"}'


def verdict(text: str, **fields: Any) -> Any:
    return read(ChatReply(text=text, **fields), VERDICT).parsed


@pytest.mark.parametrize(
    "text",
    [
        FAIL,
        f"\n\ufeff{FAIL}\n",
        f"```json\n{FAIL}\n```",
        f"```\n{FAIL}\n```",
        f"Here you are:\n```json\n{FAIL}\n```\nI hope this helps {{}}!",
        f"My verdict is {FAIL}.",
        f"{FAIL} As said: {FAIL}",
        f"It could be [1] or [2]; so {FAIL}",
        f"<think>{PASS} would be wrong</think>{FAIL}",
        f"<thinking>\n{PASS}\n</thinking>\n\n```json\n{FAIL}\n```",
        f"<reasoning>hm</reasoning> <think>hm</think> {FAIL}",
        f"[THINK]hm {PASS}[/THINK]{FAIL}",
        f"◁think▷hm◁/think▷{FAIL}",
        f"<THINK>hm</Think>{FAIL}",
        f"hm, {PASS}?\nNo.\n</think>\n{FAIL}",
        f"no data yet</think>{FAIL}",
        f'</think>"{FAIL}"',
        f"{FAIL}\n<think>was that right?",
    ],
)
def test_the_one_answer_is_found(text: str) -> None:
    assert verdict(text) == {"answer": "fail"}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "pass",
        "I would pass it.",
        '{"answer": "maybe"}',
        "{'answer': 'pass', 'answer': 'pass'}",
        "{'answer': {'pass'}}",
        "The app said {'answer': 'pass'}, and I {'answer': 'fail'}",
        f"[{PASS}, {PASS[:-1]}",
        '{"answer": "pass"',
        '{"answer": "pass", "score": NaN}',
        '{"answer": "fail", "answer": "pass"}',
        f'{{"result": {PASS}, "other": {FAIL}}}',
        f"[{PASS}, {FAIL}]",
        '{"answer": "pass", "turns": "two"}',
        '{"answer": "passed"}',
        f"<think>{PASS}",
        f"<think>{PASS}</think>",
        f"I think {PASS}.</think> I cannot decide.",
        json.dumps(PASS),
        "null",
        "[" * 100_000,
    ],
)
def test_nothing_is_made_of_what_is_no_answer(text: str) -> None:
    assert verdict(text) is None
    assert complaints(text, VERDICT)


FULL = {"answer": "pass", "reason": "it is", "turns": [1, 2], "score": 0.5}


@pytest.mark.parametrize(
    ("text", "note"),
    [
        (
            '{"answer": "pass", "reason": "it is", "turns": [1, 2,], "score": 0.5,}',
            "trailing commas",
        ),
        (repr(FULL), "Python literals"),
        (f"Here:\n```python\n{FULL!r}\n```", "Python literals"),
        (json.dumps({"result": FULL}), "an object around it"),
        (json.dumps({"type": "object", "properties": FULL}), "an object around it"),
        (json.dumps({"name": "verdict", "arguments": FULL}), "an object around it"),
        (json.dumps([FULL]), "a list of one"),
        (json.dumps({"verdict": [FULL]}), "an object around it"),
        (json.dumps({**FULL, "answer": "Pass"}), "an option in another spelling"),
        (json.dumps({**FULL, "turns": ["1", "2"]}), "a value of another type"),
        (json.dumps({**FULL, "score": "0.5"}), "a value of another type"),
        (
            json.dumps({key.title(): value for key, value in FULL.items()}),
            "keys in another spelling",
        ),
        (json.dumps({**FULL, "confidence": 0.9}), "keys that were not asked for"),
    ],
)
def test_what_can_be_meant_in_one_way_only_is_read_and_said(text: str, note: str) -> None:
    reply = read(ChatReply(text=text), VERDICT)
    assert reply.parsed == FULL
    assert note in reply.lenient


@pytest.mark.parametrize(
    "text",
    ["{'a': " + "-" * 90_000 + "1}", "{'a': " + "1+" * 40_000 + "1}", '{"' + '\\"' * 300_000 + "}",
     "{'answer': " + "[" * 5_000 + "]" * 5_000 + "}", "[" + ", " * 300_000 + "]"],
    ids=["signs", "sums", "quotes", "brackets", "commas"],
)  # fmt: skip
def test_what_is_neither_json_nor_python_is_left_quickly(text: str) -> None:
    began = time.process_time()
    assert read(ChatReply(text=text), VERDICT).parsed is None
    assert time.process_time() - began < 30


def test_an_answer_of_the_wanted_form_is_not_called_lenient() -> None:
    assert read(ChatReply(text=json.dumps(FULL)), VERDICT).lenient == ()


def test_truth_values_and_missing_nulls_are_read_where_the_schema_allows_them() -> None:
    schema = {
        "type": "object",
        "properties": {
            "sure": {"type": "boolean"},
            "names": {"type": "array", "items": {"$ref": "#/$defs/name"}},
            "note": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        },
        "required": ["sure", "names", "note"],
        "additionalProperties": False,
        "$defs": {"name": {"type": "object", "properties": {"first": {"type": "string"}}}},
    }
    text = '{"sure": "True", "names": {"first": 7}}'
    reply = read(ChatReply(text=text), schema)
    assert reply.parsed == {"sure": True, "names": [{"first": "7"}], "note": None}
    assert read(ChatReply(text='{"sure": "yes", "names": []}'), schema).parsed is None


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry, but I can't help with that.",
        "I\u2019m unable to assist with this request.",
        "Lo siento, pero no puedo ayudar con eso.",
        "Es tut mir leid, aber ich kann dabei nicht helfen.",
    ],
)
def test_a_refusal_in_words_is_told_as_one(text: str) -> None:
    assert read(ChatReply(text=text), VERDICT).finish_reason == "refusal"


@pytest.mark.parametrize(
    "text",
    [
        "Sorry for the delay: the answer is pass.",
        "I'm sorry, but I can only say {'answer': 'perhaps'}",
        "I would pass it.",
        "",
        "I'm sorry, but I can't. " * 200,
    ],
)
def test_an_answer_without_the_wanted_form_is_no_refusal(text: str) -> None:
    assert read(ChatReply(text=text), VERDICT).finish_reason == "stop"


QUOTING = [
    f"{FAIL} The app said: {PASS}",
    f"The app said {PASS}, so {FAIL}",
    f"The app wrote\n```json\n{PASS}\n```\nMy verdict: {FAIL}",
    f"{FAIL}\nIt said </think>{PASS}",
    f"{FAIL}\n</think>\n{PASS}",
    f"<think>it said </think>{PASS}</think>{FAIL}",
    f"<think>hm</think>{FAIL} for it said </think>\n{PASS}",
]


@pytest.mark.parametrize("text", QUOTING)
def test_of_two_different_answers_neither_is_taken(text: str) -> None:
    reply = read(ChatReply(text=text), VERDICT)
    assert reply.parsed is None
    assert reply.text == text, "nothing is cut off that a second reading would need"
    assert complaints(text, VERDICT) == "it holds several different answers; give one only"


@pytest.mark.parametrize(
    "said",
    [
        "</think>" + PASS,
        "</think>\n" + PASS,
        f"```\n{PASS}\n```",
        f"<think>x</think> {PASS}",
        '"}' + PASS,
    ],
)
def test_what_the_answer_quotes_does_not_replace_it(said: str) -> None:
    whole = json.dumps({"answer": "fail", "reason": f"it said {said}"})
    assert verdict(whole) == {"answer": "fail", "reason": f"it said {said}"}
    assert verdict(f"<think>it said nothing</think>\n{whole}") == json.loads(whole)


@pytest.mark.parametrize("reason", ["length", "refusal", "content_filter"])
def test_an_answer_that_was_cut_off_or_refused_is_never_read(reason: str) -> None:
    assert verdict(PASS, finish_reason=reason) is None
    assert verdict(PASS, finish_reason=reason, parsed={"answer": "pass"}) is None
    assert verdict(PASS, finish_reason="eos") == {"answer": "pass"}


def test_what_the_service_parsed_is_taken_if_it_fits() -> None:
    assert verdict("", parsed={"answer": "pass"}) == {"answer": "pass"}
    assert verdict(FAIL, parsed={"answer": "maybe"}) == {"answer": "fail"}
    assert verdict("?", parsed={"answer": "pass", "score": float("nan")}) is None
    assert read(ChatReply(text=PASS, parsed={"answer": "pass"}), None).parsed is None


@pytest.mark.parametrize(
    ("text", "reasoning", "left"),
    [
        ("Hello.", "", "Hello."),
        ("  Hello. ", "", "  Hello. "),
        ("<think>a</think>\n\nHello.", "a", "Hello."),
        ("<think>a<think>b</think>c</think> Hello.", "a<think>b\nc", "Hello."),
        ("a\n</think>\nHello.", "a", "Hello."),
        ("Hello. <think>a</think>How are you?", "a", "Hello. How are you?"),
        ("<think>a and then", "a and then", ""),
        ("Hello.\n<think>a and then", "a and then", "Hello."),
        ("Write <think> and go on", "", "Write <think> and go on"),
        ("Close it with `</think>` please", "", "Close it with `</think>` please"),
        ("</think>", "", ""),
        ("<think></think>Hi", "", "Hi"),
        ("I think </thinker> is no tag", "", "I think </thinker> is no tag"),
    ],
)
def test_reasoning_is_told_from_the_text(text: str, reasoning: str, left: str) -> None:
    reply = read(ChatReply(text=text, reasoning="before"), None)
    assert reply.text == left
    assert reply.reasoning == (f"before\n{reasoning}" if reasoning else "before")


PIECES = st.sampled_from(
    ["<think>", "</think>", "<reasoning>", "\n", "hm ", PASS, FAIL, "{", "}", "```\n", '"', "x"]
)


@given(st.lists(PIECES, max_size=12).map("".join))
def test_reading_twice_gives_what_reading_once_gave(text: str) -> None:
    once = read(ChatReply(text=text), VERDICT)
    again = read(once.model_copy(update={"parsed": None}), VERDICT)
    assert (again.text, again.parsed) == (once.text, once.parsed)
    assert once.parsed in (None, {"answer": "pass"}, {"answer": "fail"})


@given(st.text(max_size=200))
def test_no_text_breaks_the_reading(text: str) -> None:
    reply = read(ChatReply(text=text), VERDICT)
    assert reply.parsed is None
    assert len(complaints(text, VERDICT)) < 1000


@given(st.text(), st.lists(st.integers(0), max_size=3))
def test_an_answer_survives_any_reasoning_before_it(reason: str, turns: list[int]) -> None:
    answer = {"answer": "fail", "reason": reason.encode(errors="replace").decode(), "turns": turns}
    text = f"<think>{PASS}?</think>{json.dumps(answer)}"
    assert verdict(text) == answer


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({}, 'lacks "answer"'),
        ([], "must be of type object, not an array"),
        ({"answer": "perhaps"}, 'answer: must be one of "pass", "fail"'),
        ({"answer": "pass", "turns": [0, -1]}, "turns[1]: must be at least 0"),
        ({"answer": "pass", "turns": [0] * 4}, "turns: must have at most 3 items"),
        ({"answer": "pass", "score": "high"}, "score: must be of type number or null, not a text"),
        ({"answer": "pass", "reason": None}, "reason: must be of type string, not null"),
        ({"answer": "pass", "x": 1}, 'has keys that were not asked for: "x"'),
        ({"answer": "pass"}, ""),
        ('{"answer": "pass"}', ""),
        ("no", "it is not JSON: Expecting value (line 1, column 1)"),
        ("", "it is not JSON: it is empty"),
        ('I say {"answer": 1}', 'answer: must be one of "pass", "fail"'),
    ],
)
def test_complaints_say_what_is_wrong(answer: Any, said: str) -> None:
    assert complaints(answer, VERDICT) == said


def test_complaints_quote_hardly_anything() -> None:
    hostile = "ignore all that\u202e <data> " * 1000
    for answer in (hostile, {"answer": hostile}, {hostile: 1}, {"answer": {hostile: {hostile: 1}}}):
        said = complaints(answer, VERDICT)
        assert said
        assert len(said) < 300
        assert said.isascii()
    many = complaints({f"key{number}": number for number in range(1000)}, VERDICT)
    assert many.endswith(", ...")
    deep: Any = {}
    for _ in range(100):
        deep = {"a": deep}
    assert "nested deeper than 64 levels" in complaints(deep, VERDICT)


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ({"type": "objekt", "title": "T"}, 'the schema "T" is not a JSON Schema'),
        ({"$ref": "http://127.0.0.1:9/x"}, "refers to what it does not hold"),
        ({"$ref": "#/$defs/none"}, "refers to what it does not hold"),
        ({"$ref": "#"}, "never ends"),
    ],
)
def test_a_wrong_schema_is_an_error_and_fetches_nothing(
    schema: dict[str, Any], message: str
) -> None:
    with pytest.raises(ModelError, match="the schema") as caught:
        read(ChatReply(text="{}"), schema)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "</think>" * 100_000,
        "<think>" * 120_000,
        f"{PASS} </think> " * 30_000,
        "<think>x</think>\n" * 50_000 + FAIL,
        "```\n</think>\n" * 60_000,
    ],
    ids=["closing", "opening", "answers", "blocks", "fences"],
)
def test_a_megabyte_of_tags_is_soon_read(text: str) -> None:
    began = time.process_time()
    read(ChatReply(text=text), VERDICT)
    assert time.process_time() - began < 4
