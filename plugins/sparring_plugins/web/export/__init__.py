"""Test cases written in the words of other tools."""
