"""The bundled personas, one file each."""
