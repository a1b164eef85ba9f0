"""From rule files to rules with checked syntax."""
