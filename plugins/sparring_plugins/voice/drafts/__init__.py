"""Draft profiles from what an explorer found out about an app."""
