"""What a run and a process that judges for it say to each other: frames of a length and bytes.

The recipe of the oracle goes to the process as a pickle, since settings may hold what JSON does not
have (dates, sets); it never goes the other way. Requests and replies are JSON.
"""

import pickle
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from sparring.model.talk import Trace
from sparring.model.verdict import Owner, Verdict
from sparring.suite.model import LLMUse, OracleUse

HEAD = 8
"""Bytes of the length before each frame, the most significant first."""

MOST_BYTES = 64_000_000
"""Bytes of one reply: 10,000 verdicts with a page of text each."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """What an oracle was built from, so that another process builds the same one."""

    use: OracleUse
    base_dir: Path
    run_dir: Path | None
    seed: int
    names: frozenset[str]
    llm: LLMUse | None

    def packed(self) -> bytes:
        """Return it as bytes; raises if a setting cannot be sent to another process."""
        return pickle.dumps(self)

    @staticmethod
    def unpacked(data: bytes) -> "Recipe":
        """Read what `packed` wrote."""
        recipe: Recipe = pickle.loads(data)
        return recipe


class Request(BaseModel):
    """One question: a conversation, or the folder of the run whose conversations are judged."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    trace: Trace | None = None
    folder: str | None = None


class Reply(BaseModel):
    """What came of a request, or of building the oracle (`built`).

    An error has an `owner` and a `reason`, and may come with the verdicts that can be used.
    `needs_model` means that a language model was to be asked, which only the run can do.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="strings")

    call: Literal["built", "judged"]
    verdicts: tuple[Verdict, ...] = ()
    owner: Owner | None = None
    reason: str = ""
    needs_model: bool = False


def framed(data: bytes) -> bytes:
    """Return data with its length before it."""
    return len(data).to_bytes(HEAD) + data
