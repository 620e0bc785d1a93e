"""The one exception for everything that the user can correct."""

from xtable_audit.model.printable import printable


class Problem(Exception):
    """Bad input or a missing part, in one clear sentence that says what to do.

    Raised instead of a stack trace for everything a user can correct: a missing bucket, an unknown
    release, a broken file, no JDK. `str(problem)` is shown as it is, without control characters and credentials.
    """

    def __str__(self) -> str:
        return printable(super().__str__(), lines=True)


def last_line(output: str, otherwise: str = "it says nothing") -> str:
    """What a program that failed says last, which is mostly why; `otherwise` if it says nothing."""
    return (output.strip().splitlines() or [otherwise])[-1]


class Unreachable(Problem):
    """A store or a catalog does not answer, or refuses the credential: trying again may help, other input may not."""
