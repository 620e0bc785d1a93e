"""Hudi's metadata table, read from its own bytes: HFiles, logs of HFiles, and the Avro records in them."""
