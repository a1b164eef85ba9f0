"""The bundled connectors, a package each."""
