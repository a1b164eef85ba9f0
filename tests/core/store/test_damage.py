"""Damaged logs: whatever happens to a line, it is named, or makes no difference."""

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

import pytest
import yaml
from tests.core.engine.conftest import FAKES, fake_suite

from sparring.cli.app import invoke
from sparring.engine.conduct import RunOptions, conduct
from sparring.store import StoredRun
from sparring.store.log import unseal
from sparring.suite.reading import load_suite
from sparring.testing.conversations import stored_run, trace_of, verdict_of

Lines = list[bytes]
CASES = 50


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a finished run of 50 cases, two of which crash."""
    base = tmp_path_factory.mktemp("whole")
    app = {"use": f"{FAKES}FakeConnector", "raises": {1: "crash"}}
    suite = fake_suite(cases=CASES, app=app, concurrency=4)
    (base / "suite.yaml").write_text(yaml.safe_dump(suite), encoding="utf-8")
    done = conduct(load_suite(base / "suite.yaml"), RunOptions())
    assert done.folder
    return done.folder


def overwrite(lines: Lines, random: Random) -> Lines:
    return _spoilt(lines, random, lambda size: random.randbytes(size))


def zero(lines: Lines, random: Random) -> Lines:
    return _spoilt(lines, random, bytes)


def flip(lines: Lines, random: Random) -> Lines:
    log = bytearray(b"".join(lines))
    log[random.randrange(len(log))] ^= 1 << random.randrange(8)
    return bytes(log).splitlines(keepends=True)


def _spoilt(lines: Lines, random: Random, fill: Callable[[int], bytes]) -> Lines:
    log = b"".join(lines)
    size = random.choice([1, 8, 64, 512, 4096])
    start = random.randrange(len(log))
    return (log[:start] + fill(size) + log[start + size :])[: len(log)].splitlines(keepends=True)


def delete(lines: Lines, random: Random) -> Lines:
    at = random.randrange(len(lines))
    return lines[:at] + lines[at + random.randint(1, 3) :]


def swap(lines: Lines, random: Random) -> Lines:
    one, other = random.sample(range(len(lines)), 2)
    lines[one], lines[other] = lines[other], lines[one]
    return lines


def double(lines: Lines, random: Random) -> Lines:
    at = random.randrange(len(lines))
    return lines[: at + random.randint(1, 3)] + lines[at:]


def replace(lines: Lines, random: Random) -> Lines:
    one, other = random.sample(range(len(lines)), 2)
    lines[one] = lines[other]
    return lines


def insert(lines: Lines, random: Random) -> Lines:
    at = random.randrange(len(lines))
    odd = [b"\n", b"{}\n", b'{"kind":"problem_noted"}\n', random.randbytes(30).hex().encode()]
    return [*lines[:at], random.choice(odd), *lines[at:]]


def cut(lines: Lines, random: Random) -> Lines:
    log = b"".join(lines)
    return log[: random.randrange(len(log))].splitlines(keepends=True)


DAMAGES = (overwrite, zero, flip, delete, swap, double, replace, insert, cut)


def verdicts(folder: Path) -> dict[str, list[str]]:
    judged = StoredRun(folder).judged()
    return {one.trace.case.id: [v.model_dump_json() for v in one.verdicts] for one in judged}


def damaged_copy(whole: Path, folder: Path, change: Callable[[Lines], Lines]) -> Path:
    shutil.copytree(whole, folder)
    log = folder / "log.jsonl"
    log.write_bytes(b"".join(change(log.read_bytes().splitlines(keepends=True))))
    return folder


def checked(run: Path, runs: Path, *more: str) -> tuple[int, Path | None]:
    """The exit code of ``sparring check``, and the folder that it stored."""
    code = invoke(["check", str(run), "--runs", str(runs), *more])
    return code, next(iter(runs.glob("*")), None)


SEEDS = [
    # Each kind of damage twice in the sample.
    *range(2 * len(DAMAGES)),
    *(pytest.param(seed, marks=pytest.mark.thorough) for seed in range(2 * len(DAMAGES), 200)),
]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_damaged_log_is_named_or_judged_as_if_whole(
    seed: int, whole: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Of 50 judged cases 47 were once checked in silence because three lines were overwritten."""
    damage = DAMAGES[seed % len(DAMAGES)]
    run = damaged_copy(whole, tmp_path / "run", lambda lines: damage(lines, Random(seed)))
    code, stored = checked(run, tmp_path / "checks")
    said = capfd.readouterr().err
    if code == 2:
        assert f"{run / 'log.jsonl'}:" in said.replace("\n", "")
        assert "the log is damaged" in said
    elif StoredRun(run).summary is None:  # the end is gone, as after a kill
        assert "was not finished" in said
    else:
        assert stored is not None
        assert verdicts(stored) == verdicts(whole)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda lines: [*lines[:9], bytes(len(lines[9]) - 1) + b"\n", *lines[10:]],
         ":10: the log is damaged: it has no number and checksum"),
        (lambda lines: [*lines[:9], lines[9].replace(b"hello", b"hallo"), *lines[10:]],
         ":10: the log is damaged: its checksum does not match"),
        (lambda lines: [*lines[:9], *lines[11:]],
         ":10: the log is damaged: it is line 12: lines before it are missing"),
        (lambda lines: [*lines[:10], *lines[9:]],
         ":11: the log is damaged: it is line 10, which is there twice or was moved"),
        (lambda lines: [*lines[:9], lines[10], lines[9], *lines[11:]],
         ":10: the log is damaged: it is line 11: lines before it are missing"),
    ],
    ids=["zeroed", "changed", "deleted", "doubled", "swapped"],
)  # fmt: skip
def test_the_line_is_named_with_what_is_wrong(
    change: Callable[[Lines], Lines], words: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    whole = stored_run(tmp_path / "whole", traces(6)).folder
    run = damaged_copy(whole, tmp_path / "run", change)
    rules = ["--rules", str(_rule(tmp_path)), "--runs", str(tmp_path)]
    for command in (["show"], ["report", "-o", str(tmp_path / "x.csv")], ["check", *rules]):
        assert invoke([command[0], str(run), *command[1:]]) == 2
        assert f"log.jsonl{words}" in capfd.readouterr().err
    assert not (tmp_path / "x.csv").exists()


def traces(count: int) -> list:  # type: ignore[type-arg]
    return [trace_of([("hello", f"fine {n}")], n=n) for n in range(count)]


def without_judged(lines: Lines, places: Sequence[int]) -> Lines:
    """A log in which the lines of some judged cases are zeroed."""
    judged = [at for at, line in enumerate(lines) if line.startswith(b'{"kind":"case_judged"')]
    lost = {judged[place] for place in places}
    return [b"\0" * 40 + b"\n" if at in lost else line for at, line in enumerate(lines)]


def test_with_salvage_the_rest_is_read_and_what_is_left_out_is_counted(
    whole: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    run = damaged_copy(whole, tmp_path / "run", lambda lines: without_judged(lines, [3, 4, 20]))
    assert invoke(["show", str(run)]) == 2
    assert invoke(["show", str(run), "--salvage"]) == 0
    said = capfd.readouterr().out
    assert "3 of" in said
    assert "lines are missing or damaged" in said
    code, stored = checked(run, tmp_path / "checks", "--salvage")
    assert code == 3, "what could not be read never looks like a pass"
    assert stored is not None
    assert len(verdicts(stored)) == CASES - 3
    assert "3 of" in capfd.readouterr().err
    assert invoke(["report", str(run), "--salvage", "-o", str(tmp_path / "x.html")]) == 0
    assert "left out of" in (tmp_path / "x.html").read_text("utf-8")
    assert invoke(["show", str(run)]) == 2, "the option is for one command only"


def test_lines_out_of_order_are_put_in_order_by_salvage(whole: Path, tmp_path: Path) -> None:
    def shuffled(lines: Lines) -> Lines:
        Random(1).shuffle(lines)
        return [*lines, lines[5], b"nonsense\n"]

    run = damaged_copy(whole, tmp_path / "run", shuffled)
    code, stored = checked(run, tmp_path / "checks", "--salvage")
    assert code == 3
    assert stored is not None
    assert list(verdicts(stored).items()) == list(verdicts(whole).items())


@pytest.mark.parametrize("lost", ["verdicts", "the proposals"])
def test_with_salvage_a_run_goes_on_and_plays_what_is_lost(
    lost: str, whole: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    def change(lines: Lines) -> Lines:
        if lost == "verdicts":
            return without_judged(lines, [0, 7, 30])
        asked = [at for at, line in enumerate(lines) if line.startswith(b'{"kind":"cases_asked"')]
        return [line for at, line in enumerate(lines) if at not in asked[2:4]]

    base = tmp_path / "base"
    run = damaged_copy(whole, base / "run", change)
    assert invoke(["run", "--resume", str(run)]) == 2
    before = (run / "log.jsonl").read_bytes()
    assert invoke(["run", "--resume", str(run), "--salvage"]) in (1, 3)
    assert verdicts(run) == verdicts(whole)
    assert (run / "log.jsonl.damaged").read_bytes() == before
    capfd.readouterr()
    assert invoke(["show", str(run)]) == 0
    assert any("missing or damaged" in problem.message for problem in StoredRun(run).problems)


def test_a_run_whose_strategy_is_lost_is_not_gone_on_with(
    whole: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    def change(lines: Lines) -> Lines:
        return [line for line in lines if not line.startswith(b'{"kind":"cases_asked"')]

    run = damaged_copy(whole, tmp_path / "run", change)
    before = (run / "log.jsonl").read_bytes()
    assert invoke(["run", "--resume", str(run), "--salvage"]) == 2
    assert "what its strategy knew" in capfd.readouterr().err.replace("\n", " ")
    assert (run / "log.jsonl").read_bytes() == before


def as_before_seals(run: Path) -> None:
    """Make a run one that was stored before lines were sealed."""
    log, manifest = run / "log.jsonl", run / "run.json"
    lines = [unseal(line)[1] for line in log.read_bytes().splitlines(keepends=True)]
    log.write_bytes(b"".join(line + b"\n" for line in lines))
    text = manifest.read_text("utf-8")
    assert '"schema_version": 2' in text
    manifest.write_text(text.replace('"schema_version": 2', '"schema_version": 1'), "utf-8")


def test_a_run_of_an_older_version_is_read_and_gone_on_with(whole: Path, tmp_path: Path) -> None:
    run = damaged_copy(whole, tmp_path / "run", lambda lines: lines[: len(lines) // 2])
    as_before_seals(run)
    known = verdicts(run)
    assert 0 < len(known) < CASES
    assert invoke(["run", "--resume", str(run)]) in (1, 3)
    assert verdicts(run) == verdicts(whole)
    lines = (run / "log.jsonl").read_bytes().splitlines(keepends=True)
    unsealed = [unseal(line)[0] == 0 for line in lines]
    assert unsealed == sorted(unsealed, reverse=True), "sealed from where it was gone on with"
    (run / "log.jsonl").write_bytes(b"".join([*lines[:-3], *lines[-2:]]))
    assert invoke(["show", str(run)]) == 2


def test_lines_of_an_older_version_are_salvaged_too(tmp_path: Path) -> None:
    run = stored_run(tmp_path / "run", traces(4), lambda trace: [verdict_of(trace, "pass")]).folder
    as_before_seals(run)
    log = run / "log.jsonl"
    lines = log.read_bytes().splitlines(keepends=True)
    judged = next(at for at, line in enumerate(lines) if b'"kind":"case_judged"' in line)
    lines[judged] = lines[judged][:40] + b"\0" * 20 + lines[judged][60:]
    log.write_bytes(b"".join(lines))
    code, stored = checked(run, tmp_path / "checks", "--salvage", "--rules", str(_rule(tmp_path)))
    assert code == 3
    assert stored is not None
    assert len(verdicts(stored)) == 3


def _rule(folder: Path) -> Path:
    path = folder / "rule.yaml"
    path.write_text("name: short\noracle: len(chatbot_phrases) < 1000\n", encoding="utf-8")
    return path
