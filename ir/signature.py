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
    """The parameters and results of an entry point; ``sizes`` are the i64 that arrays carry."""

    name: Name
    sizes: tuple[Name, ...]
    params: tuple[Parameter, ...]
    results: tuple[Parameter, ...]

    @property
    def results_text(self) -> str:
        """The types of the results; those of several are in parentheses."""
        results = ", ".join(r.type_text for r in self.results)
        return results if len(self.results) == 1 else f"({results})"

    @property
    def text(self) -> str:
        """The types without the name: ``(a: f32, x: f32[n]) -> f32[n]``."""
        params = ", ".join(f"{p.name}: {p.type_text}" for p in self.params)
        return f"({params}) -> {self.results_text}"

    def __str__(self) -> str:
        return self.text


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
