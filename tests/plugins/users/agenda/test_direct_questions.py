"""Questions of goals as people type them."""

import pytest

from sparring_plugins.users.agenda.words.direct_questions import direct_question
from sparring_plugins.users.agenda.words.goal_phrases import form_of

from .talks import goals_met, replies_to

ENGLISH = {
    "whether there is a lift": "is there a lift",
    "whether lunch is included": "is lunch included",
    "what the pass costs a month": "what does the pass cost a month",
    "how long the paint must dry": "how long must the paint dry",
    "until when I can change the name": "until when can I change the name",
    "how much a day ticket costs": "how much does a day ticket cost",
    "what time the office opens": "what time does the office open",
    "whether they take dogs": "do you take dogs",
    "which size the box has": "which size does the box have",
    "how many seats there are left": "how many seats are there left",
    "what kind of insurance I need": "what kind of insurance do I need",
    "whether ticket prices include lunch": "do ticket prices include lunch",
    "whether the flat has been cleaned": "has the flat been cleaned",
    "whether the order has gone through": "has the order gone through",
    "whether Ms Brown is in": "is Ms Brown in",
    "if children pay less": "do children pay less",
    "whether the guide speaks French": "does the guide speak French",
    "what your terms of trade are": "what are your terms of trade",
    # these have no verb that can be told from its subject, or are direct already
    "what follows if one fails": None,
    "which of the two is cheaper": None,
    "how long before the flight one has to be there": None,
    "what size of van fits a sofa": None,
    "why the bill went up": None,
    "who will call me": None,
    "how to get there": None,
}
GERMAN = {
    "ob es Parkplätze gibt": "gibt es Parkplätze",
    "was ein Ticket kostet": "was kostet ein Ticket",
    "wann ihr aufmacht": "wann macht ihr auf",
    "ob ich mit Karte zahlen kann": "kann ich mit Karte zahlen",
    "welche Größe das Paket haben darf": "welche Größe darf das Paket haben",
    "was passiert, wenn es regnet": None,
}
OTHERS = [
    ("Spanish", "si abren los domingos", "abren los domingos"),
    ("French", "si vous livrez le soir", "est-ce que vous livrez le soir"),
    ("French", "s'il y a un parking", "est-ce qu'il y a un parking"),
    ("Italian", "se c'è posto", "c'è posto"),
    ("Other", "whether it rains", None),
]
CASES = [
    *(("English", text, wanted) for text, wanted in ENGLISH.items()),
    *(("German", text, wanted) for text, wanted in GERMAN.items()),
    *OTHERS,
]


@pytest.mark.parametrize(("language", "text", "wanted"), CASES)
def test_an_indirect_question_as_a_direct_one(language: str, text: str, wanted: str | None) -> None:
    assert direct_question(text, language) == wanted


@pytest.mark.parametrize(
    ("goal", "words"),
    [
        ("ask for how many days you may stay", "for how many days I may stay"),
        ("ask if you can smoke inside", "if I can smoke inside"),
        ("ask whether you can deliver it", "whether you can deliver it"),
        ("ask whether you can post it to me", "whether you can post it to me"),
        ("ask what you can do about it", "what you can do about it"),
    ],
)
def test_whom_you_means(goal: str, words: str) -> None:
    assert form_of(goal, "English", has_values=False)[1] == words


def test_a_service_said_beside_a_question_is_not_done_by_its_answer() -> None:
    goals = ["ask where the yard is", "get someone to call you back about the rent"]
    greeting = "Good day! What may it be?"
    answer = "We are at 14 Quay Street. What else may it be?"
    said = replies_to(goals, ["you ask everything at once"], [greeting])
    assert said == ["Where is the yard?"]
    assert goals_met(goals, [], [greeting, answer]) == (0,)


@pytest.mark.parametrize("goal", ["ask whether there is any roof terrace", "are cats allowed?"])
@pytest.mark.parametrize(
    "reply", ["No.", "Yes. Anything else?", "No, sorry.", "Unfortunately not."]
)
def test_a_yes_or_a_no_answers_a_question(goal: str, reply: str) -> None:
    assert goals_met([goal], [], ["The inn.", reply]) == (0,)


def test_a_no_tells_no_price() -> None:
    assert goals_met(["ask how much the terrace is"], [], ["The inn.", "No. Anything else?"]) == ()
