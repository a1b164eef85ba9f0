"""Every entry of the room's word lists does what its list is for."""

import re
from collections import Counter
from collections.abc import Iterable

from tests.for_each import for_each

from sparring_plugins.language.text import contains, folded
from sparring_plugins.voice.draft_fields import draft_words, goal_phrase, outputs_of, slug
from sparring_plugins.voice.explorers.base_explorer import SYSTEM_INPUTS
from sparring_plugins.voice.outputs.dialogue_acts import dialogue_acts_of, is_confused
from sparring_plugins.voice.outputs.named_inputs import (
    capabilities,
    choices_in,
    input_cues,
    instructed,
)
from sparring_plugins.voice.outputs.similarity import NEGATIONS
from sparring_plugins.voice.outputs.suggested_inputs import answers_to, slots
from sparring_plugins.voice.outputs.words import VALUE, masked, significant, unified, weight, words
from sparring_plugins.voice.private_requests import private_requests, private_words
from sparring_plugins.voice.problem_detection import acknowledges, takes_leave
from sparring_plugins.voice.session_view import SessionTurn, plain_words, problem_words

_PLAIN_LISTS = (
    *("generic_asks", "confused", "broken", "courtesies", "farewell", "fillers", "light"),
    *("number_words", "days", "self_sufficient"),
)


def entries(*lists: Iterable[str]) -> list[str]:
    return sorted({entry for each in lists for entry in each})


def twice(entries: Iterable[str]) -> list[str]:
    return [entry for entry, count in Counter(entries).items() if count > 1]


@for_each(_PLAIN_LISTS)
def test_entries_are_folded_as_what_they_are_compared_with(name: str) -> None:
    for entry in getattr(words(), name):
        assert folded(entry) == entry


def test_no_ordered_list_names_an_entry_twice() -> None:
    lists = words()
    for name in ("generic_asks", "confused", "broken", "courtesies", "farewell"):
        assert not twice(getattr(lists, name)), name
    assert not twice([*lists.number_words, *lists.days])
    assert not twice(phrase for group in lists.same for phrase in group)
    for group in (input_cues().purpose_verbs, input_cues().phrase_leads, problem_words().farewells):
        assert not twice(group)


@for_each(words().confused)
def test_an_app_that_says_so_is_confused(phrase: str) -> None:
    assert is_confused(f"Well, {phrase}.")
    assert not dialogue_acts_of(f"Well, {phrase}.").statements


@for_each(words().farewell)
def test_an_app_that_says_so_takes_leave(phrase: str) -> None:
    assert dialogue_acts_of(f"{phrase}.").farewell


@for_each(words().generic_asks)
def test_a_generic_question_may_end_any_output(phrase: str) -> None:
    (request,) = dialogue_acts_of(f"{phrase}?").requests or [None]
    assert request is None or request.generic


@for_each(words().courtesies)
def test_a_courtesy_states_nothing(phrase: str) -> None:
    assert not dialogue_acts_of(f"{phrase} you.").statements


@for_each(sorted(words().fillers))
def test_a_filler_states_nothing(word: str) -> None:
    assert not dialogue_acts_of(f"{word}.").statements


@for_each(sorted(words().light))
def test_a_light_word_has_no_weight_of_its_own(word: str) -> None:
    assert weight(word) < 1
    assert not significant(word)


@for_each(words().same)
def test_synonyms_are_unified(group: tuple[str, ...]) -> None:
    for phrase in group:
        assert unified(phrase)[0] == group[0].replace(" ", "_"), phrase


def test_opposites_are_words_after_unification() -> None:
    unifications = {group[0].replace(" ", "_") for group in words().same}
    for group in words().opposites:
        for word in group:
            assert "_" not in word or word in unifications, word
    assert "not" in words().opposites[NEGATIONS]


@for_each([*words().number_words, *words().days])
def test_a_number_word_or_a_day_is_a_value(word: str) -> None:
    assert masked(f"it is {word}") == f"it is {VALUE}"


@for_each(words().units)
def test_a_unit_belongs_to_its_number(unit: str) -> None:
    assert masked(f"it is 5 {unit}") == f"it is {VALUE}"


@for_each(entries(words().polar, words().subjects, words().question_words, words().instructing))
def test_words_of_requests_survive_unification(word: str) -> None:
    assert unified(word.replace("_", " ")), word


@for_each(input_cues().command_verbs)
def test_a_command_can_be_said(verb: str) -> None:
    assert f"{verb} tea" in instructed(f"You can {verb} tea.")


@for_each(input_cues().purpose_verbs)
def test_a_purpose_is_no_part_of_a_phrase(verb: str) -> None:
    assert instructed(f"Say banana to {verb} this.") == ["banana"]


@for_each(
    list(
        zip(
            input_cues().purposes,
            [
                *("if you like", "if so", "whenever you like", "and I'll wait", "so that I know"),
                *("for more", "for a list", "at any time", "anytime", "followed by it", "in order"),
                *(
                    "whenever",
                    "while here",
                    "until then",
                    "because",
                    "instead",
                    "and then",
                    "that you see",
                ),
                *("now", "below", "as well"),
            ],
            strict=True,
        )
    )
)
def test_every_form_of_a_purpose_is_cut_off(pattern: str, purpose: str) -> None:
    assert re.match(pattern, purpose, re.IGNORECASE)
    assert instructed(f"Say banana {purpose}.") == ["banana"]


@for_each([one.replace("?", "").replace("\\", "") for one in input_cues().phrase_leads])
def test_a_lead_is_no_part_of_a_phrase(lead: str) -> None:
    assert instructed(f"Say {lead} banana.") == ["banana"]


@for_each(sorted(input_cues().not_phrases))
def test_such_a_text_is_no_phrase(text: str) -> None:
    assert text not in instructed(f"Say {text}.")


@for_each(input_cues().clause_words)
def test_a_clause_is_no_choice(word: str) -> None:
    assert not any(
        one.startswith(word)
        for one in choices_in(f"Do you want {word} go or {word} stay?", asking=True)
    )


@for_each(
    list(
        zip(
            input_cues().capabilities,
            [
                "I can tell you about your orders and parking",
                "We could sort your orders and parking",
                "Let me help you with your orders and parking",
                "We offer your orders and parking",
                "Details on your orders and parking",
            ],
            strict=True,
        )
    )
)
def test_a_capability_is_read(pattern: str, sentence: str) -> None:
    assert re.search(pattern, sentence, re.IGNORECASE)
    assert capabilities(sentence)[-1] == "parking"


@for_each(input_cues().perspective)
def test_the_user_says_it_in_the_first_person(theirs: str, mine: str) -> None:
    (service,) = capabilities(f"I can show you things {theirs} here.")
    assert contains(service, mine)


def test_a_cue_belongs_to_one_slot_and_is_answered() -> None:
    cues = [(cue, kind) for kind, slot in slots().items() for cue in slot.asks]
    assert not twice(cue for cue, _ in cues)
    for cue, kind in cues:
        assert folded(cue) == cue
        assert answers_to(f"{cue}?", 1), (cue, kind)
        assert all(value.strip() for value in slots()[kind].values)


@for_each(problem_words().farewells)
def test_a_farewell_ends_a_session(phrase: str) -> None:
    assert plain_words(phrase) == phrase
    assert takes_leave(f"That was it. {phrase}!")


@for_each(problem_words().greetings)
def test_a_greeting_is_no_farewell(word: str) -> None:
    assert not takes_leave(f"{word}, goodbye")


@for_each(problem_words().parting)
def test_an_app_acknowledges_that_it_stops(word: str) -> None:
    assert acknowledges(f"{word}.")


@for_each(problem_words().opening)
def test_a_user_opens_an_app(verb: str) -> None:
    assert SessionTurn(0, f"Alexa, {verb} tea corner", "", "nobody").opens == "tea corner"


@for_each(sorted(problem_words().stops))
def test_a_user_stops_an_app(text: str) -> None:
    assert SessionTurn(0, text, "", "nobody").stops


@for_each(entries(problem_words().platform_stops, problem_words().leaves))
def test_a_user_leaves(text: str) -> None:
    turn = SessionTurn(0, text, "", "nobody")
    assert turn.leaves
    assert not turn.stops


def test_patterns_of_private_things_are_valid_and_permissions_name_them() -> None:
    lists = problem_words()
    for pattern in (
        *lists.requests,
        *lists.told,
        *(one for each in lists.private.values() for one in each),
    ):
        re.compile(pattern)
    for permission, names in lists.permissions.items():
        assert set(names) <= set(lists.private), permission
    for name in ("e-mail address", "phone number", "password"):
        assert [one.entity for one in private_requests(f"What is your {name}?")] == [name]


def test_private_words_of_other_languages_are_folded_and_name_what_english_does() -> None:
    for language, lists in private_words().items():
        assert set(lists.private) <= set(problem_words().private), language
        each = (one for patterns in lists.private.values() for one in patterns)
        for pattern in (*lists.asks, *lists.requests, *lists.told, *each):
            re.compile(pattern)
            literal = re.sub(r"\(\?[:!]|[][()|?+*]|\\b", "", pattern)
            assert folded(literal) == literal.strip(), pattern


def test_short_lists_of_sessions_are_plain_words() -> None:
    lists = problem_words()
    for entry in (*lists.stopping, *lists.confirmations, *lists.offers):
        assert plain_words(entry) == entry


def test_draft_words_make_names_and_phrases() -> None:
    lists = draft_words()
    for word in lists.stop_words:
        assert slug(f"{word} table") == "table"
    for kind, phrase in lists.spoken.items():
        assert phrase.count("%s") == 1
        assert f"{{{{{kind}}}}}" in goal_phrase(kind, kind)
    for command in lists.commands:
        assert folded(command) == command
    for label in (*lists.references, *lists.prices):
        (output,) = outputs_of([f"Your {label} is $12."])
        assert list(output) == [label if label in lists.prices else "price"]


def test_system_inputs_differ() -> None:
    for name in ("chat", "voice", "standard"):
        inputs = getattr(SYSTEM_INPUTS, name)
        assert inputs
        assert not twice(inputs)


def test_a_length_of_time_is_answered_in_the_unit_that_is_asked_for() -> None:
    assert {one.text for one in answers_to("For how many hours do you need it?", 1)} == {"2 hours"}
    assert len(answers_to("For how long do you need it?", 1)) > 1
