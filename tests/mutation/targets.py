"""What is mutated, and who is responsible for noticing it."""

import re

from attrs import frozen


@frozen
class Target:
    """Functions of one module, and the tests that must fail if one of them is wrong."""

    path: str
    functions: str
    """A regular expression for their whole names."""
    tests: tuple[str, ...]

    def wants(self, function: str) -> bool:
        return re.fullmatch(self.functions, function) is not None


def _modules(folder: str, names: str, *tests: str) -> tuple[Target, ...]:
    """All functions of some modules of a folder."""
    return tuple(Target(f"{folder}/{name}.py", r"(?!.*__str__).*", tests) for name in names.split())


_SLOW = ("test_no_proof_is_wrong", "test_loops_in_loops_do_not_multiply_what_is_needed")
VERIFY = "tests/ir/verify/test_verify.py tests/ir/verify/test_certificates.py" + "".join(
    f" --deselect tests/ir/verify/test_verify.py::{name}" for name in _SLOW
)
"""Random corruptions notice what a program of its own should."""

_MANY = ("test_random_pairs_of_rank_3", "test_random_questions_with_unknown_sizes")
DISJOINT = "tests/ir/logic/test_disjoint.py" + "".join(
    f" --deselect tests/ir/logic/test_disjoint.py::{name}" for name in _MANY
)
"""The same of random questions."""

TARGETS: dict[str, tuple[Target, ...]] = {
    "types": (
        *_modules(
            "ir/check",
            "__init__ arrays assigned context fun imp mem scalar",
            "tests/ir/check/test_check.py",
        ),
        # it also notes where a copy is missing
        *_modules(
            "ir/check",
            "uniqueness",
            "tests/ir/check/test_check.py",
            "tests/passes/core/test_to_fun.py",
            "tests/passes/core/test_shared.py -k arrays_are_values",
        ),
    ),
    "core-types": _modules(
        "ir/check/core",
        "__init__ context expressions postconditions premises",
        "tests/ir/check/test_core.py",
    ),
    "verify": _modules(
        "ir/verify",
        "accesses blocks races",
        "tests/ir/verify/test_races.py",
        "tests/ir/verify/test_verify.py --deselect "
        "tests/ir/verify/test_verify.py::test_no_proof_is_wrong",
    ),
    "verify-homes": _modules("ir/verify", "homes", "tests/ir/verify/test_homes.py", VERIFY),
    "verify-coherent": _modules(
        "ir/verify", "coherent record", "tests/ir/verify/test_homes.py", VERIFY
    ),
    "verify-reads": _modules("ir/verify", "reads written", "tests/ir/verify/test_reads.py", VERIFY),
    "verify-clobber": _modules(
        "ir/verify",
        "clobber rename",
        "tests/ir/verify/test_clobber.py tests/ir/verify/test_races.py",
        VERIFY,
        f"tests/ir/verify/test_verify.py -k {_SLOW[1]}",
    ),
    "verify-moves": _modules(
        "ir/verify",
        "moves spot",
        "tests/ir/verify/test_homes.py tests/ir/verify/test_clobber.py "
        "tests/ir/verify/test_ladder.py",
        VERIFY,
    ),
    "verify-ladder": _modules(
        "ir/verify",
        "ladder monotone origins",
        "tests/ir/verify/test_ladder.py tests/ir/verify/test_homes.py "
        "tests/ir/verify/test_clobber.py",
    ),
    "verify-scene": _modules(
        "ir/verify",
        "scene",
        "tests/ir/verify/test_scene.py tests/ir/verify/test_maxima.py "
        "tests/ir/verify/test_homes.py "
        "tests/ir/verify/test_clobber.py",
        VERIFY,
    ),
    "verify-maxima": _modules("ir/verify", "maxima", "tests/ir/verify/test_maxima.py", VERIFY),
    "verify-distinct": _modules(
        "ir/verify",
        "distinct cases terms prefix signs",
        "tests/ir/verify/test_distinct.py -k proved",
        VERIFY,
    ),
    "disjoint": _modules(
        "ir/logic/disjoint",
        "separate integers sums instances division aggregate query",
        "tests/ir/logic/test_disjoint_exact.py",
        DISJOINT,
    ),
    "prove": _modules(
        "ir/logic",
        "prove branches",
        "tests/ir/logic/test_prove.py tests/ir/logic/test_branches.py",
        "tests/passes/test_growth.py",
    ),
    "invariants": _modules("ir/logic", "invariants", "tests/ir/logic/test_invariants.py"),
    "facts": _modules("ir/logic", "facts may_trap", "tests/ir/logic/test_facts.py"),
    "uninitialised": _modules(
        "ir/logic", "uninitialised", "tests/ir/logic/test_facts.py tests/passes/fun/test_nest.py"
    ),
    "simplify": _modules(
        "passes/fun/simplify",
        "assertions dead",
        "tests/passes/fun/test_simplify.py tests/passes/fun/test_assertions.py "
        "tests/passes/fun/test_assertions_outside.py",
        "tests/passes/test_seeded.py -k dead",
        "tests/passes/test_seeded.py -k assertion",
    ),
    "schedule": tuple(
        Target(
            f"passes/fun/schedule/{name}.py",
            functions,
            ("tests/passes/fun/test_schedule.py", "tests/passes/test_seeded.py -k schedule"),
        )
        for name, functions in {
            "rows": "of_rows_in_strips|_is_once|_has_shape",
            "strips": "in_strips|_commutes|is_plain|_may_trap|_type",
            "fold": "_may_alias|_consumes",
        }.items()
    ),
    "lmad": (Target("ir/lmad.py", r"(?!.*__str__).*", ("tests/ir/test_lmad.py",)),),
    "races": (Target("interp/races.py", r"(?!.*__str__).*", ("tests/interp/test_races.py",)),),
    "allocate": (
        Target(
            "passes/mem/allocate/conditions.py", r"[a-z].*", ("tests/passes/mem/test_allocate.py",)
        ),
    ),
    "hoist": (Target("passes/mem/hoist.py", r"[a-z].*", ("tests/passes/mem/test_hoist.py",)),),
    "double-buffer": _modules(
        "passes/mem/double_buffer",
        "carried copies initial promise reuse rotate",
        "tests/passes/mem/test_double_buffer.py",
        "tests/passes/mem/test_rotation.py",
        "tests/passes/test_seeded.py -k swap",
        "tests/passes/test_seeded.py -k rotate",
        "tests/passes/test_seeded.py -k initial",
        "tests/passes/test_seeded.py -k copy",
    ),
    "short-circuit": (
        Target(
            "passes/mem/short_circuit/conditions.py",
            r"[a-z].*",
            ("tests/passes/mem/test_short_circuit.py",),
        ),
        Target(
            "passes/mem/short_circuit/interference.py",
            r".*",
            ("tests/passes/mem/test_short_circuit.py", "tests/passes/test_seeded.py -k short"),
        ),
    ),
    "short-circuit-places": _modules(
        "passes/mem/short_circuit",
        "inside origins candidates branches rehome",
        "tests/passes/mem/test_short_circuit.py",
        "tests/passes/test_seeded.py -k short",
    ),
    "footprints": _modules(
        "passes/mem/short_circuit",
        "footprints",
        "tests/passes/mem/test_footprints.py tests/passes/mem/test_short_circuit.py",
        "tests/passes/test_seeded.py -k short",
    ),
    "liveness": _modules(
        "passes/mem", "liveness", "tests/passes/mem/test_liveness.py tests/passes/mem/test_merge.py"
    ),
    "sequentialise": _modules(
        "passes/mem",
        "sequentialise",
        "tests/passes/mem/test_sequentialise.py",
        "tests/passes/test_seeded.py -k sequential",
    ),
    "expand": (
        *_modules(
            "passes/mem/expand",
            "plan sizes",
            "tests/passes/mem/test_expand.py tests/passes/mem/test_expand_sizes.py "
            "tests/passes/mem/test_expand_conditions.py",
        ),
        *_modules("ir/logic", "saturated", "tests/passes/mem/test_expand_sizes.py"),
    ),
    "coalesce": (
        Target(
            "passes/mem/coalesce/conditions.py", r"[a-z].*", ("tests/passes/mem/test_coalesce.py",)
        ),
    ),
    "merge": (
        Target("passes/mem/merge/conditions.py", r"[a-z].*", ("tests/passes/mem/test_merge.py",)),
    ),
    "merge-needed": _modules(
        "passes/mem/merge",
        "lifetimes threads chosen",
        "tests/passes/mem/test_merge.py tests/passes/mem/test_merge_results.py",
        "tests/passes/test_seeded.py -k merge",
    ),
    "merge-peak": _modules(
        "passes/mem/merge",
        "peak_guard moments sizes readers",
        "tests/passes/mem/test_merge_readers.py tests/passes/mem/test_merge_sizes.py",
        "tests/passes/mem/test_merge.py tests/passes/mem/test_merge_results.py",
        "tests/passes/test_seeded.py -k merge",
    ),
    "fuse": (
        Target("passes/fun/fuse/conditions.py", r"[a-z].*", ("tests/passes/fun/test_fuse.py",)),
    ),
    # which dimension is tried first is a matter of taste
    "unroll-and-jam": (
        Target(
            "passes/imp/unroll_and_jam.py",
            r"(?!_kernel).*",
            ("tests/passes/imp/test_unroll_and_jam.py",),
        ),
    ),
    "pack": _modules("passes/imp", "pack", "tests/passes/imp/test_pack.py"),
    "tile": _modules("passes/imp", "tile peel decided", "tests/passes/imp/test_tile.py"),
    "loop-versioning": _modules(
        "passes/imp", "loop_versioning", "tests/passes/imp/test_loop_versioning.py"
    ),
    "vectorise": (
        Target(
            "passes/imp/vectorise/__init__.py",
            "no_own_blocks|uniform_checks|_late",
            ("tests/passes/imp/test_vectorise.py",),
        ),
        *_modules(
            "passes/imp/vectorise", "masked split varying", "tests/passes/imp/test_vectorise.py"
        ),
    ),
    "nest": (
        Target("passes/fun/nest/conditions.py", r"[a-z].*", ("tests/passes/fun/test_nest.py",)),
    ),
}
"""By the name that the command takes."""
