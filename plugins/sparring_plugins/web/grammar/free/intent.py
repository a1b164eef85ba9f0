"""One thing that a clause wants done."""

from typing import Literal

from sparring.model.base import Value

Verb = Literal[
    "click", "fill", "append", "select", "check", "uncheck", "user", "password", "credential",
    "enter_login",
    "logout", "search", "sort", "filter", "upload", "clear", "press", "next", "previous", "last",
    "page", "first", "home", "drag", "hover", "back", "reload", "submit", "close", "open",
    "replace", "result", "form", "name", "leave", "finish", "rename", "narrow", "say",
]  # fmt: skip


class Intent(Value):
    """One thing to do, in the words of the sentence.

    `words` name what it is done to, `value` is what is entered or selected, `context` the words
    of the place; `verb` also stands for what a page may call it ("Print the label": Print PDF), so
    `said` has the verb as it was written. `quoted` means that the words stood in quotes,
    `described` that the value is no literal ("the name below"), which nobody can type. `old` is
    the value that it replaces, if the sentence names it: "Switch the view from List to Board".
    What is `optional` is only done if the page asks for it: "confirm if asked".
    """

    verb: Verb
    words: str = ""
    value: str = ""
    context: str = ""
    said: str = ""
    quoted: bool = False
    described: bool = False
    old: str = ""
    times: int = 1
    optional: bool = False
