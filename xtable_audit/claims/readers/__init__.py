"""Claims about planners and readers: the files they plan and read, and the rows they return."""
