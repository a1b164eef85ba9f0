"""Frozen steps: what each step of a test case acted upon, kept beside it, and found again.

A frozen step never acts on something else without saying so. Where the page has the element with
the same fingerprint, once, it is taken (*found*). Where the element has changed, it is taken only
if the step's own words mean the same element, or nothing else comes near (*healed*). Otherwise
the step is *lost*, and inconclusive.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from sparring.errors import ConfigurationError, Problem
from sparring.model.base import Value
from sparring.model.page import Element
from sparring.model.talk import GuiAction
from sparring_plugins.web.pages.control_kinds import in_words
from sparring_plugins.web.pages.fingerprints import Fingerprint, alike, fingerprint, is_twin
from sparring_plugins.web.pages.places import Layout
from sparring_plugins.web.roles.page_agents import Navigation
from sparring_plugins.web.roles.step import Step

_AGREES = 0.6
_ALONE = 0.85
_AHEAD = 0.12


class FrozenAct(Value):
    """An act of a step, with the fingerprints of what it acts upon."""

    action: str
    value: str | None = None
    target: Fingerprint | None = None
    destination: Fingerprint | None = None


class FrozenStep(Value):
    """A step's acts; `changes` says that they had an effect when they were frozen."""

    text: str
    acts: tuple[FrozenAct, ...]
    changes: bool = False


class FrozenFile(Value):
    """All frozen steps of the test cases of one file: by test case, then by the step's number."""

    frozen: Literal[1] = 1
    tests: dict[str, dict[int, FrozenStep]] = {}


@dataclass(frozen=True)
class Thawed:
    """A frozen step's acts on the page as it is now, or why there are none."""

    state: Literal["found", "healed", "lost"]
    acts: tuple[GuiAction, ...] = ()
    reason: str = ""


def freeze(step: Step, acts: tuple[GuiAction, ...], layout: Layout, *, changes: bool) -> FrozenStep:
    """What is kept of a step that was carried out by `acts` on the page `layout`."""
    return FrozenStep(
        text=step.text,
        changes=changes,
        acts=tuple(
            FrozenAct(
                action=act.action,
                value=None if act.value is None else str(act.value),
                target=_of(act.target, layout),
                destination=_of(act.destination, layout),
            )
            for act in acts
        ),
    )


def _of(identifier: str | None, layout: Layout) -> Fingerprint | None:
    element = layout.by_id.get(identifier or "")
    return fingerprint(element, layout) if element else None


def thaw(frozen: FrozenStep, layout: Layout, now: Navigation) -> Thawed:
    """Find the elements of a frozen step again; `now` is what the step's words mean here."""
    acts: list[GuiAction] = []
    state: Literal["found", "healed"] = "found"
    for number, kept in enumerate(frozen.acts):
        meant = now.acts[number] if number < len(now.acts) else None
        ids: list[str | None] = []
        for wanted, words in (
            (kept.target, meant.target if meant else None),
            (kept.destination, meant.destination if meant else None),
        ):
            element, how = _find(wanted, words, layout) if wanted else (None, "found")
            if wanted and element is None:
                return Thawed("lost", reason=how)
            state = "healed" if how == "healed" else state
            ids.append(element.id if element else None)
        shown = layout.by_id.get(ids[0] or "")
        acts.append(
            GuiAction(
                action=kept.action,
                value=kept.value,
                target=ids[0],
                destination=ids[1],
                described=in_words(shown) if shown else None,
            )
        )
    return Thawed(state, tuple(acts))


def _find(wanted: Fingerprint, meant: str | None, layout: Layout) -> tuple[Element | None, str]:
    rated = alike(wanted, layout.snapshot.elements, layout)
    same = [one for one in rated if one.score >= 1.0]
    if len(same) == 1:
        # The texts around an element change first: they don't tell it from its twins.
        same = [one for one in rated if is_twin(wanted, one.element, layout)]
    if len(same) == 1:
        return same[0].element, "found"
    named = f"the frozen {wanted.role} '{wanted.name or wanted.label}'"
    if len(same) > 1:
        chosen = [one.element for one in same if one.element.id == meant]
        return (chosen[0], "found") if chosen else (None, f"{named} is there {len(same)} times")
    if not rated:
        return None, f"{named} is not on the page, nor any other {wanted.role}"
    best = rated[0]
    if best.element.id == meant and best.score >= _AGREES:
        return best.element, "healed"
    ahead = len(rated) == 1 or best.score - rated[1].score >= _AHEAD
    if meant is None and best.score >= _ALONE and ahead:
        return best.element, "healed"
    nearest = f"the likest is {in_words(best.element)} ({best.score:.2f})"
    return None, f"{named} is not on the page any more; {nearest}"


@dataclass
class FrozenFiles:
    """The frozen steps beside the files of test cases: read once, written at the end.

    ``shop.yaml`` has ``shop.frozen.json`` beside it.
    """

    files: dict[Path, FrozenFile] = field(default_factory=dict[Path, FrozenFile])
    changed: set[Path] = field(default_factory=set[Path])

    def of(self, source: Path, test: str) -> Mapping[int, FrozenStep]:
        """The frozen steps of a test case, by their numbers."""
        return self._file(source).tests.get(test, {})

    def keep(self, source: Path, test: str, steps: Mapping[int, FrozenStep]) -> None:
        """Replace the frozen steps of a test case."""
        known = self._file(source)
        if known.tests.get(test) == dict(steps):
            return
        tests = {**known.tests, test: dict(steps)}
        self.files[source] = known.model_copy(update={"tests": tests})
        self.changed.add(source)

    def write(self) -> None:
        """Write what has changed."""
        for source in sorted(self.changed):
            text = self.files[source].model_dump_json(indent=1, exclude_defaults=True)
            path = beside(source)
            data = {"frozen": 1, **json.loads(text)}
            path.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", "utf-8")
        self.changed.clear()

    def _file(self, source: Path) -> FrozenFile:
        if source not in self.files:
            self.files[source] = _read(beside(source))
        return self.files[source]


def beside(source: Path) -> Path:
    """The file with the frozen steps of the test cases in `source`."""
    return source.with_name(f"{source.stem}.frozen.json")


def _read(path: Path) -> FrozenFile:
    try:
        return FrozenFile.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return FrozenFile()
    except (OSError, ValidationError) as err:
        raise ConfigurationError(
            Problem(f"is no file of frozen steps ({err}); remove it to freeze anew", file=str(path))
        ) from err
