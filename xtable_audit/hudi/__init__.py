"""Hudi's own skipping, judged: what its indexes say of a table, and what its reader leaves out by them."""
