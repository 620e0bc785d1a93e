"""Ids of the healthy tables."""

RECORDED = tuple(f"good_layout-{release}-incubating" for release in ("0.4.0", "0.3.0", "0.2.0"))
XTABLE = RECORDED[0]
SHOWN = ("shown", "keyed")
OF_DELETES = ("deleted", "vectors", "counted")
HEALTHY = ("typed", *OF_DELETES, *SHOWN, "spread", "history", "native_iceberg", "good_layout-control", *RECORDED)
NEGATIVE = ("bad_layout-0.4.0-incubating", "bad_layout-control")
