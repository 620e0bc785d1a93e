"""Planners by name: the judge's own, and those of formats."""

JUDGE, PYICEBERG, JAVA, DELTALAKE = "judge", "pyiceberg", "java", "deltalake"
