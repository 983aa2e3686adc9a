"""Foreign functions on arrays, as functions on scalars: the elements cross one by one.

    ys, s = foreign f (k, xs)      h = f__new(); f__put0(h, x) for x in xs; s = f__run(h, k)
                                   ys = [f__get0(h, i) for i < f__length0(h)]; f__end(h)

``passes/core/foreign_arrays.py`` makes this of a call in Core.  The functions are effects, since
they change what the handle h stands for.  Here are the two ways to have both
forms: arrays by means of the functions, and the functions by means of a reference.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from attrs import field

from funmem.ir.foreign import ArrayFunction, Reference, end, get, length, new, put, run
from funmem.ir.fun import ArrayType
from funmem.ir.names import Name
from funmem.ir.record import define, frozen
from funmem.ir.scalars import ScalarType
from funmem.ir.signature import Parameter, Signature
from funmem.ir.sizes import var
from funmem.ir.values import ArgValue, ArrayValue, bind


@frozen(eq=False)
class OnArrays:
    """A function on arrays by means of its functions on scalars."""

    of: ArrayFunction
    table: Mapping[str, Reference]

    def __call__(self, *args: object) -> object:
        name, t = self.of.name, self.table
        h = t[new(name)]()
        pairs = list(zip(args, self.of.params, strict=True))
        for k, xs in enumerate(x for x, p in pairs if p.array):
            for x in cast(ArrayValue, xs).tolist():  # type: ignore[attr-defined]  # a numpy array
                t[put(name, k)](h, x)
        found = t[run(name)](h, *(x for x, p in pairs if not p.array))
        scalars = iter(found if isinstance(found, tuple) else () if found is None else (found,))
        results, k = [], 0
        for p in self.of.results:
            if p.array:
                n = cast(int, t[length(name, k)](h))
                results.append([t[get(name, k)](h, i) for i in range(n)])
                k += 1
            else:
                results.append(next(scalars))
        t[end(name)](h)
        return tuple(results)


@define(eq=False)
class OnScalars:
    """The functions on scalars by means of a reference on arrays."""

    of: ArrayFunction
    given: dict[int, list[list[object]]] = field(factory=dict)
    made: dict[int, list[list[object]]] = field(factory=dict)
    count: int = 0

    def functions(self) -> Iterator[tuple[str, Reference]]:
        """Yield the functions by name."""
        name = self.of.name
        yield new(name), self._new
        for k in range(sum(p.array for p in self.of.params)):
            yield put(name, k), lambda h, x, k=k: self.given[h][k].append(x)
        yield run(name), self._run
        for k in range(sum(p.array for p in self.of.results)):
            yield length(name, k), lambda h, k=k: len(self.made[h][k])
            yield get(name, k), lambda h, i, k=k: self.made[h][k][i]
        yield end(name), self._end

    def _new(self) -> int:
        self.count += 1
        self.given[self.count] = [[] for p in self.of.params if p.array]
        return self.count

    def _run(self, h: int, *scalars: object) -> object:
        arrays, rest = iter(self.given[h]), iter(scalars)
        args = [_array(next(arrays), p.type) if p.array else next(rest) for p in self.of.params]
        assert self.of.reference is not None
        found = self.of.reference(*args)
        results = found if isinstance(found, tuple) else (found,)
        pairs = list(zip(results, self.of.results, strict=True))
        self.made[h] = [list(cast(Sequence[object], x)) for x, p in pairs if p.array]
        return tuple(x for x, p in pairs if not p.array)

    def _end(self, h: int) -> None:
        del self.given[h], self.made[h]


def _array(elems: list[object], t: ScalarType) -> object:
    """Return a numpy array."""
    n = Name("n")
    param = Parameter(Name("x"), ArrayType(t, (var(n),)))
    _, (v,) = bind(Signature(Name("f"), (n,), (param,), ()), [cast(ArgValue, elems)])
    assert isinstance(v, ArrayValue)
    return v.data
