"""A device with Alexa on it: what is said to it, with or without a skill open."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from sparring_connectors.alexa import invocation as sentences
from sparring_connectors.alexa.hosting.host import HandlerFailure, Host
from sparring_connectors.alexa.interaction_model import Intent
from sparring_connectors.alexa.invocation import Invocation, find_exact_invocation, find_invocation
from sparring_connectors.alexa.nlu import ConsideredIntent, NluResult, builtin_intent
from sparring_connectors.alexa.open_skill import OpenSkill
from sparring_connectors.alexa.requests import SkillCaller
from sparring_connectors.alexa.skill_session import DeviceTurn, SharedState, SkillSession
from sparring_connectors.alexa.skills import InstalledSkill
from sparring_connectors.alexa.words import HeardWords, to_heard

_YES, _NO = "AMAZON.YesIntent", "AMAZON.NoIntent"
_PLAYBACK_ACTIONS = (
    *("Pause", "Resume", "Stop", "Cancel", "Next", "Previous", "StartOver", "Repeat"),
    *("LoopOn", "LoopOff", "ShuffleOn", "ShuffleOff"),
)
_PLAYBACK = frozenset(f"AMAZON.{action}Intent" for action in _PLAYBACK_ACTIONS)


@dataclass(slots=True)
class Device:
    """What a user talks to; remembers the open session and what it asked back.

    Of the `skills`, the last one is the skill under test.
    """

    skills: Sequence[InstalledSkill]
    host_of: Callable[[InstalledSkill], Awaitable[Host]]
    caller_of: Callable[[InstalledSkill], SkillCaller]
    shared: SharedState
    time_is_platforms: bool = False
    open: OpenSkill | None = None
    offered: Invocation | None = None
    not_understood: int = 0

    async def say(self, said: str) -> DeviceTurn:
        """Say something to the device; the failure of a skill is in the record."""
        turn = DeviceTurn()
        self.shared.clock.tick()
        try:
            await self._say(turn, to_heard(said), said)
        except HandlerFailure:
            turn.platform_says(sentences.TROUBLE)
        self._tidy()
        return turn

    async def touch(self, label: str, value: str | None) -> DeviceTurn:
        """Touch what reads so on the screen, or press the button of that name.

        What is not there any more does nothing.
        """
        turn = DeviceTurn()
        self.shared.clock.tick()
        shown = self.open.session.screen if self.open else ()
        alike = [one for one in shown if one.label == label]
        touched = next((one for one in alike if one.value == value), next(iter(alike), None))
        waiting = self.open.session.buttons if self.open else ()
        button = next((one for one in waiting if one.label == label), None)
        if self.open is None or (touched is None and button is None):
            turn.problems.append(f"nothing on the screen reads {label[:200]!r}")
            return turn
        try:
            if touched is not None:
                await self.open.touch(turn, touched)
            elif button is not None:
                await self.open.press(turn, button)
        except HandlerFailure:
            turn.platform_says(sentences.TROUBLE)
        self._tidy()
        return turn

    async def listen(self) -> DeviceTurn:
        """Stay silent: the skill asks again, and at last the session ends."""
        turn = DeviceTurn()
        self.shared.clock.tick()
        session = self.open.session if self.open else None
        if session is None:
            return turn
        if session.task is not None:
            await self._pass_over(turn)
            return turn
        if session.input_handler is not None and await self._wait_for_buttons(turn):
            return turn
        session.silences += 1
        # Alexa asks again once; a second silence ends the session.
        if session.reprompt and session.silences == 1 and session.listens:
            turn.skill_says(session.reprompt)
            return turn
        await session.end(turn, "EXCEEDED_MAX_REPROMPTS")
        self._tidy()
        return turn

    async def _wait_for_buttons(self, turn: DeviceTurn) -> bool:
        """Stay silent while the skill waits for buttons, until the time is over."""
        assert self.open is not None
        try:
            answered = await self.open.wait_for_buttons(turn)
        except HandlerFailure:
            turn.platform_says(sentences.TROUBLE)
            answered = True
        self._tidy()
        return answered

    async def _pass_over(self, turn: DeviceTurn) -> None:
        """Stay silent while Alexa asks about a task of the skill."""
        assert self.open is not None
        try:
            await self.open.pass_over_task(turn)
        except HandlerFailure:
            turn.platform_says(sentences.TROUBLE)
        self._tidy()

    async def leave(self) -> DeviceTurn:
        """Walk away: an open session ends with a SessionEndedRequest."""
        turn = DeviceTurn()
        if self.open is not None and self.open.session.is_open:
            await self.open.session.end(turn, "USER_INITIATED")
        self._tidy()
        return turn

    async def _say(self, turn: DeviceTurn, words: HeardWords, said: str) -> None:
        if self.open is None:
            await self._without_skill(turn, words)
            return
        if sentences.leaves_skill(words):
            await self.open.session.end(turn, "USER_INITIATED")
            return
        if self.open.session.task is not None:
            await self.open.answer_task(turn, words)
            return
        invocation = find_exact_invocation(words, self.skills)
        # Words that are a sample utterance of the open skill are for it, even if they name it.
        if invocation is not None and not _is_sample(invocation, words, self.open):
            await self._switch(turn, invocation)
        elif self.time_is_platforms and sentences.asks_time(words):
            turn.platform_says(sentences.platform_answer(words, self.shared.clock.local()))
        elif not await self._to_skill(turn, self.open, words, said):
            await self._unclear(turn, self.open)

    async def _to_skill(
        self, turn: DeviceTurn, dialogue: OpenSkill, words: HeardWords, said: str
    ) -> bool:
        """Words to the open skill; standard phrases that it does not declare are Alexa's."""
        model = dialogue.session.skill.model
        standard = builtin_intent(list(words.words), model.language)
        own = dialogue.session.skill.nlu.is_own(words)
        if standard is not None and not model.declares(standard) and not own:
            answer = sentences.undeclared_answer(standard)
            if answer is not None and not (dialogue.dialog and dialogue.dialog.open_question):
                turn.platform_says(answer)
                return True
            if standard in ("AMAZON.StopIntent", "AMAZON.CancelIntent"):
                await dialogue.session.end(turn, "USER_INITIATED")
                return True
        understood = await dialogue.say(turn, said)
        self.not_understood = 0 if understood else self.not_understood
        return understood

    async def _unclear(self, turn: DeviceTurn, dialogue: OpenSkill) -> None:
        """Words that mean nothing to the skill: asked again once, then the session ends."""
        self.not_understood += 1
        if self.not_understood > 1:
            self.not_understood = 0
            await dialogue.session.end(turn, "EXCEEDED_MAX_REPROMPTS")
        elif dialogue.session.reprompt:
            turn.skill_says(dialogue.session.reprompt)
        else:
            turn.platform_says(sentences.NOT_UNDERSTOOD)

    async def _switch(self, turn: DeviceTurn, invocation: Invocation) -> None:
        """Leave the open skill for another one, or for the same one anew."""
        assert self.open is not None
        await self.open.session.end(turn, "USER_INITIATED")
        turn.reason = None
        self.open = None
        await self._invoke(turn, invocation)

    async def _without_skill(self, turn: DeviceTurn, words: HeardWords) -> None:
        offered, self.offered = self.offered, None
        standard = builtin_intent(list(words.words), "en")
        if offered is not None and standard in (_YES, _NO):
            if standard == _YES:
                await self._invoke(turn, offered)
            return
        invocation = find_invocation(words, self.skills)
        if invocation is not None:
            await self._handle_invocation(turn, invocation)
        elif not await self._playback(turn, standard):
            turn.platform_says(sentences.platform_answer(words, self.shared.clock.local()))

    async def _handle_invocation(self, turn: DeviceTurn, invocation: Invocation) -> None:
        skill = invocation.skill
        if skill is None and not invocation.reserved:
            turn.platform_says(sentences.UNKNOWN_SKILL.format(name=invocation.name))
        elif skill is None:
            turn.platform_says(sentences.NOT_UNDERSTOOD)
        elif not invocation.is_sure:
            self.offered = Invocation(skill.name, invocation.words, skill)
            turn.platform_says(sentences.OFFER.format(name=skill.title))
        else:
            if invocation.similarity < 100:
                turn.platform_says(sentences.OPENING.format(name=skill.title))
            await self._invoke(turn, invocation)

    async def _playback(self, turn: DeviceTurn, standard: str | None) -> bool:
        """Words for what is playing go to the skill that plays it."""
        skill = self.shared.player.skill
        if skill is None or standard not in _PLAYBACK:
            return False
        if standard in ("AMAZON.StopIntent", "AMAZON.CancelIntent"):
            standard = "AMAZON.PauseIntent"
        if not skill.model.declares(standard):
            self.shared.player.activity = "STOPPED"
            return True
        dialogue = await self._open_skill(skill)
        await dialogue.intend(
            turn, NluResult(standard, 1.0, "builtin", considered=(ConsideredIntent(standard, 1.0),))
        )
        return True

    async def _invoke(self, turn: DeviceTurn, invocation: Invocation) -> None:
        assert invocation.skill is not None
        turn.opened = invocation.skill
        dialogue = await self._open_skill(invocation.skill)
        if invocation.words:
            session = dialogue.session
            understood = session.skill.nlu.understand(invocation.words, session.reader())
            if await dialogue.intend(turn, understood):
                return
        await dialogue.launch(turn)

    async def _open_skill(self, skill: InstalledSkill) -> OpenSkill:
        session_id = f"amzn1.echo-api.session.{self.shared.clock.new_id()}"
        host = await self.host_of(skill)
        session = SkillSession(skill, host, self.caller_of(skill), self.shared, session_id)
        self.open = OpenSkill(session)
        self.not_understood = 0
        return self.open

    def _tidy(self) -> None:
        if self.open is not None and not self.open.session.is_open:
            self.open = None


def _is_sample(invocation: Invocation, words: HeardWords, dialogue: OpenSkill) -> bool:
    """Whether words that name a skill are a sample utterance of the open one."""
    said = words.said()
    intents: Sequence[Intent] = tuple(dialogue.session.skill.model.intents.values())
    return invocation.skill is dialogue.session.skill and any(
        to_heard(sample).said() == said for intent in intents for sample in intent.samples
    )
