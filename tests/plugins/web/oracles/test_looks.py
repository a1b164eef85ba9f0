"""The oracle `looks`: pictures of pages against blessed ones; `sparring bless-pictures`."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageDraw
from pydantic import ValidationError
from tests.plugins.web.runner.pages import element, page

from sparring.model.case import Case
from sparring.model.page import Box
from sparring.model.talk import Ended, GuiAction, Observation, Trace, Turn
from sparring.model.verdict import Outcome, Owner, Verdict
from sparring.testing.fakes import FakeContext
from sparring_plugins.web.bless_command import bless_picture
from sparring_plugins.web.looks import Looks, LooksConfig, compare, points

SIZE = (200, 100)
CLOCK = element("timer", "Clock", box=Box(x=150, y=0, width=50, height=20))


def draw(path: Path, *boxes: tuple[int, int, int, int], size: tuple[int, int] = SIZE) -> None:
    picture = Image.new("RGB", size, "white")
    for box in boxes:
        ImageDraw.Draw(picture).rectangle(box, fill="navy")
    path.parent.mkdir(parents=True, exist_ok=True)
    picture.save(path)


def trace(*pictures: str | None) -> Trace:
    turns = []
    for number, picture in enumerate(pictures):
        view = page(CLOCK, url="http://shop.test/").model_copy(update={"screenshot": picture})
        act = GuiAction(action="click", target=str(number))
        shown = Observation(page=view)
        turns.append(Turn(act=act, observation=shown, started_s=0.0, latency_s=0.1))
    wait = GuiAction(action="wait", value=0.2)
    turns.append(Turn(act=wait, observation=turns[-1].observation, started_s=0, latency_s=0.1))
    case = Case.of("a case", {}, run_seed=1)
    began = datetime(2026, 11, 26, tzinfo=UTC)
    return Trace(case=case, turns=tuple(turns), ended=Ended.SCRIPT_DONE, started=began)


NOW = "artifacts/a/001-click.png"


def judge(folder: Path, played: Trace, **config: Any) -> list[Verdict]:
    context = FakeContext(base_dir=folder, run_dir=folder / "run")
    oracle = Looks(LooksConfig.model_validate(config), context)
    return list(asyncio.run(oracle.judge(played)))


def blessed(folder: Path, played: Trace, point: str = "end") -> Path:
    return folder / "blessed" / played.case.id / f"{point}.png"


def test_a_page_that_looks_as_blessed_passes(tmp_path: Path) -> None:
    played = trace(NOW)
    for path in (tmp_path / "run" / NOW, blessed(tmp_path, played)):
        draw(path, (10, 10, 40, 40))
    (verdict,) = judge(tmp_path, played)
    assert (verdict.outcome, verdict.check, verdict.turns[0].turn) == (Outcome.PASS, "end", 0)


def test_a_difference_fails_and_is_shown_in_pictures(tmp_path: Path) -> None:
    played = trace(NOW)
    draw(tmp_path / "run" / NOW, (10, 10, 40, 40), (60, 60, 79, 69))
    draw(blessed(tmp_path, played), (10, 10, 40, 40))
    (verdict,) = judge(tmp_path, played)
    assert (verdict.outcome, verdict.owner) == (Outcome.FAIL, Owner.APP)
    assert verdict.reason == "1.00% of the picture differ from the blessed one"
    pictures: Any = verdict.details["pictures"]
    assert [entry["caption"] for entry in pictures] == ["blessed", "now", "difference"]
    assert all((tmp_path / "run" / entry["path"]).is_file() for entry in pictures)
    (tolerant,) = judge(tmp_path, played, tolerance=0.01)
    assert tolerant.outcome is Outcome.PASS


@pytest.mark.parametrize(
    "mask",
    [
        {"role": "timer"},
        {"name": "clock"},
        {"box": {"x": 150, "y": 0, "width": 50, "height": 20}},
    ],
    ids=str,
)
def test_what_is_masked_is_not_compared(tmp_path: Path, mask: Any) -> None:
    played = trace(NOW)
    draw(tmp_path / "run" / NOW, (160, 4, 180, 15))
    draw(blessed(tmp_path, played))
    assert judge(tmp_path, played)[0].outcome is Outcome.FAIL
    assert judge(tmp_path, played, masks=[mask])[0].outcome is Outcome.PASS
    other = {"role": "timer", "name": "Calendar"}
    assert judge(tmp_path, played, masks=[other])[0].outcome is Outcome.FAIL


def test_without_pictures_nothing_is_claimed(tmp_path: Path) -> None:
    played = trace(NOW)
    (unseen,) = judge(tmp_path, trace(None))
    assert (unseen.outcome, unseen.owner) == (Outcome.INCONCLUSIVE, Owner.TEST)
    assert "screenshots: every" in unseen.reason
    draw(tmp_path / "run" / NOW)
    assert "no picture is blessed" in judge(tmp_path, played)[0].reason
    draw(blessed(tmp_path, played), size=(300, 100))
    assert "200x100 pixels, the blessed one 300x100" in judge(tmp_path, played)[0].reason
    blessed(tmp_path, played).write_bytes(b"no picture at all")
    assert "cannot be compared" in judge(tmp_path, played)[0].reason
    assert judge(tmp_path, trace("../../secret.png"))[0].outcome is Outcome.INCONCLUSIVE


def test_each_act_can_be_compared(tmp_path: Path) -> None:
    played = trace(NOW, "artifacts/a/002-click.png")
    assert [point.name for point in points(played, "acts")] == ["act-001", "act-002"]
    assert [point.turn for point in points(played, "end")] == [1]
    draw(tmp_path / "run" / NOW)
    draw(blessed(tmp_path, played, "act-001"))
    first, second = judge(tmp_path, played, at="acts")
    assert (first.outcome, second.outcome) == (Outcome.PASS, Outcome.INCONCLUSIVE)


def test_anti_aliased_edges_are_no_difference(tmp_path: Path) -> None:
    """A slanted line that is moved by a fraction of a pixel differs in its edges only."""
    paths = []
    for number, shift in enumerate((0, 1)):
        large = Image.new("RGB", (800, 400), "white")
        ImageDraw.Draw(large).line((40 + shift, 40, 760, 300), fill="black", width=12)
        paths.append(tmp_path / f"{number}.png")
        large.resize(SIZE, Image.Resampling.LANCZOS).save(paths[-1])
    assert compare(*paths).share < 0.001


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"folder": "../elsewhere"}, "write a folder in that of the suite"),
        ({"folder": "/etc"}, "write a folder in that of the suite"),
        ({"masks": [{}]}, "a mask names a role, a name, a text or a box"),
        ({"tolerance": 2}, "less than or equal to 1"),
    ],
)
def test_settings_that_cannot_be_are_refused(config: Any, message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        LooksConfig.model_validate(config)


def test_blessing_copies_only_pictures_of_the_run(tmp_path: Path) -> None:
    source, goal = tmp_path / "run", tmp_path / "blessed" / "a" / "end.png"
    draw(source / NOW)
    assert [bless_picture(source, NOW, goal) for _ in range(2)] == ["new", "as before"]
    draw(source / NOW, (1, 1, 9, 9))
    assert bless_picture(source, NOW, goal) == "changed"
    assert goal.read_bytes() == (source / NOW).read_bytes()
    for outside in (None, "../secret.png", "/etc/passwd", "missing.png"):
        assert bless_picture(source, outside, goal) == "without a picture"
