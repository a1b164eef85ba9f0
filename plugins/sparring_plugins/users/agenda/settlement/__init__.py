"""Which goals a reply meets, closes or opens again."""
