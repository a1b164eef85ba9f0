"""Whether the apps of a study are there, before a run is played; what of a run says nothing."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from sparring.engine.resume import spoilt
from sparring.errors import AppError
from sparring.store import StoredRun
from sparring.suite.building import SuiteContext, build
from sparring.suite.reading import load_suite
from sparring_plugins.language.quantities import plural
from sparring_plugins.study.cells import Cell

_PATIENCE_S = 15.0
_SPOILT = 0.05
"""The share of cases that the environment broke from which a run does not count."""


def gone(cells: Sequence[Cell]) -> dict[str, str]:
    """The apps that cannot be reached, with the reason; each is tried once."""
    return asyncio.run(_gone({cell.app: cell for cell in reversed(cells)}))


async def _gone(cells: dict[str, Cell]) -> dict[str, str]:
    found = await asyncio.gather(*(_why_gone(cell) for cell in cells.values()))
    return {app: why for app, why in zip(cells, found, strict=True) if why}


async def _why_gone(cell: Cell) -> str | None:
    loaded = load_suite(cell.suite, dict(cell.changes))
    context = SuiteContext(loaded.base_dir, seed=cell.seed, llm=loaded.suite.llm)
    try:
        connector = build(loaded.suite, context, loaded.document).connector
        await asyncio.wait_for(connector.probe(), _PATIENCE_S)
    except AppError as err:
        return str(err)
    except TimeoutError:
        return f"no answer within {_PATIENCE_S:g} seconds"
    except Exception:  # noqa: BLE001 - the run itself says more of a connector's bug
        return None
    finally:
        await context.close()
    return None


def spoilt_by(run: StoredRun) -> str | None:
    """Why a run says too little of its app: the environment broke too many of its cases."""
    broken, why = 0, ""
    for judged in run.judged():
        if spoilt(judged):
            broken += 1
            incidents = judged.trace.incidents
            why = why or (incidents[0].message if incidents else "an error of the environment")
    cases = len(run.case_ids)
    if broken <= _SPOILT * cases:
        return None
    return f"{broken} of its {plural(cases, 'case')} ended in errors of the environment: {why}"


def set_aside(cell: Cell, run: StoredRun) -> Path:
    """Move a run out of the way, so that its cell is played anew; where it is now."""
    aside = cell.folder / "spoilt"
    aside.mkdir(exist_ok=True)
    number = sum(1 for _ in aside.iterdir()) + 1
    return run.folder.rename(aside / f"{number}-{run.folder.name}")
