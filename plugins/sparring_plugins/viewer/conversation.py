"""One conversation as data for the page: turns, notes, checks, prompts and answers, labels."""

from dataclasses import asdict
from typing import Any

from sparring.model.events import CaseJudged, ModelCalled
from sparring.model.verdict import Verdict
from sparring_plugins.language.text import cut, one_line
from sparring_plugins.reporting.findings import Findings, description_of
from sparring_plugins.reporting.html.views import Limits, Viewer
from sparring_plugins.viewer.index import RunIndex

_LIMITS = Limits(message=20_000, conversation=400_000, pictures=0)
# Longer prompts make the page slow to open; the log has them whole.
_PROMPT = 20_000
# A model-driven explorer may ask hundreds of times in a conversation.
_MOST_CALLS = 200
_MOST_VERDICTS = 200
_DECIDED = ("pass", "fail")


def conversation_view(index: RunIndex, judged: CaseJudged, calls: list[int]) -> dict[str, Any]:
    """Return what the page shows of a conversation.

    Pictures are addresses below the run's folder; `calls` are the places of the model calls in
    the log.
    """
    findings = Findings()
    findings.add_case(judged)
    findings.faults()
    view = asdict(Viewer(findings, {}, index.stored.folder, _LIMITS).view(judged))
    for note in (*view["notes"], *(note for turn in view["turns"] for note in turn["notes"])):
        note["fault"] = None  # numbered within this conversation alone
    return view | {
        "calls": [call for at in calls[:_MOST_CALLS] if (call := _call_view(index, at))],
        "more_calls": max(0, len(calls) - _MOST_CALLS),
        "verdicts": [_verdict_view(verdict) for verdict in judged.verdicts[:_MOST_VERDICTS]],
    }


def _verdict_view(verdict: Verdict) -> dict[str, Any]:
    """A verdict that can be labelled; its names are whole, since the label is kept by them."""
    return {
        "oracle": verdict.oracle,
        "check": verdict.check,
        "outcome": verdict.outcome.value,
        "decided": verdict.outcome.value in _DECIDED,
        "description": description_of(verdict),
        "reason": one_line(verdict.reason, 600),
        "gating": verdict.gating,
    }


def _call_view(index: RunIndex, at: int) -> dict[str, Any] | None:
    event = index.event_at(at)
    if not isinstance(event, ModelCalled):
        return None
    request, reply = event.request, event.reply
    shown: dict[str, Any] = {
        "asker": one_line(request.asker, 80),
        "prompt": one_line(request.prompt, 120),
        "round": request.round,
        "source": event.source,
        "messages": [
            [message.role, cut(message.content, _PROMPT)[0]] for message in request.messages
        ],
        "error": cut(event.error or "", _PROMPT)[0],
    }
    if reply is None:
        return shown
    return shown | {
        "answer": cut(reply.text, _PROMPT)[0],
        "reasoning": cut(reply.reasoning, _PROMPT)[0],
        "model": one_line(reply.model, 120),
        "tokens": reply.input_tokens + reply.output_tokens,
        "cost": reply.cost_usd,
        "seconds": reply.latency_s,
        "finish": one_line(reply.finish_reason, 40),
    }
