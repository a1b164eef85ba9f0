"""Putting an app's data back before a case: by a request, or by a command."""

import asyncio
import os
import shlex
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urljoin

import httpx2

from sparring.errors import AppUnreachable, EnvironmentFailure
from sparring_connectors.browser.config import BrowserConfig, ResetConfig
from sparring_connectors.browser.variables import Variables


async def reset(config: BrowserConfig, variables: Variables, base_dir: Path, case: str) -> None:
    """Do all that the suite wants done before a case.

    Raises AppUnreachable if a step fails, and EnvironmentFailure if its program is missing.
    """
    for step in config.reset:
        try:
            async with asyncio.timeout(step.timeout_s):
                if step.command is not None:
                    await _run(_words(step.command), base_dir, case)
                else:
                    await _request(step, config, variables)
        except TimeoutError:
            what = f"no end within {step.timeout_s:g} s"
            raise AppUnreachable(f"the reset before the case failed: {what}") from None
        except OSError as err:
            raise EnvironmentFailure(f"the reset before the case cannot be run: {err}") from None
        except (ValueError, httpx2.HTTPError) as err:
            what = variables.without_secrets(str(err) or type(err).__name__)
            raise AppUnreachable(f"the reset before the case failed: {what}") from None


def _words(command: str | Sequence[str]) -> list[str]:
    words = shlex.split(command) if isinstance(command, str) else list(command)
    if not words:
        raise ValueError("the command is empty")
    return words


async def _run(words: list[str], base_dir: Path, case: str) -> None:
    process = await asyncio.create_subprocess_exec(
        *words, cwd=base_dir, env={**os.environ, "SPARRING_CASE": case},
        stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        _, complaint = await process.communicate()
    except BaseException:
        if process.returncode is None:
            process.kill()
            await process.wait()
        raise
    if process.returncode:
        said = complaint.decode("utf-8", "replace").strip()[-300:]
        raise ValueError(f"{words[0]} ended with {process.returncode}: {said}")


async def _request(step: ResetConfig, config: BrowserConfig, variables: Variables) -> None:
    headers = {name: variables.filled(value) for name, value in step.headers.items()}
    address = urljoin(config.url, variables.filled(step.url or ""))
    async with httpx2.AsyncClient(
        verify=config.verify_tls, follow_redirects=True, timeout=step.timeout_s
    ) as client:
        if isinstance(step.body, str):
            body = variables.filled(step.body)
            answer = await client.request(step.method, address, headers=headers, content=body)
        else:
            answer = await client.request(step.method, address, headers=headers, json=step.body)
    if answer.status_code >= 400:
        raise ValueError(f"{address} answered {answer.status_code}")
