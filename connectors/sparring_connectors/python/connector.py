"""The connector `python`: a function, generator or class of your own code is the app.

Nothing of the app is imported before the first conversation, so that checking a suite runs no code.
"""

import asyncio
import contextlib
import inspect
import threading
import traceback
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, ClassVar, cast

from pydantic import Field, JsonValue

from sparring.errors import (
    AppCrash,
    AppError,
    AppProtocolError,
    AppTimeout,
    ConfigurationError,
    Problem,
    SparringError,
)
from sparring.interfaces.app_connector import AppConnector, AppSession, Capability
from sparring.interfaces.plugin import BuildContext, PluginConfig
from sparring.model.case import Case
from sparring.model.talk import Act, GuiAction, Listen, Observation, Press, Say
from sparring.suite.policy import require_code_allowed
from sparring_connectors.python.answers import MOST_PIECES, join_pieces, read_answer
from sparring_connectors.python.target import check_target, load_target, takes

METHODS = ("__call__", "reply", "respond", "answer", "send", "chat", "invoke")
"""Names of the method that answers, most specific first; `method` names any other."""


class PythonConfig(PluginConfig):
    """Settings of the connector `python`."""

    target: str = Field(
        description="The app: `package.module:name`, or `file.py:name` relative to the suite."
    )
    args: dict[str, JsonValue] = Field(
        default={}, description="Keyword arguments of the class, the generator or the factory."
    )
    factory: bool = Field(
        default=False,
        description="Whether the target is a function that returns an app for each conversation.",
    )
    method: str | None = Field(
        default=None, description=f"The method that answers; without it, one of {METHODS}."
    )
    greeting: str | None = Field(
        default=None, description="What the app says first, where its code does not."
    )
    reload: bool = Field(
        default=False,
        description="Import a file again for each conversation: for apps that keep the state of a "
        "conversation in global variables.",
    )
    timeout_s: float = Field(
        default=60, gt=0, le=3600, description="Seconds that an answer may take."
    )


class PythonSession(AppSession):
    """One conversation, with an app object of its own.

    What is not asynchronous runs in a thread, so that it holds up no other conversation and can be
    left behind when its time is over.
    """

    def __init__(self, config: PythonConfig, session: str) -> None:
        self._config = config
        self._session = session
        self._history: list[dict[str, str]] = []
        self._waiting: Observation | None = None
        self._answer: Callable[[str], Any] | None = None
        self._app: Any = None

    async def start(self, target: Any) -> None:
        """Build the app of this conversation, and take its greeting.

        Raises AppCrash or AppTimeout for the app's own failures, ConfigurationError for a target
        that cannot be talked to.
        """
        config = self._config
        greeting: object = config.greeting
        if config.factory or inspect.isclass(target):
            target = await self._run(lambda: target(**config.args))
        if inspect.isgeneratorfunction(target) or inspect.isasyncgenfunction(target):
            if not _answers_by_send(target):
                self._answer = self._callable(target)
            else:
                target = target(**({} if config.factory else config.args))
        self._app = target
        if isinstance(target, (Generator, AsyncGenerator)):
            first = await self._advance(None)
            greeting = first if first is not None else greeting
        elif self._answer is None:
            self._answer = self._callable(_answering_method(target, config))
            if callable(greet := getattr(target, "greet", None)):
                greeting = await self._run(greet)
        self._waiting = read_answer(greeting)
        self._note_app(self._waiting)

    async def close(self) -> None:
        """Close the app of this conversation, if it has a way to; its failures harm nobody."""
        app = self._app
        closes = getattr(app, "aclose", None) or getattr(app, "close", None)
        if callable(closes):
            with contextlib.suppress(AppError):
                await self._run(closes)

    async def send(self, act: Act) -> Observation:
        match act:
            case Listen():
                waiting, self._waiting = self._waiting, None
                return waiting or Observation()
            case Say(text=text):
                return await self._say(text)
            case Press(label=label, value=value):
                return await self._say(label if value is None else value)
            case GuiAction():
                raise ConfigurationError(
                    "the connector python takes texts and choices, no GUI actions"
                )

    async def _say(self, text: str) -> Observation:
        self._waiting = None
        self._history.append({"role": "user", "content": text})
        if self._answer is None:
            observation = read_answer(await self._advance(text))
            if self._app is None:
                observation = observation.model_copy(update={"ended": True})
        else:
            answer = self._answer
            observation = read_answer(await self._run(lambda: answer(text)))
        self._note_app(observation)
        return observation

    def _note_app(self, observation: Observation) -> None:
        if observation.text:
            self._history.append({"role": "assistant", "content": observation.text})

    def _callable(self, function: Callable[..., Any]) -> Callable[[str], Any]:
        """The app as a function of the message, with what else it asks for by name."""
        extras: dict[str, Callable[[], Any]] = {
            "history": lambda: [dict(message) for message in self._history[:-1]],
            "session": lambda: self._session,
        }
        wanted = [name for name in extras if takes(function, name)]
        return lambda text: function(text, **{name: extras[name]() for name in wanted})

    async def _advance(self, text: str | None) -> Any:
        """Send a text into the generator; it becomes None once it has returned."""
        app = self._app
        if app is None:
            return None

        def advance() -> tuple[Any, bool]:
            try:
                return (next(app) if text is None else app.send(text)), False
            except StopIteration as stop:  # must not leave a thread or coroutine as itself
                return stop.value, True

        async def advance_async() -> tuple[Any, bool]:
            try:
                return await (anext(app) if text is None else app.asend(text)), False
            except StopAsyncIteration:
                return None, True

        answer, ended = await self._run(advance if isinstance(app, Generator) else advance_async)
        if ended:
            self._app = None
        return answer

    async def _run(self, function: Callable[[], Any]) -> Any:
        """Call code of the app; raises AppCrash or AppTimeout for whatever becomes of it."""
        limit_s = self._config.timeout_s
        clock = asyncio.timeout(limit_s)
        try:
            async with clock:
                return await self._call(function)
        except TimeoutError as err:
            if clock.expired():
                raise AppTimeout(f"no answer within {limit_s:g} s (timeout_s)") from None
            raise AppCrash(_describe_crash(err)) from err

    async def _call(self, function: Callable[[], Any]) -> Any:
        try:
            if inspect.iscoroutinefunction(function):
                answer = await function()
            else:
                answer = await _in_thread(function)
            if inspect.isawaitable(answer):
                answer = await answer
            if isinstance(answer, AsyncIterator):
                async_pieces = cast(AsyncIterator[object], answer)
                return join_pieces([piece async for piece in _bounded(async_pieces)])
            if isinstance(answer, Iterator):
                pieces = cast(Iterator[object], answer)
                return await _in_thread(lambda: join_pieces(_take(pieces)))
        except asyncio.CancelledError as err:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            raise AppCrash(_describe_crash(err)) from err
        except (TimeoutError, SparringError):
            raise
        except BaseException as err:
            raise AppCrash(_describe_crash(err)) from err
        return answer


class PythonConnector(AppConnector[PythonConfig]):
    """Talks to Python code in this process: a fresh app for each conversation.

    The target is a function of the message, plain or asynchronous, which may ask for `history` or
    `session` by the names of its parameters; a generator that yields answers and receives messages;
    a class whose instances answer; or, with `factory`, a function that returns one of these. The
    reference page is `docs/reference/python.md`.
    """

    Config: ClassVar[type[PluginConfig]] = PythonConfig
    offers: ClassVar[frozenset[Capability]] = frozenset(
        {Capability.TEXT, Capability.CHOICES, Capability.SESSIONS}
    )

    def __init__(self, config: PythonConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        require_code_allowed(config.target)
        self._folder = Path(context.base_dir)
        check_target(config.target, self._folder)
        self._target: Any = None
        self._opened = 0

    @asynccontextmanager
    async def open(self, case: Case) -> AsyncGenerator[AppSession, None]:
        self._opened += 1
        session = PythonSession(self.config, f"{case.id}-{self._opened}")
        await session.start(self._load())
        try:
            yield session
        finally:
            await session.close()

    async def probe(self) -> None:
        """Import the target; raises ConfigurationError if that fails."""
        self._load()

    def _load(self) -> Any:
        if self._target is None or self.config.reload:
            self._target = load_target(self.config.target, self._folder)
        return self._target


def _answering_method(app: Any, config: PythonConfig) -> Callable[..., Any]:
    """The method that answers; raises ConfigurationError naming those that could be meant."""
    if config.method is not None:
        method = getattr(app, config.method, None)
        if callable(method):
            return cast(Callable[..., Any], method)
        raise ConfigurationError(
            Problem(f"app.method: {type(app).__name__} has no method {config.method!r}")
        )
    if inspect.isroutine(app):  # its own signature says more than that of its __call__
        return cast(Callable[..., Any], app)
    for name in METHODS:
        method = getattr(app, name, None)
        if callable(method):
            return cast(Callable[..., Any], method)
    raise ConfigurationError(
        Problem(
            f"app.target: {config.target!r} is neither a function nor an object with one of the "
            f"methods {', '.join(METHODS)}; name the method by app.method"
        )
    )


def _answers_by_send(function: Callable[..., Any]) -> bool:
    """Whether a generator function is a whole conversation, not one answer in pieces.

    One that takes the message as its first positional parameter without a default is called for
    each message: ``def bot(message): yield "a piece"``. ``def bot(): name = yield "Hello"`` is not.
    """
    parameters = inspect.signature(function).parameters.values()
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return not any(p.kind in positional and p.default is p.empty for p in parameters)


async def _in_thread(function: Callable[[], Any]) -> Any:
    """Run a function in a thread of its own, which does not keep the process alive.

    The threads of `asyncio.to_thread` are few, and each is waited for when the process ends: six
    apps that hang would hold up all other conversations, and then the exit.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Any] = loop.create_future()

    def set_result(result: Any, err: BaseException | None) -> None:
        if done.cancelled():
            return
        if err is None:
            done.set_result(result)
        elif isinstance(err, StopIteration):  # a future refuses it
            done.set_exception(RuntimeError("the app raised StopIteration"))
        else:
            done.set_exception(err)

    def run() -> None:
        result, failure = None, None
        try:
            result = function()
        except BaseException as err:  # noqa: BLE001 - the app may raise anything; told by _call
            failure = err
        with contextlib.suppress(RuntimeError):  # the loop is gone: nobody waits any more
            loop.call_soon_threadsafe(set_result, result, failure)

    threading.Thread(target=run, daemon=True, name="sparring-python-app").start()
    return await done


async def _bounded(pieces: AsyncIterator[object]) -> AsyncIterator[object]:
    count = 0
    async for piece in pieces:
        count += 1
        if count > MOST_PIECES:
            raise AppProtocolError(f"the answer has more than {MOST_PIECES:,} pieces")
        yield piece


def _take(pieces: Iterator[object]) -> Iterator[object]:
    for count, piece in enumerate(pieces):
        if count >= MOST_PIECES:
            raise AppProtocolError(f"the answer has more than {MOST_PIECES:,} pieces")
        yield piece


def _describe_crash(err: BaseException) -> str:
    """The exception and the line of the app's own code that raised it, without other frames."""
    try:
        text = str(err)
    except Exception:  # noqa: BLE001 - `__str__` is the app's code too
        text = "(its text cannot be made)"
    frames = traceback.extract_tb(err.__traceback__)
    own = [frame for frame in frames if Path(frame.filename).parent != Path(__file__).parent]
    place = f" at {Path(own[-1].filename).name}:{own[-1].lineno}" if own else ""
    return f"the app raised {type(err).__name__}{place}: {text[:2_000]}".rstrip(": ")
