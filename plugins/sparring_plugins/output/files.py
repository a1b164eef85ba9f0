"""Where a reporter writes its file, and writing it so that it is whole or not there."""

import re
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO, cast

from sparring.errors import SparringError
from sparring_plugins.language.text import visible

STDOUT = "-"
"""The `path` that means standard output."""


class ReportError(SparringError):
    """A report cannot be written where the suite says."""


def destination(path: str | None, default: str, base_dir: Path, run_dir: Path | None) -> Path:
    """The file to write: `path` from the suite's folder, else `default` in the run's folder."""
    if path is not None:
        return base_dir / path
    return (run_dir or base_dir) / default


@contextmanager
def report_file(
    path: str | None, default: str, base_dir: Path, run_dir: Path | None
) -> Generator[tuple[TextIO, list[Path]], None, None]:
    """Open what a setting `path` names for writing, and list the file that it will be.

    ``-`` is standard output, which is no file. Raises ReportError.
    """
    if path == STDOUT:
        yield sys.stdout, []
        sys.stdout.flush()
        return
    file_path = destination(path, default, base_dir, run_dir)
    with written_whole(file_path) as file:
        yield file, [file_path]


@contextmanager
def written_whole(path: Path) -> Generator[TextIO, None, None]:
    """Open a text file that takes the place of `path` only once it is complete.

    A device or a pipe, such as ``/dev/stdout``, is written to and stays what it is. Raises
    ReportError if it cannot be written.
    """
    direct = _is_special(path)
    written = path if direct else path.with_name(f".{path.name}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not direct:  # it may be a link to somewhere, in somebody else's folder
            written.unlink(missing_ok=True)
        mode = "w" if direct else "x"
        with written.open(mode, encoding="utf-8", errors="backslashreplace", newline="\n") as file:
            yield cast("TextIO", file)
        if not direct:
            written.replace(path)
    except OSError as err:
        raise ReportError(f"the report {path} cannot be written: {err.strerror or err}") from err
    finally:
        if not direct:
            with suppress(OSError):
                written.unlink(missing_ok=True)


def _is_special(path: Path) -> bool:
    """Whether something that is no file would be lost if a file took its place."""
    if path.absolute().is_relative_to("/dev") or path.absolute().is_relative_to("/proc"):
        return True
    try:
        return path.exists() and not path.is_file() and not path.is_dir()
    except OSError:
        return False


# Texts in cells that no spreadsheet takes for a formula.

_FORMULA = re.compile(r"(^|;)(\s*)(?=[=+\-@＝＋－＠])")  # noqa: RUF001


def safe_cell(text: str) -> str:
    """A text that no spreadsheet takes for a formula, on its own or cut at semicolons."""
    shown = _FORMULA.sub(r"\1\2'", visible(text))
    return f"'{shown}" if shown.startswith(("\t", "\n")) else shown
