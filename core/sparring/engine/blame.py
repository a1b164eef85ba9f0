"""Says where an error of somebody's part came from; see `sparring.blame`."""

from sparring.blame import described

__all__ = ["described"]
