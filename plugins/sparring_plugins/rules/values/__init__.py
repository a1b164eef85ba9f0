"""The run time of expressions: records of conversations, guarded operations, errors."""
