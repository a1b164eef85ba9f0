"""A person answers the prompt in the terminal, which is how prompts are debugged."""

import asyncio
import json
import sys
from time import monotonic
from typing import ClassVar

from sparring.errors import ModelError
from sparring.interfaces.llm_backend import LLMBackend
from sparring.interfaces.plugin import BuildContext, PluginConfig
from sparring.model.chat import ChatReply, ChatRequest
from sparring_plugins.language.visible import cut, one_line, visible
from sparring_plugins.llm.stdin_lines import lines_of_stdin

_SHOWN = 100_000
_LONGEST = 1_000_000
_MOST_LINES = 10_000
_END = "."
_HOW = "Your answer; a line with a single dot ends it (two dots stand for a dot):"


class TerminalBackend(LLMBackend[PluginConfig]):
    """Shows each prompt on standard error and reads the answer from standard input.

    An answer ends with a line that is a single dot, or with the input; a line that begins with
    two dots begins with one. One question is shown at a time, and the others wait. A person
    takes time: `timeout` of the suite does not count here, `deadline` does.
    """

    Config: ClassVar[type[PluginConfig]] = PluginConfig
    free = True

    def __init__(self, config: PluginConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        self._turn = asyncio.Lock()
        self._asked = 0

    async def complete(self, request: ChatRequest) -> ChatReply:
        began = monotonic()
        async with self._turn:
            self._asked += 1
            _show(_question(request, self._asked))
            text = await _answer()
        return ChatReply(text=text, model="person", cost_usd=0.0, latency_s=monotonic() - began)

    def identity(self) -> str:
        return "terminal"


def _question(request: ChatRequest, number: int) -> str:
    """A question as it is shown: nothing in it steers the terminal."""
    about = {"asker": request.asker, "prompt": request.prompt, "case": request.case_id}
    named = [f"{name} {one_line(value, 100)}" for name, value in about.items() if value]
    lines = ["", f"--- question {number} {' '.join(f'({one})' for one in named)}".rstrip()]
    for message in request.messages:
        text, left_out = cut(message.content, _SHOWN)
        more = f"\n... and {left_out:,} more characters" if left_out else ""
        lines += [f"[{message.role}]", text + more]
    if request.answer_schema is not None:
        schema = json.dumps(request.answer_schema, indent=2, ensure_ascii=False)
        lines += ["[the answer is JSON that satisfies]", visible(schema)]
    return "\n".join([*lines, f"--- {_HOW}", ""])


def _show(text: str) -> None:
    stream = sys.stderr
    try:
        stream.write(text)
        stream.flush()
    except (OSError, ValueError, AttributeError) as err:
        raise ModelError(f"the question cannot be shown on standard error: {err}") from err


async def _answer() -> str:
    """What the person says; raises ModelError where the input ends before the answer begins."""
    lines = lines_of_stdin()
    said: list[str] = []
    length = 0
    while lines is not None and length < _LONGEST and len(said) < _MOST_LINES:
        line = await lines.next()
        if line is None and not said:
            break
        if line is None or line.strip() == _END:
            return "\n".join(said)
        said.append(line[1:] if line.startswith(_END * 2) else line)
        length += len(line) + 1
    if said:
        raise ModelError(f"an answer of {len(said):,} lines, {length:,} characters, without an end")
    raise ModelError("nobody answers: standard input has ended")
