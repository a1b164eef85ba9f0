"""The command ``sparring shrink``: failing cases reduced to their root causes."""
