"""Keeps compiled templates beside Python's own bytecode, so that a page is compiled once.

Compiling the templates of a report took 80 ms of the 670 ms that a run of a hundred short cases
cost, with every run. The files lie in ``__pycache__`` beside the templates (or below
`sys.pycache_prefix`) and are as trustworthy as the modules in it.
"""

import os
import sys
from contextlib import suppress
from importlib.metadata import version
from importlib.util import cache_from_source
from pathlib import Path

from jinja2 import BytecodeCache
from jinja2.bccache import Bucket


class TemplateCache(BytecodeCache):
    """Compiled templates of one folder; what cannot be read or written is compiled again.

    Jinja stores a digest of the source with the code and ignores code of another source. The file's
    name holds the versions of Python and of Jinja, which both decide what the code looks like.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.suffix = f".jinja-{version('jinja2')}"

    def get_cache_key(self, name: str, filename: str | None = None) -> str:
        """Return the template's name in its folder, which is the name of its file here."""
        return name

    def load_bytecode(self, bucket: Bucket) -> None:
        """Give `bucket` its code, if there is some."""
        try:
            bucket.bytecode_from_string(self._file(bucket).read_bytes())
        except Exception:  # noqa: BLE001 - half a pickle may raise anything
            bucket.reset()

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Store the code of `bucket`, unless Python is told to write none or may not."""
        if sys.dont_write_bytecode:
            return
        path = self._file(bucket)
        with suppress(OSError):  # an installation of the administrator's, a suite of a stranger's
            path.parent.mkdir(parents=True, exist_ok=True)
            # Runs side by side write the same file: each replaces it as a whole.
            written = path.with_name(f"{path.name}.{os.getpid()}")
            try:
                written.write_bytes(bucket.bytecode_to_string())
                written.replace(path)
            finally:
                written.unlink(missing_ok=True)

    def _file(self, bucket: Bucket) -> Path:
        return Path(cache_from_source(str(self.folder / bucket.key))).with_suffix(self.suffix)
