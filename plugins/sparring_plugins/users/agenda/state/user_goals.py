"""What the user wants, goal by goal, and how it says each in a turn.

Goals are questions, services, statements, and missing outputs. Some functions find what shows that
a goal is met though the user never asked for it in words.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

from pydantic import JsonValue, ValidationError

from sparring.interfaces.roles import Goal, OutputSpec, UserTask
from sparring.model.talk import Listen
from sparring_plugins.language.candidates import date_spans, find_durations, find_times
from sparring_plugins.language.numbers import find_money
from sparring_plugins.language.similarity import overlap
from sparring_plugins.language.text import as_texts, contains, folded, sentences
from sparring_plugins.language.vocabulary import concepts, vocabulary
from sparring_plugins.users.agenda.profile.conditions import (
    concessions,
    split_condition,
    split_question_awaited,
)
from sparring_plugins.users.agenda.profile.facts import names_in
from sparring_plugins.users.agenda.replies.app_reply import AppReply
from sparring_plugins.users.agenda.state.value_matching import shared_by_most
from sparring_plugins.users.agenda.words.direct_questions import direct_question
from sparring_plugins.users.agenda.words.goal_phrases import (
    GoalForm,
    form_of,
    language_of,
    output_form_of,
)
from sparring_plugins.users.agenda.words.goal_verbs import (
    after_moment,
    changes_something,
    is_informative,
)
from sparring_plugins.users.agenda.words.knowledge import knowledge, says
from sparring_plugins.users.agenda.words.phrase_book import (
    LANGUAGES,
    LONGEST,
    PhraseBook,
    filled,
    phrases,
    sentence,
    word_lists,
)
from sparring_plugins.users.extraction.exchanges import has_expected_value
from sparring_plugins.users.personas.traits import Traits, traits_of
from sparring_plugins.users.profiles.interaction_styles import (
    language_of_turn,
    names_of,
    styles_of_case,
)

ASKING: frozenset[GoalForm] = frozenset({"question", "topic", "about", "whether"})


@dataclass(frozen=True, slots=True)
class UserGoal:
    """One goal, or one output still to be asked for.

    `words` is what goes into the phrases of its form, `values` are the variables it uses with
    their texts, and `phrase` is how the profile says it. With a `condition` it is pursued
    only once something was refused, or said only if the app asks; its words are what is then
    wanted or said. One that `follows` a question, by its key, is pursued if the answer is its
    `case`: "if it has no nuts, order it".
    """

    key: str
    form: GoalForm
    words: str
    language: str
    values: tuple[tuple[str, tuple[str, ...]], ...] = ()
    phrase: str = ""
    condition: str = ""
    follows: str = ""
    case: str = ""

    @property
    def is_output(self) -> bool:
        """Whether it is a declared output, which no goal of the profile names."""
        return self.key.startswith("output")

    @property
    def asks(self) -> bool:
        """Whether an answer is wanted rather than a service."""
        # "I have a question about parking" has the form of a statement and asks nevertheless.
        if self.form == "statement" and self.language != "Other":
            words = folded(self.words)
            return any(contains(words, cue) for cue in phrases(self.language).knowing)
        if self.form == "request" and not self.values and self.language == "English":
            return _wants_to_know(self.words)
        if self.form == "action" and self.language == "German":
            # "nach der Vorgangsnummer fragen", "die Öffnungszeiten erfragen"
            last = folded(self.words).split()[-1:]
            return bool(last) and last[0] in {folded(word) for word in phrases("German").asking}
        return self.form in ASKING or self.is_output

    @property
    def concepts(self) -> frozenset[str]:
        """The concepts of its words."""
        return concepts(self.words)

    @property
    def subject(self) -> frozenset[str]:
        """What it is about: its concepts without those that only name the kind of answer."""
        return (self.concepts - word_lists().answer_kinds) or self.concepts

    @property
    def described(self) -> str:
        """Its words with the names of its variables: "order Zyrtec medicine"."""
        return " ".join((self.words, *(name.replace("_", " ") for name, _ in self.values)))

    @property
    def own_words(self) -> tuple[str, ...]:
        """Its words as they may stand in what is said, folded: a question also as a direct one."""
        direct = direct_question(self.words, self.language) if self.form == "whether" else None
        return (folded(self.words), *([folded(direct)] if direct else []))

    @property
    def texts(self) -> list[str]:
        """All values it uses."""
        return [text for _, texts in self.values for text in texts]


def _wants_to_know(words: str) -> bool:
    """Whether a request is for information and not for a thing.

    "the opening times" and "prices and rooms" are information, "a table" is not.
    """
    book = phrases("English")
    first = words.split()[:1]
    if first and first[0].lower() in {*book.determiners, "another"} - set(book.definite):
        return False
    return any(is_informative(part) for part in words.split(" and "))


def user_goals_of(task: UserTask) -> list[UserGoal]:
    """The goals of a task, in order."""
    goals: list[UserGoal] = []
    for index, goal in enumerate(task.goals):
        own = user_goal(index, goal, task.inputs, task.language)
        goals.append(_with_question(own, goals) if own.condition and not own.asks else own)
    return goals


def _with_question(goal: UserGoal, before: Sequence[UserGoal]) -> UserGoal:
    """A goal with a condition as one that follows the question before it on the same thing."""
    about = names_in(goal.condition)
    asked = (other for other in before if other.asks and len(names_in(other.words) & about) > 1)
    question = next(asked, None)
    if question is None or waits_for_question(goal):
        return goal
    return replace(goal, condition="", follows=question.key, case=goal.condition)


def output_goals(outputs: Sequence[OutputSpec], language: str) -> list[UserGoal]:
    """The goals of asking for declared outputs by their descriptions."""
    goals: list[UserGoal] = []
    for spec in outputs:
        text = spec.description.strip() or spec.name.replace("_", " ")
        own_language = language_of(text, language)
        form, words = output_form_of(text, own_language)
        goals.append(UserGoal(f"output {spec.name}", form, words, own_language))
    return goals


def user_goal(index: int, goal: Goal, inputs: Mapping[str, JsonValue], declared: str) -> UserGoal:
    """Return a goal as the user without a model reads it.

    Args:
        index: Its 0-based place in the profile.
        goal: Its words, with values in their places.
        inputs: The values by the names of their variables.
        declared: The profile's language.
    """
    values = tuple((name, tuple(as_texts(inputs.get(name)))) for name in goal.inputs)
    language = language_of(goal.phrase, declared)
    text = goal.phrase
    condition, phrase = split_condition(text) or split_question_awaited(text) or ("", text)
    form, words = form_of(phrase, language, bool(goal.inputs))
    words = _WITH_ONESELF.sub(r"\1 with me", words)
    return UserGoal(f"goal {index}", form, words, language, values, goal.phrase, condition)


_WITH_ONESELF = re.compile(r"\b((?:take|bring|carry)\b.{1,60}?) with you\b")
"""What the user takes along: "take your contract with you" is "take my contract with me"."""

_FINDERS = {"date": date_spans, "time": find_times}


def named_moment(kind: str, goals: Sequence[UserGoal]) -> str | None:
    """The ``date`` or ``time`` that the first service among the goals names, None for none.

    Goals say these in plain words if no variable holds them: "an appointment on Friday at ten".
    """
    find = _FINDERS.get(kind)
    if find is None:
        return None
    return next((span.text for goal in goals if not goal.asks for span in find(goal.words)), None)


def named_moments(goal: UserGoal) -> list[str]:
    """The days and times of day that a goal names."""
    return [span.text for find in _FINDERS.values() for span in find(goal.words)]


def is_conditional(goal: UserGoal) -> bool:
    """Whether a goal only says what to do in some case: "if you can't have it, book anyway"."""
    words = f"{folded(goal.words)} "
    begins = words.startswith(("if you cant ", "if you cannot ", "if that ", "if it ", "if not "))
    if goal.condition or (words.startswith("if ") and "," in goal.words):
        return True
    return begins or words.startswith(("si no ", "wenn nicht ", "wenn das nicht "))


def waits_for_question(goal: UserGoal) -> bool:
    """Return whether a goal is to be said only if the app asks: "name your firm if asked"."""
    return bool(goal.condition) and split_question_awaited(goal.phrase) is not None


def waits_for_moment(goal: UserGoal) -> bool:
    """Return whether a goal says when it is to be said: "before it is sent off, say that ..."."""
    return after_moment(goal.phrase, goal.language) is not None


def plans_change(goal: UserGoal) -> bool:
    """Whether a goal is to change, at some moment, what its user has said at first."""
    return not goal.asks and waits_for_moment(goal) and changes_something(goal.words)


def is_service(goal: UserGoal) -> bool:
    """Whether a goal wants something done; "I am sad" only informs the app."""
    if goal.asks or goal.form != "statement" or goal.language == "Other":
        return not goal.asks
    book = phrases(goal.language)
    words = f"{folded(goal.words)} "
    if book.finite and words.startswith(folded(book.telling.partition("{")[0])):
        return False
    leads = (*book.wishing, *book.polite, *book.orders)
    begins = any(words.startswith(f"{folded(lead)} ") for lead in leads)
    return begins or bool(goal.texts or named_moments(goal))


def named_option(options: Sequence[str], goals: Sequence[UserGoal]) -> int | None:
    """The index of the one option that a service among the goals names; None for none or several.

    An option of several words counts if a goal has them all in a row; else one whose own concepts,
    those that it does not share with all others, a goal has.
    """
    services = [goal for goal in goals if not goal.asks]
    words = [folded(goal.words) for goal in services]
    in_full = [
        index
        for index, option in enumerate(map(folded, options))
        if len(option.split()) > 1 and any(contains(text, option) for text in words)
    ]
    if len(in_full) == 1:
        return in_full[0]
    return only_fitting(options, [goal.concepts for goal in services])


def only_fitting(options: Sequence[str], known: Sequence[frozenset[str]]) -> int | None:
    """The index of the one option whose own concepts are among known ones; else None.

    What all options share does not count, nor what all but one do, which may be "Back". "You are
    publicly insured." chooses "Public" among "Private" and "Public".
    """
    meant = [concepts(option) for option in options]
    shared = shared_by_most(meant)
    fitting = [
        index
        for index, option in enumerate(meant)
        if option - shared and any(option - shared <= known_concepts for known_concepts in known)
    ]
    return fitting[0] if len(fitting) == 1 else None


# A form covers a goal if three quarters of the goal's words were given: articles and courtesy may
# miss.
_ALL = 0.75
_FUNCTION_WORDS = frozenset({"whether", "although", "though", "becaus", "anyway", "if"})


def states_sum(goal: UserGoal, reply: AppReply) -> bool:
    """Whether a goal is about the sum of everything or about money back, and a reply names it.

    "make sure you know what it costs in total" is met by "Total: 31.90 euros.", "ask how much you
    get back" by "We refund 12 euros.".
    """
    words = folded(goal.words)
    about = next((what for what in ("totals", "refunds") if says(words, what)), None)
    # the value of "{{remedy}}" may be the refund itself: "that they give your money back"
    if about is None or (goal.texts and (about == "totals" or re.search(r"\d", words))):
        return False
    # what is still to be confirmed ("Shall we refund 12 euros?") has not been paid back
    asked = reply.questions if about == "totals" else ()
    stated = (*reply.statements, *(question.text for question in asked))
    return any(
        says(folded(sentence), about) and find_money(sentence)
        for text in stated
        for sentence in sentences(text)
    )


def is_denial(goal: UserGoal) -> bool:
    """Whether a goal only says what the user does not want: "no snacks", "without a bag"."""
    first = folded(goal.words).split()[:1]
    return bool(first) and first[0] in knowledge().denials and not goal.asks


def is_covered(goal: UserGoal, form: Sequence[AppReply]) -> bool:
    """Whether a form that was closed well has dealt with a detail that a goal names.

    What the app states and asks counts, the labels of its menus do not: "Cancel a booking" among
    them cancels none.
    """
    texts = [*(text for reply in form for text in reply.statements)]
    texts += [question.text for reply in form for question in reply.questions]
    said = concepts("\n".join(texts))
    own = goal.subject - _FUNCTION_WORDS
    return bool(own) and overlap(own, said) >= _ALL


def names_value(act: str, text: str) -> bool:
    """Whether an act chooses a thing that a value names in an order to the user.

    "Robe and slippers ($9)" is "add a robe and slippers".
    """
    meant = concepts(text) - word_lists().generic_concepts
    return len(text.split()) > 1 and len(meant) > 1 and meant <= concepts(act)


def decided_subject(goal: UserGoal) -> frozenset[str]:
    """What a yes-or-no question is about: its concepts without numbers and function words.

    "Our insurance starts at 21, so I leave the car out" answers "whether you may have the car
    although you are 19".
    """
    words = folded(goal.words).split()
    cut = next((at for at, word in enumerate(words) if word in ("although", "though")), len(words))
    subject = concepts(" ".join(words[:cut])) & goal.subject
    return (subject - _FUNCTION_WORDS) or goal.subject


_WHEN = re.compile(r"(?:when|wann|cuando|quand|quando)\b")


def has_answer(goal: UserGoal, stated: str) -> bool | None:
    """Whether a text has a value that a question expects; None if it expects none.

    "It takes 5 working days" answers "When will it come?" as a date would.
    """
    has_value = has_expected_value(goal.words, stated)
    asks_when = says(folded(goal.words), "how_soon") or _WHEN.match(folded(goal.words))
    if not has_value and asks_when and find_durations(stated):
        return True
    return has_value


def is_yielding(task: UserTask, goals: Sequence[UserGoal]) -> bool:
    """Whether the profile says that its user takes something else than it asked for."""
    texts = (*task.context, task.role, *(goal.words for goal in goals))
    # "if it is full, take Saturday" accepts something else; "if it is full, ask why" does not
    conceded = any(goal.condition and not goal.asks and names_in(goal.words) for goal in goals)
    if conceded or (task.context and concessions(tuple(task.context))):
        return True
    return any(says(folded(text), "yielding") for text in texts)


def revises_value(goal: UserGoal) -> bool:
    """Whether a goal of the author's is itself to change something: ``I would rather``."""
    words = folded(goal.words)
    return any(contains(words, folded(cue)) for cue in phrases(goal.language).rethinking)


def reports_figure(goal: UserGoal, stated: str) -> bool:
    """Whether a sentence has a number for what a goal wants to know, though it was never asked.

    "You've used 55 cubic metres since the last reading." answers "how much water you have used
    since the last time".
    """
    own = (names_in(goal.words) | concepts(goal.words)) - _TO_FIND
    own -= word_lists().answer_kinds
    # of "how long it takes" nothing is left that a sentence could be recognised by
    return len(own) >= _NAMED and any(
        _has_bare_figure(sentence)
        and overlap(own, names_in(sentence) | concepts(sentence)) >= _REPORTED
        for sentence in stated.split("\n")
    )


def _has_bare_figure(sentence: str) -> bool:
    """Whether a sentence has a number that is no price, date or time.

    "A brake repair costs $35" does not say how long a brake repair takes.
    """
    typed = (find_money, find_times, find_durations, date_spans)
    spans = [(span.start, span.end) for find in typed for span in find(sentence)]
    return any(
        not any(start <= number.start() < end for start, end in spans)
        # each number outside of these spans: the 55 of "55 cubic metres"
        for number in re.finditer(r"\d+", sentence)
    )


_NAMED = 2
# "Your balance is £20" reports the figure for "ask for your balance".
_REPORTED = 0.6
_TO_FIND = frozenset({"find", "check", "ask", "know", "see", "learn"})


# --- Wording: the user's style in one turn; goals and values in words, differently each time


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
    """Return the style of a task's user without interaction styles and traits."""
    return Style(task.language, task.language)


def style_of_turn(task: UserTask) -> Style:
    """Return the style of the next turn of a task's user."""
    turn = sum(not isinstance(past.act, Listen) for past in task.turns)
    if not (task.style or task.traits):
        return replace(default_style(task), turn=turn)
    styles = styles_of_case(task.style, task.seed)
    names = names_of(styles)
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
    if not task.traits:
        return _USUAL
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
        # a persona that misspells more than the style does keeps its own rate
        changed["typos"] = max(traits.typos, TYPOS)
    return traits.model_copy(update=changed) if changed else traits


_EQUAL = 2


def phrasings(goal: UserGoal, seed: int, style: Style | None = None) -> list[str]:
    """Return all ways to say a goal: natural ones first, shorter and simpler ones after them.

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
        # the first two ways are equally natural, and half of the users begin with the second
        if goal.form in ("request", "action") and Random(f"{seed} {goal.key}").random() < 0.5:
            texts[:_EQUAL] = texts[:_EQUAL][::-1]
        direct = goal.form == "whether" and direct_question(goal.words, goal.language)
        if direct:
            texts.insert(0, filled(phrases(goal.language).question[0], direct))
        announced = _announcement(goal)
        if announced is not None:
            texts.insert(0, announced)
    # many small bots look for key words only, so that these are tried once sentences failed
    short = keywords(goal.words)
    if goal.form != "statement":  # whose second frame is for saying it again
        texts = _by_length(texts, style)
    ways = [*texts, *([short] if short else []), goal.words]
    return list(dict.fromkeys(ways))


def _announcement(goal: UserGoal) -> str | None:
    """The statement that a complaint or a report makes: "complain that ..." is no bare statement.

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
    # a statement has no frame to be put into and is quoted as it is
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
    """Return the content words of a text alone, as people type them into a search field."""
    stop = vocabulary().stop
    kept = [
        word
        for word in words.replace("?", " ").replace(",", " ").split()
        if folded(word) and not all(part in stop for part in folded(word).split())
    ]
    return " ".join(kept)[:LONGEST].strip(".¿?!:; ")


def joined(values: list[str], language: str) -> str:
    """Return values as people list them."""
    if len(values) < 2:
        return "".join(values)
    return f"{', '.join(values[:-1])} {phrases(language).and_} {values[-1]}"


def said(style: Style, what: str, seed: int, turn: int = 0) -> str:
    """Return one of the phrases called `what`, chosen by the seed; later ones as the turn grows.

    A user that speaks short or long takes the shortest or longest ones first.
    """
    texts: tuple[str, ...] = getattr(phrases(style.language), what)
    if style.length != "normal":
        return _by_length(texts, style)[turn % len(texts)]
    return texts[(Random(f"{seed} {what}").randrange(len(texts)) + turn) % len(texts)]
