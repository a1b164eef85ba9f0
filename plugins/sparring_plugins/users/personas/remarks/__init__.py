"""What personas say besides what they want, one file per language."""
