"""The seal of each line of a run log: its number and a checksum, the last two keys of its JSON.

``{"kind":"case_started", …,"line":12,"crc":"0a1b2c3d"}``: a line that was changed, overwritten,
lost, doubled or moved is found and named. Lines that were written before 0.3 have none.
"""

import re
from zlib import crc32

_SEAL = re.compile(rb',"line":(\d{1,18}),"crc":"([0-9a-f]{8})"\}\n')
_LONGEST = 60
"""Bytes from the end of a line within which its seal begins: lines may have megabytes."""

_EVENT = b'{"kind":"'


def seal(event: bytes, number: int) -> bytes:
    """Return an event's JSON as line `number` (1-based) of a log, with its line end."""
    text = b'%s,"line":%d' % (event[:-1], number)
    return b'%s,"crc":"%08x"}\n' % (text, crc32(text))


def unseal(line: bytes, *, required: bool = False, checked: bool = True) -> tuple[int, bytes]:
    """Return the number of a line, and its event without a line end.

    The number of a line without a seal is 0. Raises ValueError, in words, for a line that is
    damaged, and if a seal is `required` and there is none. If it is not to be `checked`, whatever
    stands there is returned.
    """
    found = _SEAL.search(line, max(0, len(line) - _LONGEST))
    if found is None:
        if checked and required:
            raise ValueError("it has no number and checksum: it was overwritten or cut")
        if checked and not (line.startswith(_EVENT) and line.endswith(b"}\n")):
            raise ValueError("it is no event: it was overwritten or cut")
        return 0, line.rstrip(b"\n")
    if checked and crc32(line[: found.end(1)]) != int(found[2], 16):
        raise ValueError("its checksum does not match: it was changed")
    return int(found[1]), line[: found.start()] + b"}"
