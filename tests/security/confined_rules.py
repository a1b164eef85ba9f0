"""Judges by rules on standard input, each in a process of its own with 1 GiB and 10 s of CPU.

Prints, as JSON, how each ended: its outcomes and first reason; ``refused``; or ``raised``,
``killed`` and ``too slow``, which none may be. Run by `test_rules`.
"""

import asyncio
import json
import os
import resource
import signal
import sys
import tempfile
from pathlib import Path
from typing import Any

import yaml

import sparring_plugins.language.similarity  # noqa: F401 - imported once, before the forks
from sparring.errors import SparringError
from sparring.model.talk import Choice, Observation, Output, Trace
from sparring.suite.building import SuiteContext
from sparring.testing.conversations import trace_of
from sparring_plugins.rules.oracle import RulesOracle

MEMORY, SECONDS = 1 << 30, 10
NAMES = ("__class__", "conv", "len", "c0", "interaction", "__builtins__", "g_s", "True")


def outputs(**values: Any) -> list[Output]:
    return [Output(name=name, value=value) for name, value in values.items()]


def nested(levels: int) -> Any:
    data: Any = []
    for _ in range(levels):
        data = [data]
    return data


def conversation(kind: str) -> Trace:
    """What a hostile app may leave behind."""
    few = [("a" * 40, "b" * 40)] * 6
    wide = [{f"k{n}": [n, str(n)]} for n in range(20_000)]
    buttons = tuple(Choice(label=str(n)) for n in range(50_000))
    match kind:
        case "plain":
            return trace_of(few, outputs=outputs(price="$12"), size=["small"])
        case "long words":
            said = [("hi", "word " * 200_000)] * 3
            return trace_of(said, outputs=outputs(price="9" * 1_000_000))
        case "long word":
            said = [("hi", "x" * 1_000_000)] * 3
            return trace_of(said, outputs=outputs(price="1," * 500_000))
        case "many turns":
            said = [(f"question {n}", f"answer {n} on things") for n in range(10_000)]
            return trace_of(said, outputs=outputs(price="$5"))
        case "many equal turns":
            return trace_of([("q", "a b c d e f")] * 10_000, outputs=outputs(price="$5"))
        case "no numbers":
            return trace_of(few, outputs=outputs(price=float("nan"), day=float("inf")))
        case "huge numbers":
            return trace_of(few, outputs=outputs(price=10**4000, day=-(10**4000)))
        case "deep":
            seen = Observation(text="b", payload=nested(95))
            return trace_of([("a", seen)], outputs=outputs(price=nested(95)))
        case "wide":
            seen = Observation(text="b", payload=wide)
            return trace_of([("a", seen)] * 10, outputs=outputs(price=wide))
        case "buttons":
            return trace_of([("a", Observation(text="b", choices=buttons))] * 3)
        case "names":
            return trace_of(few, outputs=outputs(**dict.fromkeys(NAMES, "taken")))
        case "no characters":
            return trace_of([("a", "\ud800\udfff\x00")], outputs=outputs(price="\x00"))
    raise ValueError(kind)


def judge(rule: dict[str, Any], trace: Trace) -> str:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "r.yaml").write_text(yaml.safe_dump(rule, allow_unicode=False))
        other = trace.model_copy(update={"case": trace.case.model_copy(update={"id": "other"})})
        try:
            oracle = RulesOracle(RulesOracle.Config(files="r.yaml"), SuiteContext(Path(folder)))
            found = [
                *asyncio.run(oracle.judge(trace)),
                *asyncio.run(oracle.conclude([trace, other])),
            ]
        except SparringError as err:
            return f"refused: {err}"
        stored = [json.loads(verdict.model_dump_json()) for verdict in found]
        return (
            f"{'+'.join(one['outcome'] for one in stored)}: {stored[0]['reason'] if stored else ''}"
        )


def confined(rule: dict[str, Any], trace: Trace) -> str:
    """How a rule ends in a process of its own."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        try:
            end = judge(rule, trace)
        except BaseException as err:  # noqa: BLE001 - that is what is looked for
            end = f"raised {type(err).__name__}: {err}"
        os.write(writing, end[:2000].encode("utf-8", "backslashreplace"))
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        end = pipe.read().decode()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return "too slow" if os.WTERMSIG(status) == signal.SIGPROF else "killed"
    return end


def main() -> None:
    asked: dict[str, Any] = json.load(sys.stdin)
    judge({"name": "warm", "oracle": "1 == 1"}, conversation("plain"))  # what all need, once
    trace = conversation(asked["kind"])
    ends = {name: confined(rule, trace) for name, rule in asked["rules"].items()}
    json.dump(ends, sys.stdout)


if __name__ == "__main__":
    main()
