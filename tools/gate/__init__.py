"""The upgrade gate: compares one audit with each release and one with an upgrade in place."""
