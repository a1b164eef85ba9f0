"""Libraries of general rules: one folder each, found by the group `sparring.rule_libraries`."""
