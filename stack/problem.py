"""The one exception for whatever the user can mend."""


class Problem(Exception):
    """Bad input or a missing part, told in one clear sentence that says what to do.

    Raised instead of a stack trace for everything a user can put right: a bucket that is not there, an unknown
    release, a broken file, no JDK. `str(problem)` is shown as it is.
    """
