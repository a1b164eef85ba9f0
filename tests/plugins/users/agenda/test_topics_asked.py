"""What a call or a visit is about, asked and said in many wordings."""

import pytest

from .talks import replies_to

OF_LANGUAGE = {
    "English": "the call should be in the morning",
    "German": "der Anruf soll am Vormittag kommen",
    "Spanish": "la llamada tiene que ser por la mañana",
    "French": "l'appel doit avoir lieu le matin",
}
TOPICS = (
    ("English", "arrange a call about the roof", "What is the call about?", "roof"),
    ("English", "get a call back about your pension", "What would you like to talk about?", "pension"),
    ("English", "book an appointment regarding the loft", "What is it about?", "loft"),
    ("English", "ask for a visit concerning the drains", "And what does it concern?", "drains"),
    ("English", "arrange a call on the subject of parking", "On which subject?", "parking"),
    ("English", "arrange a call about the roof", "What's the subject of the call?", "roof"),
    ("English", "book a consultation about solar panels", "What shall we discuss?", "solar panels"),
    ("English", "arrange a call about the roof", "May I ask what it is regarding?", "roof"),
    ("German", "einen Termin zum Thema Dachausbau vereinbaren", "Worum geht es bei dem Termin?", "Dachausbau"),
    ("German", "einen Rückruf wegen der Heizung vereinbaren", "Worum geht es?", "Heizung"),
    ("German", "ein Gespräch über die Miete vereinbaren", "Worüber möchten Sie sprechen?", "Miete"),
    ("German", "einen Rückruf zum Thema Parken vereinbaren", "Zu welchem Thema?", "Parken"),
    ("German", "einen Termin bezüglich der Garage ausmachen", "Was ist Ihr Anliegen?", "Garage"),
    ("German", "einen Rückruf zum Thema Wasser vereinbaren", "Um was geht es denn?", "Wasser"),
    ("Spanish", "pedir una llamada sobre el tejado", "¿De qué se trata?", "tejado"),
    ("Spanish", "concertar una cita sobre la pensión", "¿Sobre qué tema?", "pensión"),
    ("French", "prendre rendez-vous au sujet du toit", "De quoi s'agit-il ?", "toit"),
    ("English", "set up a meeting about the new boiler", "What's the meeting for?", "boiler"),
    ("English", "have an engineer ring you about the broadband", "Which matter should our engineer ring about?", "broadband"),
    ("English", "speak to somebody about a refund", "What do you want to speak to us about?", "refund"),
    ("English", "request a visit regarding damp walls", "Please tell us the reason for the visit.", "damp walls"),
    ("English", "arrange a chat about adoption next week", "What topic would you like to cover?", "adoption"),
    ("English", "book a call to do with the mortgage", "What's it in connection with?", "mortgage"),
    ("German", "einen Beratungstermin zum Thema Wärmepumpe buchen", "Welches Thema interessiert Sie?", "Wärmepumpe"),
    ("German", "mit jemandem über den Kredit sprechen", "Weswegen möchten Sie uns sprechen?", "Kredit"),
    ("German", "einen Anruf wegen des Schornsteins vereinbaren", "Was können wir für Sie klären?", "Schornstein"),
)  # fmt: skip


@pytest.mark.parametrize(("language", "goal", "question", "topic"), TOPICS)
def test_what_it_is_about_is_said(language: str, goal: str, question: str, topic: str) -> None:
    goals = [goal, OF_LANGUAGE[language]]
    said = replies_to(goals, [], ["How can I help?", question], language=language)[-1]
    assert topic in said
    assert len(said.split()) <= 3, "the topic, and neither the verb nor the time"


def test_a_topic_has_no_day_behind_it() -> None:
    talk = ["How can I help?", "What is the call about?"]
    assert replies_to(["arrange a call about the roof on Monday"], [], talk)[-1] == "the roof"


def test_a_goal_without_a_topic_is_told_as_a_whole() -> None:
    talk = ["How can I help?", "What is it about?"]
    assert "gutter" in replies_to(["report that the gutter leaks"], [], talk)[-1]
