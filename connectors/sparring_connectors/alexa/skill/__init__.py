"""What lies in a skill's folder: manifest, interaction models, handler."""
