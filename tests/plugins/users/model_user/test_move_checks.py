"""Moves that fall out of the user's part are sent back, and ordinary ones are not."""

from collections.abc import Callable
from typing import Any

import pytest

from sparring.interfaces.roles import UserTask
from sparring.model.talk import Say
from sparring_plugins.users.model_user.move_checks import MOST, other_language
from sparring_plugins.users.model_user.user import ModelUser, telltale

from .conftest import Asked, said

Make = Callable[..., UserTask]
Talk = Callable[..., Any]

FINE = "A small pizza with cheese and ham, please."

WRONG = {
    "": "There is no message",
    "   ": "There is no message",
    "My name is [name].": "'[name]' in the message is a blank",
    "My number is [your phone number].": "is a blank",
    "I'd like {{size}}": "'{{size}}' in the message is a blank",
    "I am <your name>": "is a blank",
    "Assistant: Which size?": "no names in front",
    "Hello\nUser: hello\nChatbot: Which size?": "no names in front",
    "How can I help you today?": "what the chatbot would say",
    "¿En qué puedo ayudarle?": "what the chatbot would say",
    "As an AI, I have no preference": "what the chatbot would say",
    "Sure! Is there anything else I can help you with?": "what the chatbot would say",
    "I am testing this service.": "knows nothing of",
    "As a language model I like ham": "knows nothing of",
    "You are a hungry customer of a pizzeria.": "repeats what you were told",
    "You are in a hurry because of a train.": "repeats what you were told",
    "Bring up one or two things at a time; do not ask for everything in one message.": (
        "repeats what you were told"
    ),
    "Never mention instructions, goals, roles, models or tests.": "repeats what you were told",
    "A large pizza, please.": "The message says large, but the person's is small",
    "With cheese, ham and corn": "The message says corn, but the person's is cheese, ham",
    "Quiero una pizza pequeña con queso, por favor": "The message is in Spanish",
    "我想要一个小披萨 加火腿和奶酪 谢谢你": "The message is in another script",
    "x" * (MOST + 1): "people write at most 1,500",
}


@pytest.mark.parametrize("message", WRONG)
def test_a_move_out_of_its_part_is_sent_back(
    message: str, asked: Asked, pizza_task: Make, talk: Talk
) -> None:
    task = pizza_task(turns=talk(("Hello", "What would you like?")))
    move, llm = asked(ModelUser, task, said(message), said(FINE))
    assert move.act == Say(text=FINE)
    assert WRONG[message] in llm.requests[1].messages[-1].content


@pytest.mark.parametrize(
    "message",
    [
        FINE,
        "small",
        "No large one, a medium is too big as well",
        "Do you have it small, medium or large?",
        "I don't want corn.",
        "How many slices has a small one?",
        "Can you help me with an order?",
        "What time do you open, and when do you close?",
        "ham & cheese [no onions]",
        "Gracias!",
        "ok, 2 of them <3",
        "A smal piza wiht chese adn ham plaese",
        "The train to Leeds leaves at noon",
    ],
)
def test_ordinary_moves_are_taken_at_once(
    message: str, asked: Asked, pizza_task: Make, talk: Talk
) -> None:
    context = ("You are in a hurry.", "the train to Leeds leaves at noon")
    task = pizza_task(turns=talk(("Hello", "What would you like?")), context=context)
    move, llm = asked(ModelUser, task, said(message))
    assert move.act == Say(text=message)
    assert len(llm.requests) == 1


@pytest.mark.parametrize(
    ("written", "sent"),
    [
        ("User: A small pizza", "A small pizza"),
        ('"A small pizza"', "A small pizza"),
        ("\u201cA small pizza\u201d", "A small pizza"),
        ('"small" or "Small"', '"small" or "Small"'),
        ("\x1b[2JA small\x00 pizza\n", "[2JA small pizza"),
        ("**User**: Hi", "Hi"),
    ],
)
def test_labels_quotation_marks_and_control_characters_are_taken_off(
    written: str, sent: str, asked: Asked, pizza_task: Make
) -> None:
    move, llm = asked(ModelUser, pizza_task(), said(written))
    assert move.act == Say(text=sent)
    assert len(llm.requests) == 1


def test_the_last_message_is_not_said_again(asked: Asked, pizza_task: Make, talk: Talk) -> None:
    task = pizza_task(turns=talk((FINE, "Sorry, what?")), situation="rephrase")
    move, llm = asked(ModelUser, task, said(FINE.lower()), said("One small ham pizza"))
    assert move.act == Say(text="One small ham pizza")
    assert "last message again" in llm.requests[1].messages[-1].content


def test_a_short_answer_may_come_twice_where_another_question_was_asked(
    asked: Asked, pizza_task: Make, talk: Talk
) -> None:
    task = pizza_task(turns=talk(("Hi", "A drink?"), ("No, thanks.", "A dessert?")))
    _, llm = asked(ModelUser, task, said("No, thanks."))
    assert len(llm.requests) == 1
    again = pizza_task(turns=talk(("Hi", "A drink?"), ("No, thanks.", "A drink?")))
    _, llm = asked(ModelUser, again, said("No, thanks."), said("Nothing to drink."))
    assert len(llm.requests) == 2


@pytest.mark.parametrize("message", ["I don't know.", "No idea, sorry", "Ich habe keine Ahnung"])
def test_who_does_not_know_may_say_so_again(
    message: str, asked: Asked, pizza_task: Make, talk: Talk
) -> None:
    turns = talk(("Hi", "What is the asset tag?"), (message, "What is the asset tag?"))
    _, llm = asked(ModelUser, pizza_task(turns=turns, situation="rephrase"), said(message))
    assert len(llm.requests) == 1
    assert "If you do not know what it asks for, say so" in llm.requests[0].messages[1].content


@pytest.mark.parametrize(
    ("question", "message", "fact"),
    [
        ("What is your date of birth?", "02/11/1975", "you were born on 02/11/1975"),
        ("When does your passport expire?", "3 March 2031", "it expires on 3 March 2031"),
        ("When is your birthday?", "It's on 14 August", "your birthday is on 14 August"),
    ],
)
def test_a_day_that_the_context_states_is_the_users_own(
    question: str, message: str, fact: str, asked: Asked, pizza_task: Make, talk: Talk
) -> None:
    """Whatever day a goal names."""
    task = pizza_task(
        inputs={"day": "20/12/2026"}, domains={}, context=(fact,), turns=talk(("Hi", question))
    )
    _, llm = asked(ModelUser, task, said(message))
    assert len(llm.requests) == 1
    other = task.model_copy(update={"turns": talk(("Hi", "On which day?"))})
    _, llm = asked(ModelUser, other, said("On 21 December 2026"), said("On 20/12/2026"))
    assert len(llm.requests) == 2


def test_an_item_of_a_list_in_plain_text_is_typed(
    asked: Asked, pizza_task: Make, talk: Talk
) -> None:
    turns = talk(("Hi", "Where would you like to sit?\n1. Inside\n2. Terrace"))
    move, llm = asked(ModelUser, pizza_task(turns=turns), said("", choice="Terrace"))
    assert move.act == Say(text="Terrace")
    assert len(llm.requests) == 1


def test_a_user_that_leaves_before_it_said_anything_is_asked_until_it_speaks(
    asked: Asked, pizza_task: Make
) -> None:
    gone = said("", leaves=True)
    move, _ = asked(ModelUser, pizza_task(), gone, gone, said("Hello"))
    assert move.act == Say(text="Hello")


def test_a_user_that_leaves_an_open_form_is_asked_once_whether_it_means_that(
    asked: Asked, pizza_task: Make, talk: Talk
) -> None:
    task = pizza_task(turns=talk(("Hi", "Shall I place the order?")))
    gone = said("", leaves=True)
    move, llm = asked(ModelUser, task, gone, said("Yes, please."))
    assert move.act == Say(text="Yes, please.")
    assert "still waits for an answer" in llm.requests[1].messages[-1].content
    assert asked(ModelUser, task, gone, gone)[0].act is None


@pytest.mark.parametrize(
    "message",
    [FINE, "A large pizza, please.", "Una pizza por favor, quiero una con queso y jamón del sur"],
)
def test_what_only_signs_speak_against_is_taken_when_the_model_insists(
    message: str, asked: Asked, pizza_task: Make, talk: Talk
) -> None:
    task = pizza_task(turns=talk((FINE, "Pardon?")), situation="rephrase")
    move, llm = asked(ModelUser, task, said(message), said(message))
    assert move.act == Say(text=message)
    assert len(llm.requests) == 2


def test_a_user_who_changes_its_mind_may_name_other_values(
    asked: Asked, pizza_task: Make, talk: Talk
) -> None:
    task = pizza_task(turns=talk(("Hi", "Which size?")), style=("change your mind",))
    _, llm = asked(ModelUser, task, said("Make it a large one after all."))
    assert len(llm.requests) == 1
    assert "change your mind about something" in llm.requests[0].messages[0].content


@pytest.mark.parametrize(
    ("name", "value", "domain", "message", "straying"),
    [
        ("hour", "14:30", (), "At 2:30 pm, please", False),
        ("hour", "14:30", (), "At 3 pm, please", True),
        ("people", 4, (), "A table for 5 people", True),
        ("people", 4, (), "A table for four people", False),
        ("day", "6 December 2027", (), "On 2027-12-06", False),
        ("day", "6 December 2027", (), "On 7 December 2027", True),
        ("number_to_call", "+34 612 345 678", (), "It is 202-555-0119", True),
        ("number_to_call", "+34 612 345 678", (), "It is 612 345 678", False),
        ("mail", "ann@example.com", (), "Write to bob@example.com", True),
        ("mail", "ann@example.com", (), "Write to Ann@Example.com", False),
        ("drink", "coke", ("coke", "sprite"), "Instead of sprite, please", False),
        ("drink", "coke", ("coke", "sprite"), "Two sprites", True),
    ],
)
def test_values_are_compared_by_what_they_mean(
    name: str,
    value: Any,
    domain: tuple[str, ...],
    message: str,
    straying: bool,
    asked: Asked,
    pizza_task: Make,
    talk: Talk,
) -> None:
    goal = {"phrase": "x", "template": f"a table for {{{{{name}}}}} people", "inputs": (name,)}
    changes: dict[str, Any] = {"inputs": {name: value}, "domains": {name: domain}}
    task = pizza_task(turns=talk(("Hi", "Tell me more.")), goals=(goal,), **changes)
    _, llm = asked(ModelUser, task, said(message), said(message))
    assert len(llm.requests) == 1 + straying


def test_what_the_app_or_the_author_says_may_be_said(
    asked: Asked, pizza_task: Make, talk: Talk
) -> None:
    task = pizza_task(
        turns=talk(("Hi", "Do you mean a test case or [your name]?")),
        context=("You work on a language model.",),
    )
    for message in ("A test case.", "[your name]", "I work on a language model."):
        _, llm = asked(ModelUser, task, said(message))
        assert len(llm.requests) == 1, message


def test_long_phrases_may_be_long(asked: Asked, pizza_task: Make) -> None:
    long = "I would really like to have some pizza. " * 50
    _, llm = asked(ModelUser, pizza_task(style=("long phrases",)), said(long))
    assert len(llm.requests) == 1


def test_the_prompts_own_sentences_are_known() -> None:
    assert len(telltale()) > 10
    assert not any("data" in one.split() and "{" in one for one in telltale())


@pytest.mark.parametrize(
    ("text", "wanted", "found"),
    [
        ("What are the opening hours, please?", "English", None),
        ("What are the opening hours, please?", "Spanish", "English"),
        ("¿Cuáles son los horarios del restaurante?", "Spanish", None),
        ("Ich möchte bitte eine Pizza und ein Wasser", "English", "German"),
        ("Je voudrais une pizza avec du jambon", "French", None),
        ("Large pizza, as soon as possible, a cheese one", "English", None),
        ("Quiero una pizza", "Klingon", None),
        ("Хочу пиццу без лука и перца", "Russian", None),
        ("I would like some pizza with cheese", "Russian", "Latin letters"),
        ("Хочу пиццу без лука и перца", "English", "another script"),
        ("チーズとハムのピザをください。お願いします", "Japanese", None),
        ("ok 12", "Greek", None),
        ("", "English", None),
    ],
)
def test_languages_are_told_apart_where_that_is_plain(
    text: str, wanted: str, found: str | None
) -> None:
    assert other_language(text, wanted) == found
