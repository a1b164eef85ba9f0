"""Rules from somebody else, on conversations with a hostile app: nothing escapes, nothing explodes.

What the language itself refuses or stops is tested beside it, in `tests/plugins/oracles/rules`;
here whole rule files meet hostile conversations, each in a process of 1 GiB and 10
processor seconds.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sparring.errors import ConfigurationError
from sparring.model.verdict import Outcome
from sparring.suite.building import SuiteContext
from sparring_plugins.rules.oracle import RulesOracle

from . import confined_rules

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="limits of processes are POSIX")

#: Homoglyphs and forms that Python's parser folds into plain names, and our own inner names.
DISGUISED = (
    "\uff45val('1')",
    "__\uff43lass__",
    "size.__\uff43lass__",
    "\ufe4dclass__",
    "size.\uff3f\uff3fclass__",
    "exec\u200b('1')",
    "\u202ea == b",
    "\ufb01nd(size)",
    "getattr(conv[0], '__\uff43lass__')",
    "isinstance(size, str.__class__)",
    "hasattr(conv[0], '__class__') and getattr(conv[0], '__class__').mro",
    "getattr(conv[0], 'trace').case",
    "conv[0].results == conv[0].find",
    "k_empty.trace",
    "c0['trace']",
    "g_method(size, '__class__')",
    "g_use(size)",
    "f_length.__globals__",
    "b_len.__self__",
    "[[g_s for g_s in size], [c0 for c0 in size]] == 1",
    "[conv for conv in size] == []",
    "[[h0 for h0 in size], [v_1_x for v_1_x in size]] == 1",
    "(lambda: 0).__code__",
    "'{0.__class__}'.format(size)",
    "f'{size.__class__}'",
    "f'{conv[0]}'",
    "str(conv) == repr(conv[0])",
    "size[0].__class__.__mro__",
    "[].append.__self__",
    "(1).__class__.__base__.__subclasses__()",
    "exists(\"__import__('os').system('id')\")",
    "is_unique('__class__')",
)

#: Everything that is computed from what the app said.
GREEDY = (
    "repeated_answers('tf-idf') == {}",
    "repeated_answers('jaccard', 0.9) == {}",
    "repeated_answers('sequence-matcher') == {}",
    "repeated_answers('exact', 0) == {}",
    "repeated_answers(price) == {}",
    "extract_float(price) == 1",
    "extract_float(chatbot_phrases[0] * 5) == 1",
    "[extract_float(p) for p in chatbot_phrases] == [currency(p) for p in chatbot_phrases]",
    "currency(price) == 'x'",
    "chatbot_returns('(a+)+$') == []",
    "chatbot_returns(['a'] * 99999) == []",
    "length(chatbot_phrases) == conversation_length()",
    "sorted(payloads) == max(payloads)",
    "str(payloads) == repr(turns)",
    "set(payloads) == {p: 1 for p in payloads}",
    "price * price == price ** price",
    "price % 7 == price // 3",
    "round(price) == int(price)",
    "float(price) == abs(price)",
    "f'{price:,}' == f'{price:e}'",
    "f'{price:c}' == f'{price:x}'",
    "sorted([price, price]) == [price] * 9999",
    "price == price and price in [price]",
    "[p.lower().split() for p in chatbot_phrases] == []",
    "[a for a in chatbot_phrases for b in chatbot_phrases if a in b] == []",
    "[a == b for a in chatbot_phrases for b in user_phrases] == []",
    "any(chatbot_phrases[0][i] == 'z' for i in range(len(chatbot_phrases[0])))",
    "chatbot_phrases[0].replace('', chatbot_phrases[0]) == ''",
    "' '.join(chatbot_phrases).count('a') == 5",
    "interaction == turns",
    "dict(zip(chatbot_phrases, chatbot_phrases)) == choices",
    "'\\ud800' + f'{55296:c}'",
)

PAIRS: tuple[dict[str, Any], ...] = (
    {"conversations": 2, "oracle": "conv[0].price == conv[1].price"},
    {
        "conversations": 2,
        "if": "conv[0].price != conv[1].price or conv[0].payloads == conv[1].payloads",
        "oracle": "len(conv[0].chatbot_phrases) == 0",
        "yields": "f'{conv[0].turns} {conv[1].payloads}'",
    },
    {"conversations": 2, "oracle": "conv[0].payloads < conv[1].payloads"},
    {"conversations": 2, "if": "conv[0].choices == conv[1].choices", "oracle": "1 > 1e999"},
    {"conversations": "all", "oracle": "is_unique('chatbot_phrases') and is_unique('price')"},
    {"conversations": "all", "oracle": "num_exist('len(str(payloads)) > 5') == 9"},
    {
        "conversations": "all",
        "oracle": "sorted([c.price for c in conv]) == []",
        "yields": "str([c.turns for c in conv])",
    },
    {"conversations": "all", "oracle": "[getattr(c, n) for c in conv for n in ['__class__']]"},
    {"conversations": "all", "oracle": "{c: 1 for c in conv} == str(conv)"},
)

KINDS = (
    "plain",
    pytest.param("wide", marks=pytest.mark.thorough),
    *(  # long words go through all of the program in `test_app_output`
        pytest.param(kind, marks=pytest.mark.thorough)
        for kind in (
            "no numbers",
            "deep",
            "no characters",
            "many turns",
            "long words",
            "long word",
            "many equal turns",
            "huge numbers",
            "buttons",
            "names",
        )
    ),
)
_OUTCOMES = {outcome.value for outcome in Outcome}


def ends(kind: str, rules: dict[str, dict[str, Any]]) -> dict[str, str]:
    """How rules end on a conversation of a kind."""
    done = subprocess.run(
        [sys.executable, "-m", confined_rules.__name__.rpartition(".")[2]],
        input=json.dumps({"kind": kind, "rules": rules}),
        cwd=Path(__file__).parent,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found: dict[str, str] = json.loads(done.stdout)
    assert set(found) == set(rules)
    return found


def named(*rules: str | dict[str, Any]) -> dict[str, dict[str, Any]]:
    found = [{"oracle": rule} if isinstance(rule, str) else rule for rule in rules]
    return {str(rule): {"name": "x", **rule} for rule in found}


@pytest.mark.parametrize("kind", KINDS)
def test_what_an_app_said_costs_a_rule_little(kind: str) -> None:
    for rule, end in ends(kind, named(*GREEDY, *PAIRS)).items():
        outcomes = end.partition(":")[0]
        assert outcomes == "refused" or set(outcomes.split("+")) <= _OUTCOMES, (rule, end)
        assert "MemoryError" not in end, (rule, end)
        assert "RecursionError" not in end, (rule, end)


@pytest.mark.parametrize("kind", ["plain", pytest.param("names", marks=pytest.mark.slow)])
def test_no_disguise_reaches_an_object_of_python(kind: str) -> None:
    for rule, end in ends(kind, named(*DISGUISED)).items():
        outcomes = end.partition(":")[0]
        assert outcomes == "refused" or set(outcomes.split("+")) <= _OUTCOMES, (rule, end)
        assert "pass" not in outcomes, (rule, end)
        for trace in ("<class", "<module", "<function", "object at 0x", "built-in", "uid="):
            assert trace not in end, (rule, end)


#: Rule files that are attacks as YAML, each with a part of the message.
FILES: dict[str, tuple[bytes, str]] = {
    "merge bomb": (
        b"<<: [&a {k: v}, "
        + b", ".join(
            b"&%c {<<: [%s]}" % (name, b",".join([b"*%c" % before] * 10))
            for before, name in zip(b"abcdefgh", b"bcdefghi", strict=True)
        )
        + b"]\n",
        "expands to too much data",
    ),
    "alias bomb": (
        b"a: &a [x]\n"
        + b"".join(
            b"%c: &%c [%s]\n" % (name, name, b",".join([b"*%c" % before] * 10))
            for before, name in zip(b"abcdefgh", b"bcdefghi", strict=True)
        ),
        "expands to too much data",
    ),
    "alias of itself": (b"name: &a [*a]\n", "an alias contains itself"),
    "deep": (b"name: " + b"[" * 100_000 + b"]" * 100_000, "nested deeper"),
    "deep blocks": (b"".join(b" " * n + b"-\n" for n in range(300)), "nested deeper"),
    "python": (b"name: !!python/object/apply:os.system [id]\noracle: 'True'\n", "is not known"),
    "python name": (b"name: !!python/name:os.system ''\noracle: 'True'\n", "constructor"),
    "lying bool": (b"name: x\noracle: 'True'\nactive: !!bool maybe\n", "'maybe' is no bool"),
    "lying date": (b"name: !!timestamp x\noracle: 'True'\n", "'x' is no timestamp"),
    "lying number": (b"name: x\nconversations: !!int ''\n", "is no int"),
    "set": (b"name: !!set x\noracle: 'True'\n", "found tag:yaml.org,2002:set"),
    "binary": (b"name: !!binary aGVsbG8=\noracle: 'True'\n", "binary"),
    "key that is a list": (b"? [a]\n: b\n", "a key must be a plain text"),
    "key that is a set": (b"? !!set x\n: b\n", "set"),
    "numeric keys": (b"1: 2\nname: x\noracle: 'True'\n", "1: unknown key"),
    "null key": (b"? \n: x\nname: x\noracle: 'True'\n", "unknown key"),
    "zero byte": (b"name: x\noracle: 'a\x00'\n", "not valid YAML"),
    "zero byte as escape": (b'name: x\noracle: "1 == \\0"\n', "null byte"),
    "no UTF-8": (b"name: \xff\n", "not UTF-8"),
    "UTF-16": ("name: x".encode("utf-16"), "not UTF-8"),
    "long expression": (b"name: x\noracle: " + b"1 + " * 250_000 + b"1\n", "longer than 10,000"),
    "long line of names": (b"name: x\noracle: " + b"a" * 1_000_000 + b"\n", "longer than 10,000"),
    "too large": (b"#" * 10_000_001, "larger than 10,000,000 bytes"),
    "many conversations": (b"name: x\noracle: 'True'\nconversations: 99999999999\n", "must be"),
    "no number": (b"name: x\noracle: 'True'\nconversations: .nan\n", "must be a number"),
}


@pytest.mark.parametrize("name", FILES)
def test_a_hostile_rule_file_is_refused_with_its_name(tmp_path: Path, name: str) -> None:
    text, message = FILES[name]
    (tmp_path / "r.yaml").write_bytes(text)
    with pytest.raises(ConfigurationError) as caught:
        RulesOracle(RulesOracle.Config(files="r.yaml"), SuiteContext(tmp_path))
    assert message in str(caught.value)
    assert "r.yaml" in str(caught.value)
