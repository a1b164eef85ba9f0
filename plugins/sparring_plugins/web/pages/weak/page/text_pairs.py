"""Labels and values that only stand beside each other: "Members", "4", "Topics", "6"."""

import re
from collections.abc import Iterator, Sequence

from sparring.model.page import Element

_MOST_LABEL_WORDS = 5
_MOST_VALUE_WORDS = 12
_FEWEST_PAIRS = 2
_NUMBER = re.compile(r"[-+−]?[£$€]?\d[\d.,]*\s?[%£$€]?")
_VALUE = re.compile(r"\d|^(?:none|null|n/a|yes|no|true|false|–|-|—)$", re.I)


def pair_texts(elements: Sequence[Element]) -> Iterator[tuple[Element, Element]]:
    """Yield each label with its value, from runs of texts in which they alternate.

    Whether a run begins with a label or a value shows in its numbers: in "4 Members 6 Topics" the
    value comes first. A run that may be read both ways gives nothing.
    """
    for run in _runs(elements):
        if len(run) % 2 or len(run) < 2 * _FEWEST_PAIRS:
            continue
        pairs = list(zip(run[::2], run[1::2], strict=True))
        if _are_pairs([label for label, _ in pairs], [value for _, value in pairs]):
            yield from pairs
        elif _are_pairs([label for _, label in pairs], [value for value, _ in pairs]):
            yield from ((label, value) for value, label in pairs)


def _runs(elements: Sequence[Element]) -> Iterator[list[Element]]:
    """Yield the texts that follow each other in the same part, nothing else between them."""
    run: list[Element] = []
    for element in elements:
        goes_on = element.role == "text" and (not run or run[-1].parent == element.parent)
        if goes_on:
            run.append(element)
            continue
        if run:
            yield run
        run = [element] if element.role == "text" else []
    if run:
        yield run


def _are_pairs(labels: Sequence[Element], values: Sequence[Element]) -> bool:
    texts = [label.text.strip(" :") for label in labels]
    short = all(0 < len(text.split()) <= _MOST_LABEL_WORDS for text in texts)
    named = not any(_NUMBER.fullmatch(t) or t.endswith((".", "!", "?")) for t in texts)
    brief = all(len(value.text.split()) <= _MOST_VALUE_WORDS for value in values)
    # at least half of the values must look like values: two columns of words are no pairs
    shaped = sum(bool(_VALUE.search(value.text.strip())) for value in values)
    by_colon = all(label.text.rstrip().endswith(":") for label in labels)
    distinct = len(set(texts)) == len(texts)
    return short and named and brief and distinct and (by_colon or 2 * shaped >= len(values))
