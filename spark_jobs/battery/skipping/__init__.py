"""skip_*: tables of the laboratory of Hudi's own skipping, which no translator reads."""
