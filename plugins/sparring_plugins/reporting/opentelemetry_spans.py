"""The reporter `opentelemetry`: a trace per case, for tools that show conversations of agents."""

import json
import os
from base64 import b64decode
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, ClassVar, TextIO, cast

from pydantic import Field

from sparring.errors import MissingExtra
from sparring.interfaces.plugin import PluginConfig
from sparring.model.events import CaseJudged, ModelCalled
from sparring.model.run import Run
from sparring.model.talk import Turn, act_text
from sparring.model.verdict import Outcome, Verdict
from sparring.store import StoredRun
from sparring_plugins.language.text import one_line
from sparring_plugins.output.files import ReportError, report_file
from sparring_plugins.reporting.file_reporter import FileReporter, FinishedRun
from sparring_plugins.reporting.findings import worst

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
    from opentelemetry.sdk.trace.export import SpanExporter
    from opentelemetry.trace import Span, Tracer

# Spans that are sent at once: a request for each would slow a run down, and one for all at its end
# would hold them in memory.
_BATCH = 200
# Collectors refuse or cut attributes that are larger than some kilobytes; the log has the whole
# text.
_TEXT = 8_000
# An answer may list tool calls without end, and each becomes a span.
_MOST_TOOLS = 50
# The three that OTLP writes as hexadecimal in JSON; all other bytes are base 64.
_IDS = ("traceId", "spanId", "parentSpanId")
_ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
_NS = 1_000_000_000

Attributes = Mapping[str, str | int | float | bool | Sequence[str]]


class OpenTelemetryConfig(PluginConfig):
    """Settings of the reporter `opentelemetry`.

    `endpoint`: the address that spans are sent to (OTLP over HTTP), such as
    ``http://127.0.0.1:4318/v1/traces``; else what the variables ``OTEL_EXPORTER_OTLP_ENDPOINT`` and
    ``OTEL_EXPORTER_OTLP_HEADERS`` say, which is where keys belong. If neither is there, the spans
    are written to the file `path`, from the suite's folder (``spans.jsonl`` in the run's folder if
    it is left out), as a collector's file exporter does. `service`: what the tool calls the
    sender. `content`: whether messages and reasons are sent too, not only names and numbers.
    """

    endpoint: str | None = Field(default=None, min_length=1)
    path: str | None = Field(default=None, min_length=1)
    service: str = Field(default="sparring", min_length=1, max_length=200)
    content: bool = False
    timeout_s: float = Field(default=10.0, gt=0, le=600)


class OpenTelemetryReporter(FileReporter[OpenTelemetryConfig]):
    """Sends a trace per case when the run has finished: turns, calls of models, calls of tools.

    Names are those of the semantic conventions for generative AI: a turn is `invoke_agent`, a
    call of a model `chat`, a call of a tool `execute_tool`, and each verdict an event
    `gen_ai.evaluation.result` of the case. Ids are made of the run's id, so that a report that is
    sent again replaces itself.
    """

    Config: ClassVar[type[PluginConfig]] = OpenTelemetryConfig

    def exporter(self) -> "SpanExporter | None":
        """Return what sends spans, `None` if they go to a file; raises MissingExtra."""
        if self.config.endpoint is None and not any(map(os.environ.get, _ENDPOINTS)):
            return None
        try:
            from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        except ImportError as err:
            raise _missing() from err
        return OTLPSpanExporter(endpoint=self.config.endpoint, timeout=self.config.timeout_s)

    def write(self, finished: FinishedRun) -> Sequence[Path]:
        exporter = self.exporter()
        if exporter is not None:
            self._send(finished, exporter)
            return ()
        place = (self.config.path, "spans.jsonl", self.context.base_dir, finished.run_dir)
        with report_file(*place) as (file, written):
            self._send(finished, file_exporter(file))
        return written

    def _send(self, finished: FinishedRun, exporter: "SpanExporter") -> None:
        spans = _Spans(self.config, exporter, finished.run)
        try:
            calls = _calls_by_case(finished.stored)
            for judged in finished.stored.judged():
                offsets = calls.get(judged.trace.case.id, ())
                spans.add_case(judged, [finished.stored.model_call(at) for at in offsets])
        finally:
            spans.close()


def file_exporter(file: TextIO) -> "SpanExporter":
    """Return what writes spans as OTLP in JSON, a line per batch; raises MissingExtra."""
    try:
        from google.protobuf.json_format import MessageToDict
        from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
        from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
    except ImportError as err:
        raise _missing() from err

    class Lines(SpanExporter):
        def export(self, spans: "Sequence[ReadableSpan]") -> SpanExportResult:
            file.write(json.dumps(_with_hex_ids(MessageToDict(encode_spans(spans)))) + "\n")
            return SpanExportResult.SUCCESS

    return Lines()


def _with_hex_ids(value: Any) -> Any:
    """Return OTLP as JSON with ids in hexadecimal: protobuf itself would write them in base 64."""
    if isinstance(value, list):
        return [_with_hex_ids(item) for item in cast("list[Any]", value)]
    if not isinstance(value, dict):
        return value
    return {
        key: b64decode(item).hex() if key in _IDS else _with_hex_ids(item)
        for key, item in cast("dict[str, Any]", value).items()
    }


def _missing() -> MissingExtra:
    return MissingExtra(
        "the reporter 'opentelemetry' needs OpenTelemetry: pip install 'sparring[opentelemetry]'"
    )


def _calls_by_case(stored: StoredRun) -> dict[str, list[int]]:
    """Return where in the log the calls of models for each case are."""
    calls: dict[str, list[int]] = {}
    for offset, event in stored.model_calls():
        if isinstance(event, ModelCalled) and event.request.case_id is not None:
            calls.setdefault(event.request.case_id, []).append(offset)
    return calls


class _Spans:
    """Makes spans of cases, and sends them in batches."""

    def __init__(self, config: OpenTelemetryConfig, exporter: "SpanExporter", run: Run) -> None:
        self._config = config
        self._exporter = exporter
        self._run = run
        self._waiting: list[ReadableSpan] = []
        self._failed = 0
        provider = _provider(config.service, run, self._waiting)
        self._tracer: Tracer = provider.get_tracer("sparring")

    def add_case(self, judged: CaseJudged, calls: Sequence[ModelCalled]) -> None:
        """Make the spans of a case; a full batch is sent."""
        from opentelemetry.trace import StatusCode, set_span_in_context

        trace = judged.trace
        began = _ns(trace.started)
        outcome = worst(judged.verdicts)
        span = self._tracer.start_span(
            f"case {trace.case.scenario}",
            start_time=began,
            attributes={
                "gen_ai.conversation.id": trace.case.id,
                "sparring.run.id": self._run.id,
                "sparring.suite": self._run.name,
                "sparring.case.id": trace.case.id,
                "sparring.scenario": trace.case.scenario,
                "sparring.seed": trace.case.seed,
                "sparring.repeat": trace.case.repeat,
                "sparring.outcome": outcome.value,
                "sparring.ended": trace.ended.value,
            },
        )
        ended = began + int(trace.duration_s * _NS)
        context = set_span_in_context(span)
        for number, turn in enumerate(trace.turns, 1):
            self._add_turn(context, number, turn, began, trace.case.id)
        for call in calls:
            self._add_call(context, call)
        for verdict in judged.verdicts:
            attributes = dict(self._evaluation(verdict))
            span.add_event("gen_ai.evaluation.result", attributes, timestamp=max(ended, began))
        if outcome is Outcome.FAIL:
            span.set_status(StatusCode.ERROR, "a gating check failed")
        span.end(end_time=max(ended, began))
        if len(self._waiting) >= _BATCH:
            self._send()

    def _add_turn(self, context: Any, number: int, turn: Turn, began: int, case_id: str) -> None:
        from opentelemetry.trace import SpanKind, StatusCode, set_span_in_context

        start = began + int(turn.started_s * _NS)
        attributes: dict[str, str | int] = {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.agent.name": self._run.name,
            "gen_ai.conversation.id": case_id,
            "sparring.turn": number,
            "sparring.act": turn.act.kind,
        }
        observation = turn.observation
        if self._config.content:
            attributes["gen_ai.input.messages"] = _message("user", act_text(turn.act))
            attributes["gen_ai.output.messages"] = _message(
                "assistant", observation.text if observation else ""
            )
        span = self._tracer.start_span(
            f"invoke_agent {one_line(self._run.name, 80)}",
            context,
            kind=SpanKind.CLIENT,
            start_time=start,
            attributes=attributes,
        )
        end = start + int(turn.latency_s * _NS)
        for call in _tool_calls(turn):
            self._add_tool(set_span_in_context(span), call, start, end)
        if observation is None:
            span.set_attribute("error.type", "no_answer")
            span.set_status(StatusCode.ERROR, "the app gave no answer")
        span.end(end_time=end)

    def _add_tool(self, context: Any, call: Mapping[str, Any], start: int, end: int) -> None:
        name = one_line(str(call.get("name") or "unnamed"), 200)
        attributes = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": name,
            "gen_ai.tool.call.id": one_line(str(call.get("id") or ""), 200),
        }
        if self._config.content:
            attributes["gen_ai.tool.call.arguments"] = str(call.get("arguments") or "")[:_TEXT]
        tool = self._tracer.start_span(
            f"execute_tool {name}", context, start_time=start, attributes=attributes
        )
        tool.end(end_time=end)

    def _add_call(self, context: Any, call: ModelCalled) -> None:
        from opentelemetry.trace import SpanKind, StatusCode

        end = _ns(call.at)
        reply = call.reply
        span: Span = self._tracer.start_span(
            f"chat {reply.model if reply else ''}".strip(),
            context,
            kind=SpanKind.CLIENT,
            # The log has when an answer came, and how long it took.
            start_time=end - int((reply.latency_s if reply else 0.0) * _NS),
            attributes=dict(_call_attributes(call)),
        )
        if reply is None:
            span.set_attribute("error.type", "model_error")
            span.set_status(StatusCode.ERROR, one_line(call.error or "", 200))
        span.end(end_time=end)

    def _evaluation(self, verdict: Verdict) -> Iterator[tuple[str, str | float | bool]]:
        yield "gen_ai.evaluation.name", f"{verdict.oracle}/{verdict.check}"
        yield "gen_ai.evaluation.score.label", verdict.outcome.value
        yield "sparring.gating", verdict.gating
        if verdict.score is not None:
            yield "gen_ai.evaluation.score.value", verdict.score
        if verdict.owner is not None:
            yield "sparring.owner", verdict.owner.value
        if self._config.content and verdict.reason:
            yield "gen_ai.evaluation.explanation", verdict.reason[:_TEXT]

    def _send(self) -> None:
        from opentelemetry.sdk.trace.export import SpanExportResult

        batch = list(self._waiting)
        self._waiting.clear()
        if batch and self._exporter.export(batch) is not SpanExportResult.SUCCESS:
            self._failed += len(batch)

    def close(self) -> None:
        """Send the rest; raises ReportError if spans were not taken."""
        self._send()
        self._exporter.shutdown()
        if self._failed:
            where = self._config.endpoint or "what OTEL_EXPORTER_OTLP_ENDPOINT names"
            raise ReportError(f"{self._failed:,} spans could not be sent to {where}")


def _provider(service: str, run: Run, waiting: "list[ReadableSpan]") -> "TracerProvider":
    """Return a provider whose ended spans are put into a list, with ids made of the run's id."""
    try:
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
        from opentelemetry.sdk.trace.id_generator import IdGenerator
        from opentelemetry.sdk.trace.sampling import ALWAYS_ON
    except ImportError as err:
        raise _missing() from err

    # The same ids each time: a report that is made again replaces what a collector has of the run.
    draw = Random(run.id)

    class Ids(IdGenerator):
        def generate_span_id(self) -> int:
            return draw.getrandbits(64) or 1

        def generate_trace_id(self) -> int:
            return draw.getrandbits(128) or 1

    class Collector(SpanProcessor):
        def on_end(self, span: "ReadableSpan") -> None:
            waiting.append(span)

    resource = Resource(
        {"service.name": service, "service.version": run.versions.get("sparring", "")}
    )
    provider = TracerProvider(
        sampler=ALWAYS_ON, resource=resource, id_generator=Ids(), shutdown_on_exit=False
    )
    provider.add_span_processor(Collector())
    return provider


def _call_attributes(call: ModelCalled) -> Iterator[tuple[str, str | int | float | Sequence[str]]]:
    yield "gen_ai.operation.name", "chat"
    yield "gen_ai.provider.name", one_line(call.service.partition(" ")[0] or "unknown", 100)
    yield "sparring.asker", call.request.asker
    yield "sparring.source", call.source
    if call.request.temperature is not None:
        yield "gen_ai.request.temperature", call.request.temperature
    if call.request.max_tokens is not None:
        yield "gen_ai.request.max_tokens", call.request.max_tokens
    if call.request.seed is not None:
        yield "gen_ai.request.seed", call.request.seed
    reply = call.reply
    if reply is None:
        return
    yield "gen_ai.request.model", reply.model
    yield "gen_ai.response.model", reply.model
    yield "gen_ai.response.finish_reasons", (reply.finish_reason,)
    yield "gen_ai.usage.input_tokens", reply.input_tokens
    yield "gen_ai.usage.output_tokens", reply.output_tokens
    if reply.cost_usd is not None:
        yield "sparring.cost_usd", reply.cost_usd


def _tool_calls(turn: Turn) -> Iterator[Mapping[str, Any]]:
    """Yield the calls of tools that an app tells in its payload, as OpenAI's services do."""
    payload = turn.observation.payload if turn.observation else None
    calls = payload.get("tool_calls") if isinstance(payload, dict) else None
    for call in (calls if isinstance(calls, list) else [])[:_MOST_TOOLS]:
        if isinstance(call, dict):
            function = call.get("function")
            inner: Mapping[str, Any] = function if isinstance(function, dict) else {}
            yield {**call, **inner}


def _message(role: str, text: str) -> str:
    part = {"type": "text", "content": text[:_TEXT]}
    return json.dumps([{"role": role, "parts": [part]}], ensure_ascii=False)


def _ns(at: datetime) -> int:
    return int(at.timestamp() * _NS)
