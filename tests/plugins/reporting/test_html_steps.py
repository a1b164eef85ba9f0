"""Test cases in plain language in the HTML report: what is shown, and that nothing gets out."""

from base64 import b64encode
from pathlib import Path

from sparring.model.talk import Trace
from sparring.testing.conversations import stored_run, trace_of, verdict_of
from sparring.testing.fakes import FakeContext
from sparring_plugins.reporting.html.reporter import HtmlReporter
from sparring_plugins.reporting.html.steps import Pictures, steps_view
from sparring_plugins.web.roles import Candidate, Judged
from sparring_plugins.web.runner.records import GuiRecord, StepRecord
from sparring_plugins.web.step import Step

PNG = b"\x89PNG\r\n\x1a\n" + b"\x00" * 40
EVIL = "</li><script>alert(1)</script>\x1b[31m\u202e"


def step(number: int, text: str, outcome: str, **more: object) -> StepRecord:
    data = {"step": Step(number=number, text=text), "outcome": outcome, **more}
    return StepRecord.model_validate(data)


def trace(*steps: StepRecord, verdict: str = "fail") -> Trace:
    record = GuiRecord(test="t", steps=steps, verdict=verdict, strict=False)  # type: ignore[arg-type]
    return trace_of([("hi", "hello")], meta={"gui": record.model_dump(mode="json")})


STEPS = (
    step(1, "Click on 'Save'", "done", target="button 'Save'", duration_s=0.2,
         observed=Judged(truth=True, facts=("a new document", "a new title", "a new title")),
         readiness=Judged(truth=True, reason="by its name"), screenshot="artifacts/one.png"),
    step(2, "Assert that 'x' is displayed", "true", vacuous="before",
         assertion=Judged(truth=True, reason="seen", strict=False)),
    step(3, "Assert that 'y' is displayed", "false", expected=False, reason="not seen"),
    step(4, "Click on 'Edit'", "inconclusive", reason="2 fit equally well",
         candidates=(Candidate(element="1", score=1.0, reason="link 'Edit' by its name"),)),
    step(5, "Assert that 'z' is displayed", "not_reached"),
)  # fmt: skip


def report(folder: Path, played: Trace, **settings: object) -> str:
    run = stored_run(folder / "run", [played], [[verdict_of(played, "fail")]])
    (run.folder / "artifacts").mkdir()
    (run.folder / "artifacts" / "one.png").write_bytes(PNG)
    reporter = FakeContext(base_dir=folder, run_dir=run.folder).build(HtmlReporter, **settings)
    for event in run.events():
        reporter.handle(event)
    return reporter.written()[0].read_text()


def test_a_step_shows_its_outcome_target_evidence_and_who_decided(tmp_path: Path) -> None:
    view = steps_view(trace(*STEPS), Pictures(tmp_path))
    assert view is not None
    assert [(one.badge, one.word) for one in view.steps] == [
        ("pass", "done"), ("pass", "holds"), ("pass", "does not hold, as expected"),
        ("inconclusive", "inconclusive"), ("skipped", "not reached"),
    ]  # fmt: skip
    assert view.steps[0].evidence == ("a new document", "a new title")
    assert "shows little" in view.steps[1].vacuous
    assert view.steps[1].said[0].by == "model"
    assert view.steps[3].candidates == (("1.00", "link 'Edit' by its name"),)
    assert view.decided == "a model was asked at 1 of 5 steps"


def test_a_picture_is_shown_once_and_only_from_the_run(tmp_path: Path) -> None:
    (tmp_path / "artifacts").mkdir()
    (tmp_path / "artifacts" / "one.png").write_bytes(PNG)
    (tmp_path / "text.png").write_text("<svg onload=alert(1)>")
    pictures = Pictures(tmp_path)
    first = pictures.shot("artifacts/one.png")
    assert first is not None
    assert first.data == f"data:image/png;base64,{b64encode(PNG).decode()}"
    assert pictures.shot("artifacts/one.png") is None
    other = pictures.shot("text.png")
    assert other is not None
    assert other.data == "", "what is no picture is not embedded"
    for path in ("../secret.png", "/etc/hostname", "missing.png", "a\0b", None, ""):
        assert pictures.shot(path) is None
    small = Pictures(tmp_path, room=10).shot("artifacts/one.png")
    assert small is not None
    assert (small.data, small.address) == ("", "./artifacts/one.png")


def test_what_is_no_record_is_shown_as_a_conversation(tmp_path: Path) -> None:
    played = trace_of([("hi", "hello")], meta={"gui": {"steps": "none"}})
    assert steps_view(played, Pictures(tmp_path)) is None
    assert steps_view(trace_of([("hi", "hello")]), Pictures(tmp_path)) is None


def test_hostile_texts_of_pages_are_text_in_the_report(tmp_path: Path) -> None:
    judged = Judged(truth=False, reason=EVIL, facts=(EVIL,))
    evil = step(1, EVIL, "inconclusive", reason=EVIL, target=EVIL, url=EVIL, readiness=judged,
                observed=judged, candidates=(Candidate(element="1", score=1, reason=EVIL),),
                screenshot=EVIL)  # fmt: skip
    written = report(tmp_path, trace(evil, verdict="inconclusive"))
    assert "<script>alert(1)" not in written
    assert "\x1b" not in written
    assert "\u202e" not in written
    assert "&lt;script&gt;alert(1)" in written


def test_the_report_has_the_steps_and_the_picture(tmp_path: Path) -> None:
    written = report(tmp_path, trace(*STEPS))
    assert written.count('<li class="step ') == 5
    assert 'href="./artifacts/one.png"' in written
    assert "Weak assertion." in written
    assert "Turn by turn" in written
