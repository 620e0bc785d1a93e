"""report.html: one document as a page that needs no script, no network and no other file."""
