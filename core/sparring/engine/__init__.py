"""Ask, play, judge, tell, report."""
