"""Spark's HASH of a text or an integer: murmur3 by the seed 42, whose last bytes are mixed one by one."""

SEED, BITS = 42, 0xFFFFFFFF


def spark_hash(value: str | int) -> int:
    """As an unsigned 32-bit number. An integer counts as one of 32 bits."""
    content = value.encode() if isinstance(value, str) else value.to_bytes(4, "little", signed=True)
    whole = len(content) // 4 * 4
    words = [int.from_bytes(content[at : at + 4], "little") for at in range(0, whole, 4)]
    words += [byte - 256 if byte > 127 else byte for byte in content[whole:]]  # Java's bytes have a sign
    found = SEED
    for word in words:
        mixed = _turned((word & BITS) * 0xCC9E2D51 & BITS, 15) * 0x1B873593 & BITS
        found = (_turned(found ^ mixed, 13) * 5 + 0xE6546B64) & BITS
    found ^= len(content)
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35), (16, 1)):
        found = (found ^ (found >> shift)) * factor & BITS
    return found


def _turned(number: int, by: int) -> int:
    return (number << by | number >> (32 - by)) & BITS
