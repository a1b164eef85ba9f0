"""A connector for models behind an OpenAI-compatible endpoint."""
