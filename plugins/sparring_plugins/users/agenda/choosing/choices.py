"""Choosing among options: by the user's values, by its goals, and by trying out menus."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from sparring_plugins.language.similarity import overlap
from sparring_plugins.language.text import contains, folded, sentences
from sparring_plugins.language.vocabulary import concepts, has_cue, starts_with_cue
from sparring_plugins.users.agenda.choosing.changed_lines import thing_to_change
from sparring_plugins.users.agenda.choosing.conditional_wishes import wish_in_this_case
from sparring_plugins.users.agenda.choosing.excluded_options import (
    is_ruled_out,
    mistaken_option,
    only_left,
)
from sparring_plugins.users.agenda.choosing.goal_options import (
    option_named_otherwise,
    option_of_goal,
)
from sparring_plugins.users.agenda.choosing.held_things import is_for_others
from sparring_plugins.users.agenda.choosing.long_enough import long_enough_option
from sparring_plugins.users.agenda.choosing.menu_ranking import (
    clear_entry,
    distinct_option,
    option_fit,
)
from sparring_plugins.users.agenda.choosing.open_questions import (
    answer_open_question,
    answer_with_values,
)
from sparring_plugins.users.agenda.choosing.option_wishes import (
    contact_held,
    is_for_another,
    means_user,
    measured_option,
    moment_not_offered,
    named_value,
    new_one,
    option_for_whom,
    option_in_part_of_day,
    option_leading_on,
    option_on_day,
    ranked_moment,
    ranked_option,
)
from sparring_plugins.users.agenda.choosing.weighed_options import CERTAIN, LIKELY, weighed_option
from sparring_plugins.users.agenda.profile.asked_kinds import asked_kinds
from sparring_plugins.users.agenda.profile.facts import names_in
from sparring_plugins.users.agenda.profile.party import place_of_count
from sparring_plugins.users.agenda.profile.personal_details import asked_details, private_details
from sparring_plugins.users.agenda.profile.slots import Slot, asked_slots
from sparring_plugins.users.agenda.replies.app_reply import (
    AppQuestion,
    AppReply,
    is_no,
    is_yes,
)
from sparring_plugins.users.agenda.replies.described_options import described_option, usual_option
from sparring_plugins.users.agenda.replies.named_options import (
    by_letter,
    shared_roots,
)
from sparring_plugins.users.agenda.state.dialogue_state import Answer, DialogueState
from sparring_plugins.users.agenda.state.known_values import KnownValue, best_values
from sparring_plugins.users.agenda.state.open_form import names_way_out
from sparring_plugins.users.agenda.state.user_goals import named_option, only_fitting
from sparring_plugins.users.agenda.state.value_matching import (
    best_option,
    in_sequence,
    mentions,
)
from sparring_plugins.users.agenda.words.knowledge import is_way_on, says
from sparring_plugins.users.agenda.words.phrase_book import word_lists

_TWO_WAYS = 2
FITS_GOAL = 0.5  # least fit of an option that leads to a goal
_COUNTED = re.compile(r"\b\d+(?:[.,]\d+)?\s+\w+")
"""A count with its thing, "2 hours": it says how many are wanted, and not what of."""


@dataclass(frozen=True, slots=True)
class Chooser:
    """Chooses an option of one question: the user's value, the way to its goal, or any."""

    state: DialogueState
    question: AppQuestion
    reply: AppReply

    def answer(self) -> Answer:
        """The choice, pressed or said."""
        state, question = self.state, self.question
        asked = asked_slots(question.words, state.slots) if question.text else []
        certain = self._certain_choice(asked)
        if certain is not None:
            return certain
        lacking = self.lacking_moment()
        if lacking is not None:
            return lacking
        datum = None if self.reply.choices else self._own_datum(asked)
        if datum is not None:
            return datum
        words = state.next_goal()
        index = self._way_to_goal(words)
        if index is not None:
            return self.take(index, "fits the goal")
        if words is not None and self._leaves_room_for_goal():
            entry = self.clear_entry_of_menu()
            if entry is not None:
                return self.take(entry, "leads to its goal")
            return Answer(words, "brings up what is next")
        return self._declined_extra() or self._any_choice()

    def lacking_moment(self) -> Answer | None:
        """What leads on to other days or times, or the user's own, if that is not among them."""
        value = moment_not_offered(self.state, self.question)
        if value is None:
            return None
        index = option_leading_on(self.question.options)
        if index is not None:
            return self.take(index, "looks for its own day or time")
        own = Answer(value.text, "is its value", exact=True)
        return None if self.state.times else own

    def clear_entry_of_menu(self) -> int | None:
        """The entry of a menu with numbers that clearly leads to an open goal, or None.

        "Alter or cancel a viewing" is chosen for "move my viewing to Friday": whatever an app
        understands of words, it understands its own numbers.
        """
        if not self.question.numbered or self.state.form is not None:
            return None
        entry = clear_entry(self.state, self.question.options, self._is_ruled_out)
        return None if entry is None or self._is_spent(entry) else entry

    def _declined_extra(self) -> Answer | None:
        """The option that declines what is offered besides; None if nothing is, or none does.

        "Would you like to add a side dish? 0. No, thank you 1. Chips 2. Salad" is no matter of
        taste: nobody pays for an extra that neither a goal nor the context wants.
        """
        question = self.question
        if not has_cue(question.words, "wanting") or starts_with_cue(question.words, "wh"):
            return None
        declining = [index for index, option in enumerate(question.options) if is_no(option)]
        if len(declining) != 1 or len(question.options) < 3 or any(map(is_yes, question.options)):
            return None
        return self.take(declining[0], "declines what it has no use for")

    def _own_datum(self, asked: Sequence[Slot]) -> Answer | None:
        """The user's values or details that an app without buttons asks for, or None."""
        state, question = self.state, self.question
        if state.form is None and len(question.options) > _TWO_WAYS:
            return None  # "Hire something, extend a hire or get a quote?" asks for no hire number
        if asked and not state.times and not (question.numbered and self._is_by_number()):
            return answer_with_values(state, asked)
        # "by phone or e-mail?" asks for either, "e-mail, SMS or none?" for a choice
        is_choice = len(question.options) > 1 and not all(
            asked_kinds(folded(option)) for option in question.options
        )
        is_choice = (is_choice or state.times > 0) and state.form is not None
        if question.text and private_details(self._asking_words()) and not is_choice:
            return answer_open_question(state, question)
        return None

    def _asking_words(self) -> str:
        """The question without its options: "a street light" asks for no address."""
        words = f" {self.question.words} "
        for option in self.question.options:
            words = words.replace(f" {folded(option)} ", " ")
        return words.strip()

    def _leaves_room_for_goal(self) -> bool:
        """Whether the question may be passed over for what the user brings up next.

        One of a form, one for a detail of the user, and one that is asked again may not.
        """
        state, question = self.state, self.question
        is_free = not asked_details(question.words) and not state.times
        in_form = state.form is not None and state.form.since > 1
        is_form = in_form or (state.is_collecting() and bool(question.text))
        return is_free and not is_form

    def known_choice(self) -> Answer | None:
        """The option that says a value of the profile that the question may mean; else None."""
        changed = self._thing_to_change()
        if changed is not None:
            return self.take(changed, "names what is to be changed")
        if mistaken_option(self.state, self.question.options) is not None:
            return None
        profile = (*(goal.words for goal in self.state.goals), *self.state.task.context)
        wanted = option_of_goal(self.state, self.question)
        if wanted is None:
            wanted = ranked_option(self.question, self.state.goals)
        return (
            self._wished_in_this_case()
            or self._take_place(long_enough_option(self.question.options, profile), "lasts")
            or self._take_place(self._option_said_of_user(), "is true of the user")
            or self._weighed_choice(CERTAIN)
            or self._take_place(wanted, "is what a goal says")
            or self._choice_of_open_hours(profile)
            or self._choice_by_value()
            or self._choice_of_moment(profile)
        )

    def _weighed_choice(self, least: float) -> Answer | None:
        """The option of a form that the profile clearly speaks for most, or None."""
        state, question = self.state, self.question
        if state.form is None:
            return None
        asked = asked_slots(question.words, state.slots) if question.text else []
        if asked and self._options_with_values(asked):  # these go before statements in words
            return None
        place = weighed_option(state, question, self.reply, least)
        if place is None or state.memory.said(question.options[place]):
            return None
        option = question.options[place]
        said = any(mentions(option, value) for slot in state.slots for value in slot.values)
        if said and not self.reply.choices and not question.numbered:
            return None  # the value itself is said: "credit" of "a debit or a credit card"
        return self.take(place, "has most in the profile")

    def _choice_of_open_hours(self, profile: Sequence[str]) -> Answer | None:
        """The option in the hours that the profile leaves, if no goal names a time of day."""
        timed = any("time" in value.kinds and not value.rank for value in self.state.values)
        place = None if timed else option_in_part_of_day(self.question.options, profile)
        reason = "is at the time of day that the profile says"
        return self.take(place, reason) if place is not None else None

    def _choice_by_value(self) -> Answer | None:
        """The option that says the first value of the profile that any option says."""
        question, state = self.question, self.state
        for value in self._values_to_choose_by():
            parts = in_sequence(value.text)
            if len(parts) > 1 and (place := self._next_in_sequence(parts)) is not None:
                return self.take(place, "is what comes next")
            if value.slot and len(value.text.split(",")) > 1:
                continue  # several values at once are the affair of `_options_with_values`
            index = best_option(question.options, value.text)
            if index is None:
                index = option_on_day(question.options, value, state.task.language)
            if index is not None and not is_no(question.options[index]):
                typed = not self.reply.choices and not question.numbered
                if typed and value.slot and not state.times and not self.reply.refusal:
                    return Answer(value.text, "is its value", exact=True)
                return self.take(index, "is what the profile says")
        return None

    def _wished_in_this_case(self) -> Answer | None:
        """The option that a condition of the profile chooses, which the reply says holds."""
        place = wish_in_this_case(self.state, self.question.options, self.reply)
        return (
            self.take(place, "is what the profile wants in this case")
            if place is not None
            else None
        )

    def _next_in_sequence(self, parts: Sequence[str]) -> int | None:
        """The option of the first of some things that was not chosen yet; None if there is none."""
        for part in parts:
            index = best_option(self.question.options, part)
            if index is not None and not self.state.memory.said(self.question.options[index]):
                return index
        return None

    def _values_to_choose_by(self) -> list[KnownValue]:
        """The values that may choose: those the question means, the variables, the context."""
        question, state = self.question, self.state
        ranked = best_values(
            question.text,
            state.values,
            goal=state.memory.active.key if state.memory.active else "",
            slots=state.slots,
        )
        meant = [value for _, value in ranked]
        # the day that a goal has in plain words chooses one: "Thursday, 25 March"
        own = [
            value
            for value in state.values
            if (value.slot or (not value.rank and value.kinds & {"date", "time"}))
            and value not in meant
        ]
        # a number of the profile chooses nothing that the question does not count
        others = [
            value
            for value in state.values
            if value not in meant and value.rank and "number" not in value.kinds
        ]
        return [*meant, *own, *others]

    def _take_place(self, place: int | None, reason: str) -> Answer | None:
        return self.take(place, reason) if place is not None else None

    def _certain_choice(self, asked: Sequence[Slot]) -> Answer | None:
        """What the task decides: the mistake to correct, a value, the context, a goal's words."""
        state, options = self.state, self.question.options
        meant = option_of_goal(state, self.question)
        ruled = self._ruled_choice() or self._take_place(meant, "is what a goal says")
        if ruled is not None:
            return ruled
        valued = self._options_with_values(asked) or self._options_with_values(state.slots)
        if valued:
            return self._take_values(valued, asked)
        profile = (*(goal.words for goal in state.goals), *state.task.context)
        moment = self._choice_of_moment(profile)
        if moment is not None:
            return moment
        texts = (*profile, state.task.role)
        person = option_for_whom(options, texts)
        if person is not None:
            return self._take_person(person)
        amount = measured_option(options, texts)
        if amount is not None:
            return self.take(amount, "covers what the profile says")
        named = self._unless_for_another(named_option(options, state.goals))
        true = self._option_true_of_user() if named is None else None
        if self._unless_for_another(true) is not None:
            return self._take_place(true, "is true of the user")
        if named is None and state.form is not None:
            named = option_named_otherwise(options, state.goals)
        if named is not None and self._may_take(options[named]):
            return self.take(named, "is what a goal says")
        return self.choice_by_description()

    def _unless_for_another(self, place: int | None) -> int | None:
        """An option that does not do something else than each service of the goals, or None.

        "Book a visit" is not for "have the visit moved".
        """
        services = [goal.words for goal in self.state.goals if not goal.asks]
        if place is None or not services:
            return place
        option = self.question.options[place]
        return None if all(is_for_another(option, goal) for goal in services) else place

    def _may_take(self, option: str) -> bool:
        """Whether an option was not chosen before, and leaves no form."""
        leads_out = self.state.form is not None and names_way_out(option)
        return not leads_out and not self.state.memory.said(option)

    def choice_by_description(self) -> Answer | None:
        """The option of which the app says what the profile wants; None for a main menu."""
        state = self.state
        if state.form is None:
            return None
        met = state.memory.met
        goals = "\n".join(g.words for g in state.goals if not g.asks and g.key not in met)
        texts = (goals, *state.background)
        place = described_option(self.question.options, self.reply.text, texts)
        if place is None or names_way_out(self.question.options[place]):
            return None
        return self.take(place, "is described as the profile says")

    def way_on(self) -> Answer | None:
        """The main menu or the end, if these are offered: by whether a goal is still open."""
        options = [folded(option) for option in self.question.options]
        if not is_way_on(options, self.question.text):
            return None
        more = self.state.next_words(only_goals=True) is not None
        wanted = "main_menu" if more else "ending"
        index = next((at for at, words in enumerate(options) if says(words, wanted)), None)
        if index is None:
            return None
        return self.take(index, "goes on" if more else "wants nothing more", marked=True)

    def _way_to_goal(self, words: str | None) -> int | None:
        """The way to what the user spoke of last, else to what it brings up next."""
        active = self.state.memory.active
        if active is not None and active in self.state.memory.open_goals():
            index = self.way_to(active.words)
            if index is not None and not self._is_spent(index):
                return index
        return self.way_to(words) if words else None

    def _is_spent(self, index: int) -> bool:
        """Whether an option was chosen before, by its number if it has one."""
        memory, question = self.state.memory, self.question
        if not memory.said(question.options[index]):
            return False
        was_refused = question.numbered and self.reply.fallback
        return not was_refused or memory.said(question.marks[index])

    def way_to(self, words: str) -> int | None:
        """The index of the option that names what the user brings up next; None if none does."""
        meant = concepts(words)
        subject = concepts(_COUNTED.sub(" ", words))
        if not self.state.times:
            distinct = distinct_option(self.question.options, words)
            options, background = self.question.options, self.state.background
            if distinct is not None and is_for_others(options[distinct], words, background):
                return None
            if distinct is not None or len(self.question.options) > 2:
                return distinct
        scores = [
            (
                option_fit(option, words),
                overlap(concepts(option), subject),  # "a room for 2 hours" is about rooms
                overlap(meant, concepts(option)),  # of two that fit, the one that says more of it
                -index,
            )
            for index, option in enumerate(self.question.options)
            if not is_no(option)
        ]
        score, *_, index = max(scores, default=(0.0, 0.0, 0.0, 0))
        return -index if score >= FITS_GOAL else None

    def take(self, index: int, reason: str, *, marked: bool = False) -> Answer:
        """Press an option, or say it, or its number if the app wants that."""
        question = self.question
        if index < len(self.reply.choices):
            return Answer("", reason, self.reply.choices[index])
        was_refused = question.numbered and self.state.memory.said(question.options[index])
        by_number = marked or self._is_by_number() or self.state.times or was_refused
        is_command = index < len(question.marks) and len(question.marks[index]) > 2  # "BOOK"
        if question.marks and not question.numbered and (is_command or by_letter(self.reply.words)):
            how = "by its command" if is_command else "by letter"
            return Answer(question.marks[index], f"chooses {question.options[index][:40]!r} {how}")
        if question.numbered and by_number:
            shown = question.options[index][:40]
            return Answer(question.marks[index], f"chooses {shown!r} by its number")
        return Answer(question.options[index], reason)

    def _is_by_number(self) -> bool:
        """Whether the app has said that options are chosen by their numbers."""
        return any(has_cue(reply.words, "number_reply") for reply in self.state.memory.replies)

    def _take_person(self, index: int) -> Answer:
        """Choose the user itself or somebody else; "me" says what the app's "you" means."""
        reason = "is whom the profile wants it for"
        is_said = not self.reply.choices and not self.question.numbered
        me = self.state.phrases.me
        if is_said and me and means_user(self.question.options[index]):
            return Answer(me, reason, exact=True)
        return self.take(index, reason)

    def _take_values(self, indexes: Sequence[int], asked: Sequence[Slot]) -> Answer:
        """Take the options that say the user's values, or say the values if these are understood.

        "big" is said as such at first; if the app does not have that size, its own "large" is.
        """
        options, memory = self.question.options, self.state.memory
        if self.reply.choices or self.question.numbered:
            fresh = [index for index in indexes if not memory.said(options[index])]
            return self.take((fresh or list(indexes))[0], "is its value")
        first = folded(options[indexes[0]])
        says_value = any(mentions(first, value) for slot in asked for value in slot.values)
        insists = self.state.times > 0 or self.reply.refusal
        if asked and (says_value or not insists):
            return answer_with_values(self.state, asked)
        return Answer(self.state.join([options[index] for index in indexes]), "is its value")

    def _choice_of_moment(self, profile: Sequence[str]) -> Answer | None:
        """The option at the time of day, or the first or last, that some texts want."""
        options = self.question.options
        part_of_day = option_in_part_of_day(options, profile)
        if part_of_day is not None:
            return self.take(part_of_day, "is at a time that the profile says")
        ranked = ranked_moment(options, profile, self.state.task.language)
        if ranked is None:
            return None
        return self.take(ranked, "is the first or last, as the profile says")

    def _ruled_choice(self) -> Answer | None:
        """What no other value outweighs: a mistake, something new, a case, what alone is left."""
        changed = self._thing_to_change()
        if changed is not None:
            return self.take(changed, "names what is to be changed")
        first = self._choice_of_mistake() or self._choice_to_begin()
        chosen = first or self._wished_in_this_case()
        options, text = self.question.options, self.reply.text
        left = only_left(self.state, options, text) if chosen is None else None
        if left is not None:
            return self.take(left, "is what the profile leaves")
        return chosen or self._weighed_choice(CERTAIN)

    def _thing_to_change(self) -> int | None:
        """The one option that a change of the user's, which has just begun, is about."""
        active, options = self.state.memory.active, self.question.options
        if active is None or active.asks or active.key in self.state.memory.met:
            return None
        return thing_to_change(active, self.question.text, options)

    def _choice_to_begin(self) -> Answer | None:
        """The option that begins something new, if a goal wants that: "New booking"."""
        services = [goal.words for goal in self.state.memory.open_goals() if not goal.asks]
        begun = new_one(self.question.options, services[0]) if services else None
        if begun is None or self.state.memory.said(self.question.options[begun]):
            return None
        return self.take(begun, "begins what a goal wants")

    def _choice_of_mistake(self) -> Answer | None:
        mistaken = mistaken_option(self.state, self.question.options)
        return self.take(mistaken, "names what is wrong") if mistaken is not None else None

    def _is_ruled_out(self, option: str) -> bool:
        return is_ruled_out(self.state, option, self.question.options)

    def _options_with_values(self, slots: Sequence[Slot]) -> list[int]:
        """The options that say the values of the first slot that any option fits."""
        for slot in slots:
            best = [best_option(self.question.options, value) for value in slot.values]
            indexes = [index for index in best if index is not None]
            # "Plus" is no reason to press "Add a driver" of a main menu, though both add something
            if self.state.form is None and self.reply.choices and slot.kinds <= {"text"}:
                indexes = [at for at in indexes if self._says_literally(at, slot)]
            if indexes:
                return list(dict.fromkeys(indexes))
        return []

    def _says_literally(self, place: int, slot: Slot) -> bool:
        words = folded(self.question.options[place])
        return any(contains(words, folded(v)) or contains(folded(v), words) for v in slot.values)

    def _option_said_of_user(self) -> int | None:
        """The one option that is a sentence of the context: "I cannot ski" of "you cannot ski"."""
        own = [folded(words) for words in map(self.state.own_words, self.state.task.context)]
        said = [
            index
            for index, option in enumerate(self.question.options)
            if len(option.split()) > 2 and any(contains(text, folded(option)) for text in own)
        ]
        return said[0] if len(said) == 1 else None

    def _option_true_of_user(self) -> int | None:
        """The one option that the context or the role names for the user, else None."""
        said = self._option_said_of_user()
        if said is not None:
            return said
        about_user = frozenset(
            concept
            for text in self.state.background
            for sentence in sentences(text)
            if not has_cue(folded(sentence), "deny")
            for concept in concepts(sentence)
        )
        return only_fitting(self.question.options, [about_user])

    def _any_choice(self) -> Answer:
        """Some sensible option: none that declines or leads away, another each time."""
        options = self.question.options
        named = None if self.reply.choices else named_value(self.state, self.reply.text)
        if named is not None:
            return Answer(named, "names what the profile names", exact=True)
        weighed = self._weighed_choice(LIKELY)
        if weighed is not None:
            return weighed
        state = self.state
        profile = (*state.background, *(goal.words for goal in state.goals))
        ways = (
            (self._nearest_option(), "is nearest to what the profile says"),
            (contact_held(options, state.values), "is what the profile has"),
            (place_of_count(self.question.text, options, profile), "gives a number"),
            (usual_option(options) if state.form is not None else None, "has no wish"),
        )
        for place, why in ways:
            if place is not None and not state.memory.said(options[place]):
                return self.take(place, why)
        sensible = [
            index
            for index, option in enumerate(options)
            if not is_no(option) and not self._is_ruled_out(option)
        ]
        pool = sensible or list(range(len(options)))
        start = Random(f"{self.state.task.seed} {self.question.words}").randrange(len(pool))
        return self.take(pool[(start + self.state.times) % len(pool)], "has no preference")

    def _nearest_option(self) -> int | None:
        """The one option that shares most with the profile: with its goals, then with its context.

        "Charges that you do not recognise" is nearest to "dispute a charge", whatever else is said.
        """
        state, options = self.state, self.question.options
        literal = [index for index, option in enumerate(options) if self._is_said(option)]
        if len(literal) == 1 and state.form is not None:
            return literal[0]
        ranked = clear_entry(state, options, self._is_ruled_out)
        if ranked is not None or len(literal) == 1:
            return literal[0] if ranked is None else ranked
        goals = "\n".join(goal.described for goal in state.memory.open_goals() or state.goals)
        profile_names = names_in("\n".join(state.background))
        generic = word_lists().generic_concepts
        scores = [
            (0, 0)
            if is_for_another(option, goals) or self._is_ruled_out(option)
            else (
                # to book and to order say nothing of what is booked or ordered
                shared_roots(names_in(option) - generic, names_in(goals)),
                shared_roots(names_in(option) - generic, profile_names),
            )
            for option in options
        ]
        best = max(scores, default=(0, 0))
        return scores.index(best) if any(best) and scores.count(best) == 1 else None

    def _is_said(self, option: str) -> bool:
        """Whether the profile has an option in it word by word: "now" of "come now"."""
        words = folded(option)
        texts = (*(goal.words for goal in self.state.goals), *self.state.task.context)
        return any(contains(folded(text), words) for text in texts)
