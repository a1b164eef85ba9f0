import asyncio
from pathlib import Path
from random import Random
from typing import Any

import pytest

from sparring.errors import ConfigurationError
from sparring.space import CaseSpace
from sparring.testing.fakes import FakeContext
from sparring_plugins.search.features.lookup import find_spaces
from sparring_plugins.search.prompter.template_writer import TemplateWriter
from sparring_plugins.search.roles import Feature, Utterance, WriteTask

GRAMMAR = """\
start: "{hello} {ask} {a thing}[ for {price}][, near {place}]{mark}"
symbols:
  hello:
    - {when: mood == 'kind', any: "Dear friend,"}
    - ""
  ask: I am looking for
  thing: ["{what}"]
  mark: [".", "."]
rewrites:
  - {when: mood == 'rude', replace: {I am looking for: gimme}}
"""


def feature(name: str, value: Any, group: Any = "content", **more: Any) -> Feature:
    words = (str(value),) if value != "none" else ()
    return Feature(name=name, group=group, value=value, words=words, none=value == "none", **more)


def task(path: Path, mood: str = "plain", seed: int = 0, **content: Any) -> WriteTask:
    features = [feature("mood", mood, "style")]
    features += [feature(name, value) for name, value in content.items()]
    return WriteTask(space="s", features=tuple(features), templates=str(path), seed=seed)


def write(one: WriteTask, **settings: Any) -> Utterance:
    return asyncio.run(FakeContext().build(TemplateWriter, **settings).act(one))


@pytest.fixture
def grammar(tmp_path: Path) -> Path:
    path = tmp_path / "templates.yaml"
    path.write_text(GRAMMAR)
    return path


@pytest.mark.parametrize(
    ("mood", "content", "text"),
    [
        ("plain", ("apple", "none", "none"), "I am looking for an apple."),
        ("plain", ("pear", "5 euros", "none"), "I am looking for a pear for 5 euros."),
        ("rude", ("pear", "none", "here"), "Gimme a pear, near here."),
        ("kind", ("unicorn", "none", "none"), "Dear friend, I am looking for a unicorn."),
        ("kind", ("hour", "1", "x"), "Dear friend, I am looking for an hour for 1, near x."),
        ("rude", ("thing I am looking for", "none", "none"), "Gimme a thing I am looking for."),
    ],
)
def test_features_are_put_into_words(
    grammar: Path, mood: str, content: tuple[str, str, str], text: str
) -> None:
    names = dict(zip(("what", "price", "place"), content, strict=True))
    found = write(task(grammar, mood, **names))
    assert found.text == text
    said = {name: (value,) for name, value in names.items() if value != "none"}
    assert found.spoken == said, "the words that say content are known, and no slang changes them"


@pytest.mark.parametrize("name", ["naviqa", "safeqa"])
def test_bundled_templates_express_every_feature(name: str) -> None:
    """Changing a single style or content feature changes what is said in most cases."""
    context = FakeContext()
    (space,) = find_spaces([name], context)
    cases = CaseSpace(space.scenario(), context)
    writer = context.build(TemplateWriter)
    first = space.task(cases.random(Random(0)))
    writer.check(first)
    draw = Random(9)

    async def said(params: Any) -> Utterance:
        return await writer.act(space.task(params, seed=1))

    async def changes(number: int) -> float:
        differing, tried = 0, 0
        for _ in range(60):
            indices = list(cases.indices(cases.random(draw)))
            indices[number] = draw.randrange(cases.sizes[number])
            other = list(indices)
            other[number] = (indices[number] + 1) % cases.sizes[number]
            one, two = cases.params(indices), cases.params(other)
            if cases.holds(one) and cases.holds(two):
                tried += 1
                differing += (await said(one)).text != (await said(two)).text
        return differing / tried

    async def all_changes() -> dict[str, float]:
        spoken = [f for f in space.features if f.group != "perturbation"]
        return {f.name: await changes(cases.names.index(f.name)) for f in spoken}

    found = asyncio.run(all_changes())
    assert all(share > 0.8 for share in found.values()), found


def test_every_content_value_is_said_in_naviqa() -> None:
    context = FakeContext()
    (space,) = find_spaces(["naviqa"], context)
    cases = CaseSpace(space.scenario(), context)
    writer, draw = context.build(TemplateWriter), Random(4)

    async def check() -> None:
        for seed in range(150):
            params = cases.random(draw)
            made = space.task(params, seed=seed)
            found = await writer.act(made)
            wanted = {one.name for one in made.features if one.group == "content" and not one.none}
            assert set(found.spoken) == wanted, (params, found)
            for words in found.spoken.values():
                assert all(one.casefold() in found.text.casefold() for one in words)

    asyncio.run(check())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("start: '{what'", "templates.yaml:1: start: '{' in '{what' is no hole"),
        ("start: 'a [b'", "`[` is not closed in 'a [b'"),
        ("start: 'a] b'", "`]` closes nothing"),
        ("start: '{what.loud}'", "is no hole: write {feature}"),
        ("start: x\nsymbols: {a: '{b}', b: '{a}'}", "the symbol 'a' stands within itself"),
        ("start: x\nrules: []", "rules: unknown key"),
        ("start: x\nsymbols: {a: []}", "symbols.a"),
        (
            "start: x\nsymbols:\n  a:\n    - {when: mood, any: x, ayn: x}",
            "unknown key. Did you mean 'any'",
        ),
        ("start: '{wat}'", "`{wat}` is neither a symbol nor a feature. Did you mean 'what'?"),
        (
            "start: x\nsymbols:\n  a: [{when: moood == 1, any: x}]",
            "`moood` is none of the variables",
        ),
        ("[1]", "expected keys and values"),
    ],
)
def test_wrong_templates_are_named(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "templates.yaml"
    path.write_text(text)
    with pytest.raises(ConfigurationError) as caught:
        FakeContext().build(TemplateWriter).check(task(path, what="x"))
    assert message in str(caught.value), str(caught.value)


def test_a_space_without_templates_says_what_to_do() -> None:
    one = WriteTask(space="mine", features=())
    with pytest.raises(ConfigurationError, match="the feature space 'mine' has no `templates`"):
        write(one)


def test_a_suite_may_name_other_templates(grammar: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.yaml"
    other.write_text("start: 'Just {what}'")
    assert write(task(grammar, what="tea"), templates=str(other)).text == "Just tea"
