"""The dataset battery: many small source tables, each with its history, all written by one Spark process."""
