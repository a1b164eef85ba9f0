"""Names and keys of what the model holds."""

from sparring_plugins.language.text import folded

LONGEST = 200


def input_key(text: str) -> str:
    """What two inputs have in common that are the same but for case and punctuation."""
    return folded(text[:LONGEST]) or " ".join(text[:LONGEST].split())


def on_a_line(text: str, most: int = 60) -> str:
    """A text on one line without control characters, cut to `most` characters."""
    line = " ".join(
        "".join(char if char.isprintable() else " " for char in text[: 8 * most]).split()
    )
    return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"
