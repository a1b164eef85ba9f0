"""A study file: what it may say, and what is told of one that is wrong."""

from pathlib import Path

import pytest
import yaml
from tests.search_shop import write_shop

from sparring.cli.app import invoke

GOOD = {"name": "s", "suite": "suite.yaml", "strategies": ["random"], "seeds": [1]}


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    return write_shop(tmp_path).parent


def write(folder: Path, data: object) -> None:
    (folder / "study.yaml").write_text(yaml.safe_dump(data, sort_keys=False))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"strategys": []}, "strategys: unknown key. Did you mean 'strategies'?"),
        ({"strategies": []}, "study.yaml:3: strategies: tuple should have at least 1 item"),
        ({"strategies": ["randon"]}, "strategies[0].use: no strategy is called 'randon'"),
        ({"strategies": [{"use": "random", "numbers": 3}]},
         "strategies[0].numbers: unknown key. Did you mean 'number'?"),
        ({"strategies": ["random", "random"]}, "two strategies are called 'random'"),
        ({"strategies": [{"use": "random", "name": "a b"}, {"use": "random", "name": "a-b"}]},
         "the strategies 'a b' and 'a-b' would share a folder"),
        ({"results": "s3://bucket/studies"},
         "results: a study is stored in a folder of this machine, not at an address"),
        ({"seeds": "6-1"}, "expected a list of seeds, or a range such as '1-6', found '6-1'"),
        ({"seeds": [1, 2, 1]}, "seeds: the seed 1 is there twice"),
        ({"seeds": [-1]}, "greater than or equal to 0, found -1"),
        ({"seeds": "0-99999"}, "expected a list of seeds"),
        ({"baselines": ["rondom"]}, "no strategy is called 'rondom'. Did you mean 'random'?"),
        ({"budget": {"case": 3}}, "budget.case: unknown key. Did you mean 'cases'?"),
        ({"apps": [{"name": "x", "app": {"use": "ecko"}}]}, "no connector is called 'ecko'"),
        ({"apps": [{"nome": "x"}]}, "apps[0].nome: unknown key. Did you mean 'name'?"),
        ({"suite": "no.yaml"}, "no.yaml: cannot be read: No such file"),
        ({"set": {"agent.spacess": "x"}}, "agent.spacess: unknown key. Did you mean 'spaces'?"),
        ({"set": {"agent.spaces": "no.yaml"}}, "no.yaml"),
        ({"threshold": 2}, "threshold: input should be less than or equal to 1, found 2"),
        ({"archive": ["item", "sise"]},
         "archive[1]: no app has a feature 'sise'. Did you mean 'size'?"),
        ({"results": "${NOT_THERE_AT_ALL}"}, "the environment variable 'NOT_THERE_AT_ALL' is not"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_study_is_named(
    changed: dict[str, object], message: str, shop: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    write(shop, {**GOOD, **changed})
    assert invoke(["study", "--dry-run"]) == 2
    assert message in capfd.readouterr().err


def test_a_study_that_is_no_study_is_named(shop: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for text, message in (("", "study.yaml: is empty"), ("- a", "expected keys and values"),
                          ("name: [", "is not valid YAML")):  # fmt: skip
        (shop / "study.yaml").write_text(text)
        assert invoke(["study", "--dry-run"]) == 2
        assert message in capfd.readouterr().err
    (shop / "study.yaml").unlink()
    assert invoke(["study"]) == 2
    assert "holds no study.yaml" in capfd.readouterr().err


def test_a_dry_run_counts_and_plays_nothing(shop: Path, capfd: pytest.CaptureFixture[str]) -> None:
    strategies = ["exhaustive", {"use": "random", "name": "ten", "number": 10}]
    apps = [{"name": "one"}, {"name": "two", "set": {"agent.writer": {"use": "template"}}}]
    write(shop, {**GOOD, "strategies": strategies, "apps": apps, "seeds": "1-3"})
    assert invoke(["study", "--dry-run", "--cases", "20"]) == 0
    out = capfd.readouterr().out
    assert "s: 2 strategies x 2 apps x 3 seeds = 12 runs, 180 cases" in out
    assert "  two / ten: 10 cases a run" in out
    assert invoke(["study", "--dry-run", "--seeds", "5"]) == 0
    assert "x 1 seed = 4 runs" in capfd.readouterr().out
    assert not (shop / "studies").exists()
