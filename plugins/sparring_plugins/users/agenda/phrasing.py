"""Wording: the user's style in one turn, and goals and values in words, differently each time."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from pydantic import ValidationError

from sparring.interfaces.roles import UserTask
from sparring.model.talk import Listen
from sparring_plugins.language.text import folded
from sparring_plugins.language.vocabulary import vocabulary
from sparring_plugins.users.agenda.phrase_book import (
    LANGUAGES,
    LONGEST,
    PhraseBook,
    filled,
    phrases,
    sentence,
)
from sparring_plugins.users.agenda.user_goals import UserGoal
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
class Style:
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


def default_style(task: UserTask) -> Style:
    """The style of a task's user without interaction styles and traits."""
    return Style(task.language, task.language)


def style_of_turn(task: UserTask) -> Style:
    """The style of the next turn of a task's user."""
    styles = styles_of_case(task.style, task.seed)
    names = names_of(styles)
    turn = sum(not isinstance(past.act, Listen) for past in task.turns)
    drawn = language_of_turn(styles, task.language, task.seed, turn)
    spoken = drawn.strip().title()
    return Style(
        language=spoken if drawn != task.language and spoken in LANGUAGES else task.language,
        own=task.language,
        turn=turn,
        traits=_apply_styles(_traits(task), names),
        single="single question" in names,
        everything="all questions" in names,
        rethinks="change your mind" in names,
    )


def _traits(task: UserTask) -> Traits:
    try:
        return traits_of(task.traits)
    except ValidationError:
        return Traits()


def _apply_styles(traits: Traits, names: frozenset[str]) -> Traits:
    """A persona's traits, overridden by the case's styles."""
    changed: dict[str, object] = {}
    for style, length in _LENGTHS.items():
        if style in names:
            changed["sentence_length"] = length
    if "make spelling mistakes" in names:
        changed["typos"] = max(traits.typos, TYPOS)
    return traits.model_copy(update=changed) if changed else traits


_EQUAL = 2


def phrasings(goal: UserGoal, seed: int, style: Style | None = None) -> list[str]:
    """All ways to say a goal: natural ones first, shorter and simpler ones after them.

    A user that speaks short or long begins with the shortest or longest of the natural ones; in
    another language than the profile's the goal's own words stand in phrases of that language.
    """
    texts: list[str]
    if style is not None and style.abroad and goal.language != style.language:
        texts = _abroad(goal, phrases(style.language))
    elif goal.language == "Other":
        texts = [sentence(goal.words)]
    else:
        texts = [
            filled(template, goal.words) for template in getattr(phrases(goal.language), goal.form)
        ]
        if goal.form in ("request", "action") and Random(f"{seed} {goal.key}").random() < 0.5:
            texts[:_EQUAL] = texts[:_EQUAL][::-1]
        announced = _announcement(goal)
        if announced is not None:
            texts.insert(0, announced)
    short = keywords(goal.words)
    if goal.form != "statement":  # whose second frame is for saying it again
        texts = _by_length(texts, style)
    ways = [*texts, *([short] if short else []), goal.words]
    return list(dict.fromkeys(ways))


def _announcement(goal: UserGoal) -> str | None:
    """What a complaint or a report is told as: "complain that ..." is no bare statement.

    "The gate code did not work." alone is understood by nobody who offers to take a complaint.
    """
    words = f"{folded(goal.phrase)} "
    announcing = phrases(goal.language).announcing
    lead = next((lead for lead in announcing if words.startswith(f"{folded(lead)} ")), None)
    return filled(announcing[lead], goal.words) if lead and goal.form == "statement" else None


def _abroad(goal: UserGoal, book: PhraseBook) -> list[str]:
    """A goal's words in phrases of another language: never the bare words alone."""
    listed: tuple[str, ...] = () if goal.language == "Other" else getattr(book, goal.form)
    kept = [
        template for template in listed if len(folded(template.replace("{X}", "{x}")).split()) > 1
    ]
    if goal.form == "statement":
        kept = []
    return [filled(template, goal.words) for template in (*kept, *book.quote)]


def _by_length(texts: Sequence[str], style: Style | None) -> list[str]:
    """Ways to say a thing, those that suit the user's length of sentences first."""
    length = style.length if style is not None else "normal"
    if length == "normal":
        return list(texts)
    sign = 1 if length == "short" else -1
    return sorted(texts, key=lambda text: sign * len(text.split()))


def keywords(words: str) -> str:
    """The content words of a text alone, as people type them into a search field."""
    stop = vocabulary().stop
    kept = [
        word
        for word in words.replace("?", " ").replace(",", " ").split()
        if folded(word) and not all(part in stop for part in folded(word).split())
    ]
    return " ".join(kept)[:LONGEST].strip(".¿?!:; ")


def joined(values: list[str], language: str) -> str:
    """Values as people list them."""
    if len(values) < 2:
        return "".join(values)
    return f"{', '.join(values[:-1])} {phrases(language).and_} {values[-1]}"


def said(style: Style, what: str, seed: int, turn: int = 0) -> str:
    """One of the phrases called `what`, chosen by the seed; later ones as the turn grows.

    A user that speaks short or long takes the shortest or longest ones first.
    """
    texts: tuple[str, ...] = getattr(phrases(style.language), what)
    if style.length != "normal":
        return _by_length(texts, style)[turn % len(texts)]
    return texts[(Random(f"{seed} {what}").randrange(len(texts)) + turn) % len(texts)]
