"""Which errors of a translator the recorded tables would catch, and where."""
