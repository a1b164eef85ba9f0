"""No regular expression of ours takes more than linear time, whatever the app or the suite says."""

import re
from pathlib import Path

import pytest

from .pattern_growth import METHODS, Growth, Source, _built, growth_of, sources

HEARD = ["sparring_plugins/rules/functions/text_checks.py", "sparring_connectors/described"]
"""Where what an app says is read in nearly every run."""

BOUNDED = {
    r"\$(\$)?\{([^}]*)\}": "environment.py looks only as far as the last closing brace",
    r"(?<!\w)(?:'[^'\n]*'|\"[^\"\n]*\"|`[^`\n]*`)(?!\w)|“[^”\n]*”|«[^»\n]*»": (
        "failure_identity.py reads 2,000 characters of a reason"
    ),
}
"""Patterns that may be slow, and why that does no harm."""


def _too_slow(folders: list[str], at_least: int) -> list[Growth]:
    patterns = [source for source in sources(folders) if source.pattern not in BOUNDED]
    assert len(patterns) >= at_least, "patterns are no longer found"
    return [growth for source in patterns if (growth := growth_of(source)) is not None]


def _source(pattern: str, *methods: str) -> Source:
    return Source(pattern, 0, ("here",), frozenset(methods) or METHODS)


@pytest.mark.parametrize(
    "source",
    [
        _source(r"\s+x", "search"),
        _source(r"(a+)+b", "match"),
        _source(r"^\s*File", "finditer"),
        _source(r"<a[^>]*>", "sub"),
    ],
    ids=lambda source: source.pattern,
)
def test_a_pattern_that_is_slow_is_found(source: Source) -> None:
    slow = Source(source.pattern, int(re.MULTILINE), source.places, source.methods)
    assert growth_of(slow) is not None


@pytest.mark.parametrize("pattern", [r"(?<!\s)\s+x", r"\w+|\S", r"<a[^<>]*>"])
def test_a_pattern_that_is_fast_is_left_alone(pattern: str) -> None:
    assert growth_of(_source(pattern, "search", "fullmatch")) is None


def test_a_pattern_that_is_put_together_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    module = tmp_path / "reads_prices.py"
    module.write_text(
        "import re\n"
        "_UNIT = r'(?:kg|pound)'\n\n"
        "def price(text, name):\n"
        "    end = r'\\s+per '\n"
        "    return re.search(rf'{name}(.+?){end}{_UNIT}', text)\n"
    )
    assert list(_built(module, "reads_prices")) == [
        (r"word(.+?)\s+per (?:kg|pound)", 0, "reads_prices.py:6", {"search"})
    ]


def test_patterns_that_read_every_app_take_linear_time() -> None:
    assert _too_slow(HEARD, 20) == []


@pytest.mark.thorough
def test_patterns_of_all_of_the_source_take_linear_time() -> None:
    assert _too_slow(["."], 400) == []
