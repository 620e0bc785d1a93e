"""One table of a user's own: every claim that needs no source, metadata first, then values; and the document of it."""
