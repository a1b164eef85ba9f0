"""What the user says of itself if it is asked: one person, whatever part of it is made up."""

import re
from collections.abc import Sequence
from random import Random

from sparring.interfaces.roles import UserTask
from sparring_plugins.language.text import folded
from sparring_plugins.users.agenda.profile.personal_details import asked_details, personal_details
from sparring_plugins.users.agenda.profile.slots import slots_of
from sparring_plugins.users.agenda.state.known_values import KnownValue, known_values
from sparring_plugins.users.agenda.state.user_goals import user_goals_of
from sparring_plugins.users.agenda.words.phrase_book import details
from sparring_plugins.users.model_user.prompt_data import prompt_sentences

_NAME_KINDS = ("name", "first_name", "last_name")
_ROLE = 2
"""The rank of values that the role states."""

_POSSESSIVE = re.compile(r"['\u2019]s$")
_TITLES = re.compile(r"^(?:(?:dr|mr|mrs|ms|prof|professor|sr|sra|herr|frau)\b\.?\s+)+", re.I)


def details_in_words(task: UserTask) -> list[tuple[str, str]]:
    """Return what the user says of itself if asked, as names and values.

    It is made up with the seed as far as role, context and goals do not state it: what they state
    stands in the prompt already. Nothing made up goes against it: the mailbox is in the user's own
    name, and who is 38 is given no other year of birth.
    """
    # "you are Jonas Pell, born 17/05/1996" in the role is no reason to invent another name
    values = known_values(task, user_goals_of(task), slots_of(task))
    stated = _stated_kinds(task, values) | _kinds_of_goals(task)
    invented = _invented(task, values, stated)
    own = " ".join((*task.context, task.role))
    return [
        (words, invented[kind])
        for kind, words in prompt_sentences().personal_details.items()
        if kind not in stated and invented.get(kind, "") and invented[kind] not in own
    ]


def _invented(task: UserTask, values: Sequence[KnownValue], stated: set[str]) -> dict[str, str]:
    """Made-up details by kind, in the name that is stated or that a stated mailbox shows."""
    invented = dict(personal_details(task.seed, (*task.context, task.role), task.language))
    mailbox = next((value.text for value in values if "email" in value.kinds and value.rank), "")
    name = _own_name(task, values) or _name_of_mailbox(mailbox, task.seed)
    if name:
        invented["name"] = name
        if "email" not in stated:
            invented["email"] = f"{_mailbox_of(name)}@{details().domain}"
    return invented


def _kinds_of_goals(task: UserTask) -> set[str]:
    """The kinds of details that goals give values for."""
    phrases = [folded(goal.phrase) for goal in task.goals if goal.inputs]
    # "be told by {{channel}}" names the e-mail, and gives no address
    asked = {kind for phrase in phrases for kind in asked_details(phrase)} - {"email", "phone"}
    return asked | {kind for slot in slots_of(task) for kind in slot.holds}


def _stated_kinds(task: UserTask, values: Sequence[KnownValue]) -> set[str]:
    """The kinds of details that role, context or goals state, whatever their words are."""
    stated = {kind for value in values for kind in (*value.kinds, *value.names)}
    if _own_name(task, values):
        stated |= set(_NAME_KINDS)
    # an age and a date of birth that was drawn would be those of two people
    born = "date" in stated and "born" in folded(" ".join((*task.context, task.role))).split()
    if born or "age" in stated:
        stated.add("birth")
    return stated - {"date", "time", "number"}


def _own_name(task: UserTask, values: Sequence[KnownValue]) -> str:
    """The user's name as context or role state it; empty if they do not."""
    for value in values:
        if "name" in value.kinds and value.rank:
            return value.text
        if "person" in value.kinds and value.rank == _ROLE and _is_played(value.text, task.role):
            return value.text
    return ""


def _is_played(name: str, role: str) -> bool:
    """Whether a role is to be somebody: "You act as Dr Helen Osei", not "as Dr Osei's driver"."""
    before = r"(?:^|\b(?:are|as|eres|als|comme|come|como)\s+)"
    belongs = _POSSESSIVE.search(name) is not None
    return not belongs and re.search(before + re.escape(name) + r"\b", role) is not None


def _mailbox_of(name: str) -> str:
    words = folded(_TITLES.sub("", name)).split()
    return ".".join(words).encode("ascii", "ignore").decode() or "user"


def _name_of_mailbox(address: str, seed: int) -> str:
    """A name that goes with a stated e-mail address: "Taylor Lindqvist" with t.lindqvist@."""
    parts = [part for part in re.split(r"[._-]", address.partition("@")[0]) if part.isalpha()]
    if len(parts) != 2 or max(map(len, parts)) < 2:
        return ""
    first, last = parts
    return f"{_spelled_out(first, details().given_names, seed)} " + _spelled_out(
        last, details().surnames, seed
    )


def _spelled_out(part: str, names: Sequence[str], seed: int) -> str:
    """A part of a mailbox as a name; for an initial one of the names that begin with it."""
    if len(part) > 1:
        return part.title()
    fitting = [name for name in names if name.casefold().startswith(part.casefold())]
    return Random(seed).choice(fitting or list(names))
