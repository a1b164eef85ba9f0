"""The player that lets a simulated user talk to an app (SENSEI)."""
