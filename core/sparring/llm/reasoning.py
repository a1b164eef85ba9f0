"""Tells a model's reasoning from its answer, where both come as one text."""

import re
from collections.abc import Iterator

_TAG = re.compile(
    r"<(?P<angle>/?)(?:think|thinking|thought|thoughts|reasoning)\s{0,8}>"
    r"|\[(?P<square>/?)THINK\]|◁(?P<lozenge>/?)think▷",
    re.IGNORECASE,
)
_QUOTES = frozenset("`\"'")


def parted(text: str) -> tuple[str, str]:
    """The reasoning in a text, and the text without it.

    Reasoning stands between tags such as ``<think>`` and ``</think>``. It also begins at the
    start, where the opening tag was part of the prompt, and ends at the end, where the text was
    cut off. A tag that is quoted is none, nor is one in the middle of a line that is never closed.
    """
    thought: list[str] = []
    kept: list[str] = []
    position, opening = 0, None
    for tag in _tags(text):
        if not _closes(tag):
            if opening is None:
                kept.append(text[position : tag.start()])
                position, opening = tag.end(), tag
            continue
        if opening is None:  # it was opened in the prompt
            thought += kept
            kept.clear()
        thought.append(text[position : tag.start()])
        position, opening = tag.end(), None
    if opening is None:
        kept.append(text[position:])
    elif _ends_line("".join(kept)):
        thought.append(text[position:])
    else:
        kept.append(text[opening.start() :])
    if not thought:
        return "", text
    return "\n".join(filter(None, map(str.strip, thought))), "".join(kept).strip()


def after_reasoning(text: str) -> Iterator[str]:
    """The texts that are surely an answer as a whole, if they are one at all, the likeliest first.

    That is all of it; what follows a block of reasoning at the start; and, where the opening tag
    was in the prompt, what follows the last closing tag. The last only where that tag begins or
    ends a line and the text does not itself begin with data: else somebody may have been quoted.
    """
    yield text
    tags = list(_tags(text))
    closing = [tag for tag in tags if _closes(tag)]
    if not closing:
        return
    start = text.lstrip()
    if tags[0] is not closing[0]:
        if not text[: tags[0].start()].strip():
            yield text[closing[0].end() :]
    elif start[:1] not in ("{", "[", "`") and _stands_alone(text, closing[-1]):
        yield text[closing[-1].end() :]


def answering(text: str) -> Iterator[str]:
    """The stretches of a text that may hold the answer: after a leading block of reasoning.

    What lies between closing tags comes as well, since reasoning may hold broken data.
    """
    tags = list(_tags(text))
    start = 0
    if tags and not _closes(tags[0]) and not text[: tags[0].start()].strip():
        closing = next((tag for tag in tags if _closes(tag)), None)
        if closing is None:
            return
        start = closing.end()
    yield text[start:]
    cuts = [tag for tag in tags if _closes(tag) and tag.start() >= start][:16]
    ends = [*(tag.start() for tag in cuts[1:]), len(text)]
    for tag, end in zip(cuts, ends, strict=False):
        yield text[tag.end() : end]


def _tags(text: str) -> Iterator[re.Match[str]]:
    for tag in _TAG.finditer(text):
        around = {text[tag.start() - 1 : tag.start()], text[tag.end() : tag.end() + 1]}
        if not around <= _QUOTES:
            yield tag


def _closes(tag: re.Match[str]) -> bool:
    return bool(tag["angle"] or tag["square"] or tag["lozenge"])


def _ends_line(before: str) -> bool:
    return not before[before.rfind("\n") + 1 :].strip()


def _stands_alone(text: str, tag: re.Match[str]) -> bool:
    rest = text[tag.end() : tag.end() + 100].lstrip(" \t")
    return _ends_line(text[: tag.start()]) or rest[:1] in ("\n", "\r")
