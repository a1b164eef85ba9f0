"""Who logs in, and with which secret."""

import pytest

from sparring_plugins.web.grammar.free.logins import Credentials, read_credentials
from sparring_plugins.web.grammar.steps import read_steps
from sparring_plugins.web.runner.login_steps import read_all_intents

READ = {
    "as mary with the password 'x'": Credentials("mary", "'x'"),
    "with mary / x": Credentials("mary", "x"),
    "as mary (x)": Credentials("mary", "x"),
    "again, this time with mary / x": Credentials("mary", "x"),
    "using the email a@b.c and the password 123": Credentials("a@b.c", "123"),
    "to the back office as mary with password x": Credentials("mary", "x"),
    # a secret alone, by what it is called
    "with the code otter": Credentials(secret="otter"),
    "with the PIN 4711": Credentials(secret="4711"),
    "using the token abc": Credentials(secret="abc"),
    # who logs in is no person
    "to the club rowers with the private code otter": Credentials("rowers", "otter"),
    "to rowers (oar)": Credentials("rowers", "oar"),
    "to the rowers club, the code is oar": Credentials("rowers", "oar"),
    "to the existing club with the code oar": Credentials(secret="oar"),
    "to club rowers with its private code (oar)": Credentials("rowers", "oar"),
    # a name that is also a word for what has members
    "to the club family with the code oar": Credentials("family", "oar"),
    "to family, private code oar": Credentials("family", "oar"),
    # what is written as a name may be that of the application
    "to Rowers with oar": Credentials(only="oar"),
    # one value without a name: the page says which field is left
    "with otter": Credentials(only="otter"),
    "as admin": Credentials(only="admin"),
    # only where
    "to the shop": Credentials(),
    "": Credentials(),
    "to the site with my account": Credentials(),
}


@pytest.mark.parametrize(("text", "credentials"), READ.items(), ids=list(READ))
def test_credentials_are_read_by_the_words_before_them(text: str, credentials: Credentials) -> None:
    assert read_credentials(text) == credentials


@pytest.mark.parametrize(
    ("sentence", "texts"),
    [
        ("Log in as mia (oar-7), open boat 6", ["Log in as mia (oar-7)", "open boat 6"]),
        ("Log in as mia, oar-7, open boat 6", ["Log in as mia, oar-7", "open boat 6"]),
        (
            "As mia (oar-7), open the boats",
            ["Log in as mia with the password oar-7", "open the boats"],
        ),
        ("Log in with mia and open-oar", ["Log in with mia and open-oar"]),
    ],
)
def test_an_act_behind_a_login_is_a_step_of_its_own(sentence: str, texts: list[str]) -> None:
    assert [step.text for step in read_steps(sentence)] == texts


@pytest.mark.parametrize(
    ("sentence", "user", "secret"),
    [
        ("Open the club rowers with the code oar-7", "rowers", "oar-7"),
        ("Enter the group herons (code: reed)", "herons", "reed"),
        ("Go into room attic, access code 4711.", "attic", "4711"),
        ("Log in to family, private code oar-7", "family", "oar-7"),
        ("Use the code oar-7 to open the club rowers", "rowers", "oar-7"),
        ("With the PIN 4711, log in to the room attic", "attic", "4711"),
        ("Join the herons team using its password 'big reed'", "herons", "big reed"),
    ],
)
def test_what_has_members_is_entered_with_its_secret(sentence: str, user: str, secret: str) -> None:
    intents = [(i.verb, i.value) for i in read_all_intents(sentence)]
    assert intents[:2] == [("user", user), ("password", secret)]


@pytest.mark.parametrize(
    "sentence", ["Open the lamp stand with the code 4711", "Open the club rowers with the menu"]
)
def test_what_has_a_code_of_its_own_is_not_entered_with_it(sentence: str) -> None:
    assert not {i.verb for i in read_all_intents(sentence)} & {"user", "password"}
