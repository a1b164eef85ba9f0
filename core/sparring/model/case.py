"""One concrete test to play."""

import json
import re
from collections.abc import Mapping
from hashlib import sha256

from pydantic import JsonValue

from sparring.model.base import Value


class Case(Value):
    """A scenario with a value for each of its variables.

    `id` is derived from content, never from position, so that it stays the same when cases
    are added before it. `seed` is derived from the run's seed and the id, so that a case
    plays the same whatever ran beside it. `repeat` counts cases of equal content from 1.
    """

    id: str
    scenario: str
    params: dict[str, JsonValue] = {}
    seed: int = 0
    repeat: int = 1

    @classmethod
    def of(
        cls, scenario: str, params: Mapping[str, JsonValue], *, run_seed: int, repeat: int = 1
    ) -> "Case":
        """Make the case for `params`, with its id and seed."""
        content = json.dumps([scenario, dict(params)], sort_keys=True, ensure_ascii=False)
        digest = sha256(content.encode("utf-8", "surrogatepass")).hexdigest()
        app = params.get("app")
        about = f"{app}-{scenario}" if isinstance(app, str) and app != scenario else scenario
        slug = re.sub(r"[^A-Za-z0-9_-]+", "-", about).strip("-")[:60] or "case"
        suffix = f".{repeat}" if repeat != 1 else ""
        seed = int(sha256(f"{run_seed}/{slug}-{digest[:8]}{suffix}".encode()).hexdigest()[:12], 16)
        name = f"{slug}-{digest[:16]}{suffix}"  # up to 0.2 with 8 digits, as seeds still are
        return cls(id=name, scenario=scenario, params=dict(params), seed=seed, repeat=repeat)
