"""The six interfaces, and what their implementations share."""
