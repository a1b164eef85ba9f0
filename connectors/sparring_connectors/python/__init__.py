"""A connector for apps written in Python."""
