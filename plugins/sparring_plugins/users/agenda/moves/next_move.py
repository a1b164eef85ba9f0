"""The user's next move: what to answer, what to bring up, when to leave."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

from pydantic import JsonValue

from sparring.interfaces.roles import UserTask
from sparring.model.talk import Choice, Press, Say
from sparring_plugins.language.similarity import Fallbacks
from sparring_plugins.language.text import folded
from sparring_plugins.users.agenda.answers.answers import answer_form, answer_questions
from sparring_plugins.users.agenda.choosing.choices import Chooser
from sparring_plugins.users.agenda.choosing.menu_ranking import distinct_option
from sparring_plugins.users.agenda.choosing.open_questions import NOTHING_TO_SAY
from sparring_plugins.users.agenda.choosing.option_wishes import intents_of
from sparring_plugins.users.agenda.choosing.second_choices import fallback_answer
from sparring_plugins.users.agenda.moves.attempts import (
    LIKELY,
    UNBACKED,
    backed_attempt,
    other_way,
    vary,
    word_to_leave,
)
from sparring_plugins.users.agenda.moves.decision import Decision
from sparring_plugins.users.agenda.moves.menu_navigation import MenuNavigator
from sparring_plugins.users.agenda.moves.next_goals import (
    OUTPUT_TRIES,
    asked_in_vain,
    asks_beside_menu,
    begins_anew,
    closing_entry,
    entry_chosen,
    entry_for_questions,
    entry_for_what_is_left,
    gave_data,
    is_back_at_menu,
    is_dead_end,
    is_definite,
    is_served,
    is_served_at_menu,
    main_goals,
    menu_unanswered,
    sayable_goals,
    service_named,
    takes_numbers_only,
    values_for_later,
    wants_numbers,
    was_misled,
)
from sparring_plugins.users.agenda.profile.slots import Slot, slots_of
from sparring_plugins.users.agenda.replies.app_reply import AppReply
from sparring_plugins.users.agenda.settlement.goal_settlement import (
    FALLBACK_SIMILARITY,
    remember,
    settle_by_outputs,
)
from sparring_plugins.users.agenda.state.dialogue_state import Answer, DialogueState, joined_texts
from sparring_plugins.users.agenda.state.memory import Memory, goes_in_circles, said_too_often
from sparring_plugins.users.agenda.state.open_form import (
    OpenForm,
    implied_form,
    is_misled,
    is_restarted,
    offers_still,
    open_form,
    says_nothing_new,
)
from sparring_plugins.users.agenda.state.user_goals import (
    Style,
    UserGoal,
    default_style,
    output_goals,
    phrasings,
    revises_value,
    said,
    user_goals_of,
)
from sparring_plugins.users.agenda.state.value_changes import (
    accepted_change,
    alternatives,
    asks_again_for,
    conceded_values,
    in_shape_of,
    is_turned_down,
    next_change,
    possible_changes,
    with_values,
)
from sparring_plugins.users.agenda.state.value_matching import mentions
from sparring_plugins.users.agenda.words.phrase_book import LONGEST, is_goodbye, phrases, stop

FORM_TRIES = 5
"""Answers to one question of a form before the user gives the form up."""

GUESSES = ("has no preference", NOTHING_TO_SAY, "gives a number", "gives a reason")
"""Reasons of answers that nothing in the profile backs."""

_FIRST_GUESSES = (*GUESSES, "gives the number of its party")


class Agenda:
    """The user at one point of a conversation: what is open, and what to do next."""

    def __init__(
        self,
        task: UserTask,
        missing: Sequence[str],
        *,
        patience: int,
        farewell: bool,
        press: bool = True,
        concede: bool = False,
        style: Style | None = None,
        by_outputs: bool = False,
    ) -> None:
        self.style = style or default_style(task)
        self.farewell = farewell
        self.press = press
        self.concede = concede
        self._patience = patience
        self._fallbacks = Fallbacks(task.fallbacks, FALLBACK_SIMILARITY)
        self._own_inputs = task.inputs
        self._look_back(task)
        self._changes = possible_changes(task, self.slots) if self.style.rethinks else []
        self.revised: dict[str, JsonValue] = {}
        if self._changes:
            self.revised |= accepted_change(self._changes, self.memory, self._fallbacks)
        if concede:
            self.revised |= conceded_values(self.memory, self.slots)
        if self.revised:
            self._look_back(with_values(task, self.revised))
            self.revised = {name: self.task.inputs[name] for name in self.revised}
        self.missing = [goal for goal in self.outputs if goal.key.partition(" ")[2] in missing]
        if by_outputs:
            settle_by_outputs(self.memory, len(self.outputs), missing)

    def _look_back(self, task: UserTask) -> None:
        """Make goals, slots and memory from a task."""
        self.task = task
        self.goals = user_goals_of(task)
        self.outputs = output_goals(task.outputs, task.language)
        self.slots = slots_of(task)
        self.memory: Memory = remember(
            task, [*self.goals, *self.outputs], self.slots, self._patience
        )
        later = values_for_later(self.goals, self.memory)
        self.slots = [slot for slot in self.slots if slot.name not in later]

    @property
    def goals_met(self) -> tuple[int, ...]:
        """The indexes of the goals that are met."""
        return tuple(index for index, goal in enumerate(self.goals) if goal.key in self.memory.met)

    def decide(self) -> Decision:
        """The next move: the first of these that applies, in this order."""
        memory = self.memory
        if any(is_goodbye(act) for act in memory.acts):
            return Decision(None, "took leave before")
        if memory.last is None:
            return self._bring_up("begins") or Decision(None, "has no goals")
        return (
            self._change_value(memory.last)
            or self._go_another_way(memory.last)
            or self._go_on_with_form(backed=True)
            # of a bot that understands only buttons, menus are looked through before answers
            or (self._navigate_menu(memory.last) if memory.last.choices else None)
            or self._go_on_with_form()
            or self._navigate_menu(memory.last)
            or self._turn_away()
            or self._answer_last(memory.last)
            or self._bring_up("goes on")
            or self._leave()
        )

    def _go_another_way(self, last: AppReply) -> Decision | None:
        """Leave what was misunderstood, or ask where questions are asked, or None."""
        number = self._navigate_menu(last) if wants_numbers(last) else None
        return self._leave_dead_end() or self._ask_under_entry(last) or number

    def _leave_dead_end(self) -> Decision | None:
        """Leave what the app took two goals in a row for; None if it understood one."""
        word = phrases(self.style.language).stop_it[0]
        if not is_dead_end(self.memory) or self.memory.acts[-1] == folded(word):
            return None
        return Decision(Say(text=word), "leaves what it did not ask for", exact=True)

    def _ask_under_entry(self, last: AppReply) -> Decision | None:
        """Press "Ask a question" if a question is next; None if there is no such entry."""
        place = entry_for_questions(last)
        if place is None or open_form(self.memory.replies) is not None:
            return None
        goal, label = self._next(), folded(last.menu[place])
        if goal is None or not goal.asks:
            return None
        if self.memory.acts[-1] == label:
            return self._bring_up("asks its question")
        return self._give([Answer("", "asks where questions are asked", last.choices[place])])

    def _change_value(self, last: AppReply) -> Decision | None:
        """Say another value than before: one that is offered, the second choice, a new wish."""
        return self._yield_value(last) or self._take_fallback(last) or self._change_mind()

    def _take_fallback(self, last: AppReply) -> Decision | None:
        """Take what the profile wants in a case that the app says has come, or None."""
        if len(self.memory.replies) < 2 or last.asks("confirm"):
            return None  # the app has answered nothing yet, or only asks whether all is right
        answer = fallback_answer(self._state(0), last)
        return self._give([answer]) if answer is not None else None

    def _go_on_with_form(self, *, backed: bool = False) -> Decision | None:
        """Answer the open question of a form, or leave one that nobody wants; None without one.

        If only `backed` answers are wanted, nothing is done that the profile does not back.
        """
        form = open_form(self.memory.replies)
        if form is None:
            return None
        if backed:
            return self._answer_backed(form)
        if is_restarted(self.memory, form):
            return self._insist() if self._asks_own() else self._leave()
        state = self._state(form.times, form)
        answers = self._form_answers if form.times <= FORM_TRIES else []
        reasons = [answer.reason for answer in answers]
        if is_misled(self.memory, form, reasons, GUESSES):
            return self._insist()
        if says_nothing_new(self.memory, form, reasons, _FIRST_GUESSES):
            return self._bring_up("does not guess before it has said what it wants")
        varied = vary(state, form, answers)
        return self._give(varied) if varied else self._leave_form(state, form)

    def _answer_backed(self, form: OpenForm) -> Decision | None:
        """Answer a question with buttons in the middle of a form if the profile backs it."""
        if (
            not form.reply.choices
            or form.times
            or form.reply.fallback
            or not gave_data(self.memory, self._is_misunderstood)
        ):
            return None
        answers = self._form_answers
        unbacked = any(answer.reason.startswith((*UNBACKED, *LIKELY)) for answer in answers)
        return self._give(answers) if answers and not unbacked else None

    @cached_property
    def _form_answers(self) -> list[Answer]:
        """The answers to the open form, if any; two moves look at them."""
        form = open_form(self.memory.replies)
        return answer_form(self._state(form.times, form), form) if form is not None else []

    def _leave_form(self, state: DialogueState, form: OpenForm) -> Decision | None:
        """Go back from a form whose question nothing answers; None if the user has tried that."""
        word = word_to_leave(state, form)
        if word is None:
            return None
        return Decision(Say(text=word), "leaves a form that it cannot answer", exact=True)

    def _asks_own(self) -> bool:
        """Whether the user has just asked a question of its goals that nothing has answered."""
        active = self.memory.active
        if active is None or not active.asks or active.is_output:
            return False
        return active.key not in self.memory.met and self.memory.topics[-1] == active.key

    def _insist(self) -> Decision:
        """Ask the question again within a form that it led to by mistake, then leave the form."""
        active = self.memory.active
        words = self._phrase(active) if active is not None else None
        word = phrases(self.style.language).stop_it[0]
        if self.memory.said(word) or words is None:
            return self._bring_up("leaves a form", but=active) or self._leave()
        tries = self.memory.tries[active.key] if active is not None else 0
        if tries < 2:
            return Decision(Say(text=words), "asks again what it wants to know")
        return Decision(Say(text=word), "leaves a form that it did not want", exact=True)

    def _turn_away(self) -> Decision | None:
        """Change the topic, rephrase or leave; None if the last reply is to be answered."""
        if self.task.situation == "change_topic":
            return self._change_topic()
        if self.misunderstood:
            return self._rephrase()
        return self._leave() if self._is_finished() else None

    def _answer_last(self, last: AppReply) -> Decision | None:
        """Answer the questions of the last reply; None if there is nothing to say to them."""
        offered = offers_still(self.memory)
        if offered is not None:
            return self._give(self._answers_to(offered, 1))
        if is_served_at_menu(self.memory):
            return self._ask_what_is_left() or self._end_at_menu(last)
        form = implied_form(self.memory)
        attempt = backed_attempt(self._state(form.times, form), form) if form is not None else None
        if attempt is not None:
            return self._give([attempt])
        answers = self._answers_to(last, self.memory.times_asked())
        return self._give(answers) if answers else None

    # --- Leaving

    def _is_finished(self) -> bool:
        """Whether all is settled: goals, outputs, and what the app still asks for the service."""
        if self._next() is not None:
            return False
        last = self.memory.last
        services = any(not goal.asks for goal in self.goals)
        if last is None or not last.questions or not services:
            return True
        if last.asks("more"):
            return False
        done = any(reply.done for reply in self.memory.replies)
        return (done and not self.missing) or self.memory.times_asked() >= 2

    def _ask_what_is_left(self) -> Decision | None:
        """Ask what is left, or choose the entry for it in a menu of numbers; None if none is."""
        if not takes_numbers_only(self.memory):
            return self._bring_up("asks what is left")
        entry = entry_for_what_is_left(self.memory, (*self.task.context, self.task.role))
        return self._give([entry]) if entry is not None else None

    def _end_at_menu(self, last: AppReply) -> Decision:
        """Choose what ends the conversation, if the menu has that; else say goodbye."""
        place = closing_entry(last.menu)
        if place is None:
            return self._leave()
        chooser = Chooser(self._state(0), last.questions[-1], last)
        return self._give([chooser.take(place, "wants nothing more")])

    def _leave(self) -> Decision:
        """Say goodbye, unless the app just did."""
        if not self.farewell or (self.memory.last is not None and self.memory.last.farewell):
            return Decision(None, "has nothing left to say")
        return Decision(Say(text=said(self.style, "goodbye", self.task.seed)), "takes leave")

    def _call_out(self) -> Decision:
        """Try whether anybody is there, and leave if nothing helps."""
        last = self.memory.last
        if last is not None and last.empty:
            for words in phrases(self.style.language).listen:
                if not self.memory.said(words):
                    return Decision(Say(text=words), "calls out")
        return self._leave()

    # --- Values that change

    def _change_mind(self) -> Decision | None:
        """Change one value of the user's, once and at its time; None if none is to change now."""
        if not self._changes:
            return None
        change = next_change(self._changes, self.memory, self.goals, self.task.seed)
        led_elsewhere = self.task.situation == "change_topic" or self.misunderstood
        if change is None or self.revised or led_elsewhere:
            return None
        ways = change.ways(self.style.language)
        words = next((way for way in ways if not self.memory.said(way)), ways[-1])
        name = change.slot.name
        return Decision(Say(text=words), f"changes its mind about {name}", {name: change.value})

    def _yield_value(self, last: AppReply) -> Decision | None:
        """Take what the app offers in place of a value that it keeps turning down, or give up."""
        if self._fallbacks.match(last.text):
            return None
        asks_again = last.questions and any(asks_again_for(last, slot) for slot in self.slots)
        if not (last.turns_down or asks_again):
            return None
        for slot in self.slots:
            if not is_turned_down(self.memory, slot):
                continue
            conceded = self._concede(last, slot) if self.concede else None
            if conceded is not None:
                return conceded
            if any(mentions(self.memory.acts[-1], value) for value in slot.values):
                return self._give_up(slot)
        return None

    def _concede(self, last: AppReply, slot: Slot) -> Decision | None:
        """Take an alternative that was not said yet; None if the app offers none."""
        offered = (text for text in alternatives(last, slot) if not self.memory.said(text))
        text = next(offered, None)
        if text is None:
            return None
        pressed = next((choice for choice in last.choices if choice.label == text), None)
        decision = self._give([Answer(text, f"gives way on {slot.name}", pressed)])
        value = in_shape_of(self._own_inputs.get(slot.name), text)
        return replace(decision, revised={slot.name: value})

    def _give_up(self, slot: Slot) -> Decision:
        """Close the goals that need a value, and go on with others."""
        for goal in self.goals:
            if slot.name in dict(goal.values) and goal.key not in self.memory.met:
                self.memory.closed.add(goal.key)
        return self._bring_up(f"gives {slot.name} up") or self._leave()

    # --- Menus

    def _navigate_menu(self, last: AppReply) -> Decision | None:
        """Look through the app's menus, if it understands nothing that is typed."""
        if not last.menu or last.asks("confirm", "offer", "fact", "helped"):
            return None
        if asks_beside_menu(last, self.slots):
            return None
        background = (*self.task.context, self.task.role)
        navigator = MenuNavigator(self.memory, self._is_misunderstood, background)
        open_goals = main_goals(self.memory.open_goals())
        # a missing output opens no form, and none is looked for before a service is asked for
        services = any(not goal.asks for goal in open_goals)
        outputs = [
            output
            for output in ([] if services else self._outputs_to_ask())
            if open_goals or distinct_option(last.menu, output.words) is not None
        ]
        index = navigator.press([*open_goals, *outputs])
        if index is None:
            return None
        return self._give([entry_chosen(last, index)])

    # --- Bringing goals up

    def _bring_up(self, reason: str, *, but: UserGoal | None = None) -> Decision | None:
        goal = self._next(but=but)
        words = self._phrase(goal) if goal else None
        if goal is None or words is None:
            return None
        return Decision(Say(text=self._with_other_goals(goal, words)), f"{reason}: {goal.key}")

    def _next_words(self, *, only_goals: bool = False) -> str | None:
        """What the user brings up next, in words; None if nothing is left."""
        goal = self._next(only_goals=only_goals)
        words = self._phrase(goal) if goal else None
        return self._with_other_goals(goal, words) if goal and words else None

    def _next(self, *, but: UserGoal | None = None, only_goals: bool = False) -> UserGoal | None:
        """The next goal: in order, those never spoken of first, then missing outputs."""
        open_goals = [goal for goal in sayable_goals(self.memory) if goal is not but]
        fresh = [goal for goal in open_goals if not self.memory.mentioned(goal)]
        outputs = [
            goal
            for goal in ([] if only_goals else self._outputs_to_ask())
            if goal is not but and not asked_in_vain(goal, self.goals, self.memory)
        ]
        candidates = (*fresh, *open_goals, *outputs)
        return next((goal for goal in candidates if self._phrase(goal) is not None), None)

    def _outputs_to_ask(self) -> list[UserGoal]:
        """The declared outputs that the user has not seen, as long as it asks for them."""
        return [goal for goal in self.missing if self.memory.tries[goal.key] < OUTPUT_TRIES]

    def _phrase(self, goal: UserGoal) -> str | None:
        """The first way to say a goal that was not used yet; None if all were."""
        ways = phrasings(goal, self.task.seed, self.style)
        if not goal.asks and was_misled(self.memory, goal):
            named = service_named(goal, self.memory.replies[:1])
            ways = [named, *ways] if named is not None else ways
        return next((way for way in ways if not self.memory.said(way)), None)

    def _with_other_goals(self, first: UserGoal, words: str) -> str:
        """A goal in words; in the style "all questions" with all that were never brought up."""
        if not self.style.everything:
            return words if any(self.memory.acts) else self._state(0).with_reference(words)
        others = [
            self._phrase(goal)
            for goal in self.memory.open_goals()
            if goal is not first and not self.memory.mentioned(goal) and not revises_value(goal)
        ]
        sentences = [words, *(other for other in others if other)]
        if len(sentences) == 1:
            return words
        return " ".join(stop(sentence) for sentence in sentences)[:LONGEST]

    def _change_topic(self) -> Decision:
        """Give up the active goal and go on with another."""
        active = self.memory.active
        if active is not None and active.key not in self.memory.met:
            self.memory.closed.add(active.key)
        last = self.memory.last
        if last is not None and last.choices:
            return self._give(self._answers_to(last, self.memory.times_asked()))
        return self._bring_up("changes the topic", but=active) or self._call_out()

    # --- After a misunderstanding

    @property
    def misunderstood(self) -> bool:
        """Whether the last reply shows that the user was not understood."""
        last = self.memory.last
        if last is None or not self.memory.acts[-1]:
            return False
        # Told to rephrase without a fallback: the app asked its question again, word by word.
        repeats = self.task.situation == "rephrase" and not last.questions
        return self._is_misunderstood(last) or repeats

    def _is_misunderstood(self, reply: AppReply) -> bool:
        """Whether a reply shows that the user was not understood."""
        return reply.fallback or reply.empty or self._fallbacks.match(reply.text)

    def _rephrase(self) -> Decision:
        """Say the last thing in other words, or answer the last question otherwise."""
        memory, last = self.memory, self.memory.last
        # whoever only asks something once all is done opens no form of another service
        asks_on = memory.active is not None and memory.active.asks and is_served(memory)
        passed_over = asks_on or is_back_at_menu(memory)
        if last is not None and self._is_answerable(last) and not passed_over:
            return self._give(self._answers_to(last, max(1, memory.times_asked())))
        if memory.topics[-1] is None:
            decision = self._answer_earlier()
            if decision is not None:
                return decision
        menu = menu_unanswered(self.memory.replies, self._is_misunderstood)
        if menu is not None:
            return self._give(self._answers_to(menu, 1))
        active = memory.active
        words = self._other_words(active) if active is not None else None
        if active is not None and words is not None:
            return Decision(Say(text=words), f"rephrases {active.key}")
        return self._bring_up("was not understood", but=active) or self._call_out()

    def _other_words(self, goal: UserGoal) -> str | None:
        """Other words for an open goal: the app's own name of the service goes first."""
        memory = self.memory
        if goal.key in memory.closed | memory.met:
            return None
        named = service_named(goal, [memory.last] if memory.last is not None else [])
        # "rent a canoe" does not ask what the deposit is
        named = None if named and goal.asks and intents_of(named) else named
        return named if named and not memory.said(named) else self._phrase(goal)

    def _answer_earlier(self) -> Decision | None:
        """Answer otherwise what the app asked before it did not understand; None if nothing."""
        replies = self.memory.replies
        asking = (
            reply for reply in reversed(replies[:-1]) if reply.questions and not reply.fallback
        )
        reply = next(asking, None)
        if reply is None:
            return None
        failures = sum(recent.fallback or recent.empty for recent in replies[-4:])
        return self._give(self._answers_to(reply, max(1, failures)))

    def _is_answerable(self, reply: AppReply) -> bool:
        """Whether a reply that did not understand still asks something definite."""
        return bool(reply.choices) or any(
            is_definite(question, self.slots, self._fallbacks) for question in reply.questions
        )

    # --- Answering

    def _answers_to(self, reply: AppReply, times: int) -> list[Answer]:
        """Answers to the questions of a reply that were asked so many times before."""
        return answer_questions(self._state(times), reply) if reply.questions else []

    def _state(self, times: int, form: OpenForm | None = None) -> DialogueState:
        """What answers draw on now."""
        return DialogueState(
            self.task,
            self.goals,
            self.slots,
            self.memory,
            self._next_words,
            self.style,
            times,
            form,
        )

    def _give(self, answers: Sequence[Answer]) -> Decision:
        """Put answers to one or several questions into one act, or one at a time."""
        answers = answers[:1] if self.style.single else answers
        answers = self._on_other_way(answers)
        if any(goes_in_circles(answer.label, self.memory) for answer in answers):
            return self._bring_up("does not go round in circles") or self._leave()
        pressed = next((answer.press for answer in answers if answer.press is not None), None)
        if pressed is not None:
            return self._press(pressed)
        text = joined_texts(answers)
        if not text:
            return self._bring_up("goes on") or self._leave()
        is_long = len(text.split()) > 2
        if is_long and said_too_often(text, self.memory, self.style.language):
            other = self._bring_up("does not repeat itself", but=self.memory.active)
            return other or self._leave()
        reasons = "; ".join(answer.reason for answer in answers)
        return Decision(Say(text=text), reasons, exact=all(answer.exact for answer in answers))

    def _on_other_way(self, answers: Sequence[Answer]) -> Sequence[Answer]:
        """The answers, without a choice that led nowhere before; none to what begins anew."""
        if begins_anew(self.memory, answers):
            return []
        way = other_way(self._state(0), answers[0]) if len(answers) == 1 else None
        return [way] if way is not None else answers

    def _press(self, choice: Choice) -> Decision:
        """Press a choice, or type its label if the user presses none."""
        shown = f"{choice.label[:60]!r}"
        if not self.press:
            return Decision(Say(text=choice.label), f"types {shown}")
        return Decision(Press(label=choice.label, value=choice.value), f"presses {shown}")
