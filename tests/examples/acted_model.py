"""A language model that is acted out: it knows nothing but the words of its prompt.

It reads the prompt back into a task and lets the parts that need no model answer it, so that a
suite can be played in which models are the user, the goal checker and the extractor.
"""

import json
import re
from datetime import date
from typing import Any

from sparring.errors import ModelError
from sparring.interfaces.plugin import LLMBackend, PluginConfig
from sparring.interfaces.roles import (
    ExtractTask,
    Goal,
    GoalTask,
    OutputSpec,
    UserTask,
)
from sparring.model.chat import ChatReply, ChatRequest
from sparring.model.talk import Choice, Listen, Observation, Press, Say, Turn
from sparring_plugins.language.text import plain, sentences
from sparring_plugins.users.agenda.agents import AgendaGoalChecker
from sparring_plugins.users.agenda.next_move import Agenda
from sparring_plugins.users.extraction.extractor import find_outputs

_BLOCK = re.compile(r"<data>\n(.*?)\n</data>", re.DOTALL)
_NUMBERED = re.compile(r"^(\d+)\. (.*)$", re.MULTILINE)
_OUTPUT = re.compile(r"^(\d+)\. (.*?) \((.*?)\): ?(.*)$", re.MULTILINE)
_TYPES = {"an amount of money, with its currency": "money", "a whole number": "int",
          "a date": "date", "a time of day or a length of time": "time"}  # fmt: skip


class ActedModel(LLMBackend[PluginConfig]):
    """Answers the questions of the three roles as JSON."""

    async def complete(self, request: ChatRequest) -> ChatReply:
        answers = {"user": self.move, "goals": self.wishes, "outputs": self.findings}
        if request.prompt not in answers:
            raise ModelError(f"nobody acts out the prompt {request.prompt!r}")
        answer = await answers[request.prompt](request)
        words = sum(len(message.content.split()) for message in request.messages)
        return ChatReply(text=json.dumps(answer), model="acted", input_tokens=words, cost_usd=0.0)

    def model(self) -> str:
        return "acted"

    async def move(self, request: ChatRequest) -> dict[str, Any]:
        """What the agenda would do with the goals still open."""
        told, asked = request.messages[0].content, request.messages[1].content
        facts = [line[2:] for line in told.split("Rules that")[0].splitlines() if line[:2] == "- "]
        language = re.findall(r"Write in (\w+)", asked)[0]
        wishes = _NUMBERED.findall(asked)
        wanted = re.search(r"before you leave.*\n((?:- .*\n)+)", asked)
        outputs = [line[2:] for line in wanted[1].splitlines()] if wanted else []
        turns = turns_of(asked, "you")
        task = UserTask(
            goals=tuple(
                Goal(phrase=text.removesuffix(" (settled)"), template=text) for _, text in wishes
            ),
            goals_met=tuple(n for n, (_, text) in enumerate(wishes) if text.endswith("(settled)")),
            outputs=tuple(OutputSpec(name=f"o{n}", description=o) for n, o in enumerate(outputs)),
            role=facts[0],
            context=tuple(facts[1:]),
            language=language,
            turns=turns,
            situation="normal" if turns else "start",
            seed=7,
        )
        seen = find_outputs(ExtractTask(turns=turns, outputs=task.outputs, today=date(2027, 1, 1)))
        missing = [one.name for one in seen if one.value is None]
        agenda = Agenda(task, missing, patience=3, farewell=True)
        act = agenda.decide().act
        return {
            "reason": "",
            "goals_met": [int(wishes[index][0]) for index in agenda.goals_met],
            "message": act.text if isinstance(act, Say) else "",
            "choice": act.label if isinstance(act, Press) else None,
            "leaves": act is None,
        }

    async def wishes(self, request: ChatRequest) -> dict[str, Any]:
        """What the agenda's goal checker finds, with the sentence that it was found in."""
        asked = request.messages[1].content
        wishes = _NUMBERED.findall(asked.split("<data>")[0])
        turns = turns_of(asked, "person")
        goals = tuple(Goal(phrase=text, template=text) for _, text in wishes)
        found = await AgendaGoalChecker(PluginConfig(), self.context).act(
            GoalTask(goals=goals, turns=turns)
        )
        met = {one.goal: one for one in found.met}
        answer = []
        for index, (number, _) in enumerate(wishes):
            one = met.get(index)
            said = sentences(one.quotation)[0] if one else None
            turn = one.turn + 1 if one and one.turn is not None else None
            answer.append(
                {"number": int(number), "met": one is not None, "quotation": said, "turn": turn}
            )
        return {"wishes": answer}

    async def findings(self, request: ChatRequest) -> dict[str, Any]:
        """What the patterns find, with the sentence around it."""
        asked = request.messages[1].content
        turns = turns_of(asked, "person")
        day = re.findall(r"on \w+, ([\d-]+):", asked)[0]
        specs = [
            OutputSpec(name=name.replace(" ", "_"), type=_TYPES.get(form, "str"), description=text)
            for _, name, form, text in _OUTPUT.findall(asked.split("The conversation")[0])
        ]
        found = find_outputs(
            ExtractTask(turns=turns, outputs=tuple(specs), today=date.fromisoformat(day))
        )
        return {"values": [finding(n, one, turns) for n, one in enumerate(found, 1)]}


def finding(number: int, output: Any, turns: tuple[Turn, ...]) -> dict[str, Any]:
    if output.value is None:
        return {"number": number, "value": None, "quotation": None, "turn": None}
    answer = turns[output.turn].observation
    text = plain(answer.text) if answer else ""
    value = str(output.value)
    around = [line for line in text.split("\n") if value in line] or [text]
    return {"number": number, "value": value, "quotation": around[0], "turn": output.turn + 1}


def turns_of(asked: str, user: str) -> tuple[Turn, ...]:
    """The conversation in the first data block of a prompt."""
    blocks = _BLOCK.findall(asked)
    turns: dict[int, Turn] = {}
    for entry in json.loads(blocks[0]) if blocks else []:
        turn = turns.get(entry["turn"], Turn(act=Listen()))
        if entry["speaker"] == user:
            turns[entry["turn"]] = Turn(act=Say(text=entry["text"]))
            continue
        labels = entry.get("choices", [])
        seen = Observation(text=entry["text"] or "", choices=[Choice(label=one) for one in labels])
        heard = None if entry["text"] is None else seen
        turns[entry["turn"]] = turn.model_copy(update={"observation": heard})
    return tuple(turns.values())
