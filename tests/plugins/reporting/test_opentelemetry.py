"""The reporter `opentelemetry`, against the SDK's exporter in memory and a real collector."""

import json
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from sparring.model.chat import ChatMessage, ChatReply, ChatRequest
from sparring.model.events import CaseJudged, Event, ModelCalled
from sparring.model.talk import Observation
from sparring.testing.conversations import EPOCH, run_events, store, trace_of, verdict_of
from sparring.testing.fakes import FakeContext
from sparring_plugins.output.files import ReportError
from sparring_plugins.reporting.opentelemetry_spans import OpenTelemetryReporter

memory = pytest.importorskip("opentelemetry.sdk.trace.export.in_memory_span_exporter")
EXPORTER = memory.InMemorySpanExporter()


class InMemory(OpenTelemetryReporter):
    def exporter(self) -> Any:
        EXPORTER._stopped = False
        return EXPORTER


def events(folder: Path) -> list[Event]:
    payload = {"tool_calls": [{"id": "1", "function": {"name": "price", "arguments": "{}"}}]}
    answer = Observation(text="5 dollars", payload=payload)
    trace = trace_of([("how much?", answer), ("bye", None)], latencies=[0.5, 0.25])
    call = ModelCalled(
        at=EPOCH,
        service="openai gpt",
        request=ChatRequest(
            messages=(ChatMessage(role="user", content="secret"),),
            asker="user",
            case_id=trace.case.id,
        ),
        reply=ChatReply(text="ok", model="small", input_tokens=7, output_tokens=2, latency_s=0.1),
    )
    made = run_events([trace], [[verdict_of(trace, "fail", reason="rude")]], folder=folder)
    place = next(n for n, event in enumerate(made) if isinstance(event, CaseJudged))
    return [*made[:place], call, *made[place:]]


def send(folder: Path, reporter: type, **settings: Any) -> Any:
    made = events(folder / "run")
    store(folder / "run", made)
    part = FakeContext(base_dir=folder).build(reporter, **settings)
    for event in made:
        part.handle(event)
    return part


def spans(folder: Path, **settings: Any) -> dict[str, Any]:
    EXPORTER.clear()
    send(folder, InMemory, **settings)
    return {span.name: span for span in EXPORTER.get_finished_spans()}


def test_a_case_is_a_trace_of_turns_calls_and_tools(tmp_path: Path) -> None:
    found = spans(tmp_path)
    assert set(found) == {"case talk", "invoke_agent run", "chat small", "execute_tool price"}
    assert len(EXPORTER.get_finished_spans()) == 5
    case, chat, tool = found["case talk"], found["chat small"], found["execute_tool price"]
    assert len({span.context.trace_id for span in EXPORTER.get_finished_spans()}) == 1
    assert case.parent is None
    assert chat.parent.span_id == case.context.span_id
    assert chat.attributes["gen_ai.usage.input_tokens"] == 7
    assert chat.attributes["gen_ai.operation.name"] == "chat"
    assert chat.end_time - chat.start_time == 100_000_000
    assert tool.attributes["gen_ai.tool.name"] == "price"
    turns = [s for s in EXPORTER.get_finished_spans() if s.name == "invoke_agent run"]
    assert tool.parent.span_id == turns[0].context.span_id
    assert turns[0].end_time - turns[0].start_time == 500_000_000
    assert turns[1].attributes["error.type"] == "no_answer"
    (event,) = case.events
    assert event.name == "gen_ai.evaluation.result"
    assert event.attributes["gen_ai.evaluation.name"] == "rules/polite"
    assert event.attributes["gen_ai.evaluation.score.label"] == "fail"


def test_texts_are_sent_only_if_the_suite_says_so(tmp_path: Path) -> None:
    def said(folder: str, **settings: Any) -> str:
        spans(tmp_path / folder, **settings)
        return "".join(span.to_json() for span in EXPORTER.get_finished_spans())

    quiet, whole = said("quiet"), said("whole", content=True)
    for text in ("how much?", "5 dollars", "rude"):
        assert text not in quiet
        assert text in whole


def test_the_same_run_has_the_same_ids(tmp_path: Path) -> None:
    first = {n: s.context.span_id for n, s in spans(tmp_path / "1").items()}
    second = {n: s.context.span_id for n, s in spans(tmp_path / "2").items()}
    assert first == second


def test_without_a_collector_they_are_lines_of_a_file(tmp_path: Path) -> None:
    part = send(tmp_path, OpenTelemetryReporter, path="spans.jsonl")
    (path,) = part.written()
    (line,) = path.read_text("utf-8").splitlines()
    (scope,) = json.loads(line)["resourceSpans"][0]["scopeSpans"]
    case = next(span for span in scope["spans"] if span["name"] == "case talk")
    assert re.fullmatch("[0-9a-f]{32}", case["traceId"])
    children = {
        span["name"] for span in scope["spans"] if span.get("parentSpanId") == case["spanId"]
    }
    assert children == {"invoke_agent run", "chat small"}


@pytest.fixture
def collector() -> Iterator[tuple[str, list[bytes]]]:
    """A server that takes what OTLP exporters send."""
    taken: list[bytes] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            taken.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/v1/traces", taken
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_collector_gets_them_over_http(
    tmp_path: Path, collector: tuple[str, list[bytes]]
) -> None:
    import gzip

    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    address, taken = collector
    send(tmp_path, OpenTelemetryReporter, endpoint=address)
    data = taken[0]
    request = ExportTraceServiceRequest.FromString(
        gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    )
    (resource,) = request.resource_spans
    names = {span.name for scope in resource.scope_spans for span in scope.spans}
    assert names == {"case talk", "invoke_agent run", "chat small", "execute_tool price"}


def test_a_collector_that_is_not_there_is_a_problem_of_the_report(tmp_path: Path) -> None:
    with pytest.raises(ReportError, match="5 spans could not be sent"):
        send(tmp_path, OpenTelemetryReporter, endpoint="http://127.0.0.1:9/x", timeout_s=0.2)
