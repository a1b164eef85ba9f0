"""What services commonly ask, answered from a plain profile: nothing that is asked for otherwise.

The questions were written down before any answer was looked at.
"""

import pytest
from tests.plugins.users.agenda.talks import next_act

from sparring.model.talk import Observation, Say

from .talks import replies_to

WHO = (
    "your name is Maria Lopez",
    "you live at 14 Hill Road, Bristol, BS6 5QA",
    "your phone number is 0117 496 0123",
    "your e-mail address is maria.lopez@mail.example",
    "you were born on 12 March 1988",
    "your account number is 55012377",
)
METER = "report a gas meter reading of 4521"
FLIGHT = "book a flight from Oslo to Rome on 3 May for 2 adults and 1 child"
REPAIR = "book a repair of your washing machine, it leaks, on a weekday morning"
CANCEL = "cancel your broadband contract because you are moving abroad"


def answer(goal: str, question: str) -> str:
    wish = f"I want to {goal.replace('your', 'my')}."
    act = next_act(goal, WHO, (wish, Observation(text=question)))
    assert isinstance(act, Say)
    return act.text


@pytest.mark.parametrize(
    ("goal", "question", "said"),
    [
        (METER, "And the house number?", "14"),
        (METER, "What are the last four digits of your account number?", "2377"),
        (METER, "What's the first line of your address?", "14 Hill Road"),
        (METER, "What year were you born?", "1988"),
        (METER, "Could I take your postcode, please?", "BS6 5QA"),
        (FLIGHT, "When do you want to leave?", "3 May"),
        (FLIGHT, "Which day works best for you?", "3 May"),
        (REPAIR, "What appliance is it?", "My washing machine"),
        (REPAIR, "The call-out is £65. Do you want to go ahead?", "Yes, please."),
        (REPAIR, "Where should the engineer come?", "14 Hill Road, Bristol"),
        (REPAIR, "Is your surname Lopez?", "Yes, please."),
        (REPAIR, "Please confirm: Tuesday 15:30. Reply Y or N.", "Y"),
        (CANCEL, "Which contract is it: mobile, broadband or TV?", "broadband"),
        (CANCEL, "Could you tell me why?", "Because I am moving abroad."),
        ("order a taxi for 4 people", "Do you need a child seat?", "No"),
        (FLIGHT, "Do you have a frequent flyer number?", "No"),
    ],
)
def test_a_question_gets_what_it_asks_for(goal: str, question: str, said: str) -> None:
    assert answer(goal, question) == said


@pytest.mark.parametrize(
    ("goal", "question", "never"),
    [
        (METER, "When did you take the reading?", "1988"),
        (FLIGHT, "When do you want to leave?", "1988"),
        (REPAIR, "Which day works best for you?", "1988"),
        (REPAIR, "How old is it?", "55012377"),
        (REPAIR, "Which brand is it?", "weekday"),
        (FLIGHT, "Please enter your card's last four digits.", "0123"),
        (REPAIR, "Is your surname Miller?", "Yes"),
    ],
)
def test_no_value_is_given_for_another(goal: str, question: str, never: str) -> None:
    assert never not in answer(goal, question)


@pytest.mark.parametrize(
    "question",
    [
        "What shall we look at this time?",
        "What brings you to us?",
        "What is the matter?",
        "What seems to be the problem?",
    ],
)
def test_what_is_wrong_is_told_to_who_asks_what_to_look_at(question: str) -> None:
    context = ["Rufus is a terrier", "he has been sneezing since Monday", "you are Tom Askew"]
    talk = ["How can I help you?", "Which day?", question]
    said = replies_to(["book a visit for Rufus on 4 May"], context, talk)[-1]
    assert said == "He has been sneezing since Monday"
