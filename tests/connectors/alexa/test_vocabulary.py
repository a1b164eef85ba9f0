"""Every entry of the YAML files with Alexa's words is understood as what it is listed for."""

from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from tests.for_each import for_each

from sparring_connectors.alexa import dates, words
from sparring_connectors.alexa.config import SkillConfig
from sparring_connectors.alexa.dialog import (
    Dialog,
    DialogQuestion,
    QuestionKind,
    SlotsFilled,
    read_answer,
)
from sparring_connectors.alexa.interaction_model import Intent, InteractionModel, Slot
from sparring_connectors.alexa.invocation import find_invocation, leaves_skill, platform_answer
from sparring_connectors.alexa.nlu import Nlu, builtin_intent
from sparring_connectors.alexa.skills import InstalledSkill, load_skill
from sparring_connectors.alexa.slots import known_values
from sparring_connectors.alexa.vocabulary import SLOT_VALUES, STANDARD_INTENTS, VOCABULARY
from sparring_connectors.alexa.words import split_words, to_heard

NOW = datetime(2026, 6, 15, 10, tzinfo=UTC)
MONDAY = date(2026, 6, 15)


@pytest.fixture(scope="module")
def corner() -> InstalledSkill:
    folder = Path(__file__).with_name("skills") / "corner"
    return load_skill(SkillConfig(folder=str(folder)), folder.parent, "en-US")


PHRASES = [
    (language, intent, phrase)
    for language, intents in STANDARD_INTENTS.items()
    for intent, phrases in intents.items()
    for phrase in phrases
]


@for_each(PHRASES)
def test_every_phrase_means_its_standard_intent(language: str, intent: str, phrase: str) -> None:
    assert builtin_intent(split_words(phrase), language) == f"AMAZON.{intent}"


@for_each(sorted(SLOT_VALUES.types))
def test_every_value_of_a_list_is_known(slot_type: str) -> None:
    for key in SLOT_VALUES.types[slot_type]:
        for value in SLOT_VALUES.lists[key]:
            assert value in known_values(f"AMAZON.{slot_type}")
            assert to_heard(value).said() == value


def test_every_list_is_used_and_has_no_value_twice() -> None:
    assert {key for keys in SLOT_VALUES.types.values() for key in keys} == set(SLOT_VALUES.lists)
    for values in SLOT_VALUES.lists.values():
        assert len(set(values)) == len(values)


@for_each(list(enumerate(VOCABULARY.units)))
def test_units(number: int, word: str) -> None:
    assert words.parse_number([word]) == number


@for_each(list(enumerate(VOCABULARY.tens, start=2)))
def test_tens(number: int, word: str) -> None:
    assert words.parse_number([word]) == 10 * number
    assert words.parse_ordinal([f"{word[:-1]}ieth"]) == 10 * number


@for_each(list(enumerate(VOCABULARY.ordinals, start=1)))
def test_ordinals(number: int, word: str) -> None:
    assert words.parse_ordinal([word]) == number


@for_each(list(enumerate(VOCABULARY.days)))
def test_days(ahead: int, day: str) -> None:
    assert dates.parse_date([day], MONDAY) == date(2026, 6, 15 + ahead).isoformat()


@for_each(list(enumerate(VOCABULARY.months, start=1)))
def test_months(number: int, month: str) -> None:
    for name in (month, month[:3]):
        assert dates.parse_date([name, "2027"], MONDAY) == f"2027-{number:02d}"


@for_each(list(VOCABULARY.seasons.items()))
def test_seasons(season: str, written: str) -> None:
    assert dates.parse_date([season], MONDAY) == f"2026-{written}"


@for_each(list(VOCABULARY.day_parts.items()))
def test_parts_of_the_day(part: str, written: str) -> None:
    assert dates.parse_time(["in", "the", part], NOW.time()) == written


@for_each(list(VOCABULARY.decades.items()))
def test_decades(word: str, tens: int) -> None:
    assert dates.parse_date(["nineteen", word], MONDAY) == f"19{tens}X"


@for_each(list(VOCABULARY.spoken_days.items()))
def test_days_from_today(phrase: tuple[str, ...], days: int) -> None:
    assert dates.parse_date(phrase, MONDAY) == date(2026, 6, 15 + days).isoformat()


@for_each(sorted(VOCABULARY.contractions))
def test_contractions(contraction: str) -> None:
    assert split_words(f"they{contraction}") == ["they", VOCABULARY.contractions[contraction]]


@for_each(sorted(VOCABULARY.fillers))
def test_fillers_are_left_out_at_both_ends(word: str) -> None:
    assert to_heard(f"{word} stop {word}").words == ("stop",)


@for_each(sorted(VOCABULARY.light_words))
def test_light_words_weigh_less(word: str) -> None:
    assert words.word_weight(word) == 0.3


@pytest.mark.parametrize("opening", sorted(VOCABULARY.openings))
def test_every_opening_opens(opening: tuple[str, ...], corner: InstalledSkill) -> None:
    invocation = find_invocation(to_heard(f"{' '.join(opening)} {corner.name}"), [corner])
    assert invocation is not None
    assert invocation.skill is corner
    assert not invocation.words


@pytest.mark.parametrize("asking", sorted(VOCABULARY.askings))
def test_every_asking_asks(asking: tuple[str, ...], corner: InstalledSkill) -> None:
    said = f"{' '.join(asking)} {corner.name} the news"
    invocation = find_invocation(to_heard(said), [corner])
    assert invocation is not None
    assert (invocation.skill, invocation.words) == (corner, "the news")


@pytest.mark.parametrize("word", sorted(VOCABULARY.joining_words))
def test_joining_words_are_left_out_unless_they_ask(word: str, corner: InstalledSkill) -> None:
    invocation = find_invocation(to_heard(f"ask {corner.name} {word} it takes"), [corner])
    assert invocation is not None
    kept = f"{word} it takes" if word in VOCABULARY.question_words else "it takes"
    assert invocation.words == kept


def test_question_words_are_joining_words() -> None:
    assert VOCABULARY.question_words <= VOCABULARY.joining_words


@pytest.mark.parametrize("word", sorted(VOCABULARY.words_before_name))
def test_words_before_a_name_at_the_end(word: str, corner: InstalledSkill) -> None:
    invocation = find_invocation(to_heard(f"get coffee {word} {corner.name}"), [corner])
    assert invocation is not None
    assert (invocation.skill, invocation.words) == (corner, "get coffee")


@pytest.mark.parametrize("name", sorted(VOCABULARY.reserved_names))
def test_reserved_names_open_nothing(name: str, corner: InstalledSkill) -> None:
    invocation = find_invocation(to_heard(f"open {name}"), [corner])
    assert invocation is not None
    assert invocation.reserved


@for_each(sorted(VOCABULARY.exit_phrases))
def test_exit_phrases_leave(phrase: tuple[str, ...]) -> None:
    assert leaves_skill(to_heard(" ".join(phrase)))


@for_each(list(VOCABULARY.small_talk.items()))
def test_small_talk(said: str, answer: str) -> None:
    assert platform_answer(to_heard(said), NOW) == answer


@for_each(sorted(VOCABULARY.silent))
def test_silent_answers(said: str) -> None:
    assert platform_answer(to_heard(said), NOW) == ""


@for_each(sorted(VOCABULARY.carriers))
def test_carriers_lead_to_an_answer(carrier: tuple[str, ...]) -> None:
    intent = Intent("Order", (Slot("count", "AMAZON.NUMBER"),), ("order {count}",))
    nlu = Nlu(InteractionModel("en-US", "shop", {"Order": intent}))
    dialog = Dialog(intent, open_question=DialogQuestion(QuestionKind.SLOT, "count"))
    answer = read_answer(dialog, f"{' '.join(carrier)} five", nlu, nlu.reader(NOW))
    assert isinstance(answer, SlotsFilled)
    assert dialog.filled("count").values == ("5",)
