"""How the user speaks at one point of a conversation: styles, traits, language."""

from dataclasses import dataclass

from pydantic import ValidationError

from sparring.interfaces.roles import UserTask
from sparring.model.talk import Listen
from sparring_plugins.users.agenda.frames import LANGUAGES
from sparring_plugins.users.personas.traits import Traits, traits_of
from sparring_plugins.users.profiles.interaction_styles import (
    language_of_turn,
    names_of,
    styles_of_case,
)

TYPOS = 0.25
"""The rate of misspelt words in the style ``make spelling mistakes``."""

_USUAL = Traits()
_LENGTHS = {"long phrases": "long", "short phrases": "short"}


@dataclass(frozen=True, slots=True)
class Manner:
    """What a case's styles and traits come to in one turn.

    `language` is the one spoken now, `own` the profile's; `turn` counts the turns that the user
    took before. `single`: one thing at a time; `everything`: all at once; `rethinks`: changes its
    mind once.
    """

    language: str
    own: str
    turn: int = 0
    traits: Traits = _USUAL
    single: bool = False
    everything: bool = False
    rethinks: bool = False

    @property
    def length(self) -> str:
        """How long sentences are: short, normal or long."""
        return self.traits.sentence_length

    @property
    def abroad(self) -> bool:
        """Whether another language than the profile's is spoken."""
        return self.language != self.own

    @property
    def plain(self) -> bool:
        """Whether the user speaks as it does by default, in whatever language."""
        return self.traits == _USUAL


def usual(task: UserTask) -> Manner:
    """The default manner of a task's user."""
    return Manner(task.language, task.language)


def manner_of(task: UserTask) -> Manner:
    """The manner of the next turn of a task's user."""
    styles = styles_of_case(task.style, task.seed)
    names = names_of(styles)
    turn = sum(not isinstance(one.act, Listen) for one in task.turns)
    drawn = language_of_turn(styles, task.language, task.seed, turn)
    spoken = drawn.strip().title()
    return Manner(
        language=spoken if drawn != task.language and spoken in LANGUAGES else task.language,
        own=task.language,
        turn=turn,
        traits=_styled(_traits(task), names),
        single="single question" in names,
        everything="all questions" in names,
        rethinks="change your mind" in names,
    )


def _traits(task: UserTask) -> Traits:
    try:
        return traits_of(task.traits)
    except ValidationError:
        return Traits()


def _styled(traits: Traits, names: frozenset[str]) -> Traits:
    """A persona's traits with those of the case's styles, which go first."""
    changed: dict[str, object] = {}
    for style, length in _LENGTHS.items():
        if style in names:
            changed["sentence_length"] = length
    if "make spelling mistakes" in names:
        changed["typos"] = max(traits.typos, TYPOS)
    return traits.model_copy(update=changed) if changed else traits
