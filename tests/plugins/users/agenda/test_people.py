"""Whose particular an app asks for: the user's own, or that of somebody whom it comes for."""

import re

import pytest

from sparring_plugins.users.agenda.profile.people import USER, people_of

from .talks import replies_to

PROFILES: dict[str, tuple[list[str], list[str]]] = {
    "daughter": (
        ["enrol your daughter in the judo class", "find out what a lesson costs"],
        [
            "your name is Petra Lang, your phone number is 0161 555 0144, your e-mail is petra.lang@example.org",
            "your daughter is Nina Lang, born on 4 June 2018",
            "Nina has hay fever",
        ],
    ),
    "son": (
        ["sign your son up for the summer camp"],
        [
            "you are Tom Becker",
            "your son is called Max Becker, date of birth 12 March 2016",
            "mobile 07700 900 222, e-mail tom.becker@example.net",
            "Max is allergic to nuts, the leaders should know",
        ],
    ),
    "mother": (
        ["make an eye test for your mother"],
        [
            "your name is Julia Stone",
            "your mother is Edith Stone, born 1 May 1948",
            "your phone is 020 7946 0321",
        ],
    ),
    "friend": (
        ["book a ski lesson for your friend on 12 February 2027"],
        [
            "you are Carl Holm, carl.holm@example.com",
            "your friend is Ines Vidal, she is 31",
            "she has never skied before",
        ],
    ),
    "gift": (
        ["send a hamper to your aunt"],
        [
            "your name is Rita Moss, you live at 8 Elm Road, Derby DE1 2AB",
            "your aunt is Joan Price, she lives at 25 Castle Street, Leeds LS1 4RT",
            "your e-mail is rita.moss@example.org",
        ],
    ),
    "husband": (
        ["register your husband as a second driver for booking HB-771"],
        [
            "you are Vera Klein",
            "your husband is Paul Klein, born on 9 August 1980",
            "his driving licence is number KL809231",
        ],
    ),
    "self": (
        ["book a massage on Friday"],
        [
            "your name is Omar Haddad",
            "your wife is Leila Haddad, whom they may call if something happens, 07700 900 871",
            "your own number is 07700 900 870",
        ],
    ),
    "german": (
        ["deine Tochter zum Schwimmkurs anmelden"],
        [
            "du heißt Sabine Wolf, Telefon 030 5550144",
            "deine Tochter heißt Lea Wolf und ist am 3. Mai 2019 geboren",
        ],
    ),
    "spanish": (
        ["apuntar a tu hijo al curso de natación"],
        [
            "te llamas Lucía Romero, tu teléfono es 600 555 014",
            "tu hijo se llama Hugo Romero, nacido el 3 de mayo de 2018",
        ],
    ),
    "cancelled": (
        ["cancel your appointment A-291"],
        ["you are Helen Shaw", "you have caught a cold"],
    ),
}
LANGUAGES = {"german": "German", "spanish": "Spanish"}
GREETINGS = {
    "English": "Good day! What may it be?",
    "German": "Hallo! Was darf es sein?",
    "Spanish": "¡Hola! ¿En qué puedo ayudarle?",
}
QUESTIONS = [
    ("daughter", "What is the participant's full name?", "Nina Lang"),
    (
        "daughter",
        "What are you called yourself, as her parent? Your own name, please.",
        "Petra Lang",
    ),
    ("daughter", "And Nina Lang's date of birth?", "4 June 2018|04/06/2018"),
    ("daughter", "Name of the child?", "Nina"),
    ("daughter", "Who is the course for?", "Nina|daughter"),
    ("daughter", "Name of parent or guardian?", "Petra Lang"),
    ("daughter", "First name of the participant?", "^Nina$"),
    ("daughter", "Surname of the participant?", "^Lang$"),
    ("daughter", "Your name, please? We need it for the invoice.", "Petra Lang"),
    ("daughter", "Who should we write the invoice to?", "Petra Lang"),
    ("son", "The camper's full name?", "Max Becker"),
    ("son", "Child's name?", "Max"),
    ("son", "When was he born?", "12 March 2016|12/03/2016"),
    ("son", "And what is your name?", "Tom Becker"),
    ("son", "Who can we contact in an emergency? Name please.", "Tom Becker"),
    ("son", "Any medical conditions or allergies we should know about?", "nuts"),
    ("son", "Name of the person with parental responsibility?", "Tom Becker"),
    ("son", "What is the attendee's full name?", "Max Becker"),
    ("mother", "Name of the patient?", "Edith Stone"),
    ("mother", "The patient's date of birth?", "1 May 1948|01/05/1948"),
    (
        "mother",
        "Is the appointment for you or for somebody else?",
        "somebody else|mother|someone else",
    ),
    ("mother", "And who am I speaking to?", "Julia Stone"),
    ("mother", "Your relationship to the patient?", "daughter|mother"),
    ("friend", "What is the learner's name?", "Ines Vidal"),
    ("friend", "How old is the participant?", "31"),
    ("friend", "And your own e-mail address?", "carl.holm@example.com"),
    ("friend", "Has the participant skied before?", "[Nn]o|never"),
    ("gift", "What is the recipient's full name?", "Joan Price"),
    ("gift", "And the delivery address?", "25 Castle Street"),
    ("gift", "Postcode of the recipient?", "LS1 4RT"),
    ("gift", "Your billing address?", "8 Elm Road"),
    ("gift", "Who is the sender?", "Rita Moss"),
    ("gift", "And your name?", "Rita Moss"),
    ("husband", "The additional driver's name?", "Paul Klein"),
    ("husband", "When was the second driver born?", "9 August 1980|09/08/1980"),
    ("husband", "What is his licence number?", "KL809231"),
    ("husband", "And the name of the main driver?", "Vera Klein"),
    ("self", "Name of your emergency contact?", "Leila Haddad"),
    ("self", "And a phone number for the emergency contact?", "07700 900 871"),
    ("self", "Your name?", "Omar Haddad"),
    ("self", "Which number do you want to be reached on?", "07700 900 870"),
    ("german", "Wie heißt das Kind?", "Lea"),
    ("german", "Wie lautet der vollständige Name des Teilnehmers?", "Lea Wolf"),
    ("german", "Wann ist das Kind geboren?", "3. Mai 2019|03.05.2019"),
    ("german", "Und Ihr eigener Name als Erziehungsberechtigte?", "Sabine Wolf"),
    ("spanish", "¿Cuál es el nombre completo del participante?", "Hugo Romero"),
    ("spanish", "¿Fecha de nacimiento del niño?", "3 de mayo de 2018|03/05/2018"),
    ("spanish", "¿Y su nombre, como madre o padre?", "Lucía Romero"),
    (
        "cancelled",
        "The surname on the appointment?",
        "^Shaw$|Helen Shaw",
    ),
    ("cancelled", "Under which surname did you book?", "^Shaw$|Helen Shaw"),
    ("cancelled", "What surname is it in?", "^Shaw$|Helen Shaw"),
    ("cancelled", "In whose name was it made?", "Helen Shaw"),
    ("cancelled", "Last name on the booking?", "^Shaw$|Helen Shaw"),
]


@pytest.mark.parametrize(("profile", "question", "wanted"), QUESTIONS)
def test_a_particular_is_that_of_whom_the_question_means(
    profile: str, question: str, wanted: str
) -> None:
    goals, context = PROFILES[profile]
    language = LANGUAGES.get(profile, "English")
    said = replies_to(goals, context, [GREETINGS[language], question], language=language)
    assert re.search(wanted, said[-1])


def test_the_people_of_a_profile_have_what_is_said_of_them() -> None:
    goals, context = PROFILES["daughter"]
    people = people_of(context, "", goals)
    assert [person.relation for person in people.everybody] == [USER, "daughter"]
    assert people.beneficiary is people.others[0]
    assert [fact.text for fact in people.others[0].facts] == ["4 June 2018"]
    assert {fact.text for fact in people.user.facts} == {"0161 555 0144", "petra.lang@example.org"}


def test_a_service_for_both_is_for_nobody_alone() -> None:
    context = ["your name is Petra Lang", "your daughter is Nina Lang"]
    assert people_of(context, "", ["book a table for you and your daughter"]).beneficiary is None


def test_a_profile_without_others_is_about_its_user() -> None:
    people = people_of(["you are Omar Haddad"], "", ["book a massage"])
    assert people.beneficiary is people.user
    assert people.meant("What is the participant's name?") is people.user
