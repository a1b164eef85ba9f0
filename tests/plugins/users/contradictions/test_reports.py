"""Reports of what was done with another number, hour or day than the user asked for."""

import pytest

from sparring.model.talk import Observation, Say, Turn
from sparring_plugins.users.contradictions.find import contradictions

END = ("No, thank you, that is everything.", "See you!")
Talk = list[tuple[str, str]]

OTHER: list[Talk] = [
    [
        (
            "I'd like to rent an e-bike for 2 days, please.",
            "Your e-bike is booked for 1 days, that is 25 euros. Anything else?",
        )
    ],
    [("I'd like a table for four at 7 pm.", "Booked: a table for 2 at 7 pm. Anything else?")],
    [("I'd like a table for four at 7 pm.", "Your table for 4 is booked for 8 pm. Anything else?")],
    [
        ("I'd like a table for four.", "For which day?"),
        ("Friday", "Your table for 5 is booked for Friday. Anything else?"),
    ],
    [
        (
            "I need a double room for 3 nights.",
            "Your room has been reserved for 4 nights. Anything else?",
        )
    ],
    [("Can I book a haircut on Friday at 3 pm?", "Your haircut is booked for Saturday at 3 pm.")],
    [("Hi", "Hello! How many tickets?"), ("5 tickets", "Done! 4 tickets have been booked.")],
    [("I would like to book a visit on 12 May.", "Your visit on 13 May has been booked.")],
    [("Ich möchte einen Tisch für vier Personen.", "Ihr Tisch für 2 Personen ist reserviert.")],
    [("Quiero reservar una mesa para 4 personas.", "Su mesa para 3 personas ha sido reservada.")],
    [
        ("Book me two seats please.", "For which film?"),
        ("Dune", "Your 3 seats have been booked for Dune."),
    ],
    [("I want to donate 50 books.", "Thank you! Your donation of 40 books has been recorded.")],
    [("I'd like to register 2 children for the swim course.", "Done. 3 children are registered.")],
    [("Can I get a taxi at 6:30 am?", "Your taxi is booked for 6:00 am.")],
    [("Please book a court on Tuesday.", "Your court is booked for Thursday.")],
    [
        ("I'd like to book a room.", "For how many nights?"),
        ("4 nights", "And from when?"),
        ("10 June", "Your room for 5 nights from 10 June is booked."),
    ],
    [("Je voudrais une table pour 4 personnes.", "Votre table pour 3 personnes est réservée.")],
    [("Ich möchte am Freitag kommen.", "Ihr Termin am Samstag ist gebucht.")],
    [("I need 12 chairs delivered.", "Your order of 10 chairs has been placed.")],
    [("I'd like to reserve a desk from 9 am", "Your desk is reserved from 10 am.")],
]

SAME: list[Talk] = [
    [
        (
            "I'd like to rent an e-bike for 2 days, please.",
            "Your e-bike is booked for 2 days, that is 50 euros. Anything else?",
        )
    ],
    [
        (
            "I'd like a table for four at 7 pm.",
            "Sorry, 7 pm is full, 8 pm is free. Shall I book it?",
        ),
        ("Yes", "Your table for 4 is booked for 8 pm."),
    ],
    [
        (
            "I'd like to report a broken lamp. It has been out for 2 days.",
            "Your report has been registered. We answer within 5 days.",
        )
    ],
    [
        (
            "I'd like to report a broken lamp that fell 2 days ago.",
            "Your report has been registered and we come in 3 days.",
        )
    ],
    [("I want to order 3 pizzas.", "Okay, 3 pizzas have been ordered. They arrive in 40 minutes.")],
    [
        (
            "I'd like to cancel my booking for 2 nights.",
            "Your booking for 5 nights has been cancelled.",
        )
    ],
    [("I'd like a room for 2 nights from 3 May.", "Your room is booked from 3 May to 5 May.")],
    [("I need 2 adult tickets and 3 child tickets.", "Your 5 tickets have been booked.")],
    [
        (
            "I'd like a table at 7 pm.",
            "Your table is booked for 19:00. Please be there 10 minutes early.",
        )
    ],
    [
        ("I want to book a table for 4.", "For when?"),
        ("Friday", "Only 2 places are left on Friday, shall I book for 2?"),
        ("ok", "Your table for 2 is booked for Friday."),
    ],
    [
        (
            "I'd like to borrow 2 books for 3 weeks.",
            "Your 2 books have been reserved. Return them within 4 weeks.",
        )
    ],
    [
        (
            "I need a parcel picked up on 12 May.",
            "Your parcel pick-up on 12 May was booked. It arrives on 14 May.",
        )
    ],
    [
        (
            "I want to move my appointment from Friday to Monday.",
            "Your appointment has been moved to Monday.",
        )
    ],
    [
        (
            "I'd like to book the tour at 10 am.",
            "Your tour at 10:00 has been booked. It takes 3 hours and ends at 13:00.",
        )
    ],
    [
        (
            "Hi, I'd like to hire a van for 3 days.",
            "Your van is booked. Deposit is due within 2 days.",
        )
    ],
    [
        (
            "I'd like to order 2 cakes for 20 guests.",
            "Your order has been placed: 2 cakes, each with 12 slices.",
        )
    ],
    [
        (
            "I'd like to book a class for 2 adults.",
            "Your class is booked. It has 8 places and lasts 90 minutes.",
        )
    ],
    [
        (
            "I need a ticket for the 9:15 train.",
            "Your ticket is booked. The train leaves at 9:15 and arrives at 11:40.",
        )
    ],
    [
        (
            "I'd like to return my 2 jackets, I got them 3 weeks ago.",
            "Your return has been registered. The refund takes 2 weeks.",
        )
    ],
    [
        ("I want a table for 6.", "When?"),
        ("on Friday at 8 pm", "Your table is booked. We hold it for 15 minutes."),
    ],
    [
        (
            "I'd like an appointment on Monday.",
            "Monday is full. The next one is on Wednesday at 10:00.",
        ),
        ("Ok, then that.", "Your appointment is booked for Wednesday at 10:00."),
    ],
    [
        (
            "I'd like to subscribe for 3 months.",
            "Your subscription has been set up. The first month is free, then 2 months at 10 euros.",
        )
    ],
    [
        (
            "Please send 3 copies of the form.",
            "Your request has been sent. Copies 1 to 3 arrive on Tuesday.",
        )
    ],
    [
        (
            "I want to change my booking from 2 to 4 persons, please.",
            "Your booking has been changed to 4 persons.",
        )
    ],
    [
        (
            "I'd like to report 1 missing bag from flight at 7 pm",
            "Your report has been filed at 21:10 under number 4711.",
        )
    ],
    [
        (
            "I'd like a hotel for 2 nights on Friday",
            "Your hotel is booked: Friday to Sunday, breakfast from 7:00.",
        )
    ],
]


def reported(talk: Talk) -> list[str]:
    turns = [Turn(act=Say(text=said), observation=Observation(text=text)) for said, text in talk]
    return [str(item) for item in contradictions(turns, kinds=("reported",))]


@pytest.mark.parametrize("talk", OTHER, ids=lambda talk: talk[-1][1][:40])
def test_a_report_with_another_value_is_found(talk: Talk) -> None:
    assert len(reported([*talk, END])) == 1


@pytest.mark.parametrize("talk", SAME, ids=lambda talk: talk[-1][1][:40])
def test_what_was_agreed_on_or_is_of_something_else_is_none(talk: Talk) -> None:
    assert reported([*talk, END]) == []
