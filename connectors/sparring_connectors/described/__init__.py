"""What connectors share whose apps are described in YAML: templates, replies, secrets, TLS."""
