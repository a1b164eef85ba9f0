"""What pictures, files and cards tell, by their descriptions."""

from datetime import date

from sparring.interfaces.roles import ExtractTask, OutputSpec
from sparring.model.talk import Attachment, Observation, Say, Turn
from sparring_plugins.users.extraction.exchanges import in_words
from sparring_plugins.users.extraction.extractor import find_outputs


def answer(text: str, *descriptions: str) -> Observation:
    shown = tuple(Attachment(media_type="image/png", description=one) for one in descriptions)
    return Observation(text=text, attachments=shown)


def test_a_description_stands_before_the_text_so_that_its_question_comes_last() -> None:
    seen = answer("Which one?", "Two kayaks. One is <b>red</b>.", "A map")
    assert in_words(seen) == "Two kayaks.\nOne is red.\nA map\nWhich one?"


def test_what_a_card_repeats_of_the_text_counts_once() -> None:
    assert in_words(answer("It is $8. Anything else?", "It is $8.")) == "It is $8. Anything else?"
    assert in_words(answer("Hello", "")) == "Hello"


def test_an_output_is_found_in_a_description() -> None:
    turn = Turn(act=Say(text="How much is it?"), observation=answer("", "The price is $12.50."))
    price = OutputSpec(name="price", type="money", description="the price")
    task = ExtractTask(turns=(turn,), outputs=(price,), today=date(2026, 5, 4))
    (found,) = find_outputs(task)
    assert (found.value, found.turn) == ("$12.50", 0)


def test_endless_descriptions_are_clipped() -> None:
    assert len(in_words(answer("Hi", *["long " * 10_000] * 200))) < 40_000
