"""Starts the clinic's chatbot: ``python server.py --port 8000``."""

import runpy
import sys
from pathlib import Path

HERE = Path(__file__).parent

if __name__ == "__main__":
    script = HERE.parent / "botkit" / "serve.py"
    sys.argv = [str(script), str(HERE / "bot.yaml"), *sys.argv[1:]]
    runpy.run_path(str(script), run_name="__main__")
