"""Mutants that mean the same, each with the reason why no test can tell them apart."""

EQUIVALENT: dict[str, str] = {
    "ir/lmad.py::_groups: 1 -> 0 in "
    "`cuts = {product(lens[:k]): k for k in range(len(lens) + 1)}`": (
        "the last group reaches to the end in any case; only the stride of a dimension of length 1 "
        "may be another"
    ),
    "ir/lmad.py::_groups: 1 -> 0 in `for k in range(1, len(new)):`": (
        "no dimensions hold one element, and dimensions of length 1 were left out before: the cut "
        "is 0, where the first group begins"
    ),
    "passes/nest/conditions.py::consumes_own: aliases.of(x) <= own -> aliases.of(x) < own": (
        "the statement that consumes x binds a name, too, and x was there before that"
    ),
}
"""By :attr:`~tests.mutation.operators.Mutant.key`."""
