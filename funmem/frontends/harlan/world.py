"""The foreign functions of Harlan's library, for a program that runs in this process.

Handles are numbers: 0 is the standard output, others are files that are open, and -1 is a file that
cannot be opened, for which the program traps.  A text that a
function takes is given before the call, and has a number (u16); a text that it returns is kept
here, and fetched byte by byte.  Functions that the library does not have are those of the C
library.  Compiled programs have the same functions in C (world.c).
"""

from __future__ import annotations

import ctypes
import io
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.resources import files
from typing import IO, Any

import numpy as np
from attrs import field

from funmem.ir import core as c
from funmem.ir.diagnostics import NOWHERE, Diagnostic, InputError, UsageError
from funmem.ir.foreign import C_TYPES, ForeignCode, ForeignFunction
from funmem.ir.record import define, evolve
from funmem.ir.scalars import BOOL, F32, F64, I32, I64, U8, U16, U64, ScalarType

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
    given: list[bytearray] = field(factory=list)
    """The texts that the next call takes."""
    taken: bool = False
    """True if that call has been made."""
    opened: int = 0
    real: ScalarType = F32
    """The type of the program's floats."""

    def code(self, program: c.CoreProgram) -> ForeignCode:
        """Return the foreign functions of a program, in Python.

        Raises UsageError if one is unknown.
        """
        known = dict(self._library())
        return ForeignCode(
            tuple(signature(d, known.get(d.name) or self._of_c(d)) for d in program.foreign)
        )

    def _of_c(self, d: c.ForeignDef) -> Function:
        """Return a function of the C library.  Raises UsageError if there is none."""
        found = c_function(d)
        texts = [k for k, t in enumerate(visible(d)) if t is U16]

        def call(*args: Any) -> object:
            values = list(args)
            for k in texts:
                values[k] = self._given(args[k])
            return found(*values)

        return call

    def compiled(self, program: c.CoreProgram) -> ForeignCode:
        """Return the same functions in C.  Raises UsageError if one is unknown."""
        source = files("funmem.frontends.harlan") / "world.c"
        known = {name for name, _ in self._library()}
        others = [d for d in program.foreign if d.name not in known]
        quoted = ", ".join(_quoted(a) for a in self.arguments)
        parts = [
            f"#define HARLAN_FLOAT {C_TYPES[self.real]}",
            f"static const char *harlan_words[] = {{{quoted}}};",
            f"static long harlan_count = {len(self.arguments)};",
            source.read_text(encoding="utf-8"),
            *map(_adapter, others),
        ]
        functions = tuple(evolve(signature(d, None), c=True) for d in program.foreign)
        return ForeignCode(functions, "\n".join(parts))

    def close(self) -> None:
        """Write what is still buffered."""
        for f in self.files.values():
            f.close()
        self._stdout().flush()

    # ------------------------------------------------------------------ streams

    def _stdout(self) -> IO[bytes]:
        if self.out is None:
            # a stream of texts in the place of the standard output has no bytes below it
            self.out = getattr(sys.stdout, "buffer", None) or _Texts()
        return self.out

    def _stream(self, handle: int) -> IO[bytes]:
        if handle == 0:
            return self._stdout()
        found = self.files.get(handle)
        if found is None:
            raise InputError(Diagnostic(NOWHERE, "input", "the file is not open"))
        return found

    def _open(self, name: bytes, mode: str) -> int:
        """Return the handle of a file; -1 if it cannot be opened."""
        try:
            f = open(os.fsdecode(name), mode)  # noqa: SIM115
        except (OSError, ValueError):
            return -1
        self.opened += 1
        self.files[self.opened] = f
        return self.opened

    def _close(self, handle: int) -> None:
        self._stream(handle).close()
        self.files.pop(handle, None)

    def _fopen(self, name: int, mode: int) -> int:
        known = {b"r": "rb", b"w": "wb", b"a": "ab"}
        path, wanted = self._given(name), self._given(mode).replace(b"b", b"")
        return self._open(path, known[wanted]) if wanted in known else -1

    def _fclose(self, handle: int) -> int:
        self._close(handle)
        return 0

    def _getc(self, handle: int) -> int:
        sign = self._stream(handle).read(1)
        return sign[0] if sign else -1

    def _begin(self) -> int:
        if self.taken:
            self.given, self.taken = [], False
        self.given.append(bytearray())
        return len(self.given) - 1

    def _given(self, number: int) -> bytes:
        """Return a text that was given; the next one that begins is the first of a new call."""
        self.taken = True
        return bytes(self.given[number])

    def _print_bytes(self, handle: int, word: int, count: int) -> None:
        self._stream(handle).write(_unpacked(word, count))

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
        table: dict[str, Function] = {
            "harlan_print_bytes": self._print_bytes,
            "harlan_text_begin": self._begin,
            "harlan_text_char": lambda n, x: self.given[n].append(x),
            "harlan_text_bytes": lambda n, w, k: self.given[n].extend(_unpacked(w, k)),
            "harlan_text_byte": lambda i: self.text[i],
            "harlan_arguments": lambda: len(self.arguments),
            "harlan_argument_length": lambda i: len(os.fsencode(self.arguments[i])),
            "harlan_argument_byte": lambda i, j: os.fsencode(self.arguments[i])[j],
            "harlan_get_environment_variable": lambda n: self._keep(
                os.environb.get(self._given(n), b"")
            ),
            "harlan_nanotime": time.perf_counter_ns,
            "harlan_time_s": time.time,
            "harlan_flush_stdout": lambda: self._stdout().flush(),
            "harlan_open_outfile": lambda n: self._open(self._given(n), "wb"),
            "harlan_close_outfile": self._close,
            "harlan_file_open": lambda n: self._open(self._given(n), "rb"),
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


class _Texts(io.BytesIO):
    """Bytes that go to ``sys.stdout`` as text."""

    def flush(self) -> None:
        """Write what was collected."""
        sys.stdout.write(self.getvalue().decode(errors="replace"))
        self.seek(0)
        self.truncate()


def _unpacked(word: int, count: int) -> bytes:
    return word.to_bytes(8, "little")[:count]


def _integer(x: Any) -> bytes:
    return str(int(x)).encode()


_SHOWN: Mapping[str, Callable[[Any], bytes]] = {
    "int": _integer,
    "u64": _integer,
    "float": lambda x: f"{float(x):.10g}".encode(),
    "bool": lambda x: b"#t" if x else b"#f",
    "char": lambda x: bytes([int(x)]),
}
"""How a value of each type is printed."""


_CTYPES: Mapping[ScalarType, Any] = {
    BOOL: ctypes.c_bool,
    I32: ctypes.c_int32,
    I64: ctypes.c_int64,
    U8: ctypes.c_uint8,
    U16: ctypes.c_char_p,
    U64: ctypes.c_uint64,
    F32: ctypes.c_float,
    F64: ctypes.c_double,
}


def visible(d: c.ForeignDef) -> tuple[ScalarType, ...]:
    """Return the types of a foreign function's parameters, without the token."""
    return tuple(t for t in d.params if isinstance(t, ScalarType))


def results(d: c.ForeignDef) -> tuple[ScalarType, ...]:
    """Return the types of its results, without the token."""
    parts = [t for _, t in d.result.fields] if isinstance(d.result, c.Record) else [d.result]
    return tuple(t for t in parts if isinstance(t, ScalarType))


def signature(d: c.ForeignDef, reference: Function | None) -> ForeignFunction:
    """Return a foreign function with its implementation in Python."""
    return ForeignFunction(d.name, visible(d), results(d), reference=reference)


def c_function(d: c.ForeignDef) -> Any:
    """Return a function of the C library for ctypes.  Raises UsageError if there is none."""
    try:
        found = getattr(ctypes.CDLL(None), d.name)
    except (AttributeError, OSError):
        what = f"the foreign function `{d.name}` has no implementation"
        hint = "functions of the C library and of Harlan's own are known"
        raise UsageError(Diagnostic(NOWHERE, "foreign", what, hint)) from None
    found.argtypes = [_CTYPES[t] for t in visible(d)]
    found.restype = _CTYPES[results(d)[0]] if results(d) else None
    return found


def _adapter(d: c.ForeignDef) -> str:
    """Return a function of the C library in the convention of foreign functions."""
    c_function(d)  # it is there
    given = [f"{C_TYPES[t]} a{k}" for k, t in enumerate(visible(d))]
    given += [f"{C_TYPES[t]} *r" for t in results(d)]
    args = ", ".join(
        f"harlan_text(a{k})" if t is U16 else f"a{k}" for k, t in enumerate(visible(d))
    )
    assign = "*r = " if results(d) else ""
    head = f"static void foreign_{d.name}({', '.join(given) or 'void'})"
    return f"{head} {{ {assign}{d.name}({args}); }}"


def _quoted(text: str) -> str:
    """Return a text as a C string of octal escapes only."""
    return '"' + "".join(f"\\{byte:03o}" for byte in os.fsencode(text)) + '"'
