"""Rule files: YAML with one rule per document, in Sparring's and in SENSEI's manner."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, cast, get_args

from pydantic import JsonValue

from sparring.documents.checking import nearest, shown
from sparring.documents.reading import Document, read_all
from sparring.errors import ConfigurationError, Problem
from sparring_plugins.rules.parse.syntax import (
    BASICS,
    MAX_CONVERSATIONS,
    SPECIAL,
    Conversations,
    ExpressionSource,
    Rule,
)
from sparring_plugins.rules.values.record import Each

# The keys of a rule that SENSEI does not have: `for_each`, `group_by`, `parameters`.

OWN_KEYS = ("for_each", "group_by", "parameters")
RESERVED = BASICS | SPECIAL | {"conv", "turn", "previous", "answer", "group"}
"""Names that mean something else in expressions."""

# A list of two thousand words, as in a rule against insults; a table of megabytes is none of a
# rule.
_LONGEST = 20_000


class OwnKeys(NamedTuple):
    """The values of the keys that SENSEI does not have."""

    each: Each | None = None
    groups: tuple[ExpressionSource, ...] = ()
    parameters: Mapping[str, JsonValue] = MappingProxyType({})


class InvalidKey(Exception):
    """A key's value is no valid one; carries the message."""


def read_each(value: Any, conversations: object) -> Each | None:
    """The parts of a conversation that the rule judges one by one; raises InvalidKey."""
    if value is None:
        return None
    kinds = get_args(Each)
    if value not in kinds:
        raise InvalidKey(
            f"must be turn or answer, found {shown(value)}.{nearest(str(value), kinds)}"
        )
    if conversations != 1:
        raise InvalidKey("a rule over turns is about one conversation: leave `conversations` out")
    return cast("Each", value)


def read_groups(value: Any, conversations: object) -> list[str]:
    """The texts of the expressions to group conversations by; raises InvalidKey."""
    texts: list[Any] = cast("list[Any]", value) if isinstance(value, list) else [value]
    if not texts or not all(isinstance(text, str) and text.strip() for text in texts):
        raise InvalidKey(f"must be an expression or a list of expressions, found {shown(value)}")
    if conversations != "all":
        raise InvalidKey("only rules with `conversations: all` have groups")
    return [str(text) for text in texts]


def read_parameters(value: Any) -> dict[str, JsonValue]:
    """Constants by name; None stands for one that has to be given. Raises InvalidKey."""
    if not isinstance(value, dict):
        raise InvalidKey(f"must be a map of names and values, found {shown(value)}")
    parameters: dict[str, JsonValue] = {}
    for name, constant in cast("dict[Any, Any]", value).items():
        if not (isinstance(name, str) and name.isidentifier()) or name.startswith("__"):
            raise InvalidKey(f"{shown(name)} is no name")
        if name in RESERVED:
            raise InvalidKey(f"`{name}` means something else in rules; use another name")
        parameters[name] = plain_value(name, constant)
    return parameters


def plain_value(name: str, value: Any) -> JsonValue:
    """A parameter's value as plain data; raises InvalidKey."""
    try:
        text = json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        raise InvalidKey(f"`{name}` must be plain data, found {shown(value)}") from None
    if len(text) > _LONGEST:
        raise InvalidKey(f"`{name}` is longer than {_LONGEST:,} characters")
    return cast("JsonValue", json.loads(text))


KEYS = (
    *("name", "description", "active", "conversations"),
    *("when", "if", "then", "oracle", "yields", "on-error"),
)
ALL_KEYS = (*KEYS, *OWN_KEYS)
REPORT_FOLDER = "__report__"

Warn = Callable[[str], None]

# `oracle: |`, `oracle: >-`, `oracle: !!str |2`: the text begins on the next line, and only | keeps
# its lines as they are.
_BLOCK = re.compile(r":\s*(?:[!&]\S{1,200}\s+){0,4}(?P<style>[|>])[-+0-9]*\s*(?:#.*)?$")
# `- name: "x"`: the column at which the value begins, behind a quotation mark.
_VALUE = re.compile(r"""^\s*(?:- )?(?P<quote>["']?)[\w-]+(?P=quote)\s*:\s+(?P<open>["']?)""")


def read_rules(
    paths: Sequence[Path],
    *,
    base: Path,
    sensei: bool,
    activate_all: bool,
    warn: Warn,
    more: Sequence[Rule] = (),
) -> list[Rule]:
    """Read the active rules of several files; raises ConfigurationError with all problems.

    `more` are rules from elsewhere, that are active.

    `sensei` reads as SENSEI does: unknown keys are ignored with a warning, every count but 1 and
    all means 2, files of reports are skipped, and of two rules with one name the results of
    the later count.
    """
    rules: list[Rule] = []
    problems: list[Problem] = []
    for path in _in_sensei_order(paths) if sensei else paths:
        # Reports of SENSEI are YAML, too, and it passes them over wherever they lie.
        if sensei and REPORT_FOLDER in str(path):
            continue
        try:
            rules += read_file(path, base=base, sensei=sensei, warn=warn)
        except ConfigurationError as err:
            problems += err.problems
    if problems:
        raise ConfigurationError(*problems)
    active = [*(rule for rule in rules if rule.active or activate_all), *more]
    return active if sensei else _make_distinct(active, warn)


def _in_sensei_order(paths: Sequence[Path]) -> list[Path]:
    # SENSEI reads *.yaml before *.yml, and of two rules with one name the later counts.
    return sorted(paths, key=lambda path: (path.suffix != ".yaml", path.as_posix()))


def _make_distinct(rules: Sequence[Rule], warn: Warn) -> list[Rule]:
    """Rules with names of their own: equal ones get their file's name added."""
    counts = Counter(rule.name for rule in rules)
    tails = {
        name: _distinct_ends([namesake.file for namesake in rules if namesake.name == name])
        for name in counts
    }
    uses: Counter[str] = Counter()
    distinct: list[Rule] = []
    for rule in rules:
        check = rule.name
        if counts[rule.name] > 1:
            # Two files with a rule `price`: "price (shop/orders)" and "price (bank/orders)".
            check = f"{rule.name} ({tails[rule.name][rule.file]})"
            place = f"{rule.file}:{rule.line}"
            warn(f"{place}: several rules are called {rule.name!r}; this one is {check!r}")
        uses[check] += 1
        number = f" {uses[check]}" if uses[check] > 1 else ""
        distinct.append(replace(rule, check=check + number))
    return distinct


def _distinct_ends(files: Iterable[str]) -> dict[str, str]:
    """For each file the shortest end of its path, without suffix, that no other one has."""
    parts = {file: Path(file).with_suffix("").parts for file in files}
    tails: dict[str, str] = {}
    for file, own in parts.items():
        others = [other for path, other in parts.items() if path != file]
        sizes = range(1, len(own) + 1)
        alone = (n for n in sizes if all(other[-n:] != own[-n:] for other in others))
        tail = "/".join(own[-next(alone, len(own)) :])
        tails[file] = file if own in others else tail
    return tails


def read_file(
    path: Path, *, base: Path, sensei: bool, warn: Warn, called: str | None = None
) -> list[Rule]:
    """Read the rules of one file, `called` so in messages; raises ConfigurationError."""
    file = called or _shown_path(path, base)
    documents = read_all(path, "yaml11" if sensei else "strict", shown=file, single=sensei)
    written = path.read_text(encoding="utf-8-sig").splitlines()
    rules: list[Rule] = []
    problems: list[Problem] = []
    for document in documents:
        if document.data is None and len(documents) > 1:
            continue
        reader = _RuleReader(document, written, sensei=sensei)
        try:
            rules.append(reader.rule())
        except ConfigurationError as err:
            problems += err.problems
        for warning in reader.warnings:
            warn(warning)
    if problems:
        raise ConfigurationError(*problems)
    return rules


def _shown_path(path: Path, base: Path) -> str:
    try:
        return path.relative_to(base).as_posix()
    except ValueError:
        return str(path)


class _RuleReader:
    """Reads the rule of one YAML document."""

    def __init__(self, document: Document, written: Sequence[str], *, sensei: bool) -> None:
        self.document = document
        self.written = written
        self.sensei = sensei
        self.problems: list[Problem] = []
        self.warnings: list[str] = []
        if not isinstance(document.data, dict):
            content = "nothing" if document.data is None else shown(document.data)
            raise ConfigurationError(
                document.problem(f"a rule is a map with a name and an oracle, found {content}")
            )
        self.data: dict[Any, Any] = document.data  # pyright: ignore[reportUnknownMemberType]

    def rule(self) -> Rule:
        """The rule; raises ConfigurationError with everything that is wrong with it."""
        self._check_keys()
        name = self._text("name", required=True) or ""
        description = self._text("description", required=self.sensei) or ""
        conversations = self._conversations()
        active = self._active()
        filters = tuple(source for key in ("when", "if") if (source := self._expression(key)))
        oracle = self._oracle()
        message = self._message()
        own = OwnKeys() if self.sensei else self._read_own_keys(conversations)
        if self.problems or oracle is None:
            raise ConfigurationError(*self.problems)
        line = self.document.line() or 1
        return Rule(
            *(name, name, description, conversations, filters, oracle, message),
            *(self.document.file, line, active, own.each, own.groups, own.parameters),
        )

    def _read_own_keys(self, conversations: Conversations) -> OwnKeys:
        """Read the keys that SENSEI does not have."""
        each = self._read_key("for_each", lambda value: read_each(value, conversations))
        texts = self._read_key("group_by", lambda value: read_groups(value, conversations))
        line, column, exact = self._place("group_by") if texts else (1, 1, False)
        groups = tuple(
            ExpressionSource(
                text, self.document.file, line, column, "group_by", exact and len(texts) == 1
            )
            for text in texts or ()
        )
        return OwnKeys(each, groups, self._read_key("parameters", read_parameters) or {})

    def _read_key(self, key: str, read: Callable[[Any], Any]) -> Any:
        """A key's value as `read` reads it; `None` if it is left out or wrong."""
        if self.data.get(key) is None:
            return None
        try:
            return read(self.data[key])
        except InvalidKey as err:
            self._problem(str(err), key)
            return None

    def _problem(self, message: str, key: str | None = None) -> None:
        self.problems.append(self.document.problem(message, [key] if key else []))

    def _check_keys(self) -> None:
        for key in self.data:
            if key in (KEYS if self.sensei else ALL_KEYS) and not (
                self.sensei and key == "on-error"
            ):
                continue
            if self.sensei:
                at = self.document.line([str(key)])
                self.warnings.append(f"{self.document.file}:{at}: SENSEI ignores the key {key!r}")
            else:
                self._problem(f"unknown key.{nearest(str(key), ALL_KEYS)}", str(key))

    def _text(self, key: str, *, required: bool = False) -> str | None:
        value = self.data.get(key)
        if key not in self.data:
            if required:
                self._problem(f"the key `{key}` is missing")
            return None
        if not isinstance(value, str):
            if value is None and not required and not self.sensei:
                return None
            self._problem(f"must be a text, found {shown(value)}{_quoted_place(value)}", key)
            return None
        if required and key != "description" and not value.strip():
            self._problem("is empty", key)
        return value

    def _active(self) -> bool:
        value = self.data.get("active", True)
        if value is None:
            return False
        if not isinstance(value, bool):
            self._problem(f"must be true or false, found {shown(value)}", "active")
        return bool(value)

    def _conversations(self) -> Conversations:
        value = self.data.get("conversations", 1)
        number = _whole(value)
        # -1 is SENSEI's other way to write it.
        if value == "all" or number == -1:
            return "all"
        if number is None:
            self._problem(f"must be a number or all, found {shown(value)}", "conversations")
            return 1
        if self.sensei:
            return self._sensei_number(number)
        if not 1 <= number <= MAX_CONVERSATIONS:
            self._problem(
                f"must be 1 to {MAX_CONVERSATIONS} or all, found {shown(value)}", "conversations"
            )
        return number

    def _sensei_number(self, number: int) -> int:
        if number not in (1, 2):
            at = self.document.line(["conversations"])
            self.warnings.append(
                f"{self.document.file}:{at}: conversations: SENSEI takes {number} for 2"
            )
        return 1 if number == 1 else 2

    def _oracle(self) -> ExpressionSource | None:
        if "oracle" not in self.data and "then" not in self.data:
            self._problem("the key `oracle` is missing (`then` means the same)")
            return None
        if "oracle" in self.data and "then" in self.data and not self.sensei:
            self._problem("`oracle` and `then` mean the same: write one of them", "then")
        return self._expression("oracle" if "oracle" in self.data else "then")

    def _message(self) -> ExpressionSource | None:
        if self.sensei:
            return self._expression("yields") if self.data.get("yields") is not None else None
        if "yields" in self.data and "on-error" in self.data:
            self._problem("`yields` and `on-error` mean the same: write one of them", "on-error")
        return self._expression("yields" if "yields" in self.data else "on-error")

    def _expression(self, key: str) -> ExpressionSource | None:
        if key not in self.data or (self.data[key] is None and self.sensei and key != "oracle"):
            return None
        value = self._text(key, required=key in ("oracle", "then"))
        if value is None:
            return None
        text, skipped = _trim(value)
        line, column, exact = self._place(key)
        # A value on one line stands on the line of its key, whatever surrounds it.
        single = "\n" not in text
        return ExpressionSource(
            text, self.document.file, line + skipped, column, key, exact or single
        )

    def _place(self, key: str) -> tuple[int, int, bool]:
        """Line and column at which a value's text begins, and whether its lines are the file's."""
        line = self.document.line([key]) or 1
        written = self.written[line - 1] if line <= len(self.written) else ""
        block = _BLOCK.search(written)
        if block:
            following = next(
                (line_after for line_after in self.written[line:] if line_after.strip()), ""
            )
            indent = len(following) - len(following.lstrip())
            return line + 1, indent + 1, block["style"] == "|"
        value = _VALUE.match(written)
        return line, (value.end() if value else 0) + 1, False


def _trim(value: str) -> tuple[str, int]:
    """An expression without blank lines before it, and how many there were."""
    lines = value.rstrip().split("\n")
    skipped = 0
    while skipped < len(lines) - 1 and not lines[skipped].strip():
        skipped += 1
    return "\n".join(lines[skipped:]).lstrip(" \t"), skipped


def _whole(value: Any) -> int | None:
    if isinstance(value, str) and re.fullmatch(r"\s*[-+]?\d{1,9}\s*", value):
        return int(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value != value // 1:
        return None
    return int(value)


def _quoted_place(value: Any) -> str:
    if isinstance(value, bool):
        return f'; write "{value}" in quotes'
    if isinstance(value, (int, float)):
        return "; write it in quotes"
    return ""
