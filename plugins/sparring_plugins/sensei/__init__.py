"""SENSEI's file formats, reports and published tables."""
