"""The S3 under audit: one frozen description of it, the servers that can play it, and the log of its requests."""
