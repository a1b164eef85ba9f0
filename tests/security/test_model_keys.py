"""No key that is set in the environment gets into a file that a run writes, or into an error."""

import json
from pathlib import Path

import pytest
import yaml
from tests.servers.openai_server import OpenAIServer

from sparring.cli.app import invoke

KEYS = {
    "OPENAI_API_KEY": "sk-proj-Zx81kQv0'7<a>&9mT2w",
    "COMPANY_TOKEN": "eyJhbGciOiJIUzI1NiJ9.c2VjcmV0LXBheWxvYWQ.x-Y_z",
}


def suite(folder: Path, base_url: str) -> None:
    (folder / "suite.yaml").write_text(
        yaml.safe_dump(
            {
                "name": "keys",
                "app": "echo",
                "agent": {"use": "user-simulator", "profiles": "profile.yaml"},
                "oracles": [{"use": "rules", "files": "rule.yaml"}],
                "reporters": ["console", "html", "junit", "csv", "jsonl"],
                "llm": {
                    "use": "openai",
                    "model": "tiny",
                    "base_url": base_url,
                    "attempts": 1,
                    "cache": "answers.sqlite",
                },
            }
        ),
        encoding="utf-8",
    )
    words = " and ".join(KEYS.values())  # a user who tells keys, to an app that repeats them
    profile = {
        "test_name": "keys",
        "user": {"role": "you", "goals": [f"say {words}"]},
        "conversation": {"number": 2},
    }
    (folder / "profile.yaml").write_text(yaml.safe_dump(profile), encoding="utf-8")
    rule = {"name": "kind", "then": "semantic_content(chatbot_phrases[0], 'a greeting')"}
    (folder / "rule.yaml").write_text(yaml.safe_dump(rule), encoding="utf-8")


@pytest.mark.parametrize("fault", ["ok", "echo-key", "echo-key-400"])
def test_no_key_is_written_or_shown(
    fault: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    answer = {"reason": f"It says {KEYS['OPENAI_API_KEY']}.", "conveys": "no"}
    with OpenAIServer(fault=fault, answer=answer) as server:
        suite(tmp_path, server.base_url)
        code = invoke(["run"])
        assert server.requests, "the model was never asked"
    shown = capsys.readouterr()
    assert code == (1 if fault == "ok" else 3)
    _has_none(shown.out + shown.err, "the terminal")
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    names = {path.name for path in written}
    assert {"log.jsonl", "run.json", "report.html", "junit.xml", "results.csv"} <= names
    for path in written:
        if path.name != "profile.yaml":
            _has_none(path.read_bytes().decode("utf-8", "replace"), str(path))


def _has_none(text: str, where: str) -> None:
    for name, value in KEYS.items():
        forms = (value, json.dumps(value)[1:-1], value.replace("&", "&amp;").replace("<", "&lt;"))
        for form in forms:
            assert form not in text, f"{where} holds {name}"
