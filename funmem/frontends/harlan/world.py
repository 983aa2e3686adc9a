"""The foreign functions of Harlan's library, for a program that runs in this process.

Handles are numbers: 0 is the standard output, others are files that are open.  A text that a
function returns is kept here, and fetched byte by byte.  Functions that the library does not have
are those of the C library.
"""

from __future__ import annotations

import ctypes
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import IO, Any

import numpy as np
from attrs import field

from funmem.ir import core as c
from funmem.ir.diagnostics import NOWHERE, Diagnostic, InputError, UsageError
from funmem.ir.record import define
from funmem.ir.scalars import BOOL, F32, F64, I32, I64, U8, U64, ScalarType

Function = Callable[..., object]


@define(eq=False)
class World:
    """What a program can see and change: arguments, output, files, clocks."""

    arguments: Sequence[str]
    """The command line, the program's name first."""
    out: IO[bytes] | None = None
    """The standard output; None: that of this process."""
    files: dict[int, IO[bytes]] = field(factory=dict)
    text: bytes = b""
    """The last text that a function has returned."""
    opened: int = 0

    def functions(self, program: c.CoreProgram) -> Mapping[str, Function]:
        """Return the foreign functions of a program.  Raises UsageError if one is unknown."""
        known = dict(self._library())
        for d in program.foreign:
            if d.name not in known:
                known[d.name] = _of_c(d)
        return known

    def close(self) -> None:
        """Write what is still buffered."""
        for f in self.files.values():
            f.close()
        self._stdout().flush()

    # ------------------------------------------------------------------ streams

    def _stdout(self) -> IO[bytes]:
        return sys.stdout.buffer if self.out is None else self.out

    def _stream(self, handle: int) -> IO[bytes]:
        if handle == 0:
            return self._stdout()
        found = self.files.get(handle)
        if found is None:
            raise InputError(Diagnostic(NOWHERE, "input", "the file is not open"))
        return found

    def _open(self, name: bytes, mode: str) -> int:
        try:
            f = open(os.fsdecode(name), mode)  # noqa: SIM115
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) else str(error)
            message = f"cannot open `{name.decode(errors='replace')}`: {why}"
            raise InputError(Diagnostic(NOWHERE, "input", message)) from None
        self.opened += 1
        self.files[self.opened] = f
        return self.opened

    def _close(self, handle: int) -> None:
        self._stream(handle).close()
        self.files.pop(handle, None)

    def _fopen(self, name: Any, mode: Any) -> int:
        known = {b"r": "rb", b"w": "wb", b"a": "ab"}
        wanted = bytes(mode).replace(b"b", b"")
        if wanted not in known:
            what = f"`{bytes(mode).decode(errors='replace')}` is no mode of a file"
            raise InputError(Diagnostic(NOWHERE, "input", what, "r, w or a, and b"))
        return self._open(bytes(name), known[wanted])

    def _fclose(self, handle: int) -> int:
        self._close(handle)
        return 0

    def _getc(self, handle: int) -> int:
        sign = self._stream(handle).read(1)
        return sign[0] if sign else -1

    def _keep(self, text: bytes) -> int:
        self.text = text
        return len(text)

    def _word(self, handle: int) -> bytes:
        """Return the next word of a file, without the blanks before it."""
        f, word = self._stream(handle), b""
        while sign := f.read(1):
            if not sign.isspace():
                word += sign
            elif word:
                f.seek(-1, os.SEEK_CUR)
                break
        return word

    def _number(self, handle: int, of: Callable[[bytes], float]) -> float:
        word = self._word(handle)
        try:
            return of(word)
        except ValueError:
            shown = word.decode(errors="replace")
            what = f"`{shown}` is no number" if word else "the file has ended"
            raise InputError(Diagnostic(NOWHERE, "input", what)) from None

    def _binary(self, handle: int, kind: str) -> Any:
        t = np.dtype(kind)
        data = self._stream(handle).read(t.itemsize)
        if len(data) < t.itemsize:
            raise InputError(Diagnostic(NOWHERE, "input", "the file has ended"))
        return np.frombuffer(data, t)[0].item()

    # ------------------------------------------------------------------ the table

    def _library(self) -> Iterator[tuple[str, Function]]:
        for kind, show in _SHOWN.items():
            yield f"harlan_print_{kind}", self._printer(show)
            if kind != "str":
                yield f"harlan_print_{kind}s", self._printer(_vector(show))
        table: dict[str, Function] = {
            "harlan_text_byte": lambda i: self.text[i],
            "harlan_arguments": lambda: len(self.arguments),
            "harlan_argument_length": lambda i: len(os.fsencode(self.arguments[i])),
            "harlan_argument_byte": lambda i, j: os.fsencode(self.arguments[i])[j],
            "harlan_get_environment_variable": lambda n: self._keep(os.environb.get(bytes(n), b"")),
            "harlan_nanotime": time.perf_counter_ns,
            "harlan_time_s": time.time,
            "harlan_flush_stdout": lambda: self._stdout().flush(),
            "harlan_open_outfile": lambda n: self._open(bytes(n), "wb"),
            "harlan_close_outfile": self._close,
            "harlan_file_open": lambda n: self._open(bytes(n), "rb"),
            "harlan_file_close": self._close,
            "harlan_file_read_int": lambda h: int(self._number(h, int)),
            "harlan_file_read_u64": lambda h: int(self._number(h, int)),
            "harlan_file_read_float": lambda h: self._number(h, float),
            "harlan_file_read_string": lambda h: self._keep(self._word(h)),
            "harlan_file_read_line": lambda h: self._keep(self._stream(h).readline()),
            "harlan_read_binary_float": lambda h: self._binary(h, "<f4"),
            "harlan_read_binary_u32": lambda h: self._binary(h, "<u4"),
            "harlan_read_binary_u16": lambda h: self._binary(h, "<u2"),
            "harlan_read_binary_char": lambda h: self._binary(h, "u1"),
            "harlan_fopen": self._fopen,
            "harlan_fclose": self._fclose,
            "harlan_fgetc": self._getc,
            "harlan_rt_mem_copy_time": lambda: 0,
            "harlan_rt_is_cpu": lambda: True,
            "get_kernel_time": lambda: 0,
            "reset_kernel_time": lambda: None,
        }
        yield from table.items()

    def _printer(self, show: Callable[[Any], bytes]) -> Function:
        def write(handle: int, value: Any) -> None:
            self._stream(handle).write(show(value))

        return write


def _integer(x: Any) -> bytes:
    return str(int(x)).encode()


_SHOWN: Mapping[str, Callable[[Any], bytes]] = {
    "int": _integer,
    "u64": _integer,
    "float": lambda x: f"{float(x):.10g}".encode(),
    "bool": lambda x: b"#t" if x else b"#f",
    "char": lambda x: bytes([int(x)]),
    "str": bytes,
}
"""How a value of each type is printed."""


def _vector(show: Callable[[Any], bytes]) -> Callable[[Any], bytes]:
    return lambda xs: b"[" + b" ".join(show(x) for x in xs) + b"]"


_C_TYPES: Mapping[ScalarType, Any] = {
    BOOL: ctypes.c_bool,
    I32: ctypes.c_int32,
    I64: ctypes.c_int64,
    U8: ctypes.c_uint8,
    U64: ctypes.c_uint64,
    F32: ctypes.c_float,
    F64: ctypes.c_double,
}


def _of_c(d: c.ForeignDef) -> Function:
    """Return a function of the C library.  Raises UsageError if there is none."""
    try:
        found = getattr(ctypes.CDLL(None), d.name)
    except (AttributeError, OSError):
        what = f"the foreign function `{d.name}` has no implementation"
        hint = "functions of the C library and of Harlan's own are known"
        raise UsageError(Diagnostic(d.at, "foreign", what, hint)) from None
    given = [t for t in d.params if not isinstance(t, c.Token)]
    found.argtypes = [
        ctypes.c_char_p if isinstance(t, c.Array) else _C_TYPES[t]
        for t in given
        if isinstance(t, ScalarType | c.Array)
    ]
    result = d.result.fields[1][1] if isinstance(d.result, c.Record) else None
    found.restype = _C_TYPES[result] if isinstance(result, ScalarType) else None
    return lambda *args: found(
        *(bytes(a) + b"\0" if isinstance(a, np.ndarray) else a for a in args)
    )
