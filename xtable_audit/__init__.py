"""The judge: Arrow tables in, findings out. Knows no pytest, no Spark and no engine."""
