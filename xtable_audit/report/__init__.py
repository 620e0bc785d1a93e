"""The report: one document (audit.json, with its schema) and its renderings."""
