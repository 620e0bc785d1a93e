"""Planners by name: the judge's own, and those of formats."""

PLANNERS = JUDGE, PYICEBERG, JAVA, DELTALAKE = "judge", "pyiceberg", "java", "deltalake"
