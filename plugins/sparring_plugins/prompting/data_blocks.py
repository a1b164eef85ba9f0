r"""Foreign text in a prompt: the delimited block ``<data>``, and conversations for it.

Between the two lines ``<data>`` and ``</data>`` stands JSON in which every ``<``, ``>``, control,
format and other invisible character is ``\u``-escaped. JSON needs none of them, so that nothing
in the block can close it, open another, or say something that a person does not see.
"""

import json
from collections.abc import Sequence

from pydantic import JsonValue

from sparring.model.talk import Listen, Turn, act_text
from sparring_plugins.prompting.escaping import escaped
from sparring_plugins.prompting.plain_data import Shortening, clipped, plain

LIMIT = 60_000
"""Characters of a block, unless its use says otherwise."""

_LEAST = 200


class Inert(str):
    """Text that may stand in a prompt as it is: it was made safe before."""

    __slots__ = ()


def block(value: object, limit: int = LIMIT) -> Inert:
    """The delimited block with a value as JSON, of at most about `limit` characters.

    In templates this is the filter ``data``: ``{{ conversation | data }}``, or with a limit
    ``{{ conversation | data(20000) }}``.
    """
    return Inert(f"<data>\n{as_json(value, limit)}\n</data>")


def as_json(value: object, limit: int = LIMIT) -> str:
    """A value as JSON without markup and hidden characters, of at most about `limit` characters.

    What is too long is left out from the middle: of long texts first, then of long lists, and a
    note says how much. Models become plain data; what is no data at all is named by its type.
    """
    limit = max(limit, _LEAST)
    short = Shortening(plain(value, most=limit // 4), limit)
    text = _dumped(short.data())
    while len(text) > limit and short.further():
        text = _dumped(short.data())
    return text if len(text) <= limit else _dumped(clipped(text, limit // 2 - 60))


def conversation(
    turns: Sequence[Turn], *, user: str = "user", app: str = "chatbot"
) -> list[dict[str, JsonValue]]:
    """What was said, in order: the turn from 1, the speaker, the text, and offered choices.

    Where the app gave no answer at all (it crashed, or was too slow) its text is None.
    """
    said: list[dict[str, JsonValue]] = []
    for number, turn in enumerate(turns, 1):
        if not isinstance(turn.act, Listen):
            said.append({"turn": number, "speaker": user, "text": act_text(turn.act)})
        seen = turn.observation
        said.append({"turn": number, "speaker": app, "text": None if seen is None else seen.text})
        if seen is not None and seen.choices:
            said[-1]["choices"] = [choice.label for choice in seen.choices]
    return said


def _dumped(data: JsonValue) -> str:
    return escaped(json.dumps(data, ensure_ascii=False, indent=1))
