"""The backend `scripted`: answers from a file."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sparring.errors import ConfigurationError, ModelBusy, ModelError, ModelUnavailable
from sparring.model.chat import ChatMessage, ChatRequest
from sparring.testing.fakes import FakeContext
from sparring_plugins.llm.scripted import ScriptedBackend

pytestmark = pytest.mark.anyio

Make = Callable[[str], ScriptedBackend]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    def made(script: str) -> ScriptedBackend:
        (tmp_path / "script.yaml").write_text(script, encoding="utf-8")
        return FakeContext(base_dir=tmp_path).build(ScriptedBackend, script="script.yaml")

    return made


def ask(*texts: str, **more: Any) -> ChatRequest:
    roles = ("system", "user", "assistant", "user") if len(texts) > 1 else ("user",)
    messages = tuple(
        ChatMessage.model_validate({"role": role, "content": text})
        for role, text in zip(roles, texts, strict=False)
    )
    return ChatRequest(messages=messages, **more)


async def said(backend: ScriptedBackend, *texts: str, **more: Any) -> str:
    return (await backend.complete(ask(*texts, **more))).text


async def test_the_first_entry_that_fits_answers(make: Make) -> None:
    backend = make("""
        answers:
          - {when: {contains: pizza}, say: Which size?}
          - {when: {asker: user}, say: Hello!}
        else: Pardon?
    """)
    assert await said(backend, "A pizza, please", asker="user") == "Which size?"
    assert await said(backend, "Hi", asker="user") == "Hello!"
    assert await said(backend, "Hi", asker="judge") == "Pardon?"


async def test_an_answer_is_free_and_counts_words(make: Make) -> None:
    backend = make("{model: wordy, else: {say: three little words, reasoning: hm hm}}")
    reply = await backend.complete(ask("one two", "three"))
    assert (reply.input_tokens, reply.output_tokens, reply.cost_usd) == (3, 5, 0.0)
    assert (reply.model, reply.reasoning, reply.finish_reason) == ("wordy", "hm hm", "stop")
    assert backend.free


async def test_a_script_may_name_its_prices(make: Make) -> None:
    backend = make("{prices: {input: 1.0, output: 10.0}, else: four}")
    reply = await backend.complete(ask("one two three"))
    assert reply.cost_usd == pytest.approx(13e-6)
    assert not backend.free


@pytest.mark.parametrize(
    ("when", "fits", "differs"),
    [
        ("{asker: judge}", {"asker": "judge"}, {"asker": "user"}),
        ("{asker: [judge, user]}", {"asker": "user"}, {"asker": "extractor"}),
        ("{prompt: 'first*'}", {"prompt": "first-turn"}, {"prompt": "later"}),
        ("{case: 'c-?'}", {"case_id": "c-1"}, {"case_id": "c-10"}),
        ("{case: '*'}", {"case_id": None}, None),
        ("{sample: 2}", {"sample": 2}, {"sample": 0}),
        ("{round: 1}", {"round": 1}, {}),
        ("{}", {}, None),
    ],
)
async def test_an_entry_is_for_the_questions_in_its_when(
    make: Make, when: str, fits: dict[str, Any], differs: dict[str, Any] | None
) -> None:
    backend = make(f"{{answers: [{{when: {when}, say: mine}}], else: other}}")
    assert await said(backend, "Hi", **fits) == "mine"
    if differs is not None:
        assert await said(backend, "Hi", **differs) == "other"


@pytest.mark.parametrize(
    ("when", "texts", "answer"),
    [
        ("{contains: olives}", ("You sell olives", "hi"), "mine"),
        ("{contains: olives, in: last}", ("You sell olives", "hi"), "other"),
        ("{contains: olives, in: system}", ("You sell olives", "hi"), "mine"),
        ("{contains: hi, in: system}", ("You sell olives", "hi"), "other"),
        ("{contains: [olives, hi]}", ("You sell olives", "hi"), "mine"),
        ("{contains: [olives, ho]}", ("You sell olives", "hi"), "other"),
        ("{lacks: ham}", ("You sell olives", "hi"), "mine"),
        ("{lacks: [ham, hi]}", ("You sell olives", "hi"), "other"),
        ("{matches: '(?i)YOU sell \\w+'}", ("You sell olives", "hi"), "mine"),
        ("{matches: ['olives$', '^hi$'], in: last}", ("You sell olives", "hi"), "other"),
    ],
)
async def test_an_entry_looks_where_it_says(
    make: Make, when: str, texts: tuple[str, ...], answer: str
) -> None:
    backend = make(f"{{answers: [{{when: {when}, say: mine}}], else: other}}")
    assert await said(backend, *texts) == answer


async def test_named_groups_fill_an_answer(make: Make) -> None:
    backend = make(r"""
        answers:
          - when: {matches: ['a (?P<size>\w+) pizza', 'with (?P<topping>\w+)']}
            say: "I would like a {size} pizza with {topping}, says {asker} of {case}"
    """)
    text = await said(backend, "Goal: a large pizza with ham", asker="user", case_id="c1")
    assert text == "I would like a large pizza with ham, says user of c1"


async def test_the_last_match_counts(make: Make) -> None:
    backend = make("answers: [{when: {matches: 'bot: (?P<last>.*)'}, say: 'you said {last}'}]")
    assert await said(backend, "bot: Hello\nuser: Hi\nbot: Which size?") == "you said Which size?"


async def test_data_is_written_as_json_with_its_texts_filled(make: Make) -> None:
    backend = make(r"""
        answers:
          - when: {matches: 'costs \$(?P<price>[\d.]+)(?P<rest>.*)'}
            data: {value: "{price}", number: "{price|json}", list: ["{price}!", 1, true, null]}
    """)
    text = await said(backend, "It costs $12.5")
    assert json.loads(text) == {"value": "12.5", "number": 12.5, "list": ["12.5!", 1, True, None]}


async def test_a_placeholder_for_json_that_is_none_is_a_model_error(make: Make) -> None:
    backend = make("answers: [{when: {matches: 'is (?P<n>.*)'}, data: {n: '{n|json}'}}]")
    with pytest.raises(ModelError, match="'twelve' is no JSON"):
        await said(backend, "It is twelve")


async def test_what_was_filled_in_is_not_looked_at_again(make: Make) -> None:
    backend = make("answers: [{when: {matches: 'say (?P<x>.*)'}, say: '{x} {{x}} {not a name}'}]")
    assert await said(backend, "say {asker}") == "{asker} {x} {not a name}"


async def test_json_as_text_needs_no_escapes(make: Make) -> None:
    backend = make("""{else: '{"polite": true, "turns": {}, "list": [{"a": 1}]}'}""")
    assert json.loads(await said(backend, "Polite?"))["list"] == [{"a": 1}]


async def test_an_optional_group_that_found_nothing_is_empty(make: Make) -> None:
    backend = make("answers: [{when: {matches: 'hi(?P<who> bob)?'}, say: 'hello{who}!'}]")
    assert await said(backend, "hi") == "hello!"


async def test_a_sequence_is_given_once_and_then_the_next_entry(make: Make) -> None:
    backend = make("answers: [{sequence: [one, {say: two}]}, {say: done}]")
    assert [await said(backend, "?") for _ in range(4)] == ["one", "two", "done", "done"]


async def test_times_repeats_a_sequence_and_limits_an_answer(make: Make) -> None:
    backend = make("answers: [{sequence: [a, b], times: 2}, {say: c, times: 1}, {say: d}]")
    assert [await said(backend, "?") for _ in range(6)] == ["a", "b", "a", "b", "c", "d"]


async def test_cases_and_askers_have_places_of_their_own_in_a_sequence(make: Make) -> None:
    backend = make("{delay: 0.001, answers: [{sequence: ['{case} 1', '{case} 2', '{case} 3']}]}")

    async def played(case: str, asker: str) -> list[str]:
        return [await said(backend, "?", case_id=case, asker=asker) for _ in range(3)]

    who = [(f"c{number}", asker) for number in range(20) for asker in ("user", "judge")]
    answers = await asyncio.gather(*(played(case, asker) for case, asker in who))
    for (case, _), given in zip(who, answers, strict=True):
        assert given == [f"{case} 1", f"{case} 2", f"{case} 3"]


@pytest.mark.parametrize(
    ("answer", "kind", "words"),
    [
        (
            "{error: busy, retry_after: 2, message: 'slow down, {asker}'}",
            ModelBusy,
            "slow down, me",
        ),
        ("{error: unavailable}", ModelUnavailable, "the script says: unavailable"),
        ("{error: other, message: no such model}", ModelError, "no such model"),
    ],
)
async def test_a_script_may_end_in_errors(
    make: Make, answer: str, kind: type[ModelError], words: str
) -> None:
    backend = make(f"answers: [{{sequence: [{answer}, fine]}}]")
    with pytest.raises(ModelError, match=words) as caught:
        await said(backend, "?", asker="me")
    assert type(caught.value) is kind
    assert getattr(caught.value, "retry_after_s", None) == (2.0 if kind is ModelBusy else None)
    assert await said(backend, "?", asker="me") == "fine"


async def test_a_delay_is_waited_and_bounded_by_the_attempts_time(make: Make) -> None:
    backend = make(
        "{delay: 3600, answers: [{when: {contains: quick}, say: now, delay: 0}], else: ok}"
    )
    assert await said(backend, "quick") == "now"
    with pytest.raises(ModelUnavailable, match=r"no answer within 0\.05 s"):
        await said(backend, "slow", timeout_s=0.05)


async def test_a_miss_shows_the_nearest_entry_and_what_it_wants(make: Make) -> None:
    backend = make("""
answers:
  - when: {asker: judge, contains: polite}
    say: "yes"
  - name: size
    when: {asker: user, contains: Which size}
    say: small
""")
    with pytest.raises(ModelError) as caught:
        await said(backend, "bot: What size would you like?", asker="user")
    assert str(caught.value) == (
        "script.yaml has no answer to this question of 'user': 'bot: What size would you like?'. "
        "The nearest entry, in line 5 (size), wants a prompt that contains 'Which size'"
    )


async def test_a_used_up_entry_is_said_to_be_used_up(make: Make) -> None:
    backend = make("answers: [{sequence: [one]}, {when: {asker: judge}, say: two}]")
    await said(backend, "?", case_id="c7")
    with pytest.raises(ModelError, match=r"in line 1, has no answers left in case c7$"):
        await said(backend, "?", case_id="c7")


@pytest.mark.thorough
async def test_a_pattern_that_backtracks_without_end_is_stopped(make: Make) -> None:
    backend = make("answers: [{when: {matches: '(a|aa)+$'}, say: never}]")
    with pytest.raises(ModelError, match=r"pattern '\(a\|aa\)\+\$' takes longer than 2 s"):
        await said(backend, "a" * 60 + "b")


async def test_hostile_prompts_are_no_templates(make: Make) -> None:
    backend = make("answers: [{when: {matches: '(?s)(?P<all>.*)'}, say: '<{all}>'}]")
    for text in ("{__class__}", "{0}", "%s", "{asker!r}", "\x1b[31m", "{" * 1000, ""):
        assert (await said(backend, text)) in (f"<{text}>", "<>")


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("", "script.yaml: is empty"),
        ("- a", "expected keys and values"),
        ("{}", "has neither answers nor else"),
        ("answer: [hi]", "unknown key. Did you mean 'answers'?"),
        (
            "answers:\n  - sey: hi",
            "script.yaml:2: answers[0].sey: unknown key. Did you mean 'say'?",
        ),
        (
            "answers:\n  - when: {asker: user}",
            "script.yaml:2: answers[0]: an answer has one of say",
        ),
        ("answers:\n  - {say: a, data: 1}", "found say and data"),
        ("answers:\n  - {say: a, sequence: [b]}", "found say and sequence"),
        ("answers:\n  - {sequence: []}", "has no answers"),
        ("answers:\n  - {sequence: [{sequence: [a]}]}", "sequence[0].sequence: unknown key"),
        ("answers:\n  - {say: a, times: 0}", "times: input should be greater than 0"),
        ("answers:\n  - {error: bussy}", "input should be 'busy', 'unavailable' or 'other'"),
        ("answers:\n  - {say: a, retry_after: 1}", "belong to an error"),
        ("answers:\n  - {say: a, when: {askr: x}}", "Did you mean 'asker'?"),
        ("answers:\n  - {say: a, when: {in: first}}", "when.in"),
        ("answers:\n  - {say: a, when: {matches: '('}}", "is no regular expression"),
        (f"answers:\n  - {{say: a, when: {{matches: '{'a' * 1001}'}}}}", "longer than 1000"),
        (
            "answers:\n  - when: {matches: '(?P<size>a)'}\n    say: 'a {sise} pizza'",
            (
                "script.yaml:3: answers[0].say: nothing fills {sise}: no group of `matches` is called "
                "so. Did you mean 'size'?"
            ),
        ),
        ("answers:\n  - {data: {a: ['{b}']}}", "nothing fills {b}"),
        ("answers:\n  - sequence:\n    - ok\n    - '{b}'", "script.yaml:4: answers[0].sequence[1]"),
        ("else: '{b|json}'", "nothing fills {b}"),
        ("delay: -1\nelse: a", "delay: input should be greater than or equal to 0"),
        ("prices: {input: 1}\nelse: a", "prices.output: missing"),
        ("else: a\nelse: b", "written twice"),
        ("else: [unclosed", "is not valid YAML"),
    ],
)
def test_a_wrong_script_is_refused_with_file_and_line(make: Make, script: str, words: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        make(script)
    assert words in str(caught.value)
    assert str(caught.value).startswith("script.yaml")


def test_a_script_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"no file matches 'none.yaml'"):
        FakeContext(base_dir=tmp_path).build(ScriptedBackend, script="none.yaml")


def test_a_script_is_one_of_the_runs_inputs(tmp_path: Path) -> None:
    (tmp_path / "s.yaml").write_text("else: hi", encoding="utf-8")
    context = FakeContext(base_dir=tmp_path)
    context.build(ScriptedBackend, script="s.yaml")
    assert list(context.inputs) == ["s.yaml"]


def test_its_identity_changes_with_what_it_says(make: Make) -> None:
    first, same, other = make("else: hi"), make("else:  hi # again"), make("else: ho")
    assert first.identity() == same.identity() != other.identity()
