"""Inputs that a script computes: ``script input { generate 1000i64 }``.

The language is a subset of Futhark's script language:

    e  =  let PATTERN = e in e  |  f a…  |  a            f is an entry point of the program
    a  =  VALUE  |  x  |  (e, …)  |  {x = e, …}  |  $loaddata "FILE"
    PATTERN  =  x  |  (x, …)

Entry points are run by the reference: the value interpreter within its budget, or else the plain
program (:mod:`funmem.suite.reference`).  Records and tuples are passed part by part, as entry
points take them; the fields of a record are sorted by name.  A number without a suffix gets the
type of the parameter.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NoReturn, TypeAlias, TypeGuard, TypeVar

import numpy as np

from funmem.ir.diagnostics import NOWHERE, Diagnostic, InputError, SourceError, UsageError
from funmem.ir.record import frozen
from funmem.ir.scalars import ScalarType
from funmem.ir.signature import Parameter, Signature
from funmem.ir.values import ArgValue, ArrayValue, Data, Value, dtype
from funmem.suite import values
from funmem.suite.reference import Reference
from funmem.suite.spec import InFile, Script
from funmem.values.futhark_data import read_all


@frozen
class Written:
    """A literal.  Its type depends on the parameter to which it is passed."""

    text: str


Made: TypeAlias = "Written | np.generic | Data | tuple[Made, ...]"
"""A value, or a tuple of values."""


@frozen
class Scripts:
    """Evaluates the scripts of a program."""

    reference: Reference
    entry: Callable[[str], Signature]
    """Returns the signature of an entry point.  Raises UsageError."""
    folder: Path

    def load(self, script: Script, s: Signature) -> tuple[ArgValue, ...]:
        """Return the arguments of ``s`` that a script computes.

        Raises InputError, and what the called entry points raise.
        """
        text = script.text if script.file is None else values.text_of(script.file, self.folder)
        made = _ScriptParser(text, script, self).all()
        return tuple(_typed(_flat(made), s.params, script))

    def call(self, name: str, args: Sequence[Made], script: Script) -> Made:
        """Return an entry point's results."""
        try:
            s = self.entry(name)
        except UsageError:
            what = f"`{name}` is not an entry point; scripts call entry points only"
            raise _wrong(script, what) from None
        given = tuple(_typed([x for a in args for x in _flat(a)], s.params, script))
        if (wrong := values.fits(s, given)) is not None:
            raise _wrong(script, wrong)
        result = self.reference.by_value(s, given) or self.reference.by_plain(s, given)
        results = [_known(v, p) for v, p in zip(result.values, s.results, strict=True)]
        return results[0] if len(results) == 1 else tuple(results)


def _known(v: Value, p: Parameter) -> Made:
    if isinstance(v, ArrayValue):
        return v.data
    assert isinstance(p.type, ScalarType)
    return dtype(p.type).type(v)


def _is_numpy(v: ArgValue) -> TypeGuard["np.generic | Data"]:
    return isinstance(v, np.generic | np.ndarray)


def _flat(made: Made) -> list[Made]:
    return [x for part in made for x in _flat(part)] if isinstance(made, tuple) else [made]


def _typed(parts: Sequence[Made], params: Sequence[Parameter], script: Script) -> list[ArgValue]:
    """Return the values for the parameters; literals get the types of the parameters."""
    found: list[ArgValue] = []
    types = [p.type if isinstance(p.type, ScalarType) else p.type.elem for p in params]
    for k, x in enumerate(parts):
        if isinstance(x, Written):
            try:
                found += read_all(x.text.encode(), "script", exact=True, types=types[k : k + 1])
            except InputError as error:
                raise _wrong(script, error.diagnostic.message) from None
        else:
            assert not isinstance(x, tuple)
            found.append(x)
    return found


def _wrong(script: Script, what: str) -> InputError:
    return InputError(Diagnostic(script.at, "script", what))


P = TypeVar("P")
_ONLY = "a script calls entry points of its program and reads files with `$loaddata`"
Bindings: TypeAlias = Mapping[str, Made]


class _ScriptParser:
    """Reads and evaluates a script from left to right."""

    _NAME = re.compile(r"(?!(?:let|in|true|false|empty)\b)(?!f\d+\.)[A-Za-z_][\w']*")
    _VALUE = re.compile(
        r"empty\s*\([^()]*\)|-?f(?:16|32|64)\.(?:nan|inf)|true\b|false\b"
        r"|[+-]?\d[\w.]*?(?:[eE][+-]?\d+\w*)?(?![\w.])"
    )
    _BUILTIN = re.compile(r"\$\w+")
    _STRING = re.compile(r'"([^"\\\n]*)"')

    def __init__(self, text: str, script: Script, scripts: Scripts) -> None:
        self._text, self._pos = text, 0
        self._script, self._scripts = script, scripts
        self._skip()

    def all(self) -> Made:
        """Return the value of the whole script."""
        made = self._exp({})
        if self._pos < len(self._text):
            self._fail("expected the end")
        return made

    # ------------------------------------------------------------------ the grammar

    def _exp(self, known: Bindings) -> Made:
        if self._match(re.compile(r"let\b")) is not None:
            return self._let(known)
        before = self._pos
        name = self._match(self._NAME)
        if name is None or name in known:
            self._pos = before
            return self._atom(known)
        args: list[Made] = []
        while self._begins_atom():
            args.append(self._atom(known))
        return self._call(name, args)

    def _let(self, known: Bindings) -> Made:
        names: Sequence[str] = ()
        single = not self._accept("(")
        names = [self._name()] if single else self._parts(")", self._name)
        self._expect("=")
        made = self._exp(known)
        if self._match(re.compile(r"in\b")) is None:
            self._fail("expected `in`")
        parts = (made,) if single else made
        if not isinstance(parts, tuple) or len(parts) != len(names):
            self._fail(f"the pattern has {len(names)} parts, its value has a different number")
        return self._exp({**known, **dict(zip(names, parts, strict=True))})

    def _begins_atom(self) -> bool:
        rest = self._text[self._pos :]
        return rest[:1] in ("(", "{", "[", "$") or any(
            r.match(rest) is not None for r in (self._NAME, self._VALUE)
        )

    def _atom(self, known: Bindings) -> Made:
        if self._accept("("):
            parts = self._parts(")", lambda: self._exp(known))
            return parts[0] if len(parts) == 1 else tuple(parts)
        if self._accept("{"):
            fields = dict(self._parts("}", lambda: self._field(known)))
            return tuple(fields[x] for x in sorted(fields))
        if self._accept("$loaddata"):
            return self._loaded()
        if self._text.startswith("[", self._pos):
            return self._array()
        if (builtin := self._match(self._BUILTIN)) is not None:
            what = f"not supported: `{builtin}` in a script"
            raise SourceError(Diagnostic(NOWHERE, "not-supported", what, _ONLY))
        if (name := self._match(self._NAME)) is not None:
            return known[name] if name in known else self._call(name, ())
        value = self._match(self._VALUE)
        if value is None:
            self._fail("expected a value, an entry point or `(`")
        return Written(value)

    def _field(self, known: Bindings) -> tuple[str, Made]:
        name = self._name()
        if self._accept("="):
            return name, self._exp(known)
        return name, known[name] if name in known else self._call(name, ())

    def _array(self) -> Made:
        depth, end = 0, self._pos
        while end == self._pos or depth > 0:
            if end == len(self._text):
                self._fail("the `[` is not closed")
            depth += {"[": 1, "]": -1}.get(self._text[end], 0)
            end += 1
        start, self._pos = self._pos, end
        self._skip()
        return Written(self._text[start:end])

    def _loaded(self) -> Made:
        name = self._match(self._STRING)
        if name is None:
            self._fail("expected the name of a file in quotes")
        file = InFile(name[1:-1], self._script.at)
        found = [v for v in values.load(file, self._scripts.folder) if _is_numpy(v)]
        return found[0] if len(found) == 1 else tuple(found)

    def _call(self, name: str, args: Sequence[Made]) -> Made:
        return self._scripts.call(name, args, self._script)

    def _parts(self, end: str, part: Callable[[], P]) -> list[P]:
        found: list[P] = []
        while not self._accept(end):
            if found:
                self._expect(",")
            found.append(part())
        return found

    # ------------------------------------------------------------------ signs

    def _name(self) -> str:
        name = self._match(self._NAME)
        if name is None:
            self._fail("expected a name")
        return name

    def _match(self, what: re.Pattern[str]) -> str | None:
        m = what.match(self._text, self._pos)
        if m is None:
            return None
        self._pos = m.end()
        self._skip()
        return m[0]

    def _accept(self, sign: str) -> bool:
        if not self._text.startswith(sign, self._pos):
            return False
        self._pos += len(sign)
        self._skip()
        return True

    def _expect(self, sign: str) -> None:
        if not self._accept(sign):
            self._fail(f"expected `{sign}`")

    def _skip(self) -> None:
        while self._pos < len(self._text) and self._text[self._pos].isspace():
            self._pos += 1

    def _fail(self, what: str) -> NoReturn:
        rest = self._text[self._pos : self._pos + 20]
        raise _wrong(self._script, f"{what}, found `{rest}`" if rest else f"{what}, found the end")
