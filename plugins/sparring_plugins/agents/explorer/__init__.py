"""The explorer: a player that finds out what an unknown app can do."""
