"""Answers to the app's questions."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from sparring.interfaces.roles import UserTask
from sparring.model.talk import Choice
from sparring_plugins.agents.agenda.agreement import contradicted, stated
from sparring_plugins.agents.agenda.frames import frames
from sparring_plugins.agents.agenda.memory import Memory
from sparring_plugins.agents.agenda.persona import asked_for, particulars
from sparring_plugins.agents.agenda.reading import Question, Reading, is_no, is_yes
from sparring_plugins.agents.agenda.slots import Slot, asked_slots
from sparring_plugins.agents.agenda.values import best_option, likeness, mentions
from sparring_plugins.agents.agenda.wants import Want
from sparring_plugins.agents.agenda.wording import filled, joined, said
from sparring_plugins.agents.patterns.plain_text import contains, folded
from sparring_plugins.agents.patterns.stemming import concepts, overlap
from sparring_plugins.agents.patterns.vocabulary import has_cue

NextWords = Callable[[], str | None]
"""What the user would bring up next, in words; None where nothing is left."""

_CORRECTIONS = 2
_FURTHER = ("other", "another", "more", "extra", "extras", "additional", "else", "add", "otro",
            "otra", "mas", "anadir", "also", "upgrade")  # fmt: skip
_ALL = ("is that all", "will that be all", "would that be all", "be everything", "eso es todo",
        "is that everything")  # fmt: skip
_GENERIC = frozenset({"~order", "~help", "~service", "~type", "~number", "~time", "~name", "add",
                      "choose", "select", "other", "pleas", "continu"})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer to one question: a text, or a choice to press."""

    text: str
    reason: str
    press: Choice | None = None


class Answerer:
    """Answers questions from the user's values, goals and particulars."""

    def __init__(
        self, task: UserTask, goals: Sequence[Want], slots: Sequence[Slot], memory: Memory
    ) -> None:
        self.task = task
        self.goals = goals
        self.slots = slots
        self.memory = memory
        self.times = memory.times_asked()

    def replies(self, next_words: NextWords) -> list[Reply]:
        """Replies to all questions of the last answer."""
        last = self.memory.last
        return self._all(last, next_words) if last is not None else []

    def again(self, reading: Reading, next_words: NextWords) -> list[Reply]:
        """Replies to an earlier answer's questions, put otherwise than before."""
        self.times = max(1, sum(one.fallback or one.empty for one in self.memory.readings[-4:]))
        return self._all(reading, next_words)

    def _all(self, reading: Reading, next_words: NextWords) -> list[Reply]:
        asked = reading.questions
        if len(asked) > 1:
            asked = tuple(q for q in asked if q.kind not in ("more", "smalltalk")) or asked[-1:]
        found = [self._reply(question, reading, next_words) for question in asked]
        kept = [reply for reply in found if reply is not None]
        stated_already = [
            r for r in kept if not any(r is not o and r.text and r.text in o.text for o in kept)
        ]
        return stated_already or kept[:1]

    def _reply(self, question: Question, reading: Reading, next_words: NextWords) -> Reply | None:
        match question.kind:
            case "more":
                return self._more(question, reading, next_words)
            case "helped":
                return self._helped(reading, next_words)
            case "smalltalk":
                words = next_words() or ""
                return Reply(f"{self._say('smalltalk')} {words}".strip(), "small talk")
            case "confirm":
                return self._confirm(question, reading, next_words)
            case "offer" | "fact":
                return self._offer(question, reading, next_words)
            case "select":
                return self._select(question, reading, next_words)
            case "open":
                return self._open(question, reading, next_words)

    def _more(self, question: Question, reading: Reading, next_words: NextWords) -> Reply:
        words = next_words()
        if words is None:
            declined = self._press(reading, is_no)
            return declined or Reply(self._say("thats_all"), "wants nothing more")
        if question.options and reading.choices:
            index = self._option_for_want(question.options, words)
            if index is not None:
                return self._chosen(question, reading, index, "fits the goal")
        return Reply(words, "brings up what is next")

    def _helped(self, reading: Reading, next_words: NextWords) -> Reply:
        active = self.memory.active
        fine = active is None or active.key in self.memory.met
        words = next_words() or ""
        pressed = self._press(reading, is_yes if fine else is_no)
        answer = self._say("yes" if fine else "no")
        return pressed or Reply(f"{_stop(answer)} {words}".strip(), "says whether it helped")

    def _confirm(self, question: Question, reading: Reading, next_words: NextWords) -> Reply:
        words = question.words
        if any(contains(words, cue) for cue in _ALL):
            more = next_words()
            if more is not None:
                return Reply(f"{_stop(self._say('no'))} {more}", "wants more")
        mentioned = {
            name for want in self.goals if self.memory.mentioned(want) for name, _ in want.values
        }
        wrong = contradicted(stated(reading), [s for s in self.slots if s.name in mentioned])
        if wrong and self._corrections() < _CORRECTIONS:
            return self._correct(wrong, reading)
        if has_cue(words, "no_thanks") and not self._about_goal(words):
            return self._yes_no(reading, False, "declines")
        if wrong:
            return (
                Reply(self._say("accept"), "gives in")
                if not reading.choices
                else self._yes_no(reading, True, "gives in")
            )
        return self._yes_no(reading, True, "confirms")

    def _correct(self, wrong: Sequence[Slot], reading: Reading) -> Reply:
        pressed = self._press(reading, is_no)
        if pressed is not None:
            return pressed
        names = {slot.name for slot in wrong}
        want = next((w for w in self.goals if names & {name for name, _ in w.values}), None)
        words = want.words if want else joined(list(wrong[0].values), self.task.language)
        frame = frames(self.task.language).correction[min(self._corrections(), 1)]
        if want is not None and want.frame not in ("request",):
            words = joined([value for slot in wrong for value in slot.values], self.task.language)
        return Reply(filled(frame, words), "corrects what was understood")

    def _corrections(self) -> int:
        starts = [folded(one.split("{x}")[0]) for one in frames(self.task.language).correction]
        return sum(any(act.startswith(start) for start in starts) for act in self.memory.acts)

    def _offer(self, question: Question, reading: Reading, next_words: NextWords) -> Reply:
        words = question.words
        for slot in self.slots:
            if any(mentions(words, value) for value in slot.values):
                return self._yes_no(reading, True, "is what it wants")
            if any(mentions(words, value) for value in slot.domain):
                value = joined(list(slot.values), self.task.language)
                pressed = self._press(reading, is_no)
                return pressed or Reply(f"{_stop(self._say('no'))} {value}", "wants another value")
        if has_cue(words, "no_thanks") and not self._about_goal(words):
            return self._yes_no(reading, False, "declines")
        want = self._want_in(words)
        if want is not None and not self.memory.mentioned(want):
            pressed = self._press(reading, is_yes)
            text = next((w for w in [next_words()] if w), want.words)
            return pressed or Reply(f"{_stop(self._say('yes'))} {text}", "takes the offer up")
        further = any(contains(words, cue) for cue in _FURTHER)
        if want is not None and want.key not in self.memory.met and not further:
            asked = asked_slots(words, self.slots)
            value = self._values(asked) if asked and question.kind == "offer" else ""
            answer = f"{_stop(self._say('yes'))} {value}".strip() if value else self._say("yes")
            return self._press(reading, is_yes) or Reply(answer, "agrees")
        if question.kind == "fact" and self._true_of_user(words):
            return self._yes_no(reading, True, "is true of the user")
        more = next_words()
        if more is not None and not further and question.kind == "offer":
            return self._press(reading, is_no) or Reply(
                f"{_stop(self._say('no'))} {more}", "wants something else"
            )
        return self._yes_no(reading, False, "declines")

    def _select(self, question: Question, reading: Reading, next_words: NextWords) -> Reply:
        options = question.options
        asked = asked_slots(question.words, self.slots) if question.text else []
        chosen = self._by_value(question, asked) or self._by_value(question, self.slots)
        if chosen:
            if reading.choices:
                fresh = [i for i in chosen if not self.memory.said(options[i])] or chosen
                return self._chosen(question, reading, fresh[0], "is the user's value")
            if asked and not question.numbered:
                return self._open(question, reading, next_words) or self._number(
                    question, chosen[0]
                )
            if question.numbered and has_cue(reading.words, "number_reply"):
                return self._number(question, chosen[0])
            return Reply(
                joined([options[i] for i in chosen], self.task.language), "chooses its value"
            )
        if asked and not self.times:
            return self._open(question, reading, next_words) or self._any(question, reading)
        more = next_words()
        index = self._option_for_want(options, more) if more else None
        if index is not None:
            return self._chosen(question, reading, index, "fits the goal")
        details = asked_for(question.words)
        if more is not None and not details and not self.times and not self._form_like(question):
            return Reply(more, "brings up what is next")
        return self._any(question, reading)

    def _form_like(self, question: Question) -> bool:
        """Whether the app is in the middle of collecting data for an open service."""
        return any(
            not want.asks and self.memory.mentioned(want) for want in self.memory.open_wants()
        ) and bool(question.text)

    def _by_value(self, question: Question, slots: Sequence[Slot]) -> list[int]:
        for slot in slots:
            found = [best_option(question.options, value) for value in slot.values]
            chosen = [index for index in found if index is not None]
            if chosen:
                return list(dict.fromkeys(chosen))
        return []

    def _option_for_want(self, options: Sequence[str], words: str) -> int | None:
        """The option that names what the user brings up next."""
        meant = concepts(words)
        scored = [
            (max(overlap(concepts(option), meant), likeness(option, words) - 0.2), -index)
            for index, option in enumerate(options)
            if not is_no(option)
        ]
        score, index = max(scored, default=(0.0, 0))
        return -index if score >= 0.5 else None

    def _any(self, question: Question, reading: Reading) -> Reply:
        """Some sensible option: none that declines or leads away, another each time."""
        sensible = [i for i, option in enumerate(question.options) if not is_no(option)]
        pool = sensible or list(range(len(question.options)))
        start = Random(f"{self.task.seed} {question.words}").randrange(len(pool))
        index = pool[(start + self.times) % len(pool)]
        return self._chosen(question, reading, index, "has no preference")

    def _chosen(self, question: Question, reading: Reading, index: int, reason: str) -> Reply:
        if reading.choices and index < len(reading.choices):
            return Reply("", reason, reading.choices[index])
        if question.numbered and (has_cue(reading.words, "number_reply") or self.times):
            return self._number(question, index)
        return Reply(question.options[index], reason)

    def _number(self, question: Question, index: int) -> Reply:
        return Reply(str(index + 1), f"chooses {question.options[index][:40]!r} by its number")

    def _open(self, question: Question, reading: Reading, next_words: NextWords) -> Reply | None:
        words = question.words
        asked = asked_slots(words, self.slots)
        details = asked_for(words)
        named = [slot for slot in asked if slot.own & concepts(words)]
        personal = [kind for kind in details if kind not in ("how_many", "time", "date", "why")]
        if asked and (named or not personal):
            return self._value_reply(asked)
        if personal or (details and self._form_like(question)):
            return self._detail_reply(personal or details)
        more = next_words()
        if more is not None and not self._form_like(question):
            return Reply(more, "brings up what is next")
        if details:
            return self._detail_reply(details)
        active = self.memory.active
        if active is not None and active.texts and not self.memory.said(active.words):
            return Reply(active.words, "says what it wants")
        kinds = ("indifferent", "unknown")
        return Reply(self._say(kinds[self.times % 2], self.times), "has nothing to say to it")

    def _value_reply(self, asked: Sequence[Slot]) -> Reply:
        """The values asked for: bare at first, then in a sentence, then the whole goal."""
        value = self._values(asked)
        ways = [filled(frame, value) for frame in frames(self.task.language).value]
        ways[0] = value
        names = {slot.name for slot in asked}
        ways += [want.words for want in self.goals if names & {name for name, _ in want.values}]
        return Reply(ways[min(self.times, len(ways) - 1)], f"gives {', '.join(sorted(names))}")

    def _values(self, asked: Sequence[Slot]) -> str:
        """The values of slots: in the words of the goal that has them all, if there is one."""
        if len(asked) > 1:
            names = {slot.name for slot in asked}
            for want in self.goals:
                if names <= {name for name, _ in want.values} and want.frame == "request":
                    return want.words
        language = self.task.language
        return ", ".join(joined(list(slot.values), language) for slot in asked)

    def _detail_reply(self, kinds: Sequence[str]) -> Reply:
        known = particulars(self.task.seed, self.task.context, self.task.language)
        return Reply(", ".join(known[kind] for kind in kinds[:4]), f"gives {', '.join(kinds[:4])}")

    def _want_in(self, words: str) -> Want | None:
        """The goal that a folded question is about."""
        asked = concepts(words) - _GENERIC
        scored: list[tuple[float, int]] = []
        for index, want in enumerate(self.goals):
            names = frozenset(
                one for slot in self.slots if slot.name in dict(want.values) for one in slot.own
            )
            common = asked & (want.concepts | names)
            scored.append((len(common) / max(1, len(asked)), -index))
        score, index = max(scored, default=(0.0, 0))
        return self.goals[-index] if score >= 0.34 else None

    def _about_goal(self, words: str) -> bool:
        return any(
            has_cue(folded(want.words), "no_thanks") and concepts(words) & want.concepts
            for want in self.goals
        )

    def _true_of_user(self, words: str) -> bool:
        """Whether the context says of the user what a question asks: "you are vegan"."""
        asked = concepts(words)
        return any(
            asked and overlap(asked, concepts(sentence)) >= 0.99
            for sentence in self.task.context
            if not has_cue(folded(sentence), "deny")
        )

    def _yes_no(self, reading: Reading, agree: bool, reason: str) -> Reply:
        pressed = self._press(reading, is_yes if agree else is_no)
        return pressed or Reply(self._say("yes" if agree else "no"), reason)

    def _press(self, reading: Reading, fits: Callable[[str], bool]) -> Reply | None:
        found = next((one for one in reading.choices if fits(one.label[:200])), None)
        return Reply("", f"presses {found.label[:40]!r}", found) if found else None

    def _say(self, what: str, turn: int = 0) -> str:
        return said(self.task.language, what, self.task.seed, turn)


def _stop(text: str) -> str:
    """A short answer as a sentence, so that another can follow it."""
    return text if text[-1:] in ".!?" else f"{text}."
