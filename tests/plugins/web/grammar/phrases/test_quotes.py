"""Quotes of all kinds, apostrophes inside, quotes that are not closed."""

import pytest

from sparring_plugins.web.grammar.phrases.tokens import find_quotations
from sparring_plugins.web.grammar.steps import read_step

KINDS = {
    "straight": "Click on 'Save all'",
    "double": 'Click on "Save all"',
    "typographic": "Click on “Save all”",
    "single typographic": "Click on ‘Save all’",
    "German": "Click on „Save all“",
    "Swedish": "Click on ”Save all”",
    "guillemets": "Click on «Save all»",
    "guillemets inwards": "Click on »Save all«",
    "single guillemets": "Click on ‹Save all›",
    "backticks": "Click on `Save all`",
    "TeX": "Click on ``Save all''",
    "Japanese": "Click on 「Save all」",
    "no blank before": 'Click on"Save all"',
}


@pytest.mark.parametrize("text", KINDS.values(), ids=list(KINDS))
def test_any_kind_of_quote_quotes(text: str) -> None:
    target = read_step(text, number=1).readings[0].target
    assert target is not None
    assert (target.text, target.quoted) == ("Save all", True)


INSIDE = {
    "'Bleu d'Auvergne'": ["Bleu d'Auvergne"],
    "'rock 'n' roll'": ["rock 'n' roll"],
    "'dogs' toys' is": ["dogs' toys"],
    "'it's' and 'that's'": ["it's", "that's"],
    '"don\'t"': ["don't"],
    "'say \"hi\"'": ['say "hi"'],
    "\"say 'hi'\"": ["say 'hi'"],
    r"'a\'b'": ["a'b"],
    "'a' and 'b'": ["a", "b"],
    "''": [""],
    "'Ex Tax: 1.5 (0) + x'": ["Ex Tax: 1.5 (0) + x"],
    "the user's 'x'": ["x"],
    "“a ‘b’ c”": ["a ‘b’ c"],
    "'C:\\temp\\'": ["C:\\temp\\"],
    "5' tall": [],
}


@pytest.mark.parametrize(("text", "quoted"), INSIDE.items(), ids=list(INSIDE))
def test_what_is_inside_of_quotes(text: str, quoted: list[str]) -> None:
    assert [q.text for q in find_quotations(text)] == quoted


UNCLOSED = {
    "Fill the field 'password' with 'sasasa": ("Fill the 'password' field with 'sasasa'"),
    "Assert that 'iMac' OR 'error is displayed on the page": (
        "Assert that 'iMac' is displayed or 'error' is displayed"
    ),
    "Type 'sasasa in the field 'x'": "Type 'sasasa' into the 'x' field",
    "Click on 'Save": "Click on 'Save'",
    "Click on 'Log in to continue.": "Click on 'Log in to continue'",
    "Select 'Red from the list 'Colour'": "Select 'Red' from the 'Colour' list",
    "Assert that 'a' and 'b are displayed": "Assert that 'a' is displayed and 'b' is displayed",
    "Click on “Save": "Click on 'Save'",
}


@pytest.mark.parametrize(("text", "said"), UNCLOSED.items(), ids=list(UNCLOSED))
def test_an_unclosed_quote_ends_where_it_was_meant_to_and_is_a_problem(
    text: str, said: str
) -> None:
    step = read_step(text, number=1)
    assert step.readings[0].explanation == said
    assert step.problems[0].startswith("a quote is not closed: read as '")
