"""What a model is told of the user: one person, whatever part of it is made up."""

import pytest

from sparring.interfaces.roles import Goal, UserTask
from sparring_plugins.users.model_user.particulars import details_in_words


def details(*context: str, role: str = "you are a customer", **more: object) -> dict[str, str]:
    fields = {"goals": (), "context": context, "role": role, "seed": 7, **more}
    return dict(details_in_words(UserTask.model_validate(fields)))


@pytest.mark.parametrize(
    ("role", "mailbox"),
    [
        ("Jonas Pell, born 17/05/1996", "jonas.pell@example.com"),
        ("you are Marta Kowalska, 38 years old", "marta.kowalska@example.com"),
        ("You act as Dr Helen Osei, a dentist", "helen.osei@example.com"),
        ("eres Lucía Peris y vives en Valencia", "lucia.peris@example.com"),
    ],
)
def test_the_mailbox_is_in_the_name_that_the_role_states(role: str, mailbox: str) -> None:
    told = details(role=role)
    assert told["your e-mail"] == mailbox
    assert "your name" not in told


def test_who_drives_somebody_is_not_that_person() -> None:
    assert "your name" in details(role="You act as Dr Helen Osei's driver")


def test_a_stated_mailbox_gives_the_name() -> None:
    told = details("your e-mail is t.lindqvist@example.com")
    assert told["your name"].split() == ["Taylor", "Lindqvist"]
    assert "your e-mail" not in told
    assert details("your e-mail is info@example.com")["your name"]


@pytest.mark.parametrize("fact", ["you are 44 years old", "you were born on 3 May 1980"])
def test_no_date_of_birth_is_made_up_beside_a_stated_age_or_birthday(fact: str) -> None:
    assert "your date of birth" in details()
    assert "your date of birth" not in details(fact)


def test_a_goal_that_only_names_a_channel_gives_no_address() -> None:
    goal = Goal(phrase="be told by e-mail", template="be told by {{by}}", inputs=("by",))
    assert "your e-mail" in details(goals=(goal,), inputs={"by": "e-mail"})
    assert "your e-mail" not in details(goals=(goal,), inputs={"by": "a.b@example.org"})
