"""What translators other than XTable make of the same source tables."""
