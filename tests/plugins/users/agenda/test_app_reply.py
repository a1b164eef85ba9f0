"""What an app's answer does: a table over many domains."""

import pytest

from sparring.model.talk import Choice, Observation
from sparring_plugins.users.agenda.replies.app_reply import read_app_reply

KINDS = {
    "more": [
        "Hello! How can I help you?",
        "Hi, I'm Lucy. What can I do for you today?",
        "How may I assist you?",
        "Is there anything else I can do for you?",
        "Anything else?",
        "Do you have any other questions?",
        "Can I help you with something else?",
        "What would you like to do?",
        "Welcome! Ask me anything about our clinic.",
        "Please tell me your problem.",
        "If you have any questions, feel free to ask.",
        "What do you need?",
        "Would you like to know anything else about our rooms?",
        "¡Hola! ¿En qué puedo ayudarte?",
        "¿Necesitas algo más?",
        "¿Tienes alguna otra pregunta?",
        "¿En qué te puedo ayudar hoy?",
    ],
    "confirm": [
        "On fait comme ça ?",
        "Machen wir das so?",
        "¿Lo hacemos así?",
        "So that is a small pizza with ham. Is that correct?",
        "Small pizza with ham, right?",
        "You want to fly on Monday, is that right?",
        "Shall I place the order?",
        "Do you confirm?",
        "Your table is for four people at 8 pm. Shall I book it?",
        "Would you like to proceed?",
        "Are you sure?",
        "Do you want to continue?",
        "Please confirm your order.",
        "Please confirm the booking by replying yes.",
        "Does that sound good?",
        "Can you confirm that?",
        "I understood Tuesday at ten. Did I get that right?",
        "Should I go ahead and book the appointment?",
        "Did you mean Springfield?",
        "Reply yes or no: shall we deliver it?",
        "Do you agree to the terms?",
        "Just to confirm, a double room for two nights?",
        "¿Es correcto?",
        "¿Quieres confirmar la cita?",
        "Una pizza grande, ¿verdad?",
        "¿Confirmas el pedido?",
    ],
    "offer": [
        "Would you like something to drink?",
        "Would you like to add any other toppings?",
        "Do you want a dessert with that?",
        "Do you need a receipt?",
        "Would you like to order drinks?",
        "Are you interested in our newsletter?",
        "Great choice! Just to confirm, would you like to add any other toppings?",
        "Can I get you a drink?",
        "Any dessert?",
        "¿Quieres algo de beber?",
        "¿Te gustaría recibir ofertas?",
    ],
    "fact": [
        "Et c'est votre premier achat ?",
        "And it's your first visit?",
        "Vous venez en voiture ?",
        "Do you have an account with us?",
        "Are you a member?",
        "Is this your first visit?",
        "Have you been here before?",
        "Do you have any allergies?",
        "Are you over 18?",
        "¿Eres cliente?",
        "¿Tienes cita?",
    ],
    "open": [
        "GATE (A-F)?",
        "Number of nights (1-14)?",
        "What is your name?",
        "What's your name and phone number?",
        "Please enter your e-mail address.",
        "Could you tell me your address?",
        "When would you like to come?",
        "And for what time?",
        "For how many people?",
        "Your name:",
        "Tell me your date of birth.",
        "May I have your phone number, please?",
        "I'll need your customer number.",
        "Which day suits you best?",
        "Can you provide the order number?",
        "Where should we deliver the order?",
        "What makes you feel that way?",
        "Type the city you want to fly to.",
        "First, please give me the destination.",
        "What size would you like",
        "Great! And what is your last name?",
        "OK. Now choose a date.",
        "¿Cómo te llamas?",
        "¿Para cuántas personas?",
        "Indica tu correo electrónico.",
        "Necesito tu número de teléfono.",
        "Por favor, escribe tu nombre.",
    ],
    "select": [
        "Would you like delivery or pickup?",
        "What size? The options are small, medium, or large.",
        "Choose a topping (cheese, ham, olives).",
        "Which service do you need: a repair, a tune-up or an inspection?",
        "Please choose one of the following:\n- Order\n- Opening hours\n- Contact",
        "1. Checking account\n2. Savings account\nPlease type the number of your choice.",
        "Do you prefer morning or afternoon?",
        "Which drink would you like? We have coke, sprite and water available.",
        "Could you please specify if you want a small, medium, or large pizza?",
        "Please select a room: single, double.",
        "¿Qué tamaño quieres: pequeña, mediana o grande?",
        "¿Prefieres mañana o tarde?",
    ],
    "smalltalk": ["Hello! How are you?", "Hey! How's it going?", "¡Hola! ¿Cómo estás?"],
    "helped": ["Did that help you?", "Was this helpful?", "Does that answer your question?"],
}

STATEMENTS = [
    "Thanks for ordering!",
    "We are open every day from 9 to 5.",
    "Paris.",
    "Your order will be ready in 20 minutes.",
    "What a great choice!",
    'The answer to the question "What is the price of a tire?" is 20$.',
    "You can pick your order up at the shop.",
    "We have Margarita, Carbonara and Marinera.",
    "I see.",
    '{"type": "Hawaiian", "size": "medium"}',
    "Estamos abiertos de lunes a viernes.",
    "",
]

FALLBACKS = [
    "I'm sorry, I did not get what you said. Can you rephrase?",
    "Sorry, I didn't understand that.",
    "I'm sorry it's a little loud in my shop, can you say that again?",
    "I'm not sure I understand you fully.",
    "Could you rephrase your question?",
    "That is not a valid option.",
    "Disculpa, no te entiendo bien.",
    "No he entendido. ¿Puedes repetir con otras palabras?",
    "Sorry, I couldn't understand you. Please try again in other words.",
]

DONE = [
    "Your order has been placed! It costs $12.",
    "Ok, I have scheduled your appointment for 29/10/2024 at 14:00.\nSee you then!",
    "Your table is booked. See you on Friday!",
    "Thank you for your order. Your order number is 4711.",
    "The appointment has been confirmed.",
    "Perfect, your pizza is on its way.",
    "Tu cita está confirmada.",
]


@pytest.mark.parametrize(
    ("text", "kind"), [(text, kind) for kind, texts in KINDS.items() for text in texts]
)
def test_the_last_question_is_of_its_kind(text: str, kind: str) -> None:
    questions = read_app_reply(Observation(text=text)).questions
    assert questions
    assert questions[-1].kind == kind


@pytest.mark.parametrize("text", STATEMENTS)
def test_a_statement_asks_nothing(text: str) -> None:
    assert read_app_reply(Observation(text=text)).questions == ()


TERSE_FALLBACKS = [
    "UNKNOWN COMMAND. COMMANDS: LIST, SEND, STOP.",
    "Unknown command.",
    "Invalid input.",
    "Invalid option, please try again.",
    "Invalid choice. Please enter 1, 2 or 3.",
    "That is not a valid command.",
    "Command not recognised.",
    "Command not found. Type HELP.",
    "Input not recognized.",
    "I don't recognise that.",
    "I did not get that.",
    "Hm, no idea what you mean.",
    "Sorry, I can't follow.",
    "Please rephrase.",
    "I'm not sure I follow you.",
    "Huh?",
    "Syntax error.",
    "ERR: unrecognised request",
    "Not understood.",
    "This I do not know.",
    "I have no answer to that.",
    "That's beyond me, I'm afraid.",
    "That one went over my head.",
    "I'm only a small bot and know nothing of that.",
    "No match. Try again.",
    "Unrecognised answer.",
    "That was not one of the choices.",
    "Unbekannter Befehl.",
    "Ungültige Eingabe.",
    "Eingabe nicht erkannt.",
    "Das sagt mir nichts.",
    "Comando desconocido.",
    "Entrada no válida.",
    "Opción no válida.",
    "Commande inconnue.",
    "Saisie non valide.",
    "Choix invalide.",
    "Comando sconosciuto.",
    "Opzione non valida.",
    "Comando desconhecido.",
    "Opção inválida.",
]
NO_FALLBACKS = [
    "The number of nights is unknown to us.",
    "Your card is invalid, it ended in May.",
    "Unknown persons were seen in the yard.",
    "The parcel was not found in the depot.",
    "No match is played on Sunday.",
    "Your command centre is booked.",
    "Booking not found: K-99.",
    "That date is invalid, please give another one.",
    "We do not know yet when it opens.",
    "Come again soon!",
]


@pytest.mark.parametrize("text", NO_FALLBACKS)
def test_what_is_unknown_or_invalid_of_a_thing_is_no_fallback(text: str) -> None:
    assert not read_app_reply(Observation(text=text)).fallback


@pytest.mark.parametrize("text", [*FALLBACKS, *TERSE_FALLBACKS])
def test_a_fallback_is_recognised_without_knowing_the_app(text: str) -> None:
    reading = read_app_reply(Observation(text=text))
    assert reading.fallback
    assert not reading.informative


@pytest.mark.parametrize("text", DONE)
def test_a_finished_service_is_recognised(text: str) -> None:
    assert read_app_reply(Observation(text=text)).done


@pytest.mark.parametrize(
    "text",
    [text for kind in ("more", "open", "select") for text in KINDS[kind]] + STATEMENTS,
)
def test_other_answers_are_neither_fallback_nor_done(text: str) -> None:
    reading = read_app_reply(Observation(text=text))
    assert not reading.fallback
    assert not reading.done or "ready" in text


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("What size? The options are small, medium, or large.", ("small", "medium", "large")),
        ("Would you like delivery or pickup?", ("delivery", "pickup")),
        ("Choose a topping (cheese, ham, olives).", ("cheese", "ham", "olives")),
        ("Pick one:\n1) Red\n2) Green\n3) Blue", ("Red", "Green", "Blue")),
        ("¿Qué tamaño quieres: pequeña, mediana o grande?", ("pequeña", "mediana", "grande")),
        ("Which drink? We have coke, sprite and water available.", ("coke", "sprite", "water")),
    ],
)
def test_options_are_read_from_the_text(text: str, options: tuple[str, ...]) -> None:
    assert read_app_reply(Observation(text=text)).questions[-1].options == options


def test_buttons_make_a_selection_and_links_do_not() -> None:
    buttons = (Choice(label="Menu", value="/menu"), Choice(label="Site", url="http://x.invalid"))
    reading = read_app_reply(Observation(text="Welcome.", choices=buttons))
    assert [choice.label for choice in reading.choices] == ["Menu"]
    assert reading.questions[-1].options == ("Menu",)


def test_yes_and_no_buttons_ask_to_confirm() -> None:
    buttons = (Choice(label="Yes", value="y"), Choice(label="No", value="n"))
    reading = read_app_reply(Observation(text="A table at 8.", choices=buttons))
    assert reading.questions[-1].kind == "confirm"


def test_only_the_last_questions_of_many_are_answered() -> None:
    text = " ".join(f"What is question {n}?" for n in range(50))
    assert len(read_app_reply(Observation(text=text)).questions) == 5


def test_markup_is_not_a_part_of_what_is_read() -> None:
    text = "<p>Which <b>size</b>?</p><ul><li>- Small</li><li>- Large</li></ul>"
    assert read_app_reply(Observation(text=text)).questions[-1].options == ("Small", "Large")


def test_no_observation_reads_as_empty() -> None:
    assert read_app_reply(None).empty
    assert read_app_reply(Observation()).empty


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("Friday the 5th, Ada has 9:30, 13:30 or 16:30.", ("9:30", "13:30", "16:30")),
        ("Frei sind 15:30, 16:45 und 18:00 Uhr.", ("15:30", "16:45", "18:00 Uhr")),
        ("The film runs at 15:30 and 18:00.", ()),
        ("We are open from 9:00 to 18:00.", ()),
        ("Ada has 9:30 or 16:30. Which suits you?", ("9:30", "16:30")),
        ("Ada has 10 am or 4:30 pm.", ("10 am", "4:30 pm")),
        ("Frei sind 15:30 Uhr und 18:00 Uhr.", ("15:30 Uhr", "18:00 Uhr")),
        ("Free are 9:00, 9:30 and 10:00, and we close at 18:00.", ("9:00", "9:30", "10:00")),
    ],
)
def test_times_that_a_reply_leaves_to_choose_from_are_a_question(
    text: str, times: tuple[str, ...]
) -> None:
    reply = read_app_reply(Observation(text=text))
    assert (reply.questions[-1].options if reply.questions else ()) == times


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Do you have a day in mind?", "open"),
        ("Do you have any allergies we should keep in mind?", "fact"),
    ],
)
def test_what_is_kept_in_mind_is_no_preference(question: str, kind: str) -> None:
    assert [q.kind for q in read_app_reply(Observation(text=question)).questions] == [kind]
