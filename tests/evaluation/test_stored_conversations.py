"""Every conversation that SENSEI's authors published is read, and written back unchanged.

The environment variable SPARRING_SENSEI_EVALUATION names a checkout of the repository
``satori-chatbots/user-simulator-evaluation``; without it the tests are skipped.
"""

import os
from pathlib import Path

import pytest
import yaml

from sparring.errors import Problem
from sparring.model.talk import Trace
from sparring_plugins.sensei.conversations import (
    conversation_files,
    documents_of,
    read_conversation,
    read_conversations,
)

#: The folders of the checkout that hold conversations.
FOLDERS = (
    "chatbots-wild-analysis/output",
    "mutation-analysis/results_data",
    "mutation-analysis/profiles-rasa-new",
)


@pytest.fixture(scope="module", params=FOLDERS)
def folder(request: pytest.FixtureRequest) -> Path:
    named = os.environ.get("SPARRING_SENSEI_EVALUATION")
    if not named:
        pytest.skip("SPARRING_SENSEI_EVALUATION names no checkout of SENSEI's evaluation")
    found = Path(named, request.param)
    if not found.is_dir():
        pytest.skip(f"{found} is not in this checkout")
    return found


def test_every_file_is_a_conversation_or_knowingly_passed_over(folder: Path) -> None:
    problems = [str(item) for item in read_conversations(folder) if isinstance(item, Problem)]
    assert problems == []


def test_every_conversation_is_found(folder: Path) -> None:
    """A file is a conversation if its third document holds an interaction."""
    expected = {
        file.relative_to(folder).as_posix()
        for file in conversation_files(folder)
        if isinstance(file, Path) and _has_interaction(file)
    }
    traces = [item for item in read_conversations(folder) if isinstance(item, Trace)]
    assert {trace.meta["source"] for trace in traces} == expected
    assert len({trace.case.id for trace in traces}) == len(traces) == len(expected)


def test_every_conversation_is_written_back_with_the_same_objects(folder: Path) -> None:
    for file in conversation_files(folder):
        assert isinstance(file, Path)
        trace = read_conversation(file)
        if isinstance(trace, Trace):
            documents = list(yaml.load_all(file.read_bytes(), yaml.CSafeLoader))
            assert repr(documents_of(trace)) == repr(documents), file
            stored = Trace.model_validate_json(trace.model_dump_json())
            assert repr(documents_of(stored)) == repr(documents), file


def _has_interaction(file: Path) -> bool:
    documents = list(yaml.load_all(file.read_bytes(), yaml.CSafeLoader))
    return any(isinstance(each, dict) and "interaction" in each for each in documents)
