"""From the source of a program to an engine that runs it."""
