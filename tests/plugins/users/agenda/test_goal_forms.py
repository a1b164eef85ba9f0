"""Which goals are questions and which are services, in many wordings."""

import pytest

from sparring.interfaces.roles import Goal, UserTask
from sparring_plugins.users.agenda.state.user_goals import UserGoal, user_goals_of

QUESTIONS = (
    "find out up to what weight bags are free",
    "find out at what hour the pool closes",
    "find out for how many days the key is valid",
    "find out with whom you must speak",
    "find out on which weekdays they bake",
    "find out by when you have to pay",
    "find out from where the coach leaves",
    "ask up to which age children travel free",
    "ask in which room the course is",
    "check at which desk to pick it up",
    "know what you need to wear",
    "know how much the deposit is",
    "make sure that this costs nothing",
    "make sure that the room has a window",
    "be sure that dogs are allowed",
    "get a reference",
    "learn how to cancel",
    "see whether there is a later train",
    "be told what it costs",
    "enquire about the guarantee",
    "what would a week cost?",
    "would like to know when they open",
)
SERVICES = (
    "report that a chair is broken and say where it stands",
    "report that a lamp is scratched and state what it was worth",
    "tell them that the tap drips",
    "have somebody call you back",
    "get somebody to write to you about it",
)
FRAGEN = (
    "erkundige dich danach, wo der Zug hält",
    "erkundige dich, ob Hunde erlaubt sind",
    "frag, an welchem Tag der Müll abgeholt wird",
    "frag außerdem, ob du einen Helm brauchst",
    "finde heraus, bis wann du zahlen musst",
    "lass dir sagen, wie lange es dauert",
    "außerdem willst du wissen, wer den Schlüssel hat",
    "du möchtest wissen, wann sie öffnen",
    "bring in Erfahrung, was die Reinigung kostet",
    "merke dir, welche Größen es gibt",
    "notiere dir die Auftragsnummer",
    "wie lange ist die Frist?",
)
AUFTRAEGE = (
    "erhöhe den Beitrag auf 30 Euro",
    "senke den Beitrag auf 12 Euro, ab Juni 2027",
    "melde deinen Auszug zum 1. Mai",
    "gib deine neue Adresse durch: Am Wall 3",
    "ändere die Bankverbindung",
    "lass dich am Montag zurückrufen",
    "sorge dafür, dass nur eine Tonne kommt",
    "bestelle zwei Säcke und lass sie liefern",
    "verlege den Termin auf Freitag",
    "du möchtest dein Abo behalten",
    "beschwere dich über die Rechnung",
    "kündige das Abo zum Jahresende",
    "storniere die Bestellung 4711",
)


def read(phrase: str, language: str) -> UserGoal:
    goals = (Goal(phrase=phrase, template=phrase),)
    return user_goals_of(UserTask(goals=goals, seed=1, language=language))[0]


@pytest.mark.parametrize("phrase", QUESTIONS)
def test_a_question_is_asked(phrase: str) -> None:
    assert read(phrase, "English").asks


@pytest.mark.parametrize("phrase", SERVICES)
def test_a_service_is_wanted(phrase: str) -> None:
    assert not read(phrase, "English").asks


@pytest.mark.parametrize("phrase", FRAGEN)
def test_a_german_question_is_asked(phrase: str) -> None:
    assert read(phrase, "German").asks


@pytest.mark.parametrize("phrase", AUFTRAEGE)
def test_a_german_order_is_an_action(phrase: str) -> None:
    assert read(phrase, "German").form == "action"


@pytest.mark.parametrize(
    ("phrase", "words"),
    [
        ("senke den Beitrag auf 12 Euro, ab Mai", "den Beitrag auf 12 Euro senken, ab Mai"),
        ("gib deine neue Adresse durch: Am Wall 3", "meine neue Adresse durchgeben: Am Wall 3"),
        ("sorge dafür, dass eine Tonne kommt", "dafür sorgen, dass eine Tonne kommt"),
        ("hole das Paket am Montag ab", "das Paket am Montag abholen"),
    ],
)
def test_the_infinitive_of_an_order_ends_its_clause(phrase: str, words: str) -> None:
    assert read(phrase, "German").words == words
