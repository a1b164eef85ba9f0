"""What a thing is called and where it lies, in the words of a free sentence.

"the bell next to the chat heading" names a bell, and the chat heading as its place.
"""

import re

#: Up to three words; the longest are tried first.
_JOINTS = (
    r"that belongs? to|which belongs? to|belonging to|to the (?:left|right) of|in front of|next to"
    r"|left of|right of|close to|on top of|beside|near|behind|inside|within|underneath|under|below"
    r"|using|by means of"
    r"|beneath|above|after|before|around|opposite|of|in|on|for|from|at|with|via|through"
)
# "the link 'More' in the row of Mia": where a thing is.
_PLACE = re.compile(rf"(?<!\s)\s+(?:{_JOINTS})\s+(?=\S)", re.I)
_FRONT = re.compile(rf"^(?:{_JOINTS})\s+(?=\S)", re.I)
#: "otto's comment", "the comment by otto": whose it is says which of several
_OWNED = re.compile(
    r"(?:(?:the )?(?P<owner>[\w.@-]+)['’]s (?P<thing>[a-z][a-z -]{1,40})"
    r"|(?:the )?(?P<what>[a-z][a-z -]{1,40}?) (?:written |made |posted |sent )?by "
    r"(?P<who>[\w.@-]+))$"
)
# "its price" and "that row" point at what was named before.
_POINTING = re.compile(
    r"\b(?:it|its|them|their|that|this|these|those|his|her|there|the same)\b", re.I
)
# "open Reports from the side menu": over which part a thing is reached.
_WAYS = re.compile(r"(?<!\s)\s+(?:from|via|through|under|in|on)\s+(?:the\s+)?(?=\S)", re.I)


def split_places(words: str) -> tuple[str, tuple[str, ...]]:
    """Return what is named, and the places behind it, nearest first."""
    if owned := _OWNED.match(words.strip()):
        return owned["thing"] or owned["what"], (owned["owner"] or owned["who"],)
    name, *places = _PLACE.split(words.strip())
    return name, tuple(place for place in places if place.strip())


def read_places(context: str) -> tuple[str, ...]:
    """Return the places of a context: "In the row of Elm" has the row and Thyme."""
    context = _FRONT.sub("", context.strip())
    name, places = split_places(context)
    return tuple(place for place in (name, *places) if place.strip())


def split_way(words: str) -> tuple[str, str]:
    """Return a thing and what leads there: "Books from the Catalogue menu"."""
    parts = _WAYS.split(words, maxsplit=1)
    return (parts[0], parts[1]) if len(parts) == 2 else (words, "")


def points_back(words: str) -> bool:
    """Return whether words only point to what was spoken of: "its row", "that box"."""
    return _POINTING.search(words) is not None
