"""Oracles: checks that a program still means the same after a pass or on an engine."""
