"""Every broken suite is refused with a message that says what, where, and what would be right."""

from pathlib import Path

import pytest

from .conftest import Program

GOOD = """\
name: good
app: {use: "sparring.testing.fakes:FakeConnector"}
agent: {use: "sparring.testing.fakes:FakePlayer"}
strategy: {use: "sparring.testing.fakes:FakeStrategy"}
oracles: [{use: "sparring.testing.fakes:FakeOracle"}]
reporters: []
"""


def edited(old: str, new: str) -> str:
    assert old in GOOD
    return GOOD.replace(old, new)


APP = '{use: "sparring.testing.fakes:FakeConnector"}'
BAD: dict[str, tuple[str, str]] = {
    "empty": ("", "suite.yaml: is empty; expected a suite: keys such as name, app and agent"),
    "a text": ("hello", "suite.yaml:1: holds 'hello'; expected a suite"),
    "a list": ("- a\n- b", "suite.yaml:1: holds ['a', 'b']; expected a suite"),
    "no YAML": ("name: [", "suite.yaml:2: is not valid YAML"),
    "two documents": (GOOD + "---\na: 1", "holds more than one YAML document"),
    "a key twice": (GOOD + "name: x\n", "suite.yaml:7: is not valid YAML: the key 'name' is written twice (first on line 1)"),
    "an unknown key": (GOOD + "conncurrency: 3\n", "suite.yaml:7: conncurrency: unknown key. Did you mean 'concurrency'?"),
    "no app": (edited(f"app: {APP}\n", ""), "suite.yaml:1: app: missing"),
    "no agent": (edited('agent: {use: "sparring.testing.fakes:FakePlayer"}\n', ""), "agent: missing"),
    "no name": (edited("name: good\n", ""), "name: missing"),
    "an empty name": (edited("name: good", "name: ''"), "suite.yaml:1: name: string should have at least 1 character"),
    "a number as name": (edited("name: good", "name: 3"), "suite.yaml:1: name: input should be a valid string, found 3"),
    "an unknown connector": (edited(APP, "ecko"), "suite.yaml:2: app.use: no connector is called 'ecko'. Did you mean 'echo'? Installed: "),
    "an unknown oracle": (edited('"sparring.testing.fakes:FakeOracle"', "rulez"), "suite.yaml:5: oracles[0].use: no oracle is called 'rulez'. Did you mean 'rules'?"),
    "an unknown strategy": (edited('"sparring.testing.fakes:FakeStrategy"', "selector"), "strategy.use: no strategy is called 'selector'. Did you mean 'selectors'?"),
    "an unknown reporter": (edited("reporters: []", "reporters: [jnuit]"), "suite.yaml:6: reporters[0].use: no reporter is called 'jnuit'. Did you mean 'junit'?"),
    "an unknown agent": (edited('"sparring.testing.fakes:FakePlayer"', "user-simulater"), "suite.yaml:3: agent.use: no agent is called 'user-simulater'. Did you mean 'user-simulator'?"),
    "an agent of another role": (edited('"sparring.testing.fakes:FakePlayer"', '"sparring.testing.fakes:FakeUser"'), "suite.yaml:3: agent.use: the agent 'sparring.testing.fakes:FakeUser' has the role 'user', not 'player'"),
    "an oracle as app": (edited(APP, '{use: "sparring.testing.fakes:FakeOracle"}'), "is not a subclass of sparring.interfaces.app_connector.AppConnector"),
    "a module that is not there": (edited(APP, '{use: "nowhere:X"}'), "suite.yaml:2: app.use: connector 'nowhere:X' (nowhere:X, from an import path in the suite) does not import: ModuleNotFoundError"),
    "a class that is not there": (edited(APP, '{use: "sparring.testing.fakes:Nothing"}'), "does not import: AttributeError"),
    "an unknown setting": (edited(APP, '{use: "sparring.testing.fakes:FakeConnector", delay: 3}'), "suite.yaml:2: app.delay: unknown key. Did you mean 'delay_s'?"),
    "a setting of the wrong type": (edited(APP, '{use: "sparring.testing.fakes:FakeConnector", delay_s: soon}'), "suite.yaml:2: app.delay_s: input should be a valid number, unable to parse string as a number, found 'soon'"),
    "a setting out of range": (edited(APP, '{use: "sparring.testing.fakes:FakeConnector", delay_s: -1}'), "suite.yaml:2: app.delay_s: input should be greater than or equal to 0, found -1"),
    "use without a name": (edited(APP, "{delay_s: 1}"), "suite.yaml:2: app.use: missing"),
    "use as a number": (edited(APP, "{use: 3}"), "suite.yaml:2: app.use: input should be a valid string, found 3"),
    "app as a list": (edited(APP, "[a]"), "suite.yaml:2: app: "),
    "oracles as a map": (edited('oracles: [{use: "sparring.testing.fakes:FakeOracle"}]', "oracles: {a: 1}"), "suite.yaml:5: oracles: expected a list, found "),
    "two oracles of one name": (edited('oracles: [{use: "sparring.testing.fakes:FakeOracle"}]', "oracles: [rules, rules]"), "two oracles are called 'rules'; give one of them a 'name' of its own"),
    "a variable that is not set": (edited(APP, '{use: "${NO_SUCH_VARIABLE}"}'), "suite.yaml:2: app.use: the environment variable 'NO_SUCH_VARIABLE' is not set."),
    "a reference that is none": (edited(APP, '{use: "${1}"}'), "app.use: '${1}' is not a reference; write ${NAME}, or $${ for a plain ${"),
    "no concurrency": (GOOD + "concurrency: 0\n", "suite.yaml:7: concurrency: input should be greater than or equal to 1, found 0"),
    "a budget of nothing": (GOOD + "budget: {cases: 0}\n", "suite.yaml:7: budget.cases: input should be greater than 0, found 0"),
    "an unknown budget": (GOOD + "budget: {hours: 2}\n", "suite.yaml:7: budget.hours: unknown key."),
    "an unknown model backend": (GOOD + "llm: opanai\n", "suite.yaml:7: llm.use: no LLM backend is called 'opanai'. Did you mean 'openai'?"),
    "a model without its model": (GOOD + "llm: ollama\n", "suite.yaml:7: llm.model: missing"),
    "an unknown key of a model": (GOOD + "llm: {use: ollama, model: x, temprature: 1}\n", "suite.yaml:7: llm.temprature: unknown key. Did you mean 'temperature'?"),
    "a temperature out of range": (GOOD + "llm: {use: ollama, model: x, temperature: 9}\n", "suite.yaml:7: llm.temperature: input should be less than or equal to 2, found 9"),
    "an unknown key of a role": (GOOD + "llm:\n  use: ollama\n  model: x\n  roles:\n    judge: {modle: y}\n", "suite.yaml:11: llm.roles.judge.modle: unknown key. Did you mean 'model'?"),
    "an unknown backend of a role": (GOOD + "llm:\n  use: ollama\n  model: x\n  roles:\n    judge: {use: opanai}\n", "suite.yaml:11: llm.roles.judge"),
    "a role with prices of its own": (GOOD + "llm:\n  use: ollama\n  model: x\n  roles:\n    judge: {prices: {}}\n", "suite.yaml:11: llm.roles.judge: 'prices' belongs to all roles: write it in 'llm' itself"),
    "a price without a key": (GOOD + "llm: {use: ollama, model: x, prices: {x: {input: 1}}}\n", "suite.yaml:7: llm.prices.x.output: missing"),
    "a misspelt key of a price": (GOOD + "llm: {use: ollama, model: x, prices: {x: {inptu: 1}}}\n", "suite.yaml:7: llm.prices.x.inptu: unknown key. Did you mean 'input'? Known: cached_input, input, output."),
    "a model that is asked by a rule, without a key": (edited('{use: "sparring.testing.fakes:FakeOracle"}', "{use: rules, libraries: general}") + "llm: {use: openai, model: x, api_key_env: NO_SUCH_KEY}\n", "suite.yaml:7: llm: the model's service at https://api.openai.com/v1 needs a key"),
    "a price below nothing": (GOOD + "llm: {use: ollama, model: x, prices: {x: {input: -1, output: 2}}}\n", "llm.prices.x.input: input should be greater than or equal to 0, found -1"),
    "a cost in another currency": (GOOD + "budget: {cost: 2 EUR}\n", "suite.yaml:7: budget.cost: expected an amount in US dollars such as '2 USD'"),
    "a seed below zero": (GOOD + "seed: -1\n", "suite.yaml:7: seed: input should be greater than or equal to 0, found -1"),
    "a file that is not there": (edited('"sparring.testing.fakes:FakeOracle"', "rules, files: none/*.yaml"), "no file matches 'none/*.yaml'"),
    "aliases without end": ("a: &a [*a]", "an alias contains itself"),
    "no text at all": ("\udcff", "suite.yaml:1: is not UTF-8 text"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "message"), BAD.values(), ids=BAD)
def test_a_broken_suite_is_refused(
    program: Program, tmp_path: Path, text: str, message: str
) -> None:
    (tmp_path / "suite.yaml").write_bytes(text.encode("utf-8", "surrogateescape"))
    for command in (("validate", "--allow-code"), ("run",)):
        ran = program(*command)
        assert ran.code == 2
        assert message in ran.err, ran.err
        assert "Traceback" not in ran.err
        assert all(line.startswith("sparring: ") for line in ran.err.splitlines())
    assert not (tmp_path / "runs").exists()


def test_all_that_is_wrong_is_said_at_once(program: Program, tmp_path: Path) -> None:
    text = edited(APP, "ecko").replace("reporters: []", "reporters: [jnuit]") + "seeed: 1\n"
    (tmp_path / "suite.yaml").write_text(text, encoding="utf-8")
    assert "seeed" in program("validate").err
    (tmp_path / "suite.yaml").write_text(text.replace("seeed", "seed"), encoding="utf-8")
    err = program("validate").err
    assert "ecko" in err
    assert "jnuit" in err


def test_the_good_one_is_good(program: Program, tmp_path: Path) -> None:
    (tmp_path / "suite.yaml").write_text(GOOD, encoding="utf-8")
    assert program("validate").code == 0
    assert program("run").code == 0
