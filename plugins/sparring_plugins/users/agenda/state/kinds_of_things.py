"""What kind of thing the profile speaks of, and what that is called.

"What kind of animal is it, and what is its name?" is answered by the cat and by Saffron of "your
cat is Saffron", and never by the user's own name.
"""

import re
from collections.abc import Iterator, Sequence

from sparring_plugins.language.text import folded
from sparring_plugins.users.agenda.profile.facts import names_in
from sparring_plugins.users.agenda.state.known_values import KnownValue

# "What kind of pet is it?" is answered by "cat" in the profile, a word of the same group.
_KIND_OF = re.compile(
    r"\b(?:what|which) (?:kind|type|sort|breed) of (?P<a>\w+)"
    r"|\bwelche (?:art|sorte)(?: von)? (?P<b>\w+)"
    r"|\bwas fur (?:ein|eine|einen) (?P<c>\w+)|\bque (?:tipo|clase) de (?P<d>\w+)"
    r"|\bquel (?:type|genre) d(?:e |')?(?P<e>\w+)|\bche tipo di (?P<f>\w+)|\bque tipo de (?P<g>\w+)"
)
# "What is its name?" is not the user's own name.
_ITS_NAME = re.compile(
    r"\b(?:its|his|her|their) (?:first )?names?\b|\bwhat (?:is|are) (?:it|he|she|they) called\b"
    r"|\bhow is (?:it|he|she) called\b|\bwie heisst (?:es|er|sie|das tier|das kind)\b"
    r"|\bcomo se llama(?! usted)\b|\bcomment s ?'?appelle t (?:il|elle)\b|\bcome si chiama\b"
)


def kind_named(question: str, texts: Sequence[str]) -> str | None:
    """Return the word of some texts that is a kind of what a question asks for, or None.

    Args:
        question: What the app asks: "What kind of animal is it?".
        texts: The goals first, then the context and the role.
    """
    match = _KIND_OF.search(folded(question))
    if match is None:
        return None
    asked = next(group for group in match.groups() if group)
    return next(_of_kind(asked, texts), None)


def _of_kind(asked: str, texts: Sequence[str]) -> Iterator[str]:
    names = names_in(asked)
    for text in texts:
        for word in re.findall(r"[^\W\d_]+", text):
            if folded(word) != asked and names_in(word) & names:
                yield word.lower() if word.islower() else word


def name_of_other(question: str, values: Sequence[KnownValue]) -> str | None:
    """Return what somebody or something else is called, if a question asks for that name."""
    if not _ITS_NAME.search(folded(question)):
        return None
    proper = [
        value.text
        for value in values
        if value.text[:1].isupper()
        and not value.kinds & {"name", "date", "time", "code", "city", "place", "address"}
        and all(word.isalpha() for word in value.text.split())
        and len(value.text.split()) <= _NAME_WORDS
    ]
    return next(iter(proper), None)


# "Sir Barks Alot" is a name; longer texts describe the animal.
_NAME_WORDS = 3
