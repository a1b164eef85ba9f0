"""Yes and no by what a profile says: needing, having, roots of words, prices beside a question."""

import pytest

from sparring_plugins.users.agenda.stances import stance


@pytest.mark.parametrize(
    ("question", "context", "expected"),
    [
        ("Would you like to protect it for £2.00 a week?", "you want protection", True),
        ("Would you like to protect it for £2.00 a week?", "you do not want protection", False),
        ("Do you need a stand? It is free of charge.", "you have no stand, so you need one", True),
        ("Do you need a stand?", "you do not need a stand", False),
        ("Do you need a helmet?", "you bring your own helmet", False),
        ("Do you need a helmet?", "you have no helmet", None),
        ("Do you have a helmet?", "you need a helmet", False),
        ("Do you have a helmet?", "you have a helmet", True),
        ("Do you need a parking space?", "you come by car and need a parking space", True),
        ("Brauchst du einen Helm?", "du hast keinen Helm, also brauchst du einen", True),
        ("Do you need a helmet?", "you need a tent", None),
    ],
)
def test_a_question_is_answered_as_the_context_says(
    question: str, context: str, expected: bool | None
) -> None:
    assert stance(question, (context,)) is expected
