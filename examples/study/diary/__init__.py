"""Rook, a diary that is spoken to: it makes, moves and cancels appointments, and tells them."""
