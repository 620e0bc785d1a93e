"""The report as a product: one document (audit.json, with its schema), and its renderings."""
