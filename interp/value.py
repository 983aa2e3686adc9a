"""The value interpreter of FUN (fig. 4, completed): the definition of a program's meaning.

    E ⊢ e ⇓ (v, …)     exp, kernel     an expression's values
    E ⊢ s ⇓ E'                         statements and control: control.py

FUNMEM programs are erased first (fig. 9).  Arrays are values: an update makes a copy (arrays.py).
"""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias, cast

from funmem.interp import arrays, traps
from funmem.interp.control import Bind, Control
from funmem.interp.scope import entry_named
from funmem.interp.traps import Shape
from funmem.ir.diagnostics import Span, Stuck
from funmem.ir.erase import erase_entry
from funmem.ir.foreign_calls import NO_FUNCTIONS, Table
from funmem.ir.fun import (
    Alloc,
    Ann,
    ArrayLit,
    ArrayType,
    Assert,
    Bin,
    Binder,
    Call,
    Compound,
    Concat,
    Const,
    Convert,
    Copy,
    Entry,
    Exp,
    FlatSlice,
    Hist,
    Index,
    Iota,
    Kernel,
    Lambda,
    Map,
    Permute,
    Program,
    RaggedKernel,
    Reduce,
    Replicate,
    Reshape,
    Reverse,
    Scan,
    Scatter,
    Scratch,
    Slice,
    Stm,
    Un,
    Update,
    Var,
)
from funmem.ir.functions import table
from funmem.ir.lmad import Lmad
from funmem.ir.names import Name
from funmem.ir.scalars import I64
from funmem.ir.signature import signature
from funmem.ir.values import ArgValue, ArrayValue, Value, bind

Values: TypeAlias = tuple[Value, ...]
GetValue: TypeAlias = Callable[[], Value]
GetValues: TypeAlias = Callable[[], Values]
Apply: TypeAlias = Callable[[Iterable[Value]], Values]
Collect: TypeAlias = Callable[[Sequence[Value], Shape], Value]


def run(
    program: Program[Ann],
    entry_name: str,
    args: Sequence[ArgValue],
    foreign: Table = NO_FUNCTIONS,
) -> Values:
    """Return the results of an entry point, in order, without implicit ones.

    ``foreign`` has the foreign functions.  Raises UsageError if there is no such entry point or no
    such function, InputError if the arguments do not fit, Trap if the program traps, Stuck if it is
    not well typed.
    """
    entry = erase_entry(entry_named(program, entry_name))
    sizes, values = bind(signature(entry), args)
    evaluator = Evaluator()
    evaluator.functions, evaluator.foreign = table(program), foreign
    return evaluator.entry(entry, [sizes[b.name] for b in entry.implicit], values)


class Evaluator(Control[Value]):
    """One run of an entry point."""

    def __init__(self) -> None:
        super().__init__()
        self._arrays = cast(dict[Name, ArrayValue], self.values)

    def entry(self, e: Entry[None], sizes: Sequence[int], args: Sequence[Value]) -> Values:
        """E-PROG: return the body's values, with sizes and parameters bound to the arguments."""
        return self.resolved(e)(sizes, args)

    def resolved(self, e: Entry[None]) -> Callable[[Sequence[int], Sequence[Value]], Values]:
        """Return a function that runs the entry point on sizes and arguments."""
        bind_args = self.binds([*e.implicit, *(p.binder for p in e.params)], e.at)
        body = self.body(e.body)
        bind_results = self.binds([*e.implicit_results, *e.results], e.at)
        hidden = len(e.implicit_results)

        def run_entry(sizes: Sequence[int], args: Sequence[Value]) -> Values:
            bind_args([*sizes, *args])
            results = body()
            bind_results(results)
            return results[hidden:]

        return run_entry

    def array(self, x: Name) -> Callable[[], ArrayValue]:
        """Return a function that gives the array of a name."""
        self.array_type(x)
        values = self._arrays
        return lambda: values[x]

    def binds(self, pat: Sequence[Binder[Ann]], at: Span) -> Bind[Value]:
        """Return a function that binds values to names, and checks the shapes of arrays.

        It raises Stuck if a shape differs from its type, which a well-typed program rules out.
        """
        for b in pat:
            self.types[b.name] = b.type
        names = [b.name for b in pat]
        shaped = [(b.name, self.sizes(t.shape)) for b in pat if isinstance(t := b.type, ArrayType)]
        values, found = self.values, self._arrays

        def bind_scalars(vs: Iterable[Value]) -> None:
            values.update(zip(names, vs, strict=True))

        def bind_all(vs: Iterable[Value]) -> None:
            values.update(zip(names, vs, strict=True))
            for x, shape in shaped:
                if found[x].data.shape != shape():
                    wanted = traps.show_shape(shape())
                    raise Stuck(f"{at}: `{x}` is {found[x]}, its type says {wanted}")

        return bind_all if shaped else bind_scalars

    # -- expressions with one result

    def exp(self, e: Exp[Ann], s: Stm[Ann]) -> GetValue:
        """Resolve an expression with one result."""
        at = s.at
        match e:
            case Const() | Bin() | Un() | Convert():  # E-SCALAR
                return self.scalar(e)[0]
            case Var():
                return self.atom(e)
            case Index(x, dims):  # E-INDEX
                array, where = self.array(x), self.sizes(dims)
                return lambda: arrays.index(array(), where(), at)
            case Slice(x, slice_dims):  # E-SLICE
                array, ranges = self.array(x), self.slice(slice_dims)
                text = self.slice_text(x, slice_dims)
                return lambda: arrays.slice_(array(), ranges(), text, at)
            case Permute(perm, x):  # E-TRANSPOSE
                array = self.array(x)
                return lambda: arrays.permute(array(), perm)
            case Reshape(dims, x):  # E-RESHAPE
                array, shape = self.array(x), self.sizes(dims)
                return lambda: arrays.reshape(array(), shape(), at)
            case Reverse(dim, x):  # E-REVERSE
                array = self.array(x)
                return lambda: arrays.reverse(array(), dim)
            case FlatSlice(x, offset, lmad_dims):  # E-FLAT
                array, lmad = self.array(x), self.lmad(Lmad(offset, lmad_dims))
                return lambda: arrays.flat_slice(array(), *lmad(), at)
            case Iota(n, start_atom, stride_atom):  # E-IOTA
                length, ends = self.size(n), self.int_atoms(start_atom, stride_atom)
                elem = self.scalar(start_atom)[1]
                return lambda: arrays.iota(length(), ends(), elem, at)
            case Replicate(dims, atom):  # E-REPLICATE
                shape, value, elem = self.sizes(dims), self.atom(atom), self.elem_of(atom)
                return lambda: arrays.replicate(value(), elem, shape(), at)
            case ArrayLit(elems, elem, row_dims):  # E-LITERAL
                cells, row, count = self.atoms(elems), self.new_sizes(row_dims, at), (len(elems),)
                return lambda: arrays.gather(cells(), count, row(), elem)
            case Copy(x):  # E-COPY
                return self.array(x)
            case Concat(dim, xs):  # E-CONCAT
                parts = [self.array(x) for x in xs]
                return lambda: arrays.concat([part() for part in parts], dim)
            case Scratch(dims, elem):  # E-SCRATCH
                shape = self.sizes(dims)
                return lambda: arrays.scratch(shape(), elem, at)
            case Update(x, where, atom):  # E-UPDATE
                array, value = self.array(x), self.atom(atom)
                if isinstance(where, Lmad):
                    lmad = self.lmad(where)
                    return lambda: arrays.flat_update(array(), *lmad(), value(), at)
                ranges, text = self.slice(where), self.slice_text(x, where)
                return lambda: arrays.update(array(), ranges(), value(), text, at)
            case Scatter(x, places, vs):  # E-SCATTER
                array, targets, new = self.array(x), self.array(places), self.array(vs)
                return lambda: arrays.scatter(array(), targets(), new(), at)
            case Call() | Compound() | Assert() | Alloc():
                raise Stuck(f"{type(e).__name__} where an expression with one result is expected")

    # -- foreign code

    def whole(self, x: Value, at: Span) -> Value:
        return ArrayValue(arrays.known(x, at)) if isinstance(x, ArrayValue) else x

    def filled(self, s: Stm[Ann]) -> Callable[[int, Value], Value]:
        del s
        return lambda _, v: v

    # -- kernels

    def kernel(self, e: Kernel[Ann], s: Stm[Ann]) -> GetValues:
        """Resolve a kernel: iterations in row-major order, and its collective."""
        nest = _Nest(self, e, s)
        match e.collective:
            case Map():  # E-KERNEL
                return nest.map()
            case Reduce(op, ne, _):  # E-REDUCE
                return nest.fold(self.function(op, s.at), self.atoms(ne), len(ne), each=False)
            case Scan(op, ne):  # E-SCAN
                return nest.fold(self.function(op, s.at), self.atoms(ne), len(ne), each=True)
            case Hist(dest, op, _):  # E-HIST
                return nest.hist(self.function(op, s.at), [self.array(x) for x in dest])

    def ragged_kernel(self, e: RaggedKernel[Ann], s: Stm[Ann]) -> GetValues:
        """Resolve a kernel over rows: row by row, the elements of each row in order."""
        rows = _Rows(self, e, s)
        match e.collective:
            case Map():  # E-ROWS-MAP
                return rows.run(None, lambda: (), 0, each=True)
            case Reduce(op, ne, _):  # E-ROWS-REDUCE
                return rows.run(self.function(op, s.at), self.atoms(ne), len(ne), each=False)
            case Scan(op, ne):  # E-ROWS-SCAN
                return rows.run(self.function(op, s.at), self.atoms(ne), len(ne), each=True)

    def function(self, op: Lambda[Ann], at: Span) -> Apply:
        """Return a function that applies the operator of a collective."""
        bind_params, body = self.binds(op.params, at), self.body(op.body)

        def call(args: Iterable[Value]) -> Values:
            bind_params(args)
            return body()

        return call

    def collector(self, b: Binder[Ann], outer_rank: int, at: Span) -> Collect:
        """Return a function that makes a binder's value from its cells over outer dimensions."""
        if not outer_rank or not isinstance(b.type, ArrayType):
            return lambda cells, _: cells[0]
        elem, inner = b.type.elem, self.new_sizes(b.type.shape[outer_rank:], at)
        return lambda cells, outer: arrays.gather(cells, outer, inner(), elem)


class _Nest:
    """Resolves one kernel to a function that runs its iterations."""

    def __init__(self, scope: Evaluator, e: Kernel[Ann], s: Stm[Ann]) -> None:
        self.scope, self.at = scope, s.at
        self.pat = s.pat
        names = [d.index for d in e.dims]
        self.rank = len(names)
        self.sizes = scope.new_sizes([d.size for d in e.dims], s.at)
        self.all = scope.indices(names)
        self.outer, self.inner = scope.indices(names[:-1]), scope.indices(names[-1:])
        self.body = scope.body(e.body)

    def collectors(self, first: int, rank: int) -> list[Collect]:
        """Return a collector for each result from the ``first`` on, over ``rank`` dimensions."""
        return [self.scope.collector(b, rank, self.at) for b in self.pat[first:]]

    def map(self) -> GetValues:
        """No collective: every result of the body, over all dimensions."""
        sizes, body = self.sizes, self.body
        indices, collect = self.all, self.collectors(0, self.rank)

        def run_map() -> Values:
            whole = sizes()
            rows = [body() for _ in indices(whole)]
            columns = list(zip(*rows, strict=True)) if rows else [()] * len(collect)
            return _collect(collect, columns, whole)

        return run_map

    def fold(self, op: Apply, start: GetValues, k: int, *, each: bool) -> GetValues:
        """Accumulates the first ``k`` results along the innermost dimension, from the left; keeps
        the accumulators of ``each`` iteration (scan) or those at the end of a row (reduce).
        """
        sizes, body = self.sizes, self.body
        outer, inner, rank = self.outer, self.inner, self.rank
        fold_all = self.collectors(0, rank if each else rank - 1)[:k]
        map_all = self.collectors(k, rank)

        def run_fold() -> Values:
            whole = sizes()
            folded = [list[Value]() for _ in fold_all]
            mapped = [list[Value]() for _ in map_all]
            for _ in outer(whole[:-1]):
                acc = start()
                for _ in inner(whole[-1:]):
                    row = body()
                    acc = op(acc + row[:k])
                    _append(mapped, row[k:])
                    if each:
                        _append(folded, acc)
                if not each:
                    _append(folded, acc)
            over = whole if each else whole[:-1]
            return (*_collect(fold_all, folded, over), *_collect(map_all, mapped, whole))

        return run_fold

    def hist(self, op: Apply, dest: Sequence[Callable[[], ArrayValue]]) -> GetValues:
        """Accumulates each iteration's values in the bucket that its first result names."""
        sizes, body, at, k = self.sizes, self.body, self.at, len(dest)
        outer, inner = self.outer, self.inner
        map_all = self.collectors(k, self.rank)

        def run_hist() -> Values:
            whole = sizes()
            buffers = [arrays.Buffer(get()) for get in dest]
            mapped = [list[Value]() for _ in map_all]
            for row in outer(whole[:-1]):
                for _ in inner(whole[-1:]):
                    bucket, *vs = body()
                    place = (*row, cast(int, bucket))
                    if all(b.has(place) for b in buffers):
                        new = op([*(b.get(place, at) for b in buffers), *vs[:k]])
                        for b, v in zip(buffers, new, strict=True):
                            b.put(place, v)
                    _append(mapped, vs[k:])
            return (*(b.freeze() for b in buffers), *_collect(map_all, mapped, whole))

        return run_hist


class _Rows:
    """Resolves one kernel over rows to a function that runs its iterations."""

    def __init__(self, scope: Evaluator, e: RaggedKernel[Ann], s: Stm[Ann]) -> None:
        self.scope, self.pat, self.at = scope, s.pat, s.at
        self.sizes = scope.new_sizes([e.row.size, e.total], s.at)
        self.offsets = scope.array(e.offsets)
        scope.types[e.row.index] = scope.types[e.index] = I64
        self.row, self.index = e.row.index, e.index
        self.body = scope.body(e.body)

    def run(self, op: Apply | None, start: GetValues, k: int, *, each: bool) -> GetValues:
        """Fold the first ``k`` results along each row, from the left; keep the accumulators of
        ``each`` element, or those at the end of a row.
        """
        collect = [self.scope.collector(b, 1, self.at) for b in self.pat]
        sizes, offsets, body, at = self.sizes, self.offsets, self.body, self.at
        values = self.scope.values
        row, index = self.row, self.index

        def run_rows() -> Values:
            n, m = sizes()
            ends = arrays.known(offsets(), at).tolist()
            traps.offsets_of_rows(ends, m, at)
            columns = [list[Value]() for _ in collect]
            for i in range(n):
                values[row] = i
                acc = start()
                for j in range(ends[i], ends[i + 1]):
                    values[index] = j
                    results = body()
                    if op is not None:
                        acc = op(acc + results[:k])
                    _append(columns[0 if each else k :], (*acc, *results[k:])[0 if each else k :])
                if not each:
                    _append(columns[:k], acc)
            lengths = [n if j < k and not each else m for j in range(len(collect))]
            return tuple(
                c(column, (length,))
                for c, column, length in zip(collect, columns, lengths, strict=True)
            )

        return run_rows


def _append(columns: Sequence[list[Value]], row: Sequence[Value]) -> None:
    for column, v in zip(columns, row, strict=True):
        column.append(v)


def _collect(collect: Sequence[Collect], columns: Sequence[Sequence[Value]], n: Shape) -> Values:
    return tuple([c(column, n) for c, column in zip(collect, columns, strict=True)])
