"""Kernels over rows of varying length: rules (S6) and (S7).

    kernel i < n, k in offs : m reduce (op) (ne) do v(i, k)                                 (S6)
    ->  s = kernel i < n do fold op over k = offs[i] … offs[i+1] - 1

One thread folds one row.  If a row is longer than ``piece`` elements, and has at least one of
``share`` equal parts of all, rows longer than a piece are cut into pieces, a thread folds each
piece, and the thread of the row folds its pieces.  The parts take one element for each piece, and
one offset for each row.  A smaller row delays its thread by less than the others need.  If ``op``
is commutative, a thread folds long rows and pieces in several accumulators (row_lanes.py).

    kernel i < n, k in offs : m do v(i, k)                                                  (S7)
    ->  chunks = kernel t < threads do
          i = the row of the chunk's first element, by binary search
          for each row i of the chunk: for each k of it: v(i, k)

Equal chunks of the elements are computed end to end, as in (S2): the rows' lengths do not matter.
The loop over rows counts the elements that it has written, so that a proof that it writes all needs
nothing about the offsets (ir/verify/cursors.py).
If v does not mention i, this is a kernel over the elements.  A scan first folds the end of each
chunk, from the start of its last row on: with that the next chunk continues the row.

The offsets are checked first: ``allocate`` and all later passes see ordinary kernels.  Inside
another kernel, and for elements that are arrays, rows are folded in order by the thread that has
them.
"""

from funmem.ir.fun import (
    Ann,
    ArrayType,
    Binder,
    KernelDim,
    Map,
    RaggedKernel,
    Reduce,
    Scan,
    Stm,
    Var,
)
from funmem.ir.record import evolve
from funmem.ir.sizes import var
from funmem.ir.substitute import substitution
from funmem.ir.traverse import map_lambda
from funmem.passes.fun.schedule.builder import Builder, of_rows
from funmem.passes.fun.schedule.fold import (
    operands,
    read_row,
)
from funmem.passes.fun.schedule.row_chunks import map_rows, scan_rows
from funmem.passes.fun.schedule.row_folds import in_pieces, row_per_thread
from funmem.passes.fun.schedule.row_parts import (
    Cut,
    Rows,
    checked,
)


def ragged(
    b: Builder, stm: Stm[Ann], kernel: RaggedKernel[Ann], threads: int, cut: Cut, *, inside: bool
) -> None:
    """Replace a kernel over rows; ``inside`` another kernel, its thread runs all iterations."""
    b.at = stm.at
    r = Rows(kernel, threads, cut, inside)
    longest = checked(b, r)
    if not stm.pat:  # a check alone
        return
    folded = 0 if isinstance(kernel.collective, Map) else len(kernel.collective.ne)
    if 0 < folded < len(stm.pat):
        stm, kernel = _maps_first(b, stm, r, folded)
        r = evolve(r, kernel=kernel)
    match kernel.collective:
        case Map():
            map_rows(b, stm.pat, r)
        case Scan() as scan:
            scan_rows(b, stm.pat, r, scan)
        case Reduce(op) as reduce:
            if inside or any(isinstance(t, ArrayType) for t in operands(op)):
                row_per_thread(b, stm.pat, r)
            else:
                in_pieces(b, stm.pat, r, reduce, longest)


def _maps_first(b: Builder, stm: Stm[Ann], r: Rows, k: int) -> tuple[Stm[Ann], RaggedKernel[Ann]]:
    """Compute the mapped results and the values that are folded; return the fold of these."""
    kernel, op = r.kernel, r.kernel.collective
    assert isinstance(op, Reduce | Scan)
    types = operands(op.op)
    values = tuple(Binder[Ann](b.fresh("value"), of_rows(t, kernel.total), None) for t in types)
    maps = Stm((*values, *stm.pat[k:]), evolve(kernel, collective=Map()), stm.at)
    assert isinstance(maps.exp, RaggedKernel)
    row, index = b.fresh(kernel.row.index), b.fresh(kernel.index)
    new = evolve(kernel, row=KernelDim(row, kernel.row.size), index=index)
    image = {kernel.row.index: Var(row)}
    new = evolve(new, collective=evolve(op, op=map_lambda(op.op, substitution(image))))
    map_rows(b, maps.pat, evolve(r, kernel=maps.exp))
    reader = b.inner()
    read = [
        read_row(reader, "v", x.name, t, var(index)) for x, t in zip(values, types, strict=True)
    ]
    body = reader.body(*map(Var, read))
    return Stm(stm.pat[:k], evolve(new, body=body), stm.at), evolve(new, body=body)
