"""The signature of an entry point: the types of its parameters and results; without numpy."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from attrs import field

from funmem.ir.fun import Ann, ArrayType, Entry, MemType
from funmem.ir.imp import ImpEntry, Port, ScalarPort
from funmem.ir.interface import Interface, show
from funmem.ir.names import Name
from funmem.ir.ragged import offsets_of
from funmem.ir.record import frozen
from funmem.ir.scalars import I64, ScalarType


@frozen
class Parameter:
    """A parameter or result as the caller sees it.

    In a program written in IMP, an array is named after its block.
    """

    name: Name
    type: ScalarType | ArrayType

    @property
    def type_text(self) -> str:
        """The type as users of Python write it: ``f32[n, 3]``."""
        match self.type:
            case ArrayType(elem, shape):
                return f"{elem}[{', '.join(map(str, shape))}]"
            case ScalarType():
                return str(self.type)


@frozen
class Signature:
    """The parameters and results of an entry point; ``sizes`` are the i64 that arrays carry.

    ``interface``: how the source language's types are made of them; None if they are the same.
    """

    name: Name
    sizes: tuple[Name, ...]
    params: tuple[Parameter, ...]
    results: tuple[Parameter, ...]
    interface: Interface | None = field(default=None, eq=False)

    @property
    def typed(self) -> tuple[tuple[Name, str], ...]:
        """The parameters as the source language has them: names, and types as text."""
        if self.interface is None:
            return tuple([(p.name, p.type_text) for p in self.params])
        parts = _texts(self.params)
        return tuple([(x, show(t, parts)) for x, t in self.interface.params])

    @property
    def results_text(self) -> str:
        """The types of the results; those of several are in parentheses."""
        if self.interface is not None:
            return show(self.interface.result, _texts(self.results))
        results = ", ".join(r.type_text for r in self.results)
        return results if len(self.results) == 1 else f"({results})"

    @property
    def text(self) -> str:
        """The types without the name: ``(a: f32, x: f32[n]) -> f32[n]``."""
        params = ", ".join(f"{x}: {t}" for x, t in self.typed)
        return f"({params}) -> {self.results_text}"

    def __str__(self) -> str:
        return self.text


def offset_places(params: Sequence[Parameter]) -> frozenset[int]:
    """Return the positions of offsets, each of which is followed by its elements."""
    named = enumerate(pairwise(p.name for p in params))
    return frozenset(k for k, (a, b) in named if a == offsets_of(b))


def visible(params: Sequence[Parameter]) -> Iterator[tuple[Parameter, int]]:
    """Yield the parameters that callers see, each with its number of offsets, which they do not."""
    first, levels = offset_places(params), 0
    for k, p in enumerate(params):
        if k in first:
            levels += 1
        else:
            yield p, levels
            levels = 0


def _texts(params: Sequence[Parameter]) -> Iterator[str]:
    """Yield the types of the parts; sizes of rows of different lengths are left out."""
    for p, levels in visible(params):
        if levels and isinstance(p.type, ArrayType):
            yield f"{p.type.elem}{'[]' * (levels + len(p.type.shape))}"
        else:
            yield p.type_text


def signature(entry: Entry[Ann] | ImpEntry) -> Signature:
    """Return the signature of an entry point: the same at every stage of the pipeline."""
    match entry:
        case ImpEntry(name, sizes, params, _, results):
            return Signature(name, sizes, tuple(map(_port, params)), tuple(map(_port, results)))
        case Entry(name, implicit, fun_params, _, fun_results, _, _, interface):
            return Signature(
                name,
                tuple(b.name for b in implicit if b.type is I64),
                tuple(_visible(p.binder.name, p.binder.type) for p in fun_params),
                tuple(_visible(r.name, r.type) for r in fun_results),
                interface,
            )


def _port(p: Port) -> Parameter:
    if isinstance(p, ScalarPort):
        return Parameter(p.name, p.type)
    return Parameter(p.name, ArrayType(p.elem, p.shape))


def _visible(name: Name, t: ScalarType | ArrayType | MemType) -> Parameter:
    if isinstance(t, MemType):
        raise TypeError(f"`{name}` is a block: a caller cannot pass or receive it")
    return Parameter(name, t)
