"""Ground floor: texts, numbers, dates, money, similarity, embeddings, word lists.

Imports no other room.
"""
