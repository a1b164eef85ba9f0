"""Examples for the oracle `judge` from a file of labelled ones."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from tests.plugins.judging.test_judge_oracle import QUESTION, Says

from sparring.errors import ConfigurationError
from sparring.model.talk import Trace
from sparring.testing.conversations import trace_of
from sparring.testing.fakes import FakeContext
from sparring_plugins.judging.judge_oracle import JudgeOracle
from sparring_plugins.judging.labelled_shots import LabelledShot, choose_shots, transcript

LABELLED: list[dict[str, Any]] = [
    {"id": "a", "conversation": [{"user": "hi"}, {"app": "A"}], "expected": "yes", "note": "why"},
    {"id": "b", "conversation": [{"user": "hi"}, {"app": "B"}], "expected": "yes"},
    {"id": "c", "conversation": [{"user": "hi"}, {"app": "C"}], "expected": "fail"},
    {"id": "d", "task": {"subject": "no conversation"}, "expected": "no"},
    {"conversation": [{"app": "E"}], "people": {"ann": "no", "bob": "no", "cy": "yes"}},
]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "labelled.yaml"
    path.write_text(yaml.safe_dump(LABELLED), encoding="utf-8")
    return path


def criterion(folder: Path, trace: Trace, **settings: Any) -> str:
    context = FakeContext(parts={"says": Says}, base_dir=folder)
    labelled = {"file": "labelled.yaml", **settings.pop("labelled", {})}
    judge = context.build(
        JudgeOracle, question=QUESTION, judges=[{"use": "says"}], labelled=labelled, **settings
    )
    assert "labelled.yaml" in context.inputs
    return judge.task(trace).criterion


def line(said: str, answer: str, why: str = "") -> str:
    return f"For example, of {said!r} the answer is {answer!r}{why}."


A = line("user: hi\nchatbot: A", "yes", " (why)")
B = line("user: hi\nchatbot: B", "yes")
C = line("user: hi\nchatbot: C", "no")
E = line("chatbot: E", "no")
OTHER = trace_of([("x", "y")])


def test_each_answer_has_as_many_examples_as_the_others(file: Path) -> None:
    assert criterion(file.parent, OTHER) == "\n".join([A, C, B, E])
    assert criterion(file.parent, OTHER, labelled={"most": 2}) == "\n".join([A, C])


def test_the_ones_that_are_named_guide(file: Path) -> None:
    labelled = {"ids": ["b", "5"]}
    found = criterion(file.parent, OTHER, labelled=labelled, criterion="Be strict.")
    assert found == "\n".join(["Be strict.", B, E])


def test_a_conversation_is_never_its_own_example(file: Path) -> None:
    assert criterion(file.parent, trace_of([("hi", "A")])) == "\n".join([B, C, E])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"labelled": {"ids": ["bb"]}}, "has no example 'bb'. Did you mean"),
        ({"labelled": {"ids": ["d"]}}, "needs a `conversation` in turns and one of the answers"),
        ({"options": ["good", "bad", "ugly"], "passes": ["good"]}, "no example with a `conversa"),
        ({"labelled": {"file": "none.yaml"}}, "none.yaml"),
    ],
)
def test_what_cannot_guide_is_an_error(file: Path, settings: dict[str, Any], message: str) -> None:
    if "options" in settings:
        file.write_text(yaml.safe_dump(LABELLED[:2]), encoding="utf-8")
    with pytest.raises(ConfigurationError, match=message):
        criterion(file.parent, OTHER, **settings)


def test_lines_of_json_are_read_too(tmp_path: Path) -> None:
    (tmp_path / "labelled.yaml").touch()
    path = tmp_path / "more.jsonl"
    path.write_text("\n".join(json.dumps(item) for item in LABELLED[:1]), encoding="utf-8")
    context = FakeContext(parts={"says": Says}, base_dir=tmp_path)
    judge = context.build(
        JudgeOracle, question=QUESTION, judges=[{"use": "says"}], labelled={"file": "more.jsonl"}
    )
    assert judge.task(OTHER).criterion == A


@given(
    st.lists(st.tuples(st.sampled_from("abcdefgh"), st.sampled_from("xyz"))),
    st.sampled_from("abcdefgh"),
    st.integers(1, 9),
)
def test_examples_are_balanced(labelled: list[tuple[str, str]], own: str, most: int) -> None:
    shots = [LabelledShot(f"chatbot: {said}", answer, "") for said, answer in labelled]
    turns = trace_of([(None, own)]).turns
    chosen = choose_shots(shots, turns, most)
    left = [shot for shot in shots if shot.said != transcript(turns)]
    assert len(chosen) == min(most, len(left))
    assert all(shot in left for shot in chosen)
    counts = {answer: sum(shot.answer == answer for shot in chosen) for answer in "xyz"}
    there = {answer: sum(shot.answer == answer for shot in left) for answer in "xyz"}
    for answer, count in counts.items():
        assert count >= min(there[answer], max(counts.values()) - 1)
