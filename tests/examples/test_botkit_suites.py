"""The example chatbots from definitions: their suites as a reader runs them, and how users fare."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml
from tests.servers.example_server import EXAMPLES, serving

from sparring.cli.app import invoke
from sparring.model.verdict import Outcome
from sparring.store import StoredRun, find_run

WEAK_SPOTS = {
    "workshop": {"closed_on_saturday_afternoon"},
    "library": {"closes_at_eight", "renews_once"},
    "clinic": {"keeps_its_number"},
}
"""The rules that fail on each bot, as its README says."""

REFUSED = {
    "workshop": {"weekend"},
    "library": {"out_of_limits", "renews_again"},
    "clinic": {"impossible"},
}
"""The profiles whose users want what the bot is right to refuse."""


@dataclass(frozen=True)
class Example:
    """An example chatbot that is being served."""

    name: str
    url: str

    @property
    def folder(self) -> Path:
        return EXAMPLES / self.name

    def run(self, runs: Path, *options: str) -> StoredRun:
        """Run its whole suite, as ``sparring run`` does."""
        command = ["run", str(self.folder), "--runs", str(runs), "--exit-zero", "--set",
                   f"app.url={self.url}", "--set", "reporters=[]", *options]  # fmt: skip
        assert invoke(command) == 0
        return find_run("last", runs)


@pytest.fixture(
    scope="module",
    params=[
        name if name == "clinic" else pytest.param(name, marks=pytest.mark.thorough)
        for name in WEAK_SPOTS
    ],
)
def example(request: pytest.FixtureRequest) -> Iterator[Example]:
    """Each example, its server as a process started by its own script."""
    with serving(request.param) as url:
        yield Example(request.param, url)


@pytest.fixture(scope="module")
def played(example: Example, tmp_path_factory: pytest.TempPathFactory) -> StoredRun:
    """Its suite, played once with the seed of the file."""
    return example.run(tmp_path_factory.mktemp(example.name))


def goals(run: StoredRun) -> tuple[Counter[str], Counter[str]]:
    """The goals met, and all goals, by profile."""
    met: Counter[str] = Counter()
    every: Counter[str] = Counter()
    for judged in run.judged():
        trace = judged.trace
        met[trace.case.scenario] += len(trace.meta["goals_met"])  # type: ignore[arg-type]
        every[trace.case.scenario] += len(trace.meta["goals"])  # type: ignore[arg-type]
    return met, every


def failed(run: StoredRun) -> set[str]:
    verdicts = [verdict for judged in run.judged() for verdict in judged.verdicts]
    failing = {
        verdict.check
        for verdict in (*verdicts, *run.concluded)
        if verdict.outcome in (Outcome.FAIL, Outcome.ERROR, Outcome.INCONCLUSIVE)
    }
    # how quick answers are is the machine's business here, and what the chatbot rightly refuses
    # leaves goals open
    return failing - {"answers_quickly", "goal_not_completed"}


def test_the_suite_is_valid_and_names_its_schema_first(
    example: Example, capsys: pytest.CaptureFixture[str]
) -> None:
    first = (example.folder / "suite.yaml").read_text().splitlines()[0]
    assert first.startswith("# yaml-language-server: $schema=")
    assert invoke(["validate", str(example.folder)]) == 0, capsys.readouterr().err


def test_the_weak_spots_are_found_and_nothing_else(example: Example, played: StoredRun) -> None:
    assert failed(played) == WEAK_SPOTS[example.name]


def test_every_rule_judges_at_least_one_conversation(example: Example, played: StoredRun) -> None:
    named = {
        yaml.safe_load(path.read_text())["name"] for path in (example.folder / "rules").iterdir()
    }
    decided = {
        verdict.check
        for verdicts in (*(judged.verdicts for judged in played.judged()), played.concluded)
        for verdict in verdicts
        if verdict.outcome in (Outcome.PASS, Outcome.FAIL)
    }
    assert named <= decided


def test_the_readme_names_the_weak_spots(example: Example) -> None:
    text = (example.folder / "README.md").read_text()
    assert all(f"`{rule}`" in text for rule in WEAK_SPOTS[example.name])
    assert "sparring run" in text
    assert "python server.py" in text


def test_users_complete_what_they_came_for(example: Example, played: StoredRun) -> None:
    met, every = goals(played)
    assert met.total() >= 0.9 * every.total()
    for profile in every.keys() - REFUSED[example.name]:
        assert met[profile] == every[profile], profile


@pytest.mark.parametrize(
    "options",
    [
        ("--seed", "7"),
        *(
            pytest.param(
                ("--seed", seed, "--set", f"agent.persona={persona}"), marks=pytest.mark.thorough
            )
            for seed, persona in (("8", "elderly"), ("9", "non-native"), ("10", "impatient"))
        ),
    ],
    ids=["plain", "elderly", "non-native", "impatient"],
)
@pytest.mark.thorough
def test_whoever_they_are(example: Example, tmp_path: Path, options: tuple[str, ...]) -> None:
    met, every = goals(example.run(tmp_path, *options))
    assert met.total() >= 0.9 * every.total(), {
        name: (met[name], every[name]) for name in every if met[name] < every[name]
    }


@pytest.mark.thorough
def test_a_run_is_the_same_one_at_a_time(
    example: Example, played: StoredRun, tmp_path: Path
) -> None:
    def said(run: StoredRun) -> dict[str, list[str]]:
        return {
            judged.trace.case.id: [
                turn.observation.text for turn in judged.trace.turns if turn.observation
            ]
            for judged in run.judged()
        }

    assert said(example.run(tmp_path, "--concurrency", "1")) == said(played)
