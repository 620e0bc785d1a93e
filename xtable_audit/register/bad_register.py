"""The one exception for a register that cannot be used."""


class BadRegister(ValueError):
    """The register is invalid. The text names the entry, the error and the correction."""
