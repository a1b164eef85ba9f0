"""Which skill a user asks for, and what of it: "open X", "ask X to ...", "... using X"."""

from collections.abc import Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz

from sparring_connectors.alexa.assistant.sentences import RESERVED
from sparring_connectors.alexa.shapes import listed
from sparring_connectors.alexa.skill.installed import InstalledSkill
from sparring_connectors.alexa.slots.words import Heard, words_of

_OPENING = (
    ("open",), ("launch",), ("start",), ("begin",), ("play",), ("load",), ("run",), ("use",),
    ("enable",), ("open", "the"), ("start", "the"), ("launch", "the"),
    ("talk", "to"), ("speak", "to"), ("speak", "with"), ("talk", "with"),
    ("i", "want", "to", "talk", "to"), ("can", "you", "open"), ("can", "i", "talk", "to"),
    ("go", "to"), ("öffne",), ("starte",), ("spiele",), ("abre",), ("inicia",), ("ouvre",),
    ("lance",), ("démarre",), ("apri",), ("avvia",), ("abra",), ("inicie",), ("abrir",),
)  # fmt: skip
_ASKING = (
    ("ask",), ("tell",), ("search",), ("frag",), ("frage",), ("pregunta", "a"), ("pide", "a"),
    ("demande", "à"), ("chiedi", "a"), ("pergunte", "a"), ("pergunte", "ao"),
)  # fmt: skip
_JOINING = frozenset(
    listed("to and for about if whether that so what how when where why who")
    + listed("nach dass ob und que y si de et pour e di se per para")
)
_KEPT = frozenset(listed("what how when where why who"))
_BEHIND = frozenset(listed("from using with by in on through"))
_SAME = 88.0
_ALIKE = 72.0


@dataclass(frozen=True, slots=True)
class Invocation:
    """A request for a skill: which one, the words for it, how surely it is meant.

    `skill` is None where none is installed by that name. `likeness` is in [0, 100]; `reserved`
    says that Alexa does herself what was named.
    """

    name: str
    words: str = ""
    skill: InstalledSkill | None = None
    likeness: float = 100.0
    reserved: bool = False

    @property
    def is_sure(self) -> bool:
        """Whether the skill is opened without asking back."""
        return self.likeness >= _SAME


def invoked(said: Heard, skills: Sequence[InstalledSkill]) -> Invocation | None:
    """The skill that is asked for with its exact name first, also while another one is open."""
    for lead, only_opens in _leads(said):
        rest = said.part(lead, len(said))
        found = _named(rest, skills, only_opens=only_opens)
        if found is not None:
            return found
    return None


def asked_for(said: Heard, skills: Sequence[InstalledSkill]) -> Invocation | None:
    """The skill that is asked for while none is open, also by a name that is nearly its own."""
    exact = invoked(said, skills) or _behind(said, skills)
    lead = next(iter(_leads(said)), None)
    if exact is None and lead is None:
        return None
    name = exact.name if exact else _spoken_name(said.part(lead[0] if lead else 0, len(said)))
    if name in RESERVED and (exact is None or not exact.words):
        return Invocation(name, reserved=True)
    if exact is not None:
        return exact
    scored = [(fuzz.ratio(name, skill.name), skill) for skill in skills]
    likeness, nearest = max(scored, key=lambda pair: pair[0], default=(0.0, None))
    if nearest is None or likeness < _ALIKE:
        return Invocation(name)
    return Invocation(name, skill=nearest, likeness=likeness)


def _leads(said: Heard) -> list[tuple[int, bool]]:
    """How many words lead up to a name, the longest first, and whether they can only open."""
    found = [
        (len(lead), kind is _OPENING)
        for kind in (_OPENING, _ASKING)
        for lead in kind
        if said.words[: len(lead)] == lead and len(said) > len(lead)
    ]
    return sorted(found, reverse=True)


def _named(rest: Heard, skills: Sequence[InstalledSkill], *, only_opens: bool) -> Invocation | None:
    """A name at the beginning, then nothing or a joining word; the longest name wins."""
    matching = [(tuple(words_of(skill.name)), skill) for skill in skills]
    for name, skill in sorted(matching, key=lambda pair: -len(pair[0])):
        if not name or rest.words[: len(name)] != name:
            continue
        more = rest.part(len(name), len(rest))
        if not len(more):
            return Invocation(skill.name, skill=skill)
        if more.words[0] in _JOINING:
            start = 0 if more.words[0] in _KEPT else 1
            return Invocation(skill.name, more.said(start), skill)
        if not only_opens:
            return Invocation(skill.name, more.said(), skill)
    return None


def _behind(said: Heard, skills: Sequence[InstalledSkill]) -> Invocation | None:
    """``give me a fact from space facts``."""
    for skill in skills:
        name = tuple(words_of(skill.name))
        at = len(said) - len(name)
        if name and at > 1 and said.words[at:] == name and said.words[at - 1] in _BEHIND:
            return Invocation(skill.name, said.said(0, at - 1), skill)
    return None


def _spoken_name(rest: Heard) -> str:
    """The words up to a joining word."""
    end = next((at for at, word in enumerate(rest.words) if at and word in _JOINING), len(rest))
    return rest.said(0, end)
