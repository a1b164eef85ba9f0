"""A session with its dialog: what words mean to the open skill, and what follows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from pydantic import JsonValue

from sparring.errors import AppProtocolError
from sparring_connectors.alexa import requests
from sparring_connectors.alexa.buttons import INPUT, Button, InputHandler, MetEvent
from sparring_connectors.alexa.connections import Outcome, read_task
from sparring_connectors.alexa.connections import read_answer as read_consent
from sparring_connectors.alexa.dialog import (
    Confirmed,
    Dialog,
    DialogQuestion,
    OtherIntent,
    QuestionKind,
    SlotsFilled,
    Unclear,
    next_step,
    read_answer,
)
from sparring_connectors.alexa.hosting.host import HandlerFailure
from sparring_connectors.alexa.interaction_model import Strategy
from sparring_connectors.alexa.nlu import NluResult
from sparring_connectors.alexa.responses import Response
from sparring_connectors.alexa.shapes import mapping, named, sequence, text
from sparring_connectors.alexa.skill_session import DeviceTurn, SkillSession
from sparring_connectors.alexa.slots import FilledSlot, slot_to_json
from sparring_connectors.alexa.touch import Touchable
from sparring_connectors.alexa.words import HeardWords

CONNECTION = "CONNECTION"
"""Why a session is over that was given to a service which is not simulated."""
# A device that was not understood asks again, then leaves the dialog.
_MOST_ASKED = 3
_CONFIRMATIONS = ("NONE", "CONFIRMED", "DENIED")


@dataclass(slots=True)
class OpenSkill:
    """Leads one session: understands words, goes on with a dialog, follows directives."""

    session: SkillSession
    dialog: Dialog | None = None
    unclear: int = 0

    async def launch(self, turn: DeviceTurn) -> None:
        """Open the skill without further words."""
        response = await self.session.send_request(
            turn, requests.launch_request(self.session.base("LaunchRequest"))
        )
        await self._respond(turn, response)

    async def say(self, turn: DeviceTurn, said: str) -> bool:
        """Pass the user's words to the open skill; returns False if they mean nothing to it."""
        dialog = self.dialog
        if dialog is not None and dialog.open_question is not None:
            outcome = read_answer(dialog, said, self.session.skill.nlu, self.session.reader())
            turn.understood = outcome.understood
            match outcome:
                case SlotsFilled() | Confirmed():
                    self.unclear = 0
                    turn.slots = _slot_values(dialog)
                    await self._proceed(turn, dialog)
                    return True
                case Unclear():
                    return await self._ask_again(turn, dialog)
                case OtherIntent():
                    return await self.intend(turn, outcome.understood)
        understood = self.session.skill.nlu.understand(said, self.session.reader())
        return await self.intend(turn, understood)

    async def touch(self, turn: DeviceTurn, touched: Touchable) -> None:
        """Send the skill the event of a component that the user touched on the screen."""
        session = self.session
        request = {**session.base(requests.TOUCHED), **touched.event()}
        await self._respond(turn, await session.send_request(turn, request))

    async def press(self, turn: DeviceTurn, button: Button) -> None:
        """Press a button; the skill hears of it if one of its events is met."""
        session = self.session
        handler = session.input_handler
        if handler is not None:
            moment = f"{session.shared.clock.utc():%Y-%m-%dT%H:%M:%S}.000Z"
            color = session.shared.lights.of(button.gadget)
            await self._report(turn, handler, handler.press(button.gadget, color, moment))

    async def wait_for_buttons(self, turn: DeviceTurn) -> bool:
        """Let the time of an input handler be over; returns False if the skill hears nothing."""
        handler = self.session.input_handler
        met = handler.time_out() if handler is not None else ()
        self.session.input_handler = None
        if handler is None or not met:
            return False
        await self._report(turn, handler, met)
        return True

    async def _report(
        self, turn: DeviceTurn, handler: InputHandler, met: Sequence[MetEvent]
    ) -> None:
        if not met:
            return
        session = self.session
        if any(one.ends for one in met):
            session.input_handler = None
        request = requests.button_request(
            session.base(INPUT), handler.request_id, [one.to_json() for one in met]
        )
        await self._respond(turn, await session.send_request(turn, request))

    async def intend(self, turn: DeviceTurn, understood: NluResult) -> bool:
        """Go on with what was understood; returns False if that is nothing."""
        turn.understood = understood
        if understood.intent is None:
            return False
        model = self.session.skill.model
        dialog = Dialog(model.intents[understood.intent])
        for name, reading in understood.slots.items():
            dialog.fill(name, reading)
        plan = model.dialogs.get(understood.intent)
        dialog.by_skill = plan is not None and plan.strategy is Strategy.SKILL_RESPONSE
        self.unclear = 0
        turn.slots = _slot_values(dialog)
        if plan is None:
            await self._send(turn, dialog, None)
        else:
            await self._proceed(turn, dialog)
        return True

    async def _proceed(self, turn: DeviceTurn, dialog: Dialog) -> None:
        """The next turn of a dialog: the skill's, or Alexa's by the model."""
        dialog.open_question = None
        if self.session.skill.model.dialogs.get(dialog.intent.name) is None:
            await self._send(turn, dialog, None)
        elif dialog.by_skill:
            dialog.turns += 1
            await self._send(turn, dialog, "STARTED" if dialog.turns == 1 else "IN_PROGRESS")
        else:
            await self._delegate(turn, dialog)

    async def _delegate(self, turn: DeviceTurn, dialog: Dialog) -> None:
        """Ask the model's next question, or send the skill the completed dialog."""
        shared = self.session.shared
        step = next_step(dialog, self.session.skill.model, self.session.reader(), shared.choose)
        if step is None:
            await self._send(turn, dialog, "COMPLETED")
            return
        dialog.turns += 1
        dialog.open_question = step.question
        self.dialog = dialog
        if not step.prompt:
            turn.problems.append(f"no prompt for {step.question.kind} {step.question.slot}")
        turn.skill_says(step.prompt, prompt=True)
        self.session.reprompt = step.prompt
        self.session.keep_open()

    async def _send(self, turn: DeviceTurn, dialog: Dialog, state: str | None) -> None:
        session = self.session
        reader = session.reader()
        slots = {
            filled.name: slot_to_json(
                filled, dialog.intent.slot(filled.name), reader, session.skill.application_id
            )
            for filled in dialog.all_slots()
        }
        turn.slots = _slot_values(dialog)
        request = requests.intent_request(
            session.base("IntentRequest"), dialog.intent.name, slots, dialog.confirmation, state
        )
        response = await session.send_request(turn, request)
        self.dialog = dialog
        await self._respond(turn, response, completed=state == "COMPLETED")

    async def _respond(
        self, turn: DeviceTurn, response: Response, *, completed: bool = False
    ) -> None:
        directive = response.dialog
        if directive is None:
            self.dialog = None
            self.session.apply_end_flag(response)
            await self._begin_task(turn, response)
            return
        before = self.dialog
        dialog = await self._directed_dialog(turn, directive)
        is_new = dialog is not before
        self.session.keep_open()
        match directive.get("type"):
            case "Dialog.ElicitSlot":
                name = text(directive.get("slotToElicit"))
                await self._need(turn, dialog, name, "slotToElicit")
                self._ask(dialog, DialogQuestion(QuestionKind.SLOT, name))
            case "Dialog.ConfirmSlot":
                name = text(directive.get("slotToConfirm"))
                await self._need(turn, dialog, name, "slotToConfirm")
                self._ask(dialog, DialogQuestion(QuestionKind.CONFIRM_SLOT, name))
            case "Dialog.ConfirmIntent":
                self._ask(dialog, DialogQuestion(QuestionKind.CONFIRM_INTENT))
            case _:
                if completed and not is_new and not directive.get("updatedIntent"):
                    await self._refuse(turn, "Dialog.Delegate after the dialog is COMPLETED")
                await self._delegate(turn, dialog)

    # Tasks that the skill gives to Alexa: she asks the user, and tells the skill the outcome

    async def _begin_task(self, turn: DeviceTurn, response: Response) -> None:
        session = self.session
        task = read_task(response.directives)
        if task is None:
            return
        if task.kind == "unknown":
            turn.reason = CONNECTION
            turn.problems.append(f"the simulator does not know the task {task.name[:200]!r}")
            return
        session.task, session.task_asked = task, 0
        session.keep_open()
        manifest = session.skill.manifest
        declared = manifest.permissions if manifest.is_read else None
        outcome = task.known_outcome(session.consent, declared)
        if outcome == "undeclared":
            scopes = ", ".join(scope[:200] for scope in task.scope_names)
            turn.problems.append(f"skill.json does not declare the permission {scopes}")
        if outcome is None:
            self.ask_task(turn)
        else:
            await self.finish_task(turn, outcome)

    def ask_task(self, turn: DeviceTurn) -> None:
        """Let Alexa ask the user about the task of the skill."""
        session = self.session
        assert session.task is not None
        session.task_asked += 1
        turn.asked = session.task.kind
        language = session.skill.model.language
        question = session.task.question(session.skill.title, session.consent, language)
        turn.platform_says(question)

    async def answer_task(self, turn: DeviceTurn, words: HeardWords) -> None:
        """Read the user's answer to Alexa's question; what is none is asked for once more."""
        outcome = read_consent(words, self.session.skill.model.language)
        if outcome is not None:
            await self.finish_task(turn, outcome)
        else:
            await self.pass_over_task(turn)

    async def pass_over_task(self, turn: DeviceTurn) -> None:
        """Ask once more; the second time without an answer tells the skill that there is none."""
        if self.session.task_asked > 1:
            await self.finish_task(turn, "not_answered")
        else:
            self.ask_task(turn)

    async def finish_task(self, turn: DeviceTurn, outcome: Outcome) -> None:
        """Tell the skill the outcome of its task, and go on with what it answers."""
        session = self.session
        task, session.task = session.task, None
        assert task is not None
        task.apply(outcome, session.consent)
        if task.kind != "permission":
            session.attributes = {}  # a purchase ends the session, and begins a new one
        kind = "SessionResumedRequest" if task.resumes else "Connections.Response"
        request = task.answer(session.base(kind), outcome)
        await self._respond(turn, await session.send_request(turn, request))

    def _ask(self, dialog: Dialog, question: DialogQuestion) -> None:
        dialog.open_question = question
        dialog.by_skill = True
        dialog.turns = max(dialog.turns, 1)
        self.dialog = dialog

    async def _need(self, turn: DeviceTurn, dialog: Dialog, slot: str, key: str) -> None:
        if dialog.intent.slot(slot) is None:
            await self._refuse(turn, f"{key} is {slot!r}, no slot of {dialog.intent.name}")

    async def _directed_dialog(self, turn: DeviceTurn, directive: Mapping[str, Any]) -> Dialog:
        """The dialog that a directive is about, as it changes it: maybe of another intent."""
        updated = mapping(directive.get("updatedIntent"))
        name = text(updated.get("name"))
        dialog = self.dialog
        if not name:
            if dialog is None:
                await self._refuse(turn, f"{directive['type']} names no intent to go on with")
            return dialog
        if dialog is None or dialog.intent.name != name:
            intent = self.session.skill.model.intents.get(name)
            if intent is None:
                await self._refuse(turn, f"updatedIntent is {name!r}, which is not in the model")
            dialog = Dialog(intent)
            plan = self.session.skill.model.dialogs.get(name)
            dialog.by_skill = plan is not None and plan.strategy is Strategy.SKILL_RESPONSE
        if self.session.skill.model.dialogs.get(name) is None:
            turn.problems.append(f"{directive['type']} for {name}, which has no dialog model")
        _update_dialog(dialog, updated)
        return dialog

    async def _refuse(self, turn: DeviceTurn, why: str) -> NoReturn:
        """A directive that Alexa cannot follow: the response is invalid, the session over."""
        error = AppProtocolError(f"skill {self.session.skill.name!r}: invalid response: {why}")
        turn.exchanges[-1].error = why
        await self.session.fail(turn, HandlerFailure(error, "response"))

    async def _ask_again(self, turn: DeviceTurn, dialog: Dialog) -> bool:
        """Words that answer nothing: ask again, up to a bound."""
        self.unclear += 1
        if self.unclear >= _MOST_ASKED:
            await self.session.end(turn, "EXCEEDED_MAX_REPROMPTS")
        elif dialog.by_skill:
            return False
        else:
            turn.skill_says(self.session.reprompt, prompt=True)
        return True


def _slot_values(dialog: Dialog) -> dict[str, JsonValue]:
    """The values of a dialog's slots, for the trace."""
    return {item.name: list(item.values) for item in dialog.all_slots() if item.values}


def _update_dialog(dialog: Dialog, updated: Mapping[str, Any]) -> None:
    """Take over slots and confirmations that a skill sends back."""
    if updated.get("confirmationStatus") in _CONFIRMATIONS:
        dialog.confirmation = updated["confirmationStatus"]
    for name, value in mapping(updated.get("slots")).items():
        slot = mapping(value)
        declared = dialog.intent.slot(name)
        if declared is None:
            continue
        status = slot.get("confirmationStatus")
        values = _read_values(slot)
        dialog.slots[name] = FilledSlot(
            name, values, status if status in _CONFIRMATIONS else "NONE", declared.multiple
        )


def _read_values(slot: Mapping[str, Any]) -> tuple[str, ...]:
    listed = mapping(slot.get("slotValue"))
    if listed.get("type") == "List":
        values = (named(mapping(item).get("value")) for item in sequence(listed.get("values")))
        return tuple(value for value in values if value)
    value = named(slot.get("value"))
    return (value,) if value else ()
