"""What a source's own log does not tell."""


class Undetermined(Exception):
    """The source's log does not determine its state. The message is a clause that says why."""
