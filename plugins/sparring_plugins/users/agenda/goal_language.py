"""Which language a goal is written in, told by its small words."""

from functools import lru_cache

from sparring_plugins.language.text import folded
from sparring_plugins.users.agenda.frames import LANGUAGES

_SMALL_WORDS = {
    "English": "the a an of to for with what which how when where is are do my your and",
    "Spanish": "que el la los las de un una por para con como cual quien donde cuando si se mi tu"
    " es y",
    "French": "le la les de du des un une et avec pour que quel quelle est mon ma au sur ou",
    "German": "der die das den dem ein eine einen und mit fur was wie wann wo ist mein meine zu im",
    "Italian": "il lo la gli le di un una e con per che quale quando dove come mio mia al del",
    "Portuguese": "o os as de um uma e com para que qual quando onde como meu minha ao do da",
}


@lru_cache(maxsize=512)
def language_of(text: str, declared: str) -> str:
    """The language to put a text into frames of: its own, where its small words tell.

    That is the declared one or English, for an English one also Spanish; ``Other`` where there
    are no frames for the declared one.
    """
    name = declared.title()
    if name not in LANGUAGES:
        return "Other"
    other = "Spanish" if name == "English" else "English"
    words = folded(text).split()
    own, others = _count(words, name), _count(words, other)
    return other if others > own else name


def _count(words: list[str], language: str) -> int:
    small = _SMALL_WORDS[language].split()
    return sum(word in small for word in words)
