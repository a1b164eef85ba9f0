"""Sentences that no step can do, and that rules would read as something else.

"Open a new tab" is no click on a tab, "there is no way to pay by card" says nothing about a text
called "way to pay by card". They are not understood, with the form that comes nearest.
"""

import re
from functools import cache

from pydantic import BaseModel, ConfigDict, TypeAdapter

from sparring_plugins.language.yaml_files import bundled_yaml

_QUOTATION = re.compile(
    r"'[^']*'|\"[^\"]*\"|\u2018[^\u2018\u2019]*\u2019|\u201c[^\u201c\u201d]*\u201d"
)
_LONGEST = 500


class UnsupportedForm(BaseModel):
    """A form of sentences, a regular expression to search for, and what to write instead."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    pattern: str
    instead: str


@cache
def _forms() -> tuple[tuple[re.Pattern[str], str], ...]:
    data = bundled_yaml("sparring_plugins.web.grammar", "unsupported.yaml")
    forms = TypeAdapter(tuple[UnsupportedForm, ...]).validate_python(data)
    return tuple((re.compile(form.pattern, re.IGNORECASE), form.instead) for form in forms)


def nearest_form(sentence: str) -> str:
    """Return what to write instead of a sentence that no step can do; empty if one may."""
    bare = " ".join(_QUOTATION.sub("''", sentence[:_LONGEST]).split())
    return next((instead for pattern, instead in _forms() if pattern.search(bare)), "")
