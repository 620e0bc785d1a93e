"""The one exception for everything that the user can correct."""


class Problem(Exception):
    """Bad input or a missing part, in one clear sentence that says what to do.

    Raised instead of a stack trace for everything a user can correct: a missing bucket, an unknown
    release, a broken file, no JDK. `str(problem)` is shown as it is.
    """
