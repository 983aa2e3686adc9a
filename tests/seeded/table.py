"""All seeded bugs."""

from tests.seeded import (
    bugs_allocate,
    bugs_coalesce,
    bugs_fuse,
    bugs_inline,
    bugs_lower,
    bugs_memory,
    bugs_merge,
    bugs_pack,
    bugs_peel,
    bugs_schedule,
    bugs_schedule_rows,
    bugs_short_circuit,
    bugs_simplify,
    bugs_unfill,
)
from tests.seeded.bug import SeededBug

BUGS: tuple[SeededBug, ...] = (
    *bugs_allocate.BUGS,
    *bugs_coalesce.BUGS,
    *bugs_fuse.BUGS,
    *bugs_inline.BUGS,
    *bugs_lower.BUGS,
    *bugs_memory.BUGS,
    *bugs_merge.BUGS,
    *bugs_pack.BUGS,
    *bugs_peel.BUGS,
    *bugs_schedule.BUGS,
    *bugs_schedule_rows.BUGS,
    *bugs_short_circuit.BUGS,
    *bugs_simplify.BUGS,
    *bugs_unfill.BUGS,
)
