"""The signatures of entry points as text: parameters and results.

:func:`funmem.ir.signature.signature` returns them as types.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from funmem.ir.fun import Ann, Entry, MemType, Program, Type
from funmem.ir.scalars import ScalarType
from funmem.ir.sizes import Size

if TYPE_CHECKING:
    from funmem.ir.imp import ImpEntry, Port
    from funmem.passes.framework import AnyProgram


class Named(NamedTuple):
    """A parameter or result: its name, and its type as text."""

    name: str
    type: str

    def __str__(self) -> str:
        return f"({self.name} : {self.type})"


class Head(NamedTuple):
    """The signature of an entry point: ``name [n] (x : [n]f32) -> (y : f32)``."""

    name: str
    sizes: tuple[str, ...]
    params: tuple[Named, ...]
    results: tuple[Named, ...]

    def __str__(self) -> str:
        sizes = [f"[{n}]" for n in self.sizes]
        return " ".join([self.name, *sizes, *map(str, self.params), "->", *map(str, self.results)])

    def to_json(self) -> dict[str, object]:
        """Return the signature for ``--json``."""
        return {
            "name": self.name,
            "sizes": list(self.sizes),
            "params": [p._asdict() for p in self.params],
            "results": [r._asdict() for r in self.results],
        }


def heads(program: AnyProgram) -> tuple[Head, ...]:
    """Return the signatures of all entry points, which no pass of the pipeline changes."""
    if isinstance(program, Program):
        return tuple(map(_head, program.entries))
    return tuple(map(_imp_head, program.entries))


def _head(e: Entry[Ann]) -> Head:
    return Head(
        e.name,
        tuple(b.name for b in e.implicit if not isinstance(b.type, MemType)),
        tuple(Named(p.binder.name, _unique(p.unique) + _type(p.binder.type)) for p in e.params),
        tuple(Named(r.name, _type(r.type)) for r in e.results),
    )


def _unique(unique: bool) -> str:
    return "*" if unique else ""


def _type(t: Type) -> str:
    return str(t)


def _imp_head(e: ImpEntry) -> Head:
    return Head(e.name, tuple(e.sizes), tuple(map(_port, e.params)), tuple(map(_port, e.results)))


def _port(p: Port) -> Named:
    from funmem.ir.imp import ArrayPort

    if isinstance(p, ArrayPort):
        return Named(p.name, _array(p.elem, p.shape))
    return Named(p.name, str(p.type))


def _array(elem: ScalarType, shape: tuple[Size, ...]) -> str:
    return "".join(f"[{d}]" for d in shape) + str(elem)
