"""Every error that Sparring raises on purpose.

    SparringError                   shown in one paragraph, without a traceback
    ├── ConfigurationError          suite, profile, rule or argument is wrong      exit code 2
    ├── PluginError                 a part cannot be used                          exit code 2
    │   ├── UnknownPlugin           nothing installed has that name
    │   ├── AmbiguousPlugin         two distributions claim one name
    │   ├── BrokenPlugin            it does not import or is not what it says
    │   ├── IncompatiblePlugin      it was written for another version of the interface
    │   ├── MissingExtra            an optional library is not installed
    │   └── PartError               it broke while it was used                     exit code 6
    ├── StoredRunError              a run's folder or log cannot be read           exit code 2
    │   └── StorageError            the disk is full, over quota or read-only      exit code 7
    ├── AppError                    the app under test misbehaved: becomes an Incident
    │   ├── AppCrash                it answered with a server error or hung up
    │   ├── AppTimeout              it did not answer in time
    │   ├── AppProtocolError        it answered something that cannot be understood
    │   └── AppUnreachable          it cannot be reached at all
    ├── EnvironmentFailure          the machine lacks something: becomes an Incident, exit code 3
    │   └── MachineBusy             it gave no processor time: inconclusive
    ├── ActionError                 an act or assertion that a script required could not be done
    └── ModelError                  a language model could not be asked or understood
        ├── ModelBusy               the service asks for patience: asked again, fewer at once
        ├── ModelUnavailable        server error, dropped connection, time-out: asked again
        ├── AnswerInvalid           no usable answer, also after it was sent back: inconclusive
        └── BudgetSpent             the run's budget does not allow another call

A failure of the app is data (an `Incident` in the trace); a failure of the tool is one of
the others. Anything that is not a `SparringError` is our bug: exit code 6.
"""

import errno
from collections.abc import Iterable
from dataclasses import dataclass


def nearest_hint(name: str, names: Iterable[str], least: float = 0.6) -> str:
    """Return the sentence that offers the nearest of the valid names, with a space before it."""
    from difflib import get_close_matches  # only for a name that is wrong

    close = get_close_matches(name, list(names), n=1, cutoff=least)
    return f" Did you mean {close[0]!r}?" if close else ""


class SparringError(Exception):
    """The root of all deliberate errors; its text is what the user reads."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with a file, as shown to the user.

    `line` is 1-based; `None` where no line can be named.
    """

    message: str
    file: str | None = None
    line: int | None = None
    key: str | None = None

    def __str__(self) -> str:
        place = self.file or ""
        if place and self.line is not None:
            place += f":{self.line}"
        parts = [place, self.key or "", self.message]
        return ": ".join(part for part in parts if part)


class ConfigurationError(SparringError):
    """A suite, profile, rule or argument is wrong; carries one or more problems."""

    def __init__(self, *problems: Problem | str) -> None:
        self.problems = tuple(p if isinstance(p, Problem) else Problem(p) for p in problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


class PluginError(SparringError):
    """A part that was asked for cannot be used."""


class UnknownPlugin(PluginError):
    """No installed plugin has the name."""


class AmbiguousPlugin(PluginError):
    """Two distributions claim one name."""


class BrokenPlugin(PluginError):
    """The plugin does not import, or is not a subclass of its interface."""


class IncompatiblePlugin(PluginError):
    """The plugin implements an unsupported version of its interface."""


class MissingExtra(PluginError):
    """An optional library is not installed; the message says which extra brings it."""


class PartError(PluginError):
    """A part broke while it was used: an unexpected exception, or a value of the wrong type.

    `group` is the kind of part (``connector``, ``agent``, ``oracle`` ...), `name` how the suite
    names it, and `call` the method that broke.
    """

    def __init__(self, group: str, name: str, call: str, message: str) -> None:
        super().__init__(f"{group} {name!r}: {call}: {message}")
        self.group = group
        self.name = name
        self.call = call


class StoredRunError(SparringError):
    """A run's folder, manifest or log cannot be read."""


class StorageError(StoredRunError):
    """A run cannot be written because the disk is full, over quota, read-only or broken."""


_STORAGE = {
    getattr(errno, name, None)
    for name in ("ENOSPC", "EDQUOT", "EROFS", "EFBIG", "EIO", "EACCES", "EPERM")
}
_ALSO_OF_READING = {errno.EACCES, errno.EPERM, errno.EIO}


def is_storage_failure(err: BaseException | None, *, writing: bool = False) -> bool:
    """Return whether an error was raised, or caused, by a disk that is full or may not be written.

    That access is refused, or a device broken, counts only if something was known to be `writing`:
    else it may have been a program, or a file that was read (/proc/self/mem as a suite).
    """
    while err is not None and not isinstance(err, StorageError):
        number = err.errno if isinstance(err, OSError) else None
        if number in _STORAGE and (writing or number not in _ALSO_OF_READING):
            return True
        err = err.__cause__
    return err is not None


class ExecutorLost(SparringError):
    """Whoever plays a run's cases is gone; what was judged is kept, and the run can be resumed."""


class AppError(SparringError):
    """The app under test misbehaved. Raised by sessions, recorded as an `Incident`."""


class AppCrash(AppError):
    """The app answered with a server error or dropped the connection."""


class AppTimeout(AppError):
    """The app did not answer in time."""


class AppProtocolError(AppError):
    """The app's answer cannot be understood."""


class AppUnreachable(AppError):
    """The app cannot be reached at all (refused connection, unknown host)."""


class EnvironmentFailure(SparringError):
    """The machine lacks what a part needs: a program, a free port, a browser, processor time.

    Raised by sessions, connectors and players, and recorded as an `Incident` that the environment
    owns. Never raise it for something that the app did.
    """


class MachineBusy(EnvironmentFailure):
    """Something was not done in time while the machine gave Sparring no processor time.

    It says nothing of the app: what depends on it is inconclusive.
    """


class ActionError(SparringError):
    """An act that a script required could not be done, or an assertion not decided, and why."""


class ModelError(SparringError):
    """A language model could not be asked, or its answer could not be understood.

    `attempts` is how often the service was asked.
    """

    attempts: int = 1


class ModelBusy(ModelError):
    """The service asks for patience (HTTP 429); the call is made again, and fewer at once.

    `retry_after_s` is how long the service wants to be left alone, in seconds, if it said so.
    """

    def __init__(self, message: str, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class ModelUnavailable(ModelError):
    """The service failed in a way that may pass (5xx, dropped, no answer in time): asked again.

    `retry_after_s` is as in ModelBusy.
    """

    def __init__(self, message: str, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class AnswerInvalid(ModelError):
    """A model answered, but nothing usable, also after its answer was sent back.

    Whoever judges by the answer says inconclusive: it never guesses. `undecided` says that the
    suite wants the case left open rather than ended as an error (``llm.fallback: inconclusive``).
    """

    undecided: bool = False


class BudgetSpent(ModelError):
    """The run's budget does not allow another model call."""


def __getattr__(name: str) -> type[SparringError]:
    if name != "NotDone":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import warnings

    from sparring.deprecation import RemovedInSparring04Warning

    message = "sparring.errors.NotDone is removed in 0.4: use ActionError"
    warnings.warn(message, RemovedInSparring04Warning, stacklevel=2)
    return ActionError
