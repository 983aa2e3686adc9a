"""Mutants that mean the same, each with the reason why no test can tell them apart."""

EQUIVALENT: dict[str, str] = {}
"""By :attr:`~tests.mutation.operators.Mutant.key`."""
