"""Steps that answer a dialog of the browser: prepared before it comes, or given already."""

import pytest
from tests.plugins.web.runner.pages import element, page

from sparring.model.page import PageEvent, PageEventKind, PageView
from sparring_plugins.web.grammar.steps import read_step
from sparring_plugins.web.runner.run_state import DialogAnswers


def after_dialog(answer: str, *names: str) -> PageView:
    view = page(*(element("button", name) for name in names))
    event = PageEvent(kind=PageEventKind.DIALOG, text="Sure?", details={"answer": answer})
    return view.model_copy(update={"events": (event,)})


@pytest.mark.parametrize(
    ("sentence", "view", "is_answered"),
    [
        ("Confirm the question", after_dialog("accept"), True),
        ("Confirm", after_dialog("accept"), True),
        ("Confirm the question", after_dialog("dismiss"), False),
        ("Confirm the question", page(element("button", "Delete")), False),
        ("Confirm", after_dialog("accept", "Confirm the deletion"), False),
        ("Confirm the title is 'Oak'", after_dialog("accept"), False),
        ("Press Save", after_dialog("accept"), False),
    ],
)
def test_a_question_that_was_accepted_needs_no_further_answer(
    sentence: str, view: PageView, is_answered: bool
) -> None:
    answers = DialogAnswers()
    assert answers.is_prepared(read_step(sentence, number=1), view) is is_answered


@pytest.mark.parametrize(
    ("sentences", "answers"),
    [
        (["A question comes up", "Answer no"], ["dismiss"]),
        (["Cancel the question"], ["dismiss"]),
        (["Answer OK"], ["accept"]),
        (["Click on 'Go'", "Answer no"], []),
    ],
)
def test_an_answer_is_prepared_before_its_dialog_comes(
    sentences: list[str], answers: list[str]
) -> None:
    following = [read_step(sentence, number=n) for n, sentence in enumerate(sentences, 2)]
    prepared = DialogAnswers().prepare(following)
    assert [act.value for act in prepared] == answers
