"""One conversation: what was understood goes into a form, and what is missing is asked."""

import re
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from pizzeria_bot import definition, facts, questions, replies, vocabulary, weak_spots
from pizzeria_bot.booking import Booking
from pizzeria_bot.ordering import Ordering
from pizzeria_bot.questions import Question
from pizzeria_bot.replies import Message, Reply
from pizzeria_bot.understanding import Heard, understand
from pizzeria_bot.vocabulary import LISTS, Topic
from pizzeria_bot.weak_spots import WeakSpot

LONGEST_MESSAGE = 2_000
"""Longer messages are read up to here."""


@dataclass
class Conversation:
    """One customer's conversation; deterministic in what the customer says.

    `question` is what the bot waits for, `following` what it asks next whatever is missing, and
    `missed` how often in a row it did not understand.
    """

    customer: str
    weak: AbstractSet[WeakSpot] = weak_spots.ALL
    question: Question | None = None
    following: Question | None = None
    missed: int = 0
    served: bool = False
    ended: bool = False
    booking: Booking | None = None
    ordering: Ordering = field(init=False)

    def __post_init__(self) -> None:
        """Open the order book."""
        self.ordering = Ordering(self.customer, self.weak)

    def greet(self) -> str:
        """What the bot says first."""
        return replies.GREETING

    def answer(self, message: str) -> Reply:
        """Answer a message, or a button's value."""
        heard = understand(message[:LONGEST_MESSAGE], self.weak)
        said = [Message(text) for text in self._act(heard)]
        if self.ended:
            return Reply((*said, Message(replies.GOODBYE)), ended=True)
        said += self._answer_topics(heard)
        if not said:
            said = [Message(text) for text in self._small_talk(heard)]
        self.missed = 0 if said else self.missed + 1
        return Reply((*said, *self._next(understood=bool(said))))

    def _act(self, heard: Heard) -> list[str]:
        """Do what a message asks for; what is said of it."""
        if heard.says(vocabulary.CANCEL):
            return self._cancel()
        taken = [] if heard.only_asks else self._take(heard)
        if taken:
            return taken
        if self.question in questions.YES_OR_NO and heard.decision is not None:
            return self._decide(accepted=heard.decision)
        if heard.says(vocabulary.LEAVE) and not heard.topics:
            self.ended = True
        return []

    def _take(self, heard: Heard) -> list[str]:
        """Fill what a message mentions into the form that it belongs to."""
        if heard.says(vocabulary.TABLE) and not self.booking:
            self.booking = Booking(self.weak)
            return ["Let us find you a table.", *self.booking.take(heard, None)]
        if self.booking and not self.ordering.concerns(heard):
            return self.booking.take(heard, self.question)
        taken = self.ordering.take(heard, self.question)
        if not taken and self.question is Question.CHANGE:
            return self.ordering.reopen(heard)
        return taken

    def _cancel(self) -> list[str]:
        """Drop the booking or the order that is under way, else the last order."""
        cancelled = "your booking" if self.booking else self.ordering.cancel()
        self.booking, self.following = None, Question.INSTEAD
        if cancelled is None:
            return [replies.NOTHING_TO_CANCEL]
        return [definition.said("cancelled", what=cancelled)]

    def _decide(self, *, accepted: bool) -> list[str]:
        """Take a yes or a no to the question that is open."""
        match self.question, accepted:
            case ((Question.CONFIRM | Question.BOOK), True):
                return [self._place()]
            case ((Question.CONFIRM | Question.BOOK), False):
                self.following = Question.CHANGE
                return ["All right, not yet."]
            case Question.DRINK, False:
                self.ordering.refuse_drinks()
                return ["Nothing to drink, then."]
            case Question.MORE, False:
                self.ordering.refuse_more()
                return ["That is all, then."]
            case Question.MORE, True:
                self.following = Question.WHAT_ELSE
                return ["Gladly."]
            case Question.ANYTHING_ELSE, False:
                self.ended = True
                return []
            case (Question.CHANGE, False) | (Question.ANYTHING_ELSE, True):
                self.question = None
                return ["Very well."]
            case _:
                return []

    def _place(self) -> str:
        """Send off the booking or the order that was summed up."""
        self.served = True
        if self.question is Question.BOOK and self.booking:
            booking, self.booking = self.booking, None
            return booking.place()
        return self.ordering.place()

    def _answer_topics(self, heard: Heard) -> list[Message]:
        mentioned = self.booking is not None or self.ordering.concerns(heard)
        topics = heard.topics if heard.asks or not mentioned else ()
        if WeakSpot.ONE_ANSWER in self.weak:
            topics = topics[:1]
        elif Topic.PRICES in topics:  # the prices of something, not what there is of it
            topics = tuple(topic for topic in topics if topic not in LISTS)
        return [facts.answer(topic, heard, self.ordering.order) for topic in topics]

    def _small_talk(self, heard: Heard) -> list[str]:
        if heard.says(vocabulary.THANKS):
            return [replies.WELCOME]
        return [said for pattern, said in replies.SMALL_TALK if re.search(pattern, heard.text)][:1]

    def _next(self, *, understood: bool) -> list[Message]:
        """The question to end an answer with; a fallback where nothing was understood."""
        form = self.booking or self.ordering
        if self.question is Question.CHANGE and not understood:
            self.following = Question.CHANGE
        idle = Question.ANYTHING_ELSE if self.served else None
        self.question, self.following = self.following or form.missing() or idle, None
        if self.question is None:
            return [] if understood else [Message(replies.FALLBACK)]
        asked = form.put(self.question)
        if understood or WeakSpot.SAME_QUESTION in self.weak:
            return [asked]
        return [Message(replies.AGAIN[min(self.missed, len(replies.AGAIN)) - 1]), asked]
