"""Finds what is secret in a suite: by the name of its key, by its variable, or by its place.

Three things make a value secret: it stands below a key that is named like a secret (also as a
literal, and by ``--set``), it comes from an environment variable that is named like one, or it
comes from any environment variable and is sent to the app: in a header, a cookie, the address, the
query or the body. Nobody writes ``${TENANT}`` for what everybody may read. A variable that holds a
whole address is the exception: of it only what is secret in addresses is hidden.
"""

import re
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, cast
from urllib.parse import parse_qsl, unquote, urlsplit

from sparring.documents.reading import Key, dotted
from sparring.suite.environment import Reference
from sparring_plugins.language.yaml_files import bundled_yaml

_SECRET_VARIABLE = re.compile(
    r"KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|(?:^|_)PASS(?:_|$)|_PWD|PWD_|CREDENTIAL"
    r"|AUTH(?!OR(?!I))|BEARER|COOKIE|JWT",  # not GIT_AUTHOR_NAME, and not PWD itself
    re.IGNORECASE,
)
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_SCHEME = re.compile(r"(?:basic|bearer|token|apikey|negotiate|digest)\s+(\S.*)", re.I | re.S)
_PLACEHOLDERS = re.compile(r"(?:\{\w+(?:\|\w+)?\}|\$\{[^}]*\})+")
_ADDRESS = re.compile(r"(?:https?|wss?)://\S+", re.IGNORECASE)
# Twelve characters or more with a digit and a letter: no word of a path, no number of a version.
_TOKEN = re.compile(r"(?=[^0-9]*[0-9])(?=[^A-Za-z]*[A-Za-z])[\w~+=%.-]{12,}")
_COOKIE_PAIR = re.compile(r"(?<![^\s=;])[^\s=;]+=([^;]*)")


@dataclass(frozen=True, slots=True)
class Secret:
    """A value that must not be stored or shown.

    `label` is shown instead, in brackets: the name of the variable, or the key in the suite. `key`
    is the last part of that key, beside which very short values are looked for. `named` says that
    its name says that it is secret, not only its place.
    """

    value: str
    label: str
    key: str = ""
    named: bool = True


@cache
def _words() -> Mapping[str, frozenset[str]]:
    """The lists of words, by their name; raises ValueError if the file has other lists."""
    data: dict[str, list[str]] = bundled_yaml("sparring_plugins.trust", "secret_names.yaml")
    expected = {"anywhere", "last", "about", "settings", "sent_to_models", "harmless"}
    if data.keys() != expected:
        raise ValueError(f"secret_names.yaml: expected {sorted(expected)}")
    return {name: frozenset(words) for name, words in data.items()}


@cache
def is_secret_name(name: str, *, sent: bool = True) -> bool:
    """Whether a key is named like a secret.

    `sent` says that what stands there is sent to an app or a model: there ``key`` and ``token``
    are secrets, elsewhere only words that mean nothing else are.
    """
    words = [word.lower() for word in _WORD.findall(name)]
    if not words or words[-1] in _words()["about"]:
        return False
    return any(word in _words()["anywhere"] for word in words) or (
        sent and words[-1] in _words()["last"]
    )


def is_secret_variable(name: str) -> bool:
    """Whether an environment variable is named like a secret."""
    return bool(_SECRET_VARIABLE.search(name))


def secrets_in(
    data: Any,
    references: Iterable[Reference],
    environment: Mapping[str, str],
) -> Iterator[Secret]:
    """Everything secret in a document's data, with references to the environment expanded.

    `references` are the path, the name and the value of each expanded reference. The same value
    may come several times, in parts and with other labels.
    """
    for at, name, value in references:
        named = is_secret_variable(name) or is_secret_place(at)
        if named or _is_sent(at):
            key = str(at[-1]) if at else ""
            whole = not named and _ADDRESS.fullmatch(value.strip())
            for part in _hidden_in_address(value) if whole else _parts(value):
                yield Secret(part, name, key, named)
    for at, value in _leaves(data, ()):
        yield from _of_leaf(at, value, environment)


def _of_leaf(at: tuple[Key, ...], value: str, environment: Mapping[str, str]) -> Iterator[Secret]:
    """What is secret in one text of a suite."""
    label, key = dotted(at), str(at[-1]) if at else ""
    parts: list[str] = list(_secrets_of_address(value)) if "://" in value else []
    is_secret = is_secret_place(at)
    last_word = [word.lower() for word in _WORD.findall(key)][-1:]
    if environment.get(value) and (is_secret or last_word == ["env"]):
        yield Secret(environment[value], value)  # `api_key_env: MODEL`, `secrets: {pin: PIN}`
    elif is_secret and not value.startswith("$.") and not _PLACEHOLDERS.fullmatch(value):
        # Not where something stands in a reply, or what is filled in later.
        parts += _parts(value)
        if key.lower() == "cookie":
            parts += [pair[1].strip() for pair in _COOKIE_PAIR.finditer(value)]
    elif _is_relative_address(at, value):
        parts += _secrets_of_query(value.partition("?")[2])
    yield from (Secret(part, label, key) for part in parts)


def _is_relative_address(at: tuple[Key, ...], value: str) -> bool:
    """Whether a text is an address of the app without its host: `reset: [{url: "/in?key=…"}]`."""
    is_path = value.startswith(("/", "?")) or str(at[-1]) == "path" if at else False
    return at[:1] == ("app",) and is_path


def is_secret_place(at: tuple[Key, ...]) -> bool:
    """Whether what stands at a path of a suite is secret by a name on the way to it."""
    return any(_is_secret_at(at, number) for number in range(len(at)))


def _is_secret_at(at: tuple[Key, ...], number: int) -> bool:
    key = at[number]
    return isinstance(key, str) and is_secret_name(key, sent=_is_sent(at))


def _is_sent(at: tuple[Key, ...]) -> bool:
    """Whether what stands there is sent to the app, or to a model."""
    if at[:1] == ("llm",):
        return any(key in _words()["sent_to_models"] for key in at)
    return at[:1] == ("app",) and at[-1] not in _words()["settings"]


def _leaves(data: Any, at: tuple[Key, ...]) -> Iterator[tuple[tuple[Key, ...], str]]:
    """Each text and whole number in plain data; true and false are never secret."""
    if isinstance(data, dict):
        for key, value in cast("dict[Any, Any]", data).items():
            yield from _leaves(value, (*at, key))
    elif isinstance(data, list):
        for index, value in enumerate(cast("list[Any]", data)):
            yield from _leaves(value, (*at, index))
    elif isinstance(data, (str, int)) and not isinstance(data, bool):
        yield at, str(data)


def _parts(value: str) -> Iterator[str]:
    """A value, and what of it may be shown without the rest."""
    yield value
    if "://" in value:
        yield from _secrets_of_address(value)
    scheme = _SCHEME.fullmatch(value.strip())
    if scheme is None:
        return
    yield scheme[1]
    try:
        user, colon, password = b64decode(scheme[1], validate=True).decode().partition(":")
    except ValueError:
        return
    if colon:  # Basic dXNlcjpwYXNz
        yield from (f"{user}:{password}", password)


def _secrets_of_address(url: str) -> Iterator[str]:
    """Password, its base64 as it is sent, and what is secret in the query."""
    try:
        parts = urlsplit(url)
        user, password = unquote(parts.username or ""), unquote(parts.password or "")
    except ValueError:
        return
    if password:
        yield password
        yield b64encode(f"{user}:{password}".encode()).decode()
    elif user:
        yield user  # https://TOKEN@host
    yield from _secrets_of_query(parts.query)


def _hidden_in_address(url: str) -> Iterator[str]:
    """What is secret in a whole address that a variable holds: not where the app is.

    ``${CHATBOT_URL}`` says where to find the app, and reports without it would tell nobody what
    was tested. Its user, its password, each value of its query, and what looks like a token in its
    path (``/hooks/T02AB9/xJ3k9Qm2Lw7z``) are secret all the same.
    """
    yield from _secrets_of_address(url)
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        yield url
        return
    yield from (value for _, value in parse_qsl(parts.query))
    yield from (step for step in (*parts.path.split("/"), parts.fragment) if _TOKEN.fullmatch(step))


def _secrets_of_query(query: str) -> Iterator[str]:
    for name, value in parse_qsl(query):
        if is_secret_name(name):
            yield value


def is_harmless(value: str) -> bool:
    """Whether a value gives nothing away: empty, a switch, this machine, a placeholder."""
    plain = value.strip()
    return (
        not plain or plain.lower() in _words()["harmless"] or bool(_PLACEHOLDERS.fullmatch(plain))
    )
