"""Languages by lingua."""

from typing import Any

import pytest

from sparring.errors import ConfigurationError
from sparring.interfaces.rule_function import Explained
from sparring.testing.conversations import trace_of
from sparring_plugins.rules.functions.lingua_vader import (
    detected,
    language,
    responds_in_same_language,
)
from sparring_plugins.rules.functions.plain_values import CannotSay

LONG = {
    "ENG": "What is the weather going to be like in the city tomorrow?",
    "ESP": "¿Cuánto cuesta una pizza mediana y cuándo estará lista?",
    "FR": "Je voudrais réserver une table pour quatre personnes ce soir.",
    "GER": "Ich möchte heute Abend einen Tisch für vier Personen bestellen.",
    "IT": "Vorrei prenotare un tavolo per quattro persone per questa sera.",
    "POR": "Não sei a que horas vocês fecham, você pode me dizer?",
    "CHI": "我想订一张四人桌。",
    "JAP": "今晩四人でテーブルを予約したいのですが。",
    "OTHER": "Ik zou graag vanavond een tafel voor vier personen willen reserveren.",
}


@pytest.mark.parametrize(("code", "text"), LONG.items())
def test_languages_are_told_by_senseis_codes(code: str, text: str) -> None:
    found = language.call(text)
    assert found.value == code
    assert found.reason.startswith("no model judged: lingua finds ")
    assert "from 0.7 on" in found.reason


def test_several_texts_are_judged_together() -> None:
    assert language.call(["¿Cuánto", "cuesta una pizza", "mediana?"]).value == "ESP"


@pytest.mark.parametrize("text", ["", "12", "ok", "pizza", "😀", "\u202e\x00", "x" * 100_000])
def test_what_lingua_is_not_sure_of_is_not_judged(text: str) -> None:
    with pytest.raises(CannotSay, match="no model judged"):
        language.call(text)


def test_fewer_languages_are_told_apart_better() -> None:
    text = "Me gustaría pedir una pizza grande, por favor."
    with pytest.raises(CannotSay):
        language.call(text)
    assert language.call(text, languages=["en", "es"]).value == "ESP"
    assert language.call(text, confidence=0.5).value == "ESP"


def test_a_language_that_there_is_not_is_told() -> None:
    with pytest.raises(ConfigurationError, match="no language with the code 'xx'"):
        language.call("hello", languages=["en", "xx"])


EN, ES, DE = LONG["ENG"], LONG["ESP"], LONG["GER"]
TALKS: list[tuple[list[tuple[str, str]], bool | None, tuple[int, ...]]] = [
    ([(EN, EN), (ES, ES)], True, ()),
    ([(EN, EN), (ES, EN)], False, (1,)),
    ([(ES, EN), (ES, EN)], False, (0, 1)),
    ([(ES, "ok")], None, ()),
    ([("ok", ES), ("ok", ES), (ES, ES)], None, ()),
    ([("ok", ES), (ES, ES)], True, ()),
    ([("ok", DE), ("12", DE), (ES, ES), (ES, EN)], False, (3,)),
    ([(EN, "Error: The server did not respond")], True, ()),
]


@pytest.mark.parametrize(("talk", "value", "turns"), TALKS)
def test_answers_are_compared_with_what_the_user_has_just_said(
    talk: list[tuple[str, str]], value: bool | None, turns: tuple[int, ...]
) -> None:
    def call() -> Any:
        return responds_in_same_language.call(trace_of(talk))

    if value is None:
        with pytest.raises(CannotSay, match="too few"):
            call()
        return
    found = call()
    assert isinstance(found, Explained)
    assert (found.value, found.turns) == (value, turns)


def test_a_greeting_before_the_user_has_spoken_is_not_compared() -> None:
    from sparring.model.talk import Listen, Observation, Say, Turn

    trace = trace_of([(ES, ES)])
    greeting = Turn(act=Listen(), observation=Observation(text=EN))
    trace = trace.model_copy(update={"turns": (greeting, *trace.turns)})
    assert isinstance(trace.turns[1].act, Say)
    assert responds_in_same_language.call(trace).value is True


def test_a_detector_is_made_once() -> None:
    detected(EN)
    from sparring_plugins.rules.functions.lingua_vader import detector

    before = detector.cache_info().misses
    detected("something entirely new to it, and quite long at that")
    assert detector.cache_info().misses == before
