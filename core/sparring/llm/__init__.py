"""The gateway to language models: rate limits, prices, caching, reading of answers."""
