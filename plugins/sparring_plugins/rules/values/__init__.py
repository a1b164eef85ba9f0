"""What expressions work with at run time: records of conversations, guarded operations, errors."""
