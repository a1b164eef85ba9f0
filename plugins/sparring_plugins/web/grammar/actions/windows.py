"""Steps with tabs, windows and the browser's own dialogs."""

from sparring_plugins.web.grammar.phrases.forms import Match, Plan, form, one
from sparring_plugins.web.grammar.words.numbers import ordinal
from sparring_plugins.web.grammar.words.tokens import Token
from sparring_plugins.web.grammar.words.vocabulary import words
from sparring_plugins.web.roles.step import Target

_TABS = "tab|window|browser_tab|browser_window|popup_window|pop-up_window"
_NEW = words("new other opened second next newly latest last popup recently pop-up just")
_FIRST = words("first original previous old initial main parent former start")


@form(
    "Go to another tab or window",
    f"switch|go|change|move|jump|return|focus [back] to|on [the] [{{which}}] {_TABS}",
    f"switch|go|change|move|jump|return [back] to [the] {_TABS} {{name}}",
    f"switch|go|change|move|jump|return [back] to [the] {_TABS} titled|named|called {{name}}",
    "switch tabs|windows",
    examples=("Switch to the new tab", "Go back to the first window",
              "Switch to the browser tab 'Invoice'"),
)  # fmt: skip
def _switched(match: Match) -> Plan | None:
    if match.has("name"):
        return _named(match)
    if not match.has("which"):
        return (one("switch_tab", value="-1"),) if match.tokens[-1].low != "tab" else None
    words = [t.low for t in match.part("which")]
    value = _place(words)
    if value is None:
        return None
    switched = one("switch_tab", value=value)
    if match.tokens[-1].low == "tab" and (place := ordinal(match.part("which")[0])):
        return ((*one("click", (Target(role="tab", ordinal=place),)), *switched),)
    return (switched,)


def _named(match: Match) -> Plan | None:
    """A browser's tab by its title; a mere "tab" lies on the page."""
    part = match.part("name")
    said = any(
        t.low in ("window", "browser", "titled", "title") for t in match.tokens if not t.quoted
    )
    if len(part) != 1 or not part[0].quoted or not said:
        return None
    return (one("switch_tab", value=part[0].text),)


def _place(words: list[str]) -> str | None:
    """The place of a tab, from 0; -1 is the latest."""
    if words and words[0] in _FIRST and len(words) == 1:
        return "0"
    if words and all(w in _NEW for w in words):
        return "1" if words == ["second"] else "-1"
    place = ordinal(Token("word", words[0], 0, 0, words[0])) if len(words) == 1 else None
    return str(place - 1 if place > 0 else place) if place else None


@form(
    "Close a tab or window",
    f"close|exit|shut [the|this] [current|new|active|opened|popup|open] {_TABS}",
    examples=("Close the tab",),
)
def _closed(match: Match) -> Plan | None:
    del match
    return (one("close_tab"),)


_BOX = (
    "alert|confirm|confirmation|prompt|javascript_alert|javascript_dialog|js_alert|confirm_dialog"
    "|alert_dialog|browser_dialog|browser_alert|confirm_box|alert_box|confirmation_dialog"
    "|browser's_dialog|javascript_confirm|javascript_prompt|system_dialog"
)


@form(
    "Answer the browser's dialog",
    f"accept|confirm|ok|approve|acknowledge [the] [browser] {_BOX}|dialog|popup|pop-up",
    f"dismiss|cancel|reject|decline|refuse [the] {_BOX}",
    f"answer|reply [to] [the] {_BOX} with {{value}}",
    f"type|enter|write {{value}} in|into|to [the] {_BOX}",
    examples=(
        "Accept the alert",
        "Dismiss the confirmation dialog",
        "Answer the prompt with 'Ada'",
    ),
)
def _answered(match: Match) -> Plan | None:
    if match.has("value"):
        value = match.value()
        return (one("answer_dialog", value=value),) if value is not None else None
    refused = match.tokens[0].low in ("dismiss", "cancel", "reject", "decline", "refuse")
    return (one("answer_dialog", value="dismiss" if refused else "accept"),)
