"""What each reader answers from metadata alone, as its requests show."""
