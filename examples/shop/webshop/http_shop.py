"""The shop as an HTTP server."""

import json
from collections.abc import Callable, Mapping
from http import HTTPStatus
from http.cookies import CookieError, SimpleCookie
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote

from botkit.serving import LocalHandler, LocalServer, Refused

from webshop.actions import ACTIONS
from webshop.pages import PAGES, Gone, Page, render
from webshop.visits import Visit, Visits
from webshop.weak_spots import ALL, WeakSpot

STATIC = Path(__file__).with_name("static")
_MEDIA = {".css": "text/css", ".js": "text/javascript"}


class ShopServer(LocalServer):
    """Serves the shop; `weak` are the weak spots that it has."""

    def __init__(self, address: tuple[str, int], *, weak: frozenset[WeakSpot] = ALL) -> None:
        super().__init__(address, _Handler)
        self.weak = weak
        self.visits = Visits()


class _Handler(LocalHandler):
    server: ShopServer

    def do_GET(self) -> None:
        path, query = self._target()
        if path.startswith("/static/"):
            self._static(path.removeprefix("/static/"))
            return
        cookie, visit = self._visit()
        name, _, rest = path.strip("/").partition("/")
        page = PAGES.get(name)
        if page is None or (rest and "/" in rest):
            self._not_found(visit)
            return
        try:
            shown = page(visit, rest, dict(parse_qsl(query)), self.server.weak)
        except Gone:
            self._not_found(visit)
            return
        self._page(shown, visit, cookie)

    def do_POST(self) -> None:
        cookie, visit = self._visit()
        name, _, rest = self._target()[0].strip("/").partition("/")
        action: Callable[..., Any] | None = ACTIONS.get(name)
        try:
            form = self._form()
        except Refused as refused:
            self._answer(str(refused).encode(), refused.status, media="text/plain")
            return
        if action is None:
            self._not_found(visit)
            return
        result = action(visit, rest, form, self.server.weak)
        if isinstance(result, str):
            self._answer(b"", HTTPStatus.SEE_OTHER, cookie=cookie, Location=result)
        elif isinstance(result, Page):
            self._page(result, visit, cookie)
        else:
            data = json.dumps(result).encode()
            self._answer(data, media="application/json", cookie=cookie)

    def _visit(self) -> tuple[str, Visit]:
        try:
            jar = SimpleCookie(self.headers.get("Cookie", ""))
        except CookieError:
            jar = SimpleCookie()
        return self.server.visits.of(jar["visit"].value if "visit" in jar else "")

    def _target(self) -> tuple[str, str]:
        """The path that is asked for, and the query."""
        path, _, query = self.path.partition("?")
        return unquote(path), query

    def _form(self) -> Mapping[str, str]:
        data = self.body().decode("utf-8", "replace")
        return dict(parse_qsl(data, keep_blank_values=True))

    def _page(self, page: Page, visit: Visit, cookie: str = "") -> None:
        self._answer(render(page, visit).encode(), page.status, cookie=cookie)

    def _not_found(self, visit: Visit) -> None:
        self._page(Page("missing", "Not found", status=HTTPStatus.NOT_FOUND), visit)

    def _static(self, name: str) -> None:
        known = {path.name: path for path in STATIC.iterdir()}
        if name not in known:
            self._answer(b"not found", HTTPStatus.NOT_FOUND, media="text/plain")
            return
        self._answer(known[name].read_bytes(), media=_MEDIA[known[name].suffix])

    def _answer(
        self, data: bytes, status: int = HTTPStatus.OK, *, media: str = "text/html",
        cookie: str = "", **headers: str,
    ) -> None:  # fmt: skip
        self.send_response(status)
        self.send_header("Content-Type", f"{media}; charset=utf-8")
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Cache-Control", "no-store")
        if cookie:
            self.send_header("Set-Cookie", f"visit={cookie}; Path=/; HttpOnly; SameSite=Lax")
        for key, value in headers.items():
            self.send_header(key, value)
        self.end_headers()
        self.wfile.write(data)
