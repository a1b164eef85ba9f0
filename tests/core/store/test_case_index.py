"""The index of a log says what a plain dictionary of its cases would."""

from hypothesis import given
from hypothesis import strategies as st

from sparring.store.stored_run import CaseIndex

IDS = st.sampled_from([f"case-{letter}" for letter in "abcdef"])
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("ask"), st.lists(IDS, max_size=4)),
        st.tuples(st.just("judge"), st.lists(IDS, min_size=1, max_size=1)),
        st.tuples(st.just("again"), st.lists(IDS, max_size=3)),
    )
)


@given(STEPS)
def test_cases_are_found_as_in_a_dictionary(steps: list[tuple[str, list[str]]]) -> None:
    index = CaseIndex()
    offsets: dict[str, int | None] = {}
    batches: list[int] = []
    for offset, (step, case_ids) in enumerate(steps):
        if step == "ask":
            index.ask(offset, case_ids)
            batches.append(offset)
            for case_id in case_ids:
                offsets.setdefault(case_id, None)
        elif step == "judge":
            index.judge(offset, case_ids[0])
            if offsets.setdefault(case_ids[0], None) is None:
                offsets[case_ids[0]] = offset
        else:
            known = {case_id: offsets.get(case_id) for case_id in case_ids}
            assert index.play_again(case_ids) == {at for at in known.values() if at is not None}
            offsets |= {case_id: None for case_id in known if case_id in offsets}
    judged = {case_id: at for case_id, at in offsets.items() if at is not None}
    assert list(index) == list(judged)
    assert len(index) == len(judged)
    assert index.unjudged == len(offsets) - len(judged)
    assert list(index.offsets()) == list(judged.values())
    for case_id in "abcdef":
        assert (f"case-{case_id}" in index) == (f"case-{case_id}" in judged)
    in_order = sorted(judged, key=lambda case_id: judged[case_id])
    ends = [*batches[1:], len(steps)]
    assert list(index.batches()) == [
        (start, tuple(i for i in in_order if start < judged[i] < end))
        for start, end in zip(batches, ends, strict=False)
    ]


def test_an_id_that_no_text_can_have_is_no_case() -> None:
    index = CaseIndex()
    index.judge(1, "case-a")
    assert "case-\udcff" not in index  # an argument of a command that is no UTF-8
    assert index.row("case-a") == (1, 1)
