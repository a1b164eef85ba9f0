"""The web application of ``sparring view``: the page, and the data that it asks for.

All answers are JSON, pictures or files to save; nothing that an app said is ever sent as a page.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import closing
from pathlib import Path
from sqlite3 import Connection
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any, cast

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from sparring.errors import SparringError
from sparring.interfaces.plugin import Use
from sparring.interfaces.reporter import Reporter
from sparring.model.events import CaseJudged
from sparring.store.log import MANIFEST
from sparring.suite.building import SuiteContext
from sparring_plugins.output.stored_reports import report
from sparring_plugins.reporting.html.reporter import PAGE as REPORT_PAGE
from sparring_plugins.viewer.behaviour_graphs import behaviour_graph, model_files
from sparring_plugins.viewer.conversation import conversation_view
from sparring_plugins.viewer.guard import Application, Guard
from sparring_plugins.viewer.index import RunIndex, Stamp
from sparring_plugins.viewer.labels import Labels
from sparring_plugins.viewer.queries import (
    Filter,
    compare_cases,
    find_cases,
    matrix,
    neighbours,
    overview,
)
from sparring_plugins.viewer.replays import replay_case
from sparring_plugins.viewer.run_list import RunList, run_card, suite_text
from sparring_plugins.viewer.variants import matrix_cards, matrix_view

PAGE = Path(__file__).with_name("page")
# Two looks a second at a log that grows: less is seen as a delay, more costs a core for nothing.
_EVERY_S = 0.5
_PATIENCE_S = 0.7
"""For so long a request waits for the index before it takes what is there."""

# A label with its note is 2 kB; whoever sends more is no page of ours.
_MOST_BODY = 100_000
_PICTURES = {".png": b"\x89PNG", ".jpg": b"\xff\xd8", ".jpeg": b"\xff\xd8", ".webp": b"RIFF"}
_TYPES = {
    ".js": "text/javascript",
    ".css": "text/css",
    ".html": "text/html",
    ".svg": "image/svg+xml",
}


class Viewer:
    """What the routes share: the runs, an index for each that was opened, the labels."""

    def __init__(self, runs: Path, labels: Path | None = None) -> None:
        self.runs = RunList(runs)
        is_run = (runs / MANIFEST).is_file()
        #: The folder that new runs are stored in, and below which a suite is this machine's own.
        self.parent = runs.resolve().parent if is_run else runs.resolve()
        self.labels = Labels(self.parent, labels)
        self._indexes: dict[str, RunIndex] = {}
        self._lock = Lock()

    def index(self, name: str) -> RunIndex:
        """The index of a run; answers 404 if there is no such run."""
        folder = self.runs.folders().get(name)
        if folder is None:
            raise HTTPException(404, "there is no such run")
        with self._lock:
            if name not in self._indexes:
                self._indexes[name] = RunIndex(folder)
            return self._indexes[name]

    def open(self, name: str) -> Connection:
        """The index of a run, open for reading; of a large run what is in it so far."""
        index = self.index(name)
        index.refresh_within(_PATIENCE_S)
        return index.connect()

    def judged(self, name: str, case_id: str) -> tuple[RunIndex, CaseJudged, list[int]]:
        """A case of a run and the places of its model calls; answers 404 if there is none."""
        index = self.index(name)
        with closing(self.open(name)) as connection:
            row = connection.execute("SELECT at FROM cases WHERE id = ?", (case_id,)).fetchone()
            calls = connection.execute(
                "SELECT at FROM calls WHERE case_id = ? ORDER BY at", (case_id,)
            ).fetchall()
        judged = index.judged_at(row["at"]) if row is not None else None
        if judged is None:
            raise HTTPException(404, "the run has no such case")
        return index, judged, [call["at"] for call in calls]


def viewer_application(
    runs: Path, *, token: str, port: int, labels: Path | None = None
) -> Application:
    """Return the application, behind its guard."""
    viewer = Viewer(runs, labels)
    routes = [
        Route("/", _page("index.html")),
        Route("/static/{path:path}", _static),
        Route("/api/runs", _in_thread(viewer, _runs)),
        Route("/api/runs/{run}", _in_thread(viewer, _run)),
        Route("/api/runs/{run}/progress", _watched(viewer)),
        Route("/api/runs/{run}/cases", _in_thread(viewer, _cases)),
        Route("/api/runs/{run}/matrix", _in_thread(viewer, _matrix)),
        Route("/api/runs/{run}/models", _in_thread(viewer, _models)),
        Route("/api/runs/{run}/case", _in_thread(viewer, _case)),
        Route("/api/runs/{run}/report", _in_thread(viewer, _report)),
        Route("/api/runs/{run}/labels", _posted(viewer, _label), methods=["POST"]),
        Route("/api/runs/{run}/replay", _posted(viewer, _replay), methods=["POST"]),
        Route("/api/runs/{run}/files/{path:path}", _in_thread(viewer, _file)),
        Route("/api/compare", _in_thread(viewer, _compare)),
        Route("/api/variants/{matrix}", _in_thread(viewer, _variants)),
    ]
    application = Starlette(
        routes=routes,
        exception_handlers={HTTPException: _refused, SparringError: _refused},
    )
    return Guard(application, token=token, port=port)


Endpoint = Callable[[Request], Awaitable[Response]]


def _in_thread(viewer: Viewer, answer: Callable[[Viewer, Request], Response]) -> Endpoint:
    """An endpoint that reads files: in a thread, so that progress goes on meanwhile."""

    async def endpoint(request: Request) -> Response:
        return await asyncio.to_thread(answer, viewer, request)

    return endpoint


def _posted(
    viewer: Viewer, answer: Callable[[Viewer, Request, dict[str, Any]], Awaitable[Response]]
) -> Endpoint:
    """An endpoint that takes a JSON object of bounded size."""

    async def endpoint(request: Request) -> Response:
        body = b""
        async for piece in request.stream():
            body += piece
            if len(body) > _MOST_BODY:
                raise HTTPException(413, "that is too long")
        try:
            data: Any = json.loads(body)
        except (ValueError, RecursionError):
            raise HTTPException(400, "expected JSON") from None
        if not isinstance(data, dict):
            raise HTTPException(400, "expected a JSON object")
        return await answer(viewer, request, cast("dict[str, Any]", data))

    return endpoint


async def _refused(request: Request, err: Exception) -> Response:
    status = err.status_code if isinstance(err, HTTPException) else 400
    message = err.detail if isinstance(err, HTTPException) else str(err)
    return JSONResponse({"error": message}, status_code=status)


def _page(name: str) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        return Response((PAGE / name).read_bytes(), media_type="text/html")

    return endpoint


async def _static(request: Request) -> Response:
    """A file of the page. The style is that of the HTML report, and what the viewer adds."""
    path = request.path_params["path"]
    if path == "kit.css":
        return Response((REPORT_PAGE / "report.css").read_bytes(), media_type="text/css")
    file = (PAGE / path).resolve()
    if not file.is_relative_to(PAGE) or not file.is_file():
        raise HTTPException(404, "there is no such file")
    return Response(file.read_bytes(), media_type=_TYPES.get(file.suffix, "text/plain"))


def _runs(viewer: Viewer, request: Request) -> Response:
    runs = viewer.runs
    matrices = matrix_cards(runs.folder)
    return JSONResponse({"folder": str(runs.folder), "runs": runs.cards(), "matrices": matrices})


def _variants(viewer: Viewer, request: Request) -> Response:
    """Cases × variants of a suite; 404 if there is no such matrix."""
    view = matrix_view(viewer.runs.folder, request.path_params["matrix"])
    if view is None:
        raise HTTPException(404, "there are no such variants")
    return JSONResponse(view)


def _run(viewer: Viewer, request: Request) -> Response:
    name = request.path_params["run"]
    stored = viewer.index(name).stored
    with closing(viewer.open(name)) as connection:
        shown_run = overview(connection)
    card = run_card(name, stored.folder, details=True)
    models = len(model_files(stored.folder))
    shown_run["indexing"] = viewer.index(name).is_busy
    return JSONResponse(card | shown_run | {"models": models, "suite_text": suite_text(stored)})


def _watched(viewer: Viewer) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        return await _progress(viewer, request)

    return endpoint


async def _progress(viewer: Viewer, request: Request) -> Response:
    """Events as the log grows; the stream ends with the run."""
    name = request.path_params["run"]
    index = await asyncio.to_thread(viewer.index, name)

    async def events() -> AsyncGenerator[str]:
        before: Stamp | None = None
        while True:
            stamp = await asyncio.to_thread(Stamp.of, index.stored.log)
            busy = index.is_busy
            if stamp != before or busy:
                before = None if busy else stamp
                yield f"data: {json.dumps(await asyncio.to_thread(_counted, viewer, name))}\n\n"
            else:
                yield ": still here\n\n"
            card = await asyncio.to_thread(run_card, name, index.stored.folder)
            if card["state"] != "running" and before is not None:
                yield "event: end\ndata: {}\n\n"
                return
            await asyncio.sleep(_EVERY_S)

    return StreamingResponse(events(), media_type="text/event-stream")


def _counted(viewer: Viewer, name: str) -> dict[str, Any]:
    with closing(viewer.open(name)) as connection:
        shown_run = overview(connection)
    # Not by the index, which has no end of a finished run while its log is being read.
    state = run_card(name, viewer.index(name).stored.folder)["state"]
    keys = ("counts", "noun", "asked", "expected", "playing", "findings")
    return {
        "state": state,
        "indexing": viewer.index(name).is_busy,
        **{key: shown_run[key] for key in keys},
    }


def _filter(request: Request) -> Filter:
    query = request.query_params
    finding = query.get("finding", "")
    return Filter(
        words=query.get("q", "")[:500],
        outcomes=tuple(part for part in query.get("outcome", "").split(",") if part)[:5],
        scenario=query.get("scenario", ""),
        oracle=query.get("oracle", ""),
        finding=int(finding) if finding.isdecimal() and len(finding) < 9 else None,
    )


def _number(request: Request, name: str, otherwise: int) -> int:
    text = request.query_params.get(name, "")
    return int(text) if text.isdecimal() and len(text) < 9 else otherwise


def _cases(viewer: Viewer, request: Request) -> Response:
    start, limit = _number(request, "start", 0), _number(request, "limit", 100)
    with closing(viewer.open(request.path_params["run"])) as connection:
        return JSONResponse(find_cases(connection, _filter(request), start, limit))


def _matrix(viewer: Viewer, request: Request) -> Response:
    with closing(viewer.open(request.path_params["run"])) as connection:
        by = request.query_params.get("by", "")
        return JSONResponse(matrix(connection, by, _filter(request)))


def _models(viewer: Viewer, request: Request) -> Response:
    folder = viewer.index(request.path_params["run"]).stored.folder
    graphs = [graph for path in model_files(folder) if (graph := behaviour_graph(path))]
    return JSONResponse({"models": graphs})


def _case(viewer: Viewer, request: Request) -> Response:
    name, case_id = request.path_params["run"], request.query_params.get("id", "")
    index, judged, calls = viewer.judged(name, case_id)
    view = conversation_view(index, judged, calls)
    run = index.stored.manifest
    view["labels"] = viewer.labels.of_case(
        run, case_id, [(v.oracle, v.check) for v in judged.verdicts]
    )
    with closing(index.connect()) as connection:
        view["neighbours"] = neighbours(connection, _filter(request), case_id)
    return JSONResponse(view)


def _compare(viewer: Viewer, request: Request) -> Response:
    query = request.query_params
    before, after = query.get("a", ""), query.get("b", "")
    viewer.index(before).refresh()
    viewer.index(after).refresh()
    address = viewer.index(before).path.as_uri() + "?mode=ro"
    start, limit = _number(request, "start", 0), _number(request, "limit", 100)
    with closing(viewer.open(after)) as connection:
        change = query.get("change", "")[:60]
        return JSONResponse(compare_cases(connection, address, change, start, limit))


async def _label(viewer: Viewer, request: Request, data: dict[str, Any]) -> Response:
    texts = {key: data.get(key, "") for key in ("case", "oracle", "check", "note")}
    right = data.get("expected")
    if right not in ("pass", "fail", None) or not all(isinstance(t, str) for t in texts.values()):
        raise HTTPException(400, "a label is pass, fail or null, with texts")
    index, judged, _ = await asyncio.to_thread(
        viewer.judged, request.path_params["run"], texts["case"]
    )
    names = texts["oracle"], texts["check"]
    path = await asyncio.to_thread(
        viewer.labels.set, index.stored.manifest, judged, *names, right, texts["note"]
    )
    return JSONResponse({"file": str(path), "command": f"sparring calibrate {path}"})


async def _replay(viewer: Viewer, request: Request, data: dict[str, Any]) -> Response:
    name, case_id = request.path_params["run"], data.get("case")
    if not isinstance(case_id, str):
        raise HTTPException(400, "name the case")
    index, _, _ = await asyncio.to_thread(viewer.judged, name, case_id)
    trusted = viewer.labels.suite_folder(index.stored.manifest) is not None
    done = await replay_case(index.stored.folder, case_id, viewer.parent, trusted=trusted)
    return JSONResponse(done)


def _report(viewer: Viewer, request: Request) -> Response:
    """The static report of a run, as a file to save."""
    stored = viewer.index(request.path_params["run"]).stored
    with TemporaryDirectory() as folder:
        target = Path(folder) / "report.html"
        context = SuiteContext(Path(folder), seed=stored.manifest.seed, run_dir=stored.folder)
        settings = {"path": str(target)}
        use = Use(use="html", **settings)
        report(stored, [context.part(Reporter[Any], use)])
        page = target.read_bytes()
    headers = {"content-disposition": 'attachment; filename="report.html"'}
    return Response(page, media_type="application/octet-stream", headers=headers)


def _file(viewer: Viewer, request: Request) -> Response:
    """A file that a part left in the run's folder: a picture as one, anything else to be saved."""
    folder = viewer.index(request.path_params["run"]).stored.folder.resolve()
    file = folder / request.path_params["path"]
    if "\0" in str(file) or not file.resolve().is_relative_to(folder) or not file.is_file():
        raise HTTPException(404, "there is no such file")
    begins = _PICTURES.get(file.suffix.lower())
    with file.open("rb") as opened:
        is_picture = begins is not None and opened.read(8).startswith(begins)
    if is_picture:
        kind = file.suffix.lower().lstrip(".").replace("jpg", "jpeg")
        return FileResponse(file, media_type=f"image/{kind}")
    return FileResponse(file, media_type="application/octet-stream", filename=file.name)
