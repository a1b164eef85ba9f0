"""The envelope of Socket.IO: Engine.IO packets, with events of the main namespace inside.

A message is a digit for the packet's kind and what follows: ``0`` the app opens, ``2`` and ``3``
are ping and pong, ``4`` is a Socket.IO packet, whose own digit says that it connects (``0``),
disconnects (``1``), is an event (``2``), an acknowledgement (``3``) or a refusal (``4``). Protocol
versions 4 and 5 of Socket.IO (``EIO=4`` in the address) over its WebSocket transport; binary
attachments and other namespaces are not taken.
"""

import re
from dataclasses import dataclass
from typing import Literal

_EVENT = re.compile(r"\d*(?=\[)")


@dataclass(frozen=True, slots=True)
class Packet:
    """What a packet means: `kind`, its JSON text where it is an event, and what to send back."""

    kind: Literal["event", "ready", "ended", "refused", "nothing", "odd"]
    text: str = ""
    back: str | None = None


_FIXED = {
    "1": Packet("ended"),
    "3": Packet("nothing"),
    "6": Packet("nothing"),
    "41": Packet("ended"),
}


def unwrapped(message: str) -> Packet:
    """What a message of the app's means."""
    if message[:1] == "0":
        return Packet("nothing", back="40")
    if message[:1] == "2":
        return Packet("nothing", back=f"3{message[1:]}")
    if message[:2] == "42":
        found = _EVENT.match(message, 2)
        return Packet("event", message[found.end() :]) if found else Packet("odd")
    if message[:2] == "40":
        return Packet("ready")
    if message[:2] == "43":
        return Packet("nothing")
    if message[:2] == "44":
        return Packet("refused", message[2:])
    return _FIXED.get(message, Packet("odd"))


def wrapped(text: str) -> str:
    """An event, which is the JSON text of a list, as a message for the app."""
    return f"42{text}"
