"""What a source's own log does not tell."""


class NotTold(Exception):
    """A state of the source cannot be told from its log. The message is a clause that says why."""
