"""Makes the picture of the report in the README: ``python site/picture.py``.

It plays the demo, opens its report in Chromium, and photographs its head.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parents[1]
PICTURE = ROOT / "docs/pictures/report.png"
SIZE = {"width": 1100, "height": 760}


def main() -> None:
    """Play the demo and write the picture."""
    with TemporaryDirectory() as folder:
        demo = [sys.executable, ROOT / "examples/pizzeria/demo.py", "--no-open", "--runs", folder]
        subprocess.run(demo, check=True)
        (report,) = Path(folder).glob("*/report.html")
        with sync_playwright() as playwright:
            own = os.environ.get("SPARRING_CHROMIUM") or shutil.which("chromium")
            browser = playwright.chromium.launch(executable_path=own)
            page = browser.new_page(viewport=SIZE, color_scheme="light")  # type: ignore[arg-type]
            page.goto(report.as_uri())
            PICTURE.parent.mkdir(exist_ok=True)
            page.screenshot(path=str(PICTURE))
            browser.close()


if __name__ == "__main__":
    main()
