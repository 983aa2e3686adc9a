"""(6) The destination is valid when it is written, before the copy has checked it.

    let y = x with [o : n] = b

traps if the slice leaves x.  Built in place, b is written before this check.  So the slice must be
provably inside x, or inside x's block, by the facts where b is made.  It also must not contain an
element twice, another trap of an update.  If x does not, neither does a slice inside x, unless a
stride is zero; but a slice that is only inside x's block may extend from row to row.

    let b = reshape [n][m] a

traps if a has a different number of elements.  Then the destination of b's elements may be too
small for a's.  So the numbers must be provably equal where a is made.
"""

from collections.abc import Iterable, Iterator

from funmem.ir.fun import Body, Home, Loop, Reshape, Update, Var
from funmem.ir.lmad import DimFix, DimRange, Lmad, Part, SliceDim
from funmem.ir.logic.derive import in_place_of, source_of
from funmem.ir.logic.disjoint import injective
from funmem.ir.logic.may_trap import why_reshape_traps
from funmem.ir.logic.prove import Facts, in_range, nonneg
from funmem.ir.names import Name
from funmem.ir.sizes import ONE, Size
from funmem.ir.traverse import bound_in_stms, free_in_body, inner_binders
from funmem.passes.mem.overlap import part_may_overlap, view_may_overlap
from funmem.passes.mem.short_circuit.candidates import Candidate, Kind
from funmem.passes.mem.short_circuit.view import View, names_of


def stays_inside(c: Candidate, first: int, view: View) -> str | None:
    """(6) The destination is inside its block, and contains no element twice, before the region's
    statement at ``first``, which makes the first array.

    This holds for a row of a kernel's result, since these are allocated before the threads start,
    and for an array that already exists.
    """
    if c.what.kind in (Kind.THREAD, Kind.LOOP):
        return None
    target = c.what.target
    facts = c.knowledge.at(first).facts
    for n in target.ix.shape:
        facts = facts.assuming(n - 1)  # without elements nothing is written
    where = c.stm.exp.where if isinstance(c.stm.exp, Update) else ()
    owner = _owner(c, first, facts, view)
    once = owner is not None and not part_may_overlap(where) and _shows_once(owner, view)
    if not once and not injective(target.ix, facts):
        return f"two elements of {target} may have one address"
    if owner is not None:
        return None
    if any(_in_vector(target, x, facts, view) for x in _neighbours(c, first, view)):
        return None
    return _in_block(target, facts, view, c.what.dest)


def reshapes_agree(c: Candidate, reshapes: Iterable[Reshape], first: int, view: View) -> str | None:
    """(6) The reshapes between the first array and the copy cannot trap, by the facts before the
    region's statement at ``first``: so the arrays cover the same places.
    """
    known = c.knowledge.at(first)
    agree = (why_reshape_traps(e.shape, e.x, view.shape(e.x), known) for e in reshapes)
    return next(filter(None, agree), None)


def _neighbours(c: Candidate, first: int, view: View) -> Iterator[Name]:
    """Yield vectors in the destination's block that exist before the region's statement at
    ``first``: the region uses them, or binds them itself before.  A vector bound in a branch or
    loop may not exist; then its length implies nothing about the block.
    """
    size, block = view.element_bytes(c.what.dest), c.what.target.block
    there = sorted([x for x, home in view.homes.items() if home.block == block])
    vectors = (x for x in there if view.homes[x].ix.strides == (ONE,))
    alike = (x for x in vectors if view.is_array(x) and view.element_bytes(x) == size)
    yield from (x for x in alike if _exists_before(x, c, first, view))


def _exists_before(x: Name, c: Candidate, first: int, view: View) -> bool:
    """True if the region uses a name that it does not bind, or binds it itself before the statement
    at ``first``.
    """
    if c.body is not view.entry.body:
        return x in free_in_body(Body(c.region, ())) | names_of(c.region[:first])
    bound = view.position(x)
    if bound < 0:
        return any(view.positions[s] < c.position for s in view.mentioning((x,)))
    return bound < first and any(p.name == x for p in c.body.stms[bound].pat)


def _owner(c: Candidate, first: int, facts: Facts, view: View) -> Name | None:
    """Return the array of which an update writes a slice, if it exists before the region's
    statement at ``first``, and if the slice is inside it.
    """
    e = c.stm.exp
    if not isinstance(e, Update):
        return None
    late = bound_in_stms(c.region[first:])
    x: Name | None = e.x
    while x is not None and x in late:
        x = _earlier(x, view)
    return x if x is not None and _in_array(e.where, x, facts, view) else None


def _earlier(x: Name, view: View) -> Name | None:
    """Return the array that became ``x`` by an update or a loop, if it has the same home."""
    s = view.made_by[x]
    match s.exp:
        case Loop(params):
            j = [p.name for p in (*s.pat, *inner_binders(s.exp))].index(x) % len(params)
            a = params[j].init
            assert isinstance(a, Var)
            earlier: Name | None = a.name
        case e:
            pairs = zip(s.pat, in_place_of(e), strict=False)
            earlier = next((y for p, y in pairs if p.name == x), None)
    return earlier if earlier and view.homes[earlier] == view.homes[x] else None


def _in_array(where: Part, x: Name, facts: Facts, view: View) -> bool:
    """True if a slice that has elements is inside an array, flat or in each dimension."""
    if not isinstance(where, Lmad):
        return all(_in(d, n, facts) for d, n in zip(where, view.shape(x), strict=True))
    (n,) = view.shape(x)
    ends = reach(where, facts)
    return not isinstance(ends, Size) and nonneg(ends[0], facts) and nonneg(n - 1 - ends[1], facts)


def _in(d: SliceDim, n: Size, facts: Facts) -> bool:
    """True if a dimension of a slice that has elements is inside one with n elements."""
    match d:
        case DimFix(at):
            return in_range(at, n, facts)
        case DimRange(start, length, stride):
            last = start + (length - 1) * stride
            if nonneg(stride, facts):
                return nonneg(start, facts) and nonneg(n - 1 - last, facts)
            if nonneg(-stride, facts):
                return nonneg(last, facts) and nonneg(n - 1 - start, facts)
            return in_range(start, n, facts) and in_range(last, n, facts)


def _in_block(target: Home, facts: Facts, view: View, dest: Name) -> str | None:
    """None if the first and the last element are inside the block; otherwise the reason why not."""
    size = view.block_bytes(target.block)
    if size is None:
        return f"the size of {target.block} is not known"
    ends = reach(target.ix, facts)
    if isinstance(ends, Size):
        return f"the sign of stride {ends} is not known"
    least, most = ends
    k = view.element_bytes(dest)
    if nonneg(least, facts) and nonneg(size - (most + 1) * k, facts):
        return None
    return f"{target} may lie outside of the block's {size} bytes"


def _in_vector(target: Home, x: Name, facts: Facts, view: View) -> bool:
    """True if the first and the last element are inside a vector of the same block."""
    ends, ix = reach(target.ix, facts), view.homes[x].ix
    if isinstance(ends, Size):
        return False
    last = ix.offset + ix.shape[0] - 1
    return nonneg(ends[0] - ix.offset, facts) and nonneg(last - ends[1], facts)


def reach(ix: Lmad, facts: Facts) -> tuple[Size, Size] | Size:
    """Return the least and the greatest address of an LMAD that has any; or a stride of unknown
    sign.
    """
    least = most = ix.offset
    for d in ix.dims:
        span = (d.len - 1) * d.stride
        if nonneg(d.stride, facts):
            most = most + span
        elif nonneg(-d.stride, facts):
            least = least + span
        else:
            return d.stride
    return least, most


def _shows_once(x: Name, view: View) -> bool:
    """True if an array's index function contains no element twice, by its definition: that of a
    fresh array does not.
    """
    while x in view.made_by and not view.is_put(x):
        e = view.made_by[x].exp
        y = source_of(e) or _earlier(x, view)
        if y is None or view_may_overlap(e):
            return False
        x = y
    return True
