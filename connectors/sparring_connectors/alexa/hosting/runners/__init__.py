"""Programs that run a skill's handler in a process of its own; never imported by Sparring."""
