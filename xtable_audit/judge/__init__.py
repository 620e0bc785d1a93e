"""Judges one claim on one subject, in one way for every kind of subject."""
