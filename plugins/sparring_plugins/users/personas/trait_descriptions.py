"""Traits in words, for a language model that plays the persona."""

from collections.abc import Callable, Mapping

from pydantic import JsonValue, ValidationError

from sparring_plugins.users.personas.traits import Attack, Kind, Traits, traits_of

_LENGTHS = {
    "short": "Use as few words as you can.",
    "long": "Use long, wordy sentences for everything, longer than they need to be.",
}
_ASIDES: dict[Kind, str] = {
    "assistive": "Mention that a screen reader reads the chat to you, and ask for descriptions in"
    " words",
    "childlike": "Put in a child's exclamation",
    "courteous": "Add thanks",
    "curious": "Ask what something is for, or why you are asked",
    "demanding": "Add a curt demand, without swearing",
    "doubtful": "Question whether the chatbot is right",
    "elderly": "Put in a remark that shows your age, or that machines are new to you",
    "formal": "Use a phrase of formal letters",
    "friendly": "Add a personal, friendly remark",
    "hedging": "Tone down what you say with words like perhaps and maybe",
    "hurried": "Press the chatbot to be quicker",
    "ironic": "Add a sarcastic remark",
    "rambling": "Lose your thread for a moment",
    "wordy": "Explain yourself at needless length",
}
_ATTACKS: dict[Attack, str] = {
    "injection": "orders to forget its instructions",
    "nonsense": "strings of letters that mean nothing",
    "flood": "a very long message that says the same over and over",
    "contradiction": "statements that contradict each other",
}
_CAPITALS = {
    "none": "Write everything in small letters.",
    "shouting": "Write some of your messages all in capitals.",
}
_PUNCTUATION = {
    "none": "Leave out full stops, commas and question marks.",
    "heavy": "Put several exclamation marks or question marks in a row.",
}


def traits_in_words(data: Mapping[str, JsonValue]) -> list[str]:
    """One sentence per trait that is not as usual; none for what are no traits."""
    try:
        traits = traits_of(data)
    except ValidationError:
        return []
    return [words for one in _SENTENCES if (words := one(traits))]


def _politeness(traits: Traits) -> str:
    if traits.politeness is None:
        return ""
    if traits.politeness == 0:
        return "Never say please or thank you."
    return f"Say please or thank you in {_share(traits.politeness)} of your messages."


def _asides(traits: Traits) -> str:
    said = [
        f"{_ASIDES[kind]}, in {_share(share)} of your messages."
        for kind, share in traits.asides.items()
        if share > 0
    ]
    return " ".join(said)


def _typos(traits: Traits) -> str:
    if not traits.typos:
        return ""
    spared = "" if traits.typos_in_values else "; leave numbers, dates and names right"
    return f"Misspell {_share(traits.typos)} of your longer words{spared}."


def _grammar(traits: Traits) -> str:
    if not traits.grammar:
        return ""
    return (
        f"Leave out articles and simplify verbs in {_share(traits.grammar)} of your messages, as"
        " somebody does who is learning the language."
    )


def _emoji(traits: Traits) -> str:
    return f"Put emoji into {_share(traits.emoji)} of your messages." if traits.emoji else ""


def _patience(traits: Traits) -> str:
    if traits.patience is None:
        return ""
    times = "once" if traits.patience == 1 else f"{traits.patience} times"
    return f"Bring a matter up {times} at most; if it does not work out, give it up."


def _presses(traits: Traits) -> str:
    return "" if traits.presses else "Press no choices; type what you choose."


def _attacks(traits: Traits) -> str:
    if not traits.attacks:
        return ""
    kinds = ", or ".join(_ATTACKS[kind] for kind in traits.attack_kinds)
    return f"In {_share(traits.attacks)} of your messages send, in place of what you want, {kinds}."


def _share(share: float) -> str:
    """A share in words: ``about half``."""
    for least, words in ((0.95, "all"), (0.65, "most"), (0.4, "about half"), (0.2, "some")):
        if share >= least:
            return words
    return "a few"


_SENTENCES: tuple[Callable[[Traits], str], ...] = (
    lambda traits: _LENGTHS.get(traits.sentence_length, ""),
    _politeness,
    _asides,
    _typos,
    _grammar,
    lambda traits: _CAPITALS.get(traits.capitals, ""),
    lambda traits: _PUNCTUATION.get(traits.punctuation, ""),
    _emoji,
    _patience,
    _presses,
    _attacks,
)
