"""The agents that need no language model: the user and the goal checker.

`Delivery` puts a message in the user's style: politeness, remarks, simple grammar and typos.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from random import Random
from typing import ClassVar

from pydantic import Field, JsonValue

from sparring.interfaces.agent import Agent
from sparring.interfaces.plugin import PluginConfig
from sparring.interfaces.roles import (
    ExtractTask,
    GoalCheck,
    GoalTask,
    MetGoal,
    Revision,
    UserMove,
    UserTask,
)
from sparring.model.talk import Act, Listen, Say, Turn, act_text
from sparring_plugins.language.candidates import date_spans, find_times
from sparring_plugins.language.number_words import spelled_numbers
from sparring_plugins.language.text import as_texts, contains, folded, plain
from sparring_plugins.language.typos import misspelt
from sparring_plugins.language.vocabulary import concepts, starts_with_cue
from sparring_plugins.users.agenda.moves.decision import Decision
from sparring_plugins.users.agenda.moves.next_move import Agenda
from sparring_plugins.users.agenda.profile.personal_details import personal_details
from sparring_plugins.users.agenda.replies.app_reply import is_no, is_yes, read_app_reply
from sparring_plugins.users.agenda.state.user_goals import Style, style_of_turn
from sparring_plugins.users.agenda.state.value_matching import mentions
from sparring_plugins.users.agenda.words.phrase_book import LANGUAGES, stop
from sparring_plugins.users.extraction.extractor import find_outputs
from sparring_plugins.users.personas.speech import PersonaSpeech, persona_speech
from sparring_plugins.users.personas.traits import Attack, RemarkKind

SHOUTED = 0.4
"""The share of messages that somebody who shouts writes in capitals."""

_EMOJI = ("\U0001f642", "\U0001f60a", "\U0001f44d", "\U0001f389")
_ANSWER = 3
"""Words of a bare yes or no at most, beside which a remark would blur what is meant."""
_GAPS = re.compile(r"\s+")
_SPACED = re.compile(r"(?<!\s)\s+([.,!?;:])")
"""The space that a polite word leaves before a mark once it is taken out."""
# A careless typist leaves marks out, but not the point in "3.5" or the colon in "10:30".
_MARKS = re.compile(r"(?<![.,!?;:])[.,!?;:]+(?=\s|$)|[¿¡]")
_CODE = re.compile(r"(?<!\S)\S*?[\d@/]\S*")
"""Words whose case may count: codes such as "BK-77", and addresses."""
_ENDS = re.compile(r"(?<![.!?])[.!?]+(?=\s|$)")


@dataclass(frozen=True, slots=True)
class Delivery:
    """Puts one message as a user of some style does.

    `careful` is a message that was not understood before: it is put without remarks, and spelt
    with more care. `offered` are the labels that the app offers, which are typed as they
    stand; an `exact` message is the value that a form asks for.
    """

    task: UserTask
    style: Style
    offered: Sequence[str] = ()
    careful: bool = False
    exact: bool = False

    def put(self, text: str) -> str:
        """The message as it is sent; never empty."""
        if self.style.plain or not text.strip() or self._exact(text):
            return text
        if self.exact:
            # a form stores whatever is typed: no remark may become a part of somebody's name
            draw = Random(f"{self.task.seed}/delivery/{self.style.turn}")
            typed = self._apply_typing(text, draw)
            return typed if folded(typed) else text
        draw = Random(f"{self.task.seed}/delivery/{self.style.turn}")
        said = text if self.careful else self._polite(text, draw)
        said = self._simple(said, draw)
        said = self._add_remarks(said, text, draw)
        said = self._apply_typing(self._add_slips(said, draw), draw)
        return said if folded(said) else text

    def _exact(self, text: str) -> bool:
        """Whether a message is a datum that has to be sent as it is: a number, a contact."""
        details = personal_details(self.task.seed, self.task.context, self.task.language)
        data = {folded(literal) for literal in (*details.values(), *self.offered)}
        # "KT-31" with a typing error would be another booking, and no test of the app
        return not any(char.isalpha() for char in text) or "@" in text or folded(text) in data

    def _polite(self, text: str, draw: Random) -> str:
        """Polite words left out, or put in if they are missing."""
        wanted = self.style.traits.politeness
        if wanted is None:
            return text
        speech = persona_speech(self.style.language)
        # "please" twice in a sentence is not more polite
        polite = any(contains(folded(text), folded(mark)) for mark in speech.marks)
        if draw.random() < wanted:
            return (
                text if polite else f"{stop(text)} {draw.choice(speech.kinds['courteous'].after)}"
            )
        return _without(text, speech) if polite else text

    def _simple(self, text: str, draw: Random) -> str:
        """Grammar of somebody who learns the language; values stay whole."""
        rate = self.style.traits.grammar
        if not rate or draw.random() >= rate:
            return text
        speech = persona_speech(self.style.language)
        # "I would like" becomes "I want" before the articles go
        for phrase, simpler in speech.simpler.items():
            text = text.replace(phrase, simpler)
        spared = self._find_fixed_places(text)
        kept = [
            word
            for word, start in _words(text)
            if word.lower() not in speech.articles or _inside(start, start + len(word), spared)
        ]
        return " ".join(kept) or text

    def _add_remarks(self, text: str, meant: str, draw: Random) -> str:
        """Remarks before or after; beside a bare yes or no, or before one, they would blur it."""
        short = len(folded(meant).split()) <= _ANSWER
        # "Yes, what lovely weather" may be read as a yes to anything
        if self.careful or (short and (is_yes(meant) or is_no(meant))):
            return text
        speech = persona_speech(self.style.language)
        opened = _agrees_or_declines(meant)
        for kind, share in self._asides():
            remarks = speech.kinds[kind]
            openings = self._in_place(remarks.before, speech)
            # one remark opens a message at most, and none stands before its yes or no
            before = draw.random() < 0.5 and not opened and bool(openings)
            chosen = draw.choice(self._unsaid(openings if before else remarks.after))
            if draw.random() < share and not self._names_value(chosen):
                text = f"{chosen} {text}" if before else f"{stop(text)} {chosen}"
                opened = opened or before
        return text

    def _in_place(self, remarks: Sequence[str], speech: PersonaSpeech) -> list[str]:
        """Remarks that may open a message: greetings only if nothing was said before."""
        if not self.style.turn:
            return list(remarks)
        greetings = tuple(folded(remark) for remark in speech.greetings)
        return [remark for remark in remarks if not folded(remark).startswith(greetings)]

    def _unsaid(self, remarks: Sequence[str]) -> Sequence[str]:
        """Those of some remarks that the user has not made yet; all of them if it has."""
        said = [folded(act_text(turn.act)) for turn in self.task.turns]
        fresh = [
            remark for remark in remarks if not any(contains(text, folded(remark)) for text in said)
        ]
        return fresh or remarks

    def _names_value(self, remark: str) -> bool:
        """Whether a remark has a word in it that says a value of the case's variables."""
        # "my dog is barking" must not name the pet that the case is about
        said, meant = folded(remark), concepts(remark)
        return any(mentions(said, value) or meant & concepts(value) for value in self._values())

    def _values(self) -> list[str]:
        """All values of the case, and those that it might have had."""
        task = self.task
        own = [text for value in task.inputs.values() for text in as_texts(value)]
        others = [
            text for many in task.domains.values() for v in many[:200] for text in as_texts(v)
        ]
        return list(dict.fromkeys((*own, *others)))

    def _asides(self) -> Iterator[tuple[RemarkKind, float]]:
        if self.style.length == "long":
            yield "wordy", 1.0
        yield from self.style.traits.asides.items()

    def _add_slips(self, text: str, draw: Random) -> str:
        traits = self.style.traits
        if not traits.typos:
            return text
        spared = [] if traits.typos_in_values else self._find_fixed_places(text)
        # somebody who was not understood types with more care
        rate = traits.typos / 2 if self.careful else traits.typos
        language = self.style.language
        return misspelt(text, rate, draw, language, lambda a, b: _inside(a, b, spared))

    def _apply_typing(self, text: str, draw: Random) -> str:
        """Capitals, punctuation, emoji."""
        traits = self.style.traits
        # all draws are made each turn, so that one trait does not shift the chance of another
        shouts = draw.random() < SHOUTED
        smiles, emoji = draw.random() < traits.emoji, draw.choice(_EMOJI)
        if traits.punctuation == "none":
            text = _MARKS.sub("", text)
        elif traits.punctuation == "heavy":
            text = _ENDS.sub(lambda mark: mark[0][0] * 3 if mark[0][0] != "." else "!!", text)
        if traits.capitals == "none":
            text = _change_case(text, str.lower)
        elif traits.capitals == "shouting" and shouts:
            text = _change_case(text, str.upper)
        return f"{text} {emoji}" if smiles else text

    def _find_fixed_places(self, text: str) -> list[tuple[int, int]]:
        """The places of what a case fixes: values, labels, numbers, dates and times."""
        task = self.task
        details = personal_details(task.seed, task.context, task.language).values()
        dates = [span.text for span in date_spans(text)]
        times = [span.text for span in find_times(text)]
        fixed = {
            literal
            for literal in (*self._values(), *details, *self.offered, *dates, *times)
            if literal
        }
        places = [
            match.span()
            for literal in sorted(fixed, key=len, reverse=True)
            if literal.casefold() in text.casefold()
            for match in re.finditer(rf"(?<!\w){re.escape(literal)}\w{{0,2}}(?!\w)", text, re.I)
        ]
        places += [
            (start, start + len(word))
            for word, start in _words(text)
            if any(char.isdigit() or char in "@/" for char in word)
        ]
        # "two" misspelt may be "too", and the app is right to misread it
        places += [(number.start, number.end) for number in spelled_numbers(text)]
        return places


def _agrees_or_declines(text: str) -> bool:
    """Whether a message begins with yes or no, which has to stay its beginning."""
    words = folded(text)
    return any(starts_with_cue(words, cue) for cue in ("positive", "negative"))


def _words(text: str) -> list[tuple[str, int]]:
    return [(match[0], match.start()) for match in re.finditer(r"\S+", text)]


def _inside(start: int, end: int, places: Sequence[tuple[int, int]]) -> bool:
    return any(first < end and start < last for first, last in places)


def _without(text: str, speech: PersonaSpeech) -> str:
    """A text without its polite words; the text itself if nothing else is left of it."""
    rest = text
    for mark in sorted(speech.marks, key=len, reverse=True):
        rest = re.sub(
            rf"[,;]?(?:(?<!\s)\s*)?(?<!\w){re.escape(mark)}(?!\w)(?:[^.!?,]{{0,300}}(?=[.!?]))?,?",
            " ",
            rest,
            flags=re.I,
        )
    rest = _SPACED.sub(r"\1", _GAPS.sub(" ", rest)).strip(" ,;:")
    # "Please, a cabin." leaves ", a cabin."
    rest = re.sub(r"^[.!?,;: ]+", "", rest)
    if not folded(rest):
        return text
    return rest[:1].upper() + rest[1:] if text[:1].isupper() else rest


def _change_case(text: str, change: Callable[[str], str]) -> str:
    """A text in other letters, but for codes and addresses, whose case may count."""
    codes = _CODE.findall(text)
    plain = _CODE.split(text)
    changed = [change(part) for part in plain]
    return "".join(part for pair in zip(changed, [*codes, ""], strict=True) for part in pair)


MOST_ATTACKS = 3
"""Attacks of one conversation at most, so that the goals are still pursued."""

FLOOD = 3_000
"""Characters of a very long message, at least."""


def is_attack(turn: Turn) -> bool:
    """Whether the user's act in a turn served no goal."""
    return isinstance(turn.act, Say) and turn.act.meant == ""


def attack(task: UserTask, style: Style) -> Say | None:
    """A message of an adversarial persona that serves no goal; None if there is none now.

    Never twice in a row, and never instead of an answer that only the user can give: the app would
    take the attack for the answer.
    """
    traits = style.traits
    attacks = [turn for turn in task.turns if is_attack(turn)]
    if not traits.attacks or len(attacks) >= MOST_ATTACKS or not _is_occasion(task.turns):
        return None
    draw = Random(f"{task.seed}/attack/{style.turn}")
    if draw.random() >= traits.attacks:
        return None
    start = Random(f"{task.seed}/attacks").randrange(len(traits.attack_kinds))
    # the kinds come in turn, so that three attacks are three kinds
    kind = traits.attack_kinds[(start + len(attacks)) % len(traits.attack_kinds)]
    return Say(text=_attack_text(kind, style.language, draw), meant="")


def _is_occasion(turns: Sequence[Turn]) -> bool:
    """Whether an attack now would not be taken for an answer, and comes after none."""
    spoken = [turn for turn in turns if not isinstance(turn.act, Listen)]
    if not spoken or is_attack(spoken[-1]):
        return False
    reply = read_app_reply(spoken[-1].observation)
    return not (reply.fallback or reply.empty or reply.asks("open", "confirm", "select"))


def _attack_text(kind: Attack, language: str, draw: Random) -> str:
    speech = persona_speech(language)
    match kind:
        case "injection":
            return draw.choice(speech.injections)
        case "contradiction":
            return draw.choice(speech.contradictions)
        case "flood":
            return (speech.flood * (FLOOD // len(speech.flood) + 1)).strip()
        case "nonsense":
            return " ".join(_letters(draw) for _ in range(draw.randint(3, 8)))


def _letters(draw: Random) -> str:
    return "".join(draw.choice("bcdfghjklmpqrstvwxz") for _ in range(draw.randint(3, 9)))


def without_attacks(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """The turns as the user remembers them: without attacks.

    If the app answered an attack with something else than that it did not understand, the user goes
    on from that answer.
    """
    kept: list[Turn] = []
    for turn in turns:
        if not is_attack(turn):
            kept.append(turn)
            continue
        reply = read_app_reply(turn.observation)
        # an app that asks "Which size?" after nonsense still waits for the size
        if kept and not reply.fallback and not reply.empty:
            kept[-1] = kept[-1].model_copy(update={"observation": turn.observation})
    return tuple(kept)


class AgendaUserConfig(PluginConfig):
    """Settings of the agenda-based user."""

    patience: int = Field(
        3, ge=1, description="How often a goal is brought up before the user gives it up."
    )
    farewell: bool = Field(True, description="Whether the user says goodbye before it leaves.")
    concede: bool = Field(
        False,
        description="Whether the user takes what the app offers for a value that it turns down;"
        " else it gives the goal up, so that rules on the case's inputs stay true.",
    )
    press: bool = Field(
        True, description="Whether the user presses offered choices; else it types their label."
    )


class AgendaUser(Agent[UserTask, UserMove, AgendaUserConfig]):
    """Role ``user``: pursues its goals with an agenda, deterministically (Schatzmann et al., 2007).

    It reads each answer for what it asks (to confirm, to choose, to give a value or a particular,
    yes or no, what else), answers from the case's values, and otherwise brings up its goals one by
    one; it says them in other words where it was not understood, gives them up after some tries,
    asks for declared outputs that it has not seen, and takes its leave. The same task always gives
    the same move. It speaks English, Spanish, French, German, Italian and Portuguese; in other
    languages the goals are said as written.
    How it puts things follows the interaction styles of the profile and the traits of its persona;
    what it means is kept beside what it says. Chance comes from the case's seed and the turn alone.
    """

    Config: ClassVar[type[PluginConfig]] = AgendaUserConfig
    role: ClassVar[str] = "user"
    plays_styles: ClassVar[bool] = True
    takes_back: ClassVar[bool] = True
    """Whether a goal that it leaves out of `goals_met` is not met any more."""
    languages: ClassVar[tuple[str, ...]] = LANGUAGES

    async def act(self, task: UserTask) -> UserMove:
        style = style_of_turn(task)
        agenda = self._agenda(task, style)
        message = attack(task, style)
        if message is not None:
            reason = "tries to throw the app off course"
            revised = _revisions(agenda.revised)
            return UserMove(act=message, goals_met=agenda.goals_met, reason=reason, revised=revised)
        decision = agenda.decide()
        return UserMove(
            act=_deliver(decision, task, style, agenda),
            goals_met=agenda.goals_met,
            reason=decision.reason,
            revised=_revisions({**agenda.revised, **decision.revised}),
        )

    def _agenda(self, task: UserTask, style: Style) -> Agenda:
        """The agenda of a user who has forgotten its attacks."""
        turns = without_attacks(task.turns)
        if len(turns) < len(task.turns) and is_attack(task.turns[-1]):
            task = task.model_copy(update={"situation": "normal" if turns else "start"})
        seen = task.model_copy(update={"turns": turns})
        return Agenda(
            seen,
            missing_outputs(seen),
            patience=style.traits.patience or self.config.patience,
            farewell=self.config.farewell,
            press=self.config.press and style.traits.presses,
            concede=self.config.concede,
            style=style,
            by_outputs=True,
        )


def _deliver(decision: Decision, task: UserTask, style: Style, agenda: Agenda) -> Act | None:
    """An act in the user's style; with what it means if it says it otherwise."""
    act = decision.act
    if not isinstance(act, Say):
        return act
    last = agenda.memory.last
    offered = () if last is None else last.options
    # what was not understood is said plainly the second time
    careful = task.situation in ("rephrase", "change_topic") or agenda.misunderstood
    text = Delivery(task, style, offered, careful, decision.exact).put(act.text)
    return act if text == act.text else Say(text=text, meant=act.text)


def _revisions(values: Mapping[str, JsonValue]) -> tuple[Revision, ...]:
    return tuple(Revision(variable=name, value=value) for name, value in values.items())


def missing_outputs(task: UserTask) -> list[str]:
    """The names of the outputs that the user has not seen yet."""
    if not task.outputs:
        return []
    task_so_far = ExtractTask(
        turns=task.turns,
        outputs=task.outputs,
        inputs=task.inputs,
        domains=task.domains,
        language=task.language,
        today=date(2000, 1, 3),  # any day will do: only whether there is a value counts
    )
    return [output.name for output in find_outputs(task_so_far) if output.value is None]


_QUOTED = 600
"""Characters of a reply that are quoted as what shows that a goal is met."""
# A judge of goals that is asked about a stored conversation is as patient as the user of a live
# one.
_PATIENCE = 3


class AgendaGoalChecker(Agent[GoalTask, GoalCheck, PluginConfig]):
    """Role ``goal_checker``: decides as the user `agenda` does for itself, whoever speaks.

    A goal that was brought up is met when the app then answers it with a value of the kind that is
    asked for, or says its values back and that it is done. What shows it is the whole answer of
    the first turn after which that holds.
    """

    role: ClassVar[str] = "goal_checker"

    async def act(self, task: GoalTask) -> GoalCheck:
        met = [goal for goal in _met(task, len(task.turns)) if goal not in task.goals_met]
        return GoalCheck(met=tuple(self._evidence(task, goal) for goal in met))

    def _evidence(self, task: GoalTask, goal: int) -> MetGoal:
        """A goal that is met, with the first reply after which it was."""
        # a goal that is met stays met, so that the first turn can be found by halving
        counts = range(1, len(task.turns) + 1)
        turn = bisect_left(counts, True, key=lambda count: goal in _met(task, count))
        turn = min(turn, len(task.turns) - 1)
        return MetGoal(goal=goal, quotation=_answer(task.turns[turn]), turn=turn)


def _met(task: GoalTask, count: int) -> tuple[int, ...]:
    """The goals that are met after so many turns; those that are met stay so."""
    seen = UserTask(
        goals=task.goals,
        inputs=task.inputs,
        domains=task.domains,
        outputs=task.outputs,
        fallbacks=task.fallbacks,
        language=task.language,
        turns=without_attacks(task.turns[:count]),
        seed=task.seed,
    )
    return Agenda(seen, (), patience=_PATIENCE, farewell=True).goals_met


def _answer(turn: Turn) -> str:
    text = plain(turn.observation.text) if turn.observation else ""
    return " ".join(text.split())[:_QUOTED]
