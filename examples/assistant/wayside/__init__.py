"""Wayside, an assistant in a car that finds places: it reads, searches and answers."""
