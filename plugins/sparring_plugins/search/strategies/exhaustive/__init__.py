"""Every combination of values, as often as wanted."""
