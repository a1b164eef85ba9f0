"""Drafts of feature spaces from what an author has: prompts, documents, OpenAPI, real requests."""
