"""Judging of what a list of choices offers: "the drop-down 'Size' contains 'Large'".

A list that is closed shows only what is selected; what it offers are its options, or the radio
buttons of a group.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sparring.model.page import Element
from sparring_plugins.web.grammar.free.statements import Statement
from sparring_plugins.web.grammar.free.words import FREE, LIST_JOINT, split_words, stem
from sparring_plugins.web.pages.controls import offers_choices
from sparring_plugins.web.pages.text_fit import bare, contains, plain
from sparring_plugins.web.pages.weak.checks.answers import WeakAnswer, answer
from sparring_plugins.web.pages.weak.page.page_content import PageContent

_CHOICE = (
    r"drop-?down(?: list| menu| box)?|select(?: box| list| field)?|selection list|combo ?box"
    r"|radio (?:group|buttons)|choices? of|options? of|picker"
)
_LIST = r"list|field|box|group|menu|setting|choice|options|choices"
_SUBJECT = (
    r"(?:the |a )?(?:(?P<before>⟦\d+⟧|[\w'-]+(?: [\w'-]+){0,3}?) )??"
    rf"(?:(?P<choice>{_CHOICE})|(?P<list>{_LIST}))"
    r"(?: (?:called |named |labelled |of |for )?(?:the )?(?P<mark>⟦\d+⟧))?"
)
_BARE = r"(?:the |a )?(?P<bare>⟦\d+⟧|[\w'-]+(?: [\w'-]+){0,3}?)"
_OPTIONS = r"(?:the |an |as )?(?:options?|choices?|alternatives?)"
_NO = r"(?P<no>(?:does|do)(?:n't| not) |no longer )?"
#: "the drop-down 'Size' contains 'L'", "the list 'Size' offers 'L'"
_CONTAINS = re.compile(
    rf"^(?:that )?{_SUBJECT} (?:now |still |also )?{_NO}"
    rf"(?P<verb>offers?|contains?|includes?|lists?|provides?|has|have)(?P<options> {_OPTIONS})? "
    r"(?P<what>⟦.+⟧)(?: (?:as (?:an )?(?:option|choice)s?|any ?more))?$",
    re.I,
)
#: "the size has the option 'L'", "the size offers 'L'"
_HAS_OPTION = re.compile(
    rf"^(?:that )?{_BARE} (?:now |still |also )?{_NO}"
    rf"(?:(?:offers?)(?: {_OPTIONS})?|(?:has|have|contains?|includes?|lists?|provides?) {_OPTIONS})"
    r" (?P<what>⟦.+⟧)$",
    re.I,
)
#: "'L' is an option of the size", "'L' is offered in the list 'Size'"
_IS_OPTION = re.compile(
    r"^(?:that )?(?P<what>⟦.+⟧) (?:is|are)(?P<no>n't| not| no longer)? (?:now |still |also )?"
    r"(?:(?:an? |one of the )?(?:options?|choices?)|offered|on offer|selectable) "
    rf"(?:of|in|for|from|by) (?:{_SUBJECT}|{_BARE})$",
    re.I,
)
#: "The sidebar offers 'Help'" may be no list of choices.
_SAYS_OPTION = re.compile(r"\b(?:option|choice|alternative)s?\b")
_MARK = re.compile(r"(?:(?:the|an?) )?(?:option |choice )?(⟦\d+⟧)", re.I)


@dataclass(frozen=True)
class Offer:
    """A statement that a list offers some choices, or offers none of them."""

    name: str
    quoted: bool
    wanted: tuple[str, ...]
    denies: bool
    insists: bool
    """Whether the words say that a list of choices is meant: "drop-down", "option"."""


def read_offer(s: Statement) -> Offer | None:
    """Return what a statement says of the choices of a list; None if it says something else."""
    match = _CONTAINS.match(s.text) or _HAS_OPTION.match(s.text) or _IS_OPTION.match(s.text)
    if match is None or s.position:
        return None
    groups = {name: text or "" for name, text in match.groupdict().items()}
    says_option = bool(groups.get("options")) or match.re is not _CONTAINS
    if not says_option and not _is_about_choices(groups):
        return None
    wanted = _read_marks(match["what"], s)
    named = groups.get("mark") or groups.get("before") or groups.get("bare", "")
    if not wanted:
        return None
    insists = bool(groups.get("choice")) or _SAYS_OPTION.search(s.low) is not None
    return Offer(s.unmask(named), "⟦" in named, wanted, bool(groups.get("no")), insists)


def _is_about_choices(groups: Mapping[str, str]) -> bool:
    """Return whether choices are meant: "the field 'Size' contains 'L'" is what it holds."""
    verb = groups["verb"].lower()
    is_of_list = bool(groups["choice"]) or groups["list"].lower() == "list"
    return verb not in ("has", "have") and (is_of_list or verb.startswith("offer"))


def _read_marks(what: str, s: Statement) -> tuple[str, ...]:
    """Return the quotations of a list; none if there are other words in it."""
    marks = [_MARK.fullmatch(part.strip()) for part in LIST_JOINT.split(what) if part]
    return tuple(s.unmask(m[1]) for m in marks if m) if all(marks) else ()


def judge_choices(s: Statement, page: PageContent) -> WeakAnswer | None:
    """Judge what a list of choices offers; None if the statement speaks of no such list."""
    offer = read_offer(s)
    if offer is None:
        return None
    lists = _find_lists(offer, page)
    if not lists:
        reason = f"there is no list of choices '{offer.name}' on the page that could be meant"
        return answer("choices", None, reason) if offer.insists else None
    if any(not labels for labels in lists):
        return answer("choices", None, f"the choices of '{offer.name}' can't be read")
    answers = [_judge_list(offer, labels) for labels in lists]
    if len({a.truth for a in answers}) != 1:
        reason = f"there are {len(lists)} lists of choices that may be meant"
        return answer("choices", None, f"{reason}, and they differ in this")
    return answers[0]


def _judge_list(offer: Offer, labels: Sequence[str]) -> WeakAnswer:
    shown = ", ".join(labels[:6])
    lacking = [w for w in offer.wanted if not any(bare(w) == bare(label) for label in labels)]
    perhaps = [w for w in lacking if any(contains(w, label) for label in labels)]
    if perhaps:  # 'Oak (solid)' is perhaps what is meant by Oak
        return answer("choices", None, f"no choice is just '{perhaps[0]}', of {shown}")
    if offer.denies:
        return answer("choices", len(lacking) == len(offer.wanted), f"the choices are {shown}")
    return answer("choices", not lacking, f"the choices are {shown}")


def _find_lists(offer: Offer, page: PageContent) -> list[list[str]]:
    """Return the labels of the choices of each list that is called so."""
    lists = tuple(_choice_lists(page).values())
    if not offer.name:
        return [each.labels for each in lists] if offer.insists else []
    exact = [each.labels for each in lists if bare(offer.name) in map(bare, each.names)]
    if exact or offer.quoted:
        return exact
    words = {stem(w) for w in split_words(offer.name) if w not in FREE.stop}
    return [each.labels for each in lists if words and each.has_words(words)]


@dataclass
class _ChoiceList:
    """A list or a group of radio buttons: what it is called and what it offers."""

    labels: list[str] = field(default_factory=list[str])
    names: list[str] = field(default_factory=list[str])

    def has_words(self, words: set[str]) -> bool:
        """Return whether one of its names has all the words, by their stems."""
        return any(words <= {stem(w) for w in split_words(name)} for name in self.names)


def _choice_lists(page: PageContent) -> dict[str, _ChoiceList]:
    lists: dict[str, _ChoiceList] = {}
    for element in page.elements:
        if element.role == "radio":
            key, name = _group_of(element, page)
            group = lists.setdefault(key, _ChoiceList())
            group.labels.append(element.label or element.name)
            group.names.append(name)
        elif offers_choices(element):
            labels = [o.label for o in element.options if not o.disabled]
            names = [element.name, element.label, element.adjacent, element.title]
            lists[element.id] = _ChoiceList(labels, [name for name in names if name])
    return lists


def _group_of(radio: Element, page: PageContent) -> tuple[str, str]:
    """Return what tells the group of a radio button from others, and what it is called."""
    holders = (h for h in page.layout.above(radio) if h.role in ("group", "radiogroup"))
    holder = next(holders, None)
    if holder is not None:
        return holder.id, holder.name
    name = radio.attributes.get("name", "")
    return f"radio {plain(name)}", radio.region[-1] if radio.region else name
