"""Any chatbot behind HTTP, described in YAML."""
