"""Whether a text is plainly in another language than it should be, told without any model."""

import re
import unicodedata
from functools import lru_cache

from sparring_plugins.language.text import folded

_SCRIPTS = {
    "arabic": "ARABIC", "armenian": "ARMENIAN", "belarusian": "CYRILLIC", "bengali": "BENGALI",
    "bulgarian": "CYRILLIC", "cantonese": "CJK", "chinese": "CJK", "georgian": "GEORGIAN",
    "greek": "GREEK", "hebrew": "HEBREW", "hindi": "DEVANAGARI", "japanese": "CJK",
    "korean": "HANGUL", "macedonian": "CYRILLIC", "mandarin": "CJK", "marathi": "DEVANAGARI",
    "nepali": "DEVANAGARI", "persian": "ARABIC", "russian": "CYRILLIC", "tamil": "TAMIL",
    "telugu": "TELUGU", "thai": "THAI", "ukrainian": "CYRILLIC", "urdu": "ARABIC",
}  # fmt: skip
_SMALL_WORDS = {
    "English": "the and you is are of to for with what how do does can would my your this that it "
               "please have there which when where",
    "Spanish": "el los las una por con cual y quiero puedo hay del gracias quisiera donde cuando "
               "cuanto cuesta buenos hola tambien muchas",
    "French": "le les des une est et avec je vous mon votre quel quelle combien voudrais merci "
              "bonjour dans sur aussi",
    "German": "der das und ist ein eine ich sie mit fur wie kann mochte bitte nicht mein haben auf "
              "zu den auch guten",
    "Italian": "il lo gli che di per sono mio vorrei posso grazie della questo anche ciao quanto",
    "Portuguese": "os uma com meu minha quero posso obrigado voce nao tambem ola gostaria",
    "Dutch": "het een ik met voor hoe wil graag mijn niet van ook dank",
}  # fmt: skip
_ENOUGH = 3
_LETTERS = 12


def other_language(text: str, wanted: str, *, known: str = "") -> str | None:
    """The language, or script, that a text is in instead of `wanted`; None where in doubt.

    Scripts are told by their letters, and some languages of Latin script by their small words.
    `known` has words that may be said in any language, such as the author's own goals.
    """
    letters = [char for char in text[:2_000] if char.isalpha()]
    if len(letters) < _LETTERS:
        return None
    script = _SCRIPTS.get(wanted.split(" (")[0].casefold(), "LATIN")
    latin = sum(_is_of("LATIN", char) for char in letters) / len(letters)
    if script != "LATIN":
        given = set(folded(known).split())
        new = [word for word in folded(text).split() if word.isascii() and word not in given]
        return "Latin letters" if latin > 0.9 and len(new) >= _ENOUGH else None
    if latin < 0.3:
        return "another script"
    return _other_small_words(text, wanted, known)


def _other_small_words(text: str, wanted: str, known: str) -> str | None:
    languages = _small_words()
    if wanted not in languages:
        return None
    given = set(folded(known).split())
    said = [word for word in folded(text).split() if word not in given]
    counts = {name: sum(word in words for word in said) for name, words in languages.items()}
    best = max(counts, key=lambda name: counts[name])
    return best if best != wanted and counts[best] >= _ENOUGH + 3 * counts[wanted] else None


@lru_cache(maxsize=1)
def _small_words() -> dict[str, frozenset[str]]:
    """Small words that only one of the languages has."""
    lists = {name: frozenset(words.split()) for name, words in _SMALL_WORDS.items()}
    return {
        name: words - frozenset().union(*(lists[other] for other in lists if other != name))
        for name, words in lists.items()
    }


@lru_cache(maxsize=4096)
def _is_of(script: str, char: str) -> bool:
    return script in re.split(r"[ -]", unicodedata.name(char, ""))
