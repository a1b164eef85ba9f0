"""The tables of words: each entry is read on its own, and the schema refuses what hides one."""

import subprocess
import sys
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError
from tests.for_each import for_each

from sparring_plugins.language.yaml_files import bundled_yaml
from sparring_plugins.web.grammar.conditions.verbs import find_verbs, normalise
from sparring_plugins.web.grammar.phrases import vocabulary
from sparring_plugins.web.grammar.phrases.tokens import tokenise
from sparring_plugins.web.grammar.phrases.vocabulary import StepVocabulary, read_vocabulary, role_of
from sparring_plugins.web.grammar.steps import read_steps
from sparring_plugins.web.step import Compared, Condition, Counted, InState, Not, Target

WORDS = read_vocabulary()


def joined(phrases: Iterable[tuple[str, ...]]) -> set[str]:
    return {" ".join(phrase) for phrase in phrases}


def grouped(table: dict[str, tuple[tuple[str, ...], ...]]) -> set[str]:
    return joined(phrase for phrases in table.values() for phrase in phrases)


#: What a table's entry must be read as, in the sentence that it is put into: `{}` is the entry.
#: Left out are entries that mean something else in just this sentence: "activate 'x'" ticks a box.
SENTENCES: dict[str, tuple[Iterable[str], str, str]] = {
    "click": (joined(WORDS.classes["click"]) - {"activate", "select and click"}, "{} 'x'", "Click on 'x'"),
    "double": (joined(WORDS.classes["double"]), "{} 'x'", "Double-click on 'x'"),
    "right": (joined(WORDS.classes["right"]), "{} 'x'", "Right-click on 'x'"),
    "type": (joined(WORDS.classes["type"]) - {"append"}, "{} 'v' into 'x'", "Type 'v' into the 'x' field"),
    "fill": (joined(WORDS.classes["fill"]), "{} 'x' with 'v'", "Fill the 'x' field with 'v'"),
    "select": (joined(WORDS.classes["select"]) - {"go for"}, "{} 'v' from 'x'", "Select 'v' from the 'x' combobox"),
    "hover": (joined(WORDS.classes["hover"]), "{} 'x'", "Hover over 'x'"),
    "scroll": (joined(WORDS.classes["scroll"]), "{} down", "Scroll down"),
    "wait": (joined(WORDS.classes["wait"]), "{} 2 seconds", "Wait 2 seconds"),
    "window": (joined(WORDS.classes["window"]), "switch to the first {}", "Switch to the first browser tab"),
    "browser_dialog": (joined(WORDS.classes["browser_dialog"]), "dismiss the {}", "Dismiss the alert"),
    "clause_fillers": (WORDS.clause_fillers - {"next"}, "{} click on 'x'", "Click on 'x'"),
    "clause_leads": (grouped(WORDS.clause_leads), "{} click on 'x'", "Click on 'x'"),
    "subjects": (joined(WORDS.subjects), "{} clicks on 'x'", "Click on 'x'"),
    "clause_ends": (joined(WORDS.clause_ends), "click on 'x' {}", "Click on 'x'"),
    "assertion_leads": (grouped(WORDS.assertion_leads), "{} that 'x' is displayed", "Assert that 'x' is displayed"),
    "shown": (WORDS.shown, "assert that 'x' is {}", "Assert that 'x' is displayed"),
    "gone": (WORDS.gone, "assert that 'x' is {}", "Assert that it is false that 'x' is displayed"),
    "condition_adverbs": (WORDS.condition_adverbs, "assert that 'x' is {} displayed", "Assert that 'x' is displayed"),
    "be": (WORDS.be - {"were"}, "assert that 'x' {} displayed", "Assert that 'x' is displayed"),
    "auxiliaries": (WORDS.auxiliaries - {"has", "have", "had"}, "assert that 'x' {} be displayed", "Assert that 'x' is displayed"),
    "state_fillers": (WORDS.state_fillers - {"twice"}, "assert that 'x' is displayed {}", "Assert that 'x' is displayed"),
    "denials": (joined(WORDS.denials), "assert {} 'x' is displayed", "Assert that it is false that 'x' is displayed"),
    "affirmations": (joined(WORDS.affirmations), "assert {} 'x' is displayed", "Assert that 'x' is displayed"),
    "seeing": (joined(WORDS.seeing), "assert that I {} 'x'", "Assert that 'x' is displayed"),
    "not_seeing": (joined(WORDS.not_seeing), "assert that I {} 'x'", "Assert that it is false that 'x' is displayed"),
    "loading": (joined(WORDS.loading), "wait for the {}", "Wait for the page to load"),
    "determiners": (WORDS.determiners, "click on {} 'x'", "Click on 'x'"),
    "weak_adjectives": (WORDS.weak_adjectives - {"input", "single"}, "click on the {} button", "Click on the button"),
    "naming": (WORDS.naming, "click on the button {} 'x'", "Click on the 'x' button"),
    "named_by": (WORDS.named_by, "click on the button with the {} 'x'", "Click on the 'x' button"),
    "beside": (grouped(WORDS.beside) - {"associated with", "in front of", "to the left of", "to the right of"}, "click on 'x' {} 'y'", "Click on 'x' in the row of 'y'"),
    "sides": (WORDS.sides, "click on 'x' in the {}", "Click on 'x'"),
    "rows": (joined(WORDS.rows), "click on 'x' in the {} of 'y'", "Click on 'x' in the row of 'y'"),
    "row_links": (WORDS.row_links - {"and"}, "click on 'x' in the row {} 'y'", "Click on 'x' in the row of 'y'"),
    "pages": (joined(WORDS.pages), "click on 'x' on the {}", "Click on 'x'"),
    "page_adjectives": (WORDS.page_adjectives - {"of"}, "click on 'x' on the {} page", "Click on 'x'"),
    "named_places": (joined(WORDS.named_places) - {"card list", "tile group"}, "click on 'x' in the {} 'y'", "Click on 'x' in the section 'y'"),
    "trailing_adverbs": (WORDS.trailing_adverbs, "click on 'x' {}", "Click on 'x'"),
    "sentence_links": (WORDS.sentence_links, "assert that the page has sentences {} 'x'",
                       "Assert that the page has at least 1 sentences containing 'x'"),
    "occurrences": (WORDS.occurrences, "assert that there are at least 3 {} of 'x'",
                    "Assert that 'x' is displayed at least 3 times"),
    "property_words": (WORDS.property_words - {"displayed"}, "assert that the {} url contains 'x'", "Assert that the url contains 'x'"),
    "property_leads": (WORDS.property_leads - {"like", "containing", "starting", "ending", "beginning"},
                       "assert that the title is {} 'x'", "Assert that the title is 'x'"),
    "entered": (WORDS.entered, "assert that 'v' is {} in the field 'x'",
                "Assert that the value of the 'x' field is 'v'"),
    "equalities": (WORDS.equalities, "assert that the field 'x' is {} 'v'",
                   "Assert that the value of the 'x' field is 'v'"),
    "submitted": (WORDS.submitted, "submit the {}", "Click on the 'submit' button"),
    "closable": (WORDS.closable - {"message", "overlay", "panel", "popup"}, "close the cookie {}", "Click on 'close' in the section 'cookie {}'"),
    "scroll_words": (WORDS.scroll_words - {"end"}, "scroll down {}", "Scroll down"),
}  # fmt: skip


@for_each(SENTENCES.values())
def test_each_entry_is_understood_on_its_own(
    entries: Iterable[str], sentence: str, meaning: str
) -> None:
    wrong = {
        entry: said
        for entry in entries
        if meaning.format(entry) not in (said := meanings(sentence.format(entry)))
    }
    assert wrong == {}


def meanings(sentence: str) -> list[str]:
    return [r.explanation for step in read_steps(sentence) for r in step.readings]


def target(sentence: str) -> Target:
    (step,) = read_steps(sentence)
    assert step.readings, sentence
    found = step.readings[0].target
    assert found is not None, sentence
    return found


def condition(sentence: str) -> Condition:
    (step,) = read_steps(sentence)
    assert step.readings, sentence
    found = step.readings[0].condition
    assert found is not None, sentence
    return found


def positive(found: Condition) -> Condition:
    """ "Not more than 5" as "at most 5"."""
    if not isinstance(found, Not):
        return found
    opposites = {"<": ">=", ">": "<="}
    inner = found.condition
    assert isinstance(inner, Compared | Counted)
    return inner.model_copy(update={"comparison": opposites[inner.comparison]})


@for_each(WORDS.controls.items())
def test_a_noun_of_a_control_means_its_role(phrase: tuple[str, ...], role: str) -> None:
    assert role_of(phrase) == role
    if len(phrase) < 4:  # "entry of the list" is read as an entry in a list
        assert target(f"click on the 'x' {' '.join(phrase)}").role == role


@for_each(WORDS.landmarks.items())
def test_a_noun_of_a_part_of_the_page_means_its_role(phrase: tuple[str, ...], role: str) -> None:
    if phrase not in (("main", "content"), ("item", "list")):  # the page itself, a row
        assert target(f"click on 'x' in the {' '.join(phrase)}").region == role


@for_each(sorted(WORDS.texts))
def test_a_noun_of_a_text_says_nothing_of_the_control(phrase: tuple[str, ...]) -> None:
    assert target(f"click on the {' '.join(phrase)} 'x'") == Target(text="x")


@for_each(WORDS.cardinals.items())
def test_a_cardinal_counts(word: str, number: int) -> None:
    found = condition(f"assert that there are at least {word} 'x'")
    assert isinstance(found, Counted)
    assert found.number == number


@for_each(WORDS.ordinals.items())
def test_an_ordinal_says_which_one(word: str, place: int) -> None:
    assert target(f"click on the {word} 'x'").ordinal == place


@for_each(WORDS.duration_units.items())
def test_a_unit_of_time_is_some_seconds(word: str, seconds: float) -> None:
    assert meanings(f"wait 3 {word}") == [f"Wait {3 * seconds:g} seconds"]


@for_each(WORDS.keys.items())
def test_a_key_has_names(words: str, name: str) -> None:
    assert meanings(f"press the {words} key") == [f"Press the key '{name}'"]


@for_each(WORDS.modifier_keys.items())
def test_a_modifier_key_has_names(word: str, name: str) -> None:
    assert meanings(f"press {word}+a") == [f"Press the key '{name}+A'"]


@for_each(WORDS.comparisons)
def test_a_phrase_compares(phrase: tuple[str, ...], sign: str) -> None:
    found = positive(condition(f"assert that 'x' is {' '.join(phrase)} 5"))
    assert isinstance(found, Compared)
    assert found.comparison == sign


@for_each(WORDS.limits_before)
def test_a_limit_stands_before_a_number(phrase: tuple[str, ...], sign: str) -> None:
    found = positive(condition(f"assert that there are {' '.join(phrase)} 5 links"))
    assert isinstance(found, Counted)
    assert (found.comparison, found.number) == (sign, 5)


@for_each(WORDS.limits_behind)
def test_a_limit_stands_behind_a_number(phrase: tuple[str, ...], sign: str) -> None:
    found = condition(f"assert that there are 5 {' '.join(phrase)} links")
    assert isinstance(found, Counted)
    assert (found.comparison, found.number) == (sign, 5)


@for_each(WORDS.states.items())
def test_a_state_holds_or_does_not(word: str, state: tuple[str, bool]) -> None:
    found = condition(f"assert that the section 'x' is {word}")
    inner, holds = (found.condition, False) if isinstance(found, Not) else (found, True)
    assert isinstance(inner, InState)
    assert (inner.state, holds) == state


@for_each(WORDS.contractions.items())
def test_a_contraction_is_spelled_out(word: str, written: tuple[str, ...]) -> None:
    tokens = normalise(tokenise(f"a {word} b"))
    assert tuple(token.low for token in tokens) == ("a", *written, "b")


@for_each(sorted(WORDS.negatable))
def test_an_auxiliary_is_negated(word: str) -> None:
    assert [t.low for t in normalise(tokenise(f"it {word}n't"))] == ["it", word, "not"]


@for_each(WORDS.condition_verbs.items())
def test_a_verb_of_a_condition_has_a_meaning(word: str, meaning: str) -> None:
    assert find_verbs(tokenise(f"'x' {word} 'y'"))[0].meaning == meaning


@for_each(WORDS.helped_verbs.items())
def test_a_verb_that_is_a_noun_too_needs_an_auxiliary(word: str, meaning: str) -> None:
    verb = find_verbs(tokenise(f"'x' should {word} 'y'"))[0]
    assert verb.meaning == WORDS.condition_verbs.get(word, meaning)
    if word not in WORDS.condition_verbs:
        assert find_verbs(tokenise(f"'x' {word} 'y'")) == []


@for_each(WORDS.possibilities.items())
def test_what_can_be_done_is_a_state(word: str, state: str) -> None:
    assert condition(f"assert that 'x' can be {word}") == condition(f"assert that 'x' is {state}")


#: Neighbours that a missing blank between two lines once made one word of, by their tables.
ONCE_GLUED = {
    "box_verbs": "toggle un-check", "plain_labels": "data info correct random",
    "no_label_words": "for at", "scroll_words": "this very whole it",
    "scroll_leads": "inside find", "clause_fillers": "afterward simply lets let's",
    "property_words": "document's of application's in", "property_leads": "text word",
    "shown": "rendered included", "equalities": "prefilled pre-filled", "arrival_words": "at page",
    "occurrences": "hits appearances", "text_nouns": "greeting confirmation", "be": "stay stays",
    "condition_adverbs": "clearly again all each", "determiners": "given following",
    "weak_adjectives": "empty visible displayed clickable labelled labeled",
    "never_first": "at but", "naming": "marked tagged", "named_by": "description tooltip",
    "sides": "lower hand", "row_links": "about showing displaying listing",
    "no_places": "full english upper lower turn detail", "words_behind_quotes": "as at",
    "button_like_verbs": "update search",
}  # fmt: skip


@for_each(ONCE_GLUED.items())
def test_what_was_glued_is_two_words(table: str, words: str) -> None:
    entries = words.split()
    assert set(entries) <= getattr(WORDS, table)
    assert not {a + b for a in entries for b in entries} & getattr(WORDS, table)


@for_each(
    [
        ("Assert that 'x' is rendered", "Assert that 'x' is displayed"),
        ("Assert that 'x' is included", "Assert that 'x' is displayed"),
        ("Assert that 'x' is clearly displayed", "Assert that 'x' is displayed"),
        ("Assert that 'x' stays displayed", "Assert that 'x' is displayed"),
        ("Simply click on 'x'", "Click on 'x'"),
        ("Afterward click on 'x'", "Click on 'x'"),
        ("Let's click on 'x'", "Click on 'x'"),
        ("Click on the given 'x' button", "Click on the 'x' button"),
        ("Un-check 'x'", "Uncheck 'x'"),
        ("Click on the button tagged 'x'", "Click on the 'x' button"),
    ]
)
def test_sentences_with_words_that_were_glued_are_understood(sentence: str, meaning: str) -> None:
    assert meanings(sentence) == [meaning]


WRONG: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "a word twice": (lambda t: t.update(shown="seen listed seen"), "'seen'"),
    "a phrase twice": (lambda t: t.update(rows="row, line, row"), "'row'"),
    "nothing between commas": (lambda t: t.update(rows="row,, line"), "twice: ['']"),
    "a capital": (lambda t: t.update(shown="Seen"), "'Seen'"),
    "no text": (lambda t: t["states"]["checked"].update(holds=True), "put it in quotes"),
    "an unknown table": (lambda t: t.update(showed="seen"), "showed"),
    "a missing table": (lambda t: t.pop("shown"), "shown"),
}


@pytest.mark.parametrize(("spoil", "message"), WRONG.values(), ids=list(WRONG))
def test_the_schema_refuses(spoil: Callable[[dict[str, Any]], object], message: str) -> None:
    tables = bundled_yaml(vocabulary.__package__, "vocabulary.yaml")
    spoil(tables)
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(StepVocabulary).validate_python(tables)
    assert message in str(caught.value)


def test_the_tables_are_read_when_one_is_asked_for() -> None:
    code = (
        "import sparring_plugins.web.grammar.steps, sys\n"
        "from sparring_plugins.web.grammar.phrases.vocabulary import WORDS\n"
        "assert not vars(WORDS)\n"
        "assert 'seen' in WORDS.shown and 'rows' in vars(WORDS)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
