"""Texts in cells that no spreadsheet takes for a formula."""

import re

from sparring_plugins.language.visible import visible

_FORMULA = re.compile(r"(^|;)(\s*)(?=[=+\-@＝＋－＠])")  # noqa: RUF001


def safe_cell(text: str) -> str:
    """A text that no spreadsheet takes for a formula, on its own or cut at semicolons."""
    shown = _FORMULA.sub(r"\1\2'", visible(text))
    return f"'{shown}" if shown.startswith(("\t", "\n")) else shown
