"""``sparring calibrate`` through the front door: its table, its files, its codes, its complaints."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from sparring.discovery.groups import HOOKS
from sparring.store import StoredRun
from sparring.testing.conversations import stored_run, trace_of

from .conftest import Program

JUDGE: dict[str, Any] = {"role": "judge", "use": "keywords", "name": "words"}
TASK: dict[str, Any] = {"question": "Is 'refund' mentioned?"}
GOOD: dict[str, Any] = {
    "name": "refunds",
    "judges": [JUDGE],
    "task": TASK,
    "examples": [
        {"id": "plain", "task": {"subject": "a refund"}, "expected": "yes"},
        {"id": "none", "task": {"subject": "no way"}, "expected": "no"},
        {"id": "hidden", "task": {"subject": "your money back"}, "expected": "yes"},
    ],
}


def write(folder: Path, **changes: Any) -> Path:
    path = folder / "calibration.yaml"
    path.write_text(yaml.safe_dump({**GOOD, **changes}, sort_keys=False), encoding="utf-8")
    return path


def test_the_table_says_what_was_measured_and_what_was_wrong(
    program: Program, tmp_path: Path
) -> None:
    write(tmp_path)
    ran = program("calibrate", "calibration.yaml")
    assert ran.code == 0, ran.err
    assert "refunds: 3 examples (1 no, 2 yes)" in ran.out
    assert "accuracy           0.667 [0.208, 0.939]" in ran.out
    assert "precision of 'no'  0.500" in ran.out
    assert "sigma level        1.93" in ran.out
    assert "  hidden: expected yes, said no" in ran.out
    assert "by words alone" in ran.out
    assert "wrote runs/calibrate-refunds-" in ran.out
    (folder,) = (tmp_path / "runs").iterdir()
    assert {path.name for path in folder.iterdir()} == {
        *("answers.jsonl", "calibration.json", "log.jsonl", "page.html", "run.json")
    }


def test_gates_end_with_one(program: Program, tmp_path: Path) -> None:
    write(tmp_path)
    ran = program("calibrate", "calibration.yaml", "--min-accuracy", "0.9")
    assert ran.code == 1
    assert "the accuracy of words is 0.667, not 0.9 or more" in ran.err
    assert program("calibrate", "calibration.yaml", "--min-accuracy", "0.6").code == 0
    assert program("calibrate", "calibration.yaml", "--min-kappa", "0.9").code == 1
    assert program("calibrate", "calibration.yaml", "--min-kappa", "0.9", "--exit-zero").code == 0


def test_judges_that_decide_nothing_measure_nothing(program: Program, tmp_path: Path) -> None:
    judge = {"role": "judge", "use": "sparring.testing.fakes:FakeJudge",
             "answers": {TASK["question"]: None}}  # fmt: skip
    write(tmp_path, judges=[judge])
    ran = program("calibrate", "calibration.yaml", "--exit-zero")
    assert ran.code == 5
    assert "nothing was measured: no judge decided anything (exit code 5)" in ran.err


LABELS = """
from sparring.discovery.hookspecs import hookimpl
from sparring_plugins.judging.calibration.results import LabelledAnswer

@hookimpl
def sparring_labelled_answers(trace):
    return [LabelledAnswer(role="judge", item=trace.case.id, expected="yes", answer="yes")]
"""


@pytest.mark.parametrize(("budget", "code"), [("cases=2", 0), ("cases=1", 4)])
def test_a_suite_whose_run_ends_early_is_not_measured_as_a_whole_one(
    program: Program, tmp_path: Path, install: Any, budget: str, code: int
) -> None:
    """`calibrate SUITE` runs the suite first, and how that ended is not lost."""
    install("labels", HOOKS, "labels = labels_of_all", LABELS)
    fakes = "sparring.testing.fakes:"
    suite = {
        "name": "early",
        "app": {"use": f"{fakes}FakeConnector"},
        "agent": {"use": f"{fakes}FakePlayer"},
        "strategy": {"use": f"{fakes}FakeStrategy", "params": [{"n": 1}, {"n": 2}]},
        "oracles": [{"use": f"{fakes}FakeOracle"}],
        "reporters": [],
    }
    (tmp_path / "suite.yaml").write_text(yaml.safe_dump(suite), encoding="utf-8")
    ran = program("calibrate", "suite.yaml", "--set", f"budget.{budget}")
    assert ran.code == code, ran.err
    assert ("the run: incomplete" in ran.err) is (code == 4)


def test_options_replace_keys_of_the_file(program: Program, tmp_path: Path) -> None:
    judges = [JUDGE, {**JUDGE, "name": "strict", "share": 1.0}]
    write(tmp_path, judges=judges)
    ran = program(
        "calibrate", "calibration.yaml", "--judge", "strict", "--repeats", "3", "--seed", "9",
        "--set", "judges.1.repeats=2", "--runs", "elsewhere", "--budget", "minutes=1",
    )  # fmt: skip
    assert ran.code == 0, ran.err
    (folder,) = (tmp_path / "elsewhere").iterdir()
    found = json.loads((folder / "calibration.json").read_text(encoding="utf-8"))
    assert (found["seed"], found["repeats"]) == (9, 3)
    assert [judge["name"] for judge in found["judges"]] == ["strict"]
    assert found["judges"][0]["answers"] == 6


def test_hostile_names_and_texts_reach_the_terminal_without_control_characters(
    program: Program, tmp_path: Path
) -> None:
    hostile = "a \x1b]0;owned\x07 \u202e\u200b refund"
    example = {"id": hostile, "task": {"subject": hostile}, "expected": "no"}
    judge = {**JUDGE, "name": "w\x1b[31m"}
    path = tmp_path / "calibration.yaml"
    data = {**GOOD, "name": "n\x1b[0m", "judges": [judge], "examples": [example]}
    path.write_text(json.dumps(data), encoding="utf-8")
    ran = program("calibrate", "calibration.yaml")
    assert "most often wrong" in ran.out
    for character in "\x1b\x07\u202e\u200b":
        assert character not in ran.out + ran.err


EXAMPLES = {
    "examples.csv": 'id,task.subject,expected,people.ann\na,a refund,yes,\nb,"no, sir",no,yes\n',
    "examples.jsonl": '{"id": "a", "task": {"subject": "a refund"}, "expected": "yes"}\n\n'
    '{"id": "b", "task": {"subject": "no, sir"}, "expected": "no", "people": {"ann": "yes"}}\n',
    "examples.json": '[{"id": "a", "task": {"subject": "a refund"}, "expected": "yes"},'
    '{"id": "b", "task": {"subject": "no, sir"}, "expected": "no", "people": {"ann": "yes"}}]',
    "examples.yaml": "- {id: a, task: {subject: a refund}, expected: yes}\n"
    "- {id: b, task: {subject: 'no, sir'}, expected: no, people: {ann: yes}}\n",
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_are_read_from_files_of_four_kinds(
    program: Program, tmp_path: Path, name: str
) -> None:
    (tmp_path / name).write_text(EXAMPLES[name], encoding="utf-8")
    write(tmp_path, examples=name)
    ran = program("calibrate", "calibration.yaml")
    assert ran.code == 0, ran.err
    assert "refunds: 2 examples (1 no, 1 yes)" in ran.out
    assert "Cohen's kappa, words and ann: 0.000 on 1 examples" in ran.out
    (folder,) = (tmp_path / "runs").iterdir()
    assert name in StoredRun(folder).manifest.inputs


def test_columns_go_deeper_by_dots_and_numbers(program: Program, tmp_path: Path) -> None:
    (tmp_path / "e.csv").write_text(
        "args.0,kwargs.x,expected\n3 euros,,3\n4 euros,,5\n", encoding="utf-8"
    )
    write(tmp_path, judges=[{"function": "extract_float"}], examples="e.csv", task={})
    ran = program("calibrate", "calibration.yaml")
    assert ran.code == 0, ran.err
    assert "0.500 [" in ran.out


def test_conversations_come_from_files_runs_and_the_page_itself(
    program: Program, tmp_path: Path
) -> None:
    rule = "name: r\nconversations: 1\noracle: size == 'big' and len(chatbot_phrases) == 2\n"
    (tmp_path / "rule.yaml").write_text(rule, encoding="utf-8")
    trace = trace_of([("hi", "hello"), ("bye", "bye")], size="big")
    stored_run(tmp_path / "runs" / "earlier", [trace])
    (tmp_path / "talk.json").write_text(trace.model_dump_json(), encoding="utf-8")
    turns = [{"app": "welcome"}, {"user": "hi"}, {"user": "you there?"}, {"app": "hello"}]
    (tmp_path / "turns.yaml").write_text(
        yaml.safe_dump({"turns": turns, "inputs": {"size": "big"}})
    )
    write(
        tmp_path,
        task={},
        judges=[{"oracle": "rules", "files": "rule.yaml"}],
        examples=[
            {"conversation": {"run": "earlier", "case": trace.case.id}, "expected": "pass"},
            {"conversation": {"run": "runs/earlier", "case": trace.case.id}, "expected": "pass"},
            {"conversation": "talk.json", "expected": "pass"},
            {"conversation": "turns.yaml", "expected": "pass"},
            {"conversation": {"turns": turns, "inputs": {"size": "big"}}, "expected": "pass"},
            {"conversation": {"turns": turns, "inputs": {"size": "small"}}, "expected": "fail"},
        ],
    )
    ran = program("calibrate", "calibration.yaml", "--min-accuracy", "1")
    assert ran.code == 0, ran.out + ran.err


def one(**changes: Any) -> dict[str, Any]:
    return {"examples": [{**GOOD["examples"][0], **changes}]}


def without(key: str) -> dict[str, Any]:
    return {"examples": [{k: v for k, v in GOOD["examples"][0].items() if k != key}]}


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "no judges": ({"judges": []}, "judges: tuple should have at least 1 item"),
    "no examples": ({"examples": []}, "calibration.yaml:8: examples: no examples"),
    "unknown key": ({"repeat": 3}, "repeat: unknown key. Did you mean 'repeats'?"),
    "unknown role": (
        {"judges": [{"role": "juge", "use": "keywords"}]},
        "judges[0].role: no role 'juge' can be measured. Did you mean 'judge'?",
    ),
    "unknown agent": (
        {"judges": [{"role": "judge", "use": "keyword"}]},
        "judges[0].use: no agent is called 'keyword'. Did you mean",
    ),
    "agent of another role": (
        {"judges": [{"role": "judge", "use": "agenda"}]},
        "the agent 'agenda' has the role 'user', not 'judge'",
    ),
    "wrong setting": (
        {"judges": [{**JUDGE, "shares": 1}]},
        "judges[0].shares: unknown key. Did you mean 'share'?",
    ),
    "setting of a wrong kind": (
        {"judges": [{**JUDGE, "share": 2}]},
        "judges[0].share: input should be less than or equal to 1, found 2",
    ),
    "nothing to measure": ({"judges": [{"name": "x"}]}, "a judge is one of `role: ROLE`"),
    "two things": (
        {"judges": [{**JUDGE, "function": "tone"}]},
        "a judge is one of `role: ROLE`",
    ),
    "a role alone": ({"judges": [{"role": "judge"}]}, "`role` and `use` belong together"),
    "check of an agent": (
        {"judges": [{**JUDGE, "check": "x"}]},
        "`check` means nothing for a judge with `role`",
    ),
    "unknown function": (
        {"judges": [{"function": "tones"}]},
        "judges[0].function: no function is called 'tones'. Did you mean 'tone'?",
    ),
    "unknown variant": (
        {"judges": [{"function": "tone", "variant": "vador"}]},
        "judges[0].variant: the function 'tone' has no variant 'vador'.",
    ),
    "setting of a function": (
        {"judges": [{"function": "extract_float", "digits": 2}]},
        "judges[0]: it has no setting 'digits'.",
    ),
    "unknown oracle": (
        {"judges": [{"oracle": "rule"}]},
        "judges[0].oracle: no oracle is called 'rule'. Did you mean 'rules'?",
    ),
    "same names": ({"judges": [JUDGE, JUDGE]}, "two judges are called 'words'"),
    "unknown model": (
        {"llm": {"use": "opanai"}},
        "llm.use: no LLM backend is called 'opanai'. Did you mean 'openai'?",
    ),
    "unknown model of a judge": (
        {"judges": [{**JUDGE, "llm": {"use": "opanai"}}]},
        "judges[0].llm.use: no LLM backend is called 'opanai'.",
    ),
    "labels of an oracle": (
        {"judges": [{"oracle": "generic-failures", "labels": {"passs": "yes"}}]},
        "judges[0].labels.passs: an oracle never answers 'passs'. Did you mean 'pass'?",
    ),
    "labels of an agent": (
        {
            "judges": [{**JUDGE, "labels": {"yess": "good", "no": "bad", "yes": "yes"}}],
            **one(expected="yes"),
        },
        "labels.yess: 'words' never answers 'yess'. Did you mean 'yes'?",
    ),
    "a positive class that there is not": (
        {"positive": "nope"},
        "positive: no example expects 'nope'. Did you mean 'no'?",
    ),
    "examples that are a map": ({"examples": {"a": 1}}, "examples: "),
    "budget of a run": (
        {"budget": {"cases": 3}},
        "budget: a calibration has no cases; its budget has minutes, tokens and cost",
    ),
    "zero repeats": ({"repeats": 0}, "repeats: input should be greater than or equal to 1"),
    "a name that is no path": ({"runs": "a\0b"}, "`runs` has a zero byte"),
    "no task": (
        {"task": {}, **one(task={})},
        "calibration.yaml:9: examples[0].task.question: missing",
    ),
    "wrong task": (
        one(task={"subjekt": "x"}),
        "examples[0].task.subjekt: unknown key. Did you mean 'subject'?",
    ),
    "wrong example": (
        one(expect="yes"),
        "examples[0].expect: unknown key. Did you mean 'expected'?",
    ),
    "an example that is none": ({"examples": ["yes"]}, "examples[0]: expected an example"),
    "no label": (without("expected"), "says neither what is `expected` nor what `people` say"),
    "unknown label": (
        one(expected="yess"),
        "examples[0].expected: 'words' never answers 'yess'. Did you mean 'yes'? Known: no, yes.",
    ),
    "unknown label of a person": (
        one(people={"ann": "maybe"}),
        "examples[0].people.ann: 'words' never answers 'maybe'.",
    ),
    "a truth value as a label": (one(expected=True), "'words' never answers 'true'."),
    "expected of another role": (
        one(expected={"met": [1]}),
        "examples[0].expected: not what a judge answers. Known: answer, turns.",
    ),
    "two of one id": (
        {"examples": [GOOD["examples"][0]] * 2},
        "the id 'plain' is there twice",
    ),
    "no conversation": (
        {"judges": [{"oracle": "generic-failures"}]},
        "has no `conversation`, which the oracle 'generic-failures' judges",
    ),
    "wrong arguments": (
        {"judges": [{"function": "extract_float"}], **one(args=["a", "b", "c", "d"], expected=1)},
        "examples[0].args: extract_float() cannot be called so: too many positional arguments",
    ),
    "a missing file": ({"examples": "none.yaml"}, "none.yaml: cannot be read: No such file"),
    "a strange file": ({"examples": "e.txt"}, "e.txt: examples are read from files of known"),
    "a missing conversation": (
        one(conversation="none.yaml"),
        "examples[0].conversation: no file matches 'none.yaml'",
    ),
    "a conversation that is none": (
        one(conversation=3),
        "examples[0].conversation: expected a file, a list of turns or a map, found 3",
    ),
    "a turn that is none": (
        one(conversation=[{"usr": "hi"}]),
        "conversation[0]: expected `user: TEXT`, `app: TEXT` or a turn with `act`",
    ),
    "a turn that says a number": (
        one(conversation=[{"user": 3}]),
        "conversation[0].user: expected a text, found 3",
    ),
    "a missing run": (
        one(conversation={"run": "none", "case": "x"}),
        "examples[0].conversation: no run is called 'none'",
    ),
    "half a place": (one(conversation={"run": "none"}), "conversation.case: missing"),
}


@pytest.mark.parametrize(("changes", "message"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_said_with_its_place(
    program: Program, tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    write(tmp_path, **changes)
    ran = program("calibrate", "calibration.yaml")
    assert ran.code == 2, ran.out + ran.err
    assert message in ran.err
    assert "Traceback" not in ran.err
    assert not (tmp_path / "runs").exists()


BROKEN = {
    "e.jsonl": ('{"id": 1}\n{"id": \n', "e.jsonl:2: is not valid JSON"),
    "f.jsonl": ("[1]\n", "f.jsonl:1: expected an example in braces, found [1]"),
    "g.jsonl": ('{"a": NaN}\n', "g.jsonl:1: is not valid JSON: NaN is no number"),
    "h.jsonl": ('{"a":' * 100_000, "h.jsonl:1: is not valid JSON"),
    "e.csv": ("", "e.csv: is empty; its first line names the columns"),
    "f.csv": ("id,id\n1,2\n", "f.csv:1: the column 'id' is there twice"),
    "g.csv": ("id,expected\n1,yes,no\n", "g.csv:2: has 3 cells, but there are 2 columns"),
    "h.csv": ("task,task.subject\nx,y\n", "h.csv:2: task.subject: 'task' is a column of its own"),
    "i.csv": ('id\n"a\n', "i.csv:2: is not valid CSV"),
    "j.csv": (
        "id,task.subject,expected\na,x,yes\nb,y,nope\n",
        "j.csv:3: expected: 'words' never answers 'nope'",
    ),
    "e.yaml": ("- a: [\n", "e.yaml:2: is not valid YAML"),
    "f.yaml": ("a: 1\n", "f.yaml:1: expected a list of examples, found {'a': 1}"),
    "g.yaml": ("", "g.yaml: expected a list of examples, found nothing"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_files_of_examples_are_refused_by_line(
    program: Program, tmp_path: Path, name: str
) -> None:
    text, message = BROKEN[name]
    (tmp_path / name).write_text(text, encoding="utf-8")
    write(tmp_path, examples=name)
    ran = program("calibrate", "calibration.yaml")
    assert ran.code == 2
    assert message in ran.err, ran.err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "calibration.yaml: is empty; expected a calibration"),
        ("- 1\n", "calibration.yaml:1: holds [1]; expected a calibration"),
        (
            "name: x\njudges: 3\nexamples: []\n",
            "calibration.yaml:2: judges: expected a list, found 3",
        ),
        ("name: ${NOT_SET_ANYWHERE}\n", "the environment variable 'NOT_SET_ANYWHERE' is not set"),
    ],
)
def test_files_that_are_no_calibration_are_refused(
    program: Program, tmp_path: Path, text: str, message: str
) -> None:
    (tmp_path / "calibration.yaml").write_text(text, encoding="utf-8")
    ran = program("calibrate", "calibration.yaml")
    assert ran.code == 2
    assert message in ran.err


def test_examples_refer_to_nothing_in_the_environment(program: Program, tmp_path: Path) -> None:
    write(tmp_path, **one(task={"subject": "pay ${HOME} refund"}))
    ran = program("calibrate", "calibration.yaml", "--min-accuracy", "1")
    assert ran.code == 0, ran.err


def test_a_model_that_is_missing_its_key_is_told_before_anything_is_asked(
    program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    judges = [{"role": "judge", "use": "model"}]
    write(tmp_path, judges=judges, llm={"use": "openai", "model": "gpt-4o-mini"})
    ran = program("calibrate", "calibration.yaml")
    assert ran.code == 2
    assert "OPENAI_API_KEY" in ran.err
    write(tmp_path, judges=judges)
    ran = program("calibrate", "calibration.yaml")
    assert ran.code == 2
    assert "llm" in ran.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--budget", "cases=3"], "expected kind=amount, kinds: minutes, tokens, cost"),
        (["--budget", "tokens"], "expected kind=amount"),
        (["--budget", "tokens=-1"], "budget.tokens: input should be greater than 0"),
        (["--min-accuracy", "2"], "2.0 is not in the range"),
        (["--judge", "wrds"], "no judge is called 'wrds'"),
        (["--set", "nonsense"], "expected key=value"),
    ],
)
def test_wrong_options_are_refused(
    program: Program, tmp_path: Path, arguments: list[str], message: str
) -> None:
    write(tmp_path)
    ran = program("calibrate", "calibration.yaml", *arguments)
    assert ran.code == 2
    assert message in ran.err, ran.err


def test_a_file_that_is_not_there(program: Program) -> None:
    ran = program("calibrate", "none.yaml")
    assert ran.code == 2
    assert "none.yaml: cannot be read: No such file or directory" in ran.err
