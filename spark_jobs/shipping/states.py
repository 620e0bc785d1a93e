"""The fifty states, each with one range of three-digit ZIP prefixes that is its own.

The ranges are the US Postal Service's. A state's few prefixes far from its others are left out on purpose, as each
would stretch its bounds over other states: New York's 005 and 063, Massachusetts' 055 (within Vermont), Virginia's 201,
Georgia's 398 and 399, Texas' 733 (within Oklahoma) and 885. Florida ends before the armed forces' 340.
"""

from __future__ import annotations

PREFIXES: dict[str, tuple[int, int]] = {
    "AK": (995, 999),
    "AL": (350, 369),
    "AR": (716, 729),
    "AZ": (850, 865),
    "CA": (900, 961),
    "CO": (800, 816),
    "CT": (60, 69),
    "DE": (197, 199),
    "FL": (320, 339),
    "GA": (300, 319),
    "HI": (967, 968),
    "IA": (500, 528),
    "ID": (832, 838),
    "IL": (600, 629),
    "IN": (460, 479),
    "KS": (660, 679),
    "KY": (400, 427),
    "LA": (700, 714),
    "MA": (10, 27),
    "MD": (206, 219),
    "ME": (39, 49),
    "MI": (480, 499),
    "MN": (550, 567),
    "MO": (630, 658),
    "MS": (386, 397),
    "MT": (590, 599),
    "NC": (270, 289),
    "ND": (580, 588),
    "NE": (680, 693),
    "NH": (30, 38),
    "NJ": (70, 89),
    "NM": (870, 884),
    "NV": (889, 898),
    "NY": (100, 149),
    "OH": (430, 459),
    "OK": (734, 749),
    "OR": (970, 979),
    "PA": (150, 196),
    "RI": (28, 29),
    "SC": (290, 299),
    "SD": (570, 577),
    "TN": (370, 385),
    "TX": (750, 799),
    "UT": (840, 847),
    "VA": (220, 246),
    "VT": (50, 54),
    "WA": (980, 994),
    "WI": (530, 549),
    "WV": (247, 268),
    "WY": (820, 831),
}
"""First and last prefix of each state, by its two letters, in their order."""


def zip_range(state: str) -> tuple[int, int]:
    """The state's first and last ZIP code as numbers: no ZIP code ends in 00 here, so New York begins with 10001."""
    first, last = PREFIXES[state]
    return first * 100 + 1, last * 100 + 99
