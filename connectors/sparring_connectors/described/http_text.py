"""What may stand in a header, an address or a message to people."""

import re
from typing import Any
from urllib.parse import SplitResult, urlsplit

_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_ADDRESS = re.compile(r"(?:localhost|[\w-]+(?:\.[\w-]+)+|[\w-]+:\d+)(?:[:/]|$)")
_FIELD_VALUE = re.compile(r"[\x20-\x7e\t]*")


def header_name(name: str) -> str:
    """Check a header's name; raises ValueError."""
    if not _TOKEN.fullmatch(name):
        raise ValueError(f"{name!r} is not a header's name: letters, digits and hyphens only")
    return name


def header_problem(value: str) -> str | None:
    """What is wrong with a header's value, without quoting it: it may be a secret."""
    if "\n" in value or "\r" in value:
        where = "at its end" if not re.search(r"[\r\n]", value.rstrip("\r\n")) else "inside"
        return f"has a line break {where}; a header is one line"
    if not _FIELD_VALUE.fullmatch(value):
        return "has a character that a header cannot hold; write {name|url} or plain ASCII"
    return None


HTTP = ("http", "https")


def split_url(url: str, schemes: tuple[str, str] = HTTP) -> SplitResult:
    """Cut up an absolute address; raises ValueError that says how to write it.

    `schemes` are the plain and the secure one that are known.
    """
    try:
        parts = urlsplit(url)
        port_ok = parts.port is None or 0 < parts.port < 65536
    except ValueError as err:
        raise ValueError(f"is not an address: {_reason_of(err)}") from err
    if parts.scheme not in schemes or not parts.netloc:
        raise ValueError(_scheme_hint(url, parts, schemes))
    if not parts.hostname or not port_ok or re.search(r"[\s{}<>\"\\^`|]", parts.netloc):
        raise ValueError(
            f"names no valid host and port; write for example {schemes[0]}://localhost:8000/chat"
        )
    if re.search(r"[\x00-\x20\x7f]", url):
        raise ValueError("has a blank or a control character; write %20 for a blank")
    if parts.fragment:
        raise ValueError("has a part after #, which is never sent to a server; leave it out")
    return parts


def _reason_of(err: ValueError) -> str:
    """The reason without the address, which may hold a secret."""
    return str(err).split("'", 1)[0].strip().rstrip(":") or "it cannot be read"


def _scheme_hint(url: str, parts: SplitResult, schemes: tuple[str, str]) -> str:
    plain, secure = schemes
    if "://" in url and not parts.netloc:
        return f"names no host; write for example {plain}://localhost:8000/chat"
    if "://" in url:
        return f"starts with {parts.scheme or 'nothing'}://; {plain}:// and {secure}:// are known"
    shown = url.split("@")[-1].split("?")[0][:60].lstrip("/")
    hint = f"; did you mean {plain}://{shown}?" if _ADDRESS.match(shown) else ""
    return f"must start with {plain}:// or {secure}://{hint}"


def redact_url(url: str) -> str:
    """An address for messages: without user, password, query and fragment."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return f"{parts.scheme}://{host}{parts.path}" + ("?…" if parts.query else "")


def excerpt(text: str, limit: int = 120) -> str:
    """The beginning of what an app answered, printable and on one line."""
    text = " ".join(text.split())
    safe = "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode() for c in text[:limit]
    )
    return safe + ("…" if len(text) > limit else "")


def json_kind(value: Any) -> str:
    """What a JSON value is, for messages."""
    names = {dict: "an object", list: "a list", str: "a text", bool: "true or false"}
    if value is None:
        return "null"
    return names.get(type(value), "a number")  # pyright: ignore[reportUnknownArgumentType,reportUnknownVariableType]
