"""The arguments of an entry point, from ``-i`` or ``--random``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from funmem.commands import usage_error
from funmem.ir.diagnostics import Diagnostic, FunmemError

if TYPE_CHECKING:
    from funmem.ir.signature import Signature
    from funmem.ir.values import ArgValue


def not_both(inputs: Sequence[str], sizes: str | None) -> None:
    """Raise UsageError if both ``-i`` and ``--random`` are given."""
    if inputs and sizes is not None:
        raise usage_error("give the arguments by -i or by --random, not both")


def arguments(
    s: Signature,
    inputs: Sequence[str],
    sizes: str | None,
    seed: int,
    flat: Callable[[], Signature] | None = None,
) -> list[ArgValue]:
    """Return the arguments: one for each parameter, random ones if ``sizes`` is given.

    ``flat`` computes the signature with offsets and elements in place of rows, which may be given
    as well.  Raises InputError with a hint on how to give missing arguments, and UsageError.
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
            bind(s, args)  # its error names what is missing
        except FunmemError as error:
            if flat is not None:
                with suppress(FunmemError):
                    return arguments(flat(), inputs, sizes, seed)
            raise _with_hint(error, s) from None
    return args


def _with_hint(error: FunmemError, s: Signature) -> FunmemError:
    """Return the error with a hint on how to give the missing arguments."""
    d = error.diagnostic
    params = " ".join(f"({p.name} : {p.type})" for p in s.params)
    hint = f"give {params} with -i, or use --random" if params else "give no arguments"
    return type(error)(Diagnostic(d.at, d.code, d.message, hint))
