"""Bugs of coalesce: copies of the wrong size or array, in the wrong place, too early, too late."""

from tests.seeded.bug import Caught, SeededBug

COALESCE = "funmem.passes.mem.coalesce"
CONDITIONS = f"{COALESCE}.conditions"
PIPELINE = "allocate,simplify,coalesce"

ROWS = [[1, 2], [3, 4], [5, 6]]
SQUARE = [[1, 2, 3], [4, 5, 6], [7, 8, 9]]


def program(name: str) -> str:
    """A program of tests/passes/mem/coalesce/, from tests/seeded/programs/."""
    return f"../../passes/mem/coalesce/{name}.fun"


BUGS: tuple[SeededBug, ...] = (
    SeededBug(
        name="coalesce-size",
        what="the copy's block has room for one row",
        module=COALESCE,
        old="size = product(c.type.shape) * c.type.elem.bytes",
        new="size = product(c.type.shape[1:]) * c.type.elem.bytes",
        pass_name="coalesce",
        pipeline=PIPELINE,
        program=program("rows"),
        args=(ROWS,),
        caught=Caught.OUTSIDE,
    ),
    SeededBug(
        name="coalesce-strides",
        what="the strides are exchanged as if all dimensions had one size",
        module=CONDITIONS,
        old="return ix.permute([order.index(d) for d in range(len(order))])",
        new="""return Lmad(ZERO, tuple(
        Dim(n, row_major(shape).strides[order.index(d)]) for d, n in enumerate(shape)
    ))""",
        pass_name="coalesce",
        pipeline=PIPELINE,
        program=program("rows"),
        args=(ROWS,),
        caught=Caught.RACE,
    ),
    SeededBug(
        name="coalesce-views",
        what="the rows that a thread reads stay where they were",
        module=COALESCE,
        old="(t,) = relocate(one, after, stay, self.fresh).stms",
        new="(t,) = one.stms",
        pass_name="coalesce",
        pipeline=PIPELINE,
        program=program("views"),
        args=(ROWS,),
        caught=Caught.TYPES,
        rule="T-MEM-SLICE",
    ),
    SeededBug(
        name="coalesce-other-array",
        what="the copy of another array in the same order is read",
        module=COALESCE,
        old="copy = made.get((c.array, order)) or self.reordered(c, order)",
        new="copy = next(iter(made.values()), None) or self.reordered(c, order)",
        pass_name="coalesce",
        pipeline=PIPELINE,
        program="coalesce_two.fun",
        args=(ROWS, [[7, 8], [9, 10], [11, 12]]),
        caught=Caught.VALUE,
    ),
    SeededBug(
        name="coalesce-too-early",
        what="what a loop changes is copied in front of the loop",
        module=COALESCE,
        old="if own is None or c.key[0] in own:",
        new="if own is None:",
        pass_name="coalesce",
        pipeline=PIPELINE,
        program=program("carried"),
        args=(2, SQUARE),
        caught=Caught.TYPES,
        rule="T-NAME",
    ),
    SeededBug(
        name="coalesce-other-branch",
        what="one branch reads the copy that the other one makes",
        module=COALESCE,
        old="made = {**made, c.key: c}",
        new="made[c.key] = c",
        pass_name="coalesce",
        pipeline=PIPELINE,
        program="coalesce_branches.fun",
        args=(False, ROWS),
        caught=Caught.TYPES,
        rule="T-NAME",
    ),
)
