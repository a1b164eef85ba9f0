"""What apps ask and say in each of the languages of the phrase books, and in odd styles."""

from typing import Any

import pytest

from sparring.interfaces.roles import Goal, UserTask
from sparring.model.talk import Say
from sparring_plugins.language.vocabulary import languages_of, vocabulary
from sparring_plugins.users.agenda.replies.app_reply import AppReply, is_no, is_yes, read_app_reply

from .conftest import talk

ASKED = [
    ("Bonjour ! Comment puis-je vous aider ?", "more", ()),
    ("Quelle taille : petite, moyenne ou grande ?", "select", ("petite", "moyenne", "grande")),
    ("Je récapitule : une petite pizza. Est-ce correct ?", "confirm", ()),
    ("Souhaitez-vous une boisson ?", "offer", ()),
    ("À quelle heure ?", "open", ()),
    ("Wie kann ich Ihnen helfen?", "more", ()),
    ("Welche Größe: klein, mittel oder groß?", "select", ("klein", "mittel", "groß")),
    ("An welchem Tag möchten Sie kommen?", "open", ()),
    ("Also am Montag um 10 Uhr. Stimmt das?", "confirm", ()),
    ("Möchten Sie etwas trinken?", "offer", ()),
    ("Sind Sie Neukunde?", "fact", ()),
    ("Bitte geben Sie Ihre Telefonnummer ein.", "open", ()),
    ("Kann ich sonst noch etwas für Sie tun?", "more", ()),
    ("Ciao! Come posso aiutarti?", "more", ()),
    ("Ha detto martedì alle 10, è corretto?", "confirm", ()),
    ("Vuole aggiungere una bevanda?", "offer", ()),
    ("Olá! Em que posso ajudar?", "more", ()),
    ("Qual é o seu nome?", "open", ()),
    ("Está tudo certo?", "confirm", ()),
    ("¿A nombre de quién?", "open", ()),
    ("Class? [first/second]", "select", ("first", "second")),
    ("Please type first or second.", "select", ("first", "second")),
    ("Did you say Monday?", "confirm", ()),
    ("Done. Else?", "more", ()),
    ("Was it good?", "fact", ()),
]


def read(text: str) -> AppReply:
    from sparring.model.talk import Observation

    return read_app_reply(Observation(text=text))


@pytest.mark.parametrize(("text", "kind", "options"), ASKED)
def test_a_question_is_read_for_what_it_wants(
    text: str, kind: str, options: tuple[str, ...]
) -> None:
    last = read(text).questions[-1]
    assert (last.kind, last.options) == (kind, options)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("Désolé, je n'ai pas compris. Pouvez-vous reformuler ?", "fallback"),
        ("Das habe ich leider nicht verstanden.", "fallback"),
        ("Non ho capito, può ripetere?", "fallback"),
        ("Desculpe, não entendi. Pode reformular?", "fallback"),
        ("Votre commande est confirmée.", "done"),
        ("Ihr Termin ist gebucht.", "done"),
        ("La prenotazione è confermata.", "done"),
        ("Sua reserva está confirmada.", "done"),
        ("booked. ref T77.", "done"),
        ("Am Sonntag haben wir leider geschlossen.", "turns_down"),
        ("Le dimanche, nous sommes fermés.", "turns_down"),
        ("Infelizmente estamos fechados no domingo.", "turns_down"),
        ("Au revoir et bonne journée !", "farewell"),
        ("Auf Wiedersehen!", "farewell"),
        ("Arrivederci!", "farewell"),
        ("Até logo!", "farewell"),
    ],
)
def test_an_answer_is_read_for_what_it_does(text: str, what: str) -> None:
    assert getattr(read(text), what) is True


@pytest.mark.parametrize("label", ["Oui", "Ja", "Sì", "Sim", "Bestätigen", "Conferma"])
def test_labels_that_agree(label: str) -> None:
    assert is_yes(label)
    assert not is_no(label)


@pytest.mark.parametrize("label", ["Non", "Nein", "Não", "Zurück", "Annuler", "No thanks"])
def test_labels_that_decline(label: str) -> None:
    assert is_no(label)


@pytest.mark.parametrize("label", ["No internet", "No insurance"])
def test_the_lack_of_a_thing_declines_nothing(label: str) -> None:
    assert not is_no(label)


def test_every_language_has_every_cue() -> None:
    cues = vocabulary().cues
    assert {
        name: sorted(cues["English"].keys() ^ known.keys()) for name, known in cues.items()
    } == {name: [] for name in cues}


def test_english_is_read_as_english_and_no_other() -> None:
    assert languages_of("would you like to drink something with your pizza")[0] == "English"
    assert "German" not in languages_of("was it good for you")
    assert languages_of("welche grosse mochten sie") == ("German",)


MENU = "What do you need?\n1. Billing\n2. No internet\n3. Opening hours\nReply with a number."


def test_menus_are_answered_by_their_numbers() -> None:
    goal = Goal(
        phrase="report that you have no internet", template="report that you have no internet"
    )
    acts = talk(UserTask(goals=(goal,)), [MENU, MENU, MENU])
    assert Say(text="2") in acts


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Type YES to confirm or NO to start over.", "Yes"),
        ("to?", "London"),
        ("What time? [hh:mm]", "09:30"),
    ],
)
def test_terse_and_strict_prompts_get_exactly_what_they_ask_for(question: str, answer: str) -> None:
    inputs: dict[str, Any] = {"origin": "Leeds", "goal": "London", "time": "09:30"}
    goals = (
        Goal(
            phrase="buy a ticket from Leeds to London at 09:30",
            template="buy a ticket from {{origin}} to {{goal}} at {{time}}",
            inputs=("origin", "goal", "time"),
        ),
    )
    acts = talk(UserTask(goals=goals, inputs=inputs), [question, "Thanks."])
    assert acts[1] == Say(text=answer)
