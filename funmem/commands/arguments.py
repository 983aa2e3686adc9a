"""The arguments of an entry point, as ``-i`` and ``--random`` give them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from funmem.commands import usage_error
from funmem.ir.diagnostics import Diagnostic, FunmemError

if TYPE_CHECKING:
    from funmem.ir.signature import Signature
    from funmem.ir.values import ArgValue


def not_both(inputs: Sequence[str], sizes: str | None) -> None:
    """Raises UsageError if arguments are given in two ways."""
    if inputs and sizes is not None:
        raise usage_error("either -i or --random gives the arguments, not both")


def arguments(s: Signature, inputs: Sequence[str], sizes: str | None, seed: int) -> list[ArgValue]:
    """Random arguments of these sizes, or those that were given, as many as there are parameters.

    Raises InputError, which says how to give what is missing; UsageError.
    """
    not_both(inputs, sizes)
    if sizes is not None:
        from funmem.values.random_arguments import parse_sizes, random_arguments

        return random_arguments(s, parse_sizes(sizes), seed)
    from funmem.values.arguments import read_arguments

    args = read_arguments(s, inputs)
    if len(args) != len(s.params):
        from funmem.ir.values import bind

        try:
            bind(s, args)  # says what is missing
        except FunmemError as error:
            raise _with_hint(error, s) from None
    return args


def _with_hint(error: FunmemError, s: Signature) -> FunmemError:
    """A hint on how to give the arguments that are missing."""
    d = error.diagnostic
    params = " ".join(f"({p.name} : {p.type})" for p in s.params)
    what = f"give {params} with -i, or --random" if params else "give none"
    return type(error)(Diagnostic(d.at, d.code, d.message, what))
