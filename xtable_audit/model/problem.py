"""The one exception for everything that the user can correct."""

from xtable_audit.model.printable import printable


class Problem(Exception):
    """Bad input or a missing part, in one clear sentence that says what to do.

    Raised instead of a stack trace for everything a user can correct: a missing bucket, an unknown
    release, a broken file, no JDK. `str(problem)` is shown as it is, without control characters and credentials.
    """

    def __str__(self) -> str:
        return printable(super().__str__(), lines=True)


class Unreachable(Problem):
    """A store or a catalog does not answer, or refuses the credential: trying again may help, other input may not."""
