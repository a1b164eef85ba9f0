"""Whatever conversation can be read is written back with the same objects."""

from contextlib import suppress
from datetime import date, datetime
from typing import Any

import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sparring.model.talk import Trace
from sparring_plugins.sensei.conversations import conversation_text, documents_of
from sparring_plugins.sensei.documents import (
    FileName,
    decode,
    dump_documents,
    encode,
    is_plain,
    load_documents,
)
from sparring_plugins.sensei.trace_reader import Origin, trace_of

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
words = st.text("abc_ =-:'\"#{}[]!&*\n\t ñ€😀", max_size=12) | texts
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats()
    | words
    | st.dates()
    | st.datetimes().map(lambda value: value.replace(microsecond=0, fold=0))
)
keys = words | st.integers(0, 2000) | st.dates() | st.booleans()
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=8,
)
maps = st.dictionaries(keys, values, min_size=1, max_size=2)


def often(usual: st.SearchStrategy[Any], odd: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(usual, usual, usual, odd)


seconds = st.floats(0, 1e6, allow_nan=False)
errors = st.dictionaries(st.sampled_from([500, 504, 1000, 1001]), words, min_size=1, max_size=1)
outputs = st.dictionaries(words, scalars, min_size=1, max_size=1)
picks = st.dictionaries(words, st.lists(words) | words | st.integers(), min_size=1, max_size=1)
speakers = often(st.sampled_from(["User", "Assistant"]), st.sampled_from(["user", "Chatbot"]))
entries = st.dictionaries(speakers, often(words, values), min_size=1, max_size=2)


@st.composite
def conversations(draw: st.DrawFn) -> list[Any]:
    """Three documents of a conversation, some of their parts in forms that SENSEI never writes."""
    metadata: dict[Any, Any] = {
        "serial": draw(often(st.just("2024-10-28-09-31-55"), scalars)),
        "language": draw(often(st.just("English"), values)),
        "context": draw(often(st.lists(words, max_size=3), st.none() | st.lists(values) | words)),
        "ask_about": draw(st.lists(words)) + draw(often(st.lists(picks), st.lists(maps | scalars))),
        "conversation": draw(often(st.lists(maps, max_size=3), maps)),
        "data_output": draw(often(st.lists(outputs, max_size=3), st.none() | st.lists(maps))),
        "errors": draw(often(st.lists(errors, max_size=2), st.none() | st.lists(values))),
    }
    for key in draw(st.sets(st.sampled_from(["language", "context", "data_output", "errors"]))):
        if draw(st.integers(0, 9)) == 0:
            del metadata[key]
    metadata |= draw(often(st.just({}), st.dictionaries(keys, values, max_size=2)))
    times: dict[Any, Any] = {
        "conversation time": draw(often(seconds, st.integers(0, 99) | st.none())),
        "assistant response time": draw(often(st.lists(seconds), st.none())),
        "response time report": draw(maps | st.none()),
    }
    talk: dict[Any, Any] = {"interaction": draw(often(st.lists(entries, max_size=5), st.none()))}
    return [metadata, times, talk, *draw(often(st.just([]), st.lists(values, max_size=1)))]


def read(documents: list[Any]) -> Trace:
    name = "0_test_2024-10-28-09-31-55"
    return trace_of(documents, Origin(name, FileName.of(name), name))


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(conversations())
def test_every_conversation_is_written_back_unchanged(documents: list[Any]) -> None:
    trace = read(documents)
    assert ordered(documents_of(trace)) == ordered(documents)
    stored = Trace.model_validate_json(trace.model_dump_json())
    assert ordered(documents_of(stored)) == ordered(documents)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(conversations())
def test_the_text_that_is_written_is_read_as_the_same_objects(documents: list[Any]) -> None:
    text = conversation_text(read(documents))
    assert repr(load_documents(text.encode())) == repr(list(yaml.safe_load_all(text)))
    assert ordered(load_documents(text.encode())) == ordered(documents)


@given(st.lists(values, max_size=3))
def test_our_loader_reads_what_pyyaml_reads(documents: list[Any]) -> None:
    text = dump_documents(documents)
    assert repr(load_documents(text.encode())) == repr(list(yaml.safe_load_all(text)))


@given(st.binary(max_size=200) | texts.map(str.encode))
def test_our_loader_raises_nothing_but_what_is_told_to_the_user(raw: bytes) -> None:
    with suppress(yaml.YAMLError, ValueError, OverflowError):
        load_documents(raw)


@given(values)
def test_a_kept_value_comes_back_as_it_was(value: Any) -> None:
    assert repr(decode(encode(value))) == repr(value)
    if is_plain(value):
        assert encode(value) == value


def ordered(value: Any) -> str:
    """A text that is the same for the same objects, whatever the order of the keys."""
    if isinstance(value, dict):
        return repr(sorted((ordered(key), ordered(inner)) for key, inner in value.items()))
    if isinstance(value, list):
        return repr([ordered(inner) for inner in value])
    if isinstance(value, (date, datetime)):
        return value.isoformat()
    return repr(value)
