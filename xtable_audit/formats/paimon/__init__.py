"""Paimon tables, as sources: by their snapshots, schemas and manifests, which Paimon keeps in the table's folder."""
