"""The upgrade gate: one audit with each release, one with an upgrade in place, held against each other."""
