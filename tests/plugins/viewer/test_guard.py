"""Nobody but the page itself, in the browser of whoever has the token, is answered."""

import re
from pathlib import Path

import pytest
from tests.plugins.viewer.conftest import TOKEN, Serve, Served

ROUTES = (
    "/",
    "/static/app.js",
    "/static/kit.css",
    "/api/runs",
    "/api/runs/first",
    "/api/runs/first/cases",
    "/api/runs/first/matrix",
    "/api/runs/first/models",
    "/api/runs/first/case?id=x",
    "/api/runs/first/progress",
    "/api/runs/first/report",
    "/api/runs/first/files/run.json",
    "/api/compare?a=first&b=second",
    "/api/variants/matrix-first",
)


@pytest.fixture(scope="module")
def served(serve: Serve, folder: Path) -> Served:
    return serve(folder / "runs")


@pytest.mark.parametrize("path", ROUTES)
@pytest.mark.parametrize("cookie", ["", "sparring-view-1=wrong", "sparring-view-PORT=wrong"])
def test_every_route_needs_the_token(served: Served, path: str, cookie: str) -> None:
    cookie = cookie.replace("PORT", str(served.port))
    status, text, _ = served.request(path, Cookie=cookie)
    assert (status, b"token" in text) == (401, True)


def test_the_list_of_routes_is_whole() -> None:
    pytest.importorskip("starlette")
    from sparring_plugins.viewer import application

    source = Path(application.__file__).read_text(encoding="utf-8")
    assert source.count("Route(") == len(ROUTES) - 1 + 2  # two static files; two that are posted


@pytest.mark.parametrize("path", ["/api/runs", "/", f"/?token={TOKEN}"])
@pytest.mark.parametrize("host", ["evil.example", "evil.example:PORT", "127.0.0.1", "0.0.0.0:PORT"])
def test_another_host_name_is_refused(served: Served, path: str, host: str) -> None:
    """DNS rebinding: the name points here, and the browser sends it as the host."""
    host = host.replace("PORT", str(served.port))
    assert served.request(path, Host=host)[0] == 403


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "https://127.0.0.1:PORT"},
        {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Dest": "script"},
        {"Sec_Fetch_Site": "same-site", "Sec_Fetch_Dest": "empty"},
        {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Dest": "iframe"},
    ],
)
def test_other_pages_load_nothing(served: Served, headers: dict[str, str]) -> None:
    headers = {name: value.replace("PORT", str(served.port)) for name, value in headers.items()}
    assert served.request("/api/runs", **headers)[0] == 403


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": ""},
        {"Origin": "http://evil.example"},
        {"Content_Type": "text/plain"},
        {"Content_Type": "application/x-www-form-urlencoded"},
    ],
)
@pytest.mark.parametrize("what", ["labels", "replay"])
def test_forms_of_other_pages_change_nothing(
    served: Served, headers: dict[str, str], what: str
) -> None:
    path = f"/api/runs/first/{what}"
    assert served.request(path, "POST", {"case": "x"}, **headers)[0] == 403


def test_the_token_in_the_address_becomes_a_cookie_of_this_page_alone(served: Served) -> None:
    status, _, headers = served.request(f"/?token={TOKEN}", Cookie="")
    cookie = headers["set-cookie"]
    assert status == 200
    assert cookie.startswith(f"sparring-view-{served.port}={TOKEN};")
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert served.request(f"/api/runs?token={TOKEN}", Cookie="")[0] == 401


@pytest.mark.parametrize("path", ["/", "/api/runs", "/api/runs/none", "/static/app.js", "/nothing"])
def test_every_answer_has_the_policy(served: Served, path: str) -> None:
    _, _, headers = served.request(path)
    policy = headers["content-security-policy"]
    assert "unsafe" not in policy
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] == "no-store"


def test_the_page_puts_no_data_into_markup() -> None:
    """Texts of apps become text nodes: nothing of the page's own writes markup."""
    from sparring_plugins.viewer import guard

    page = Path(guard.__file__).with_name("page")
    scripts = list(page.glob("*.js"))
    assert len(scripts) >= 8
    for path in scripts:
        text = path.read_text(encoding="utf-8")
        for way in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("):
            assert way not in text, f"{path.name} uses {way}"
    markup = (page / "index.html").read_text(encoding="utf-8")
    assert markup.count("<script") == 1
    assert "style=" not in markup
    assert not re.search(r"\son\w+=", markup)
