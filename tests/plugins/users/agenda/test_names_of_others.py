"""Names in terse profiles: surnames of files, and what animals, children and boats are called."""

import pytest

from .talks import replies_to

BEGIN = "Good morning! How can I help you?"
PETS = (
    ("Rufus is a terrier", "book a bath for Rufus"),
    ("Rufus is your dog", "book a bath"),
    ("Rufus the dog, Gwen Parry", "book a bath"),
    ("Rufus the dog has had his bath there for years", "book a bath for Rufus on Friday"),
    ("Rufus, surname Parry", "cancel Rufus's bath"),
    ("the bath is for Rufus, under Parry", "move the bath to Friday"),
    ("your dog Rufus", "get him a bath"),
    ("Rufus takes Panacur, under the name Parry", "order two boxes of Panacur"),
    ("the dog is called Rufus", "book a bath"),
    ("Rufus is a goat, new there", "arrange a visit for Rufus"),
)  # fmt: skip
ASK_PET = (
    "Lovely! And how is your pet called, its name?",
    "The pet's name, please.",
    "What is the name of the animal?",
    "What is your pet called?",
)


@pytest.mark.parametrize("question", ASK_PET)
@pytest.mark.parametrize(("said", "goal"), PETS)
def test_the_animal_has_its_own_name(said: str, goal: str, question: str) -> None:
    context = [said, "you are Gwen Parry, 07700 900817"] if "Parry" not in said else [said]
    assert replies_to([goal], context, [BEGIN, question])[-1] == "Rufus"


OTHERS = (
    ("Ida is nine and sings", "sign Ida up for the choir", "What's the child's name?", "Ida"),
    ("your daughter Ida is nine", "sign her up for the choir", "The name of the child, please.", "Ida"),
    ("Ida, class 4b", "report that Ida is ill", "What is the pupil's first name?", "Ida"),
    ("Storm is a gelding", "book a farrier for Storm", "And the horse's name?", "Storm"),
    ("Merganser is a sloop", "reserve a berth for the Merganser", "What's your boat's name?", "Merganser"),
    ("your mother Edith is 84", "order meals for her", "Who are the meals for? The guest's name, please.", "Edith"),
)  # fmt: skip


@pytest.mark.parametrize(("said", "goal", "question", "name"), OTHERS)
def test_somebody_else_has_a_name(said: str, goal: str, question: str, name: str) -> None:
    context = [said, "you are Tom Askew, 07700 900112"]
    assert replies_to([goal], context, [BEGIN, question])[-1] == name


SURNAMES = (
    "reference KT2281, Holloway",
    "KT2281 is the reference, Holloway the surname",
    "KT2281, surname Holloway",
    "KT2281, Holloway is the name",
    "it is booked under Holloway, reference KT2281",
    "the locker is under Holloway, KT2281",
    "under the name Holloway, KT2281",
    "booking KT2281 in the name of Holloway",
    "Holloway, KT2281",
    "KT2281 (Holloway)",
)
ASK_SURNAME = (
    "Which surname is the locker under?",
    "And your surname?",
    "What name is it booked under?",
    "Surname, please.",
)


@pytest.mark.parametrize("question", ASK_SURNAME)
@pytest.mark.parametrize("said", SURNAMES)
def test_a_terse_surname_is_given(said: str, question: str) -> None:
    assert replies_to(["cancel your locker"], [said], [BEGIN, question])[-1] == "Holloway"


@pytest.mark.parametrize("said", SURNAMES[:8])
def test_the_reference_stays_a_reference(said: str) -> None:
    answer = replies_to(["cancel your locker"], [said], [BEGIN, "What is your reference?"])[-1]
    assert answer == "KT2281"


WHOLE = (
    "Who comes along with Rufus? Please give first name and surname.",
    "Please give your first name and your surname.",
    "Your first name and last name?",
    "Who is the owner? Please give first name and surname.",
)


@pytest.mark.parametrize("question", WHOLE)
def test_a_whole_name_is_one_answer(question: str) -> None:
    context = ["Rufus is a dog", "Gwen Parry, 07700 900817"]
    assert replies_to(["book a bath for Rufus"], context, [BEGIN, question])[-1] == "Gwen Parry"


def test_a_name_alone_is_no_answer_to_who_asks_for_more() -> None:
    context = ["your neighbour is Mrs Ferris at number 18", "you are Tom Askew"]
    question = "What is your neighbour's name and house number?"
    said = replies_to(["have the box left with your neighbour"], context, [BEGIN, question])[-1]
    assert "Ferris" in said
    assert "18" in said
