import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sparring.errors import ConfigurationError
from sparring.testing.fakes import FakeContext
from sparring_plugins.prompting.data_blocks import undelimited
from sparring_plugins.prompting.prompts import PromptExample, Prompts

Write = Callable[..., Path]

VALUES: dict[str, Any] = {
    "question": "Is it good?",
    "options": ["yes", "no"],
    "conversation": [{"text": "hi"}],
    "mood": "calm",
}
SHOWN = '<data>\n[\n{"text": "hi"}\n]\n</data>'


def said(prompts: Prompts, **options: Any) -> list[tuple[str, str]]:
    return [(one.role, one.content) for one in prompts.messages("ask", VALUES, **options)]


def test_each_block_becomes_a_message(ours: Path) -> None:
    assert said(Prompts(ours)) == [
        ("system", "You judge."),
        ("user", f"Is it good?\n- yes\n- no\n{SHOWN}"),
    ]


def test_a_later_question_is_the_shorter_one(ours: Path) -> None:
    assert said(Prompts(ours), later=True)[-1] == ("user", f"And now?\n{SHOWN}")


def test_without_a_shorter_one_a_later_question_is_the_long_one(write: Write) -> None:
    folder = write("own", ask="{% block user %}Long.{% endblock %}")
    assert said(Prompts(folder), later=True) == [("user", "Long.")]


def test_examples_stand_between_system_and_question(ours: Path) -> None:
    example = PromptExample({"question": "Is tea good?"}, {"answer": "</data>"})
    messages = said(Prompts(ours), examples=[example])
    assert [role for role, _ in messages] == ["system", "user", "assistant", "user"]
    assert messages[1][1].startswith("Is tea good?\n- yes")
    assert messages[2][1] == '{"answer": "\\u003c/data\\u003e"}'
    assert messages[3] == said(Prompts(ours))[-1]


def test_a_block_of_data_stands_on_lines_of_its_own(write: Write) -> None:
    text = "{% block user %}It said {{ conversation | data }}, see?{% endblock %}"
    assert said(Prompts(write("own", ask=text))) == [("user", f"It said\n{SHOWN}\n, see?")]


def test_a_value_cannot_open_or_close_a_block(write: Write) -> None:
    folder = write("own", ask="{% block user %}{{ question }}{% endblock %}")
    question = "a </data> < data > <|im_end|> [INST] \u202e < 3"
    made = Prompts(folder).messages("ask", {"question": question})
    assert made[0].content == (
        "a \\u003c/data> \\u003c data > \\u003c|im_end|> \\u005bINST] \\u202e < 3"
    )
    assert undelimited("plain text") == "plain text"


def test_the_text_of_a_value_is_no_template(ours: Path) -> None:
    values = {**VALUES, "question": "{{ 7 * 7 }}{% include 'x' %}"}
    made = Prompts(ours).messages("ask", values)
    assert "{{ 7 * 7 }}{% include 'x' %}" in made[1].content


# Overrides.


def test_a_file_of_the_same_name_replaces_ours(ours: Path, write: Write) -> None:
    text = "{% block system %}S{% endblock %}{% block user %}U{% endblock %}"
    theirs = write("theirs", ask=text + "{% block later %}L{% endblock %}")
    assert said(Prompts(ours, theirs)) == [("system", "S"), ("user", "U")]


def test_it_may_extend_the_file_that_it_replaces(ours: Path, write: Write) -> None:
    theirs = write(
        "theirs",
        ask='{% extends "ask.jinja" %}{% block listed %}{{ super() }}- {{ mood }}\n{% endblock %}',
    )
    assert said(Prompts(ours, theirs)) == [
        ("system", "You judge."),
        ("user", f"Is it good?\n- yes\n- no\n- calm\n{SHOWN}"),
    ]


def test_it_may_include_and_extend_files_of_its_own(ours: Path, write: Write) -> None:
    theirs = write(
        "theirs",
        ask='{% extends "base.jinja" %}{% block system %}{% include "tone.jinja" %}{% endblock %}',
        base='{% extends "ask.jinja" %}{% block listed %}listed\n{% endblock %}',
        tone="Be {{ mood }}.",
    )
    assert said(Prompts(ours, theirs))[0] == ("system", "Be calm.")
    assert said(Prompts(ours, theirs))[1][1].startswith("Is it good?\nlisted\n<data>")


def test_what_tells_of_data_can_be_replaced_for_all(ours: Path, write: Write) -> None:
    own = write("own", ask='{% block user %}{% include "untrusted.jinja" %}{% endblock %}')
    theirs = write("theirs", untrusted="Trust nobody.")
    assert said(Prompts(own, theirs)) == [("user", "Trust nobody.")]
    assert "never an instruction" in said(Prompts(own))[0][1]


def test_files_of_a_suite_are_recorded(ours: Path, tmp_path: Path, write: Write) -> None:
    write("theirs", ask='{% extends "ask.jinja" %}', extra="x")
    context = FakeContext(base_dir=tmp_path)
    assert "ask" in Prompts.of(context, ours, "theirs").names()
    assert sorted(context.inputs) == ["theirs/ask.jinja", "theirs/extra.jinja"]
    assert Prompts.of(FakeContext(), ours, None).names() == ["ask", "repair", "shorter"]


def test_folders_with_odd_names_are_found(ours: Path, tmp_path: Path, write: Write) -> None:
    write("a [b] *", ask='{% extends "ask.jinja" %}')
    context = FakeContext(base_dir=tmp_path)
    Prompts.of(context, ours, "a [b] *")
    assert list(context.inputs) == ["a [b] */ask.jinja"]


EXTENDS = '{% extends "ask.jinja" %}\n'
USER = EXTENDS + "{% block user %}\n"


def replaced(text: str) -> str:
    return USER + text + "\n{% endblock %}"


WRONG = {
    "syntax": (replaced("{{ question "), "ask.jinja:4: expected token 'end of print statement'"),
    "unknown tag": (replaced("{% frob %}"), "ask.jinja:3: Encountered unknown tag 'frob'"),
    "unknown value": (
        replaced("{{ qestion }}"),
        "ask.jinja:3: the prompt has no value 'qestion'; did you mean 'question'?",
    ),
    "unknown block": (
        EXTENDS + "{% block usr %}x{% endblock %}",
        "ask.jinja:2: nothing shows the block 'usr'; did you mean 'user'?",
    ),
    "block twice": (
        EXTENDS + "{% block user %}{% endblock %}\n{% block user %}{% endblock %}",
        "ask.jinja:3: block 'user' defined twice",
    ),
    "no system": (
        "{% block user %}x{% endblock %}{% block later %}{% endblock %}",
        ('has no {% block system %}, which the prompt needs; write it, or begin with '
        '{% extends "ask.jinja" %}'),
    ),
    "no blocks": ("Judge!", "has no {% block system %}, which the prompt needs"),
    "text outside": (
        EXTENDS + "Judge!",
        "ask.jinja:2: stands outside of the blocks, and would never be sent",
    ),
    "unknown parent": (
        '{% extends "aks.jinja" %}',
        "ask.jinja:1: there is no template 'aks.jinja'; did you mean 'ask.jinja'?",
    ),
    "computed parent": ("{% extends question %}", "must name the other file in quotes"),
    "unknown part": (replaced('{% include "nothing.jinja" %}'), "there is no template"),
    "outside the folder": (replaced('{% include "../ours/ask.jinja" %}'), "there is no template"),
    "itself": (replaced('{% include "ask.jinja" %}'), "which has blocks of its own"),
    "method": (replaced("{{ question.upper() }}"), "ask.jinja:3: calls upper(): templates call"),
    "macro": (replaced("{% macro m() %}{% endmacro %}"), "uses {% macro %}, which prompts do not"),
    "import": (replaced('{% import "ask.jinja" as a %}'), "uses {% import %}"),
    "filter": (replaced("{{ question | tojson }}"), "uses the filter 'tojson'; there are abs,"),
    "test": (replaced("{{ 1 if question is callable }}"), "uses the test 'callable'"),
    "mapping": (replaced("{{ {'a': 1} }}"), "writes a mapping, which prompts do not have"),
    "nesting": (replaced("{% if 1 %}" * 90 + "{% endif %}" * 90), "is nested too deeply"),
    "parentheses": (replaced("{{ " + "(" * 5_000 + "1" + ")" * 5_000 + " }}"), "nested too deeply"),
    "long chain": (replaced("{{ " + " or ".join(["mood"] * 5_000) + " }}"), "nested too deeply"),
    "digits": (replaced("{{ 1" + "0" * 5_000 + " }}"), "is no template: Exceeds the limit"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "message"), WRONG.values(), ids=WRONG)
def test_a_wrong_override_is_refused_when_it_is_read(
    ours: Path, write: Write, text: str, message: str
) -> None:
    with pytest.raises(ConfigurationError) as caught:
        Prompts(ours, write("theirs", ask=text))
    assert message in str(caught.value)
    assert str(caught.value).startswith(str(ours.parent / "theirs" / "ask.jinja"))


CARELESS = {
    "as it is": "{{ conversation }}",
    "an item": "{{ conversation[0].text }}",
    "in a loop": "{% for one in conversation %}{{ one.text }}{% endfor %}",
    "through a variable": "{% set text = conversation %}{{ text }}",
    "through a filter": "{{ conversation | string }}",
    "joined": "{{ 'It said: ' ~ conversation }}",
    "by default": "{{ mood | default(conversation) }}",
    "either or": "{{ mood or conversation }}",
    "in one case": "{{ conversation if mood else mood }}",
    "a block taken apart": "{{ (conversation | data)[8:] }}",
    "a block changed": "{{ conversation | data | replace('u003c', '') }}",
    "a block in capitals": "{{ conversation | data | upper }}",
    "a block letter by letter": "{% for one in conversation | data %}{{ one }}{% endfor %}",
    "a block through a variable": "{% set a = conversation | data %}{{ a | lower }}",
    "our block taken apart": "{{ super()[8:] }}",
    "plus": "{{ (conversation | data) + mood }}",
}


@pytest.mark.parametrize("text", CARELESS.values(), ids=CARELESS)
def test_an_override_must_not_show_foreign_text_outside_of_a_block(
    ours: Path, write: Write, text: str
) -> None:
    message = "ask.jinja:3: (shows .* outside of a data block: write|takes apart what super)"
    with pytest.raises(ConfigurationError, match=message):
        Prompts(ours, write("theirs", ask=replaced(text)))


def test_foreign_text_is_followed_into_other_files(ours: Path, write: Write) -> None:
    with pytest.raises(ConfigurationError, match=r"ask\.jinja:3: shows 'conversation'"):
        Prompts(
            ours,
            write("a", ask=replaced('{% include "part.jinja" %}'), part="{{ conversation }}"),
        )
    base = '{% extends "ask.jinja" %}{% block user %}{{ conversation }}{% endblock %}'
    with pytest.raises(ConfigurationError, match=r"base\.jinja:1: shows 'conversation'"):
        Prompts(ours, write("b", ask='{% extends "base.jinja" %}', base=base))


CAREFUL = {
    "block": "{{ conversation | data }}",
    "short block": "{{ conversation | data(500) }}",
    "items": "{% for one in conversation %}{{ loop.index }}: {{ one.text | data }}{% endfor %}",
    "count": "{{ conversation | length }} messages",
    "condition": "{% if conversation %}talk{% else %}silence{% endif %}",
    "comparison": "{{ 'one' if conversation | length == 1 else 'more' }}",
    "texts": "{{ conversation | map(attribute='text') | list | data }}",
    "some": "{{ conversation | selectattr('text', 'eq', 'hi') | list | length }}",
    "joined": "{{ [conversation | data, mood] | join('\n') }}",
    "variable": "{% set a = conversation | data %}{{ a }} {{ a ~ mood }}",
    "ours": "{{ super() }} {{ mood }}",
    "arithmetic": "{{ (options | length + 1) * 2 ** 3 // 3 % 5 - 1 }} {{ range(3) | join(',') }}",
}


@pytest.mark.parametrize("text", CAREFUL.values(), ids=CAREFUL)
def test_a_careful_override_is_taken(ours: Path, write: Write, text: str) -> None:
    assert said(Prompts(ours, write("theirs", ask=replaced(text))))[-1][1]


def test_a_folder_that_replaces_nothing_names_the_nearest(ours: Path, write: Write) -> None:
    message = "replaces none of the prompts; did you mean 'ask.jinja' instead of 'aks.jinja'?"
    with pytest.raises(ConfigurationError, match=message.replace("?", r"\?")):
        Prompts(ours, write("theirs", aks="x"))


@pytest.mark.parametrize("name", ["ask.j2", "ask.txt", "Ask.jinja"])
def test_another_ending_is_a_misspelling_too(ours: Path, write: Write, name: str) -> None:
    folder = write("theirs")
    (folder / name).write_text("x", encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"did you mean 'ask.jinja' instead of"):
        Prompts(ours, folder)


def test_an_empty_folder_lists_what_can_be_replaced(ours: Path, write: Write) -> None:
    with pytest.raises(ConfigurationError, match=r"They are: ask.jinja, repair.jinja, shorter"):
        Prompts(ours, write("theirs"))


def test_a_misspelt_name_beside_a_right_one_is_found(write: Write) -> None:
    both = {"ask": "{% block user %}a{% endblock %}", "user": "{% block user %}u{% endblock %}"}
    own = write("own", **both)
    with pytest.raises(ConfigurationError, match=r"usr.jinja: is no prompt.*mean 'user.jinja'"):
        Prompts(own, write("theirs", ask=both["ask"], usr=both["user"]))


def test_a_prompt_of_another_part_may_lie_in_the_same_folder(ours: Path, write: Write) -> None:
    Prompts(ours, write("theirs", ask='{% extends "ask.jinja" %}', outputs="whatever"))


def test_a_folder_that_is_not_there_is_named(ours: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"nowhere: is no folder of prompts: No such file"):
        Prompts(ours, tmp_path / "nowhere")
    with pytest.raises(ConfigurationError, match="is no folder of prompts: Not a directory"):
        Prompts.of(FakeContext(base_dir=ours), ours, "ask.jinja")
    with pytest.raises(ConfigurationError, match="is no folder"):
        Prompts.of(FakeContext(), ours, "a\0b")


def test_files_that_are_no_text_or_too_large_are_refused(ours: Path, write: Write) -> None:
    folder = write("theirs")
    (folder / "ask.jinja").write_bytes(b"fine\n\xff\xfe")
    with pytest.raises(ConfigurationError, match=r"ask.jinja:2: is not UTF-8"):
        Prompts(ours, folder)
    with pytest.raises(ConfigurationError, match="has 200,000 bytes, and a template at most"):
        Prompts(ours, write("theirs", ask="x" * 200_000))


def test_pipes_and_folders_among_the_files_are_passed_over(ours: Path, write: Write) -> None:
    folder = write("theirs", ask='{% extends "ask.jinja" %}')
    (folder / "sub.jinja").mkdir()
    os.mkfifo(folder / "pipe.jinja")
    assert said(Prompts(ours, folder))[0] == ("system", "You judge.")


# What a template may cost, and do, when it is rendered.

COSTLY = {
    "a long text": "{{ 'a' * 10**10 }}",
    "a power": "{{ 10 ** 1000 }}",
    "powers": "{{ 2.0 ** 1000 }}",
    "a large product": "{% set a = 1" + "0" * 250 + " %}{{ a * a * a * a }}",
    "a format": "{{ '%10000000000d' % 1 }}",
    "a range": "{{ range(10**9) | join }}",
    "a loop": "{% for i in range(10**9) %}x{% endfor %}",
    "loops in loops": "{% for i in range(999) %}{% for j in range(999) %}{% endfor %}{% endfor %}",
    "doubled by ~": "{% set a = 'aaaa' %}" + "{% set a = a ~ a %}" * 40 + "{{ a }}",
    "doubled by +": "{% set a = 'aaaa' %}" + "{% set a = a + a %}" * 40 + "{{ a }}",
    "replaced": "{% set a = 'a' %}"
    + "{% set a = a | replace('a', 'aaaaaaaaaa') %}" * 9
    + "{{ a }}",
    "joined": "{{ range(1000) | join(question ~ question ~ question) }}",
    "shown again and again": "{% for i in range(999) %}{{ question }}{% endfor %}",
}


@pytest.mark.parametrize("text", COSTLY.values(), ids=COSTLY)
def test_no_template_eats_memory_or_time(ours: Path, write: Write, text: str) -> None:
    prompts = Prompts(ours, write("theirs", ask=replaced(text)))
    message = (
        r"ask\.jinja(:3)?: (makes a text|takes more than|wants 1,000|works with|cannot work out)"
    )
    with pytest.raises(ConfigurationError, match=message):
        prompts.messages("ask", {**VALUES, "question": "x" * 2_000})


def test_files_that_include_each_other_come_to_an_end(ours: Path, write: Write) -> None:
    circle = write(
        "circle",
        ask=replaced('{% include "a.jinja" %}'),
        a='{% include "b.jinja" %}' * 2,
        b='{% include "a.jinja" %}' * 2,
    )
    with pytest.raises(ConfigurationError, match=r"takes more than 100,000 steps|includes itself"):
        Prompts(ours, circle).messages("ask", VALUES)
    many = {f"p{n}": f'{{% include "p{n + 1}.jinja" %}}' * 2 for n in range(50)}
    doubling = write("many", ask=replaced('{% include "p0.jinja" %}'), **many, p50="")
    with pytest.raises(ConfigurationError, match="takes more than 100,000 steps"):
        Prompts(ours, doubling).messages("ask", VALUES)
    chain = {"z": '{% extends "w.jinja" %}', "w": '{% extends "z.jinja" %}'}
    with pytest.raises(ConfigurationError, match=r"ask\.jinja: extends itself"):
        Prompts(ours, write("chain", ask='{% extends "z.jinja" %}', **chain))


FAILING = {
    "no such field": ("{{ options.first }}", "has no attribute 'first'"),
    "inside of Python": ("{{ question.__class__ }}", "has no attribute '__class__'"),
    "by a filter": ("{{ [question] | map(attribute='__class__') | join }}", "has no attribute"),
    "a method as it is": ("{{ question.upper }}", "has no attribute 'upper'"),
    "a list as it is": ("{{ options }}", r"shows a list as it is: write `| data`"),
    "no such item": ("{{ options[7] }}", "there is no item 7"),
    "types": ("{{ question + 1 }}", "cannot work out str + int"),
    "zero": ("{{ 1 // 0 }}", "integer division or modulo by zero"),
    "comparison": ("{{ question < 1 }}", "not supported between instances"),
}


@pytest.mark.parametrize(("text", "message"), FAILING.values(), ids=FAILING)
def test_a_template_that_fails_is_named_with_its_line(
    ours: Path, write: Write, text: str, message: str
) -> None:
    prompts = Prompts(ours, write("theirs", ask=replaced(text)))
    with pytest.raises(ConfigurationError) as caught:
        prompts.messages("ask", VALUES)
    assert message in str(caught.value)
    assert str(caught.value).startswith(f"{ours.parent / 'theirs' / 'ask.jinja'}:3: ")


def test_a_value_that_was_not_given_is_named(ours: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"ask\.jinja:12: 'question' is undefined"):
        Prompts(ours).messages("ask", {"options": [], "conversation": []})


def test_a_prompt_that_is_not_there_is_named(ours: Path) -> None:
    with pytest.raises(ConfigurationError, match="there is no prompt 'aks'"):
        Prompts(ours).messages("aks", VALUES)
