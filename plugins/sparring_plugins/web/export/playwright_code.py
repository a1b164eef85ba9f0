"""Source code that uses Playwright, in Python or TypeScript, from one description of calls.

Playwright has the same interface in both languages but for the case of names, keyword arguments
and ``await``. `Chain` describes a chain of calls once; `PYTHON` and `TYPESCRIPT` write it.
"""

import itertools
import json
import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, Protocol

Language = Literal["python", "typescript"]
#: Calls that are properties in Python.
_PROPERTIES: Final = frozenset({"first", "last", "keyboard", "mouse"})
#: Attributes in both languages.
_ATTRIBUTES: Final = frozenset({"keyboard", "mouse"})
#: Names that are not simply written in camel case.
_CAMEL: Final = {"to_have_url": "toHaveURL"}


@dataclass(frozen=True)
class Pattern:
    """A regular expression, in the syntax that Python and JavaScript share."""

    text: str

    @classmethod
    def of(cls, text: str, *, start: bool = False, end: bool = False) -> "Pattern":
        """Return the pattern of a literal text, at the start or the end if asked for."""
        literal = re.sub(r"[\\^$.*+?()\[\]{}|/]", r"\\\g<0>", text)
        return cls(f"{'^' if start else ''}{literal}{'$' if end else ''}")


@dataclass(frozen=True)
class Environment:
    """The value of an environment variable: a secret is never written into a file."""

    name: str


@dataclass(frozen=True)
class Call:
    """One call of a chain: its name in Python's spelling, its arguments and options."""

    name: str
    arguments: tuple[Any, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True)
class Chain:
    """Calls one after the other, from a variable on: ``page.get_by_role("link").click()``."""

    start: str = "page"
    calls: tuple[Call, ...] = ()

    def call(self, name: str, /, *arguments: Any, **options: Any) -> "Chain":
        """Return the chain with one more call."""
        return Chain(self.start, (*self.calls, Call(name, arguments, options)))


@dataclass(frozen=True)
class Expectation:
    """``expect(locator).to_be_visible()``, or its opposite."""

    subject: Chain
    call: Call
    negated: bool = False


@dataclass(frozen=True)
class NextDialog:
    """Answer the next dialog: it has to be said before the act that opens the dialog.

    `every` answers all that come; Playwright itself dismisses them.
    """

    accepted: bool
    text: str | None = None
    every: bool = False

    @property
    def method(self) -> str:
        """The page's method that registers the answer."""
        return "on" if self.every else "once"

    def answer(self, write: Callable[[Any], str]) -> str:
        """Return the call of the dialog's; `write` writes a value."""
        argument = "" if self.text is None else write(self.text)
        return f"{'accept' if self.accepted else 'dismiss'}({argument})"


@dataclass(frozen=True)
class LatestTab:
    """Go on in the tab that was opened last; `closing` closes the present one first."""

    closing: bool = False


@dataclass(frozen=True)
class Stable:
    """Wait until the page has stopped changing, as Sparring does after an act."""


@dataclass(frozen=True)
class Comment:
    """A comment of one line."""

    text: str


@dataclass(frozen=True)
class Missing:
    """Something that cannot be written: the test fails there, and says why."""

    reason: str


Statement = Chain | Expectation | NextDialog | LatestTab | Stable | Comment | Missing


#: Resolves when nothing in the document has changed for 300 ms, at the latest after 5 s.
_QUIET: Final = """() => new Promise((resolve) => {
  let timer = setTimeout(resolve, 300);
  const again = () => { clearTimeout(timer); timer = setTimeout(resolve, 300); };
  const all = { subtree: true, childList: true, attributes: true, characterData: true };
  new MutationObserver(again).observe(document, all);
  setTimeout(resolve, 5000);
})"""

_PYTHON_STABLE: Final = f'''def stable(page: Page) -> None:
    """Wait until the page has stopped changing: Playwright does not wait after an act."""
    with suppress(Error):  # the act has led to another page
        page.evaluate(
            """{textwrap.indent(_QUIET, " " * 12).strip()}"""
        )
    page.wait_for_load_state()


'''
_TYPESCRIPT_STABLE: Final = f"""// Wait until the page has stopped changing: Playwright does not.
async function stable(page: Page) {{
  await page.evaluate({_QUIET}).catch(() => undefined);
  await page.waitForLoadState();
}}

"""


class Writer(Protocol):
    """Writes tests in one language."""

    suffix: str

    def test(self, title: str, statements: Sequence[Statement]) -> str:
        """Return one test."""
        ...

    def file(self, header: str, tests: Sequence[str]) -> str:
        """Return a whole file."""
        ...


def one_line(text: str) -> str:
    """Return a text that may stand in a comment: on one line, printable."""
    return "".join(char for char in " ".join(text.split()) if char.isprintable())


class PythonWriter:
    """Tests for pytest-playwright, synchronous."""

    suffix = ".py"

    def __init__(self) -> None:
        self._names: set[str] = set()

    def test(self, title: str, statements: Sequence[Statement]) -> str:
        """See `Writer.test`; the title becomes the function's name."""
        words = re.findall(r"\w+", title.lower())
        plain = name = "_".join(["test", *words])[:80]
        numbers = itertools.count(2)
        while name in self._names:  # the later of two functions would hide the first
            name = f"{plain}_{next(numbers)}"
        self._names.add(name)
        lines = [self._statement(statement) for statement in statements] or ["pass"]
        return f"def {name}(page: Page) -> None:\n" + "".join(f"    {line}\n" for line in lines)

    def file(self, header: str, tests: Sequence[str]) -> str:
        """See `Writer.file`."""
        body = "\n\n".join(tests)
        waits = "stable(page)" in body
        names = ["os"] * ("os.environ" in body) + ["re"] * ("re.compile(" in body)
        imports = "".join(f"import {name}\n" for name in names)
        imports += "from contextlib import suppress\n" * waits
        used = ["Error"] * waits + ["Page"] + ["expect"] * ("expect(" in body)
        imports += "\n" * bool(imports) + f"from playwright.sync_api import {', '.join(used)}\n"
        return f"# {one_line(header)}\n{imports}\n\n{_PYTHON_STABLE * waits}{body}"

    def _statement(self, statement: Statement) -> str:
        match statement:
            case Chain():
                return self._chain(statement)
            case Expectation(subject, call, negated):
                name = f"not_{call.name}" if negated else call.name
                return f"expect({self._chain(subject)}).{self._call(Call(name, call.arguments))}"
            case NextDialog():
                answer = statement.answer(self._value)
                return f'page.{statement.method}("dialog", lambda dialog: dialog.{answer})'
            case LatestTab(closing):
                return ("page.close(); " if closing else "") + "page = page.context.pages[-1]"
            case Stable():
                return "stable(page)"
            case Comment(text):
                return f"# {one_line(text)}"
            case Missing(reason):
                return f"raise NotImplementedError({self._value(one_line(reason))})"

    def _chain(self, chain: Chain) -> str:
        return ".".join([chain.start, *map(self._call, chain.calls)])

    def _call(self, call: Call) -> str:
        if call.name in _PROPERTIES:
            return call.name
        arguments = [self._value(argument) for argument in call.arguments]
        arguments += [f"{name}={self._value(value)}" for name, value in call.options.items()]
        return f"{call.name}({', '.join(arguments)})"

    def _value(self, value: Any) -> str:
        match value:
            case Chain():
                return self._chain(value)
            case Pattern(text):
                return f"re.compile({json.dumps(text, ensure_ascii=True)})"
            case Environment(name):
                return f"os.environ[{json.dumps(name)}]"
            case str():
                return json.dumps(value, ensure_ascii=not value.isprintable())
            case _:
                return repr(value)


class TypeScriptWriter:
    """Tests for ``@playwright/test``."""

    suffix = ".spec.ts"

    def test(self, title: str, statements: Sequence[Statement]) -> str:
        """See `Writer.test`."""
        latest = any(isinstance(statement, LatestTab) for statement in statements)
        lines = ["let page = firstPage;"] * latest
        lines += [self._statement(statement) for statement in statements]
        page = "{ page: firstPage }" if latest else "{ page }"
        body = "".join(f"  {line}\n" for line in lines)
        return f"test({json.dumps(one_line(title))}, async ({page}) => {{\n{body}}});\n"

    def file(self, header: str, tests: Sequence[str]) -> str:
        """See `Writer.file`."""
        body = "\n".join(tests)
        waits = "stable(page)" in body
        page = ", type Page" * waits
        imports = f"import {{ expect, test{page} }} from '@playwright/test';"
        return f"// {one_line(header)}\n{imports}\n\n{_TYPESCRIPT_STABLE * waits}{body}"

    def _statement(self, statement: Statement) -> str:
        match statement:
            case Chain():
                return f"await {self._chain(statement)};"
            case Expectation(subject, call, negated):
                denial = ".not" if negated else ""
                return f"await expect({self._chain(subject)}){denial}.{self._call(call)};"
            case NextDialog():
                answer = statement.answer(self._value)
                return f"page.{statement.method}('dialog', (dialog) => dialog.{answer});"
            case LatestTab(closing=True):
                latest = "page = context.pages().at(-1)!;"
                return f"{{ const context = page.context(); await page.close(); {latest} }}"
            case LatestTab():
                return "page = page.context().pages().at(-1)!;"
            case Stable():
                return "await stable(page);"
            case Comment(text):
                return f"// {one_line(text)}"
            case Missing(reason):
                return f"throw new Error({self._value(one_line(reason))});"

    def _chain(self, chain: Chain) -> str:
        return ".".join([chain.start, *map(self._call, chain.calls)])

    def _call(self, call: Call) -> str:
        if call.name in _ATTRIBUTES:
            return call.name
        arguments = [self._value(argument) for argument in call.arguments]
        if call.options:
            options = (f"{_camel(name)}: {self._value(v)}" for name, v in call.options.items())
            arguments.append(f"{{ {', '.join(options)} }}")
        return f"{_camel(call.name)}({', '.join(arguments)})"

    def _value(self, value: Any) -> str:
        match value:
            case Chain():
                return self._chain(value)
            case Pattern(text):
                return f"new RegExp({json.dumps(text, ensure_ascii=True)})"
            case Environment(name):
                return f"process.env[{json.dumps(name)}]!"
            case _:
                return json.dumps(value)


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return _CAMEL.get(name, first + "".join(word.capitalize() for word in rest))


WRITERS: Final[dict[Language, Callable[[], Writer]]] = {
    "python": PythonWriter,
    "typescript": TypeScriptWriter,
}
