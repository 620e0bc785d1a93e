"""The one exception for metadata or data files that cannot be read."""


class Malformed(Exception):
    """A file of the table cannot be read. The text names the file and the reason, in one sentence."""

    def __init__(self, location: str, reason: str) -> None:
        super().__init__(location, reason)
        self.location = location
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.location} {self.reason}"


def first_line(error: BaseException) -> str:
    """The first line of an error's text, or its type where it has none."""
    text = str(error).strip()
    return text.splitlines()[0].strip() if text else type(error).__name__
