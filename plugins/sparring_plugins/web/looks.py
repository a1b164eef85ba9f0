"""The oracle ``looks``: whether pages look as they did in a picture that a person has blessed.

Pictures are those that the connector `browser` takes (``screenshots: every``). Blessed ones lie in
a folder beside the suite, ``CASE/POINT.png``; ``sparring bless-pictures RUN`` puts them there.
"""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from pydantic import Field, JsonValue, field_validator, model_validator

from sparring.errors import MissingExtra
from sparring.interfaces.oracle import Oracle
from sparring.interfaces.plugin import BuildContext, PluginConfig, Settings
from sparring.model.page import Box, Element, PageSnapshot, PageView
from sparring.model.talk import GuiAction, Trace
from sparring.model.verdict import Outcome, Owner, TurnRef, Verdict
from sparring_plugins.gating.case_ids import old_id
from sparring_plugins.web.pages.text_fit import contains, plain
from sparring_plugins.web.played_pages import record_of
from sparring_plugins.web.rehearsals import without_rehearsals

_QUIET = frozenset({"wait", "rehearse", "mark", "answer_dialog"})
# A picture is decoded whole: a small file may say that it has a million lines.
_MAX_BYTES = 50_000_000


class Rectangle(Settings):
    """A part of a picture, in CSS pixels from the top left corner of the page's viewport."""

    x: float
    y: float
    width: float = Field(ge=0)
    height: float = Field(ge=0)


class Mask(Settings):
    """A part of the page that is not compared: elements by what they are called, or a rectangle."""

    role: str | None = Field(None, description="The ARIA role of the elements.")
    name: str | None = Field(None, description="Their accessible name, whole.")
    text: str | None = Field(None, description="A phrase of their text.")
    box: Rectangle | None = Field(
        None, description="A rectangle in CSS pixels: x, y, width, height."
    )

    @model_validator(mode="after")
    def _names_something(self) -> "Mask":
        if all(value is None for value in (self.role, self.name, self.text, self.box)):
            raise ValueError("a mask names a role, a name, a text or a box")
        return self

    def boxes(self, snapshot: PageSnapshot) -> Iterator[Box]:
        """Yield the rectangles that are not compared on a page."""
        if self.box is not None:
            yield Box(**self.box.model_dump())
        if self.role is self.name is self.text is None:
            return
        for element in snapshot.elements:
            if element.visible and element.box is not None and self._fits(element):
                yield element.box

    def _fits(self, element: Element) -> bool:
        return (
            self.role in (None, element.role)
            and (self.name is None or plain(self.name) == plain(element.name))
            and (self.text is None or contains(self.text, element.text))
        )


class LooksConfig(PluginConfig):
    """Settings of the oracle `looks`."""

    folder: str = Field("blessed", description="The folder of blessed pictures, in the suite's.")
    at: Literal["end", "acts"] = Field(
        "end", description="Compare the last page of each case, or the page after each act."
    )
    masks: tuple[Mask, ...] = Field((), description="What is not compared: clocks, adverts ...")
    tolerance: float = Field(
        0.0001, ge=0, le=1, description="The share of pixels that may differ; a caret blinks."
    )
    threshold: float = Field(
        0.1, ge=0, le=1, description="How far colours may differ, as pixelmatch measures it."
    )

    @field_validator("folder")
    @classmethod
    def _inside(cls, folder: str) -> str:
        path = PurePosixPath(folder.replace("\\", "/"))
        if path.is_absolute() or ".." in path.parts or ":" in folder or not path.parts:
            raise ValueError(f"{folder!r}: write a folder in that of the suite")
        return folder


@dataclass(frozen=True)
class Point:
    """A moment of a case at which it is compared: its name, its turn, and what was shown."""

    name: str
    turn: int
    view: PageView


@dataclass(frozen=True)
class Difference:
    """How two pictures differ: `share` of the pixels, and a picture that shows where."""

    share: float
    size: tuple[int, int]
    blessed_size: tuple[int, int]
    shown: Any = None


def points(trace: Trace, at: str) -> list[Point]:
    """Return the moments at which a case is compared, in order."""
    acts: list[Point] = []
    for number, turn in without_rehearsals(trace.turns):
        page = turn.observation.page if turn.observation is not None else None
        act = turn.act.action if isinstance(turn.act, GuiAction) else "listen"
        is_failure = isinstance(turn.act, GuiAction) and turn.act.value == "failure"
        if page is not None and act not in _QUIET and not is_failure:
            acts.append(Point(f"act-{len(acts) + 1:03d}", number, page))
    if at == "acts":
        return acts
    return [Point("end", acts[-1].turn, acts[-1].view)] if acts else []


def blessed_path(folder: Path, trace: Trace, point: Point) -> Path:
    """Return where the blessed picture of a moment lies, or would: an id of 0.2 counts, too."""
    path, before = (
        folder / name / f"{point.name}.png" for name in (trace.case.id, old_id(trace.case.id))
    )
    return before if before.is_file() and not path.is_file() else path


class Looks(Oracle[LooksConfig]):
    """A verdict for each picture that is compared."""

    Config = LooksConfig

    def __init__(self, config: LooksConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        if find_spec("pixelmatch") is None or find_spec("PIL") is None:
            raise MissingExtra(
                "the oracle 'looks' needs the libraries pillow and pixelmatch: "
                "pip install 'sparring[pictures]'"
            )
        self._folder = context.base_dir / config.folder

    async def judge(self, trace: Trace) -> Sequence[Verdict]:
        record = record_of(trace)
        if record is not None and record.verdict == "inconclusive" and self.config.at == "end":
            reason = "the test case did not come to its end"
            return (self._verdict(trace, None, Outcome.SKIPPED, reason),)
        found = points(trace, self.config.at)
        if not found:
            return (self._verdict(trace, None, Outcome.SKIPPED, "the case shows no page"),)
        return [await self._compare(trace, point) for point in found]

    async def _compare(self, trace: Trace, point: Point) -> Verdict:
        now = self._picture(point)
        if now is None:
            reason = "there is no picture: write `screenshots: every` in the suite's `app`"
            return self._verdict(trace, point, Outcome.INCONCLUSIVE, reason)
        blessed = blessed_path(self._folder, trace, point)
        if not blessed.is_file():
            reason = "no picture is blessed: look at it, then 'sparring bless-pictures' takes it"
            return self._verdict(trace, point, Outcome.INCONCLUSIVE, reason)
        masked = [box for mask in self.config.masks for box in mask.boxes(point.view.snapshot)]
        try:
            difference = await asyncio.to_thread(
                compare, blessed, now, masked, threshold=self.config.threshold
            )
        except (OSError, ValueError) as err:
            reason = f"the pictures cannot be compared: {err}"
            return self._verdict(trace, point, Outcome.INCONCLUSIVE, reason)
        return self._judge_difference(trace, point, difference, now, blessed)

    def _judge_difference(
        self, trace: Trace, point: Point, found: Difference, now: Path, blessed: Path
    ) -> Verdict:
        if found.size != found.blessed_size:
            sizes = "{}x{} pixels, the blessed one {}x{}".format(*found.size, *found.blessed_size)
            reason = f"the picture has {sizes}: bless it anew if the viewport was changed"
            return self._verdict(trace, point, Outcome.INCONCLUSIVE, reason)
        if found.share <= self.config.tolerance:
            return self._verdict(trace, point, Outcome.PASS, "it looks as blessed")
        shown = now.with_name(f"{point.name}-difference.png")
        found.shown.save(shown)
        kept = now.with_name(f"{point.name}-blessed.png")
        kept.write_bytes(blessed.read_bytes())
        folder = PurePosixPath(point.view.screenshot or "").parent
        pictures: list[JsonValue] = [
            {"caption": "blessed", "path": (folder / kept.name).as_posix()},
            {"caption": "now", "path": point.view.screenshot},
            {"caption": "difference", "path": (folder / shown.name).as_posix()},
        ]
        reason = f"{max(found.share, 0.0001):.2%} of the picture differ from the blessed one"
        details: dict[str, JsonValue] = {"share": round(found.share, 6), "pictures": pictures}
        return self._verdict(trace, point, Outcome.FAIL, reason, details)

    def _picture(self, point: Point) -> Path | None:
        """Return the file of a picture in the run's folder, if there is one."""
        path = PurePosixPath(point.view.screenshot or "")
        if self.context.run_dir is None or not path.parts:
            return None
        if path.is_absolute() or ".." in path.parts:
            return None
        file = self.context.run_dir / path
        return file if file.is_file() else None

    def _verdict(
        self,
        trace: Trace,
        point: Point | None,
        outcome: Outcome,
        reason: str,
        details: dict[str, JsonValue] | None = None,
    ) -> Verdict:
        owners = {Outcome.FAIL: Owner.APP, Outcome.INCONCLUSIVE: Owner.TEST}
        turns = (TurnRef(case_id=trace.case.id, turn=point.turn),) if point is not None else ()
        return Verdict(
            oracle="looks",
            check=point.name if point is not None else "end",
            outcome=outcome,
            owner=owners.get(outcome),
            case_ids=(trace.case.id,),
            turns=turns,
            reason=reason,
            details=details or {},
        )


def compare(
    blessed: Path, now: Path, masked: Sequence[Box] = (), *, threshold: float = 0.1
) -> Difference:
    """Compare two PNG files; raises OSError or ValueError if one cannot be read.

    Most pictures are equal, which Pillow finds at once; pixelmatch, which knows anti-aliased edges,
    looks only at the rectangle that holds all differences.
    """
    from PIL import Image, ImageChops, ImageDraw
    from pixelmatch.contrib.PIL import pixelmatch

    before, after = (_load(path) for path in (blessed, now))
    if before.size != after.size:
        return Difference(1.0, after.size, before.size)
    for picture in (before, after):
        draw = ImageDraw.Draw(picture)
        for box in masked:
            corners = (box.x, box.y, box.x + box.width, box.y + box.height)
            draw.rectangle(corners, fill=(128, 128, 128, 255))
    changed = ImageChops.difference(before.convert("RGB"), after.convert("RGB")).getbbox()
    if changed is None:
        return Difference(0.0, after.size, before.size)
    area = (
        max(0, changed[0] - 2), max(0, changed[1] - 2),
        min(after.width, changed[2] + 2), min(after.height, changed[3] + 2),
    )  # fmt: skip
    old, new = before.crop(area), after.crop(area)
    marked = Image.new("RGBA", new.size)
    different = pixelmatch(old, new, marked, threshold=threshold)
    shown = Image.blend(after, Image.new("RGBA", after.size, (255, 255, 255, 255)), 0.8)
    shown.paste(marked, area[:2])
    share = different / (after.width * after.height)
    return Difference(share, after.size, before.size, shown)


def _load(path: Path) -> Any:
    from PIL import Image

    if path.stat().st_size > _MAX_BYTES:
        raise ValueError(f"{path.name} is larger than {_MAX_BYTES // 1_000_000} MB")
    with Image.open(path, formats=("PNG",)) as picture:
        return picture.convert("RGBA")
