"""``python -m sparring`` is the program ``sparring``."""

from sparring.cli.app import main

main()
