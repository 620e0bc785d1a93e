"""Has a real XTable release translate a table, says honestly how it went, and replays what releases once wrote."""
