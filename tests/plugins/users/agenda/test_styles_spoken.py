"""The interaction styles, acted out without a model."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import pytest

from sparring.interfaces.roles import Goal, UserMove, UserTask
from sparring.model.talk import Act, Choice, Observation, Press, Say, Turn, act_text, meant_by
from sparring.testing.fakes import FakeContext
from sparring_plugins.language.text import folded
from sparring_plugins.users.agenda.agents import AgendaUser
from sparring_plugins.users.agenda.state.user_goals import TYPOS, style_of_turn
from sparring_plugins.users.agenda.words.phrase_book import LANGUAGES, phrases
from sparring_plugins.users.personas.speech import mean_words, misspelt_share, persona_speech
from sparring_plugins.users.profiles.interaction_styles import language_of_turn


class Said(Protocol):
    """One utterance."""

    text: str
    meant: str


Speak = Callable[..., list[Said]]
Talks = Callable[..., list[Act]]
Customer = Callable[..., UserTask]


def move(task: UserTask, *turns: tuple[Act, str | Observation], **settings: Any) -> UserMove:
    """The user's move after these turns."""
    past = tuple(
        Turn(act=act, observation=Observation(text=said) if isinstance(said, str) else said)
        for act, said in turns
    )
    user = FakeContext().build(AgendaUser, **settings)
    return asyncio.run(user.act(task.model_copy(update={"turns": past})))


def digits(text: str) -> list[str]:
    return [char for char in text if char.isdigit()]


def texts(said: Sequence[Said]) -> list[str]:
    return [one.text for one in said]


def test_sentences_are_long_or_short_as_the_style_says(speak: Speak) -> None:
    usual = mean_words(texts(speak()))
    assert mean_words(texts(speak(style=("long phrases",)))) > 2 * usual
    assert mean_words(texts(speak(style=("short phrases",)))) < 0.85 * usual


def test_the_default_style_says_what_it_means(speak: Speak) -> None:
    assert all(one.text == one.meant for one in speak())
    assert texts(speak(style=("default",))) == texts(speak())


def test_in_every_style_the_same_task_gives_the_same_move(speak: Speak) -> None:
    for style in ("long phrases", "make spelling mistakes", "all questions", "change your mind"):
        assert speak(seeds=4, style=(style,)) == speak(seeds=4, style=(style,))


def test_spelling_mistakes_are_as_frequent_as_they_should_and_spare_values(speak: Speak) -> None:
    said = speak(style=("make spelling mistakes",), seeds=80)
    share = misspelt_share([(one.meant, one.text) for one in said])
    assert 0.4 * TYPOS < share < TYPOS  # values and small words are never misspelt
    for value in ("small", "hawaiian", "Sprite"):
        meant = [one for one in said if f" {value.lower()} " in f" {folded(one.meant)} "]
        assert meant
        assert all(value in one.text or folded(value) in folded(one.text) for one in meant)
    assert all(digits(one.text) == digits(one.meant) for one in said)


@pytest.mark.parametrize(
    "datum", ["alex.miller@example.com", "202-555-0116", "12 May 2027", "17:30", "two"]
)
def test_data_of_a_case_are_never_misspelt(customer: Customer, datum: str) -> None:
    goal = Goal(phrase=f"my data are {datum}", template="my data are {{x}}", inputs=("x",))
    for seed in range(30):
        task = customer(seed, goals=(goal,), inputs={"x": datum}, style=("make spelling mistakes",))
        assert datum in act_text(move(task).act or Say(text=""))


def test_an_answer_to_options_is_typed_as_they_stand(customer: Customer) -> None:
    offered = Observation(
        text="Which one?", choices=(Choice(label="Mediterranean"), Choice(label="Provençale"))
    )
    for seed in range(20):
        task = customer(seed, goals=(Goal(phrase="order food", template="order food"),), inputs={},
                        style=("make spelling mistakes", "long phrases"))  # fmt: skip
        act = move(task, (Say(text="I'd like to order food, please."), offered), press=False).act
        assert isinstance(act, Say)
        assert act.text in ("Mediterranean", "Provençale")


def test_with_single_question_only_one_question_is_answered(customer: Customer) -> None:
    asked = "What size would you like? And how many cans would you like?"
    before = (Say(text="I'd like a small hawaiian pizza, please."), asked)
    both = move(customer(), before).act
    one = move(customer(style=("single question",)), before).act
    assert isinstance(both, Say)
    assert isinstance(one, Say)
    assert len(one.text.split()) < len(both.text.split())


def test_with_all_questions_everything_is_said_in_the_first_message(
    customer: Customer, talks: Talks
) -> None:
    for seed in range(10):
        task = customer(seed, style=("all questions",))
        first = act_text(talks(task, ("What can I do for you?",))[0])
        assert all(goal.phrase.rstrip("?").lower() in first.lower() for goal in task.goals)


def test_what_was_said_all_at_once_and_not_answered_is_asked_again(customer: Customer) -> None:
    task = customer(style=("all questions",))
    first = move(task).act or Say(text="")
    answer = "1 small hawaiian pizza and 2 cans of Sprite. Anything else?"
    assert "opening hours" in act_text(move(task, (first, answer)).act or Say(text=""))


def test_a_goal_that_changes_another_is_not_said_at_once(customer: Customer) -> None:
    rather = Goal(phrase="I changed my mind, rather a big one", template="rather a big one")
    task = customer(style=("all questions",))
    first = act_text(
        move(task.model_copy(update={"goals": (*task.goals, rather)})).act or Say(text="")
    )
    assert "Sprite" in first
    assert "rather" not in first


class TestChangeOfMind:
    """A slot that was given is given anew, and the trace can tell."""

    style = ("change your mind",)

    def revision(self, customer: Customer, seed: int = 1, **changes: Any) -> tuple[UserTask, Act]:
        task = customer(seed, style=self.style, **changes)
        first = move(task).act or Say(text="")
        confirm = "A small hawaiian pizza, 2 cans of Sprite. Is that right?"
        found = move(
            task, (first, "Noted. Anything else?"), (Say(text="2 cans of Sprite"), confirm)
        )
        assert found.act is not None
        return task, found.act

    def test_another_value_of_the_domain_is_said_before_the_end(self, customer: Customer) -> None:
        seen: set[str] = set()
        for seed in range(30):
            task = customer(seed, style=self.style)
            confirm = "A small hawaiian pizza, 2 cans of Sprite. Is that right?"
            first = move(task).act or Say(text="")
            found = move(
                task, (first, "Noted. Anything else?"), (Say(text="2 cans of Sprite"), confirm)
            )
            assert len(found.revised) == 1
            change = found.revised[0]
            value = change.value[0] if isinstance(change.value, list) else change.value
            assert isinstance(change.value, list) == isinstance(task.inputs[change.variable], list)
            assert value in task.domains[change.variable]
            assert change.value != task.inputs[change.variable]
            assert f" {value} ".lower() in f" {act_text(found.act or first)} ".lower().replace(
                ".", " "
            )
            seen.add(change.variable)
        assert seen == {"size", "pizza", "cans", "drink"}

    @pytest.mark.parametrize(
        ("answer", "kept"),
        [
            ("Noted. Anything else?", True),
            ("All right. Is that right?", True),
            ("Sorry, I did not get that.", False),
            ("", False),
            ("Unfortunately that is not possible.", False),
            ("A small hawaiian pizza, 2 cans of Sprite. Is that right?", False),
        ],
    )
    def test_it_counts_only_once_the_app_has_taken_it(
        self, customer: Customer, answer: str, kept: bool
    ) -> None:
        task, act = self.revision(customer)
        confirm = "A small hawaiian pizza, 2 cans of Sprite. Is that right?"
        first = move(task).act or Say(text="")
        found = move(task, (first, "Noted. Anything else?"), (Say(text="2 cans of Sprite"), confirm),
                     (act, answer))  # fmt: skip
        again = isinstance(found.act, Say) and "mind" in found.act.text
        assert bool(found.revised) == (kept or again)
        assert not (kept and again)

    def test_it_is_said_twice_at_most_and_then_the_old_value_holds(
        self, customer: Customer
    ) -> None:
        task, act = self.revision(customer)
        confirm = "A small hawaiian pizza, 2 cans of Sprite. Is that right?"
        past: list[tuple[Act, str]] = [
            (move(task).act or Say(text=""), "Noted. Anything else?"),
            (Say(text="2 cans of Sprite"), confirm),
            (act, confirm),
        ]
        again = move(task, *past)
        assert again.revised
        past.append((again.act or act, confirm))
        last = move(task, *past)
        assert not last.revised
        assert act_text(last.act or act).startswith("Yes")

    def test_afterwards_the_new_value_is_what_the_user_wants(self, customer: Customer) -> None:
        for seed in range(12):
            task, act = self.revision(customer, seed)
            confirm = "A small hawaiian pizza, 2 cans of Sprite. Is that right?"
            first = move(task).act or Say(text="")
            found = move(task, (first, "Noted. Anything else?"), (Say(text="2 cans of Sprite"), confirm),
                         (act, ("All right. So that is a small hawaiian pizza with 2 cans of Sprite,"
                          " is that correct?")))  # fmt: skip
            assert found.revised
            assert act_text(found.act or act).startswith("No")

    def test_questions_and_contacts_are_not_changed(self, customer: Customer) -> None:
        goals = (
            Goal(phrase="the price of a small pizza?", template="the price of a {{size}} pizza?",
                 inputs=("size",)),
            Goal(phrase="call me at 202-555-0116", template="call me at {{phone}}", inputs=("phone",)),
        )  # fmt: skip
        inputs = {"size": "small", "phone": "202-555-0116"}
        domains = {"size": ("small", "big"), "phone": ("202-555-0116", "202-555-0117")}
        for seed in range(10):
            task = customer(seed, goals=goals, inputs=inputs, domains=domains, style=self.style)
            found = move(task, (Say(text="call me at 202-555-0116"), "Noted. Is that right?"))
            assert not found.revised

    def test_a_value_without_an_alternative_cannot_change(self, customer: Customer) -> None:
        for domains in (
            {},
            {"size": ("small",)},
            {"size": ("small", "any(3 sizes)", ["small", "big"])},
        ):
            task = customer(domains=domains, style=self.style)
            first = move(task).act or Say(text="")
            assert not move(task, (first, "Noted. Is that right?")).revised

    def test_a_goal_that_was_overtaken_by_a_later_one_is_left_alone(
        self, customer: Customer
    ) -> None:
        rather = Goal(
            phrase="I would rather have a margarita pizza",
            template="I would rather have a margarita pizza",
        )
        task = customer(style=self.style)
        task = task.model_copy(update={"goals": (*task.goals[:2], rather)})
        found = move(
            task,
            (Say(text="I'd like a small hawaiian pizza, please."), "Noted. What else?"),
            (Say(text="I'd like 2 cans of Sprite, please."), "Noted. What else?"),
            (Say(text="I would rather have a margarita pizza."), "A margarita. Is that right?"),
        )
        assert not found.revised

    def test_nothing_is_changed_once_it_is_done_or_something_else_is_asked(
        self, customer: Customer
    ) -> None:
        for answer in (
            "Your order has been placed.",
            "What is your name?",
            "Sorry, I did not get that.",
        ):
            for seed in range(8):
                task = customer(seed, style=self.style)
                first = move(task).act or Say(text="")
                assert not move(task, (first, answer)).revised

    def test_without_the_style_nobody_changes_its_mind(self, customer: Customer) -> None:
        first = move(customer()).act or Say(text="")
        assert not move(customer(), (first, "A small hawaiian pizza. Is that right?")).revised


class TestChangeOfLanguage:
    """Another language in some turns, as drawn with the seed."""

    style: tuple[Any, ...] = ({"change language": list(LANGUAGES[1:])},)

    def test_each_turn_is_in_the_language_that_is_recorded(
        self, customer: Customer, talks: Talks
    ) -> None:
        seen: set[str] = set()
        for seed in range(40):
            task = customer(seed, style=self.style)
            acts = talks(task, ("What else?",) * 8)
            for number, act in enumerate(acts):
                language = language_of_turn(self.style, "English", seed, number)
                said = folded(act_text(act))
                if said in {folded(text) for text in phrases(language).thats_all}:
                    seen.add(language)
                known = {folded(text) for text in phrases(language).goodbye}
                others = {
                    folded(text)
                    for one in LANGUAGES
                    if one != language
                    for text in phrases(one).goodbye
                }
                assert said in known or said not in others
        assert len(seen) >= 4

    def test_what_is_said_abroad_is_remembered(self, customer: Customer, talks: Talks) -> None:
        for seed in range(25):
            acts = talks(customer(seed, style=self.style), ("Noted. Anything else?",) * 12)
            said = [folded(act_text(act)) for act in acts]
            wants = [text for text in said if "pizza" in text or "sprite" in text]
            assert len(wants) == len(set(wants)) == 2
            assert len(acts) < 12

    def test_a_language_without_a_phrase_book_is_not_spoken(self, customer: Customer) -> None:
        for seed in range(30):
            task = customer(seed, style=({"change language": ["Japanese"]},))
            assert style_of_turn(task).language == "English"


def test_styles_are_drawn_from_a_random_list_once_per_case(customer: Customer) -> None:
    style: Any = ({"random": ["long phrases", "make spelling mistakes", "single question"]},)
    manners = [style_of_turn(customer(seed, style=style)) for seed in range(60)]
    assert {one.length for one in manners} == {"normal", "long"}
    assert {one.traits.typos > 0 for one in manners} == {True, False}
    assert {one.single for one in manners} == {True, False}


def test_pressing_is_the_same_in_every_style(customer: Customer) -> None:
    offered = Observation(
        text="Shall I place the order?", choices=(Choice(label="Yes"), Choice(label="No"))
    )
    first = Say(text="I'd like a small hawaiian pizza, please.")
    for style in ("long phrases", "make spelling mistakes"):
        act = move(customer(style=(style,)), (first, offered)).act
        assert act == Press(label="Yes")


def test_a_message_that_was_not_understood_is_put_without_remarks(customer: Customer) -> None:
    for seed in range(10):
        task = customer(seed, style=("long phrases",))
        first = move(task).act or Say(text="")
        task = task.model_copy(update={"situation": "rephrase"})
        act = move(task, (first, "Sorry, I did not get that.")).act
        assert act is not None
        assert act_text(act) == meant_by(act)


QUESTIONS = (
    "What can I do for you?",
    "Would you like something to drink with it?",
    "We open at 9:00. Anything else?",
    "So that is one pizza. Is that right?",
    "What is it for?",
    "Anything else?",
)


@pytest.mark.parametrize("language", ["English", "Spanish", "German"])
def test_remarks_greet_only_once_and_repeat_only_when_all_were_made(
    talks: Talks, customer: Customer, language: str
) -> None:
    known = persona_speech(language)
    greetings = tuple(folded(one) for one in known.greetings)
    greeted = 0
    for seed in range(12):
        task = customer(seed, style=("long phrases",), language=language)
        said = [folded(act_text(act)) for act in talks(task, QUESTIONS)]
        greeted += said[0].startswith(greetings)
        assert not any(one.startswith(greetings) for one in said[1:])
        after = [one for text in said for one in known.kinds["wordy"].after if folded(one) in text]
        assert max((after.count(one) for one in after), default=0) <= 1 + len(after) // 3
    assert greeted


def test_what_begins_with_yes_or_no_keeps_its_beginning(talks: Talks, customer: Customer) -> None:
    acts = [
        act
        for seed in range(12)
        for act in talks(customer(seed, style=("long phrases",)), QUESTIONS)
        if meant_by(act).startswith(("No, ", "Yes, "))
    ]
    assert len(acts) > 12
    assert all(act_text(act).startswith(("No, ", "Yes, ")) for act in acts)
    assert any(act_text(act) != meant_by(act) for act in acts)
