"""What a user means beside what it says, and what it wanted in the end."""

from datetime import UTC, datetime

from sparring.model.case import Case
from sparring.model.talk import Ended, Listen, Press, Say, Trace, act_text, meant_by

NOW = datetime(2027, 1, 4, tzinfo=UTC)


def test_what_is_meant_is_stored_only_where_it_differs() -> None:
    assert Say(text="hi").model_dump() == {"kind": "say", "text": "hi"}
    assert Say.model_validate_json('{"text": "hi"}').meant is None
    put = Say(text="helo", meant="hello")
    assert Say.model_validate_json(put.model_dump_json()) == put
    assert Say(text="xq", meant="").model_dump()["meant"] == ""


def test_an_act_means_what_it_says_unless_it_tells_more() -> None:
    assert meant_by(Say(text="hi")) == "hi"
    assert meant_by(Say(text="helo", meant="hello")) == "hello"
    assert act_text(Say(text="helo", meant="hello")) == "helo"
    assert meant_by(Say(text="xq", meant="")) == ""
    assert meant_by(Press(label="Yes")) == "Yes"
    assert meant_by(Listen()) == ""


def test_the_inputs_of_a_trace_are_those_wanted_in_the_end() -> None:
    case = Case(id="a", scenario="order", params={"size": ["small"], "cans": 2})
    trace = Trace(case=case, ended=Ended.GOALS_REACHED, started=NOW)
    assert trace.inputs == case.params
    revised = trace.model_copy(update={"meta": {"revised": {"size": ["big"]}}})
    assert revised.inputs == {"size": ["big"], "cans": 2}
    assert revised.case.params == case.params
    odd = trace.model_copy(update={"meta": {"revised": ["size"]}})
    assert odd.inputs == case.params


def test_single_values_are_lists_of_one_where_the_player_says_so() -> None:
    case = Case(id="a", scenario="order", params={"size": "big", "cans": [1, 2], "app": "one"})
    trace = Trace(
        case=case,
        ended=Ended.USER_LEFT,
        started=NOW,
        meta={"singles": ["size", "cans", "gone", 3], "revised": {"size": "small"}},
    )
    assert trace.inputs == {"size": ["small"], "cans": [1, 2], "app": "one"}
    assert trace.model_copy(update={"meta": {"singles": "size"}}).inputs == case.params
