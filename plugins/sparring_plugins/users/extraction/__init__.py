"""The extractor that finds declared outputs by patterns and parsers, without a model."""
