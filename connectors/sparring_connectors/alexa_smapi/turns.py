"""One conversation at a time: an Alexa account has one session."""

import asyncio

from sparring.errors import ConfigurationError


class UserTurns:
    """Gives the account to a conversation, from its first words until it is closed."""

    def __init__(self) -> None:
        self._lock = asyncio.Lock()
        self._owner: object | None = None
        self._task: asyncio.Task[object] | None = None

    async def take(self, owner: object) -> None:
        """Wait for the account.

        Raises ConfigurationError where the task that asks has it in another conversation, and
        would wait for itself.
        """
        if self._owner is owner:
            return
        task = asyncio.current_task()
        if self._owner is not None and self._task is task:
            raise ConfigurationError(
                "an Alexa account has one conversation at a time: close the other one first"
            )
        await self._lock.acquire()
        self._owner, self._task = owner, task

    def give_back(self, owner: object) -> None:
        """Let the next conversation have the account."""
        if self._owner is owner:
            self._owner = self._task = None
            self._lock.release()
