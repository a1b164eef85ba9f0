"""Weak acts: plans for sentences that no strict form reads, made on the page in view."""
