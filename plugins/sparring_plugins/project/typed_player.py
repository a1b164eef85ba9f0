"""The player `typed`: somebody types what is said, or a case has it written down."""

import asyncio
import sys
from collections.abc import Iterator
from typing import Any, cast

import click
from pydantic import Field

from sparring.cli.output import plain
from sparring.errors import AppError
from sparring.interfaces.agent import Player, PlayTask
from sparring.interfaces.plugin import PluginConfig
from sparring.model.space import Scenario, Space, Variable
from sparring.model.talk import Ended, Listen, Observation, Press, Say, Trace

PROMPT = "> "
_MOST_LOG = 12
"""Lines of the app's log that are shown beside a turn, the last ones."""


class TypedConfig(PluginConfig):
    """Settings of the player `typed`: the `lines` that are said.

    Without lines they are read from standard input, one for each turn, until it ends. An empty line
    listens. `silent` prints nothing. `apps` names which apps of a suite that tests many.
    """

    apps: tuple[str, ...] = Field(default=(), description="apps of a suite that tests many")
    lines: tuple[str, ...] = Field(default=(), description="what is said, in order")
    silent: bool = Field(default=False, description="print nothing of the conversation")


class TypedPlayer(Player[TypedConfig]):
    """Says what is typed, and shows what the app understood beside what it answers."""

    Config = TypedConfig

    def space(self) -> Space:
        """One conversation."""
        variables = tuple(Variable(name="app", domain=(app,)) for app in self.config.apps[:1])
        typed = Scenario(name="typed", variables=variables, description="a typed conversation")
        return Space(scenarios=(typed,))

    async def act(self, task: PlayTask) -> Trace:
        lines = iter(self.config.lines)
        ended = Ended.SCRIPT_DONE
        try:
            self._show(await task.session.send(Listen()))
            while (line := await self._next(lines)) is not None:
                observation = await self._say(task, line)
                self._show(observation)
                if observation.ended:
                    ended = Ended.APP_ENDED
                    self._print("(the conversation is over)")
                    break
        except AppError as err:
            self._print(f"! {type(err).__name__}: {err}")
            raise
        return task.trace(ended)

    async def _say(self, task: PlayTask, line: str) -> Observation:
        if not line:
            return await task.session.send(Listen())
        last = task.turns[-1].observation if task.turns else None
        choices = last.choices if last is not None else ()
        for number, choice in enumerate(choices, 1):
            if line == f"#{number}":
                return await task.session.send(Press(label=choice.label, value=choice.value))
        return await task.session.send(Say(text=line))

    async def _next(self, lines: Iterator[str]) -> str | None:
        """Return the next line, or `None` if there is none."""
        if self.config.lines:
            return next(lines, None)
        if not self.config.silent and sys.stdin.isatty():
            click.echo(PROMPT, nl=False)
        try:
            line = await asyncio.to_thread(sys.stdin.readline)
        except (OSError, ValueError):  # nobody can type: no terminal, or it is closed
            return None
        return line.strip() if line else None

    def _show(self, observation: Observation) -> None:
        for text in observation.text.splitlines() or ["(silence)"]:
            self._print(text)
        for number, choice in enumerate(observation.choices, 1):
            self._print(f"#{number} {choice.label}", indent=2)
        for note in notes_of(observation):
            self._print(note, indent=4)

    def _print(self, text: str, indent: int = 0) -> None:
        if not self.config.silent:
            click.echo(" " * indent + plain(text))


def notes_of(observation: Observation) -> Iterator[str]:
    """Yield what a connector tells of a turn beside its text.

    These are what was understood, where the conversation is, exceptions, and the log.
    """
    payload = _mapping(observation.payload)
    understood = _mapping(payload.get("nlu"))
    if understood.get("intent"):
        slots = _mapping(understood.get("slots"))
        shown = ", ".join(f"{name}={_value(value)}" for name, value in slots.items())
        yield f"understood  {understood['intent']} ({understood.get('how', '')}) {shown}".rstrip()
    if payload.get("session"):
        by = f", ended by {payload['ended_by']}" if payload.get("ended_by") else ""
        yield f"session     {payload['session']}{by}"
    if payload.get("failure"):
        yield f"failure     {payload['failure']}"
    for exchange in _mappings(payload.get("exchanges")):
        attributes = _mapping(_mapping(exchange.get("response")).get("sessionAttributes"))
        if attributes:
            yield f"state       {str(attributes)[:300]}"
        for caught in _mappings(exchange.get("caught")):
            yield f"caught      {caught.get('error')}"
        for line in str(exchange.get("log") or "").strip().splitlines()[-_MOST_LOG:]:
            yield f"log         {line}"


def _value(value: object) -> str:
    values = cast("list[object]", value) if isinstance(value, list) else [value]
    return " and ".join(str(one) for one in values)


def _mapping(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _mappings(value: object) -> list[dict[str, Any]]:
    values = cast("list[Any]", value) if isinstance(value, list) else []
    return [cast("dict[str, Any]", one) for one in values if isinstance(one, dict)]
