"""What is left of a case in the run's folder: pictures, downloads, Playwright traces."""

import re
import unicodedata
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile

from playwright.async_api import BrowserContext, Download, ElementHandle, Page
from playwright.async_api import Error as PlaywrightError
from pydantic import JsonValue

_VEIL = "(e) => e.style.setProperty('-webkit-text-security', 'disc', 'important')"
_UNVEIL = "(e) => e.style.removeProperty('-webkit-text-security')"
# A download of a whole data base would fill the disk of whoever tests.
_LARGEST = 200_000_000
#: How much of a downloaded text is kept in the log, so that checks can look into it.
_READ_BYTES = 50_000
# "con.txt" cannot be opened on Windows, where the run may be looked at.
_NAMED_BY_WINDOWS = re.compile(r"(?i)^(con|prn|aux|nul|com\d|lpt\d)(\.|$)")


class Evidence:
    """Keeps the files of one session in a folder of their own."""

    def __init__(self, run_dir: Path | None, name: str, policy: str, trace: str) -> None:
        self._run_dir = run_dir
        self._folder = Path("artifacts") / safe_name(name)
        self._policy = policy
        self._trace = trace if run_dir is not None else "never"
        self._number = 0
        self.failed = False
        self.wants_picture = False

    async def begin(self, context: BrowserContext) -> None:
        """Begin to record if a trace is wanted."""
        if self._trace != "never":
            await context.tracing.start(screenshots=True, snapshots=True, sources=False)

    async def end(self, context: BrowserContext, clean: Callable[[str], str] | None) -> None:
        """Keep the trace or let it go; `clean` takes secrets out of its texts."""
        if self._trace == "never" or self._run_dir is None:
            return
        try:
            if self._trace == "on-failure" and not self.failed:
                await context.tracing.stop()
                return
            with TemporaryDirectory() as folder:
                recorded = Path(folder) / "trace.zip"
                await context.tracing.stop(path=recorded)
                _copy_trace(recorded, self._place("trace.zip"), clean)
        except PlaywrightError:  # the browser has gone, and the trace with it
            return

    async def take_screenshot(
        self, page: Page, action: str, veiled: Sequence[ElementHandle] = ()
    ) -> str | None:
        """Take a screenshot if one is wanted; returns its path in the run's folder.

        The texts of the fields that are to be `veiled` cannot be read in it.
        """
        wanted = self.wants_picture or self._policy == "every"
        self.wants_picture = False
        self._number += 1
        if not wanted or self._run_dir is None:
            return None
        name = f"{self._number:03d}-{safe_name(action)}.png"
        try:
            for field in veiled:
                await field.evaluate(_VEIL)
            data = await page.screenshot(timeout=5000, animations="allow", caret="initial")
            for field in veiled:
                await field.evaluate(_UNVEIL)
        except PlaywrightError:
            return None
        self._place(name).write_bytes(data)
        return (self._folder / name).as_posix()

    @property
    def on_failure(self) -> bool:
        """Whether a failure is to be shown by a picture."""
        return self._policy == "failures"

    async def keep_download(self, download: Download) -> tuple[str | None, int | None]:
        """Keep a downloaded file; its path in the run's folder, and its size in bytes."""
        got = Path(await download.path())
        size = got.stat().st_size
        if self._run_dir is None or size > _LARGEST:
            return None, size
        name = self._free(safe_name(download.suggested_filename))
        await download.save_as(self._place(name))
        return (self._folder / name).as_posix(), size

    async def read_text(self, download: Download) -> dict[str, JsonValue]:
        """Return the beginning of a downloaded text as `content`; nothing if it is no text."""
        with Path(await download.path()).open("rb") as file:
            data = file.read(_READ_BYTES + 1)
        if b"\0" in data:
            return {}
        try:
            text = data[:_READ_BYTES].decode("utf-8-sig")
        except UnicodeDecodeError as err:
            if err.start < _READ_BYTES - 4:
                return {}
            text = data[: err.start].decode("utf-8-sig")
        return {"content": text, "cut": True} if len(data) > _READ_BYTES else {"content": text}

    def _place(self, name: str) -> Path:
        assert self._run_dir is not None
        folder = self._run_dir / self._folder
        folder.mkdir(parents=True, exist_ok=True)
        return folder / name

    def _free(self, name: str) -> str:
        path, number = Path(name), 1
        while self._place(name).exists():
            number += 1
            name = f"{path.stem}-{number}{path.suffix}"
        return name


def safe_name(text: str) -> str:
    """A file name that any system takes, whatever a page calls its file."""
    text = unicodedata.normalize("NFKC", text).replace("\\", "/").rsplit("/", 1)[-1]
    text = re.sub(r"[^\w.-]+", "-", text, flags=re.ASCII).strip("-. ")
    if len(text) > 80:
        stem, dot, suffix = text.rpartition(".")
        text = f"{stem[:70]}.{suffix[:9]}" if dot and stem else text[:80]
    return f"_{text}" if _NAMED_BY_WINDOWS.match(text) else text or "file"


def _copy_trace(source: Path, goal: Path, clean: Callable[[str], str] | None) -> None:
    """Copy a trace, with its texts cleaned."""
    if clean is None:
        goal.write_bytes(source.read_bytes())
        return
    try:
        with ZipFile(source) as old, ZipFile(goal, "w", ZIP_DEFLATED) as new:
            for entry in old.infolist():
                data = old.read(entry)
                try:
                    data = clean(data.decode()).encode()
                except UnicodeDecodeError:
                    data = clean(data.decode("latin-1")).encode("latin-1", "replace")
                new.writestr(entry.filename, data)
    except BadZipFile:
        goal.unlink(missing_ok=True)
