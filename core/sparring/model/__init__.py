"""What is stored and travels: frozen pydantic values, nothing that acts."""
