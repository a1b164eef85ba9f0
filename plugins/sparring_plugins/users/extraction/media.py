"""Pictures, files and cards in an answer, as far as words tell of them."""

from sparring.model.talk import Observation
from sparring_plugins.language.text import folded, plain, sentences

_MOST = 30
_LONGEST = 1_000


def in_words(observation: Observation) -> str:
    """What a person learns from an answer: what media show, by their descriptions, and the text.

    A description's sentences that the text has, too, are left out: cards often repeat what is said.
    The text stands last, with what it asks at its end.
    """
    captions = [plain(one.description)[:_LONGEST] for one in observation.attachments[:_MOST]]
    if not any(captions):
        return observation.text
    heard = folded(plain(observation.text))
    fresh = [one for text in captions for one in sentences(text) if folded(one) not in heard]
    return "\n".join([*dict.fromkeys(fresh), observation.text])
