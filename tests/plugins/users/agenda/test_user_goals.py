"""Goal phrases, written for prompts, as people would say them."""

import pytest

from sparring.interfaces.roles import Goal, OutputSpec, UserTask
from sparring_plugins.users.agenda.state.user_goals import output_goals, phrasings, user_goals_of


def ways(phrase: str, inputs: tuple[str, ...] = (), language: str = "English") -> list[str]:
    goal = Goal(phrase=phrase, template=phrase, inputs=inputs)
    task = UserTask(goals=(goal,), inputs=dict.fromkeys(inputs, "x"), language=language)
    return phrasings(user_goals_of(task)[0], seed=1)


@pytest.mark.parametrize(
    ("phrase", "inputs", "natural"),
    [
        ("a small custom pizza with cheese", ("s",), "I'd like a small custom pizza with cheese, please."),
        ("2 cans of coke", ("n",), "Can I get 2 cans of coke, please?"),
        ("What are the opening hours?", (), "What are the opening hours?"),
        ("how much will it cost", (), "How much will it cost?"),
        ("how long is going to take the pizza to arrive", (), "How long is going to take the pizza to arrive?"),
        ("What are the prices? How much do they cost?", (), "What are the prices? How much do they cost?"),
        ("ask about vegan options", (), "Can you tell me about vegan options?"),
        ("ask what are the toppings", (), "What are the toppings?"),
        ("Ask how old the chatbot is", (), "Can you tell me how old you are?"),
        ("ask whether you can pay by card", (), "Can you tell me whether I can pay by card?"),
        ("ask whether the bot can help you", (), "Can you tell me whether you can help me?"),
        ("ask about the assistant's hobbies", (), "Can you tell me about your hobbies?"),
        ("ask what services do you offer", (), "What services do you offer?"),
        ("ask to speak to a human", (), "I want to speak to a human."),
        ("complain about the bad service", (), "I want to complain about the bad service."),
        ("explain that your mother does not listen to you", (), "My mother does not listen to me."),
        ("say that your name is Bob and ask what your name is", (), "My name is Bob. Can you tell me what my name is?"),
        ("on Monday", (), "On Monday."),
        ("on Monday", ("d",), "On Monday."),
        ("thank the bot", (), "Thanks."),
        ("ask for a refund", (), "I'd like a refund, please."),
        ("ask whether parking is free", (), "Can you tell me whether parking is free?"),
        ("opening and closing time of the shop", (), "Can you tell me the opening and closing time of the shop?"),
        ("the most suitable plan and its price", (), "Can you tell me the most suitable plan and its price?"),
        ("Setting an appointment for Friday", ("d",), "I'd like to set an appointment for Friday, please."),
        ("Book a table for 4", ("n",), "I'd like to book a table for 4, please."),
        ("First, order a small pizza", ("s",), "I'd like to order a small pizza, please."),
        ("to cancel your subscription", (), "I'd like to cancel my subscription, please."),
        ("you want to rent a car for your holiday", (), "I want to rent a car for my holiday."),
        ("the user wants to know the price", (), "Can you tell me the price?"),
        ("I want to change my flight", (), "I want to change my flight."),
        ("please cancel my order", (), "Please cancel my order."),
        ("Which technology it is made of", (), "Can you tell me which technology it is made of?"),
        ("ask how much a check-up is", (), "Can you tell me how much a check-up is?"),
        ("ask what it costs to cancel", (), "Can you tell me what it costs to cancel?"),
        ("ask when you close on Saturdays", (), "Can you tell me when you close on Saturdays?"),
        ("ask what to do if you have pain", (), "What should I do if I have pain?"),
        ("ask what happens if you cancel your booking", (), "Can you tell me what happens if I cancel my booking?"),
        ("how long the delivery takes", (), "Can you tell me how long the delivery takes?"),
        ("how much is a pizza", (), "How much is a pizza?"),
        ("how long does it take", (), "How long does it take?"),
        ("ask what time you close", (), "Can you tell me what time you close?"),
        ("ask who delivers", (), "Can you tell me who delivers?"),
        ("ask how many seats are left", (), "How many seats are left?"),
        ("now a medium pizza", ("s",), "I'd like a medium pizza, please."),
        ("Can you sell online", (), "Can you sell online?"),
    ],
)  # fmt: skip
def test_a_goal_becomes_a_natural_utterance(
    phrase: str, inputs: tuple[str, ...], natural: str
) -> None:
    assert natural in ways(phrase, inputs)[:2]


@pytest.mark.parametrize(
    ("phrase", "natural"),
    [
        ("¿Cuál es el horario?", "¿Cuál es el horario?"),
        ("Que es un chatbot", "¿Que es un chatbot?"),
        ("una pizza grande", "Quiero una pizza grande, por favor."),
        ("pedir una cita", "Quiero una cita, por favor."),
        ("reservar una mesa", "Quiero reservar una mesa, por favor."),
        ("preguntar por el precio", "¿Me puedes informar sobre el precio?"),
        ("Si se puede pagar con tarjeta", "¿Me puedes decir si se puede pagar con tarjeta?"),
        ("Tengo una pregunta sobre el IBI", "Tengo una pregunta sobre el IBI."),
    ],
)
def test_a_spanish_goal_is_put_in_spanish_frames(phrase: str, natural: str) -> None:
    assert natural in ways(phrase, ("x",) if phrase.startswith("una") else (), "Spanish")[:2]


def test_a_spanish_goal_of_an_english_profile_keeps_its_language() -> None:
    assert ways("¿Cuál es el número de telefono de la empresa?")[0].startswith("¿")


def test_other_languages_say_the_goal_as_written() -> None:
    said = ways("de prijs van de pizza", language="Dutch")
    assert said[0] == "De prijs van de pizza"


def test_there_are_shorter_and_simpler_ways_to_say_it() -> None:
    said = ways("a small custom pizza with cheese", ("s",))
    assert len(set(said)) == len(said) >= 5
    assert "small custom pizza cheese" in said


@pytest.mark.parametrize(
    ("description", "question"),
    [
        ("The final price of the order", "Could you tell me the final price of the order?"),
        ("my order ID", "Could you tell me my order ID?"),
        ("age of the bot", "Could you tell me the age of the bot?"),
        ("how long it takes", "Could you tell me how long it takes?"),
        ("the date of the visit, confirmed by the assistant", "Could you tell me the date of the visit?"),
    ],
)  # fmt: skip
def test_a_declared_output_is_asked_for_by_its_description(description: str, question: str) -> None:
    want = output_goals([OutputSpec(name="x", description=description)], "English")[0]
    assert phrasings(want, 1)[0] == question


def test_an_output_without_description_is_asked_for_by_its_name() -> None:
    want = output_goals([OutputSpec(name="order_number")], "English")[0]
    assert phrasings(want, 1)[0] == "Could you tell me the order number?"


@pytest.mark.parametrize(
    "phrase", ["", " ", "?", "¿?", ".", "ask", "First,", "a", "Ünïcödé 中文 goal"]
)
def test_odd_goals_are_said_somehow(phrase: str) -> None:
    for language in ("English", "Spanish", "Klingon", ""):
        assert all(isinstance(text, str) for text in ways(phrase, language=language))


@pytest.mark.parametrize(
    ("language", "goal", "asks"),
    [
        ("English", "get the booking reference", True),
        ("English", "have an order number that you can quote", True),
        ("Spanish", "obtener el número de reserva", True),
        ("German", "die Buchungsnummer bekommen", True),
        ("French", "obtenir le numéro de réservation", True),
        ("English", "get a refund", False),
        ("English", "get a discount code", False),
        ("English", "have a number of chairs delivered", False),
    ],
)
def test_who_wants_the_number_of_a_service_asks_for_it(
    language: str, goal: str, asks: bool
) -> None:
    task = UserTask(goals=(Goal(phrase=goal, template=goal),), language=language)
    assert [each.asks for each in user_goals_of(task)] == [asks]


def test_a_particular_behind_its_label_is_a_statement() -> None:
    goals = ("the time: as early as possible", "time: at noon", "order: two teas")
    task = UserTask(goals=tuple(Goal(phrase=goal, template=goal) for goal in goals))
    assert [each.form == "statement" for each in user_goals_of(task)] == [True, True, False]
