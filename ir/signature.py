"""The signature of an entry point: the types of its parameters and results; without numpy."""

from funmem.ir.fun import Ann, ArrayType, Entry, MemType
from funmem.ir.imp import ImpEntry, Port, ScalarPort
from funmem.ir.names import Name
from funmem.ir.record import frozen
from funmem.ir.scalars import I64, ScalarType


@frozen
class Parameter:
    """A parameter or result as the caller sees it.

    In a program written in IMP, an array is named after its block.
    """

    name: Name
    type: ScalarType | ArrayType


@frozen
class Signature:
    """The parameters and results of an entry point; ``sizes`` are the i64 that arrays carry."""

    name: Name
    sizes: tuple[Name, ...]
    params: tuple[Parameter, ...]
    results: tuple[Parameter, ...]


def signature(entry: Entry[Ann] | ImpEntry) -> Signature:
    """Return the signature of an entry point: the same at every stage of the pipeline."""
    match entry:
        case ImpEntry(name, sizes, params, _, results):
            return Signature(name, sizes, tuple(map(_port, params)), tuple(map(_port, results)))
        case Entry(name, implicit, fun_params, _, fun_results, _):
            return Signature(
                name,
                tuple(b.name for b in implicit if b.type is I64),
                tuple(_visible(p.binder.name, p.binder.type) for p in fun_params),
                tuple(_visible(r.name, r.type) for r in fun_results),
            )


def _port(p: Port) -> Parameter:
    if isinstance(p, ScalarPort):
        return Parameter(p.name, p.type)
    return Parameter(p.name, ArrayType(p.elem, p.shape))


def _visible(name: Name, t: ScalarType | ArrayType | MemType) -> Parameter:
    if isinstance(t, MemType):
        raise TypeError(f"`{name}` is a block: a caller cannot pass or receive it")
    return Parameter(name, t)
