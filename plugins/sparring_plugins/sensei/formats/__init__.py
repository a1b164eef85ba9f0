"""SENSEI's files: conversations, reports, and their conversion to the current forms."""
