"""The goals of a profile: templates and declared variables, checked against each other."""

from typing import Any, Literal

from sparring.documents.checking import nearest, shown
from sparring_plugins.users.profiles.file_shapes import Part, Parts
from sparring_plugins.users.profiles.goal_templates import holes
from sparring_plugins.users.profiles.profile_source import (
    Path_,
    Source,
    listed,
    mapping,
    quoting,
)


class GoalReader:
    """Reads the goals of one profile: `templates`, and `declared` variables by name."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.templates: list[tuple[str, Path_]] = []
        self.declared: dict[str, Part] = {}

    def read(self, parts: Parts) -> None:
        """Read SENSEI's list, which mixes both, or the paper's ``templates`` and ``inputs``."""
        value, at = parts.value("goals"), parts.at("goals")
        errors = len(self.source.problems)
        entries = mapping(value)
        if entries is None:
            self._items(value, at, "goal")
        else:
            self._paper_form(entries, at)
        if not self.templates and len(self.source.problems) == errors:
            self.source.error("missing: a profile has at least one goal", at)
        self._check_holes()

    def _paper_form(self, entries: dict[Any, Any], at: Path_) -> None:
        self.source.spellings.add("templates")
        for key, value in entries.items():
            if key == "templates":
                self._items(value, (*at, key), "template")
            elif key == "inputs":
                self._items(value, (*at, key), "input")
            else:
                known = nearest(str(key), ("templates", "inputs"))
                self.source.error(f"unknown key.{known}", (*at, str(key)))

    def _items(self, value: Any, at: Path_, kind: Literal["goal", "template", "input"]) -> None:
        for item, here in listed(value, at):
            entries = mapping(item)
            if item is None or item == "":
                self.source.warn("an empty goal is passed over", here)
            elif isinstance(item, str) and kind != "input":
                self.templates.append((item.strip(), here))
            elif entries is not None and kind != "template":
                for name, spec in entries.items():
                    self._declare(str(name).strip(), Part(spec, (*here, name)))
            else:
                what = "variable with function, type and data" if kind == "input" else "goal"
                found = f"{shown(item)}{quoting(item)}"
                self.source.error(f"expected a {what}, found {found}", here)

    def _declare(self, name: str, part: Part) -> None:
        if name in self.declared:
            line = self.source.document.line(self.declared[name].at)
            self.source.error(f"the variable is declared twice (first on line {line})", part.at)
        elif not isinstance(part.value, (dict, list)):
            expected = "expected a variable with function, type and data"
            hint = "a goal with a colon needs quotes"
            self.source.error(f"{expected}, found {shown(part.value)}; {hint}", part.at)
        else:
            self.declared[name] = part

    def _check_holes(self) -> None:
        used: set[str] = set()
        for template, at in self.templates:
            for name in holes(template, exact=self.source.compat):
                used.add(name)
                if name not in self.declared:
                    hint = nearest(name, list(self.declared))
                    self.source.strict(f"uses an undeclared variable {name!r}.{hint}", at)
        for name, part in self.declared.items():
            if name not in used:
                message = f"the variable {name!r} is declared but no goal uses it"
                self.source.warn(message, part.at)
            if not name.isidentifier():
                message = f"rules cannot name the variable {name!r}: it is no identifier"
                self.source.warn(message, part.at)
