"""Vectors of many texts, made by the workers of a command: the same ones, on more cores."""

import asyncio
import pickle
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sparring.errors import ExecutorLost, PartError
from sparring_plugins.execution.worker_session import WorkerSession
from sparring_plugins.execution.workers import Workers, WorkersDied
from sparring_plugins.search.diversity import By, TextEmbedding, text_embedding

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class EmbeddingSession(WorkerSession):
    """Makes vectors, for which nothing of a suite is needed."""

    def build(self) -> None:
        """See `WorkerSession.build`."""


async def embed_in_worker(
    _session: WorkerSession, payload: bytes
) -> tuple[bytes, dict[str, bytes]]:
    """Make the vectors of a part in a worker; see `worker.Work`.

    They are made in a thread: a worker that answers nobody for a minute counts as dead.
    """
    by, texts = pickle.loads(payload)
    rows = await asyncio.to_thread(text_embedding(by).vectors, texts)
    return rows.astype("<f4").tobytes(), {}


async def embed_parts(
    workers: Workers, embedding: TextEmbedding, parts: Sequence[Sequence[str]]
) -> "list[NDArray[np.float32]]":
    """Return a row per text of each part, as `TextEmbedding.vectors` does.

    A part that no worker can do, because it lacks the model or is gone, is done by this process.
    """
    by: By = "words" if embedding.name == "words" else "minilm"
    return await asyncio.gather(*(_embed(workers, embedding, by, part) for part in parts))


async def _embed(
    workers: Workers, embedding: TextEmbedding, by: By, part: Sequence[str]
) -> "NDArray[np.float32]":
    import numpy as np

    payload: Any = pickle.dumps((by, list(part)))
    try:
        delivered = await workers.call(embed_in_worker, payload)
    except (ExecutorLost, WorkersDied, PartError):
        return await asyncio.to_thread(embedding.vectors, part)
    return np.frombuffer(delivered.answer, "<f4").reshape(len(part), -1)
