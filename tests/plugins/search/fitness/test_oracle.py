"""The oracle `fitness`: values, the formula over them, and kinds of failures."""

from typing import Any

import pytest

from sparring.errors import AnswerInvalid, SparringError
from sparring.interfaces.agent import Agent
from sparring.interfaces.plugin import PluginConfig
from sparring.model.talk import Incident, IncidentKind, Observation, Trace
from sparring.model.verdict import Outcome, Owner, Verdict
from sparring.testing import hostile
from sparring.testing.conversations import trace_of
from sparring.testing.fakes import FakeContext
from sparring_plugins.search.fitness.oracle import FitnessOracle, task_of
from sparring_plugins.search.roles import Fitness, FitnessTask

pytestmark = pytest.mark.anyio

META: dict[str, Any] = {
    "features": {"category": "bar", "price": "low", "mood": "rude"},
    "labels": {"category": "bar", "price": "low", "mood": "rude"},
    "wanted": {"category": ["bar"], "price": ["cheap"]},
    "written": "Find me a cheap bar.",
    "utterance": "Fined me a cheap bar.",
    "language": "English",
}


class FixedConfig(PluginConfig):
    fitness: Fitness | None = None


class Fixed(Agent[FitnessTask, Fitness, FixedConfig]):
    """Gives what it was told to; nothing usable where it was told nothing."""

    role = "fitness"
    Config = FixedConfig

    async def act(self, task: FitnessTask) -> Fitness:
        if self.config.fitness is None:
            raise AnswerInvalid("the model would not say")
        return self.config.fitness


def talk(answer: Any = "There is a cheap bar for you.", payload: Any = None, **more: Any) -> Trace:
    seen = Observation(text=answer, payload=payload) if isinstance(answer, str) else answer
    return trace_of([("Fined me a cheap bar.", seen)], **{"meta": META, **more})


def value(number: float | None, **more: Any) -> dict[str, Any]:
    return {"use": "fixed", "fitness": {"value": number, **more}}


def oracle(values: dict[str, Any], **settings: Any) -> FitnessOracle:
    context = FakeContext(parts={"fixed": Fixed})
    return context.build(FitnessOracle, values=values, **settings)


async def judged(
    values: dict[str, Any], trace: Trace | None = None, **settings: Any
) -> list[Verdict]:
    return list(await oracle(values, **settings).judge(trace or talk()))


async def test_each_value_is_a_verdict_that_does_not_gate_and_the_formula_one_that_does() -> None:
    values = {"f1": value(0.7, parts={"direct": 1}), "f2": value(1.0)}
    one, two, last = await judged(values, fails="f1 < 0.75 or f2 < 0.75")
    assert [(v.check, v.score, v.gating, v.outcome) for v in (one, two)] == [
        ("f1", 0.7, False, Outcome.PASS),
        ("f2", 1.0, False, Outcome.PASS),
    ]
    assert one.details == {"parts": {"direct": 1}}
    assert (last.check, last.gating, last.outcome, last.score) == ("answer", True, "fail", 0.7)
    assert last.details["fitness"] == {"f1": 0.7, "f2": 1.0}
    assert last.details["kind"] == ["poor answer"]
    assert [(ref.case_id, ref.turn) for ref in last.turns] == [(last.case_ids[0], 0)]


@pytest.mark.parametrize(
    ("fails", "numbers", "outcome"),
    [
        ("f1 < 0.75 or f2 < 0.75", (0.75, 0.75), "pass"),
        ("f1 < 0.75 or f2 < 0.75", (0.7, None), "fail"),
        ("f1 < 0.75 or f2 < 0.75", (0.8, None), "inconclusive"),
        ("f1 < 0.75 and f2 < 0.75", (0.8, None), "pass"),
        ("(f1 + f2) / 2 < 0.5", (0.2, 0.7), "fail"),
        ("f1 / f2 < 0.5", (0.2, 0.0), "error"),
    ],
)
async def test_the_formula_decides_as_far_as_it_can(
    fails: str, numbers: tuple[float | None, float | None], outcome: str
) -> None:
    values = {"f1": value(numbers[0], reason="so"), "f2": value(numbers[1], reason="not known")}
    *_, last = await judged(values, fails=fails)
    assert last.outcome == outcome
    if outcome == "inconclusive":
        assert last.reason == "f2 is undecided: not known"


async def test_thresholds_do_without_a_formula() -> None:
    one, two, last = await judged(
        {"f1": value(0.6), "f2": value(0.1)}, thresholds={"f1": 0.5, "f2": 0.2}
    )
    assert [v.outcome for v in (one, two, last)] == ["pass", "fail", "fail"]
    assert last.details["formula"] == "f1 < 0.5 or f2 < 0.2"


async def test_a_model_that_gives_no_usable_answer_is_undecided() -> None:
    one, last = await judged({"f1": {"use": "fixed"}}, fails="f1 < 0.5")
    assert (one.outcome, one.owner) == (Outcome.INCONCLUSIVE, Owner.JUDGE)
    assert last.reason == "f1 is undecided: the model would not say"


APP = {
    "intent": "$.intent",
    "intents": ["search"],
    "names": ["place"],
    "search": "$.query",
    "items": "$.items[*]",
    "language": "$.language",
    "error": "$.error",
    "tells": "$.skill",
}
FINE = {"intent": "search", "query": {"category": "bar"}, "items": [{}], "language": "en"}


@pytest.mark.parametrize(
    ("intent", "unserved", "found"),
    [
        ("smalltalk", True, (0.0, "fail")),
        ("smalltalk", False, (None, "inconclusive")),
        ("search", True, (None, "inconclusive")),
        (None, True, (None, "inconclusive")),
    ],
)
async def test_nothing_for_a_request_that_was_taken_for_another_one_is_a_failure(
    intent: str | None, unserved: bool, found: tuple[float | None, str]
) -> None:
    values = {"f2": value(None, reason="nobody knows", unserved=unserved)}
    trace = talk("How are you?", {"intent": intent, "items": []})
    one, last = await judged(values, trace, fails="f2 < 0.75", app=APP)
    assert (one.score, last.outcome) == found
    if last.outcome is Outcome.FAIL:
        assert last.details["kind"] == ["wrong intent", "smalltalk"]
        assert one.reason == "nothing is returned: the app took the request for 'smalltalk'"


GONE = Incident(kind=IncidentKind.TIMEOUT, message="slow", owner=Owner.APP, turn=0)


@pytest.mark.parametrize(
    ("answer", "payload", "kind"),
    [
        ("Boom.", {"error": "no database"}, ["endpoint"]),
        (" \n", {"items": []}, ["empty output"]),
        ("...", None, ["empty output"]),
        ("Traceback (most recent call last):", FINE, ["technical output"]),
        ('{"items": [1]}', FINE, ["technical output"]),
        ("You owe {{amount}}.", FINE, ["technical output"]),
        ("Ich habe leider kein Lokal gefunden, das Ihnen gefällt.", FINE, ["wrong language"]),
        ("Wohin?", {**FINE, "language": "de-DE"}, ["wrong language"]),
        ("No such place.", {**FINE, "intent": "place"}, ["name misinterpretation"]),
        ("I am fine.", {**FINE, "intent": "smalltalk"}, ["wrong intent", "smalltalk"]),
        ("Sorry, I didn't get that.", FINE, ["not understood"]),
        ("A bar or a pub?", {**FINE, "items": []}, ["asked back"]),
        ("Lovely bars.", {**FINE, "query": None}, ["search not performed"]),
        ("A pub.", FINE, ["misread request", "category", "price"]),
        ("A pub.", {**FINE, "skill": "bars"}, ["misread request", "category", "price", "bars"]),
    ],
)
async def test_failures_have_a_class(answer: str, payload: Any, kind: list[str]) -> None:
    values = {"f2": value(0.1, wrong=["price", "category"], misread=["price"])}
    *_, last = await judged(values, talk(answer, payload), fails="f2 < 0.5", app=APP)
    assert last.details["kind"] == kind
    assert last.details["class"] == kind[0]
    assert last.reason == ": ".join([kind[0], ", ".join(kind[1:])] if kind[1:] else kind)


async def test_what_was_understood_and_is_wrong_is_retrieval_and_a_broken_rule_goes_first() -> None:
    values = {"f2": value(0.1, wrong=["price"])}
    *_, last = await judged(values, talk("A pub.", FINE), fails="f2 < 0.5", app=APP)
    assert last.details["kind"] == ["retrieval", "price"]
    values = {"s": value(0.1, broken=["no secrets"])}
    *_, last = await judged(values, talk("Sorry, I didn't get that."), fails="s < 0.5")
    assert last.details["kind"] == ["forbidden output", "no secrets"]


async def test_no_answer_at_all_is_zero_and_nobody_is_asked() -> None:
    trace = talk(None, incidents=[GONE])
    one, last = await judged({"f1": {"use": "fixed"}}, trace, fails="f1 < 0.5", app=APP)
    assert (one.score, last.outcome, last.owner) == (0, Outcome.FAIL, Owner.APP)
    assert last.details["kind"] == ["endpoint", "timeout"]


async def test_what_the_app_was_never_asked_is_not_judged() -> None:
    nobody = Incident(kind=IncidentKind.UNRESOLVED, message="nothing said", owner=Owner.TEST)
    assert await judged({"f1": value(0)}, trace_of([], incidents=[nobody]), fails="f1 < 1") == []


async def test_a_task_is_made_of_what_the_prompter_leaves_or_of_any_trace() -> None:
    task = task_of(talk("Yes.", {"a": 1}))
    assert (task.request, task.said) == ("Find me a cheap bar.", "Fined me a cheap bar.")
    assert (task.answer, task.payload) == ("Yes.", {"a": 1})
    assert task.wanted == {"category": ("bar",), "price": ("cheap",)}
    plain = task_of(trace_of([(None, "Hello!"), ("a ham pizza", "Sure."), ("bye", None)], size="L"))
    assert (plain.request, plain.answer, plain.wanted) == ("a ham pizza", "Sure.", {"size": ("L",)})
    odd = trace_of([("x", "y")], meta={"features": 7, "labels": [1], "wanted": {"a": 3}})
    assert task_of(odd).wanted == {"a": ("3",)}


@pytest.mark.parametrize("text", hostile.TEXTS[:19], ids=lambda text: repr(text[:12]))
async def test_hostile_answers_are_judged(text: str) -> None:
    trace = talk(Observation(text=text, payload={"items": [text], "intent": [text]}))
    values = {"f1": {"use": "dimensions"}, "f2": {"use": "content", "fields": {"price": "price"}}}
    verdicts = await judged(values, trace, fails="f1 < 0.75 or f2 < 0.75", app=APP)
    assert verdicts[-1].outcome in (Outcome.FAIL, Outcome.INCONCLUSIVE)
    assert all(Verdict.model_validate_json(v.model_dump_json()) == v for v in verdicts)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, "say what is a failure, for example `fails: f1 < 0.75`"),
        ({"fails": "f3 < 1"}, "`f3` is none of the variables"),
        ({"fails": "f1 <"}, "it ends too early"),
        ({"fails": "1 < 2"}, "speaks of no fitness value: f1"),
        ({"fails": "__import__('os')"}, "__import__"),
        ({"thresholds": {"f2": 0.5}}, "`thresholds` has 'f2', which is none of the values"),
        ({"fails": "f1 < 1", "app": {"intent": "a b"}}, "is not a path"),
        ({"fails": "f1 < 1", "values": {"f 1": "dimensions"}}, "cannot be a name"),
        ({"fails": "f1 < 1", "values": {}}, "at least 1"),
        ({"fails": "f1 < 1", "values": {"f1": "writer.template"}}, "has the role 'writer'"),
    ],
)
def test_wrong_settings_are_told(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(SparringError) as caught:
        oracle(**{"values": {"f1": "dimensions"}, **settings})
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("kind", "owner"),
    [
        (IncidentKind.PLAYER_ERROR, Owner.TOOL),
        (IncidentKind.CONNECTOR_ERROR, Owner.TOOL),
        (IncidentKind.MACHINE_BUSY, Owner.ENVIRONMENT),
        (IncidentKind.MODEL_ERROR, Owner.SIMULATED_USER),
    ],
)
async def test_a_conversation_that_broke_off_is_worth_nothing_and_blames_no_app(
    kind: IncidentKind, owner: Owner
) -> None:
    incident = Incident(kind=kind, message="it\nbroke", owner=owner)
    judge = oracle({"f1": value(0.1)}, thresholds={"f1": 0.5})
    [verdict] = await judge.judge(talk(incidents=[incident]))
    assert (verdict.check, verdict.outcome, verdict.owner) == (
        "answer",
        Outcome.INCONCLUSIVE,
        owner,
    )
    assert f"broke off, and not by the app ({kind.value}: it broke)" in verdict.reason
    assert await judge.judge(talk(answer=None, incidents=[incident])) == ()
