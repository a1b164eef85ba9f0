"""Libraries of general rules: each rule fails on what is bad and passes on what is good."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from sparring.errors import ConfigurationError, SparringError
from sparring.interfaces.plugin import LLMBackend
from sparring.model.talk import Choice, Incident, IncidentKind, Observation, Trace
from sparring.model.verdict import Outcome, Owner
from sparring.testing.answers import answer_to
from sparring.testing.conversations import trace_of
from sparring.testing.fakes import FakeContext, FakeLLM
from sparring_plugins.rules.oracle import RulesOracle
from sparring_plugins.rules.parse.library_rules import library_listings, library_names

from .judging import Bench, counts

PAGE = (Path(__file__).parents[3] / "docs" / "reference" / "rules.md").read_text(encoding="utf-8")
LINGUA = {"responds_in_same_language": {"use": "lingua", "languages": ["en", "es"]}}
TIMEOUT = Incident(kind=IncidentKind.TIMEOUT, message="slow", owner=Owner.APP, turn=1)
LONG = [
    (
        "Good morning, I would like to order a pizza please",
        "Of course, which pizza would you like?",
    ),
    ("Una pizza margarita y dos botellas de agua, por favor", "{}"),
]


def link(url: str, label: str = "menu") -> Observation:
    return Observation(text="Look here", choices=(Choice(label=label, url=url),))


def talk(*said: Any, **named: Any) -> list[Trace]:
    return [trace_of(said, **named)]


def pair(*, persona: tuple[str, str] = ("", ""), **values: tuple[Any, Any]) -> list[Trace]:
    """Two conversations: what each differs in, and with `said`, `price` and `unmet` what came."""
    said = values.pop("said", ([("a pizza", "Ok")], [("a pizza", "Ok")]))
    price = values.pop("price", ("$9", "$9"))
    unmet = values.pop("unmet", ([], []))
    return [
        trace_of(
            said[at],
            scenario=f"orders {persona[at]}",
            outputs={"price": price[at], "order_id": f"A{at}"},
            meta={"persona": persona[at], "goals": ["a pizza"], "goals_unmet": unmet[at]},
            **{name: both[at] for name, both in values.items()},
        )
        for at in (0, 1)
    ]


def slow(*latencies: float) -> list[Trace]:
    said = [("more", "yes") for _ in latencies]
    return talk(*said, latencies=latencies)


Rule = tuple[str, dict[str, Any], list[Trace], list[Trace]]
SPOKEN = [
    ("I would like to have a boat", "Of course. Which boat would you like to have?"),
    ("the one with a sail", "That is a good one for a day on the lake."),
    ("how much is it?", "It is nine dollars for a day, and you can have it from eight."),
]
SEATS = "How many seats (1 to 6)?"
NAMED = {"name": ("Ann", "Ali"), "size": ("big", "big")}
RULES: list[Rule] = [
    # rule, settings, bad, good
    (
        "general.does_not_repeat_itself",
        {},
        talk(("a", "What?"), ("b", "Ok"), ("c", "What?")),
        talk(("a", "What?"), ("b", "Ok")),
    ),
    (
        "general.does_not_repeat_itself",
        {"allowed": ["anything else"]},
        talk(("a", "What?"), ("b", "What?")),
        talk(("a", "Or anything else?"), ("b", "Or anything else?")),
    ),
    (
        "general.is_not_stuck",
        {},
        talk(
            ("a boat", "We are by the lake."),
            ("a guide", "We are by the lake."),
            ("the price", "We are by the lake."),
        ),
        talk(("a boat", "Which day?"), ("a guide", "Which day?"), ("two", "Oh")),
    ),
    (
        "general.answers_in_the_users_language",
        {"functions": LINGUA},
        talk(LONG[0], (LONG[1][0], "Certainly, that is nine dollars, anything else for you?")),
        talk(LONG[0], (LONG[1][0], "Por supuesto, son nueve dólares, ¿desea alguna cosa más?")),
    ),
    ("general.links_lead_somewhere", {}, talk(("a", link(""))), talk(("a", link("https://a.org")))),
    (
        "general.links_lead_somewhere",
        {},
        talk(("a", link("https://a.org", " "))),
        talk(("a", "no")),
    ),
    (
        "general.links_lead_somewhere",
        {},
        talk(("a", "see [our menu]()")),
        talk(("a", "see [our menu](https://a.org/menu) (new)")),
    ),
    ("general.no_empty_answers", {}, talk(("a", " \n")), talk(("a", link("https://a.org")))),
    ("general.no_leftovers", {}, talk(("a", "Hi {{name}}")), talk(("a", "None of these {x: 1}"))),
    ("general.no_leftovers", {"allowed": "${x}"}, talk(("a", "${y}")), talk(("a", "${x}"))),
    ("general.no_debris", {}, talk(("a", "a<br>b")), talk(("a", "I <3 it & you"))),
    (
        "general.no_error_traces",
        {},
        talk(("a", "Sorry. KeyError: 'size'")),
        talk(("a", "Sorry, an error happened: try again")),
    ),
    (
        "general.adds_up",
        {},
        talk(("a boat", "Boat: $40.00\nLife vest: $5.00\nTotal: $40.00")),
        talk(("a boat", "Boat: $40.00\nLife vest: $5.00\nTotal: $45.00")),
    ),
    (
        "general.names_the_right_weekday",
        {},
        talk(("when?", "On Monday, 7 June 2028.")),
        talk(("when?", "On Wednesday, 7 June 2028.")),
    ),
    (
        "general.confirms_what_was_agreed",
        {},
        talk(
            ("a boat", "A boat on 7 June at 10:00. Is that right?"),
            ("yes", "Booked: 7 June, 11:00."),
        ),
        talk(
            ("a boat", "A boat on 7 June at 10:00. Is that right?"),
            ("yes", "Booked: 7 June, 10 am."),
        ),
    ),
    (
        "general.takes_valid_answers",
        {},
        talk(("a boat", SEATS), ("4", SEATS), ("4", SEATS)),
        talk(("a boat", SEATS), ("some", SEATS), ("many", SEATS)),
    ),
    (
        "general.keeps_its_own_limits",
        {},
        talk(("a boat", SEATS), ("8", "Your name?"), ("Ann", "8 seats for Ann.")),
        talk(("a boat", SEATS), ("8", "Only up to 6."), ("6", "6 seats.")),
    ),
    (
        "general.does_not_break_down",
        {},
        talk(("a boat", "Internal error, please try later.")),
        talk(("a boat", "I am afraid that there is no boat left.")),
    ),
    (
        "general.options_lead_somewhere",
        {},
        talk(
            ("hi", "What do you need?\n1. A boat\n2. A guide"), ("2", "This option is coming soon.")
        ),
        talk(("hi", "What do you need?\n1. A boat\n2. A guide"), ("2", "For which day?")),
    ),
    (
        "general.cancels_nothing_on_a_yes",
        {},
        talk(("a boat", "A boat at 10:00. Is that right?"), ("yes", "It has been cancelled.")),
        talk(("a boat", "A boat at 10:00. Is that right?"), ("yes", "It is booked.")),
    ),
    (
        "general.knows_the_users_name",
        {},
        talk(("a boat", "What is your name?"), ("Ann Lee", "Thank you, Bob Ray. Which day?")),
        talk(("a boat", "What is your name?"), ("Ann Lee", "Thank you, Ann Lee. Which day?")),
    ),
    (
        "general.lists_are_whole",
        {},
        talk(("a boat", "Which one?\n1. Kayak\n2. Canoe\n4. Raft\n5. Dinghy")),
        talk(("a boat", "Which one?\n1. Kayak\n2. Canoe\n3. Raft\n9. Back")),
    ),
    (
        "general.answers_what_was_asked",
        {},
        talk(("Is order B-12 ready?", "Order B-13 is ready.")),
        talk(("Is order B-12 ready?", "Order B-12 is ready.")),
    ),
    (
        "general.keeps_its_language",
        {},
        talk(*SPOKEN, ("to the lake", "¿A qué hora quiere que le llevemos y con cuántos?")),
        talk(*SPOKEN, ("to the lake", "At what time would you like us to take you there?")),
    ),
    (
        "general.leaks_no_personal_data",
        {"allowed": ["shop@pizza.org"]},
        talk(("a", "Ann's address is ann@home.org")),
        talk(("I am bob@home.org", "Right, bob@home.org. We are shop@pizza.org")),
    ),
    (
        "general.repeats_no_secrets",
        {},
        talk(("my card is 4111 1111 1111 1111", "Thanks, I noted 4111111111111111")),
        talk(("my card is 4111 1111 1111 1111", "Thanks, the one that ends in 1111")),
    ),
    ("performance.answers_in_time", {"limit": 2}, slow(1, 3), slow(1, 2)),
    ("performance.average_in_time", {}, slow(1, 4), slow(1, 3)),
    ("performance.percentile_in_time", {"percent": 50}, slow(6, 6, 1), slow(6, 1, 1)),
    ("performance.does_not_slow_down", {}, slow(1, 1, 1, 1, 3, 3), slow(1, 1, 9, 9, 2, 1)),
    (
        "performance.always_answers",
        {},
        talk(("a", "b"), ("c", None), incidents=[TIMEOUT]),
        talk(("a", "b")),
    ),
    (
        "process.steps_in_order",
        {"steps": ["which size", "that is", "order number"]},
        talk(("a", "That is $9."), ("b", "Which size?"), ("c", "Order number 3")),
        talk(("a", "Which size?"), ("b", "That is $9. Order number 3")),
    ),
    (
        "process.steps_in_order",
        {"steps": ["which size", ["order number", "order id"]], "complete": True},
        talk(("a", "Which size?")),
        talk(("a", "Which size?"), ("b", "The order ID is 3")),
    ),
    (
        "process.not_before",
        {"first": "that is $", "then": "confirmed"},
        talk(("a", "Your order is confirmed"), ("b", "That is $9")),
        talk(("a", "That is $9"), ("b", "Your order is confirmed")),
    ),
    (
        "process.happens_once",
        {"once": "confirmed"},
        talk(("a", "It is confirmed"), ("b", "It is confirmed again")),
        talk(("a", "It is confirmed"), ("b", "Bye")),
    ),
    (
        "process.asks_nothing_twice",
        {},
        talk(("a", "Sure. What size would you like?"), ("big", "What size would you like?")),
        talk(("a", "What size? Is there anything else?"), ("no", "Is there anything else?")),
    ),
    (
        "process.ends_after_goodbye",
        {},
        talk(("bye", "Goodbye!"), ("ok", "What size?")),
        talk(("a", "What size?"), ("bye", "Goodbye!"), ("ok", "See you")),
    ),
    (
        "bias.same_outputs_for_everybody",
        {},
        pair(price=("$9", "$12"), **NAMED),
        pair(price=("$9", "$9"), **NAMED),
    ),
    (
        "bias.same_outputs_for_everybody",
        {},
        pair(persona=("rude", "elderly"), price=("$9", "$12")),
        pair(persona=("rude", "elderly")),
    ),
    (
        "bias.same_success_for_everybody",
        {},
        pair(unmet=([], ["a pizza"]), **NAMED),
        pair(unmet=(["a pizza"], ["a pizza"]), **NAMED),
    ),
    (
        "bias.same_effort_for_everybody",
        {},
        pair(said=([("a", "b")], [("a", "b")] * 4), **NAMED),
        pair(said=([("a", "b")] * 2, [("a", "b")] * 4), **NAMED),
    ),
    (
        "bias.same_tone_for_everybody",
        {"functions": {"tone": "vader"}},
        pair(
            said=([("a", "Certainly, with pleasure!")], [("a", "You are a horrible liar")]), **NAMED
        ),
        pair(said=([("a", "Certainly, with pleasure!")], [("a", "Gladly, thank you")]), **NAMED),
    ),
    ("manners.no_insults", {}, talk(("a", "You idiot")), talk(("a", "You are right"))),
    ("manners.no_shouting", {}, talk(("a", "READ THE MENU")), talk(("a", "The UN and NASA"))),
    ("manners.formal", {}, talk(("a", "yeah, gonna do")), talk(("a", "Yes, I will do that"))),
    (
        "manners.never_negative",
        {"functions": {"tone": "vader"}},
        talk(("a", "That is a terrible, stupid idea and I hate it")),
        talk(("a", "That is a wonderful idea")),
    ),
]


def outcomes(
    name: str, given: dict[str, Any], traces: Sequence[Trace], bench: Bench
) -> set[Outcome]:
    library, _, rule = name.partition(".")
    settings = {key: given[key] for key in ("functions",) if key in given}
    parameters = {key: value for key, value in given.items() if key not in settings}
    oracle = FakeContext().build(
        RulesOracle, libraries=[{"library": library, "only": [rule], **parameters}], **settings
    )
    verdicts = bench.judge(oracle, traces)
    assert {one.check for one in verdicts} == {name}
    return set(counts(verdicts)) - {Outcome.SKIPPED}


@pytest.mark.parametrize(("name", "given", "bad", "good"), RULES, ids=[one[0] for one in RULES])
def test_a_rule_fails_on_what_is_bad_and_passes_on_what_is_good(
    bench: Bench, name: str, given: dict[str, Any], bad: list[Trace], good: list[Trace]
) -> None:
    assert Outcome.FAIL in outcomes(name, given, bad, bench)
    assert outcomes(name, given, good, bench) == {Outcome.PASS}


def model(answers: Callable[[Any], Any]) -> LLMBackend[Any]:
    return FakeContext().build(FakeLLM, answers=answers)


ASKING = {
    "general.keeps_to_its_topics": {"keeps": ("no", "yes")},
    "general.answers_in_the_users_language": {"user": ("Spanish", "English")},
    "manners.polite": {"follows": ("no", "yes")},
}


@pytest.mark.parametrize("name", ["general.keeps_to_its_topics", "manners.polite"])
@pytest.mark.parametrize("good", [True, False])
def test_rules_that_ask_a_model_go_by_what_it_says(bench: Bench, name: str, good: bool) -> None:
    library, _, rule = name.partition(".")
    key, values = next(iter(ASKING[name].items()))
    llm = model(lambda request: answer_to(request.answer_schema, **{key: values[good]}))
    context = FakeContext(llm=llm)
    oracle = context.build(RulesOracle, libraries=[{"library": library, "only": [rule]}])
    trace = trace_of([("a", "b")], meta={"goals": ["a pizza"], "role": "You are hungry"})
    found = set(counts(bench.judge(oracle, [trace])))
    assert found == {Outcome.PASS if good else Outcome.FAIL}


def test_without_a_model_it_is_said_what_can_judge_instead(bench: Bench) -> None:
    oracle = FakeContext().build(RulesOracle, libraries="general")
    verdicts = bench.judge(oracle, talk(LONG[0], meta={"goals": ["a pizza"]}))
    open_ones = {one.check: one.reason for one in verdicts if one.outcome is Outcome.INCONCLUSIVE}
    assert set(open_ones) == {
        "general.keeps_to_its_topics",
        "general.answers_in_the_users_language",
    }
    assert all("without a model `functions: {" in reason for reason in open_ones.values())


def test_every_rule_has_tests_a_reason_and_a_place_on_the_page() -> None:
    tested = {name for name, *_ in RULES} | set(ASKING)
    for one in library_listings():
        assert f"{one.library}.{one.name}" in tested
        assert len(one.description.split()) >= 7, one.name
        assert f"`{one.name}`" in PAGE
        for parameter in one.parameters:
            assert re.search(rf"`{parameter}[`:]", PAGE), (one.name, parameter)
    assert library_names() == ["bias", "general", "manners", "performance", "process"]


def test_nothing_is_requested_unless_the_suite_says_so(bench: Bench) -> None:
    oracle = FakeContext().build(RulesOracle, libraries="general")
    trace = talk(("a", link("http://127.0.0.1:9/nobody")))
    verdicts = {one.check: one for one in bench.judge(oracle, trace)}
    assert verdicts["general.links_lead_somewhere"].outcome is Outcome.PASS


CHOICES: list[tuple[Any, set[str]]] = [
    ("bias", {"bias.same_outputs_for_everybody", "bias.same_success_for_everybody",
              "bias.same_effort_for_everybody", "bias.same_tone_for_everybody"}),
    ("manners", {"manners.no_insults", "manners.no_shouting"}),
    ({"library": "manners", "only": ["formal"]}, {"manners.formal"}),
    ({"library": "manners", "without": ["no_insults"]}, {"manners.no_shouting"}),
    (
        ["manners", {"library": "manners", "only": ["polite"]}],
        {"manners.no_insults", "manners.no_shouting", "manners.polite"},
    ),
]  # fmt: skip


def names_of(oracle: RulesOracle) -> set[str]:
    rules = oracle.rules
    return {one.rule.name for one in (*rules.single, *rules.turns, *rules.over_several)}


@pytest.mark.parametrize(("libraries", "names"), CHOICES)
def test_a_suite_chooses_rules(libraries: Any, names: set[str]) -> None:
    assert names_of(FakeContext().build(RulesOracle, libraries=libraries)) == names


def test_rules_of_files_and_libraries_are_judged_together(bench: Bench) -> None:
    oracle = bench.oracle("True", libraries="manners")
    assert names_of(oracle) == {"rule 0", "manners.no_insults", "manners.no_shouting"}


def test_a_rule_without_its_parameter_is_left_out_with_a_warning() -> None:
    context = FakeContext()
    oracle = context.build(RulesOracle, libraries=["process"])
    assert names_of(oracle) == {"process.asks_nothing_twice", "process.ends_after_goodbye"}
    assert (
        "rule library process: the rule 'not_before' needs `first` and `then`, and is left out"
        in (context.warnings)
    )


def test_a_parameter_may_be_given_to_one_rule_alone(bench: Bench) -> None:
    given = {"library": "general", "only": ["no_debris", "no_leftovers"]}
    libraries = [{**given, "no_debris": {"allowed": ["<br>", "{{x}}"]}}]
    oracle = FakeContext().build(RulesOracle, libraries=libraries)
    found = {one.check: one.outcome for one in bench.judge(oracle, talk(("a", "<br> {{x}}")))}
    assert found == {"general.no_debris": Outcome.PASS, "general.no_leftovers": Outcome.FAIL}


WRONG: list[tuple[dict[str, Any], str]] = [
    ({}, "names neither `files` nor `libraries`"),
    ({"libraries": "genral"}, "no rule library is called 'genral'. Did you mean 'general'?"),
    ({"libraries": ""}, "should have at least 1 character"),
    ({"libraries": [3]}, "libraries[0]"),
    ({"libraries": "general", "compat": "sensei"}, "libraries are unknown to SENSEI"),
    ({"libraries": {"only": ["x"]}}, "libraries.library: missing"),
    (
        {"libraries": {"library": "bias", "only": ["x"]}},
        "libraries.only: library bias: it has no rule",
    ),
    ({"libraries": {"library": "bias", "only": []}}, "no rule of it is left"),
    (
        {"libraries": {"library": "bias", "ignor": []}},
        "no parameter 'ignor'. Did you mean 'ignore'",
    ),
    ({"libraries": {"library": "bias", "effort": "x"}}, "must be a number, found 'x'"),
    ({"libraries": {"library": "bias", "effort": True}}, "must be a number, found True"),
    ({"libraries": {"library": "bias", "ignore": 3}}, "must be a list, found 3"),
    ({"libraries": {"library": "process", "complete": 1}}, "must be true or false, found 1"),
    (
        {"libraries": {"library": "process", "only": ["not_before"], "first": "x"}},
        "the rule 'not_before' needs `then`",
    ),
    (
        {"libraries": {"library": "general", "no_debris": {"alowed": []}}},
        "this rule has no parameter 'alowed'. Did you mean 'allowed'",
    ),
]


@pytest.mark.parametrize(("settings", "message"), WRONG, ids=[why for _, why in WRONG])
def test_what_is_wrong_is_said(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(SparringError) as caught:
        FakeContext().build(RulesOracle, **settings)
    assert message in str(caught.value)


THEIRS = """
name: no_promises
description: Nothing is promised that nobody can keep
parameters: {words: [guarantee]}
for_each: answer
oracle: not any(word in answer for word in words)
"""


@pytest.fixture
def theirs(install: Any, tmp_path: Path) -> Path:
    """The folder of another package's library, which is installed as `acme`."""
    install("acme-rules", "sparring.rule_libraries", "acme = acme_rules.acme", "")
    site = tmp_path / "site-packages"
    (site / "acme_rules.acme.py").unlink()
    folder = site / "acme_rules" / "acme"
    folder.mkdir(parents=True)
    (site / "acme_rules" / "__init__.py").touch()
    (folder / "__init__.py").touch()
    (folder / "promises.yml").write_text(THEIRS)
    (folder / "notes.txt").write_text("no rules")
    return folder


def test_other_packages_bring_libraries_of_their_own(bench: Bench, theirs: Path) -> None:
    oracle = FakeContext().build(RulesOracle, libraries={"library": "acme", "words": ["always"]})
    found = bench.judge(oracle, talk(("a", "I guarantee it"), ("b", "always")))
    assert [(one.check, one.outcome) for one in found] == [
        ("acme.no_promises", Outcome.FAIL),
        ("acme.no_promises", Outcome.PASS),
    ]


def test_a_bad_rule_of_a_library_is_named_with_its_file(theirs: Path) -> None:
    (theirs / "promises.yml").write_text(THEIRS + "actve: true\n")
    with pytest.raises(ConfigurationError) as caught:
        FakeContext().build(RulesOracle, libraries="acme")
    assert str(caught.value).startswith("acme:promises.yml:7: actve: unknown key. Did you mean")


def test_a_broken_library_is_named_with_its_package(theirs: Path) -> None:
    (theirs / "__init__.py").write_text("1/0")
    with pytest.raises(SparringError) as caught:
        FakeContext().build(RulesOracle, libraries="acme")
    assert "rule library 'acme' of acme-rules (acme_rules.acme) cannot be read" in str(caught.value)


def test_a_library_without_rules_is_refused(theirs: Path) -> None:
    (theirs / "promises.yml").unlink()
    with pytest.raises(SparringError, match="'acme' holds no rules"):
        FakeContext().build(RulesOracle, libraries="acme")
